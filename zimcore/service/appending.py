"""What the service writes: commits, moves of a head, names."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import msgspec

from event_store import ConflictError, Draft, Entry, EventStore
from zimcore.game import Event
from zimcore.service.names import Names


def now() -> datetime:
    """The time in UTC."""
    return datetime.now(UTC)


def new_id() -> str:
    """A name for a stream or a command that nobody else has: 16 hex digits."""
    return os.urandom(8).hex()


class Appender(msgspec.Struct, frozen=True):
    """Appends to a store, with the time and a command id of its own for each entry."""

    store: EventStore
    clock: Callable[[], datetime]
    ids: Callable[[], str]

    def entry(
        self,
        stream: str,
        expected: int,
        events: Sequence[msgspec.Struct],
        by: str,
        *,
        parent: bytes | None = None,
        state: bytes = b"",
        id: str = "",  # noqa: A002
    ) -> Entry:
        """Appends an entry; a commit has the commit that it builds on as its `parent`, and ends in a `state`."""
        at, name = self.clock(), id or self.ids()
        return self.store.append(stream, expected, events, by=by, at=at, parent=parent, state=state, id=name)

    def draft(self, events: Sequence[msgspec.Struct], by: str, *, state: bytes = b"", id: str = "") -> Draft:  # noqa: A002
        """An entry that is to be appended with others."""
        return Draft(events, by, self.clock(), id or self.ids(), state)

    def drafts(
        self, commits: Sequence[tuple[Sequence[msgspec.Struct], bytes]], by: str, command_id: str
    ) -> list[Draft]:
        """Commits (events, digest of the state) that one command makes: `made_by` finds them by its id."""
        ids = [f"{command_id}/{n}" if command_id else "" for n in range(len(commits))]
        return [self.draft(events, by, state=state, id=id_) for (events, state), id_ in zip(commits, ids, strict=True)]

    def names(self, read: Callable[[], Names], choose: Callable[[Names], Sequence[Event]], by: str) -> None:
        """Appends the names that are chosen; when somebody else was faster, reads theirs and lets choose again."""
        while True:
            names = read()
            events = choose(names)
            try:
                if events:
                    self.entry(names.stream, names.revision, events, by)
                return
            except ConflictError:
                continue
