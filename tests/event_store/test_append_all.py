"""Several entries at once: all of them or none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from event_store import ConflictError, Draft, EventStore, HeadMoved, Line
from event_store.line_history import fork_event_at, load_line, path_to
from event_store.store import LastRow
from event_store.verification import verify_entries
from tests.event_store.diary import AT, STATE, Noted, commit, note, open_diary


@pytest.fixture(params=["memory:", "sqlite:///{}/games.db"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[EventStore]:
    with open_diary(request.param.format(tmp_path), b"salt of 16 bytes") as store:
        yield store


def drafts_of(*texts: str) -> list[Draft]:
    return [Draft([Noted(text)], "ann", AT, text, STATE) for text in texts]


def test_commits_build_on_one_another(store: EventStore) -> None:
    first_entry = commit(store, "a", -1, b"", "one")
    entries = store.append_all("a", first_entry.revision, drafts_of("two", "three"), first_entry.digest)
    line = load_line(store.read, "a")
    assert path_to(line, line.head) == [first_entry.digest, *(entry.digest for entry in entries)]
    assert len(list(verify_entries(store.read, Line("a")))) == 3


def test_a_fork_and_its_commits_are_appended_at_once(store: EventStore) -> None:
    first_entry = commit(store, "a", -1, b"", "one")
    fork_event = fork_event_at(load_line(store.read, "a"), first_entry.digest)
    store.append_all("b", -1, [Draft([fork_event], "ann", AT), *drafts_of("two", "three")], first_entry.digest)
    line = load_line(store.read, "b")
    assert [line.commit_numbers[digest] for digest in path_to(line, line.head)] == [0, 1, 2]
    assert len(list(verify_entries(store.read, Line("b")))) == 4


def test_entries_appended_together_are_as_if_appended_one_by_one(store: EventStore) -> None:
    first_entry = commit(store, "a", -1, b"", "one")
    second_entry = commit(store, "a", first_entry.revision, first_entry.digest, "two", id="two")
    with open_diary("memory:", b"salt of 16 bytes") as other_store:
        first_entry = commit(other_store, "a", -1, b"", "one")
        assert (
            other_store.append_all("a", first_entry.revision, [*drafts_of("two")], first_entry.digest)[0].digest
            == second_entry.digest
        )


@pytest.mark.parametrize("expected_revision", [-1, 3])
def test_a_faster_writer_is_a_conflict_and_nothing_is_stored(store: EventStore, expected_revision: int) -> None:
    first_entry = commit(store, "a", -1, b"", "one")
    with pytest.raises(ConflictError):
        store.append_all("a", expected_revision, drafts_of("two", "three"), first_entry.digest)
    assert len(list(store.read("a"))) == 1


def test_a_faster_writer_that_was_not_seen_is_a_conflict_too(store: EventStore) -> None:
    first_entry = commit(store, "a", -1, b"", "one")
    commit(store, "a", first_entry.revision, first_entry.digest, "faster")
    store._last_rows["a"] = LastRow(first_entry.all_rows[-1])  # this store has not seen the new entry
    with pytest.raises(ConflictError):
        store.append_all("a", first_entry.revision, drafts_of("two", "three"), first_entry.digest)
    assert len(list(store.read("a"))) == 2


def test_a_lost_answer_is_no_conflict(store: EventStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """The backend has stored the rows, lost the connection, tried again, and found them there."""
    original_insert = store._backend.insert_rows
    monkeypatch.setattr(store._backend, "insert_rows", lambda *rows: original_insert(*rows) and False)
    entries = store.append_all("a", -1, drafts_of("one", "two"))
    assert [entry.digest for entry in store.read("a")] == [entry.digest for entry in entries]


def test_a_retry_gets_the_stored_entries(store: EventStore) -> None:
    entries = store.append_all("a", -1, drafts_of("one", "two"))
    note(store, "a", entries[-1].revision, "later")
    retried_entries = store.append_all("a", -1, drafts_of("one", "two"))
    assert [entry.digest for entry in retried_entries] == [entry.digest for entry in entries]
    assert len(list(store.read("a"))) == 3


def test_a_retried_request_gets_all_of_its_commits(store: EventStore) -> None:
    drafts = [Draft([Noted(text)], "ann", AT, "c1", STATE, b"both") for text in ("one", "two")]
    entries = store.append_all("a", -1, drafts)
    commit(store, "a", entries[-1].revision, entries[-1].digest, "later", id="c1/1")
    assert [entry.digest for entry in store.append_all("a", -1, drafts)] == [entry.digest for entry in entries]
    line = load_line(store.read, "a")
    assert {command_id: [entry.digest for entry in commits] for command_id, commits in line.by_command_id.items()} == {
        "c1": [entry.digest for entry in entries]
    }


def test_a_fork_has_the_command_ids_of_its_shared_past(store: EventStore) -> None:
    first_entry = commit(store, "a", -1, b"", "one", id="c1", request=b"one")
    second_entry = commit(store, "a", first_entry.revision, first_entry.digest, "two", id="c2", request=b"two")
    undo_events = [HeadMoved(second_entry.digest, first_entry.digest)]
    store.append("a", second_entry.revision, undo_events, by="ann", at=AT, id="c3", request=b"back")
    line = load_line(store.read, "a")
    assert list(line.by_command_id) == ["c1", "c2", "c3"]
    store.append("b", -1, [fork_event_at(line, first_entry.digest)], by="ann", at=AT)
    assert list(load_line(store.read, "b").by_command_id) == ["c1"]


def test_a_retry_with_more_than_was_stored_is_a_conflict(store: EventStore) -> None:
    store.append_all("a", -1, drafts_of("one", "two"))
    with pytest.raises(ConflictError):
        store.append_all("a", -1, drafts_of("one", "two", "three"))
    assert len(list(store.read("a"))) == 2
