"""Departures: who has left, who plays on, who has won by it, and how a seat is given back; on both services."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import make_zim
from tests.event_store.golden import check_golden
from tests.remote.loopback_server import LoopbackServer, loopback_server
from tests.server.game_server import GAMES_BY_KIND, game_server
from tests.zimbabwe.test_recordings import FOLDER
from zimcli.features.departures import leave_on_server
from zimcore.documents.endpoint import Nothing
from zimcore.documents.query_parameters import PageQuery
from zimcore.features.departures.actions import depart, departures, give_back
from zimcore.features.departures.documents import NewDeparture
from zimcore.features.departures.events import PlayerLeft, PlayerReturned
from zimcore.game import Departing, GameError, UnknownError
from zimcore.service import EventStore, GameService, Viewer
from zimcore.service.records.memberships import GameHosted

THREE = [
    ("nim", {"seed": "7"}, "take 1"),
    ("zimbabwe", {"seed": "7", "players": "2"}, ""),
    ("africana", {"seed": "7", "players": "2"}, ""),
]


def make_service() -> GameService:
    return GameService(EventStore.open("memory:"), games=GAMES_BY_KIND)


def resign(service: GameService, seat: str, how: Departing = "resigned", by: str = "anna", key: str = "") -> str:
    """The winner by it, "" for none."""
    answer = service.change(depart, NewDeparture(how, seat), "k", by=by, command_id=key)
    return answer.departures[-1].winner


@pytest.mark.parametrize(("kind", "options", "text"), THREE)
def test_the_last_one_left_has_won_until_the_seat_is_given_back(kind: str, options: dict[str, str], text: str) -> None:
    service = make_service()
    position = service.new(kind, options, name="k", by="anna")
    seat, other = position.mover, next(each for each in position.seats if each != position.mover)
    text = text or next(iter(service.head("k").legal().texts("")))
    assert resign(service, seat, key="d1") == other
    assert resign(service, seat, key="d1") == other, "a retry with the same id changes nothing"
    assert (service.members("k").decided_for, service.bots("k")) == (other, {seat: service.bots("k")[seat]})
    with pytest.raises(GameError, match="k was ended") as ended:
        service.play("k", text, by="anna", seat=seat)
    assert f"{other} has won" in str(ended.value)
    with pytest.raises(GameError, match="k is over"):
        resign(service, other)
    if kind != "africana":  # a fork would show its hidden cards
        fork_position = service.fork("k", "what-if", by="anna", bots=False)
        assert service.play_or_raise(fork_position.place, text, by="anna", seat=seat)
    service.change(give_back, Nothing(), "k", {"seat": seat}, by="anna")
    assert (service.members("k").ended, service.bots("k")) == (False, {})
    assert service.play_or_raise("k", text, by="anna", seat=seat).commit.number == 1
    with pytest.raises(UnknownError, match=f"nobody has left {seat}"):
        service.change(give_back, Nothing(), "k", {"seat": seat}, by="anna")


def test_the_others_play_on_while_more_than_one_is_left() -> None:
    service = make_service()
    first, second, third = service.new("zimbabwe", {"seed": "7", "players": "3"}, name="k", by="anna").seats
    assert resign(service, first, "kicked_out") == ""
    assert (service.members("k").ended, service.bots("k")) == (False, {first: "quick"})
    with pytest.raises(GameError, match=f"a program plays {first}"):
        resign(service, first)
    assert resign(service, second, "replaced") == "", "another player sits down there"
    assert resign(service, second) == third


def test_players_leave_only_for_themselves() -> None:
    service = make_service()
    service.new("nim", {"seed": "7"}, name="k", by="anna")
    for viewer, body, message in (
        (Viewer("ann"), NewDeparture("resigned", "ben"), "you can't do this for ben"),
        (Viewer("ann"), NewDeparture("kicked_out"), "can't be kicked out by itself"),
        (Viewer("", plays=False), NewDeparture("resigned", "ann"), "not for a spectator"),
        (Viewer(""), NewDeparture("resigned", "carl"), "there is no seat 'carl'"),
        (Viewer(""), NewDeparture("resigned"), "no seat given"),
    ):
        with pytest.raises(GameError, match=message):
            service.change(depart, body, "k", by="anna", viewer=viewer)
    assert service.query(departures, PageQuery(), "k").departures == ()


def test_a_match_that_is_over_can_be_left_but_not_resigned() -> None:
    service = make_service()
    service.new("nim", {"seed": "7"}, name="k", by="anna", served=[GameHosted("anna")])
    while not service.head("k").outcome.over:
        service.play_or_raise("k", "take 1", by="anna")
    with pytest.raises(GameError, match="k is over"):
        resign(service, "ann")
    with pytest.raises(UnknownError, match="ann is free"):
        resign(service, "ann", "left")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[LoopbackServer]:
    with loopback_server(tmp_path) as server:
        server.service.new("nim", {"seed": "7"}, name="k", by="hanna", served=[GameHosted("hanna")])
        yield server


def test_a_player_on_a_server_resigns_and_the_host_gives_the_seat_back(server: LoopbackServer) -> None:
    ann, ben = server.sit("ann"), server.sit("ben")
    with pytest.raises(GameError, match="you can't do this for ann"):
        ben.change(depart, NewDeparture("resigned", "ann"), "k", by="ben-player")
    leave_on_server(ann, "k", "", "resigned", "")
    assert ben.query(departures, PageQuery(), "k").departures[0].name == "ann-player"
    assert server.service.members("k").decided_for == "ben"
    assert [each.seat for each in ben.query(departures, PageQuery(), "k").departures] == ["ann"]
    with pytest.raises(GameError, match="a token is needed"):
        ann.head("k")
    with pytest.raises(GameError, match="this is for a host"):
        ben.change(give_back, Nothing(), "k", {"seat": "ann"}, by="ben-player")


def test_show_and_log_over_http_say_who_has_left_even_to_one_who_has_the_position(tmp_path: Path) -> None:
    """Given a client that has the position, when a player leaves, then it is told, and again when they are back."""
    with game_server(tmp_path, "nim", {"seed": "7"}) as server:
        addresses = [f"{server.main}/moves", server.main]
        nobody_left = [server.host.get_json(address).get("notes", []) for address in addresses]
        body = {"how": "left", "seat": "ann"}
        assert server.host("POST", f"{server.path}/departures", body).status_code == 201
        etag = {"If-None-Match": f'"{server.head()}"'}
        notes = [server.host.get(address, **etag).json().get("notes") for address in addresses]
        assert nobody_left == [[], []]
        assert [[note["text"] for note in each] for each in notes] == [["ann-player (ann) has left"]] * 2
        assert server.host("DELETE", f"{server.path}/departures/ann").status_code == 200
        assert "back" in server.host.get(server.main, **etag).json()["notes"][0]["text"]


def test_status_log_and_story_say_who_has_left_and_an_import_brings_it() -> None:
    service = GameService(EventStore.open("memory:"), games=GAMES_BY_KIND)
    zim = make_zim(service)
    assert zim("import", str(FOLDER / "g10-3p-resign.page.html")).exit_code == 0
    sentence = "ben (mapungubwe) has resigned: a program passes and does nothing for mapungubwe"
    for words in (["show"], ["log"], ["story"]):
        assert sentence in zim(*words, "g10-3p-resign").stdout, words
        assert sentence not in zim(*words, "g10-3p-resign@25").stdout, words
    assert sentence in zim("leave", "g10-3p-resign", "--list").stdout
    assert "leave  mapungubwe  resigned" in zim("log", "g10-3p-resign", "--ops").stdout
    notes = json.loads(zim("log", "g10-3p-resign", "--json").stdout)["notes"]
    assert [note["text"] for note in notes] == [sentence]
    assert zim("undo", "g10-3p-resign", "--op", "").exit_code == 2


def test_an_operation_that_seats_a_program_can_be_undone() -> None:
    service = GameService(EventStore.open("memory:"), games=GAMES_BY_KIND)
    zim = make_zim(service)
    service.new("nim", {"seed": "7"}, name="k", by="anna")
    assert zim("leave", "k", "--seat", "ann").exit_code == 0
    assert zim("undo", "k", "--op").exit_code == 0
    assert (service.members("k").ended, service.bots("k")) == (False, {})


def test_the_stored_bytes_of_departures() -> None:
    left = PlayerLeft("ann", "resigned", "anna", "program", "ben", bytes(range(16)))
    check_golden(Path(__file__).with_name("golden.json"), [left, PlayerReturned("ann")])
