"""Links to a seat that is taken, from the terminal: for another device of its player, or for one who lost it."""

from __future__ import annotations

import pytest

from tests.remote.loopback_server import LoopbackServer
from zimcore.game import GameError
from zimcore.remote.invitations import format_link, invite
from zimcore.service import StoreError


def test_a_player_goes_on_at_another_machine(nim_server: LoopbackServer) -> None:
    ann = nim_server.sit("ann")
    link = format_link(nim_server.url, invite(ann, "k", "seat", "ann", "", None).token)
    laptop = nim_server.person("ann at the laptop", link)
    laptop.play("k", "take 1", by="ann at the laptop")
    assert ann.head("k").commit.by == "ann-player", "it is the same player"
    with pytest.raises(GameError, match="no longer valid"):
        nim_server.redeem_link("eve", link)


def test_a_host_replaces_what_a_player_has_lost(nim_server: LoopbackServer) -> None:
    lost = nim_server.sit("ann")
    with pytest.raises(GameError, match="ann is taken") as refusal:
        invite(nim_server.host(), "k", "seat", "ann", "", None)
    assert "--again" in refusal.value.hints[0]
    link = format_link(nim_server.url, invite(nim_server.host(), "k", "seat", "ann", "", None, again=True).token)
    back = nim_server.person("ann-player-again", link)
    back.play("k", "take 1", by="ann-player-again")
    with pytest.raises((GameError, StoreError)):
        lost.play("k", "take 1", by="ann-player")
