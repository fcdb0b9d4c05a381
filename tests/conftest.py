"""Settings of all tests: their environment, their tiers and order, the search of properties, the URL of PostgreSQL."""

import atexit
import gc
import os
import shutil
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from itertools import chain, compress
from pathlib import Path
from random import Random
from typing import NoReturn

import pytest
from hypothesis import settings

from tests import tiers

# At home each run draws new examples. In CI the examples are always the same, so a test that fails there fails because
# of the commit. `--hypothesis-profile=thorough` is for a long look at one property.
settings.register_profile("home", deadline=None, max_examples=50)
settings.register_profile("ci", parent=settings.get_profile("home"), derandomize=True, database=None, print_blob=True)
settings.register_profile("thorough", parent=settings.get_profile("home"), max_examples=2000)

TESTS_FOLDER = Path(__file__).parent
HELPER_MODULES = [
    ".".join(path.relative_to(TESTS_FOLDER.parent).with_suffix("").parts)
    for path in TESTS_FOLDER.rglob("*.py")
    if not path.name.startswith(("test_", "conftest", "__init__", "tiers"))
]
pytest.register_assert_rewrite(*HELPER_MODULES)  # their asserts show the values too

IN_CI = os.environ.get("CI") == "true"
settings.load_profile("ci" if IN_CI else "home")

SETTINGS_OF_TESTS = {
    *("ZIM_TEST_POSTGRES", "ZIM_TEST_PATIENCE", "ZIM_OPENAPI_EXAMPLES", "ZIM_BROWSER_MOVES", "ZIM_REHEARSE"),
    *("ZIM_GOLDEN", "ZIM_LOOKS", "ZIM_PLAYTHROUGHS"),
}
"""The variables that tests themselves read."""
ROOM_IN_MEMORY = 4 << 30
"""Bytes that must be free in a file system in memory before tests keep their files there."""

POSTGRES_URL = os.environ.get("ZIM_TEST_POSTGRES", "postgresql://postgres@127.0.0.1:5432/test")


SECOND_CHANCES_FILE = TESTS_FOLDER / "second_chances.toml"


def second_chances() -> dict[str, str]:
    """The files of tests that have a second chance in CI, each with the reason."""
    return dict(
        chain.from_iterable(
            section.items() for section in tomllib.loads(SECOND_CHANCES_FILE.read_text("utf-8")).values()
        )
    )


LONG_FILES = (
    "tests/server/test_browser",
    "tests/scripts/test_attack",
    "tests/test_reading_order",
    "tests/test_installing",
    "tests/bots/test_cluster",
    "tests/remote/test_acceptance",
    "tests/cli/table/",
)
"""The beginnings of files whose tests are long. They come first: at the end one worker would run them alone."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--tier", choices=tiers.CHOICES, help="run the tests of these tiers, see tests/tiers.toml")
    parser.addoption("--shuffle", metavar="SEED", help="run files, and the tests of each, in a random order")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leaves out whole files of other tiers: they need not even be imported."""
    choice = config.getoption("--tier")
    if not choice or collection_path.suffix != ".py" or tiers.ROOT not in collection_path.parents:
        return None
    path = collection_path.relative_to(tiers.ROOT).as_posix()
    return True if tiers.tiers_of_file(path).isdisjoint(tiers.chosen_tiers(choice)) else None


def pytest_collection_modifyitems(items: list[pytest.Item], config: pytest.Config) -> None:
    if choice := config.getoption("--tier"):
        chosen = tiers.chosen_tiers(choice)
        is_left_out = [tiers.tier_of(item.nodeid).name not in chosen for item in items]
        config.hook.pytest_deselected(items=list(compress(items, is_left_out)))
        items[:] = [item for item, left_out in zip(items, is_left_out, strict=True) if not left_out]
    items.sort(key=lambda item: not item.nodeid.startswith(LONG_FILES))
    if seed := config.getoption("--shuffle"):
        shuffle(items, Random(seed))
    reasons_by_file = second_chances() if IN_CI else {}
    for item in items:
        if item.nodeid.partition("::")[0] in reasons_by_file:
            item.add_marker(pytest.mark.flaky(reruns=1))


def shuffle(items: list[pytest.Item], rng: Random) -> None:
    """Shuffles files, and the tests of each: they stay together, as they share what their module made."""
    files = {item.nodeid.partition("::")[0] for item in items}
    places = {file: rng.random() for file in sorted(files)}
    items.sort(key=lambda item: (places[item.nodeid.partition("::")[0]], rng.random()))


