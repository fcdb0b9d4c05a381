"""Faults that the attacks must catch. Each replaces, at run time, the code that prevents an attack.

Every Python process that `scripts/attack --planted` starts calls `plant` before anything else
(`planted/sitecustomize.py`). The product has no hook for this.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple


def digests_unchecked() -> None:
    """Digests are not recomputed on reads."""
    from event_store import chain

    chain.check = lambda entry: None


def places_unchecked() -> None:
    """A seal is valid in any stream, at any revision."""

    from event_store import seal_places

    seal_places.is_place_of = lambda *_: True
    seal_places.check_following = lambda stream, entries_read, before: iter(entries_read)
    seal_places.Places.fits = lambda *_: True  # type: ignore[method-assign]


def projections_unchecked() -> None:
    """Projections are used as they are stored."""
    from event_store import projections

    projections.is_whole = lambda stored: True


def errors_read_as_nothing() -> None:
    """An unreadable part of a file counts as the end of the file."""
    from eventsourcing.persistence import OperationalError

    from event_store.backends.sqlite import SQLiteRecorder

    def without_errors(query: Callable[..., Any], fallback: object) -> Callable[..., Any]:
        def query_silently(*args: Any) -> Any:
            with suppress(OperationalError):
                return query(*args)
            return fallback

        return query_silently

    SQLiteRecorder._fetch = without_errors(SQLiteRecorder._fetch, ())  # type: ignore[method-assign]
    SQLiteRecorder.version = without_errors(SQLiteRecorder.version, None)  # type: ignore[method-assign]


def index_trusted() -> None:
    """What the index does not find does not exist."""
    from event_store.backends.sqlite import IndexEnd

    IndexEnd.is_doubtful = lambda *_: False  # type: ignore[method-assign]


def damaged_unlisted() -> None:
    """Games that can't be read are missing from the list."""
    from zimcore.service import listing

    games = listing.games
    listing.games = lambda *args: [info for info in games(*args) if info.seats]


def check_finds_nothing() -> None:
    """`db check` finds nothing."""
    from zimcore.service import maintenance

    maintenance.check = lambda *_: ()


def rows_not_read_back() -> None:
    """Written rows are not read back, so changes by a trigger go unnoticed."""
    from event_store.backends import sqlite

    sqlite._insert = lambda cursor, rows: cursor.executemany(sqlite.INSERT, rows)


def rewrites_unreported() -> None:
    """A witness does not report rewritten streams."""
    from zimcore.service import witness

    find_loss = witness._find_loss
    witness._find_loss = lambda *args: loss if (loss := find_loss(*args))[0] != witness.REWRITTEN else ("", "")


def missing_streams_unreported() -> None:
    """A witness does not report missing streams."""
    from zimcore.service import witness

    find_loss = witness._find_loss
    witness._find_loss = lambda *args: loss if (loss := find_loss(*args))[0] != witness.GONE else ("", "")


def rules_not_asked() -> None:
    """Imported commands are not decided again."""
    from zimcore.service import audit

    audit._deviation = lambda *_: ""


def exports_not_counted() -> None:
    """The last line of an export is not checked."""
    from event_store import archive

    archive._expect = lambda *_: None


def components_unchecked() -> None:
    """Components may have any figures."""
    from zimcore.games.africana.rules import setup

    vars(setup)["faults"] = lambda box: []


def rows_overwritten() -> None:
    """If two processes write at once, the second overwrites the first."""
    from event_store.backends import sqlite

    sqlite.INSERT = sqlite.INSERT.replace("INSERT", "INSERT OR REPLACE")


def rows_one_by_one() -> None:
    """Each row of an append is a transaction of its own."""
    from event_store.backends.backend import Backend

    insert = Backend.insert

    def insert_one_by_one(self: Backend, rows: Sequence[Any], projections: object = ()) -> bool:
        del projections
        return all([insert(self, [row]) for row in rows])  # noqa: C419 - all of them

    Backend.insert = insert_one_by_one  # type: ignore[method-assign]


def retries_done_again() -> None:
    """A retried command is done again."""
    from zimcore.service import line_repository

    line_repository.LoadedLine.earlier_entries = lambda *_: None  # type: ignore[method-assign, assignment]


def set_synchronous(mode: str) -> Callable[[], None]:
    """SQLite waits less for the disk."""

    def plant() -> None:
        from event_store.backends import sqlite

        create = sqlite.Pool._create_connection

        def create_connection(self: sqlite.Pool) -> Any:
            connection = create(self)
            connection.cursor().execute(f"PRAGMA synchronous = {mode}")
            return connection

        sqlite.Pool._create_connection = create_connection  # type: ignore[method-assign]

    return plant


