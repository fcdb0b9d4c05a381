"""Games against programs without an account, from a position of a public game: where allowed, and bounded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.picture.conftest import demo_options_and_moves
from tests.server.deployment import wait_for
from tests.server.game_server import GENEROUS_SETTINGS, Client, GameServer, game_server
from zimcore.games import africana, zimbabwe
from zimcore.server.endpoints import open_games
from zimcore.service import Viewer

OPEN_PLAY_SETTINGS = replace(GENEROUS_SETTINGS, open_play=True)
KEY_NUMBERS = count(1)
MOVES_PLAYED = 60
"""Moves of the game that is watched."""


@contextmanager
def public_match(
    folder: Path, settings: Any = OPEN_PLAY_SETTINGS, game: Any = zimbabwe.GAME, *, public: bool = True
) -> Iterator[GameServer]:
    """A public game that has begun."""
    options, moves = demo_options_and_moves(game)
    with game_server(folder, game.name, options, public=public, take_seats=False, settings=settings) as server:
        for move in moves[:MOVES_PLAYED]:
            server.service.play("k", move, by="anna", viewer=Viewer(None))
        yield server


@pytest.fixture
def server(tmp_path: Path) -> Iterator[GameServer]:
    with public_match(tmp_path) as server:
        yield server


def begin_open_game(server: GameServer, key: str = "", **extra: str) -> Any:
    return server.nobody(
        "POST",
        "/v1/open-games",
        {"game": "k", "seat": "kilwa", **extra},
        key=key or f"a-key-of-a-stranger-{next(KEY_NUMBERS)}",
    )


def test_a_stranger_plays_on_from_a_position_against_programs(server: GameServer) -> None:
    open_game = begin_open_game(server, at="12", by="Zoe").json()
    name = open_game["game"]
    assert (open_game["about"]["seat"], open_game["about"]["name"]) == ("kilwa", "Zoe")
    head = server.service.head(name)
    assert head.commit.digest == server.service.position("k@12").commit.digest, "the same position, by its digest"
    assert set(server.service.bots(name)) == {*head.seats} - {"kilwa"}
    assert server.service.names("k").lines.keys() == {"main"}, "the game that is watched stays as it was"
    player = Client(server.http, open_game["token"])
    assert player.get(f"/v1/games/{name}").status_code == 200
    assert server.nobody.get(f"/v1/games/{name}").status_code == 401, "it is not public"
    wait_for(lambda: server.service.head(name).to_move == ("kilwa",))  # programs play in processes of their own
    text = next(iter(server.service.head(name).legal().texts()))
    move_response = player("POST", f"/v1/games/{name}/lines/main/moves", {"move": text}, head="*")
    assert move_response.status_code == 201, move_response.text


def test_a_retry_gets_the_same_game_and_counts_once(server: GameServer) -> None:
    key = "the-key-of-a-request-that-is-sent-twice"
    first_response, second_response = begin_open_game(server, key), begin_open_game(server, key)
    assert (first_response.status_code, first_response.json()) == (second_response.status_code, second_response.json())
    assert len(server.service.games_hosted_by(open_games.OPEN_PLAY_HOST)) == 1


def test_open_play_is_off_by_default(tmp_path: Path) -> None:
    with public_match(tmp_path, GENEROUS_SETTINGS) as server:
        refusal = begin_open_game(server)
        assert refusal.status_code == 403
        assert "begins no games without an account" in refusal.json()["title"]
        assert not server.service.games_hosted_by(open_games.OPEN_PLAY_HOST)
        assert "Play from here" not in game_page(server)


@pytest.mark.parametrize(
    ("parameters", "status", "message"),
    [
        ({"seat": "nobody"}, 404, "there is no seat 'nobody'"),
        ({"bot": "no-such-program"}, 409, "no-such-program"),
        ({"bot": "deep"}, 422, "with open play, these programs play"),
        ({"at": "9999"}, 404, "9999"),
        ({"line": "secret"}, 404, "there is no line called 'secret'"),
        ({"game": "elsewhere"}, 401, "a token is needed"),
    ],
)
def test_an_invalid_open_game_is_refused_and_not_stored(
    server: GameServer, parameters: dict[str, str], status: int, message: str
) -> None:
    rows_before = [*server.service.store.rows()]
    refusal = begin_open_game(server, **parameters)
    assert message in refusal.text, refusal.text
    assert refusal.status_code == status
    assert [*server.service.store.rows()] == rows_before


def test_a_private_game_allows_no_open_play(tmp_path: Path) -> None:
    with public_match(tmp_path, public=False) as server:
        assert begin_open_game(server).status_code == 401


def test_a_game_with_hidden_cards_allows_no_open_play(tmp_path: Path) -> None:
    with public_match(tmp_path, game=africana.GAME) as server:
        refusal = begin_open_game(server, seat=server.service.head("k").seats[0])
        assert refusal.status_code == 409, refusal.text
        assert "would show what is hidden" in refusal.json()["title"]
        assert "Play from here" not in game_page(server)


def test_an_address_has_a_daily_limit_of_open_games(server: GameServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(open_games.MAX_GAMES_PER_DAY):
        assert begin_open_game(server).status_code == 201
    refusal = begin_open_game(server)
    assert refusal.status_code == 429
    assert refusal.json()["title"] == f"you have begun {open_games.MAX_GAMES_PER_DAY} open games in a day"
    assert 0 < int(refusal.headers["Retry-After"]) <= 86400 / open_games.MAX_GAMES_PER_DAY
    assert len(server.service.games_hosted_by(open_games.OPEN_PLAY_HOST)) == open_games.MAX_GAMES_PER_DAY


def test_open_games_are_limited_in_number_and_time(server: GameServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_games, "MAX_OPEN_GAMES", 2)
    first_game = begin_open_game(server).json()
    assert begin_open_game(server).status_code == 201
    refusal = begin_open_game(server)
    assert (refusal.status_code, refusal.json()["title"]) == (429, "2 open games are played here now")
    assert 0 < int(refusal.headers["Retry-After"]) <= open_games.GAME_LIFETIME.total_seconds()
    monkeypatch.setattr(open_games, "GAME_LIFETIME", timedelta(days=-1))
    monkeypatch.setattr(open_games, "MAX_OPEN_GAMES", 3)
    short_game = begin_open_game(server).json()
    assert Client(server.http, short_game["token"]).get(f"/v1/games/{short_game['game']}").status_code == 401, (
        "the token has expired"
    )
    assert begin_open_game(server).status_code == 201, "there is room again"
    assert not server.service.has_game(short_game["game"]), "an open game that has ended loses its name"
    assert server.service.has_game(first_game["game"])


def game_page(server: GameServer) -> str:
    response = server.http.get("/games/k", headers={"Accept": "text/html"})
    assert response.status_code == 200
    return str(response.text)


def test_a_button_on_the_page_begins_an_open_game(server: GameServer) -> None:
    form = re.findall(
        r'<form id="try-it" action="/games/k/open" method="post">(.*?)</form>', game_page(server), re.DOTALL
    )[0]
    fields = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form))
    form_data = {**fields, "at": "12", "seat": "kilwa", "bot": "quick", "by": "Zoe"}
    same_origin = {"Sec-Fetch-Site": "same-origin", "Accept": "text/html"}
    response = server.http.post("/games/k/open", data=form_data, headers=same_origin, follow_redirects=False)
    assert response.status_code == 303, response.text
    assert re.fullmatch(r"/games/open-[0-9a-f]{16}\?as=kilwa", response.headers["location"])
    assert "HttpOnly" in response.headers["set-cookie"]
    assert (
        server.http.post(
            "/games/k/open", data=form_data, headers={**same_origin, "Sec-Fetch-Site": "cross-site"}
        ).status_code
        == 403
    )


def test_a_stranger_begins_a_new_game_against_programs_in_one_press(server: GameServer) -> None:
    body = {"kind": "africana", "players": "3", "bot": "random", "by": "Zoe"}
    response = server.nobody("POST", "/v1/open-games", body, key="a-new-game-of-a-stranger")
    assert response.status_code == 201, response.text
    head = server.service.head(response.json()["game"])
    assert (head.game.name, len(head.seats)) == ("africana", 3)
    assert set(server.service.bots(head.place)) == {*head.seats} - {response.json()["about"]["seat"]}
    for wrong_body in (
        {"kind": "africana", "players": "9"},
        {"kind": "chess"},
        {"kind": "africana", "bot": "deep"},
        {},
    ):
        refusal = server.nobody("POST", "/v1/open-games", wrong_body, key=f"a-key-{next(KEY_NUMBERS)}-of-a-stranger")
        assert 400 <= refusal.status_code < 500, wrong_body
        assert refusal.json()["title"]
    page = server.http.get("/", headers={"Accept": "text/html"}).text
    assert "Play a program" in page
    assert 'action="/play"' in page


def test_a_server_without_open_play_offers_none(tmp_path: Path) -> None:
    with public_match(tmp_path, GENEROUS_SETTINGS) as server:
        assert "Play a program" not in server.http.get("/", headers={"Accept": "text/html"}).text
