from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.remote.loopback_server import LoopbackServer, loopback_server
from tests.toolkit.conftest import package, souk

__all__ = ["nim_server", "package", "souk"]


@pytest.fixture
def nim_server(tmp_path: Path) -> Iterator[LoopbackServer]:
    """A server with a game of Nim, `k`: ten stones, ann and ben."""
    with loopback_server(tmp_path) as server:
        server.begin_game("nim", {"seed": "7"})
        yield server
