"""Salvage fault_texts all damage and saves all intact entries."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from event_store import ConflictError, EventStore
from event_store.salvage import StreamFault, check_target, faults, salvage
from tests.event_store.diary import commit, note, open_diary
from tests.event_store.test_chain import STREAMS, fill, verify_streams


@pytest.fixture
def store_path(tmp_path: Path) -> Path:
    """A store with a line, a fork of it and names; and with streams of five entries."""
    store_path = tmp_path / "games.zim"
    with open_diary(f"sqlite:///{store_path}") as store:
        fill(store)
        for number in range(30):
            for revision in range(-1, 9, 2):
                note(store, f"other-{number}", revision, "more " * 20)
    return store_path


def alter_row(
    store_path: Path, stream: str, revision: int, statement: str = "UPDATE stored_events SET state = x'c1'"
) -> None:
    where = "WHERE originator_id = ? AND originator_version = ?"
    with closing(sqlite3.connect(store_path, isolation_level=None)) as database:
        assert database.execute(f"{statement} {where}", (stream, revision)).rowcount == 1


def faults_in(store_path: Path) -> list[StreamFault]:
    with open_diary(f"sqlite:///{store_path}") as store:
        return list(faults(store))


def test_an_unaltered_store_has_no_faults(store_path: Path) -> None:
    assert faults_in(store_path) == []


def test_each_fault_of_a_stream_is_reported(store_path: Path) -> None:
    alter_row(store_path, "other-3", 2)
    alter_row(store_path, "other-3", 6)
    alter_row(store_path, "other-7", 8, "DELETE FROM stored_events")
    alter_row(store_path, "names", 1)
    revisions = [(fault.stream, fault.revision) for fault in faults_in(store_path)]
    assert revisions == [("names", 1), ("other-3", 3), ("other-3", 7), ("other-7", 8)]


def test_a_fork_of_a_damaged_line_is_reported(store_path: Path) -> None:
    alter_row(store_path, "line", 0)
    fault_texts = [(fault.stream, fault.what) for fault in faults_in(store_path)]
    assert [stream for stream, _ in fault_texts] == ["fork", "line"]
    assert all("revision 2 of stream line was altered" in text for _, text in fault_texts)


@pytest.mark.parametrize("backend", ["memory:", "postgresql"])
def test_entries_that_were_swapped_are_reported(backend: str, request: pytest.FixtureRequest) -> None:
    url = request.getfixturevalue("postgres_store") if backend == "postgresql" else backend
    with open_diary(url) as store:
        fill(store)
        rows = store._backend.rows("line", -1, None)
        swapped_rows = [*rows[3:5], *rows[:3], *rows[5:]]
        store._backend.insert_rows([("copy", revision, *row[1:]) for revision, row in enumerate(swapped_rows)])
        (fault,) = faults(store)
        assert (fault.stream, fault.revision) == ("copy", 6), "a movement of the head that does not follow what it did"


def salvage_into(store_path: Path, url: str) -> tuple[EventStore, tuple[str, ...]]:
    new_store = open_diary(url)
    with open_diary(f"sqlite:///{store_path}") as store:
        check_target(new_store)
        salvage_result = salvage(store, new_store)
    assert list(salvage_result.copied_streams) == new_store.streams(), (
        "a name that only the index has is not said to be saved"
    )
    return new_store, salvage_result.lost_streams


def test_intact_streams_are_saved_unchanged(store_path: Path, tmp_path: Path) -> None:
    alter_row(store_path, "other-3", 2)
    alter_row(store_path, "line", 0)
    new_store, lost_streams = salvage_into(store_path, f"sqlite:///{tmp_path}/new.zim")
    with new_store, open_diary(f"sqlite:///{store_path}") as store:
        assert lost_streams == ("fork", "line", "other-3"), "a fork is lost with what it was forked from"
        assert list(faults(new_store)) == []
        assert len(new_store.streams()) == 30
        for stream in new_store.streams():
            assert [entry.digest for entry in new_store.read(stream)] == [entry.digest for entry in store.read(stream)]


def test_an_intact_store_is_saved_whole(store_path: Path) -> None:
    new_store, lost_streams = salvage_into(store_path, "memory:")
    assert lost_streams == ()
    verify_streams(new_store, STREAMS)


def test_a_store_that_is_not_empty_is_left_as_it_is(store_path: Path, tmp_path: Path) -> None:
    with open_diary(f"sqlite:///{tmp_path}/new.zim") as other_store:
        commit(other_store, "mine", -1, b"", "set up")
    with pytest.raises(ConflictError, match="is not empty"):
        salvage_into(store_path, f"sqlite:///{tmp_path}/new.zim")


def test_intact_streams_of_300_damaged_files_are_saved(store_path: Path, tmp_path: Path) -> None:
    """One bit: at most what lies there is lost, and what was forked from it; what is saved is the truth."""
    with open_diary(f"sqlite:///{store_path}") as store:
        true_digests = {stream: [entry.digest for entry in store.read(stream)] for stream in store.streams()}
    intact_bytes, rng, lost_count = store_path.read_bytes(), random.Random(5), 0
    for number in range(300):
        damaged_bytes = bytearray(intact_bytes)
        bit = rng.randrange(
            8 * 4096, 8 * len(damaged_bytes)
        )  # the first page says what the file is: it is all or nothing
        damaged_bytes[bit // 8] ^= 1 << bit % 8
        damaged_file = tmp_path / f"{number}.zim"
        damaged_file.write_bytes(damaged_bytes)
        new_store, _ = salvage_into(damaged_file, "memory:")
        saved_digests = {stream: [entry.digest for entry in new_store.read(stream)] for stream in new_store.streams()}
        assert all(true_digests[stream] == digests for stream, digests in saved_digests.items()), f"bit {bit}"
        assert len(true_digests) - len(saved_digests) <= MAX_LOST_STREAMS, f"bit {bit}"
        lost_count += len(true_digests) - len(saved_digests)
        damaged_file.unlink()
    assert lost_count > 0


MAX_LOST_STREAMS = 10
"""Streams that lie on a page of the file."""