def server_not_synced() -> None:
    """PostgreSQL does not wait for the disk."""
    from event_store.backends import postgres

    postgres.WAIT_FOR_DISK = " SELECT set_config('synchronous_commit', 'off', true);"


def pile_shown() -> None:
    """Every viewer of a game of Africana sees the top card of the pile."""
    from zimcore.games.africana import secrets

    conceal = secrets.conceal

    def show_top_card(state: Any, seat: str | None) -> Any:
        concealed = conceal(state, seat)
        concealed.pile = (*concealed.pile[:-1], *state.pile[-1:])
        return concealed

    secrets.conceal = show_top_card


def moves_stored_twice() -> None:
    """After every fifth move of a game the service plays one more, which nobody asked for."""
    from zimcore.service import GameService, Position

    play = GameService.play

    def play_twice(self: GameService, place: str, *command: Any, **options: Any) -> Any:
        position = play(self, place, *command, **options)
        if isinstance(position, Position) and position.commit.number % 5 == 4:
            play(self, place, next(iter(self.head(place).legal().texts(""))), by="nobody")
        return position

    GameService.play = play_twice  # type: ignore[method-assign]


def feeds_with_gaps() -> None:
    """A feed leaves out every fifth move."""
    from zimcore.server import feeds

    read_messages, number_pattern = feeds.messages_since, b'"number":%d,'

    def read_with_gaps(*args: Any) -> Any:
        messages = read_messages(*args)
        return [each for each in messages if not any(number_pattern % number in each.content for number in (5, 10))]

    vars(feeds)["messages_since"] = read_with_gaps


def acknowledged_and_lost() -> None:
    """Every fifth move is acknowledged, and undone."""
    from zimcore.service import GameService, Position

    play = GameService.play

    def play_and_lose(self: GameService, place: str, *command: Any, **options: Any) -> Any:
        position = play(self, place, *command, **options)
        if isinstance(position, Position) and position.commit.number % 5 == 4:
            self.undo(place, by="nobody")
        return position

    GameService.play = play_and_lose  # type: ignore[method-assign]


class Fault(NamedTuple):
    """A fault, and the attacks that must each catch it."""

    name: str
    plant: Callable[[], None]
    caught_by: Sequence[str]


FAULTS = (
    Fault("digests are not recomputed on read", digests_unchecked, ("flips", "edits")),
    Fault("a row relabelled is read", places_unchecked, ("relabelled",)),
    Fault("summaries are taken as they are stored", projections_unchecked, ("edits",)),
    Fault("what can't be read is nothing", errors_read_as_nothing, ("truncations", "pages")),
    Fault("the index is trusted", index_trusted, ("pages",)),
    Fault("a damaged game is missing from games", damaged_unlisted, ("flips", "edits")),
    Fault("db check finds nothing", check_finds_nothing, ("edits",)),
    Fault("rows are not read back", rows_not_read_back, ("triggers",)),
    Fault("a witness misses only cut ends", rewrites_unreported, ("taken back",)),
    Fault("a witness misses no whole stream", missing_streams_unreported, ("taken back",)),
    Fault("imports are not decided again", rules_not_asked, ("hostile certificates",)),
    Fault("exports are not counted", exports_not_counted, ("hostile exports",)),
    Fault("components are not checked", components_unchecked, ("hostile components",)),
    Fault("the second writer overwrites the first", rows_overwritten, ("namers",)),
    Fault("rows are stored one by one", rows_one_by_one, ("kills", "kills postgresql")),
    Fault("a retry is done again", retries_done_again, ("kills", "kills postgresql", "sessions", "service")),
    Fault("a move is stored twice", moves_stored_twice, ("deployment",)),
    Fault("a feed leaves out moves", feeds_with_gaps, ("deployment",)),
    Fault("an acknowledged move is lost", acknowledged_and_lost, ("deployment",)),
    Fault("synchronous=OFF", set_synchronous("OFF"), ("power",)),
    Fault("synchronous=NORMAL", set_synchronous("NORMAL"), ("power",)),
    Fault("synchronous_commit=off", server_not_synced, ("restarts",)),
    Fault("the top of the pile is shown", pile_shown, ("secrecy",)),
)


def plant(name: str) -> None:
    """Plants a fault in this process."""
    next(fault for fault in FAULTS if fault.name == name).plant()
