"""A seal binds its place: the first read finds rows that were relabelled, swapped or copied."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from event_store import AlteredError, EventStore, HeadMoved
from event_store.archive import export_lines, import_lines
from event_store.chain import SEAL, Row, seal
from event_store.codec import encode
from event_store.line_history import fork_of, load
from event_store.salvage import faults, salvage
from event_store.seal_places import has_place
from tests.event_store.diary import AT, Noted, commit, note, open_diary

ELSEWHERE = "it was sealed for another place"
URLS = ["memory:", "sqlite:///{}/games.db", "postgresql:"]


@pytest.fixture(params=URLS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[EventStore]:
    server = request.param == "postgresql:"
    url = request.getfixturevalue("postgres_store") if server else request.param.format(tmp_path)
    with open_diary(url) as store:
        yield store


def streams(*, old: bool = False) -> dict[str, list[Row]]:
    """The rows of two similar lines: two commits, and two moves of the head."""
    with open_diary("memory:") as diary:
        for stream in ("a", "b"):
            if old:
                begin_as_before(diary, stream)
            first = commit(diary, stream, 1 if old else -1, b"", "set up")
            second = commit(diary, stream, first.revision, first.digest, "played")
            back = diary.append(stream, second.revision, [HeadMoved(second.digest, first.digest)], by="ann", at=AT)
            diary.append(stream, back.revision, [HeadMoved(first.digest, second.digest)], by="ann", at=AT)
        return {stream: list(diary._backend.rows(stream, -1, None)) for stream in ("a", "b")}


def begin_as_before(store: EventStore, stream: str) -> None:
    """Begins a stream as it was begun before seals said their place; it goes on so."""
    row = (0, *store.codec.encode(Noted("begun long ago")))
    sealed = seal([row], parent=b"", by="ann", at=AT, id="", state=b"", salt=bytes(16))
    store._backend.insert([(stream, *row), (stream, 1, SEAL, encode(sealed))])


def insert_rows(store: EventStore, rows: Mapping[str, Sequence[Row]]) -> None:
    store._backend.insert([(stream, *row) for stream, each in rows.items() for row in each])


def is_found(store: EventStore, stream: str) -> None:
    """Every way to read it raises an error; so do the check of the store, its export and its copy."""
    with pytest.raises(AlteredError):
        list(store.read(stream))
    with pytest.raises(AlteredError):
        list(store.read_several({stream: -1})[stream])
    assert stream in {fault.stream for fault in faults(store)}
    with pytest.raises(AlteredError):
        list(export_lines(store))
    with open_diary("memory:") as new:
        assert stream in salvage(store, new).lost


def swap_streams(rows: dict[str, list[Row]]) -> dict[str, list[Row]]:
    return {"a": rows["b"], "b": rows["a"]}


def one_swapped(rows: dict[str, list[Row]]) -> dict[str, list[Row]]:
    """The last entries of both."""
    return {"a": [*rows["a"][:-2], *rows["b"][-2:]], "b": [*rows["b"][:-2], *rows["a"][-2:]]}


def one_copied(rows: dict[str, list[Row]]) -> dict[str, list[Row]]:
    return {"a": rows["a"], "b": [*rows["b"][:-2], *rows["a"][-2:]]}


def end_of_another(rows: dict[str, list[Row]]) -> dict[str, list[Row]]:
    return {"a": rows["a"], "b": [*rows["b"][:2], *rows["a"][2:]]}


ALTERED = [swap_streams, one_swapped, one_copied, end_of_another]


@pytest.mark.parametrize("alter", ALTERED)
def test_rows_of_another_stream_are_found(
    store: EventStore, alter: Callable[[dict[str, list[Row]]], dict[str, list[Row]]]
) -> None:
    insert_rows(store, alter(streams()))
    is_found(store, "b")


def test_a_head_that_went_to_and_fro_can_t_be_left_out(store: EventStore) -> None:
    """Commits build on commits: without places a missing entry between them would go unnoticed."""
    rows = streams()["a"]
    with open_diary("memory:") as diary:
        insert_rows(diary, {"a": rows})
        last = commit(diary, "a", 7, load(diary.read, "a").head, "played on")
    left_out = [*rows[:4], *((revision - 4, topic, content) for revision, topic, content in last.whole)]
    insert_rows(store, {"a": left_out})
    is_found(store, "a")


def test_what_is_read_from_a_revision_on_is_held_to_its_place(store: EventStore) -> None:
    rows = one_copied(streams())
    insert_rows(store, {"b": rows["b"][:-2]})
    assert [*store.read("b")]
    insert_rows(store, {"b": rows["b"][-2:]})
    store._ends.clear()  # as where somebody else has written
    for _ in range(2):
        with pytest.raises(AlteredError, match="was altered"):
            list(store.read("b", after=5))
        with pytest.raises(AlteredError, match="was altered"):
            list(store.read("b", after=5, until=7))
        store._known.clear()  # as of somebody who has read nothing before
    with pytest.raises(AlteredError, match="was altered"):
        note(store, "b", 7, "on top of it")


def test_an_entry_of_an_older_program_is_found_among_others(store: EventStore) -> None:
    """Their rows could be those of any stream of that time."""
    note(store, "a", -1, "one")
    (first,) = store.read("a")
    row = (2, *store.codec.encode(Noted("two")))
    old = seal([row], parent=first.digest, by="ann", at=AT, id="", state=b"", salt=bytes(16))
    insert_rows(store, {"a": [row, (3, SEAL, encode(old))]})
    with pytest.raises(AlteredError, match="an older version of Zim wrote it"):
        list(store.read("a"))


def test_a_stream_goes_on_as_it_began(store: EventStore) -> None:
    begin_as_before(store, "old")
    assert not has_place(note(store, "old", 1, "one").seal)
    assert not has_place(note(store, "old", 3, "two").seal)
    assert len([*store.read("old")]) == 3
    assert has_place(note(store, "new", -1, "one").seal)
    assert has_place(note(store, "new", 1, "two").seal)


def bind(store: EventStore, stream: str) -> None:
    store.adopt([store.seal_binding([*store.read(stream)], "ann", AT)])


def test_an_old_stream_can_be_bound(store: EventStore) -> None:
    insert_rows(store, streams(old=True))
    before = [entry.digest for entry in store.read("a")]
    bind(store, "a")
    assert [entry.digest for entry in store.read("a")][:-1] == before
    end = [*store.read("a")][-1]
    assert has_place(note(store, "a", end.revision, "more").seal)
    for after in (-1, 1, 3, 5, 7, 9):
        revisions = [entry.revision for entry in store.read("a", after)]
        assert revisions == [*range(after + 2, 15, 2)]
        assert [entry.revision for entry in store.read("a", after, 9)] == [*range(after + 2, 10, 2)]
    with open_diary("memory:") as copy:
        import_lines(copy, export_lines(store))
        assert [*export_lines(copy)] == [*export_lines(store)]


@pytest.mark.parametrize("alter", ALTERED)
@pytest.mark.parametrize("begin", [-1, 3])
def test_old_rows_are_found_once_they_are_bound(
    store: EventStore, alter: Callable[[dict[str, list[Row]]], dict[str, list[Row]]], begin: int
) -> None:
    """In those before the entry that binds them, too, and where only those are read."""
    with open_diary("memory:") as diary:
        insert_rows(diary, streams(old=True))
        for stream in ("a", "b"):
            bind(diary, stream)
        bindings = {stream: [*diary.read(stream)][-1].whole for stream in ("a", "b")}
        rows = alter({stream: list(diary._backend.rows(stream, -1, 9)) for stream in ("a", "b")})
    insert_rows(store, {stream: [*rows[stream], *bindings[stream]] for stream in ("a", "b")})
    with pytest.raises(AlteredError):
        list(store.read("b", begin, 9))
    is_found(store, "b")


def test_commits_of_elsewhere_are_bound_where_they_are_brought(store: EventStore) -> None:
    """As they are imported: their digests are those that they were given where they were made."""
    rows = streams()["a"][:4]
    entries = [store.entry("c", rows[:2]), store.entry("c", rows[2:])]
    binding = store.seal_binding(entries, "ann", AT)
    store.adopt([*entries, binding])
    line = load(store.read, "c")
    assert [*line.commits] == [entry.digest for entry in entries]
    assert [entry.digest for entry in store.read("c", 1, 3)] == [entries[1].digest]
    store.append("d", -1, [fork_of(line, entries[0].digest)], by="ann", at=AT)
    assert [*load(store.read, "d").commits] == [entries[0].digest]
    assert not [*faults(store)]
    insert_rows(store, {"e": [row for entry in entries for row in entry.whole]})
    is_found(store, "e")
