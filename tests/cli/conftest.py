"""The terminal, driven in this process: a store in memory, a clock that ticks by minutes, the game of the herd."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from event_store import EventStore
from tests.foreseen import salts
from zimcli.main import cli
from zimcli.output import Output
from zimcli.session import Session
from zimcore.service import GameService

if TYPE_CHECKING:
    from tests.cli.finished import FinishedGames
    from zimcli.service_types import Door

GAMES = {"herd": "tests.cli.herd:GAME"}
BEGIN = datetime(2024, 5, 1, 12, tzinfo=UTC)

Zim = Callable[..., Result]


def open_service(store: EventStore) -> GameService:
    """A service whose clock and ids are the same each time."""
    ticks, ids = count(), count(1)
    return GameService(
        store, lambda: BEGIN + timedelta(minutes=next(ticks)), games=GAMES, ids=lambda: f"{next(ids):04x}"
    )


def runs(service: Door) -> Zim:
    """Runs `zim` as the shell would: words, and what is piped in."""

    def run(*words: str, typed: str = "") -> Result:
        session = Session(Output(), by="anna", service=service)
        return CliRunner().invoke(cli, words, input=typed, obj=session, prog_name="zim")

    return run


@pytest.fixture
def service() -> Iterator[GameService]:
    with EventStore.open("memory:", salts()) as store:
        yield open_service(store)


@pytest.fixture
def zim(service: GameService) -> Zim:
    return runs(service)


@pytest.fixture
def other() -> Iterator[Zim]:
    """`zim` on another store: the same commands give the same digests there."""
    with EventStore.open("memory:", salts()) as store:
        yield runs(open_service(store))


@pytest.fixture
def script(zim: Zim) -> Callable[..., Result]:
    """Runs lines as a script."""
    return lambda *lines: zim("run", "-", typed="\n".join(lines))


@pytest.fixture(scope="module")
def finished_once(tmp_path_factory: pytest.TempPathFactory) -> FinishedGames:
    """Games that are over."""
    from tests.cli.finished import play_games

    return play_games(tmp_path_factory.mktemp("over"))


@pytest.fixture
def finished(finished_once: FinishedGames, monkeypatch: pytest.MonkeyPatch) -> Iterator[FinishedGames]:
    """The same, without any analysis."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(finished_once.home / ".cache"))
    finished_once.file.unlink(missing_ok=True)
    yield finished_once
    finished_once.file.unlink(missing_ok=True)
