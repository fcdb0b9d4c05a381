"""The server serves exactly the table of endpoints, to the roles in it.

All of it is tried by examples made of the rows (`asking.py`): a new row needs no test of its own for that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from inspect import iscoroutinefunction
from pathlib import Path
from typing import Any

import pytest
from litestar import Litestar
from litestar.exceptions import ImproperlyConfiguredException
from litestar.handlers import HTTPRouteHandler
from litestar.routes import HTTPRoute

from tests.server.asking import addresses, example, send, stored_rows
from tests.server.game_server import GENEROUS, Client, GameServer, game_server, opener
from zimcore.documents import endpoints
from zimcore.documents.endpoints import ENDPOINTS, EVERYBODY, NO_TOKEN, Endpoint
from zimcore.server import accounts, app, discussion_handlers, routing, tokens
from zimcore.server.access import check_may
from zimcore.server.problem_responses import ProblemError

ROLE_REFUSED = "this is for a"


@contextmanager
def match_with_roles(folder: Path) -> Iterator[tuple[GameServer, dict[str, Client]]]:
    """A game with a visitor of each role: Ann is at a seat, Ben is a bot with its own line."""
    with game_server(folder, "nim", {"seed": "7"}, sit=False) as server:
        link = server.host("POST", f"{server.path}/tokens", {"role": "bot", "seat": "ben"}).json()["token"]
        token = server.nobody("POST", "/v1/tokens", {"link": link, "by": "deep-nim"}, key="a-key-of-deep-nim").json()
        server.seats = {"ann": server.sit("ann"), "ben": Client(server.http, token["token"])}
        server.play("take 3")
        assert server.seats["ben"]("POST", f"{server.path}/lines", {"name": "plan"}).status_code == 201
        roles = {"host": server.host, "seat": server.seats["ann"], "bot": server.seats["ben"]}
        yield server, {**roles, "spectator": server.token("spectator"), "auditor": server.token("auditor")}


@pytest.fixture
def game(tmp_path: Path) -> Iterator[tuple[GameServer, dict[str, Client]]]:
    with match_with_roles(tmp_path) as server:
        yield server


def strangers(server: GameServer) -> dict[str, Client]:
    """Clients without access: no token, a token of another game or account, and a guess."""
    assert server.host("POST", "/v1/games", {"kind": "nim", "name": "elsewhere"}).status_code == 201
    here, server.game = server.game, "elsewhere"
    stranger = server.sit("ben", "somebody")
    server.game = here
    return {
        "nobody": server.nobody,
        "stranger": stranger,
        "bob": Client(server.http, accounts.give(server.service, "bob").token),
        "liar": Client(server.http, tokens.new_token("seat", server.service.stream_of("k"))),
    }


# Served once.


def served_methods(application: Litestar) -> Counter[tuple[str, str]]:
    """How often each method of each address is served, of the API."""
    return Counter(
        (str(method), route.path_format)
        for route in application.routes
        if isinstance(route, HTTPRoute) and route.path.startswith("/v1/")
        for handler in route.route_handlers
        if handler.resolve_include_in_schema()
        for method in handler.http_methods
    )


def differences(rows: Iterable[Endpoint[Any, Any]], application: Litestar) -> list[str]:
    """What the table and the server do not agree on."""
    expected = Counter((str(row.method), row.path) for row in rows)
    there = served_methods(application)
    return [f"{method} {path}" for method, path in sorted((expected - there) + (there - expected))]


def test_each_endpoint_is_served_once() -> None:
    assert differences(ENDPOINTS, app.make_app(opener(Path("/nowhere")), GENEROUS)) == []
    assert len({row.name for row in ENDPOINTS}) == len(ENDPOINTS) > 40


def test_an_endpoint_that_is_not_served_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = app.make_app(opener(Path("/nowhere")), GENEROUS)
    rows = [row for row in ENDPOINTS if row is not endpoints.VOTE]
    assert differences(rows, whole) == ["POST /v1/games/{game}/votes"], "a handler without a row"
    monkeypatch.setattr(app, "HANDLERS", [each for each in app.HANDLERS if each is not discussion_handlers.vote.route])
    less = app.make_app(opener(Path("/nowhere")), GENEROUS)
    assert differences(ENDPOINTS, less) == ["POST /v1/games/{game}/votes"], "a row without a handler"


def test_an_endpoint_cannot_be_served_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    twice = routing.handles(endpoints.VOTE)(discussion_handlers.vote.work)
    monkeypatch.setattr(app, "HANDLERS", [*app.HANDLERS, twice.route])
    with pytest.raises(ImproperlyConfiguredException):
        app.make_app(opener(Path("/nowhere")), GENEROUS)


# Refused to every role that it is not for.


def faults_for(server: GameServer, client: Client, role: str) -> list[str]:
    """The endpoints that are not for a role and still answer it with anything but a refusal, or store something.

    The refusal has to be the same for any line, so that it does not reveal which lines exist.
    """
    faults, before = list[str](), stored_rows(server)
    for row in ENDPOINTS:
        if row.who == NO_TOKEN or role in row.who:
            continue
        answers = [send(client, row, server, **named) for named in addresses(row)]
        refused = {(each.status_code, each.json().get("title", "")[: len(ROLE_REFUSED)]) for each in answers}
        if refused != {(403, ROLE_REFUSED)} or len({each.text for each in answers}) != 1:
            faults.append(f"{row.name}: {answers[0].status_code}")
        if stored_rows(server) != before:
            faults.append(f"{row.name}: stored")
            before = stored_rows(server)
    return faults


@pytest.mark.parametrize("role", EVERYBODY)
def test_an_endpoint_is_refused_to_every_role_that_it_is_not_for(game: Any, role: str) -> None:
    server, roles = game
    assert faults_for(server, roles[role], role) == []


def test_a_row_without_a_check_is_seen(game: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    server, roles = game

    def check_all_but_terms(visitor: Any, row: Endpoint[Any, Any], path: Mapping[str, Any], body: Any) -> None:
        if row is not endpoints.TERMS:
            check_may(visitor, row, path, body)

    monkeypatch.setattr(routing, "check_may", check_all_but_terms)
    assert faults_for(server, roles["spectator"], "spectator") == ["terms: 200", "terms: stored"]


def test_a_refusal_that_stores_something_is_seen(game: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    server, roles = game

    def late(visitor: Any, row: Endpoint[Any, Any], path: Mapping[str, Any], body: Any) -> None:
        try:
            check_may(visitor, row, path, body)
        except ProblemError:
            if row is endpoints.VOTE:
                server.service.say("k", "voted", by="eve")
            raise

    monkeypatch.setattr(routing, "check_may", late)
    assert faults_for(server, roles["auditor"], "auditor") == ["vote: stored"]


@pytest.mark.parametrize("role", EVERYBODY)
def test_an_endpoint_is_not_refused_to_a_role_that_it_is_for(game: Any, role: str) -> None:
    server, roles = game
    for row in sorted(ENDPOINTS, key=lambda row: row is endpoints.LEAVE):  # who has left is nobody any more
        if role in row.who:
            answer = send(roles[role], row, server, seat="ann" if role == "seat" else "ben")
            assert answer.status_code != 401, row.name
            assert answer.status_code < 500, row.name
            assert ROLE_REFUSED not in answer.text, row.name


def test_strangers_are_refused_everything(game: Any) -> None:
    server, _ = game
    those = strangers(server)
    before = stored_rows(server)
    for row in ENDPOINTS:
        if "game" not in row.parameters:
            continue
        for who, client in those.items():
            answer = send(client, row, server)
            assert answer.status_code in (401, 404), (row.name, who, answer.text)
    assert stored_rows(server) == before


# Owned, and reserved.


def test_what_has_to_be_ones_own_is_refused_to_others(game: Any) -> None:
    server, roles = game
    owned = [row for row in ENDPOINTS if row.own]
    assert {row.own for row in owned} == {"line", "seat"}
    before = stored_rows(server)
    for row in owned:
        for role in set(row.who) - set(row.free):
            seat, line = {"seat": ("ben", "ben--plan"), "bot": ("ann", "ann--plan")}.get(role, ("ben", "main"))
            for named in ({"seat": seat, "line": line}, {"seat": seat, "line": "main"}):
                answer = send(roles[role], row, server, **named)
                assert answer.status_code in (403, 404), (row.name, role, answer.text)
    assert stored_rows(server) == before


def test_a_field_that_is_reserved_is_refused_to_others(game: Any) -> None:
    server, roles = game
    before, count = stored_rows(server), 0
    for row in ENDPOINTS:
        for field, whose in row.reserved.items():
            for role in set(row.who) - set(whose):
                body = {**example(row.request), field: True}
                answer = send(roles[role], row, server, body, seat="ann" if role == "seat" else "ben")
                assert (answer.status_code, answer.json()["title"][: len(ROLE_REFUSED)]) == (403, ROLE_REFUSED)
                count += 1
    assert count > 1
    assert stored_rows(server) == before


def test_what_is_wrong_with_a_request_comes_before_who_asks(game: Any) -> None:
    """Then the token, then the role, then what is owned."""
    server, roles = game
    for row in ENDPOINTS:
        if row.if_match == "must":
            path = row.path.format(game="k", line="ben--plan")
            for client in (*roles.values(), server.nobody):
                answer = client(row.method, path, example(row.request))
                assert (answer.status_code, answer.json()["kind"]) == (428, "if-match"), row.name


def test_no_request_takes_a_way_over_another_thread_than_that_of_its_worker() -> None:
    """A guard that is no coroutine function runs in a thread: that costs a read as much again as all else."""
    handlers = [each for each in app.HANDLERS if isinstance(each, HTTPRouteHandler)]
    guards = {guard for each in handlers for guard in each.resolve_guards()}
    assert guards
    assert [guard for guard in guards if not iscoroutinefunction(guard)] == []
