"""The terminal, driven in this process: a store in memory, a clock that ticks by minutes, the game of the herd."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from event_store import EventStore
from tests.predictable_salts import salt_maker
from zimcli.main import cli
from zimcli.output.output import Output
from zimcli.session.session import Session
from zimcore.service import GameService

if TYPE_CHECKING:
    from tests.cli.finished_games import FinishedGames
    from zimcli.shell.service_types import AnyService

TEST_GAMES = {"herd": "tests.cli.herd:GAME"}
START_TIME = datetime(2024, 5, 1, 12, tzinfo=UTC)

Zim = Callable[..., Result]


def open_reproducible_service(store: EventStore) -> GameService:
    """Opens a service whose clock and ids are the same in each test."""
    ticks, ids = count(), count(1)
    return GameService(
        store, lambda: START_TIME + timedelta(minutes=next(ticks)), games=TEST_GAMES, ids=lambda: f"{next(ids):04x}"
    )


def make_zim(service: AnyService) -> Zim:
    """A function that runs `zim` on a service as the shell would, with words and typed input."""

    def run_zim(*words: str, stdin: str = "") -> Result:
        session = Session(Output(), by="anna", service=service)
        return CliRunner().invoke(cli, words, input=stdin, obj=session, prog_name="zim")

    return run_zim


@pytest.fixture
def service() -> Iterator[GameService]:
    with EventStore.open("memory:", salt_maker()) as store:
        yield open_reproducible_service(store)


@pytest.fixture
def zim(service: GameService) -> Zim:
    return make_zim(service)


@pytest.fixture
def other_zim() -> Iterator[Zim]:
    """`zim` on another store: the same commands give the same digests there."""
    with EventStore.open("memory:", salt_maker()) as store:
        yield make_zim(open_reproducible_service(store))


@pytest.fixture
def run_script(zim: Zim) -> Callable[..., Result]:
    """A function that runs lines as a script."""
    return lambda *lines: zim("run", "-", stdin="\n".join(lines))


@pytest.fixture(scope="module")
def shared_finished_games(tmp_path_factory: pytest.TempPathFactory) -> FinishedGames:
    """A store with finished games, which the tests of a module share."""
    from tests.cli.finished_games import play_games

    return play_games(tmp_path_factory.mktemp("over"))


@pytest.fixture
def finished_games(shared_finished_games: FinishedGames, monkeypatch: pytest.MonkeyPatch) -> Iterator[FinishedGames]:
    """Finished games without a stored analysis."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(shared_finished_games.home / ".cache"))
    shared_finished_games.analysis_file.unlink(missing_ok=True)
    yield shared_finished_games
    shared_finished_games.analysis_file.unlink(missing_ok=True)
