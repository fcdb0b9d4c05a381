"""Attacks on a file: random damage, damaged pages, edits by SQL, triggers, and streams that are rolled back."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from datetime import timedelta
from pathlib import Path
from random import Random

from msgspec.structs import replace

from event_store import Entry, HeadMoved
from scripts.attacks.attack_target import ERRORS, GAME_NAMES, Breach, ReportOutcome, Target, open_store_file
from tests.event_store.test_lost_inserts import SQLITE_TRIGGERS
from tests.service.forged_files import flip_bit
from zimcore.service import GameService

NEXT_REVISION = 36
"""The revision of the next row on a main line of the store under attack: triggers change the rows of the next move."""
SMALL_PAGE = 1024
"""The page size with which even a small store has several levels of B-tree pages."""


def flip_bits(target: Target, tries: int, report: ReportOutcome) -> None:
    """Flips one random bit of the file."""
    # With this seed, one of the first dozen damages the list of a game's names.
    original_bytes, rng = target.store_file.read_bytes(), Random(4)
    for _ in range(tries):
        target.compare_answers(target.copy(flip_bit(original_bytes, rng)), report)


def truncate_file(target: Target, tries: int, report: ReportOutcome) -> None:
    """Cuts the file off at a random point."""
    original_bytes, rng = target.store_file.read_bytes(), Random(2)
    for _ in range(tries):
        target.compare_answers(target.copy(original_bytes[: rng.randrange(1, len(original_bytes))]), report)


def damage_pages(target: Target, tries: int, report: ReportOutcome) -> None:
    """Zeroes pages, and copies or swaps pairs of pages; a random sample of all ways if these are more than `tries`."""
    damage_functions = [
        *page_damage_functions(target.store_file.read_bytes(), 4096),
        *page_damage_functions(small_page_copy(target), SMALL_PAGE),
    ]
    # With this seed, one of the first dozen hides a row from an index.
    for damage_file in Random(5).sample(damage_functions, min(tries, len(damage_functions))):
        target.compare_answers(target.copy(damage_file()), report)


def small_page_copy(target: Target) -> bytes:
    """The same store with smaller pages, so that its tables and indexes have more levels."""
    path = target.copy()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute(f"PRAGMA page_size = {SMALL_PAGE}")
        connection.execute("VACUUM")
        connection.execute("PRAGMA journal_mode = WAL")
    return path.read_bytes()


def page_damage_functions(original_bytes: bytes, page_size: int) -> Iterator[Callable[[], bytes]]:
    """For each way to zero, copy or swap its pages, a function that returns the file so damaged."""

    def with_changes(page_by_number: dict[int, bytes]) -> Callable[[], bytes]:
        return lambda: b"".join(page_by_number.get(number, page) for number, page in enumerate(pages))

    pages = [original_bytes[offset : offset + page_size] for offset in range(0, len(original_bytes), page_size)]
    for number, page in enumerate(pages):
        yield with_changes({number: bytes(page_size)})
        for other_number in range(len(pages)):
            if other_number != number:
                yield with_changes({other_number: page})
            if other_number > number:
                yield with_changes({other_number: page, number: pages[other_number]})


EDITS = (
    "SET state = x'c1' WHERE rowid = :row",
    "SET state = (SELECT state FROM stored_events ORDER BY random() LIMIT 1) WHERE rowid = :row",
    "SET topic = 'zimbabwe.cattle_paid.1' WHERE rowid = :row",
    "SET originator_version = originator_version + 100 WHERE rowid = :row",
    "SET originator_id = 'elsewhere' WHERE rowid = :row",
    "SET originator_version = 'seven' WHERE rowid = :row",
    "SET originator_version = originator_version + 0.5 WHERE rowid = :row",
    "SET state = edited(state, x'616d6f756e7402', x'616d6f756e7403') WHERE topic = 'zimbabwe.played.1'",  # a bid
    "SET state = edited(state, 'ann', 'bob') WHERE topic = 'store.sealed.2'",
    "SET state = edited(state, 'well bid', 'i resign') WHERE topic = 'proceedings.said.1'",
    "SET state = edited(state, 'what-if', 'what-of') WHERE topic = 'names.line_named.1'",
    "SET state = edited(state, 'kilwa', 'lamuu') WHERE topic = 'zimbabwe.passed.1'",
)
"""SQL edits of rows: random ones, and some that a cheat would make."""


def edit_rows(target: Target, tries: int, report: ReportOutcome) -> None:
    """Edits rows and projections by SQL. Each read must return the truth or fail, and `db check` must find the edit."""
    rng = Random(4)
    for number in range(tries):
        path = target.copy()
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.create_function("edited", 3, replace_bytes)
            rows_before = connection.execute("SELECT * FROM stored_events").fetchall()
            row_parameter = {"row": rng.randint(1, len(rows_before))}
            connection.execute("UPDATE projections SET content = edited(content, 'round 1', 'round 9')")
            connection.execute(f"UPDATE stored_events {EDITS[number % len(EDITS)]}", row_parameter)
            is_unchanged = connection.execute("SELECT * FROM stored_events").fetchall() == rows_before
        target.compare_answers(path, report)
        with open_store_file(path) as service:
            if not is_unchanged and not service.check():
                raise Breach(f"{EDITS[number % len(EDITS)]}: db check finds nothing")
        report("nothing to edit" if is_unchanged else "found")


def replace_bytes(content: bytes, old: str | bytes, new: str | bytes) -> bytes:
    """The bytes of a row with a part replaced."""
    old_bytes, new_bytes = (part.encode() if isinstance(part, str) else part for part in (old, new))
    return content.replace(old_bytes, new_bytes)


def relabel_rows(target: Target, tries: int, report: ReportOutcome) -> None:
    """Gives rows to another stream: copies a stream over another, or swaps them; whole streams, or only their last
    entries.

    Each read must return the truth or fail, and `db check` must find it.
    """
    rng = Random(6)
    with open_store_file(target.store_file) as service:
        last_entry_start_by_stream = {
            stream: [*service.store.read(stream)][-1].rows[0][0] for stream in service.store.streams()
        }
    stream_groups = [
        sorted(stream for stream in last_entry_start_by_stream if stream.endswith(suffix))
        for suffix in (".proceedings", "")
    ]
    for number in range(tries):
        path, (source_stream, target_stream) = target.copy(), rng.sample(stream_groups[number % 2], 2)
        is_copy, after_source = number % 3 == 0, (-1, last_entry_start_by_stream[source_stream] - 1)[number // 3 % 2]
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            after_target = after_source if after_source < 0 else last_entry_start_by_stream[target_stream] - 1
            move_rows(connection, (target_stream, after_target), ("kept aside", after_source))
            if is_copy:
                selection = "SELECT ?, originator_version + ?, topic, state FROM stored_events"
                condition = "WHERE originator_id = ? AND originator_version > ?"
                connection.execute(
                    f"INSERT INTO stored_events {selection} {condition}",
                    (target_stream, after_target - after_source, source_stream, after_source),
                )
                connection.execute("DELETE FROM stored_events WHERE originator_id = 'kept aside'")
            else:
                move_rows(connection, (source_stream, after_source), (target_stream, after_target))
                move_rows(connection, ("kept aside", after_source), (source_stream, after_source))
            connection.execute("DELETE FROM projections")  # projections store where each stream ends
        target.compare_answers(path, report)
        with open_store_file(path) as service:
            if not service.check():
                raise Breach(f"{source_stream} in the place of {target_stream}: db check finds nothing")
        report("found")


def move_rows(connection: sqlite3.Connection, source: tuple[str, int], destination: tuple[str, int]) -> None:
    """Moves the rows of a stream after a revision to another stream, after another revision."""
    (source_stream, source_revision), (destination_stream, destination_revision) = source, destination
    change = "SET originator_id = ?, originator_version = originator_version + ?"
    condition = "WHERE originator_id = ? AND originator_version > ?"
    connection.execute(
        f"UPDATE stored_events {change} {condition}",
        (destination_stream, destination_revision - source_revision, source_stream, source_revision),
    )


def add_triggers(target: Target, tries: int, report: ReportOutcome) -> None:
    """Adds a trigger that swallows, deletes, alters or moves written rows. A write must fail, and store nothing."""
    version_start = "originator_version = "
    for number in range(tries):
        effect, trigger = [*SQLITE_TRIGGERS.items()][number % len(SQLITE_TRIGGERS)]
        path = target.copy()
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(
                f"CREATE TRIGGER attack {trigger.replace(version_start, f'{version_start}{NEXT_REVISION} + ')}"
            )
        with open_store_file(path, "") as service, suppress(*ERRORS):
            service.play(f"{GAME_NAMES[number % 3]}/main", "bid 3", by="ann")
            raise Breach(f"a move is acknowledged despite a trigger: {effect}")
        target.compare_answers(path, report)
        report("an error, and nothing stored")


def roll_back_store(target: Target, tries: int, report: ReportOutcome) -> None:
    """Rolls back the end of a stream or all of it, rewrites its end, or inserts a head move.

    A witness must report it.
    """
    rng = Random(5)
    with open_store_file(target.store_file) as service:
        heads = service.witness()
        for number in range(tries):
            stream = rng.choice(sorted(service.store.streams()))
            name, roll_back = ROLLBACKS[number % len(ROLLBACKS)]
            path = roll_back(target, service, stream, rng)
            with open_store_file(path) as copy_service:
                losses = [loss.stream for loss in copy_service.losses(heads)]
            if losses != [stream] and not (name == "an older copy" and losses):
                raise Breach(f"{name}: the witness reports {losses}, not {stream}")
            report("found")


def cut_stream(target: Target, service: GameService, stream: str, rng: Random) -> Path:
    """The store without the last entries of a stream."""
    return copy_without_rows(
        target, stream, rng.choice([entry.revision for entry in service.store.read(stream)][:-1] or [-1])
    )


def copy_without_rows(target: Target, stream: str, last_revision: int = -1) -> Path:
    """The store without the rows of a stream after a revision."""
    path = target.copy()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        condition = "WHERE originator_id = ? AND originator_version > ?"
        connection.execute(f"DELETE FROM stored_events {condition}", (stream, last_revision))
        connection.execute("DELETE FROM projections")
    return path


def rewrite_end(target: Target, service: GameService, stream: str, rng: Random) -> Path:
    """The store with another last entry in a stream, with a valid digest."""
    *earlier_entries, last_entry = service.store.read(stream)
    path = copy_without_rows(target, stream, earlier_entries[-1].revision if earlier_entries else -1)
    with open_store_file(path, "") as copy_service:
        entry_time = last_entry.seal.at + timedelta(seconds=rng.randint(1, 99))
        revision_before, parent = last_entry.rows[0][0] - 1, last_entry.parent if last_entry.is_commit else None
        copy_service.store.append(
            stream,
            revision_before,
            last_entry.events,
            by=last_entry.seal.by,
            at=entry_time,
            parent=parent,
            state=last_entry.seal.state,
        )
    return path


def insert_head_move(target: Target, service: GameService, stream: str, rng: Random) -> Path:
    """The store with a head move inserted between two moves of a line.

    A stream with fewer than two commits gets another last entry instead.
    """
    entries = [*service.store.read(stream)]
    commits = [entry for entry in entries if entry.is_commit]
    if len(commits) < 2:
        return rewrite_end(target, service, stream, rng)
    commit_before = rng.choice(commits[:-1])
    path = copy_without_rows(target, stream, commit_before.revision)
    with open_store_file(path, "") as copy_service:
        head_moved = HeadMoved(commit_before.digest, commit_before.digest)
        inserted_revision = copy_service.store.append(
            stream, commit_before.revision, [head_moved], by="eve", at=commit_before.seal.at
        ).revision
        copy_service.store.adopt(
            [
                shifted_entry(entry, inserted_revision - commit_before.revision)
                for entry in entries
                if entry.revision > commit_before.revision
            ]
        )
    return path


def shifted_entry(entry: Entry, shift: int) -> Entry:
    """An entry shifted by some revisions, with the same digest."""
    rows = tuple((revision + shift, topic, content) for revision, topic, content in entry.rows)
    return replace(entry, revision=entry.revision + shift, rows=rows)


ROLLBACKS = (
    ("an end cut off", cut_stream),
    ("a stream dropped", lambda target, service, stream, rng: copy_without_rows(target, stream)),
    ("rewritten", rewrite_end),
    ("a head move inserted", insert_head_move),
    ("an older copy", lambda target, service, stream, rng: target.older_file),
)
"""Ways to roll something back."""
