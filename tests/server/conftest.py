from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.table import Table, table
from tests.toolkit.conftest import package, souk

__all__ = ["nim", "package", "souk"]


@pytest.fixture
def nim(tmp_path: Path) -> Iterator[Table]:
    """A game of Nim that ann and ben have sat down to."""
    with table(tmp_path, "nim", {"seed": "7"}) as hall:
        yield hall
