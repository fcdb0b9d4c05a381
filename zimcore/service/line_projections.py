"""Projections (read models): what lists show of a line, and a snapshot of a game's names, stored beside their streams.

A line's summary is written with each move; one that is behind, or missing, is renewed when it is listed. So a list
of many games reads a few bytes of each, and folds none of them.

In other words: CQRS.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cache
from typing import Any

import msgspec

from event_store import EventStore, StoreError
from event_store.codec import encode
from event_store.projections import Projection
from zimcore.game import Game, Seat
from zimcore.service.line_repository import LoadedLine
from zimcore.service.names import Names
from zimcore.service.visibility import TABLE, state_for

FORM = "summary.1"
NAMES = "names.2 " + " ".join(Names.__struct_fields__)
"""Of a snapshot of names: one with other fields is made anew."""


class LineProjection(msgspec.Struct, frozen=True, array_like=True):
    """The public view of a line at its head. In a game with secrets a seat may know more.

    `head` and `played` are the digest and the time of the commit; empty where it is the last entry of the stream. A
    fork begins on the stream `parent` after commit `forked_at`.
    """

    form: str
    secret: bool
    seats: tuple[Seat, ...]
    number: int
    status: str
    head: bytes = b""
    played: datetime | None = None
    parent: str = ""
    forked_at: int | None = None


_summary = msgspec.msgpack.Decoder(LineProjection)


@cache
def _names() -> msgspec.msgpack.Decoder[tuple[str, Names]]:
    """Made when names are first read from a snapshot, which few starts do."""
    return msgspec.msgpack.Decoder(tuple[str, Names])


def projection_form(game: Game) -> str:
    """What a summary is of: one by another version of the rules is made anew."""
    return f"{FORM} {game.name} {game.version}"


def project_head(
    found: LoadedLine, at: tuple[bytes, int] | None = None, state: Any = None, *, new: bool = False
) -> bytes:
    """The public summary of a line: at its head, or at another commit, given with its number.

    Where the commit is only about to be stored it is `new`, and its state is given. Empty where there is no summary: a
    game of somebody else's may stumble over a state, and a move must not fail by that.
    """
    line, game = found.line, found.game
    digest, number = at or (line.head, line.numbers[line.head])
    forked = line.forked
    try:
        known = state_for(game, found.states.state_at(digest) if state is None else state, TABLE)
        seats, status = game.evolution.seats(known), game.display.status(known)
    except Exception:
        return b""
    summary = LineProjection(
        projection_form(game),
        bool(game.secrets),
        seats,
        number,
        status,
        b"" if new else digest,
        None if new else line.commits[digest].seal.at,
        forked.line if forked else "",
        line.numbers[forked.commit] if forked else None,
    )
    return encode(summary)


def project_fork(found: LoadedLine, digest: bytes) -> bytes:
    """The summary of a line that is about to be forked from another at a commit, and has nothing of its own yet."""
    content, made = project_head(found, (digest, found.line.numbers[digest])), found.line.commits[digest]
    if not content:
        return b""
    summary = _summary.decode(content)
    return encode(msgspec.structs.replace(summary, parent=made.stream, forked_at=summary.number))


def read_projection(projection: Projection | None, game: Game) -> LineProjection | None:
    """A summary, unless it is behind, or of another version of the rules."""
    if projection is None or projection.is_behind:
        return None
    try:
        found = _summary.decode(projection.content)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    if found.form != projection_form(game):
        return None
    return msgspec.structs.replace(found, head=found.head or projection.digest, played=found.played or projection.at)


def encode_names(names: Names) -> bytes:
    """A snapshot of names, whatever their game is called; without what was asked for, which only a writer looks up."""
    # Not by `encode`: that sorts by name, and the order of lines says with which one the game began.
    return msgspec.msgpack.encode((NAMES, msgspec.structs.replace(names, match="", asked={})))


def read_names(projection: Projection | None, stream: str, match: str = "") -> Names | None:
    """Names as they were at the revision of their snapshot."""
    if projection is None:
        return None
    try:
        form, found = _names().decode(projection.content)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    if form != NAMES or (found.stream, found.revision) != (stream, projection.revision):
        return None
    return msgspec.structs.replace(found, match=match)


def load_names(store: EventStore, streams: Mapping[str, str]) -> dict[str, Names]:
    """The names of lines by their streams, given with their matches; without those that can't be read.

    What was named since a snapshot is read, and a new one is stored.
    """
    found, fresh = dict[str, Names](), list[Names]()
    projections = store.projections(streams)
    for stream, match in streams.items():
        projection = projections.get(stream)
        names = read_names(projection, stream, match) or Names(stream, match)
        try:
            if projection is None or names.revision != projection.last:
                names.refresh(store)
                fresh.append(names)
        except StoreError:  # as is told where it is listed
            continue
        found[stream] = names
    store_names(store, fresh)
    return found


MAX_LINES = 50
"""Lines of which there is a snapshot: one of more would take longer to write with each new line than to fold."""


def store_names(store: EventStore, names: Iterable[Names]) -> None:
    """Stores snapshots of names."""
    store.project(
        (each.stream, each.revision, each.digest, encode_names(each)) for each in names if len(each.lines) <= MAX_LINES
    )
