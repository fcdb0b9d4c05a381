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

from tests.picture.conftest import demo_line
from tests.server.game_server import GENEROUS, Client, GameServer, game_server
from tests.server.network import wait_for
from zimcore.games import africana, zimbabwe
from zimcore.server import open_games
from zimcore.service import Viewer

OPEN = replace(GENEROUS, open_play=True)
KEYS = count(1)
AT = 60
"""Moves of the game that is watched."""


@contextmanager
def public_match(
    folder: Path, settings: Any = OPEN, game: Any = zimbabwe.GAME, *, public: bool = True
) -> Iterator[GameServer]:
    """A public game that has begun."""
    options, moves = demo_line(game)
    with game_server(folder, game.name, options, public=public, sit=False, settings=settings) as server:
        for move in moves[:AT]:
            server.service.play("k", move, by="anna", viewer=Viewer(None))
        yield server


@pytest.fixture
def here(tmp_path: Path) -> Iterator[GameServer]:
    with public_match(tmp_path) as server:
        yield server


def begin(server: GameServer, key: str = "", **extra: str) -> Any:
    return server.nobody(
        "POST",
        "/v1/open-games",
        {"game": "k", "seat": "kilwa", **extra},
        key=key or f"a-key-of-a-stranger-{next(KEYS)}",
    )


def test_a_stranger_goes_on_from_a_position_against_programs(here: GameServer) -> None:
    game = begin(here, at="12", by="Zoe").json()
    name = game["game"]
    assert (game["about"]["seat"], game["about"]["name"]) == ("kilwa", "Zoe")
    head = here.service.head(name)
    assert head.commit.digest == here.service.position("k@12").commit.digest, "the same position, by its digest"
    assert set(here.service.bots(name)) == {*head.seats} - {"kilwa"}
    assert here.service.names("k").lines.keys() == {"main"}, "the game that is watched stays as it was"
    player = Client(here.http, game["token"])
    assert player.get(f"/v1/games/{name}").status_code == 200
    assert here.nobody.get(f"/v1/games/{name}").status_code == 401, "it is not public"
    wait_for(lambda: here.service.head(name).to_move == ("kilwa",))  # programs play in processes of their own
    text = next(iter(here.service.head(name).legal().texts()))
    played = player("POST", f"/v1/games/{name}/lines/main/moves", {"move": text}, head="*")
    assert played.status_code == 201, played.text


def test_a_retry_gets_the_same_game_and_counts_once(here: GameServer) -> None:
    key = "the-key-of-a-request-that-is-sent-twice"
    first, second = begin(here, key), begin(here, key)
    assert (first.status_code, first.json()) == (second.status_code, second.json())
    assert len(here.service.games_hosted_by(open_games.HOST)) == 1


def test_no_server_offers_it_unless_its_operator_says_so(tmp_path: Path) -> None:
    with public_match(tmp_path, GENEROUS) as server:
        refusal = begin(server)
        assert refusal.status_code == 403
        assert "begins no games without an account" in refusal.json()["title"]
        assert not server.service.games_hosted_by(open_games.HOST)
        assert "Play from here" not in page(server)


@pytest.mark.parametrize(
    ("more", "status", "message"),
    [
        ({"seat": "nobody"}, 404, "there is no seat 'nobody'"),
        ({"bot": "no-such-program"}, 409, "no-such-program"),
        ({"bot": "deep"}, 422, "with open play, these programs play"),
        ({"at": "9999"}, 404, "9999"),
        ({"line": "secret"}, 404, "there is no line called 'secret'"),
        ({"game": "elsewhere"}, 401, "a token is needed"),
    ],
)
def test_what_there_is_not_is_refused_and_nothing_is_stored(
    here: GameServer, more: dict[str, str], status: int, message: str
) -> None:
    before = [*here.service.store.rows()]
    refusal = begin(here, **more)
    assert message in refusal.text, refusal.text
    assert refusal.status_code == status
    assert [*here.service.store.rows()] == before


def test_a_private_game_is_nothing_to_go_on_from(tmp_path: Path) -> None:
    with public_match(tmp_path, public=False) as server:
        assert begin(server).status_code == 401


def test_hidden_cards_stay_hidden(tmp_path: Path) -> None:
    with public_match(tmp_path, game=africana.GAME) as server:
        refusal = begin(server, seat=server.service.head("k").seats[0])
        assert refusal.status_code == 409, refusal.text
        assert "would show what is hidden" in refusal.json()["title"]
        assert "Play from here" not in page(server)


def test_an_address_begins_so_many_games_a_day_and_is_told_when_it_may_go_on(
    here: GameServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(open_games.A_DAY):
        assert begin(here).status_code == 201
    refusal = begin(here)
    assert refusal.status_code == 429
    assert refusal.json()["title"] == f"you have begun {open_games.A_DAY} open games in a day"
    assert 0 < int(refusal.headers["Retry-After"]) <= 86400 / open_games.A_DAY
    assert len(here.service.games_hosted_by(open_games.HOST)) == open_games.A_DAY


def test_so_many_games_are_open_at_once_and_each_has_a_life(here: GameServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_games, "AT_ONCE", 2)
    first = begin(here).json()
    assert begin(here).status_code == 201
    refusal = begin(here)
    assert (refusal.status_code, refusal.json()["title"]) == (429, "2 open games are played here now")
    assert 0 < int(refusal.headers["Retry-After"]) <= open_games.LIFE.total_seconds()
    monkeypatch.setattr(open_games, "LIFE", timedelta(days=-1))
    monkeypatch.setattr(open_games, "AT_ONCE", 3)
    short = begin(here).json()
    assert Client(here.http, short["token"]).get(f"/v1/games/{short['game']}").status_code == 401, "its time is over"
    assert begin(here).status_code == 201, "there is room again"
    assert not here.service.has_game(short["game"]), "what nobody can play has no name"
    assert here.service.has_game(first["game"])


def page(server: GameServer) -> str:
    answer = server.http.get("/games/k", headers={"Accept": "text/html"})
    assert answer.status_code == 200
    return str(answer.text)


def test_the_page_of_a_public_game_begins_one_with_a_button(here: GameServer) -> None:
    form = re.findall(r'<form id="try-it" action="/games/k/open" method="post">(.*?)</form>', page(here), re.DOTALL)[0]
    fields = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form))
    sent = {**fields, "at": "12", "seat": "kilwa", "bot": "quick", "by": "Zoe"}
    there = {"Sec-Fetch-Site": "same-origin", "Accept": "text/html"}
    answer = here.http.post("/games/k/open", data=sent, headers=there, follow_redirects=False)
    assert answer.status_code == 303, answer.text
    assert re.fullmatch(r"/games/open-[0-9a-f]{16}\?as=kilwa", answer.headers["location"])
    assert "HttpOnly" in answer.headers["set-cookie"]
    assert (
        here.http.post("/games/k/open", data=sent, headers={**there, "Sec-Fetch-Site": "cross-site"}).status_code == 403
    )
