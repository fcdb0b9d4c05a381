"""What all tests share: how long properties are searched, and where PostgreSQL is."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn
from uuid import uuid4

import pytest
from hypothesis import settings

# At home every run searches anew. In CI the examples are the same in each run: what turns red there was red before the
# run, and says something about the commit. `--hypothesis-profile=thorough` is for a long look at one property.
settings.register_profile("home", deadline=None, max_examples=50)
settings.register_profile("ci", parent=settings.get_profile("home"), derandomize=True, database=None, print_blob=True)
settings.register_profile("thorough", parent=settings.get_profile("home"), max_examples=2000)

IN_CI = os.environ.get("CI") == "true"
settings.load_profile("ci" if IN_CI else "home")

AMONG_OTHERS = ("cli", "remote", "server", "event_store", "bots", "test_venv.py")
"""Where tests wait for other processes: terminals, servers, databases. On a machine that is short of time one of these
may come too late, so that in CI each has a second chance; the summary counts those that needed it."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    tests = Path(__file__).parent
    for item in items if IN_CI else ():
        if item.path.is_relative_to(tests) and item.path.relative_to(tests).parts[0] in AMONG_OTHERS:
            item.add_marker(pytest.mark.flaky(reruns=2, reruns_delay=1))


POSTGRES = os.environ.get("ZIM_TEST_POSTGRES", "postgresql://postgres@127.0.0.1:5432/test")


@pytest.fixture(scope="session")
def missing() -> Callable[[str], NoReturn]:
    """Skips a test for the reason that this machine lacks something; fails it in CI, where nothing may be lacking."""
    return pytest.fail if IN_CI else pytest.skip


@pytest.fixture(scope="session")
def program(missing: Callable[[str], NoReturn]) -> Callable[..., str]:
    """Where the first of some programs is that this machine has."""

    def find(*names: str) -> str:
        return next(filter(None, map(shutil.which, names)), "") or missing(f"no {names[0]} on this machine")

    return find


@pytest.fixture(scope="session")
def postgres_url(missing: Callable[[str], NoReturn]) -> str:
    """The URL of a PostgreSQL database to write to."""
    import psycopg  # 0.1 s, only for those that use it

    try:
        psycopg.connect(POSTGRES, connect_timeout=3).close()
    except psycopg.OperationalError as error:
        missing(f"no PostgreSQL at {POSTGRES} (set ZIM_TEST_POSTGRES): {error}")
    return POSTGRES


@pytest.fixture
def postgres_schema(postgres_url: str) -> Iterator[str]:
    """The URL of a schema of the test's own, in which nothing is yet; it is dropped afterwards."""
    import psycopg

    name = f"zim_test_{uuid4().hex[:12]}"
    yield f"{postgres_url}?schema={name}"
    with psycopg.connect(postgres_url) as connection:
        connection.execute(f"DROP SCHEMA IF EXISTS {name} CASCADE")


@pytest.fixture
def postgres_store(postgres_schema: str) -> str:
    """The URL of an empty store of the test's own."""
    from event_store import EventStore

    with EventStore.open(postgres_schema) as store:
        store.create()
    return postgres_schema
