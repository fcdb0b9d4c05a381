from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service.nim_service import service_on
from zimcore.service import GameService


@pytest.fixture
def service() -> Iterator[GameService]:
    """A service over a store in memory, in which one game of Nim has begun: `nim`, 10 stones, ann and ben."""
    service = service_on("memory:")
    service.new("nim", {"seed": "7"}, name="nim", by="ann")
    with service.store:
        yield service


@pytest.fixture
def url(tmp_path: Path) -> str:
    """The URL of a store on the disk."""
    return f"sqlite:///{tmp_path}/games.zim"


@pytest.fixture(params=["memory:", "sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest, url: str) -> str:
    """The URL of a store of each kind."""
    if request.param == "postgresql":
        postgres_url: str = request.getfixturevalue("postgres_store")
        return postgres_url
    return {"memory:": "memory:", "sqlite": url}[request.param]
