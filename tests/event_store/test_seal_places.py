"""A seal binds its place: the first read finds rows that were relabelled, swapped or copied."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from event_store import AlteredError, EventStore, HeadMoved
from event_store.chain import PLAIN_TOPIC, Row, make_seal
from event_store.codec import encode
from event_store.export import export_lines, import_lines
from event_store.line_history import fork_event_at, load_line
from event_store.salvage import faults, salvage
from event_store.seal_places import has_place
from tests.event_store.diary import AT, Noted, commit, note, open_diary

URLS = ["memory:", "sqlite:///{}/games.db", "postgresql:"]


@pytest.fixture(params=URLS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[EventStore]:
    is_postgres = request.param == "postgresql:"
    url = request.getfixturevalue("postgres_store") if is_postgres else request.param.format(tmp_path)
    with open_diary(url) as store:
        yield store


def rows_of_two_lines(*, is_unplaced: bool = False) -> dict[str, list[Row]]:
    """The rows of two similar lines: two commits, and two moves of the head."""
    with open_diary("memory:") as diary:
        for stream in ("a", "b"):
            if is_unplaced:
                begin_without_place(diary, stream)
            first_entry = commit(diary, stream, 1 if is_unplaced else -1, b"", "set up")
            second_entry = commit(diary, stream, first_entry.revision, first_entry.digest, "played")
            undo_entry = diary.append(
                stream, second_entry.revision, [HeadMoved(second_entry.digest, first_entry.digest)], by="ann", at=AT
            )
            diary.append(
                stream, undo_entry.revision, [HeadMoved(first_entry.digest, second_entry.digest)], by="ann", at=AT
            )
        return {stream: list(diary._backend.rows(stream, -1, None)) for stream in ("a", "b")}


def begin_without_place(store: EventStore, stream: str) -> None:
    """Begins a stream as it was begun before seals said their place; it goes on so."""
    row = (0, *store.codec.encode(Noted("begun long ago")))
    old_seal = make_seal([row], parent=b"", by="ann", at=AT, id="", state=b"", salt=bytes(16))
    store._backend.insert_rows([(stream, *row), (stream, 1, PLAIN_TOPIC, encode(old_seal))])


def insert_rows(store: EventStore, rows_by_stream: Mapping[str, Sequence[Row]]) -> None:
    store._backend.insert_rows(
        [(stream, *row) for stream, stream_rows in rows_by_stream.items() for row in stream_rows]
    )


def check_alteration_is_found(store: EventStore, stream: str) -> None:
    """Every way to read the stream raises an error; the check, the export and the salvage of the store find it too."""
    with pytest.raises(AlteredError):
        list(store.read(stream))
    with pytest.raises(AlteredError):
        list(store.read_streams({stream: -1})[stream])
    assert stream in {fault.stream for fault in faults(store)}
    with pytest.raises(AlteredError):
        list(export_lines(store))
    with open_diary("memory:") as new_store:
        assert stream in salvage(store, new_store).lost_streams


def swap_streams(rows_by_stream: dict[str, list[Row]]) -> dict[str, list[Row]]:
    return {"a": rows_by_stream["b"], "b": rows_by_stream["a"]}


def swap_last_entries(rows_by_stream: dict[str, list[Row]]) -> dict[str, list[Row]]:
    """The last entries of both lines, swapped."""
    return {
        "a": [*rows_by_stream["a"][:-2], *rows_by_stream["b"][-2:]],
        "b": [*rows_by_stream["b"][:-2], *rows_by_stream["a"][-2:]],
    }


def copy_last_entry(rows_by_stream: dict[str, list[Row]]) -> dict[str, list[Row]]:
    return {"a": rows_by_stream["a"], "b": [*rows_by_stream["b"][:-2], *rows_by_stream["a"][-2:]]}


def copy_end_of_line(rows_by_stream: dict[str, list[Row]]) -> dict[str, list[Row]]:
    return {"a": rows_by_stream["a"], "b": [*rows_by_stream["b"][:2], *rows_by_stream["a"][2:]]}


ALTERATIONS = [swap_streams, swap_last_entries, copy_last_entry, copy_end_of_line]


@pytest.mark.parametrize("alter", ALTERATIONS)
def test_rows_of_another_stream_are_found(
    store: EventStore, alter: Callable[[dict[str, list[Row]]], dict[str, list[Row]]]
) -> None:
    insert_rows(store, alter(rows_of_two_lines()))
    check_alteration_is_found(store, "b")


def test_a_missing_move_of_the_head_is_found(store: EventStore) -> None:
    """Commits build on commits: without places a missing entry between them would go unnoticed."""
    rows = rows_of_two_lines()["a"]
    with open_diary("memory:") as diary:
        insert_rows(diary, {"a": rows})
        last_entry = commit(diary, "a", 7, load_line(diary.read, "a").head, "played on")
    remaining_rows = [*rows[:4], *((revision - 4, topic, content) for revision, topic, content in last_entry.all_rows)]
    insert_rows(store, {"a": remaining_rows})
    check_alteration_is_found(store, "a")


def test_a_copied_entry_is_found_by_a_read_from_a_revision_on(store: EventStore) -> None:
    rows_by_stream = copy_last_entry(rows_of_two_lines())
    insert_rows(store, {"b": rows_by_stream["b"][:-2]})
    assert [*store.read("b")]
    insert_rows(store, {"b": rows_by_stream["b"][-2:]})
    store._known_revisions_by_stream.clear()  # as if another process had written
    for _ in range(2):
        with pytest.raises(AlteredError, match="was altered"):
            list(store.read("b", after=5))
        with pytest.raises(AlteredError, match="was altered"):
            list(store.read("b", after=5, until=7))
        store._last_rows.clear()  # as in a process that has read nothing before
    with pytest.raises(AlteredError, match="was altered"):
        note(store, "b", 7, "on top of it")


def test_a_seal_without_place_is_found_among_seals_with_places(store: EventStore) -> None:
    """Old rows could be those of any stream of that time."""
    note(store, "a", -1, "one")
    (first_entry,) = store.read("a")
    row = (2, *store.codec.encode(Noted("two")))
    old_seal = make_seal([row], parent=first_entry.digest, by="ann", at=AT, id="", state=b"", salt=bytes(16))
    insert_rows(store, {"a": [row, (3, PLAIN_TOPIC, encode(old_seal))]})
    with pytest.raises(AlteredError, match="an older version of Zim wrote it"):
        list(store.read("a"))


def test_seals_of_a_stream_say_their_place_if_the_first_does(store: EventStore) -> None:
    begin_without_place(store, "old")
    assert not has_place(note(store, "old", 1, "one").seal)
    assert not has_place(note(store, "old", 3, "two").seal)
    assert len([*store.read("old")]) == 3
    assert has_place(note(store, "new", -1, "one").seal)
    assert has_place(note(store, "new", 1, "two").seal)


def bind_stream(store: EventStore, stream: str) -> None:
    store.adopt([store.seal_binding_entry([*store.read(stream)], "ann", AT)])


def test_an_old_stream_can_be_bound(store: EventStore) -> None:
    insert_rows(store, rows_of_two_lines(is_unplaced=True))
    digests_before = [entry.digest for entry in store.read("a")]
    bind_stream(store, "a")
    assert [entry.digest for entry in store.read("a")][:-1] == digests_before
    binding_entry = [*store.read("a")][-1]
    assert has_place(note(store, "a", binding_entry.revision, "more").seal)
    for after in (-1, 1, 3, 5, 7, 9):
        revisions = [entry.revision for entry in store.read("a", after)]
        assert revisions == [*range(after + 2, 15, 2)]
        assert [entry.revision for entry in store.read("a", after, 9)] == [*range(after + 2, 10, 2)]
    with open_diary("memory:") as copy:
        import_lines(copy, export_lines(store))
        assert [*export_lines(copy)] == [*export_lines(store)]


@pytest.mark.parametrize("alter", ALTERATIONS)
@pytest.mark.parametrize("after", [-1, 3])
def test_altered_old_rows_are_found_once_they_are_bound(
    store: EventStore, alter: Callable[[dict[str, list[Row]]], dict[str, list[Row]]], after: int
) -> None:
    """In those before the entry that binds them, too, and where only those are read."""
    with open_diary("memory:") as diary:
        insert_rows(diary, rows_of_two_lines(is_unplaced=True))
        for stream in ("a", "b"):
            bind_stream(diary, stream)
        binding_rows = {stream: [*diary.read(stream)][-1].all_rows for stream in ("a", "b")}
        rows_by_stream = alter({stream: list(diary._backend.rows(stream, -1, 9)) for stream in ("a", "b")})
    insert_rows(store, {stream: [*rows_by_stream[stream], *binding_rows[stream]] for stream in ("a", "b")})
    with pytest.raises(AlteredError):
        list(store.read("b", after, 9))
    check_alteration_is_found(store, "b")


def test_imported_commits_are_bound_to_their_stream(store: EventStore) -> None:
    """An import keeps the digests of the store where the commits were made."""
    rows = rows_of_two_lines()["a"][:4]
    entries = [store.make_entry("c", rows[:2]), store.make_entry("c", rows[2:])]
    binding_entry = store.seal_binding_entry(entries, "ann", AT)
    store.adopt([*entries, binding_entry])
    line = load_line(store.read, "c")
    assert [*line.commits] == [entry.digest for entry in entries]
    assert [entry.digest for entry in store.read("c", 1, 3)] == [entries[1].digest]
    store.append("d", -1, [fork_event_at(line, entries[0].digest)], by="ann", at=AT)
    assert [*load_line(store.read, "d").commits] == [entries[0].digest]
    assert not [*faults(store)]
    insert_rows(store, {"e": [row for entry in entries for row in entry.all_rows]})
    check_alteration_is_found(store, "e")
