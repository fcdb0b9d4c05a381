"""A real server on loopback, in a thread, and people at terminals who reach it by its URL."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvicorn

from event_store import EventStore
from tests.server.game_server import GAMES_BY_KIND as GAME_SERVER_KINDS
from tests.server.game_server import GENEROUS_SETTINGS
from zimcore.remote.client_files import Credential, Folders
from zimcore.remote.connection import Connection
from zimcore.remote.invitations import format_link, invite, join, parse_invitation
from zimcore.remote.service import RemoteService
from zimcore.server.app import make_app
from zimcore.server.people import accounts
from zimcore.server.serving import Server
from zimcore.service import GameService
from zimcore.service.records.memberships import GameHosted

if TYPE_CHECKING:
    from zimcli.shell.service_types import AnyService

GAMES_BY_KIND = {**GAME_SERVER_KINDS, "souk": "souk:GAME"}


class LoopbackServer:
    """A server that can be stopped and started again at the same address, over one store."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.service = self.open()
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._server: Server | None = None
        self._thread: threading.Thread | None = None
        self._host: RemoteService | None = None

    def open(self) -> GameService:
        """Opens the store."""
        return GameService(EventStore.open(f"sqlite:///{self.folder}/games.zim"), games=GAMES_BY_KIND)

    def start(self) -> None:
        """Starts the server, and waits until it listens."""
        is_listening = threading.Event()
        app = make_app(self.open, GENEROUS_SETTINGS)
        config = uvicorn.Config(
            app, host="127.0.0.1", port=self.port, log_config=None, access_log=False, lifespan="on", ws="none"
        )
        self._server = Server(config, app.state.dispatcher, lambda _: is_listening.set())
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()
        assert is_listening.wait(20)

    def stop(self) -> None:
        """Stops the server and its thread."""
        if self._server and self._thread:
            self._server.should_exit = True
            self._thread.join(20)
            assert not self._thread.is_alive()
        self._server = None

    def begin_game(self, kind: str, options: Mapping[str, str], name: str = "k", *, public: bool = False) -> None:
        """Begins a game on the machine of the server, where a seed can be chosen."""
        self.service.new(kind, options, name=name, by="hanna", served=[GameHosted("hanna", public)])

    def host(self) -> RemoteService:
        """The client of the host, who begins games and invites."""
        if self._host is None:
            token = accounts.create_token(self.service, "hanna").token
            self._host = self.person("hanna", self.url + "/join#" + token)
        return self._host

    def link(self, seat: str, game: str = "k") -> str:
        """A link to a seat."""
        return format_link(self.url, invite(self.host(), game, "seat", seat, "", None).token)

    def folders(self, name: str) -> Folders:
        """The folders of a person's files."""
        return Folders(self.folder / name / "data", self.folder / name / "cache")

    def sit(self, seat: str, game: str = "k") -> RemoteService:
        """A player sits down by a link: ann-player at the seat of ann."""
        return self.person(f"{seat}-player", self.link(seat, game))

    def person(self, name: str, link: str = "", **options: Any) -> RemoteService:
        """A player at a machine of their own, as if in another process."""
        folders = self.folders(name)
        if link:
            self.redeem_link(name, link)
        settings: dict[str, Any] = {"fresh_seconds": 0.0, "retry_seconds": 0.0, **options}
        return RemoteService(Connection(self.url), folders, games=GAMES_BY_KIND, **settings)

    def redeem_link(self, name: str, link: str) -> Credential:
        """A player redeems a link."""
        return join(Connection(self.url), self.folders(name), parse_invitation(link, self.url), name)


@contextmanager
def loopback_server(folder: Path) -> Iterator[LoopbackServer]:
    """A server that listens, and ends with the test."""
    server = LoopbackServer(folder)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def log_lines(service: AnyService, place: str = "k", **options: Any) -> Sequence[str]:
    """The log of a place: number and command of each commit."""
    return [f"{commit.number} {commit.text}" for commit in service.log(place, **options)]
