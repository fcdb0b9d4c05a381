"""Several entries at once: all of them or none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from event_store import ConflictError, Draft, EventStore, HeadMoved, Line
from event_store.line_history import fork_of, load, path_to
from event_store.store import LastRow
from event_store.verification import verify_entries
from tests.event_store.diary import AT, STATE, Noted, commit, note, open_diary


@pytest.fixture(params=["memory:", "sqlite:///{}/games.db"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[EventStore]:
    with open_diary(request.param.format(tmp_path), b"salt of 16 bytes") as store:
        yield store


def drafts(*texts: str) -> list[Draft]:
    return [Draft([Noted(text)], "ann", AT, text, STATE) for text in texts]


def test_commits_build_on_one_another(store: EventStore) -> None:
    first = commit(store, "a", -1, b"", "one")
    entries = store.append_all("a", first.revision, drafts("two", "three"), first.digest)
    line = load(store.read, "a")
    assert path_to(line, line.head) == [first.digest, *(entry.digest for entry in entries)]
    assert len(list(verify_entries(store.read, Line("a")))) == 3


def test_a_whole_line_begins_at_once(store: EventStore) -> None:
    first = commit(store, "a", -1, b"", "one")
    fork = fork_of(load(store.read, "a"), first.digest)
    store.append_all("b", -1, [Draft([fork], "ann", AT), *drafts("two", "three")], first.digest)
    line = load(store.read, "b")
    assert [line.numbers[digest] for digest in path_to(line, line.head)] == [0, 1, 2]
    assert len(list(verify_entries(store.read, Line("b")))) == 4


def test_it_is_as_if_they_were_appended_one_by_one(store: EventStore) -> None:
    first = commit(store, "a", -1, b"", "one")
    second = commit(store, "a", first.revision, first.digest, "two", id="two")
    with open_diary("memory:", b"salt of 16 bytes") as second_diary:
        first = commit(second_diary, "a", -1, b"", "one")
        assert second_diary.append_all("a", first.revision, [*drafts("two")], first.digest)[0].digest == second.digest


@pytest.mark.parametrize("expected", [-1, 3])
def test_a_faster_writer_is_a_conflict_and_nothing_is_stored(store: EventStore, expected: int) -> None:
    first = commit(store, "a", -1, b"", "one")
    with pytest.raises(ConflictError):
        store.append_all("a", expected, drafts("two", "three"), first.digest)
    assert len(list(store.read("a"))) == 1


def test_a_writer_who_is_faster_at_that_moment_is_a_conflict_too(store: EventStore) -> None:
    first = commit(store, "a", -1, b"", "one")
    commit(store, "a", first.revision, first.digest, "faster")
    store._known["a"] = LastRow(first.whole[-1])  # this store has not seen the new entry
    with pytest.raises(ConflictError):
        store.append_all("a", first.revision, drafts("two", "three"), first.digest)
    assert len(list(store.read("a"))) == 2


def test_an_answer_that_was_lost_is_no_conflict(store: EventStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """The backend has stored the rows, lost the connection, tried again, and found them there."""
    insert = store._backend.insert
    monkeypatch.setattr(store._backend, "insert", lambda *rows: insert(*rows) and False)
    entries = store.append_all("a", -1, drafts("one", "two"))
    assert [entry.digest for entry in store.read("a")] == [entry.digest for entry in entries]


def test_a_retry_gets_what_it_had_stored(store: EventStore) -> None:
    entries = store.append_all("a", -1, drafts("one", "two"))
    note(store, "a", entries[-1].revision, "later")
    again = store.append_all("a", -1, drafts("one", "two"))
    assert [entry.digest for entry in again] == [entry.digest for entry in entries]
    assert len(list(store.read("a"))) == 3


def test_one_request_may_make_several_commits_and_gets_all_of_them_again(store: EventStore) -> None:
    wanted = [Draft([Noted(text)], "ann", AT, "c1", STATE, b"both") for text in ("one", "two")]
    appended = store.append_all("a", -1, wanted)
    commit(store, "a", appended[-1].revision, appended[-1].digest, "later", id="c1/1")
    assert [entry.digest for entry in store.append_all("a", -1, wanted)] == [entry.digest for entry in appended]
    line = load(store.read, "a")
    assert {id_: [each.digest for each in entries] for id_, entries in line.by_command_id.items()} == {
        "c1": [entry.digest for entry in appended]
    }


def test_a_fork_knows_what_was_asked_of_the_past_that_it_shares(store: EventStore) -> None:
    first = commit(store, "a", -1, b"", "one", id="c1", request=b"one")
    second = commit(store, "a", first.revision, first.digest, "two", id="c2", request=b"two")
    movement = [HeadMoved(second.digest, first.digest)]
    store.append("a", second.revision, movement, by="ann", at=AT, id="c3", request=b"back")
    line = load(store.read, "a")
    assert list(line.by_command_id) == ["c1", "c2", "c3"]
    store.append("b", -1, [fork_of(line, first.digest)], by="ann", at=AT)
    assert list(load(store.read, "b").by_command_id) == ["c1"]


def test_a_retry_with_more_than_was_stored_is_a_conflict(store: EventStore) -> None:
    store.append_all("a", -1, drafts("one", "two"))
    with pytest.raises(ConflictError):
        store.append_all("a", -1, drafts("one", "two", "three"))
    assert len(list(store.read("a"))) == 2
