"""Archives, deletes, restores and removes games. The catalogue records it.

An archived game is not listed. A deleted one loses its name and can't be found, but its data stays and it can be
restored. A game can be removed for good only from a SQLite file; a note in the catalogue then says that it existed.

In other words: soft delete, hard delete.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Literal, TypeAlias

import msgspec

from event_store import ConflictError, DamagedError, EventStore, Forked, StoreError
from event_store.line_history import FORKED_TOPIC
from zimcore.game import GameError, UnknownError
from zimcore.service.lines.line_repository import LineRepository
from zimcore.service.records.idempotency import IdempotencyKey
from zimcore.service.records.names import (
    CATALOGUE,
    CatalogueEvent,
    GameArchived,
    GameDeleted,
    GameNamed,
    GameRemoved,
    GameRestored,
    NameEvent,
    Names,
    read_names_leniently,
)
from zimcore.service.records.places import parse_place
from zimcore.service.writing.many_games import streams_of_game
from zimcore.service.writing.writer import Writer, WriteRequest, check_head

ArchiveAction: TypeAlias = Literal["archive", "restore", "delete", "remove"]
ARCHIVE: ArchiveAction = "archive"
RESTORE: ArchiveAction = "restore"
DELETE: ArchiveAction = "delete"
REMOVE: ArchiveAction = "remove"


class GameContents(msgspec.Struct, frozen=True):
    """How much is stored of a game: its named lines, and the moves on all its lines."""

    name: str
    line_count: int
    move_count: int


def game_in(repository: LineRepository, place: str) -> str:
    """The game that a place names. Raises `GameError` for a line or a position: only a whole game can be archived."""
    parsed_place = parse_place(place)
    if parsed_place.line or parsed_place.position:
        what = f"{place} is {'a position' if parsed_place.position else 'a line'}"
        is_archived = parsed_place.match in repository.catalogue().archived_names
        hint = f"archive {parsed_place.match} --back" if is_archived else f"archive {parsed_place.match}"
        hints = [hint, *(["help forget"] if parsed_place.line else [])]
        raise GameError(what, "only a whole game can be archived", hints)
    return parsed_place.match


def change_archive(
    writer: Writer, repository: LineRepository, action: ArchiveAction, name: str, request: WriteRequest
) -> None:
    """Archives, restores, deletes or removes a game. Raises `UnknownError` if its state does not allow that."""
    if request.expected and not repository.catalogue().earlier_entry(request.by, request.key):
        check_head(repository.line_at_head(name), request)
    if action == REMOVE:
        _remove_game(writer, repository, name, request.by, request.key)
        repository.catalogue()
        return

    def make_events(catalogue: Names) -> Sequence[NameEvent]:
        return [_archive_event(catalogue, action, name)]

    writer.append_from_fold(repository.catalogue, make_events, request.by, request.key)
    repository.catalogue()  # read it again, as names are looked up in what was read last


def _archive_event(catalogue: Names, action: ArchiveAction, name: str) -> CatalogueEvent:
    """The event to append to the catalogue. Raises `UnknownError` if it can't follow."""
    event = GameRestored(name) if action == RESTORE else GameArchived(name) if action == ARCHIVE else GameDeleted(name)
    catalogue.check_follows(event)
    if isinstance(event, GameArchived) and name in catalogue.archived_names:
        raise UnknownError(f"{name} is archived already", "", [f"archive {name} --back", "games --archived"])
    return event


def find_game(catalogue: Names, name: str) -> GameNamed:
    """Finds a game by name, deleted or not. Raises `UnknownError`."""
    named_game = catalogue.games.get(name) or catalogue.deleted_games.get(name)
    if named_game is None:
        raise catalogue.unknown_game_error(name)
    return named_game


def count_contents(repository: LineRepository, name: str) -> GameContents:
    """How much is stored of a game, as far as it can be read. Raises `UnknownError`."""
    names, _ = read_names_leniently(repository.store, find_game(repository.catalogue(), name).game)
    commit_count = sum(_count_commits(repository.store, stream) for stream in names.streams)
    return GameContents(name, len(names.lines), max(commit_count - 1, 0))  # the set-up is not a move


def _count_commits(store: EventStore, stream: str) -> int:
    try:
        return sum(entry.is_commit for entry in store.read(stream))
    except StoreError:  # a damaged line can be removed, too
        return 0


def _remove_game(writer: Writer, repository: LineRepository, name: str, author: str, key: IdempotencyKey) -> None:
    store = repository.store
    if not store.can_remove:
        why = "games are removed for good only from a file of your own"
        raise GameError(f"nothing is removed from {store.url}", why, [f"delete {name}", f"archive {name}"])
    while True:
        catalogue = repository.catalogue()
        if catalogue.earlier_entry(author, key) or (
            name in catalogue.removal_notes and name not in catalogue.taken_names
        ):
            break  # removed already: only `compact` is left to do
        streams = _streams_to_remove(store, find_game(catalogue, name))
        draft = writer.draft([GameRemoved(name, streams)], author, key=key)
        try:
            store.remove_streams(streams, store.seal_entry(CATALOGUE, catalogue.revision, draft))
            break
        except ConflictError:
            continue  # another writer has changed the catalogue: try again
    store.compact()


def _streams_to_remove(store: EventStore, named_game: GameNamed) -> tuple[str, ...]:
    """The streams of a game, and all their forks."""
    streams = {*streams_of_game(store, named_game.game, store.streams())}
    parents_by_fork = dict(_forks_with_parents(store))
    while forks_of_streams := {fork for fork, parent in parents_by_fork.items() if parent in streams} - streams:
        streams |= forks_of_streams
    return tuple(sorted(streams))


def _forks_with_parents(store: EventStore) -> Iterable[tuple[str, str]]:
    """Each fork with its parent stream. Found in the rows, since after a crash a fork may have no name."""
    for stream, (revision, topic, content) in store.rows():
        if topic == FORKED_TOPIC:
            with suppress(DamagedError):  # a damaged fork of any game must not prevent the removal
                fork_event = store.codec.decode(topic, content, stream=stream, revision=revision)
                assert isinstance(fork_event, Forked)
                yield stream, fork_event.line
