"""Attacks tokens: expired, revoked and made-up ones, and those of another seat, game or purpose.

With them no endpoint may answer more than that the token is not valid, or that there is no such game; nothing is
stored.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import product
from typing import Any

from scripts.attacks.attack_target import Breach, ReportOutcome, Target
from tests.server.endpoint_requests import WRITING_ENDPOINTS, send_request, stored_rows
from tests.server.game_server import Client, GameServer, game_server
from tests.server.test_access import WRITES_AGAINST_BEN
from zimcore.documents.endpoint import NO_TOKEN, Endpoint
from zimcore.documents.endpoints import ENDPOINTS
from zimcore.server.people import accounts
from zimcore.server.wire import tokens

GAME_ENDPOINTS = [row for row in ENDPOINTS if row.roles != NO_TOKEN and "game" in row.parameters]
ACCOUNT_ENDPOINTS = [row for row in ENDPOINTS if row.roles != NO_TOKEN and "game" not in row.parameters]
REFUSALS = (401, 403, 404)
MOMENT = 1e-6
"""Days that pass before the next request: the clock of the server ticks by seconds."""
AnyEndpoint = Endpoint[Any, Any]


def use_foreign_tokens(target: Target, tries: int, report: ReportOutcome) -> None:
    """Asks endpoints with tokens that are not for them: each token at each endpoint, or a sample of these pairs."""
    rng = random.Random(14)
    with game_server(target.new_folder("tokens"), "nim", {"seed": "7"}) as server:
        check_control(server)
        clients = useless_clients(server)
        pairs = [*product(clients, GAME_ENDPOINTS), *product(INVALID_TOKENS & clients.keys(), ACCOUNT_ENDPOINTS)]
        rows_before = stored_rows(server)
        for kind, row in sorted(rng.sample(pairs, min(tries, len(pairs))), key=lambda pair: pair[0]):
            response = send_request(clients[kind], row, server)
            if response.status_code not in REFUSALS:
                raise Breach(f"{row.name} with {kind}: {response.status_code} {response.text[:80]}")
            report(f"answered {response.status_code}")
        check_unchanged(server, rows_before, "a token that is not valid")
        write_without_right(server, rng, tries, report)


def check_control(server: GameServer) -> None:
    """Raises `Breach` if a genuine token gets no answer: then the attack shows nothing."""
    for client in (server.host, server.seats["ann"], server.token("spectator")):
        if client.get(server.main).status_code != 200:
            raise Breach("a valid token is refused: this attack shows nothing")


def useless_clients(server: GameServer) -> dict[str, Client]:
    """Clients with tokens that are not valid in the game, by the kind of token."""
    texts = {
        "a seat that was left": left_seat(server),
        "an expired token": create_token(server, "spectator", MOMENT),
        "an expired auditor's": create_token(server, "auditor", MOMENT),
        "an expired account": accounts.create_token(server.service, "hanna", days=-1).token,
        "a revoked token": revoked_token(server),
        "a revoked account": revoked_account(server),
        "a link": create_token(server, "seat", seat="ben"),
        "a made-up seat": tokens.new_token("seat", server.service.stream_of(server.game)),
        "a made-up account": tokens.new_token("host"),
        "the seat of another game": token_of_another_game(server),
        "another account": accounts.create_token(server.service, "bob").token,
    }
    spectator, stream = create_token(server, "spectator"), server.service.stream_of(server.game)
    for kind in ("seat", "bot", "auditor", "host"):
        altered_text = spectator.replace("zim_spectator", f"zim_{kind}")
        texts[f"a spectator's as {kind}"] = altered_text.replace(f"_{stream}", "") if kind == "host" else altered_text
    return {kind: Client(server.http, text) for kind, text in texts.items()}


INVALID_TOKENS = {
    "an expired token",
    "an expired auditor's",
    "an expired account",
    "a revoked token",
    "a revoked account",
    "a seat that was left",
    "a made-up seat",
    "a made-up account",
}
"""Tokens that are valid nowhere, not even for the sender's own list of games."""


