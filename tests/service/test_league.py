"""Leagues: a change gives events or a refusal, and a season is the same in each kind of store."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import datetime
from fractions import Fraction
from pathlib import Path

import pytest

from event_store import DamagedError, Entry
from tests.service.nim_service import service_on
from zimcore.documents.leagues import LeagueAnswer, LeagueChange, NewLeague
from zimcore.game import GameError, OptionError, UnknownError
from zimcore.service import EVERYTHING, GameService, TakenError
from zimcore.service.care import maintenance
from zimcore.service.lines.line_repository import LineRepository, LoadedLine
from zimcore.service.records.league import (
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
    table_points,
)
from zimcore.service.records.memberships import MemberEvent, Members, TermsSet
from zimcore.service.social.league_commands import with_closing_if_over

KINDS = {"nim": "tests.nim:GAME", "zimbabwe": "zimcore.games.zimbabwe:GAME", "africana": "zimcore.games.africana:GAME"}
LEAGUE_OPENED = LeagueOpened("cup", "nim", {}, "swiss", 2, 2)
THREE_PLAYERS_ENTERED: list[LeagueEvent] = [LEAGUE_OPENED, *map(PlayerEntered, ("anna", "ben", "cem"))]
ROUND_PAIRED = RoundPaired(1, 7, (PairedTable("g1", "5f3a", ("ann", "ben"), ("anna", "ben")),), ("cem",))
RESULT_RECORDED = ResultRecorded("g1", {"anna": 1, "ben": 2}, {}, b"12")
ROUND_DONE: list[LeagueEvent] = [*THREE_PLAYERS_ENTERED, ROUND_PAIRED, RESULT_RECORDED, RoundClosed(1)]


def season_after(*events: LeagueEvent) -> Season:
    return Season().after_all(events)


@pytest.mark.parametrize(
    ("events_before", "event", "reason"),
    [
        ([], PlayerEntered("anna"), "a league is opened once"),
        ([LEAGUE_OPENED], LEAGUE_OPENED, "a league is opened once"),
        ([], LeagueOpened("cup", "nim", {}, "swiss", 3, 2), "no table: 3..2"),
        (THREE_PLAYERS_ENTERED, PlayerEntered("anna"), "anna is in cup already"),
        (THREE_PLAYERS_ENTERED, PlayerEntered("Anna"), "another player is called Anna"),
        (THREE_PLAYERS_ENTERED, PlayerEntered("../x"), "not a name"),
        (THREE_PLAYERS_ENTERED, PlayerWithdrew("dia"), "dia is not in cup"),
        (
            [*THREE_PLAYERS_ENTERED, ROUND_PAIRED],
            RoundPaired(2, 7, ()),
            "round 1 of cup is not over: without a result: g1",
        ),
        (THREE_PLAYERS_ENTERED, RoundPaired(1, 7, ROUND_PAIRED.tables), "can't be paired so"),
        (THREE_PLAYERS_ENTERED, RoundPaired(2, 7, ROUND_PAIRED.tables, ROUND_PAIRED.byes), "can't be paired so"),
        ([*THREE_PLAYERS_ENTERED, ROUND_PAIRED], RoundClosed(1), "can't be closed"),
        ([*THREE_PLAYERS_ENTERED, ROUND_PAIRED], LeagueClosed(), "is not over"),
        (
            [*THREE_PLAYERS_ENTERED, ROUND_PAIRED],
            ResultRecorded("g2", {"anna": 1, "ben": 2}, {}, b""),
            "g2 is no game of cup",
        ),
        (
            [*THREE_PLAYERS_ENTERED, ROUND_PAIRED],
            ResultRecorded("g1", {"anna": 1, "cem": 2}, {}, b""),
            "not the players of g1",
        ),
        ([*THREE_PLAYERS_ENTERED, ROUND_PAIRED], ResultRecorded("g1", {"anna": 1, "ben": 3}, {}, b""), "no ranks"),
        (ROUND_DONE, RESULT_RECORDED, "g1 has a result"),
        (ROUND_DONE, ResultCorrected("g1", {"anna": 2, "ben": 1}, " "), "no reason given"),
        ([*ROUND_DONE, LeagueClosed()], PlayerEntered("dia"), "cup is closed"),
        ([*ROUND_DONE, LeagueClosed()], ResultCorrected("g1", {"anna": 2, "ben": 1}, "won on time"), "cup is closed"),
    ],
)
def test_an_event_that_can_t_follow_is_refused(
    events_before: list[LeagueEvent], event: LeagueEvent, reason: str
) -> None:
    with pytest.raises(GameError, match=reason.replace(".", r"\.")):
        season_after(*events_before).check(event)


def test_the_last_result_closes_its_round() -> None:
    assert with_closing_if_over(season_after(*THREE_PLAYERS_ENTERED, ROUND_PAIRED), [RESULT_RECORDED]) == [
        RESULT_RECORDED,
        RoundClosed(1),
    ]
    assert with_closing_if_over(season_after(*ROUND_DONE), []) == []


def test_a_correction_counts_instead_of_what_was_recorded() -> None:
    season = season_after(*ROUND_DONE, ResultCorrected("g1", {"anna": 2, "ben": 1}, "anna's clock had stopped"))
    assert [(each.player, float(each.points)) for each in season.standings()] == [("ben", 1), ("cem", 1), ("anna", 0)]
    assert season.results["g1"] == RESULT_RECORDED  # the recorded result is not edited


def test_a_correction_counts_for_a_game_that_never_ends() -> None:
    correction = ResultCorrected("g1", {"anna": 1, "ben": 2}, "ben gave up")
    assert with_closing_if_over(season_after(*THREE_PLAYERS_ENTERED, ROUND_PAIRED), [correction]) == [
        correction,
        RoundClosed(1),
    ]


def test_standings_are_by_points_then_wins_then_the_points_of_opponents() -> None:
    """After round 2 cem has beaten anna, who had beaten ben; dia has come late and beaten ben."""
    tables = (
        PairedTable("g2", "5f3b", ("ann", "ben"), ("cem", "anna")),
        PairedTable("g3", "5f3c", ("ann", "ben"), ("ben", "dia")),
    )
    recorded_results = (
        ResultRecorded("g2", {"cem": 1, "anna": 2}, {}, b""),
        ResultRecorded("g3", {"ben": 2, "dia": 1}, {}, b""),
    )
    standings = season_after(
        *ROUND_DONE, PlayerEntered("dia"), RoundPaired(2, 7, tables), *recorded_results
    ).standings()
    assert [(each.player, each.place, float(each.points), each.wins, float(each.opposition)) for each in standings] == [
        ("cem", 1, 2, 1, 1),  # a bye is worth a won game in Swiss, and is no win
        ("anna", 2, 1, 1, 2),
        ("dia", 3, 1, 1, 0),
        ("ben", 4, 0, 0, 2),
    ]


def test_points_of_a_table_are_the_share_of_opponents_behind() -> None:
    ranks = {"anna": 1, "ben": 2, "cem": 2, "dia": 4}
    assert [table_points(ranks, each) for each in ranks] == [Fraction(1), Fraction(1, 2), Fraction(1, 2), Fraction(0)]


def test_a_begun_round_robin_takes_only_players_who_come_back() -> None:
    league_opened = LeagueOpened("cup", "nim", {}, "round-robin", 2, 2)
    season = season_after(league_opened, *THREE_PLAYERS_ENTERED[1:], ROUND_PAIRED, PlayerWithdrew("cem"))
    assert season.active_players == ["anna", "ben"]
    assert season.planned_round_count == 3  # the number of rounds stays as it was at the beginning
    with pytest.raises(GameError, match="dia is too late for cup"):
        season.check(PlayerEntered("dia"))
    assert season.after_all([PlayerEntered("cem", "random")]).entrants["cem"].bot == "random"


def change_league(service: GameService, action: str, **fields: object) -> LeagueAnswer:
    command_id = str(fields.pop("command_id", ""))
    return service.change_league("cup", LeagueChange(action, **fields), by="hanna", command_id=command_id)  # type: ignore[arg-type]


def open_league(service: GameService, *players: str, **fields: object) -> None:
    service.open_league(NewLeague("cup", **{"kind": "nim", **fields}), by="hanna")  # type: ignore[arg-type]
    for player in players:
        change_league(service, "enter", player=player)


def play_to_the_end(service: GameService, game: str) -> None:
    while not (position := service.position(game, EVERYTHING)).outcome.over:
        service.play_or_raise(game, next(iter(position.legal().texts())), by="anna", viewer=EVERYTHING)


def finish_round(service: GameService) -> None:
    for table in service.league("cup").rounds[-1].tables:
        play_to_the_end(service, table.game)


def test_a_season_is_the_same_after_reopening_the_store(store_url: str) -> None:
    with (service := service_on(store_url)).store:
        open_league(service, "anna", "ben", "cem")
        for number in range(3):
            assert len(change_league(service, "pair", seed=number).rounds) == number + 1
            finish_round(service)
        with pytest.raises(GameError, match="cup has no round 4: its season has 3 rounds"):
            change_league(service, "pair")
        closed_league = change_league(service, "close")
        assert closed_league.closed
        assert {each.games for each in closed_league.standings} == {2}
        assert (
            sum(each.points for each in closed_league.standings) == 3 * 1.5
        )  # a game each round, and half a point for the bye
        assert all(
            service.verify(table.game).fault is None
            for league_round in closed_league.rounds
            for table in league_round.tables
        )
        assert service.verify_all() == [service.verify(game) for game in service.game_names()]
        if store_url != "memory:":
            with (reopened_service := service_on(store_url, id_prefix="again")).store:
                assert reopened_service.league("cup") == closed_league
                assert [each.name for each in reopened_service.leagues()] == ["cup"]


@pytest.mark.parametrize(("kind", "seats"), [("zimbabwe", "3"), ("africana", "2"), ("nim", "2..3")])
def test_a_league_knows_no_game(kind: str, seats: str) -> None:
    """Its rounds begin in any game; the options of the league are those of each of its games."""
    service = service_on("memory:", KINDS)
    open_league(service, "anna", "ben", "cem", kind=kind, seats=seats)
    (table,) = change_league(service, "pair").rounds[0].tables
    position = service.position(table.game)
    assert [*table.seats] == [*position.seats]
    assert position.game.name == kind
    assert len(table.seats) == int(seats[-1])


def test_a_pair_sent_again_pairs_once_and_another_with_its_id_is_refused() -> None:
    service = service_on("memory:")
    open_league(service, "anna", "ben")
    first_answer = change_league(service, "pair", seed=1, command_id="k")
    assert change_league(service, "pair", seed=1, command_id="k") == first_answer
    with pytest.raises(TakenError):
        change_league(service, "pair", seed=2, command_id="k")
    assert service.game_names() == ["cup-r1-t1"]


def test_a_round_is_recorded_and_paired_with_its_games_in_one_transaction(monkeypatch: pytest.MonkeyPatch) -> None:
    service, write_sizes = service_on("memory:"), list[int]()
    open_league(service, "anna", "ben", "cem", "dia")
    change_league(service, "pair")
    finish_round(service)
    adopt = service.store.adopt

    def count_and_adopt(entries: Sequence[Entry]) -> object:
        write_sizes.append(len(entries))
        return adopt(entries)

    monkeypatch.setattr(service.store, "adopt", count_and_adopt)
    monkeypatch.setattr(service.store, "append", None)
    change_league(service, "pair")
    assert write_sizes == [2 * 2 + 1 + 1]  # two games, each a line and names; the list of games; the league


def test_two_services_that_pair_at_once_pair_one_round(url: str) -> None:
    """The slower service sees the round of the other and is refused."""
    with (
        (first_service := service_on(url, id_prefix="one")).store,
        (second_service := service_on(url, id_prefix="two")).store,
    ):
        open_league(first_service, "anna", "ben")
        second_service.league("cup")
        change_league(first_service, "pair")
        with pytest.raises(GameError, match="round 1 of cup is not over"):
            change_league(second_service, "pair")
        assert len(second_service.league("cup").rounds) == 1


def test_a_recorded_result_is_that_of_the_game() -> None:
    service = service_on("memory:")
    open_league(service, "anna", "ben")
    (table,) = change_league(service, "pair").rounds[0].tables
    with pytest.raises(GameError, match="without a result: cup-r1-t1"):
        change_league(service, "record")
    play_to_the_end(service, table.game)
    (recorded_table,) = change_league(service, "record").rounds[0].tables
    last_position = service.position(table.game, EVERYTHING)
    assert {player for player, rank in recorded_table.ranks.items() if rank == 1} == {
        table.seats[seat] for seat in last_position.outcome.winners
    }
    assert recorded_table.commit == last_position.commit.digest
    with pytest.raises(GameError, match="there is nothing to record"):
        change_league(service, "record")


def test_a_game_that_goes_on_after_its_result_is_marked_until_it_is_back() -> None:
    service = service_on("memory:")
    open_league(service, "anna", "ben")
    change_league(service, "pair")
    finish_round(service)
    league_before = change_league(service, "record")
    service.undo("cup-r1-t1", by="anna", viewer=EVERYTHING)
    (table,) = service.league("cup").rounds[0].tables
    assert table.changed
    assert table.ranks == league_before.rounds[0].tables[0].ranks
    service.redo("cup-r1-t1", by="anna", viewer=EVERYTHING)
    assert service.league("cup") == league_before
    service.delete("cup-r1-t1", by="anna", viewer=EVERYTHING)
    assert service.league("cup").rounds[0].tables[0].changed


def test_only_games_that_have_moved_on_are_replayed_for_their_deadlines(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened_games, original_line = list[str](), LineRepository.line

    def note_and_open(repository: LineRepository, match: str, *args: str) -> LoadedLine:
        opened_games.append(match)
        return original_line(repository, match, *args)

    def deadlines(service: GameService) -> dict[str, datetime | None]:
        return {table.game: table.due for table in service.league("cup").rounds[0].tables}

    def one_hour_pace(_: Members) -> list[MemberEvent]:
        return [TermsSet(pace=3600)]

    with (service := service_on(url)).store, (other_service := service_on(url, id_prefix="other")).store:
        open_league(service, "anna", "ben", "cem", "dia", pace="3d")
        change_league(service, "pair")
        deadlines_before = deadlines(service)
        assert all(deadlines_before.values())
        monkeypatch.setattr(LineRepository, "line", note_and_open)
        assert (deadlines(service), opened_games) == (deadlines_before, [])
        other_service.play_or_raise("cup-r1-t1", "take 1", by="anna", viewer=EVERYTHING)
        opened_games.clear()
        deadlines_after = deadlines(service)
        assert opened_games == ["cup-r1-t1"]
        assert deadlines_after == deadlines(other_service)
        other_service.change_members("cup-r1-t2", one_hour_pace, by="hanna")
        opened_games.clear()
        assert deadlines(service)["cup-r1-t2"] != deadlines_before["cup-r1-t2"]
        assert opened_games == ["cup-r1-t2"]
        other_service.change_members("cup-r1-t2", lambda _: [TermsSet(pace=3600, behind=60)], by="hanna")
        assert deadlines(service)["cup-r1-t2"] is None, "a deadline would reveal the time of the last move"


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"seats": "4"}, "how many take from it|players"),
        ({"seats": "two"}, "give the number of players at a table"),
        ({"options": {"seed": "7"}}, "dealt anew"),
        ({"options": {"seed": ""}}, "dealt anew"),
        ({"options": {"players": "2"}}, "is called seats"),
        ({"bank": "3d"}, "beyond the pace"),
        ({"name": "a b"}, "not a name"),
    ],
)
def test_a_league_that_could_not_begin_a_game_is_not_opened(fields: dict[str, object], reason: str) -> None:
    service = service_on("memory:")
    with pytest.raises((OptionError, GameError), match=reason):
        service.open_league(NewLeague(**{"name": "cup", "kind": "nim", **fields}), by="hanna")  # type: ignore[arg-type]
    assert service.leagues() == []


def test_a_name_of_a_league_is_taken_once() -> None:
    service = service_on("memory:")
    open_league(service)
    with pytest.raises(UnknownError, match="there is a league called 'cup' already"):
        open_league(service)
    with pytest.raises(UnknownError, match="there is no league called 'cap'"):
        service.league("cap")


def test_an_export_brings_the_league_along() -> None:
    service, new_service = service_on("memory:"), service_on("memory:", id_prefix="new")
    open_league(service, "anna", "ben")
    change_league(service, "pair")
    finish_round(service)
    league_before = change_league(service, "close")
    assert new_service.import_(service.export(), by="hanna").entries > 0
    assert new_service.league("cup") == league_before


@pytest.fixture
def service_with_league() -> GameService:
    service = service_on("memory:")
    open_league(service, "anna", "ben")
    return service


def test_a_stored_result_that_can_t_follow_is_damage(service_with_league: GameService) -> None:
    """Planted: a result of a game that was never paired, written past the service."""
    stream = next(each for each in service_with_league.store.streams() if is_league_stream(service_with_league, each))
    last_revision = [*service_with_league.store.read(stream)][-1].revision
    service_with_league.store.append(stream, last_revision, [RESULT_RECORDED], by="eve", at=service_with_league.clock())
    with pytest.raises(DamagedError, match="g1 is no game of cup"):
        reopen(service_with_league).league("cup")
    (audit,) = [audit for audit in service_with_league.verify_all() if audit.fault]
    assert audit.stream == stream


def test_a_salvaged_league_records_an_altered_result_again(tmp_path: Path) -> None:
    """The result of a round is altered; the events after it are lost with it."""
    url, new_url = f"sqlite:///{tmp_path}/games.zim", f"sqlite:///{tmp_path}/new.zim"
    with (service := service_on(url)).store:
        open_league(service, "anna", "ben")
        change_league(service, "pair")
        finish_round(service)
        league_before = change_league(service, "record")
        (stream,) = (each for each in service.store.streams() if is_league_stream(service, each))
        last_revision = [*service.store.read(stream)][-1].revision
    with closing(sqlite3.connect(tmp_path / "games.zim", isolation_level=None)) as database:
        condition = "originator_id = ? AND originator_version = ?"
        update = database.execute(f"UPDATE stored_events SET state = x'c1' WHERE {condition}", (stream, last_revision))
        assert update.rowcount == 1
    with (damaged_service := service_on(url)).store, pytest.raises(DamagedError):
        damaged_service.league("cup")
    with (damaged_service := service_on(url)).store:
        assert maintenance.save_intact_streams(damaged_service.store, new_url).lost == (stream,)
    with (saved_service := service_on(new_url)).store:
        assert saved_service.check() == ()
        assert saved_service.league("cup").rounds[0].tables[0].ranks == {}
        league_after = change_league(saved_service, "record")
    assert (league_after.standings, league_after.rounds) == (league_before.standings, league_before.rounds)


def is_league_stream(service: GameService, stream: str) -> bool:
    return any(isinstance(event, LeagueOpened) for entry in service.store.read(stream) for event in entry.events)


def reopen(service: GameService) -> GameService:
    return GameService(service.store, service.clock, games=KINDS)
