"""The game of docs/new-game.md, as its page prints it."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from types import ModuleType

import pytest

from event_store import EventStore
from tests.predictable_salts import salt_maker
from zimcore.service import GameService

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
PAGE = (Path(__file__).parents[2] / "docs" / "new-game.md").read_text("utf-8")


def page_blocks(language: str) -> str:
    """All blocks of a language on the page, one after the other."""
    return "\n\n".join(re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL))


@pytest.fixture(scope="session")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package of the page."""
    folder = tmp_path_factory.mktemp("games")
    subprocess.run([sys.executable, "-m", "zimcli", "new-game", "souk"], cwd=folder, check=True, capture_output=True)
    (folder / "souk/souk.py").write_text(page_blocks("python"))
    return folder / "souk"


@pytest.fixture(scope="session")
def souk(package: Path) -> Iterator[ModuleType]:
    """The module of the game."""
    sys.path.insert(0, str(package))
    yield importlib.import_module("souk")
    sys.path.remove(str(package))
    sys.modules.pop("souk", None)


def begin_souk() -> GameService:
    """A match called `k` for amina, badr and dalal."""
    service = GameService(
        EventStore.open("memory:", salt_maker()), lambda: NOON, games={"souk": "souk:GAME"}, ids=predictable_ids()
    )
    service.new("souk", {"seed": "7"}, name="k", by="anna")
    return service


def predictable_ids() -> Callable[[], str]:
    """A function that returns id-0, id-1 and so on."""
    numbers = count()
    return lambda: f"id-{next(numbers)}"


@pytest.fixture
def service(souk: ModuleType) -> GameService:
    """A match called `k`, for one test."""
    return begin_souk()