def create_token(server: GameServer, role: str, days: float | None = None, seat: str = "") -> str:
    """The text of a new token or link."""
    return str(answer_of_creation(server, role, days, seat)["token"])


def answer_of_creation(server: GameServer, role: str, days: float | None = None, seat: str = "") -> Mapping[str, Any]:
    """The answer to the host who makes a token or link."""
    body = {"role": role, "seat": seat, **({"days": days} if days else {})}
    response = server.host("POST", f"{server.path}/tokens", body)
    if response.status_code != 201:
        raise Breach(f"no token for a {role}: {response.text}")
    answer: Mapping[str, Any] = response.json()
    return answer


def revoked_token(server: GameServer) -> str:
    """The token of an auditor, which the host has revoked."""
    answer = answer_of_creation(server, "auditor")
    server.host("DELETE", f"{server.path}/tokens/{answer['about']['id']}")
    return str(answer["token"])


def revoked_account(server: GameServer) -> str:
    """A second token of the host's account, which was revoked."""
    token_text = accounts.create_token(server.service, "hanna").token
    accounts.revoke(server.service, tokens.id_of(token_text), by="hanna")
    return token_text


def left_seat(server: GameServer) -> str:
    """The token of Ben's player, who has left. A link to his seat that expired is tried, too."""
    server.seats["ben"]("DELETE", f"{server.path}/seats/ben")
    expired_link = create_token(server, "seat", MOMENT, "ben")
    response = server.nobody("POST", "/v1/tokens", {"link": expired_link, "by": "late"}, key="a-key-of-somebody-late")
    if response.status_code not in REFUSALS:
        raise Breach(f"an expired link gives a seat: {response.text[:80]}")
    return server.seats["ben"].token


def token_of_another_game(server: GameServer) -> str:
    """The token of a player in another game."""
    with other_game(server, "elsewhere"):
        return server.sit("ben", "stranger").token


@contextmanager
def other_game(server: GameServer, name: str) -> Iterator[None]:
    """Makes another game of the host the one that requests are about."""
    own_game = server.game
    server.host("POST", "/v1/games", {"kind": "nim", "name": name})
    server.game = name
    yield
    server.game = own_game


def write_without_right(server: GameServer, rng: random.Random, tries: int, report: ReportOutcome) -> None:
    """Writes for Ben with the tokens of others, and anything with tokens that only read."""
    server.seats = {**server.seats, "ben": server.sit("ben", "benno")}
    reading_account = Client(server.http, accounts.create_token(server.service, "hanna", is_read_only=True).token)
    spectator, auditor = server.token("spectator"), server.token("auditor")
    server.play("take 3")  # now it is Ben's turn
    rows_before = stored_rows(server)
    for row in rng.sample(WRITING_ENDPOINTS, min(tries, len(WRITING_ENDPOINTS))):
        if row.roles != NO_TOKEN:
            response = send_request(reading_account, row, server)
            if response.status_code < 400:
                raise Breach(f"{row.name} with a token that only reads: {response.text[:80]}")
            report("a token that only reads: refused")
    for method, path, body in rng.sample(WRITES_AGAINST_BEN, min(tries, len(WRITES_AGAINST_BEN))):
        if path == "{line}/head":
            continue  # Ann may take back her own last move
        for client in (server.seats["ann"], spectator, auditor):
            response = client(method, path.format(line=server.main), body, head="*")
            if response.status_code < 400:
                raise Breach(f"{method} {path} {body}, with another seat's token: {response.text[:80]}")
            report("another seat's token: refused")
    check_unchanged(server, rows_before, "a token without the right to write")


def check_unchanged(server: GameServer, rows_before: list[Any], what: str) -> None:
    """Raises `Breach` if something was stored since."""
    if stored_rows(server) != rows_before:
        raise Breach(f"{what} has stored something")
