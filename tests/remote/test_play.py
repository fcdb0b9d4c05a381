"""Playing on a server as if its store were here."""

from __future__ import annotations

from tests.remote.house import House, texts


def test_two_play_and_see_what_the_other_played(nim: House) -> None:
    ann, ben = nim.sit("ann"), nim.sit("ben")
    ann.play_or_raise("k", "take 3", by="ann")
    ben.play_or_raise("k", "take 1", by="ben")
    assert texts(ann) == texts(ben) == texts(nim.service)
    assert ann.position("k").figures["stones"] == 6
