"""No response depends on a card that its reader has not seen, or on another seat's private line."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from tests.cli.test_africana_hidden_cards import MOVES, ORIGINAL_DEAL, deal_other_hidden_cards
from tests.server.endpoint_requests import READING_ENDPOINTS, WRITING_ENDPOINTS, send_request
from tests.server.game_server import Client, GameServer, game_server
from zimcore.documents.endpoint import NO_TOKEN
from zimcore.games.africana.rules import setup

ROLES = ("italy", "host", "spectator", "auditor", "nobody")

PROBING_READS = """
{main}?at=2
{main}?at=start
{main}?at=99
{main}?at=r1
{main}?at=zz
{main}/moves?facts=true
{main}/moves?every=true&facts=true
{main}/moves?at=7
{main}/legal?at=2
{main}/legal?beginning=move
{main}/plan?goals=france
{main}/plan?goals=france lagos
{main}/story?at=2
{main}/hint?at=2&nodes=5
{main}/why?what=france.cards
{main}/why?what=france.travel_cards
{main}/why?what=france.hand
{main}/why?what=italy.vp
{main}/why?what=cairo
{main}/why?what=(
{main}/bisect?expression=france.cards > 3
{main}/bisect?expression=france.travel_cards > 2
{main}/bisect?expression=pile < 55
{main}/bisect?expression=seed == 7
{main}/compare?other=@3
{main}/compare?other=@start
{main}/compare?at=2&other=main@7
{main}/compare?other=france--x
{main}/entries?after=1
{main}/entries?after=1&heard=0&noted=0
{main}/feed?after=0.0.0
{main}/feed?after=3.1.0
{main}/feed?after=3.1.1
{game}/lines/x
{game}/lines/mai
{game}/positions/{head}.svg
{game}/positions/{third}
{game}/positions/{third}.svg
{game}/positions/00000000000000000000000000000000
/v1/games/other
/v1/games/other/lines/main
""".strip().splitlines()
"""Requests that might reveal more than those made from the table of endpoints, which are sent as well."""

PROBING_WRITES: list[tuple[str, str, Any, str]] = [
    ("POST", "{main}/moves", {"move": "france: end"}, "{head}"),
    ("POST", "{main}/moves", {"move": "end", "seat": "france"}, "{head}"),
    ("POST", "{main}/moves", {"move": "frob"}, "{head}"),
    ("POST", "{main}/moves", {"move": "move lagos"}, "{head}"),
    ("POST", "{main}/moves", {"move": "move lagos violet"}, "{head}"),
    ("POST", "{main}/moves", {"move": "buy south left"}, "{head}"),
    ("POST", "{main}/moves", {"move": "draw"}, "{third}"),
    ("PUT", "{main}/head", {"steps": -1}, "{third}"),
    ("PUT", "{main}/head", {"steps": -1}, "{head}"),
    ("PUT", "{main}/head", {"steps": -3}, "{head}"),
    ("PUT", "{main}/head", {"to": "2"}, "{head}"),
    ("PUT", "{main}/head", {"to": "end"}, "{head}"),
    ("POST", "{game}/lines", {"name": "x"}, ""),
    ("POST", "{game}/lines", {"name": "x", "at": "2"}, ""),
    ("POST", "{game}/lines", {"name": "x", "line": "france--x"}, ""),
    ("POST", "{game}/lines", {"name": "france--x"}, ""),
    ("POST", "{game}/lines", {"name": "y", "at": "2", "redeal": True}, ""),
    ("PUT", "{game}/lines/france--x/name", {"name": "mine"}, "*"),
    ("PUT", "{game}/lines/main/name", {"name": "mine"}, "*"),
    ("POST", "{game}/lines/france--x/moves", {"move": "draw"}, "*"),
    ("PUT", "{game}/lines/france--x/head", {"steps": -1}, "*"),
    ("POST", "{game}/talk", {"text": "well played"}, ""),
    ("POST", "{game}/talk", {"text": "france has a joker", "own": True}, ""),
    ("POST", "{game}/talk", {"text": "here", "line": "france--x", "at": "2"}, ""),
    ("POST", "{game}/requests", {"steps": 2}, "{third}"),
    ("POST", "{game}/requests", {"steps": 2}, "{head}"),
    ("POST", "{game}/requests", {"steps": 1, "line": "france--x"}, ""),
    ("POST", "{game}/requests", {"at": "3", "move": "draw"}, ""),
    ("PUT", "{game}/requests/1", {"status": "granted"}, ""),
    ("PUT", "{game}/requests/1", {"status": "withdrawn"}, ""),
    ("POST", "{game}/votes", {"what": "end"}, ""),
    ("POST", "{game}/votes", {"what": "bot", "seat": "france"}, ""),
    ("POST", "{main}/amendments", {"at": "3", "move": "draw", "name": "z"}, ""),
    ("POST", "{main}/picks", {"source": "@3"}, "*"),
    ("POST", "{main}/picks", {"source": "france--x@2"}, "*"),
    ("DELETE", "{game}/lines/france--x", None, ""),
    ("DELETE", "{main}", None, ""),
    ("DELETE", "{game}/seats/france", None, ""),
    ("POST", "{game}/tokens", {"role": "spectator"}, ""),
    ("PUT", "{game}/terms", {"pace": "3d"}, ""),
    ("POST", "/v1/games", {"kind": "africana", "options": {"seed": "7"}}, ""),
    ("POST", "/v1/tables", {"kind": "africana", "options": {"seed": "7"}}, ""),
    ("POST", "{main}/moves", {"move": "draw"}, "{head}"),
    ("POST", "{main}/moves", {"move": "end"}, "*"),
    ("POST", "{main}/moves", {"move": "move tangier joker"}, "*"),
]


@contextmanager
def match_with_deal(folder: Path, deal: Callable[..., Any], clock_step: int = 1) -> Iterator[GameServer]:
    """A game of Italy and France after some moves, with a given deal and predictable tokens."""
    folder.mkdir()
    numbers = count(1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(setup, "deal", deal)
        patch.setattr("secrets.token_bytes", lambda size: next(numbers).to_bytes(size))
        with game_server(folder, "africana", {"players": "2", "seed": "7"}, clock_step=clock_step) as server:
            for move in MOVES:
                seat, _, text = move.partition(": ")
                response = server.seats[seat]("POST", f"{server.main}/moves", {"move": text}, head="*")
                assert response.status_code == 201, response.text
            yield server


def clients_by_role(server: GameServer) -> dict[str, Client]:
    """The clients of the visitors, by role."""
    return {
        "italy": server.seats["italy"],
        "host": server.host,
        "spectator": server.token("spectator"),
        "auditor": server.token("auditor"),
        "nobody": server.nobody,
    }


def all_responses(server: GameServer, role: str) -> list[tuple[str, int, str, list[tuple[str, str]]]]:
    """Everything that a visitor can receive: responses with headers, and with digests and ids masked."""
    client, path = clients_by_role(server)[role], server.path
    third_digest = server.service.position(f"{server.game}@3").commit.digest

    def fill_in(text: str) -> str:
        return text.format(game=path, main=server.main, head=server.head(), third=third_digest)

    server.http.app.state.dispatcher.feeds.is_closing = True  # a feed says what it has, and ends
    server.http.headers["Accept-Encoding"] = "identity"  # the digests have the same length, but not when compressed
    responses = [
        (f"{row.name} {line}", send_request(client, row, server, line=line))
        for row in READING_ENDPOINTS
        for line in ("main", "france--x")
    ]
    for question in PROBING_READS:
        responses.append((question, client.get(fill_in(question))))
        responses.append((question, client.get(fill_in(question), Accept="application/x-ndjson")))
    for method, question, body, head in PROBING_WRITES:
        responses.append((f"{method} {question} {body}", client(method, fill_in(question), body, head=fill_in(head))))
    responses += [
        (row.name, send_request(client, row, server, seat="france"))
        for row in WRITING_ENDPOINTS
        if row.roles != NO_TOKEN
    ]
    responses += [(f"{question} then", client.get(fill_in(question))) for question in PROBING_READS]
    responses += [(f"{row.name} then", send_request(client, row, server)) for row in READING_ENDPOINTS]
    return [(question, *response_without_digests(response)) for question, response in responses]


def response_without_digests(response: httpx.Response) -> tuple[int, str, list[tuple[str, str]]]:
    """The response without digests: these are computed from hidden things too, but do not reveal them."""
    return (
        response.status_code,
        mask_digests(response.text),
        [(key, mask_digests(value)) for key, value in response.headers.items()],
    )


def mask_digests(text: str) -> str:
    """A text with masked digests, in hex and in entries, and masked random ids of streams."""
    masked_text = re.sub(r'\["store\.(head_moved\.1|forked\.1|sealed\.\d)","[^"]*"\]', "MOVED", text)
    for kind in ("takeback_requested", "player_left"):
        masked_text = re.sub(rf'(?<="proceedings\.{kind}\.1",")[^"]*', event_without_digests, masked_text)
    masked_text = re.sub(r'"stream":"id\d+', '"stream":"ID', masked_text)
    masked_text = re.sub(r"(?<=ID\.own\.)\w+", "WHOSE", masked_text)
    return re.sub(r"\b[0-9a-f]{32}\b", "DIGEST", masked_text)


def event_without_digests(match: re.Match[str]) -> str:
    """The fields of an event in a row, without digests of commits."""
    event = msgspec.msgpack.decode(base64.b64decode(match[0]))
    return str({name: value for name, value in event.items() if not isinstance(value, bytes)})


@pytest.mark.parametrize("role", ROLES)
def test_other_hidden_cards_change_no_byte(tmp_path: Path, role: str) -> None:
    with match_with_deal(tmp_path / "one", ORIGINAL_DEAL) as server:
        first_responses = all_responses(server, role)
    with match_with_deal(tmp_path / "other", deal_other_hidden_cards) as server:
        other_responses = all_responses(server, role)
    for first_response, other_response in zip(first_responses, other_responses, strict=True):
        assert first_response == other_response
    assert 200 in {status for _, status, *_ in first_responses} or role == "nobody"
    assert not {500, 501, 503} & {status for _, status, *_ in first_responses}


def test_the_two_games_differ_for_a_viewer_who_sees_the_cards(tmp_path: Path) -> None:
    """Shows that the test above can fail."""
    responses = []
    for name, deal in (("one", ORIGINAL_DEAL), ("other", deal_other_hidden_cards)):
        with match_with_deal(tmp_path / name, deal) as server:
            responses.append(
                [
                    response_without_digests(server.seats["france"].get(server.main + path))
                    for path in ("", "/moves?facts=true")
                ]
            )
    assert all(first_response != second_response for first_response, second_response in zip(*responses, strict=True))


def play_private_lines(server: GameServer) -> None:
    """France makes lines of its own and plays there, and makes notes."""
    france = server.seats["france"]
    for text in ("my joker is for lagos", "or for cairo"):
        assert france("POST", f"{server.path}/talk", {"text": text, "own": True}).status_code == 201
    for name in ("x", "what-if", "what-if-1"):
        response = france("POST", f"{server.path}/lines", {"name": name, "at": "1", "redeal": True})
        assert response.status_code == 201, response.text
    line_path = f"{server.path}/lines/france--x"
    assert france("POST", f"{line_path}/moves", {"move": "draw"}, head="*").status_code == 201
    assert france("PUT", f"{line_path}/name", {"name": "secret"}, head="*").status_code == 200
    second_response = france("POST", f"{server.path}/lines", {"name": "x", "at": "2", "redeal": True})
    assert second_response.status_code == 201


@pytest.mark.parametrize("role", ROLES)
def test_lines_of_another_seat_change_no_byte(tmp_path: Path, role: str) -> None:
    with match_with_deal(tmp_path / "one", ORIGINAL_DEAL, clock_step=0) as server:
        first_responses = all_responses(server, role)
    with match_with_deal(tmp_path / "other", ORIGINAL_DEAL, clock_step=0) as server:
        play_private_lines(server)
        other_responses = all_responses(server, role)
    for first_response, other_response in zip(first_responses, other_responses, strict=True):
        assert first_response == other_response
