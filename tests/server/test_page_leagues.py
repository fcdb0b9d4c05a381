"""Pages of leagues: who sees them and their games, and how a player takes a seat there."""

from __future__ import annotations

import re

import httpx
import pytest

from tests.server.game_server import Client, GameServer
from tests.server.test_pages import filled_form, get_page, send_form
from zimcore.server.people import accounts

STANDING_ROW = re.compile(r"<tr><td>(\d+)\. (\w+).*?</td><td[^>]*>([\d.]+)</td>")


@pytest.fixture
def players(nim_server: GameServer) -> dict[str, Client]:
    """The players of a private league, which is in its second round under a clock, and of a public one."""
    names = {
        name: Client(nim_server.http, accounts.create_token(nim_server.service, name).token)
        for name in ("ada", "bob", "cyd")
    }
    for league, public in (("cup", False), ("gala", True)):
        body = {"name": league, "kind": "nim", "options": {"stones": "4"}, "pace": "3d", "public": public}
        assert nim_server.host("POST", "/v1/leagues", body).status_code == 201
        for player in names:
            change_league(nim_server, league, what="enter", player=player)
        change_league(nim_server, league, what="pair", seed=1)
    ranks = {player: rank for rank, player in enumerate(seats_of(nim_server, "cup-r1-t1").values(), 1)}
    change_league(nim_server, "cup", what="correct", game="cup-r1-t1", ranks=ranks, why="<b>given up</b>")
    change_league(nim_server, "cup", what="pair", seed=1)
    return names


def change_league(nim_server: GameServer, league: str, **body: object) -> httpx.Response:
    response = nim_server.host("POST", f"/v1/leagues/{league}/changes", body)
    assert response.status_code == 200, response.text
    return response


def seats_of(nim_server: GameServer, game: str) -> dict[str, str]:
    (table,) = nim_server.host.get_json(f"/v1/leagues/{game.partition('-')[0]}")["rounds"][-1]["tables"]
    assert table["game"] == game
    return dict(table["seats"])


def test_a_page_of_a_league_agrees_with_its_document(nim_server: GameServer, players: dict[str, Client]) -> None:
    document = nim_server.host.get_json("/v1/leagues/cup")
    page = get_page(nim_server, "/leagues/cup", players["ada"].token).text
    standings = [(str(each["place"]), each["player"], f"{each['points']:.4g}") for each in document["standings"]]
    assert STANDING_ROW.findall(page) == standings
    assert page.index("cup-r2-t1") < page.index("cup-r1-t1"), "the round that is played comes first"
    (table,) = document["rounds"][1]["tables"]
    assert f'datetime="{table["due"].replace("Z", "+00:00")}"' in page
    assert "corrected: &lt;b&gt;given up&lt;/b&gt;" in page
    assert document["rounds"][0]["tables"][0]["due"] is None, "it is over"


def test_visitors_without_an_account_see_only_public_leagues(
    nim_server: GameServer, players: dict[str, Client]
) -> None:
    stranger_page, member_page = (
        get_page(nim_server, "/leagues").text,
        get_page(nim_server, "/leagues", players["ada"].token).text,
    )
    assert ("/leagues/gala" in stranger_page, "/leagues/cup" in stranger_page) == (True, False)
    assert ("/leagues/gala" in member_page, "/leagues/cup" in member_page) == (True, True)
    assert get_page(nim_server, "/leagues/cup").status_code == get_page(nim_server, "/leagues/none").status_code == 404
    assert 'href="/games/gala-r1-t1"' in get_page(nim_server, "/leagues/gala").text
    assert get_page(nim_server, "/games/gala-r1-t1").status_code == 200
    assert 'href="/leagues"' in get_page(nim_server, "/").text


