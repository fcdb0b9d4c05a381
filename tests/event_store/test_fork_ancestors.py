"""The ancestors of a forked line: loading them together gives the same lines as loading each alone."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

import pytest

from event_store import DamagedError, Entry, EventStore, Forked, Line
from event_store.line_history import line_with_ancestors, load_line
from tests.service.nim_service import play, service_on


def test_each_line_is_as_if_loaded_alone_and_its_stream_is_read_once() -> None:
    """Given forks of forks, with moves before and after each fork, and a moved head."""
    service = service_on("memory:")
    service.new("nim", {"stones": "50", "seed": "7"}, name="nim", by="ann")
    play(service, "take 1", "take 2", place="nim/main")
    for fork_number in range(3):
        service.fork(f"nim/f{fork_number - 1}" if fork_number else "nim/main@1", f"f{fork_number}", by="ann")
        play(service, "take 3", place=f"nim/f{fork_number}")
    service.undo("nim/f0", by="ann")
    play(service, "take 1", place="nim/main")
    streams = [service.names("nim").lines[name] for name in ("main", "f0", "f1", "f2")]
    read_streams = list[str]()

    def read(stream: str, after: int = -1, until: int | None = None) -> Iterable[Entry]:
        read_streams.append(stream)
        return service.store.read(stream, after, until)

    lines = line_with_ancestors(read, streams[-1])
    assert read_streams == streams[::-1]
    assert [line_summary(line) for line in lines] == [
        line_summary(load_line(service.store.read, stream)) for stream in streams
    ]


def line_summary(line: Line) -> object:
    return (
        line.stream,
        line.revision,
        [*line.commits],
        line.commit_numbers,
        line.head,
        line.last_digest,
        line.path,
        [*line.by_command_id],
    )


def test_a_line_that_was_forked_from_itself_is_damaged() -> None:
    """Given two streams of which each says that it was forked from the other."""

    with EventStore.open("memory:") as store:
        for stream, parent_stream in (("a", "b"), ("b", "a")):
            store.append(stream, -1, [Forked(parent_stream, 0, b"")], by="ann", at=datetime(2024, 5, 1, tzinfo=UTC))
        with pytest.raises(DamagedError, match="forked from itself"):
            line_with_ancestors(store.read, "a")