def pytest_configure(config: pytest.Config) -> None:
    """What the processes of a run share: their environment, and one seed for the oracle's games, new in each run."""
    gc.disable()  # until all tests are collected: they live to the end
    if not hasattr(config, "workerinput"):  # the workers of this run inherit it
        set_environment()
    os.environ.setdefault("ORACLE_SEED", str(Random().getrandbits(32)))


def set_environment() -> None:
    """Hides the developer's own store, settings, keys and cache, and puts files into memory where there is room."""
    for name in [*os.environ]:
        if name.startswith(("ZIM_", "_ZIM_", "XDG_")) and name not in SETTINGS_OF_TESTS:
            del os.environ[name]
    os.environ["ZIM_STARTED_AS"] = "zim"
    for name, path in {
        "GIT_CONFIG_GLOBAL": ".gitconfig",
        "PIP_CACHE_DIR": ".cache/pip",
        "UV_CACHE_DIR": ".cache/uv",
    }.items():
        os.environ.setdefault(name, str(Path.home() / path))
    if has_room_in_memory("/dev/shm"):
        os.environ.setdefault("TMPDIR", "/dev/shm")
        tempfile.tempdir = None
    os.environ["HOME"] = tempfile.mkdtemp(prefix="zim-home-")
    atexit.register(shutil.rmtree, os.environ["HOME"], ignore_errors=True)


def has_room_in_memory(folder: str) -> bool:
    """Whether tests may write to this folder, run programs in it, and find room."""
    if not os.access(folder, os.W_OK):
        return False
    status = os.statvfs(folder)
    return not status.f_flag & os.ST_NOEXEC and status.f_bavail * status.f_frsize > ROOM_IN_MEMORY


def pytest_collection_finish() -> None:
    """Keeps the tests, half a million objects, out of each search for garbage: that took a fifteenth of a run."""
    gc.enable()
    gc.freeze()
    # Some tests run others that have to fail: a plugin of this run would report those as failed.
    for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS"):
        os.environ.pop(name, None)


def pytest_report_header() -> str:
    return f"oracle: ORACLE_SEED={os.environ['ORACLE_SEED']} plays the same games again"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints the seed of the oracle at the end, as a quiet run has no header."""
    reports = chain.from_iterable(terminalreporter.stats.values())
    if any("tests/oracle/" in getattr(report, "nodeid", "") for report in reports):
        terminalreporter.write_line(pytest_report_header())
    for report in terminalreporter.stats.get("rerun", ()):
        terminalreporter.section(f"second chance: {report.nodeid}", sep="-")
        terminalreporter.write_line(report.longreprtext)


@pytest.fixture(scope="session")
def skip_or_fail() -> Callable[[str], NoReturn]:
    """A function that skips a test that this machine can't run; in CI, which has everything, it fails the test."""
    return pytest.fail if IN_CI else pytest.skip


@pytest.fixture(scope="session")
def find_program(skip_or_fail: Callable[[str], NoReturn]) -> Callable[..., str]:
    """A function that returns the path of the first given program that this machine has, or skips or fails."""

    def find_first(*programs: str) -> str:
        return next(filter(None, map(shutil.which, programs)), "") or skip_or_fail(f"no {programs[0]} on this machine")

    return find_first


@pytest.fixture
def disk_path() -> Iterator[Path]:
    """A folder on a disk, for tests of what survives there: `tmp_path` may be in memory."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        os.chmod(folder, 0o755)  # a server of PostgreSQL, which runs as another user, has its data below it
        yield Path(folder)


@pytest.fixture(scope="session")
def postgres_url(skip_or_fail: Callable[[str], NoReturn]) -> str:
    """The URL of a PostgreSQL database to write to."""
    from tests.postgres import why_unusable  # psycopg: 0.1 s, only for those that use it

    if reason := why_unusable(POSTGRES_URL):
        skip_or_fail(reason)
    return POSTGRES_URL


@pytest.fixture
def postgres_schema(postgres_url: str) -> Iterator[str]:
    """The URL of a schema of the test's own, in which nothing is yet; it is dropped afterwards."""
    from tests.postgres import temporary_schema

    with temporary_schema(postgres_url) as url:
        yield url


@pytest.fixture
def postgres_store(postgres_schema: str) -> str:
    """The URL of an empty store of the test's own."""
    from event_store import EventStore

    with EventStore.open(postgres_schema) as store:
        store.create()
    return postgres_schema
