"""House rules of a served table: players agree to them as they sit down, and the game is dealt when all have."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.remote.loopback_server import LoopbackServer, loopback_server
from zimcore.game import GameError
from zimcore.games.zimbabwe.events import HouseRulesChosen
from zimcore.remote.connection import Connection
from zimcore.remote.invitations import join, parse_invitation, read_seats
from zimcore.service.proofs import certificates
from zimcore.service.records.memberships import GameHosted, HouseRulesSet, MemberEvent, Members, SeatOffered, SeatTaken

HOUSE_RULES = {"gu": "one-move", "xango": "absolute"}
RULES_TEXT = "gu=one-move xango=absolute"


@pytest.fixture
def server_with_rules(tmp_path: Path) -> Iterator[LoopbackServer]:
    """A table for The Great Zimbabwe with house rules, with free seats."""
    with loopback_server(tmp_path) as server:
        options = {"players": "kilwa,mutapa", **HOUSE_RULES}
        member_events: list[MemberEvent] = [GameHosted("hanna"), HouseRulesSet(HOUSE_RULES)]
        server.host().open_table("zimbabwe", options, name="k", by="hanna", served=member_events)
        yield server


def sit_down(server: LoopbackServer, seat: str, rules: str) -> None:
    invitation = parse_invitation(server.link(seat), server.url)
    join(Connection(server.url), server.folders(f"{seat}-player"), invitation, f"{seat}-player", agreed_rules=rules)


@pytest.mark.parametrize("rules", ["", "gu=one-move", "gu=one-move xango=overshoot"])
def test_no_player_sits_down_without_agreeing_to_all_house_rules(server_with_rules: LoopbackServer, rules: str) -> None:
    with pytest.raises(GameError) as error:
        sit_down(server_with_rules, "kilwa", rules)
    assert RULES_TEXT in str(error.value)
    assert error.value.hints == (f'join LINK --agree "{RULES_TEXT}"',) or RULES_TEXT in str(error.value.hints)
    assert read_seats(server_with_rules.host(), "k").seats[0].by == ""


def test_a_game_is_dealt_when_all_have_agreed_and_its_certificate_has_the_rules(
    server_with_rules: LoopbackServer,
) -> None:
    sit_down(server_with_rules, "kilwa", "xango=absolute  gu=one-move")
    answer = read_seats(server_with_rules.person("kilwa-player"), "k")
    assert (answer.dealt, answer.house) == (False, HOUSE_RULES)
    with pytest.raises(GameError, match="house rules: all players agree"):
        server_with_rules.host().deal("k", by="hanna")
    sit_down(server_with_rules, "mutapa", RULES_TEXT)
    mutapa_client = server_with_rules.person("mutapa-player")
    first_commit = mutapa_client.log("k")[0]
    assert HouseRulesChosen({"gu": "one-move"}) in first_commit.events
    assert dict(first_commit.command.options)["xango"] == "absolute"
    assert [
        operation.target for operation in server_with_rules.service.operations("k") if operation.what == "agree"
    ] == [
        RULES_TEXT,
        RULES_TEXT,
    ]
    certificate = certificates.to_bytes(server_with_rules.service.certificate("k"))
    assert b"one-move" in certificate
    assert (
        certificates.verify_certificate(
            certificates.read_certificate(certificate), server_with_rules.service.kinds
        ).fault
        is None
    )


def test_a_table_without_house_rules_asks_for_nothing(tmp_path: Path) -> None:
    with loopback_server(tmp_path) as server:
        options = {"players": "2", "xango": "absolute"}
        server.host().open_table("zimbabwe", options, name="k", by="hanna", served=[GameHosted("hanna")])
        server.sit("kilwa")
        server.sit("mutapa")
        assert read_seats(server.host(), "k").dealt


def test_a_program_need_not_agree_and_house_rules_are_set_before_any_player_sits() -> None:
    members = Members().after(HouseRulesSet(HOUSE_RULES))
    with pytest.raises(GameError, match="house rules are set"):
        members.check(HouseRulesSet({}))
    with pytest.raises(GameError, match="house rules: gu=one-move"):
        members.after(SeatOffered("kilwa", "o", bytes(32))).check(SeatTaken("kilwa", "o", "ann", "t", bytes(32)))
    members.after(SeatOffered("kilwa", "o", bytes(32))).check(SeatTaken("kilwa", "o", "bot", "t", bytes(32), bot=True))
