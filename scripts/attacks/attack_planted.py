"""Faults that the attacks must catch. Each replaces, at run time, the code that prevents an attack.

Every Python process that `scripts/attack --planted` starts calls `plant` before anything else
(`planted/sitecustomize.py`). The product has no hook for this.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from scripts.attacks import attack_planted_files as files
from scripts.attacks import attack_planted_server as server


def leave_digests_unchecked() -> None:
    """Digests are not recomputed on reads."""
    from event_store import chain

    chain.check_digest = lambda entry: None


def leave_places_unchecked() -> None:
    """A seal is valid in any stream, at any revision."""

    from event_store import seal_places

    seal_places.is_at_its_place = lambda *_: True
    seal_places.checked_following = lambda stream, entries, digest_before: iter(entries)
    seal_places.PlaceChecker.accept = lambda *_: True  # type: ignore[method-assign]


def leave_projections_unchecked() -> None:
    """Projections are used as they are stored."""
    from event_store import projections

    projections._has_right_checksum = lambda *_: True


def read_errors_as_nothing() -> None:
    """An unreadable part of a file counts as the end of the file."""
    from eventsourcing.persistence import OperationalError

    from event_store.backends.sqlite import SQLiteRecorder
    from event_store.marks import Marks

    def without_errors(query: Callable[..., Any], fallback: object) -> Callable[..., Any]:
        def query_silently(*args: Any) -> Any:
            with suppress(OperationalError):
                return query(*args)
            return fallback

        return query_silently

    SQLiteRecorder._fetch = without_errors(SQLiteRecorder._fetch, ())  # type: ignore[method-assign]
    SQLiteRecorder.change_token = without_errors(SQLiteRecorder.change_token, None)  # type: ignore[method-assign]
    SQLiteRecorder.marks = without_errors(SQLiteRecorder.marks, Marks())  # type: ignore[method-assign]


def trust_index() -> None:
    """What the index does not find does not exist."""
    from event_store.backends.sqlite import IndexEnd

    IndexEnd.is_doubtful = lambda *_: False  # type: ignore[method-assign]


def unlist_damaged_games() -> None:
    """Games that can't be read are missing from the list."""
    from zimcore.service.writing import listing

    list_games = listing.list_games
    listing.list_games = lambda *args: [row for row in list_games(*args) if row.seats]


def let_check_find_nothing() -> None:
    """`db check` finds nothing."""
    from zimcore.service.care import maintenance

    maintenance.find_faults = lambda *_: ()


def read_no_rows_back() -> None:
    """Triggers run, and written rows are not read back, so what they change goes unnoticed."""
    from event_store.backends import sqlite

    sqlite._insert_rows = lambda cursor, rows: cursor.executemany(sqlite.INSERT_ROW, rows)
    sqlite.SQLiteRecorder._check_no_trigger = lambda self: None  # type: ignore[method-assign]


def report_no_rewrites() -> None:
    """A witness does not report rewritten streams."""
    from zimcore.service.proofs import witness

    find_loss = witness._compare_head
    witness._compare_head = lambda *args: loss if (loss := find_loss(*args))[0] != witness.REWRITTEN else ("", "")


def report_no_missing_streams() -> None:
    """A witness does not report missing streams."""
    from zimcore.service.proofs import witness

    find_loss = witness._compare_head
    witness._compare_head = lambda *args: loss if (loss := find_loss(*args))[0] != witness.GONE else ("", "")


def ask_no_rules() -> None:
    """Imported commands are not decided again."""
    from zimcore.service.proofs import audit

    audit._deviation = lambda *_: ""


def count_no_exports() -> None:
    """The last line of an export is not checked."""
    from event_store import export

    export._expect_line = lambda *_: None


def leave_components_unchecked() -> None:
    """Components may have any figures."""
    from zimcore.games.africana.rules import setup

    vars(setup)["find_faults"] = lambda box: []


def overwrite_rows() -> None:
    """If two processes write at once, the second overwrites the first."""
    from event_store.backends import sqlite

    sqlite.INSERT_ROW = sqlite.INSERT_ROW.replace("INSERT", "INSERT OR REPLACE")


def store_rows_one_by_one() -> None:
    """Each row of an append is a transaction of its own."""
    from event_store.backends.backend import Backend

    insert = Backend.insert_rows

    def insert_one_by_one(self: Backend, rows: Sequence[Any], projections: object = ()) -> bool:
        del projections
        return all([insert(self, [row]) for row in rows])  # noqa: C419 - all of them

    Backend.insert_rows = insert_one_by_one  # type: ignore[method-assign]


def repeat_retries() -> None:
    """A retried command is done again."""
    from zimcore.service.lines import line_repository

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


def leave_server_unsynced() -> None:
    """PostgreSQL does not wait for the disk."""
    from event_store.backends import postgres

    postgres.WAIT_FOR_DISK = " SELECT set_config('synchronous_commit', 'off', true);"


def show_pile() -> None:
    """Every viewer of a game of Africana sees the top card of the pile."""
    from zimcore.games.africana import secrets

    conceal = secrets.conceal

    def show_top_card(state: Any, seat: str | None) -> Any:
        concealed = conceal(state, seat)
        concealed.pile = (*concealed.pile[:-1], *state.pile[-1:])
        return concealed

    secrets.conceal = show_top_card


def store_moves_twice() -> None:
    """After every fifth move of a game the service plays one more, which nobody asked for."""
    from zimcore.service import GameService, Position

    play = GameService.play

    def play_twice(self: GameService, place: str, *command: Any, **options: Any) -> Any:
        position = play(self, place, *command, **options)
        if isinstance(position, Position) and position.commit.number % 5 == 4:
            play(self, place, next(iter(self.head(place).legal().texts(""))), by="nobody")
        return position

    GameService.play = play_twice  # type: ignore[method-assign]


