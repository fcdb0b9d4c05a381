"""Leagues: given events, when a change, then events or a refusal; and a season in each kind of store."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import datetime
from fractions import Fraction
from pathlib import Path

import pytest

from event_store import DamagedError, Entry
from tests.service.table import service_on
from zimcore.documents.leagues import LeagueAnswer, LeagueChange, NewLeague
from zimcore.game import GameError, OptionError, UnknownError
from zimcore.service import EVERYTHING, GameService, TakenError, maintenance
from zimcore.service.league import (
    LeagueClosed,
    LeagueEvent,
    LeagueOpened,
    PairedTable,
    PlayerEntered,
    PlayerWithdrew,
    ResultCorrected,
    ResultRecorded,
    RoundClosed,
    RoundPaired,
    Season,
    share,
)
from zimcore.service.leagues import closing as closing_events
from zimcore.service.line_repository import LineRepository, LoadedLine
from zimcore.service.memberships import MemberEvent, Members, TermsSet

GAMES = {"nim": "tests.nim:GAME", "zimbabwe": "zimcore.games.zimbabwe:GAME", "africana": "zimcore.games.africana:GAME"}
OPENED = LeagueOpened("cup", "nim", {}, "swiss", 2, 2)
THREE: list[LeagueEvent] = [OPENED, *map(PlayerEntered, ("anna", "ben", "cem"))]
FIRST = RoundPaired(1, 7, (PairedTable("g1", "5f3a", ("ann", "ben"), ("anna", "ben")),), ("cem",))
WON = ResultRecorded("g1", {"anna": 1, "ben": 2}, {}, b"12")
DONE: list[LeagueEvent] = [*THREE, FIRST, WON, RoundClosed(1)]


def season_after(*events: LeagueEvent) -> Season:
    return Season().after_all(events)


@pytest.mark.parametrize(
    ("before", "event", "why"),
    [
        ([], PlayerEntered("anna"), "a league is opened once"),
        ([OPENED], OPENED, "a league is opened once"),
        ([], LeagueOpened("cup", "nim", {}, "swiss", 3, 2), "no table: 3..2"),
        (THREE, PlayerEntered("anna"), "anna is in cup already"),
        (THREE, PlayerEntered("Anna"), "another player is called Anna"),
        (THREE, PlayerEntered("../x"), "not a name"),
        (THREE, PlayerWithdrew("dia"), "dia is not in cup"),
        ([*THREE, FIRST], RoundPaired(2, 7, ()), "round 1 of cup is not over: without a result: g1"),
        (THREE, RoundPaired(1, 7, FIRST.tables), "can't be paired so"),
        (THREE, RoundPaired(2, 7, FIRST.tables, FIRST.byes), "can't be paired so"),
        ([*THREE, FIRST], RoundClosed(1), "can't be closed"),
        ([*THREE, FIRST], LeagueClosed(), "is not over"),
        ([*THREE, FIRST], ResultRecorded("g2", {"anna": 1, "ben": 2}, {}, b""), "g2 is no game of cup"),
        ([*THREE, FIRST], ResultRecorded("g1", {"anna": 1, "cem": 2}, {}, b""), "not the players of g1"),
        ([*THREE, FIRST], ResultRecorded("g1", {"anna": 1, "ben": 3}, {}, b""), "no ranks"),
        (DONE, WON, "g1 has a result"),
        (DONE, ResultCorrected("g1", {"anna": 2, "ben": 1}, " "), "no reason given"),
        ([*DONE, LeagueClosed()], PlayerEntered("dia"), "cup is closed"),
        ([*DONE, LeagueClosed()], ResultCorrected("g1", {"anna": 2, "ben": 1}, "won on time"), "cup is closed"),
    ],
)
def test_what_can_not_follow_is_refused(before: list[LeagueEvent], event: LeagueEvent, why: str) -> None:
    with pytest.raises(GameError, match=why.replace(".", r"\.")):
        season_after(*before).check(event)


def test_the_last_result_closes_its_round() -> None:
    assert closing_events(season_after(*THREE, FIRST), [WON]) == [WON, RoundClosed(1)]
    assert closing_events(season_after(*DONE), []) == []


def test_a_correction_counts_instead_of_what_was_recorded() -> None:
    season = season_after(*DONE, ResultCorrected("g1", {"anna": 2, "ben": 1}, "anna's clock had stopped"))
    assert [(each.player, float(each.points)) for each in season.standings()] == [("ben", 1), ("cem", 1), ("anna", 0)]
    assert season.results["g1"] == WON  # it is not edited


def test_a_correction_counts_for_a_game_that_never_ends() -> None:
    given_up = ResultCorrected("g1", {"anna": 1, "ben": 2}, "ben gave up")
    assert closing_events(season_after(*THREE, FIRST), [given_up]) == [given_up, RoundClosed(1)]


def test_places_are_by_points_then_wins_then_the_points_of_opponents() -> None:
    """After round 2 cem has beaten anna, who had beaten ben; dia has come late and beaten ben."""
    tables = (
        PairedTable("g2", "5f3b", ("ann", "ben"), ("cem", "anna")),
        PairedTable("g3", "5f3c", ("ann", "ben"), ("ben", "dia")),
    )
    ranks = ResultRecorded("g2", {"cem": 1, "anna": 2}, {}, b""), ResultRecorded("g3", {"ben": 2, "dia": 1}, {}, b"")
    standings = season_after(*DONE, PlayerEntered("dia"), RoundPaired(2, 7, tables), *ranks).standings()
    assert [(each.player, each.place, float(each.points), each.wins, float(each.opposition)) for each in standings] == [
        ("cem", 1, 2, 1, 1),  # a bye is worth a won game in Swiss, and is no win
        ("anna", 2, 1, 1, 2),
        ("dia", 3, 1, 1, 0),
        ("ben", 4, 0, 0, 2),
    ]


def test_a_table_gives_the_share_of_the_opponents_behind() -> None:
    ranks = {"anna": 1, "ben": 2, "cem": 2, "dia": 4}
    assert [share(ranks, each) for each in ranks] == [Fraction(1), Fraction(1, 2), Fraction(1, 2), Fraction(0)]


def test_a_round_robin_takes_nobody_after_it_has_begun_but_those_who_come_back() -> None:
    opened = LeagueOpened("cup", "nim", {}, "round-robin", 2, 2)
    season = season_after(opened, *THREE[1:], FIRST, PlayerWithdrew("cem"))
    assert season.active == ["anna", "ben"]
    assert season.planned_rounds_count == 3  # as it began
    with pytest.raises(GameError, match="dia is too late for cup"):
        season.check(PlayerEntered("dia"))
    assert season.after_all([PlayerEntered("cem", "random")]).entrants["cem"].bot == "random"


@pytest.fixture(params=["memory:", "sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest, url: str) -> str:
    if request.param == "postgresql":
        return str(request.getfixturevalue("postgres_store"))
    return url if request.param == "sqlite" else "memory:"


def change(service: GameService, what: str, **fields: object) -> LeagueAnswer:
    command_id = str(fields.pop("command_id", ""))
    return service.change_league("cup", LeagueChange(what, **fields), by="hanna", command_id=command_id)  # type: ignore[arg-type]


def begin(service: GameService, *names: str, **fields: object) -> None:
    service.open_league(NewLeague("cup", **{"kind": "nim", **fields}), by="hanna")  # type: ignore[arg-type]
    for each in names:
        change(service, "enter", player=each)


def play_out(service: GameService, game: str) -> None:
    while not (here := service.position(game, EVERYTHING)).outcome.over:
        service.play_or_raise(game, next(iter(here.legal().texts())), by="anna", viewer=EVERYTHING)


def finish_round(service: GameService) -> None:
    for table in service.league("cup").rounds[-1].tables:
        play_out(service, table.game)


def test_a_season_is_the_same_after_it_is_read_again(store_url: str) -> None:
    with (service := service_on(store_url)).store:
        begin(service, "anna", "ben", "cem")
        for number in range(3):
            assert len(change(service, "pair", seed=number).rounds) == number + 1
            finish_round(service)
        with pytest.raises(GameError, match="cup has no round 4: its season has 3 rounds"):
            change(service, "pair")
        last = change(service, "close")
        assert last.closed
        assert {each.games for each in last.standings} == {2}
        assert sum(each.points for each in last.standings) == 3 * 1.5  # a game each round, and half a point for the bye
        assert all(service.verify(table.game).fault is None for each in last.rounds for table in each.tables)
        assert service.verify_all() == [service.verify(game) for game in service.game_names()]
        if store_url != "memory:":
            with (again := service_on(store_url, who="again")).store:
                assert again.league("cup") == last
                assert [each.name for each in again.leagues()] == ["cup"]


@pytest.mark.parametrize(("kind", "seats"), [("zimbabwe", "3"), ("africana", "2"), ("nim", "2..3")])
def test_a_league_knows_no_game(kind: str, seats: str) -> None:
    """Its rounds begin in any game; the options of the league are those of each of its games."""
    service = service_on("memory:", GAMES)
    begin(service, "anna", "ben", "cem", kind=kind, seats=seats)
    (table,) = change(service, "pair").rounds[0].tables
    position = service.position(table.game)
    assert [*table.seats] == [*position.seats]
    assert position.game.name == kind
    assert len(table.seats) == int(seats[-1])


def test_a_pair_sent_again_pairs_once_and_another_with_its_id_is_refused() -> None:
    service = service_on("memory:")
    begin(service, "anna", "ben")
    first = change(service, "pair", seed=1, command_id="k")
    assert change(service, "pair", seed=1, command_id="k") == first
    with pytest.raises(TakenError):
        change(service, "pair", seed=2, command_id="k")
    assert service.game_names() == ["cup-r1-t1"]


def test_a_round_is_recorded_and_paired_with_its_games_in_one_transaction(monkeypatch: pytest.MonkeyPatch) -> None:
    service, writes = service_on("memory:"), list[int]()
    begin(service, "anna", "ben", "cem", "dia")
    change(service, "pair")
    finish_round(service)
    adopt = service.store.adopt

    def count(entries: Sequence[Entry]) -> object:
        writes.append(len(entries))
        return adopt(entries)

    monkeypatch.setattr(service.store, "adopt", count)
    monkeypatch.setattr(service.store, "append", None)
    change(service, "pair")
    assert writes == [2 * 2 + 1 + 1]  # two games, each a line and names; the list of games; the league


def test_two_who_pair_at_once_pair_one_round(url: str) -> None:
    """The one who was slower sees the round of the other, and is refused."""
    with (one := service_on(url, who="one")).store, (second := service_on(url, who="two")).store:
        begin(one, "anna", "ben")
        second.league("cup")
        change(one, "pair")
        with pytest.raises(GameError, match="round 1 of cup is not over"):
            change(second, "pair")
        assert len(second.league("cup").rounds) == 1


def test_what_is_recorded_is_what_the_game_says() -> None:
    service = service_on("memory:")
    begin(service, "anna", "ben")
    (table,) = change(service, "pair").rounds[0].tables
    with pytest.raises(GameError, match="without a result: cup-r1-t1"):
        change(service, "record")
    play_out(service, table.game)
    (recorded,) = change(service, "record").rounds[0].tables
    end = service.position(table.game, EVERYTHING)
    assert {player for player, rank in recorded.ranks.items() if rank == 1} == {
        table.seats[seat] for seat in end.outcome.winners
    }
    assert recorded.commit == end.commit.digest
    with pytest.raises(GameError, match="there is nothing to record"):
        change(service, "record")


def test_a_game_that_goes_on_after_its_result_is_marked_until_it_is_back() -> None:
    service = service_on("memory:")
    begin(service, "anna", "ben")
    change(service, "pair")
    finish_round(service)
    before = change(service, "record")
    service.undo("cup-r1-t1", by="anna", viewer=EVERYTHING)
    (table,) = service.league("cup").rounds[0].tables
    assert table.changed
    assert table.ranks == before.rounds[0].tables[0].ranks
    service.redo("cup-r1-t1", by="anna", viewer=EVERYTHING)
    assert service.league("cup") == before
    service.delete("cup-r1-t1", by="anna", viewer=EVERYTHING)
    assert service.league("cup").rounds[0].tables[0].changed


def test_only_games_that_have_moved_on_are_replayed_for_their_deadlines(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, line = list[str](), LineRepository.line

    def count(lines: LineRepository, match: str, *args: str) -> LoadedLine:
        opened.append(match)
        return line(lines, match, *args)

    def deadlines(service: GameService) -> dict[str, datetime | None]:
        return {table.game: table.due for table in service.league("cup").rounds[0].tables}

    def terms(_: Members) -> list[MemberEvent]:
        return [TermsSet(pace=3600)]

    with (service := service_on(url)).store, (other := service_on(url, who="other")).store:
        begin(service, "anna", "ben", "cem", "dia", pace="3d")
        change(service, "pair")
        before = deadlines(service)
        assert all(before.values())
        monkeypatch.setattr(LineRepository, "line", count)
        assert (deadlines(service), opened) == (before, [])
        other.play_or_raise("cup-r1-t1", "take 1", by="anna", viewer=EVERYTHING)
        opened.clear()
        after = deadlines(service)
        assert opened == ["cup-r1-t1"]
        assert after == deadlines(other)
        other.enrol("cup-r1-t2", terms, by="hanna")
        opened.clear()
        assert deadlines(service)["cup-r1-t2"] != before["cup-r1-t2"]
        assert opened == ["cup-r1-t2"]
        other.enrol("cup-r1-t2", lambda _: [TermsSet(pace=3600, behind=60)], by="hanna")
        assert deadlines(service)["cup-r1-t2"] is None, "it would say when the last move was"


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"seats": "4"}, "how many take from it|players"),
        ({"seats": "two"}, "these are the players at a table"),
        ({"options": {"seed": "7"}}, "dealt anew"),
        ({"options": {"players": "2"}}, "are its seats"),
        ({"bank": "3d"}, "beyond the pace"),
        ({"name": "a b"}, "not a name"),
    ],
)
def test_a_league_that_could_not_begin_a_game_is_not_opened(fields: dict[str, object], why: str) -> None:
    service = service_on("memory:")
    with pytest.raises((OptionError, GameError), match=why):
        service.open_league(NewLeague(**{"name": "cup", "kind": "nim", **fields}), by="hanna")  # type: ignore[arg-type]
    assert service.leagues() == []


def test_names_of_leagues_are_taken_once() -> None:
    service = service_on("memory:")
    begin(service)
    with pytest.raises(UnknownError, match="there is a league called 'cup' already"):
        begin(service)
    with pytest.raises(UnknownError, match="there is no league called 'cap'"):
        service.league("cap")


def test_an_export_brings_the_league_along() -> None:
    service, new = service_on("memory:"), service_on("memory:", who="new")
    begin(service, "anna", "ben")
    change(service, "pair")
    finish_round(service)
    before = change(service, "close")
    assert new.import_(service.export(), by="hanna") > 0
    assert new.league("cup") == before


@pytest.fixture
def service_with_league() -> GameService:
    service = service_on("memory:")
    begin(service, "anna", "ben")
    return service


def test_a_result_that_can_not_follow_is_damage(service_with_league: GameService) -> None:
    """Planted: a result of a game that was never paired, written past the service."""
    stream = next(each for each in service_with_league.store.streams() if is_league(service_with_league, each))
    end = [*service_with_league.store.read(stream)][-1].revision
    service_with_league.store.append(stream, end, [WON], by="eve", at=service_with_league.clock())
    with pytest.raises(DamagedError, match="g1 is no game of cup"):
        service_on_store(service_with_league).league("cup")
    (audit,) = [audit for audit in service_with_league.verify_all() if audit.fault]
    assert audit.stream == stream


def test_a_salvaged_league_lacks_what_was_altered_and_takes_it_from_its_games_again(tmp_path: Path) -> None:
    """Altered here is the result of a round; what followed from it is lost with it."""
    path, new = f"sqlite:///{tmp_path}/games.zim", f"sqlite:///{tmp_path}/new.zim"
    with (service := service_on(path)).store:
        begin(service, "anna", "ben")
        change(service, "pair")
        finish_round(service)
        before = change(service, "record")
        (stream,) = (each for each in service.store.streams() if is_league(service, each))
        last = [*service.store.read(stream)][-1].revision
    with closing(sqlite3.connect(tmp_path / "games.zim", isolation_level=None)) as database:
        where = "originator_id = ? AND originator_version = ?"
        altered = database.execute(f"UPDATE stored_events SET state = x'c1' WHERE {where}", (stream, last))
        assert altered.rowcount == 1
    with (damaged := service_on(path)).store, pytest.raises(DamagedError):
        damaged.league("cup")
    with (damaged := service_on(path)).store:
        assert maintenance.save(damaged.store, new).lost == (stream,)
    with (saved := service_on(new)).store:
        assert saved.check() == ()
        assert saved.league("cup").rounds[0].tables[0].ranks == {}
        after = change(saved, "record")
    assert (after.standings, after.rounds) == (before.standings, before.rounds)


def is_league(service: GameService, stream: str) -> bool:
    return any(isinstance(event, LeagueOpened) for entry in service.store.read(stream) for event in entry.events)


def service_on_store(service: GameService) -> GameService:
    return GameService(service.store, service.clock, games=GAMES)
