"""Two clients play on a server as they would on a local store."""

from __future__ import annotations

import pytest

import zimcore as zim
from tests.remote.loopback_server import LoopbackServer, log_lines
from zimcore.remote.client_files import Folders


def test_two_players_see_each_other_s_moves(nim_server: LoopbackServer) -> None:
    ann, ben = nim_server.sit("ann"), nim_server.sit("ben")
    ann.play_or_raise("k", "take 3", by="ann")
    ben.play_or_raise("k", "take 1", by="ben")
    assert log_lines(ann) == log_lines(ben) == log_lines(nim_server.service)
    assert ann.position("k").figures["stones"] == 6


def test_the_library_opens_a_server_with_the_tokens_that_were_saved(
    nim_server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    nim_server.begin_game("africana", {"players": "2", "seed": "7"}, name="cairo")
    first_seat, second_seat = nim_server.service.position("cairo").seats
    nim_server.redeem_link("ann", nim_server.link(first_seat, "cairo"))
    monkeypatch.setattr(Folders, "of_user", lambda: nim_server.folders("ann"))
    with zim.open(nim_server.url, by="ann") as store:
        position = store.look("cairo")
        assert store.games() == ["cairo"]
        assert "?" in str(position.state.hands[second_seat])
        if position.mover == first_seat:
            position = store.play("cairo", "draw", expected=position.commit.digest)
        assert [news.position.commit.number for news in store.follow("cairo", patience=0)][-1] == position.commit.number
        assert store.try_("cairo", "draw").refused or store.try_("cairo", "draw").positions
        assert store.frames("cairo")["commits"].columns["number"][-1] == position.commit.number
        with pytest.raises(zim.GameError, match=f"you are {first_seat}"):
            store.at(second_seat).look("cairo")
