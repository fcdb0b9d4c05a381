"""A server in this process with a game whose seats are all taken, and clients for tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import httpx
from litestar.testing import TestClient
from msgspec.structs import replace

from event_store import EventStore
from tests.predictable_salts import salt_maker
from zimcore.games.registry import GAMES
from zimcore.server.app import Settings, make_app
from zimcore.server.people import accounts
from zimcore.server.wire.limits import RateLimits
from zimcore.service import GameService
from zimcore.service.records.memberships import GameHosted

FIRST_TIME = datetime(2024, 5, 1, 20, tzinfo=UTC)
GAMES_BY_KIND = {**GAMES, "nim": "tests.nim:GAME", "kuhn": "tests.kuhn:GAME", "souk": "souk:GAME"}
GENEROUS_SETTINGS = Settings(
    poll_seconds=0.02,
    limits=RateLimits(
        token_rate=1e6,
        token_burst=10**6,
        address_rate=1e6,
        address_burst=10**6,
        refused_rate=1e6,
        refused_burst=10**6,
    ),
)


class Client:
    """A visitor with a token, or without one."""

    def __init__(self, http: Any, token: str = "") -> None:
        self.http = http
        self.token = token
        self._keys = count(1)

    def __call__(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        key: str | None = "",
        head: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> httpx.Response:
        """A request; writes have a key of their own unless one is given (None: without one)."""
        all_headers = dict(headers or {})
        if self.token:
            all_headers["Authorization"] = f"Bearer {self.token}"
        if method != "GET" and key is not None:
            all_headers["Idempotency-Key"] = key or f"{self.token[-12:]}-a-key-of-{next(self._keys)}"
        if head:
            all_headers["If-Match"] = head if head == "*" else f'"{head}"'
        body_arguments = {} if body is None else {"json": body}
        response: httpx.Response = self.http.request(method, path, headers=all_headers, **body_arguments)
        return response

    def get(self, path: str, **headers: str) -> httpx.Response:
        return self("GET", path, headers=headers)

    def get_json(self, path: str) -> Any:
        response = self.get(path)
        assert response.status_code == 200, response.text
        return response.json()


class GameServer:
    """A server, a game on it, and the clients of its host and its players."""

    def __init__(self, http: Any, service: GameService, game: str, host: Client, seats: Mapping[str, Client]) -> None:
        self.http = http
        self.service = service
        self.game = game
        self.host = host
        self.seats = seats
        self.nobody = Client(http)

    @property
    def path(self) -> str:
        return f"/v1/games/{self.game}"

    @property
    def main(self) -> str:
        return f"{self.path}/lines/main"

    def head(self, line: str = "main") -> str:
        return self.service.head(f"{self.game}/{line}").commit.digest

    def play(self, *texts: str) -> None:
        """Plays moves, each by the seat that is to move."""
        for text in texts:
            seat = self.service.head(f"{self.game}/main").to_move[0]
            response = self.seats[seat]("POST", f"{self.main}/moves", {"move": text}, head=self.head())
            assert response.status_code == 201, response.text

    def token(self, role: str) -> Client:
        """A new client with a token of a role without a seat."""
        response = self.host("POST", f"{self.path}/tokens", {"role": role})
        assert response.status_code == 201, response.text
        return Client(self.http, response.json()["token"])

    def sit(self, seat: str, by: str = "", **options: Any) -> Client:
        """Takes a seat by a link; returns the client of the player."""
        link = self.host("POST", f"{self.path}/tokens", {"role": "seat", "seat": seat})
        assert link.status_code == 201, link.text
        body = {"link": link.json()["token"], "by": by or f"{seat}-player", **options}
        response = Client(self.http)("POST", "/v1/tokens", body, key=f"sitting-down-at-{seat}-{by}")
        assert response.status_code == 201, response.text
        return Client(self.http, response.json()["token"])


def service_opener(folder: Path, clock_step: int = 1) -> Callable[[], GameService]:
    """A function that opens services over one store, with predictable clocks, ids and salts.

    `clock_step` is how many seconds pass at each reading of the clock; 0 stops it.
    """
    seconds, numbers, salt = count(step=clock_step), count(1), salt_maker()

    def open_service() -> GameService:
        store = EventStore.open(f"sqlite:///{folder}/games.zim", salt)
        return GameService(
            store,
            lambda: FIRST_TIME + timedelta(seconds=next(seconds)),
            games=GAMES_BY_KIND,
            ids=lambda: f"id{next(numbers):04}",
        )

    return open_service


@contextmanager
def game_server(
    folder: Path,
    kind: str,
    options: Mapping[str, str],
    *,
    name: str = "k",
    public: bool = False,
    settings: Settings = GENEROUS_SETTINGS,
    take_seats: bool = True,
    clock_step: int = 1,
) -> Iterator[GameServer]:
    """A server with a game whose seats are taken. The game is begun in the store, where a seed can be chosen."""
    open_service = service_opener(folder, clock_step)
    service = open_service()
    service.new(kind, options, name=name, by="hanna", served=[GameHosted("hanna", public)])
    app = make_app(open_service, replace(settings, move_workers=1, question_workers=1))
    with TestClient(app, raise_server_exceptions=False) as http, service.store:
        host = Client(http, accounts.create_token(service, "hanna").token)
        server = GameServer(http, service, name, host, {})
        seats = service.position(name).seats if take_seats else ()
        server.seats = {seat: server.sit(seat) for seat in seats}
        yield server
