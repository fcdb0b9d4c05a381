"""Who sits at a server hears by its feed what happens, asks for nothing meanwhile, and misses nothing after a drop."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from tests.remote.house import House, texts
from zimcore.remote import feed_follower
from zimcore.service import Viewer


def until(done: Callable[[], object]) -> None:
    """Waits for what the feed says, in a thread of its own."""
    end = time.monotonic() + 20
    while not done():
        assert time.monotonic() < end, "nothing was heard"
        time.sleep(0.01)


def test_who_follows_asks_only_when_something_has_happened(nim: House, monkeypatch: pytest.MonkeyPatch) -> None:
    ann, ben = nim.sit("ann"), nim.sit("ben")
    ann.remote.fresh = ann.remote.again = 1e9  # else nothing is asked for
    until(lambda: ann.may_have_changed("k/main"))
    questions, get = list[str](), ann.connection.get

    def counted(path: str, *words: str, **more: object) -> object:
        questions.append(path)
        return get(path, *words, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(ann.connection, "get", counted)
    assert not any(ann.may_have_changed("k/main") for _ in range(100))
    assert texts(ann) == ["0 set up 10"]
    assert questions == []
    ann.play_or_raise("k", "take 1", by="ann-player", viewer=Viewer("ann"))
    ben.play_or_raise("k", "take 2", by="ben-player", viewer=Viewer("ben"))
    until(lambda: ann.may_have_changed("k/main") and len(texts(ann)) == 3)
    ben.say("k", "your turn", by="ben-player", viewer=Viewer("ben"))
    until(lambda: ann.may_have_changed("k/main") and ann.talk("k", by="ann-player"))
    assert set(questions) == {"/v1/games/k/lines/main/entries"}


def test_who_follows_hears_after_a_drop_what_was_played_meanwhile(nim: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed_follower, "FIRST_RETRY", 0.02)
    ann = nim.sit("ann")
    ann.remote.again = 1e9
    until(lambda: ann.may_have_changed("k/main"))
    nim.stop()
    until(lambda: ann.may_have_changed("k/main") and ann.offline_reason)
    assert not any(ann.may_have_changed("k/main") for _ in range(100)), "it is not waited for again and again"
    nim.service.play_or_raise("k", "take 3", by="ann")
    nim.start()
    until(lambda: ann.may_have_changed("k/main"))
    assert texts(ann) == ["0 set up 10", "1 take 3"]
    assert not ann.offline_reason


def test_another_line_is_followed_in_its_place(nim: House) -> None:
    ann = nim.sit("ann")
    until(lambda: ann.may_have_changed("k/main"))
    fork = ann.fork("k", "idea", by="ann-player", viewer=Viewer("ann"))
    until(lambda: ann.may_have_changed(fork.place))
    assert fork.place == "k/ann--idea"
