"""Leagues on a server: a season of four programs over HTTP, and who may do what."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from event_store import EventStore, StoreError
from tests.remote.loopback_server import GAMES_BY_KIND, LoopbackServer, loopback_server
from tests.server.deployment import wait_for
from zimcore.documents.leagues import LeagueAnswer, LeagueChange, NewLeague
from zimcore.features.votes.actions import vote
from zimcore.features.votes.documents import NewVote
from zimcore.game import GameError, Seat
from zimcore.remote.invitations import join_league
from zimcore.remote.service import RemoteService
from zimcore.server.endpoints import league_handlers
from zimcore.server.people import accounts
from zimcore.service import TABLE, GameService, Viewer
from zimcore.service.proofs import certificates

PLAYER_NAMES = ("ada", "bob", "cyd", "dee")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[LoopbackServer]:
    with loopback_server(tmp_path) as server:
        yield server


def join_with_account(server: LoopbackServer, name: str) -> RemoteService:
    """The client of a person with an account."""
    return server.person(name, f"{server.url}/join#{accounts.create_token(server.service, name).token}")


def change_league(client: RemoteService, action: str, **fields: object) -> LeagueAnswer:
    return client.change_league("cup", LeagueChange(action, **fields), by="whoever")  # type: ignore[arg-type]


def play_first_legal_move(client: RemoteService, game: str, seat: Seat) -> bool:
    """Plays the first legal command if it is the turn of the seat; returns whether the game is over."""
    position = client.head(game, Viewer(seat))
    if seat in position.to_move:
        client.play_or_raise(
            game, next(iter(position.legal(seat).texts())), seat=seat, by="program", viewer=Viewer(seat)
        )
    return client.head(game, TABLE).outcome.over


def test_a_season_of_four_programs_over_http_and_each_game_with_its_certificate(server: LoopbackServer) -> None:
    host, clients = server.host(), {name: join_with_account(server, name) for name in PLAYER_NAMES}
    host.open_league(NewLeague("cup", "nim", {"stones": "4"}), by="hanna")
    for client in clients.values():
        change_league(client, "enter")
    for number in (1, 2, 3):
        assert change_league(host, "pair").paired == number
        seats = {
            (name, credential.game): credential.seat
            for name, client in clients.items()
            for credential in join_league(client, server.folders(name), "cup")
        }
        assert len(seats) == 4
        for (name, game), seat in [*seats.items()] * 4:
            play_first_legal_move(clients[name], game, seat)
        assert all(play_first_legal_move(clients[name], game, seat) for (name, game), seat in seats.items())
    closed_league = change_league(host, "close")
    assert closed_league.closed
    assert sorted(each.player for each in closed_league.standings) == [*PLAYER_NAMES]
    assert {each.games for each in closed_league.standings} == {3}
    assert sum(each.points for each in closed_league.standings) == 6
    for table in (table for league_round in closed_league.rounds for table in league_round.tables):
        name = next(iter(table.seats.values()))
        certificate = certificates.to_bytes(clients[name].certificate(table.game))
        audit = certificates.verify_certificate(certificates.read_certificate(certificate), GAMES_BY_KIND)
        assert (audit.fault, audit.digest) == (None, table.commit)
    assert clients["ada"].league("cup") == server.service.league("cup")


@pytest.mark.parametrize(
    ("kind", "options", "bot"),
    # At random a game of Africana may take thousands of commands.
    [("nim", {}, "random"), ("zimbabwe", {"max_rounds": "1"}, "random"), ("africana", {}, "peer")],
)
def test_programs_of_the_server_play_a_season_as_soon_as_it_is_paired(
    server: LoopbackServer, kind: str, options: dict[str, str], bot: str
) -> None:
    host = server.host()
    host.open_league(NewLeague("cup", kind, options), by="hanna")
    for name in ("one", "two"):
        change_league(host, "enter", player=name, bot=bot)
    (table,) = change_league(host, "pair").rounds[0].tables
    assert set(server.service.names(table.game).bots.values()) == {bot}
    wait_for(lambda: server.service.head(table.game).outcome.over)
    closed_league, outcome = change_league(host, "close"), server.service.head(table.game).outcome
    assert [each.player for each in closed_league.standings if each.place == 1] == [
        table.seats[seat] for seat in outcome.winners
    ]
    assert closed_league.rounds[0].tables[0].scores == {
        player: outcome.scores.get(seat) for seat, player in table.seats.items()
    }
    assert server.service.verify(table.game).fault is None


def test_a_host_has_at_most_so_many_leagues(server: LoopbackServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(league_handlers, "MAX_LEAGUES", 1)
    host = server.host()
    host.open_league(NewLeague("cup", "nim"), by="hanna")
    with pytest.raises(StoreError, match="you have 1 leagues") as error:
        host.open_league(NewLeague("cap", "nim"), by="hanna")
    assert error.value.hints == ("league",)
    assert [each.name for each in host.leagues()] == ["cup"]


def test_a_game_that_its_players_ended_counts_as_it_stands(server: LoopbackServer) -> None:
    """The league was opened two days ago, with an hour for each turn: so one of them votes."""
    start_time = datetime.now(UTC) - timedelta(days=2)
    with EventStore.open(f"sqlite:///{server.folder}/games.zim") as store:
        past_service = GameService(store, lambda: start_time, games=GAMES_BY_KIND)
        past_service.open_league(NewLeague("cup", "nim", pace="1h"), host="hanna", by="hanna")
        for action, player in (("enter", "ada"), ("enter", "bob"), ("pair", "")):
            league = past_service.change_league("cup", LeagueChange(action, player), by="hanna")  # type: ignore[arg-type]
    (table,) = league.rounds[0].tables
    assert table.due == start_time + timedelta(hours=1)
    clients = {name: join_with_account(server, name) for name in ("ada", "bob")}
    clients_by_seat = {
        credential.seat: client
        for name, client in clients.items()
        for credential in join_league(client, server.folders(name), "cup")
    }
    (late_seat,) = server.service.head(table.game).to_move
    (seat,) = {*clients_by_seat} - {late_seat}
    assert (
        clients_by_seat[seat].change(vote, NewVote("end"), table.game, by=table.seats[seat], viewer=Viewer(seat)).ended
    )
    recorded_league = change_league(clients_by_seat[seat], "record")
    (ended_table,) = recorded_league.rounds[0].tables
    assert (ended_table.ended, ended_table.due, ended_table.ranks) == (True, None, {"ada": 1, "bob": 1})
    assert ended_table.remarks == ("its players ended it early: it counts as it stood",)
    assert [each.points for each in recorded_league.standings] == [0.5, 0.5]


def check_refused(client: RemoteService, action: str, reason: str, **fields: object) -> None:
    with pytest.raises(GameError, match=reason):
        change_league(client, action, **fields)


def test_players_enter_themselves_and_all_else_is_for_the_host(server: LoopbackServer) -> None:
    host, ada = server.host(), join_with_account(server, "ada")
    host.open_league(NewLeague("cup", "nim"), by="hanna")
    rows_before = [*server.service.store.rows()]
    for action, fields in (
        ("enter", {"player": "bob"}),
        ("enter", {"bot": "random"}),
        ("withdraw", {"player": "hanna"}),
        ("pair", {}),
        ("correct", {"game": "g", "ranks": {"ada": 1}, "why": "I won"}),
        ("close", {}),
    ):
        check_refused(ada, action, "only the host may do this", **fields)
    assert [*server.service.store.rows()] == rows_before
    assert [each.player for each in change_league(ada, "enter").standings] == ["ada"]
    assert change_league(ada, "withdraw").standings[0].withdrawn
    server.begin_game("nim", {})
    with pytest.raises(GameError, match="you have no seat in 'k': you have no game in cup"):
        request_seat(ada, "k")


def request_seat(client: RemoteService, game: str) -> None:
    from zimcore.documents import endpoints
    from zimcore.documents.leagues import LeagueSeat
    from zimcore.remote.connection import new_idempotency_key

    token = client.credentials()[0].token
    client.connection.ask(endpoints.LEAGUE_SEAT, LeagueSeat(game), token, new_idempotency_key(), league="cup")


def test_another_player_s_seat_is_not_given(server: LoopbackServer) -> None:
    host, ada, bob, cyd = server.host(), *(join_with_account(server, name) for name in PLAYER_NAMES[:3])
    host.open_league(NewLeague("cup", "nim"), by="hanna")
    for client in (ada, bob):
        change_league(client, "enter")
    (table,) = change_league(host, "pair").rounds[0].tables
    with pytest.raises(GameError, match=r"you have no seat in .*: you have no game in cup"):
        request_seat(cyd, table.game)
    with pytest.raises(GameError, match="you have no seat in 'other': you play other games in cup"):
        request_seat(ada, "other")
    assert join_league(cyd, server.folders("cyd"), "cup") == []
    (credential,) = join_league(ada, server.folders("ada"), "cup")
    assert table.seats[credential.seat] == "ada"
    assert join_league(ada, server.folders("ada"), "cup") == []  # she sits there already
    with pytest.raises(GameError, match="taken"):
        request_seat(ada, table.game)


def test_a_private_league_is_not_there_for_those_without_an_account(server: LoopbackServer) -> None:
    host = server.host()
    host.open_league(NewLeague("cup", "nim"), by="hanna")
    host.open_league(NewLeague("gala", "nim", public=True), by="hanna")
    server.begin_game("nim", {})
    player, stranger = server.sit("ann"), server.person("stan")
    assert [each.name for each in join_with_account(server, "ada").leagues()] == ["cup", "gala"]
    assert [each.name for each in player.leagues()] == ["gala"]
    with pytest.raises(GameError, match="there is no league called 'cup'"):
        player.league("cup")
    assert stranger.leagues() == []
    with pytest.raises(GameError, match="no account"):
        change_league(player, "enter")


def test_a_league_shows_nothing_of_a_game_that_goes_on(server: LoopbackServer) -> None:
    """Hidden cards, scores and the position: for a game without a result, only the seats and players are shown."""
    host = server.host()
    host.open_league(NewLeague("cup", "africana"), by="hanna")
    for name in ("ada", "bob"):
        change_league(host, "enter", player=name)
    (table_before,) = change_league(host, "pair").rounds[0].tables
    for _ in range(3):
        position = server.service.head(table_before.game)
        (seat,) = position.to_move
        server.service.play_or_raise(
            table_before.game, next(iter(position.legal().texts())), seat=seat, by="ada", viewer=Viewer(seat)
        )
    (table,) = host.league("cup").rounds[0].tables
    assert (table.ranks, table.scores, table.commit) == ({}, {}, "")
    assert table == table_before
