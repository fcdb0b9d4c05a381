from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.game_server import GameServer, game_server
from tests.toolkit.conftest import package, souk

__all__ = ["nim_server", "package", "souk"]


@pytest.fixture(scope="module")
def unchanged_nim_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GameServer]:
    """A game of Nim that the tests of a module share: their requests change nothing."""
    with game_server(tmp_path_factory.mktemp("unchanged"), "nim", {"seed": "7"}) as server:
        yield server


@pytest.fixture
def nim_server(tmp_path: Path) -> Iterator[GameServer]:
    """A game of Nim that ann and ben have sat down to."""
    with game_server(tmp_path, "nim", {"seed": "7"}) as server:
        yield server
