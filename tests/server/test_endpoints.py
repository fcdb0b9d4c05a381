"""The server serves exactly the table of endpoints, to the roles in it.

All of it is tried by examples made of the rows (`endpoint_requests.py`): a new row needs no test of its own for that.
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

from tests.server.endpoint_requests import example_body, line_parameters, send_request, stored_rows
from tests.server.game_server import GENEROUS_SETTINGS, Client, GameServer, game_server, service_opener
from zimcore.documents import endpoints
from zimcore.documents.endpoint import EVERYBODY, NO_TOKEN, Endpoint
from zimcore.documents.endpoints import ENDPOINTS
from zimcore.server import app
from zimcore.server.endpoints import line_handlers, routing
from zimcore.server.people import accounts
from zimcore.server.people.access import check_access
from zimcore.server.wire import tokens
from zimcore.server.wire.problem_responses import ProblemError

ROLE_REFUSED = "this is for a"


@contextmanager
def match_with_roles(folder: Path) -> Iterator[tuple[GameServer, dict[str, Client]]]:
    """A game with a visitor of each role: Ann is at a seat, Ben is a bot with its own line."""
    with game_server(folder, "nim", {"seed": "7"}, take_seats=False) as server:
        link = server.host("POST", f"{server.path}/tokens", {"role": "bot", "seat": "ben"}).json()["token"]
        token = server.nobody("POST", "/v1/tokens", {"link": link, "by": "deep-nim"}, key="a-key-of-deep-nim").json()
        server.seats = {"ann": server.sit("ann"), "ben": Client(server.http, token["token"])}
        server.play("take 3")
        assert server.seats["ben"]("POST", f"{server.path}/lines", {"name": "plan"}).status_code == 201
        client_by_role = {"host": server.host, "seat": server.seats["ann"], "bot": server.seats["ben"]}
        yield server, {**client_by_role, "spectator": server.token("spectator"), "auditor": server.token("auditor")}


@pytest.fixture
def server_and_roles(tmp_path: Path) -> Iterator[tuple[GameServer, dict[str, Client]]]:
    with match_with_roles(tmp_path) as match:
        yield match


def clients_without_access(server: GameServer) -> dict[str, Client]:
    """Clients without access: no token, a token of another game or account, and a guess."""
    assert server.host("POST", "/v1/games", {"kind": "nim", "name": "elsewhere"}).status_code == 201
    own_game, server.game = server.game, "elsewhere"
    stranger = server.sit("ben", "somebody")
    server.game = own_game
    return {
        "nobody": server.nobody,
        "stranger": stranger,
        "bob": Client(server.http, accounts.create_token(server.service, "bob").token),
        "liar": Client(server.http, tokens.new_token("seat", server.service.stream_of("k"))),
    }


# Every endpoint is served once.


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


def unserved_or_unknown(rows: Iterable[Endpoint[Any, Any]], application: Litestar) -> list[str]:
    """Methods and addresses in the table or on the server, but not in both."""
    expected_methods = Counter((str(row.method), row.path) for row in rows)
    methods = served_methods(application)
    return [f"{method} {path}" for method, path in sorted((expected_methods - methods) + (methods - expected_methods))]


def test_each_endpoint_is_served_once() -> None:
    assert unserved_or_unknown(ENDPOINTS, app.make_app(service_opener(Path("/nowhere")), GENEROUS_SETTINGS)) == []
    assert len({row.name for row in ENDPOINTS}) == len(ENDPOINTS) > 40


def test_an_endpoint_that_is_not_served_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    complete_app = app.make_app(service_opener(Path("/nowhere")), GENEROUS_SETTINGS)
    rows = [row for row in ENDPOINTS if row is not endpoints.TAG]
    assert unserved_or_unknown(rows, complete_app) == ["PUT /v1/games/{game}/tags/{tag}"], "a handler without a row"
    monkeypatch.setattr(
        app, "ROUTE_HANDLERS", [each for each in app.ROUTE_HANDLERS if each is not line_handlers.tag.route]
    )
    app_without_tags = app.make_app(service_opener(Path("/nowhere")), GENEROUS_SETTINGS)
    assert unserved_or_unknown(ENDPOINTS, app_without_tags) == ["PUT /v1/games/{game}/tags/{tag}"], (
        "a row without a handler"
    )


def test_an_endpoint_cannot_be_served_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    second_handler = routing.handles(endpoints.TAG)(line_handlers.tag.work)
    monkeypatch.setattr(app, "ROUTE_HANDLERS", [*app.ROUTE_HANDLERS, second_handler.route])
    with pytest.raises(ImproperlyConfiguredException):
        app.make_app(service_opener(Path("/nowhere")), GENEROUS_SETTINGS)


# Refused to every role that is not in the row.


def access_faults(server: GameServer, client: Client, role: str) -> list[str]:
    """The endpoints that are not for a role and still answer it with anything but a refusal, or store something.

    The refusal has to be the same for any line, so that it does not reveal which lines exist.
    """
    faults, rows_before = list[str](), stored_rows(server)
    for row in ENDPOINTS:
        if row.roles == NO_TOKEN or role in row.roles:
            continue
        responses = [send_request(client, row, server, **parameters) for parameters in line_parameters(row)]
        refusals = {(each.status_code, each.json().get("title", "")[: len(ROLE_REFUSED)]) for each in responses}
        if refusals != {(403, ROLE_REFUSED)} or len({each.text for each in responses}) != 1:
            faults.append(f"{row.name}: {responses[0].status_code}")
        if stored_rows(server) != rows_before:
            faults.append(f"{row.name}: stored")
            rows_before = stored_rows(server)
    return faults


@pytest.mark.parametrize("role", EVERYBODY)
def test_an_endpoint_is_refused_to_every_role_that_it_is_not_for(server_and_roles: Any, role: str) -> None:
    server, client_by_role = server_and_roles
    assert access_faults(server, client_by_role[role], role) == []


def test_a_row_without_a_check_is_found(server_and_roles: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    server, client_by_role = server_and_roles

    def check_all_but_terms(visitor: Any, row: Endpoint[Any, Any], path: Mapping[str, Any], body: Any) -> None:
        if row is not endpoints.TERMS:
            check_access(visitor, row, path, body)

    monkeypatch.setattr(routing, "check_access", check_all_but_terms)
    assert access_faults(server, client_by_role["spectator"], "spectator") == ["terms: 200", "terms: stored"]


def test_a_refusal_that_stores_something_is_found(server_and_roles: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    server, client_by_role = server_and_roles

    def store_and_refuse(visitor: Any, row: Endpoint[Any, Any], path: Mapping[str, Any], body: Any) -> None:
        try:
            check_access(visitor, row, path, body)
        except ProblemError:
            if row is endpoints.TAG:
                server.service.say("k", "tagged", by="eve")
            raise

    monkeypatch.setattr(routing, "check_access", store_and_refuse)
    assert access_faults(server, client_by_role["auditor"], "auditor") == ["tag: stored"]


@pytest.mark.parametrize("role", EVERYBODY)
def test_an_endpoint_is_not_refused_to_a_role_that_it_is_for(server_and_roles: Any, role: str) -> None:
    server, client_by_role = server_and_roles
    rows = [row for row in ENDPOINTS if row.name != "depart"]  # it leaves the seat, as LEAVE does
    for row in sorted(rows, key=lambda row: row is endpoints.LEAVE):  # after LEAVE the client has no role
        if role in row.roles:
            seat = "ann" if role == "seat" else "ben"
            own_link = {"role": "seat", "seat": seat} if row is endpoints.GIVE_TOKEN else None
            response = send_request(client_by_role[role], row, server, own_link, seat=seat)
            assert response.status_code != 401, row.name
            assert response.status_code < 500, row.name
            assert ROLE_REFUSED not in response.text, row.name


def test_strangers_are_refused_everything(server_and_roles: Any) -> None:
    server, _ = server_and_roles
    strangers = clients_without_access(server)
    rows_before = stored_rows(server)
    for row in ENDPOINTS:
        if "game" not in row.parameters:
            continue
        for name, client in strangers.items():
            response = send_request(client, row, server)
            assert response.status_code in (401, 404), (row.name, name, response.text)
    assert stored_rows(server) == rows_before


# Owned endpoints, and reserved fields.


def test_owned_endpoints_are_refused_to_other_owners(server_and_roles: Any) -> None:
    server, client_by_role = server_and_roles
    owned_rows = [row for row in ENDPOINTS if row.must_own]
    assert {row.must_own for row in owned_rows} == {"line", "seat"}
    rows_before = stored_rows(server)
    for row in owned_rows:
        for role in set(row.roles) - set(row.exempt):
            seat, line = {"seat": ("ben", "ben--plan"), "bot": ("ann", "ann--plan")}.get(role, ("ben", "main"))
            for parameters in ({"seat": seat, "line": line}, {"seat": seat, "line": "main"}):
                response = send_request(client_by_role[role], row, server, **parameters)
                assert response.status_code in (403, 404), (row.name, role, response.text)
    assert stored_rows(server) == rows_before


def test_a_field_that_is_reserved_is_refused_to_others(server_and_roles: Any) -> None:
    server, client_by_role = server_and_roles
    rows_before, refusal_count = stored_rows(server), 0
    for row in ENDPOINTS:
        for field, allowed_roles in row.reserved.items():
            for role in set(row.roles) - set(allowed_roles):
                body = {**example_body(row.request), field: True}
                response = send_request(
                    client_by_role[role], row, server, body, seat="ann" if role == "seat" else "ben"
                )
                assert (response.status_code, response.json()["title"][: len(ROLE_REFUSED)]) == (403, ROLE_REFUSED)
                refusal_count += 1
    assert refusal_count > 1
    assert stored_rows(server) == rows_before


def test_a_request_is_validated_before_its_role(server_and_roles: Any) -> None:
    """The order of checks: the request, the token, the role, the ownership."""
    server, client_by_role = server_and_roles
    for row in ENDPOINTS:
        if row.if_match == "must":
            path = row.path.format(game="k", line="ben--plan")
            for client in (*client_by_role.values(), server.nobody):
                response = client(row.method, path, example_body(row.request))
                assert (response.status_code, response.json()["kind"]) == (428, "if-match"), row.name


def test_no_guard_runs_in_a_thread_of_its_own() -> None:
    """A guard that is no coroutine function runs in a thread: that doubles the time of a read."""
    handlers = [each for each in app.ROUTE_HANDLERS if isinstance(each, HTTPRouteHandler)]
    guards = {guard for handler in handlers for guard in handler.resolve_guards()}
    assert guards
    assert [guard for guard in guards if not iscoroutinefunction(guard)] == []