def test_a_player_takes_a_seat_once_on_the_page(nim_server: GameServer, players: dict[str, Client]) -> None:
    seats = seats_of(nim_server, "cup-r2-t1")
    (idle_player,) = {*players} - {*seats.values()}
    assert "/seats" not in get_page(nim_server, "/leagues/cup", players[idle_player].token).text
    seat, player = next(iter(seats.items()))
    token = players[player].token
    form = filled_form(get_page(nim_server, "/leagues/cup", token), "/leagues/cup/seats")
    assert (
        send_form(nim_server, "/leagues/cup/seats", form, token, **{"Sec-Fetch-Site": "cross-site"}).status_code == 403
    )
    response = send_form(nim_server, "/leagues/cup/seats", form, token)
    assert (response.status_code, response.headers["location"]) == (303, f"/games/cup-r2-t1?as={seat}")
    (seat_token,) = re.findall(r"zim_seat_[\w.-]+", response.headers["set-cookie"])
    assert nim_server.service.players("cup-r2-t1") == {seat: player}
    page = get_page(nim_server, "/leagues/cup", token, seat_token).text
    assert f'href="/games/cup-r2-t1?as={seat}"' in page
    assert "/seats" not in page
    assert (
        send_form(nim_server, "/leagues/cup/seats", {**form, "key": "another-key-of-a-form"}, token).status_code == 409
    )


def send_league_form(
    server: GameServer, token: str, path: str, fields: dict[str, str], **headers: str
) -> httpx.Response:
    key = f"a-key-of-a-form-{abs(hash((token, path, *fields.items())))}"
    return send_form(server, path, {"key": key, **fields}, token, **headers)


def test_a_league_is_opened_entered_and_paired_on_its_page(nim_server: GameServer) -> None:
    names = ("ada", "bob", "hanna")
    tokens = {name: accounts.create_token(nim_server.service, name).token for name in names}
    page = get_page(nim_server, "/leagues", tokens["hanna"]).text
    assert "Open the league" in page
    assert "Open the league" not in get_page(nim_server, "/leagues").text
    fields = {"name": "spring", "kind": "nim", "seats": "2", "pairing": "swiss", "rounds": "2", "pace": ""}
    wrong = send_league_form(nim_server, tokens["hanna"], "/leagues", {**fields, "seats": "many"})
    assert wrong.status_code == 422
    assert 'value="spring"' in wrong.text, "what was filled in stays"
    opened = send_league_form(nim_server, tokens["hanna"], "/leagues", fields)
    assert (opened.status_code, opened.headers["location"]) == (303, "/leagues/spring")
    changes = "/leagues/spring/changes"
    for name in ("ada", "bob"):
        assert ">Enter</button>" in get_page(nim_server, "/leagues/spring", tokens[name]).text
        assert send_league_form(nim_server, tokens[name], changes, {"what": "enter"}).status_code == 303
        page = get_page(nim_server, "/leagues/spring", tokens[name]).text
        assert ">Withdraw</button>" in page
        assert "Pair round" not in page
    robot = {"what": "enter", "player": "robo", "bot": "random"}
    assert send_league_form(nim_server, tokens["hanna"], changes, robot).status_code == 303
    assert "Pair round 1" in get_page(nim_server, "/leagues/spring", tokens["hanna"]).text
    assert send_league_form(nim_server, tokens["hanna"], changes, {"what": "pair"}).status_code == 303
    league = nim_server.service.league("spring")
    assert (league.paired, {each.player for each in league.standings}) == (1, {"ada", "bob", "robo"})
    assert send_league_form(nim_server, tokens["ada"], changes, {"what": "withdraw"}).status_code == 303
    refused = send_league_form(nim_server, tokens["hanna"], changes, {"what": "close"})
    assert refused.status_code == 409, "its games go on"
    assert 'class="problem"' in refused.text
    assert "Pair round" in refused.text, "on the page of the league"


def test_only_its_host_changes_a_league_for_others(nim_server: GameServer, players: dict[str, Client]) -> None:
    ada, changes = players["ada"].token, "/leagues/cup/changes"
    for fields in ({"what": "pair"}, {"what": "close"}, {"what": "withdraw", "player": "bob"}):
        assert send_league_form(nim_server, ada, changes, fields).status_code == 403, fields
        assert send_league_form(nim_server, "", changes, fields).status_code == 401, fields
        foreign = send_league_form(nim_server, ada, changes, fields, **{"Sec-Fetch-Site": "cross-site"})
        assert foreign.status_code == 403
    assert not nim_server.service.league("cup").closed
