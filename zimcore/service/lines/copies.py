"""Copies of lines for clients that fold them themselves: whole if nothing is hidden, otherwise redacted for a seat."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile

import msgspec

from event_store import Entry
from event_store.line_history import path_to
from zimcore.documents.copies import BoundSeat, DealDocument, DiscussionCopy, EntryDocument, NamedLine, RedactedSeal
from zimcore.game import Event, Seat
from zimcore.service.lines.line_repository import LineRepository, LoadedLine
from zimcore.service.records.bindings import KeyChanged
from zimcore.service.records.fair_deal import DealTable
from zimcore.service.records.names import Names

MAX_ENTRIES = 2000
"""The most entries in one answer; a client that needs more asks again."""


class LineCopy(msgspec.Struct, frozen=True):
    """The entries of a line after a revision.

    `revision` is the line's last one, `digest_before` the digest (hex) of the entry before the first. It `has_more` if
    more entries follow.
    """

    stream: str
    revision: int
    digest_before: str
    entries: tuple[EntryDocument, ...]
    has_more: bool


def copy_line(
    repository: LineRepository,
    loaded_line: LoadedLine,
    last_known_revision: int,
    seat: Seat | None,
    max_entries: int = MAX_ENTRIES,
) -> LineCopy:
    """The entries of a line after a revision, `max_entries` at once, redacted for a seat (None: whole).

    A copy of a fork from the start (-1) begins with the commits that it shares with its parent, without the parent's
    other entries.
    """
    line = loaded_line.line
    # Up to its revision: others may have been written since it was loaded.
    own_entries = (
        [*repository.store.read(line.stream, until=line.revision)] if last_known_revision < line.revision else []
    )
    digest_before = line.last_digest.hex() if last_known_revision == line.revision else ""
    shared_commits: list[Entry] = []
    if last_known_revision < 0 and line.fork_event:
        shared_commits = list(map(line.commits.__getitem__, path_to(line, line.fork_event.commit)))
    elif own_entries:
        known_entries = [*takewhile(lambda entry: entry.revision <= last_known_revision, own_entries)]
        digest_before = (
            known_entries[-1].digest.hex()
            if known_entries and known_entries[-1].revision == last_known_revision
            else ""
        )
    new_entries = [entry for entry in own_entries if entry.revision > last_known_revision]
    documents = (entry_document(loaded_line, entry, seat) for entry in (*shared_commits, *new_entries[:max_entries]))
    return LineCopy(line.stream, line.revision, digest_before, tuple(documents), len(new_entries) > max_entries)


def copy_discussion(
    repository: LineRepository, match: str, owner: str, last_known_revision: int
) -> DiscussionCopy | None:
    """The entries of a discussion after a revision: the public one, or that of its `owner`; None if it is empty."""
    discussion = repository.discussion(match, owner)
    if discussion.revision < 0:
        return None
    current_entries = repository.store.read(discussion.stream, until=discussion.revision)
    new_entries = [entry for entry in current_entries if entry.revision > last_known_revision]
    documents = (
        EntryDocument(entry.stream, entry.rows[0][0], tuple(row[1:] for row in entry.all_rows))
        for entry in new_entries[:MAX_ENTRIES]
    )
    return DiscussionCopy(discussion.stream, discussion.revision, tuple(documents))


def entry_document(loaded_line: LoadedLine, entry: Entry, seat: Seat | None) -> EntryDocument:
    """An entry as it is stored, or with its events redacted for a seat."""
    first_revision, secrets, seal = entry.rows[0][0], loaded_line.game.secrets, entry.seal
    if secrets is None or seat is None:
        return EntryDocument(
            entry.stream, first_revision, tuple((topic, content) for _, topic, content in entry.all_rows)
        )
    events = entry.events
    if entry.is_commit:
        events = tuple(secrets.redact(event, seat) for event in events if isinstance(event, Event))
    # Leave out the salt and the digest of the state: with them one could find hidden cards by trying.
    redacted_seal = RedactedSeal(seal.digest.hex(), seal.parent.hex(), seal.by, seal.at, entry.is_commit)
    return EntryDocument(entry.stream, first_revision, tuple(map(entry.codec.encode, events)), redacted_seal)


def named_lines(names: Names, visible_names: Iterable[str]) -> tuple[NamedLine, ...]:
    """The lines with these names and their streams."""
    streams_by_name = ((name, names.lines[name]) for name in visible_names if name in names.lines)
    return tuple(NamedLine(name, stream, stream in names.own_streams) for name, stream in streams_by_name)


def deal_document(table: DealTable | None, *, shows_secret: bool) -> DealDocument | None:
    """How a game was dealt fairly; None without a table. `shows_secret` adds the secret, once it may be seen."""
    if table is None:
        return None
    shares = {seat: share.hex() for seat, share in table.shares.items()}
    return DealDocument(
        table.kind, table.options, table.seats, table.commitment, shares, table.secret.hex() if shows_secret else ""
    )


def table_in(deal: DealDocument) -> DealTable:
    """The table in a document. Raises `ValueError` for invalid hex."""
    shares = {seat: bytes.fromhex(share) for seat, share in deal.shares.items()}
    return DealTable(deal.kind, deal.options, deal.seats, bytes.fromhex(deal.secret), deal.commit, shares, "main")


def bound_seats(names: Names, visible_lines: tuple[NamedLine, ...]) -> tuple[BoundSeat, ...]:
    """The keys of all seats, oldest first, with revisions of the visible lines only."""
    streams = {line.stream for line in visible_lines}
    return tuple(
        BoundSeat(
            seat,
            binding.key,
            {stream: revision for stream, revision in binding.since.items() if stream in streams},
            binding.signed.hex() if isinstance(binding, KeyChanged) else "",
            binding.proof.hex() if isinstance(binding, KeyChanged) else "",
        )
        for seat, bindings in names.all_bindings.items()
        for binding in bindings
    )
