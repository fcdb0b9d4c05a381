"""A backup made while others write is complete, for every kind of store."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from threading import Event

import pytest

from event_store import AlteredError, EventStore, StoreError
from event_store.backup import backup
from event_store.export import export_lines, import_lines
from event_store.salvage import faults
from tests.event_store.diary import note, open_diary
from tests.event_store.test_chain import fill

WRITER_COUNT = 8


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    postgres_url: str = request.getfixturevalue("postgres_store") if request.param == "postgresql" else ""
    return postgres_url or f"sqlite:///{tmp_path}/games.zim"


def open_backup(path: Path) -> EventStore:
    """A backup as a store: the database itself, or the imported export."""
    if path.read_bytes().startswith(b"SQLite"):
        return open_diary(f"sqlite:///{path}")
    store = open_diary("memory:")
    import_lines(store, path.read_bytes().splitlines(keepends=True))
    return store


def diary_writer(url: str, stop: Event, started: Event) -> Callable[[int], int]:
    """Makes a function that writes pairs of entries, one in each of two streams, until `stop` is set."""

    def write(writer: int) -> int:
        with open_diary(url) as store:
            for pair_number in count():
                note(store, f"s{writer}", 3 * pair_number - 1, "one", f"{pair_number}")
                note(store, f"after-s{writer}", 3 * pair_number - 1, "one", f"{pair_number}")
                if pair_number > 5:
                    started.set()
                if stop.is_set():
                    return pair_number

        return 0

    return write


def test_a_backup_under_eight_writers_is_whole(url: str, tmp_path: Path) -> None:
    stop, started = Event(), Event()
    with open_diary(url) as store, ThreadPoolExecutor(WRITER_COUNT) as pool:
        note(store, "before", -1, "one")
        pairs_written = pool.map(diary_writer(url, stop, started), range(WRITER_COUNT))
        started.wait()
        try:
            entry_counts = [backup(store, tmp_path / f"backup-{number}") for number in range(3)]
        finally:
            stop.set()
        assert sum(pairs_written) > 0
    assert entry_counts == sorted(entry_counts)
    for number, entry_count in enumerate(entry_counts):
        backup_path = tmp_path / "elsewhere" / f"{number}"
        backup_path.parent.mkdir(exist_ok=True)
        (tmp_path / f"backup-{number}").rename(backup_path)
        with open_backup(backup_path) as copy:
            assert list(faults(copy)) == []
            assert sum(1 for _ in copy.all_entries()) == entry_count
            for writer in range(WRITER_COUNT):
                earlier_count, later_count = (len(list(copy.read(f"{prefix}{writer}"))) for prefix in ("s", "after-s"))
                assert later_count <= earlier_count <= later_count + 1, "the backup is of one moment"
            note(copy, "before", 1, "a copy can be written to")


def test_a_backup_is_the_store_to_the_last_bit(url: str, tmp_path: Path) -> None:
    with open_diary(url) as store:
        fill(store)
        assert backup(store, tmp_path / "backup") == 7
        with open_backup(tmp_path / "backup") as copy:
            assert list(export_lines(copy)) == list(export_lines(store))


def test_a_backup_overwrites_no_file(url: str, tmp_path: Path) -> None:
    (tmp_path / "backup").write_text("My favourite games.")
    with open_diary(url) as store, pytest.raises(StoreError, match="the file already exists"):
        backup(store, tmp_path / "backup")
    assert (tmp_path / "backup").read_text() == "My favourite games."


def test_a_missing_folder_is_reported(url: str, tmp_path: Path) -> None:
    with open_diary(url) as store, pytest.raises(StoreError, match="No such file or directory"):
        backup(store, tmp_path / "nowhere" / "backup")


def test_an_altered_store_is_not_backed_up(tmp_path: Path) -> None:
    path = tmp_path / "games.zim"
    with open_diary(f"sqlite:///{path}") as store:
        note(store, "a", -1, "the word of the day")
    path.write_bytes(path.read_bytes().replace(b"the word", b"the ward"))
    with open_diary(f"sqlite:///{path}") as store, pytest.raises(AlteredError):
        backup(store, tmp_path / "backup")
    assert [each.name for each in tmp_path.iterdir()] == ["games.zim"]


def test_a_backup_of_an_empty_store_is_empty(url: str, tmp_path: Path) -> None:
    with open_diary(url) as store:
        assert backup(store, tmp_path / "backup") == 0
    with open_backup(tmp_path / "backup") as copy:
        assert copy.streams() == []
