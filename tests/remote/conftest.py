from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.remote.house import House, house
from tests.toolkit.conftest import package, souk

__all__ = ["nim", "package", "souk"]


@pytest.fixture
def nim(tmp_path: Path) -> Iterator[House]:
    """A server with a game of Nim, `k`: ten stones, ann and ben."""
    with house(tmp_path) as hall:
        hall.begin("nim", {"seed": "7"})
        yield hall