def leave_gaps_in_feeds() -> None:
    """A feed leaves out every fifth move."""
    from zimcore.server.news import feeds

    read_messages, number_pattern = feeds.messages_since, b'"number":%d,'

    def read_with_gaps(*args: Any) -> Any:
        messages = read_messages(*args)
        return [
            message for message in messages if not any(number_pattern % number in message.content for number in (5, 10))
        ]

    vars(feeds)["messages_since"] = read_with_gaps


def lose_acknowledged_moves() -> None:
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
    catching_attacks: Sequence[str]


FAULTS = (
    Fault("digests are not recomputed on read", leave_digests_unchecked, ("flips", "edits")),
    Fault("a row relabelled is read", leave_places_unchecked, ("relabelled",)),
    Fault("summaries are taken as they are stored", leave_projections_unchecked, ("edits",)),
    Fault("what can't be read is nothing", read_errors_as_nothing, ("truncations", "pages")),
    Fault("the index is trusted", trust_index, ("pages",)),
    Fault("a damaged game is missing from games", unlist_damaged_games, ("flips", "edits")),
    Fault("db check finds nothing", let_check_find_nothing, ("edits",)),
    Fault("rows are not read back", read_no_rows_back, ("triggers",)),
    Fault("a witness misses only cut ends", report_no_rewrites, ("rollbacks",)),
    Fault("a witness misses no whole stream", report_no_missing_streams, ("rollbacks",)),
    Fault("imports are not decided again", ask_no_rules, ("hostile certificates",)),
    Fault("exports are not counted", count_no_exports, ("hostile exports",)),
    Fault("components are not checked", leave_components_unchecked, ("hostile components",)),
    Fault("the second writer overwrites the first", overwrite_rows, ("name races",)),
    Fault("rows are stored one by one", store_rows_one_by_one, ("kills", "kills postgresql")),
    Fault("a retry is done again", repeat_retries, ("kills", "kills postgresql", "sessions", "service")),
    Fault("a move is stored twice", store_moves_twice, ("deployment",)),
    Fault("a feed leaves out moves", leave_gaps_in_feeds, ("deployment",)),
    Fault("an acknowledged move is lost", lose_acknowledged_moves, ("deployment",)),
    Fault("synchronous=OFF", set_synchronous("OFF"), ("power",)),
    Fault("synchronous=NORMAL", set_synchronous("NORMAL"), ("power",)),
    Fault("synchronous_commit=off", leave_server_unsynced, ("restarts",)),
    Fault("the top of the pile is shown", show_pile, ("secrecy",)),
    Fault("a backup lacks its -wal", files.back_up_without_log, ("backups",)),
    Fault("a backup lacks chats", files.back_up_without_chats, ("backups",)),
    Fault("a salvage drops chats", files.salvage_without_chats, ("salvage",)),
    Fault("a salvage drops damaged chats", files.salvage_no_damaged_chats, ("salvage",)),
    Fault("a salvage drops the last remark", files.salvage_beginnings, ("salvage",)),
    Fault("half of a salvage looks whole", files.mark_nothing_unfinished, ("stopped work",)),
    Fault("a log of witnesses takes back", files.take_back_in_log, ("witness logs",)),
    Fault("a log of witnesses goes by the clock", files.trust_clocks_in_log, ("witness logs", "clocks")),
    Fault("a rolled back store is witnessed", files.append_to_log_of_newer_store, ("witness logs",)),
    Fault("a program runs as a game records it", files.play_recorded_programs, ("foreign code",)),
    Fault("a program runs as a script names it", files.play_programs_of_scripts, ("foreign code",)),
    Fault("a program runs on a server", files.serve_any_program, ("foreign code",)),
    Fault("an import executes", files.run_while_importing, ("foreign code",)),
    Fault("the current folder is imported from", files.import_from_current_folder, ("foreign code",)),
    Fault("workers import from the current folder", files.let_workers_import_from_current_folder, ("foreign code",)),
    Fault("an output overwrites a store", files.write_over_stores, ("outputs",)),
    Fault("an output overwrites what a link leads to", files.follow_no_links, ("outputs",)),
    Fault("an output replaces a file", files.replace_files, ("outputs",)),
    Fault("a script writes anywhere", files.let_scripts_write_anywhere, ("outputs",)),
    Fault("a replaced file is written to", files.trust_opened_file, ("replaced files",)),
    Fault("a rollback under an open process", files.write_after_gaps, ("replaced files",)),
    Fault("two names are written by", files.ignore_second_names, ("two names",)),
    Fault("times must be in order", files.demand_order_of_times, ("clocks",)),
    Fault("an id gets the answer of another author", server.answer_any_author, ("command ids",)),
    Fault("an id gets the answer of another request", server.answer_any_request, ("command ids",)),
    Fault("expired tokens are accepted", server.accept_expired_tokens, ("tokens",)),
    Fault("revoked tokens are accepted", server.accept_revoked_tokens, ("tokens",)),
    Fault("a player who has left may play", server.let_leavers_stay, ("tokens",)),
    Fault("a token that only reads writes", server.let_readers_write, ("tokens",)),
    Fault("a link is a token", server.take_links_for_tokens, ("tokens",)),
    Fault("a seat writes for another", server.let_seats_write_for_others, ("tokens",)),
    Fault("a visitor without a token sees no delay", server.show_present_without_token, ("delays",)),
    Fault("a spectator sees a move too many", server.count_delay_short, ("delays",)),
    Fault("some reads have no delay", server.delay_no_streams, ("delays",)),
)


def plant_fault(name: str) -> None:
    """Plants a fault in this process."""
    next(fault for fault in FAULTS if fault.name == name).plant()
