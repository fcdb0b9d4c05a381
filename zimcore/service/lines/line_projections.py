"""Projections (read models): what lists show of a line, and a snapshot of a game's names, stored with their streams.

A line's projection is written with each move; if it is missing or behind, it is made anew when the line is listed. So a
list of many games reads a few bytes per game and folds none of them.

In other words: CQRS.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cache
from typing import Any

import msgspec

from event_store import EventStore, StoreError
from event_store.codec import decoder_of, encode
from event_store.projections import Projection
from zimcore.game import Game, Seat
from zimcore.service.lines.line_repository import LoadedLine
from zimcore.service.lines.visibility import TABLE, state_for
from zimcore.service.records.names import Names

PROJECTION_FORMAT = "summary.1"
NAMES_FORMAT = "names.3 " + " ".join(Names.__struct_fields__)
"""The format of a snapshot of names; a snapshot in another format is made anew."""


class LineProjection(msgspec.Struct, frozen=True, array_like=True):
    """The public view of a line at its head. In a game with secrets a seat may know more.

    `head` and `played_at` are the digest and time of the commit at the head. They are stored empty if that is the last
    entry of the stream. A fork starts from the stream `parent` after commit number `forked_at`.
    """

    stored_format: str
    has_secrets: bool
    seats: tuple[Seat, ...]
    number: int
    status: str
    head: bytes = b""
    played_at: datetime | None = None
    parent: str = ""
    forked_at: int | None = None


_projection_decoder = msgspec.msgpack.Decoder(LineProjection)


@cache
def _names_decoder() -> msgspec.msgpack.Decoder[tuple[str, Names]]:
    """The decoder of snapshots of names, made when it is first needed."""
    return decoder_of(tuple[str, Names])


def projection_format(game: Game) -> str:
    """The format of a line's projection, with the version of its rules; one in another format is made anew."""
    return f"{PROJECTION_FORMAT} {game.name} {game.version}"


def encode_projection(
    loaded_line: LoadedLine,
    digest_and_number: tuple[bytes, int] | None = None,
    state: Any = None,
    *,
    is_new: bool = False,
) -> bytes:
    """The encoded projection of a line: at its head, or at another one (`digest_and_number`: its digest and number).

    Give `is_new` and `state` for a commit that is about to be stored. Empty if the game raises an error, since a bug in
    a third-party game must not make a move fail.
    """
    line, game = loaded_line.line, loaded_line.game
    digest, number = digest_and_number or (line.head, line.commit_numbers[line.head])
    fork = line.fork_event
    try:
        visible_state = state_for(game, loaded_line.states.state_at(digest) if state is None else state, TABLE)
        seats, status = game.evolution.seats(visible_state), game.display.status(visible_state)
    except Exception:
        return b""
    projection = LineProjection(
        projection_format(game),
        bool(game.secrets),
        seats,
        number,
        status,
        b"" if is_new else digest,
        None if is_new else line.commits[digest].seal.at,
        fork.line if fork else "",
        line.commit_numbers[fork.commit] if fork else None,
    )
    return encode(projection)


def encode_fork_projection(loaded_line: LoadedLine, digest: bytes) -> bytes:
    """The encoded projection of a fork that is about to be made at a commit."""
    content, forked_entry = (
        encode_projection(loaded_line, (digest, loaded_line.line.commit_numbers[digest])),
        loaded_line.line.commits[digest],
    )
    if not content:
        return b""
    line_projection = _projection_decoder.decode(content)
    return encode(
        msgspec.structs.replace(line_projection, parent=forked_entry.stream, forked_at=line_projection.number)
    )


def decode_projection(projection: Projection | None, game: Game) -> LineProjection | None:
    """Decodes a line's projection; None if it is behind or of another version of the rules."""
    if projection is None or projection.is_behind:
        return None
    try:
        line_projection = _projection_decoder.decode(projection.content)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    if line_projection.stored_format != projection_format(game):
        return None
    return msgspec.structs.replace(
        line_projection,
        head=line_projection.head or projection.digest,
        played_at=line_projection.played_at or projection.at,
    )


def encode_names(names: Names) -> bytes:
    """Encodes a snapshot of names, without the game's own name and without `by_command_id`, which only writers need."""
    # Not by `encode`, which sorts by name: the first line must stay first.
    return msgspec.msgpack.encode((NAMES_FORMAT, msgspec.structs.replace(names, match="", by_command_id={})))


def decode_names(projection: Projection | None, stream: str, match: str = "") -> Names | None:
    """Decodes a snapshot of names; None if it does not fit the stream or is in another format."""
    if projection is None:
        return None
    try:
        stored_format, names = _names_decoder().decode(projection.content)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    if stored_format != NAMES_FORMAT or (names.stream, names.revision) != (stream, projection.revision):
        return None
    return msgspec.structs.replace(names, match=match)


def load_names(store: EventStore, streams: Mapping[str, str]) -> dict[str, Names]:
    """Loads the names of several games, from their streams (with the match of each); damaged ones are left out.

    Each starts from its snapshot. If there were newer entries, they are read and a new snapshot is stored.
    """
    names_by_stream, refreshed_names = dict[str, Names](), list[Names]()
    projections = store.projections(streams)
    for stream, match in streams.items():
        projection = projections.get(stream)
        names = decode_names(projection, stream, match) or Names(stream, match=match)
        try:
            if projection is None or names.revision != projection.last_revision:
                names.refresh(store)
                refreshed_names.append(names)
        except StoreError:  # the list shows the reason
            continue
        names_by_stream[stream] = names
    store_names(store, refreshed_names)
    return names_by_stream


MAX_SNAPSHOT_LINES = 50
"""The most lines in a snapshot of names: with more, writing a snapshot takes longer than folding the stream."""


def store_names(store: EventStore, names: Iterable[Names]) -> None:
    """Stores snapshots of names."""
    store.store_projections(
        (game_names.stream, game_names.revision, game_names.digest, encode_names(game_names))
        for game_names in names
        if len(game_names.lines) <= MAX_SNAPSHOT_LINES
    )
