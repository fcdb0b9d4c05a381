"""Benchmarks the time of a commit, a replay, a head move and an audit, and the size of an event, on SQLite and on
PostgreSQL.

PostgreSQL is measured if a server answers at ZIM_TEST_POSTGRES (default: the database `test` on this machine), in a
schema that is dropped afterwards.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import msgspec

from event_store import EventStore
from event_store.chain import Row
from event_store.line_history import Line, advance
from scripts.benchmarks.bench_writers import compare_writers
from scripts.shared.measure import (
    CORES,
    cpu_seconds,
    expect_at_least,
    expect_at_most,
    paired_medians,
    play_demo,
    postgres,
    reason_for_floor,
    seconds,
)
from zimcore.games import registry
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe.events import EVENTS
from zimcore.games.zimbabwe.evolve import evolve
from zimcore.games.zimbabwe.state import State
from zimcore.service import open_service
from zimcore.service.records.event_registration import load_game
from zimcore.service.records.snapshots import LineStates

StoredRow: TypeAlias = tuple[str, int, str, bytes]

SHORT_LINE, LONG_LINE = 100, 5_000
"""Commits on the lines whose heads are moved."""
GAME_COUNT = 1_000
"""Games in the store that is verified."""


class BenchedDatabase(NamedTuple):
    """A database, with its hand-written peer: a bare SELECT, and a transaction of bare INSERTs."""

    name: str
    url: str
    select: Callable[[str], Iterator[Row]]
    insert: Callable[[Sequence[StoredRow]], object]
    size: Callable[[], int]
    append_goal: float
    replay_floor: float
    replay_floor_reason: str = ""


def bench(folder: Path) -> None:
    """Measures one database after another."""
    for open_database in (sqlite_database(folder), postgres_database()):
        with open_database as database:
            if not database:
                continue
            stream = play_demo(database.url)
            measure_append(database, stream, list(database.select(stream)))
            if database.url.startswith("postgresql"):
                compare_writers(database.url, stream)
            measure_replay(database, stream)
            measure_heads(database)
            measure_sizes(database)
            measure_verify(database)


@contextmanager
def sqlite_database(folder: Path) -> Iterator[BenchedDatabase]:
    """A file, written as safely as ours: write-ahead log, synchronous=FULL."""
    path = folder / "games.db"
    EventStore.open(f"sqlite:///{path}").create()
    connection = sqlite3.connect(path, isolation_level=None)
    (table_statement,) = connection.execute("SELECT sql FROM sqlite_master WHERE name = 'stored_events'").fetchone()
    raw_connection = sqlite3.connect(folder / "raw.db", isolation_level=None)
    raw_connection.execute("PRAGMA journal_mode=WAL")
    raw_connection.execute("PRAGMA synchronous=FULL")
    raw_connection.execute(table_statement)

    def insert(rows: Sequence[StoredRow]) -> None:
        raw_connection.execute("BEGIN")
        raw_connection.executemany("INSERT INTO stored_events VALUES (?,?,?,?)", rows)
        raw_connection.execute("COMMIT")

    select_query = "SELECT originator_version, topic, state FROM stored_events WHERE originator_id=? ORDER BY 1"

    def size() -> int:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return path.stat().st_size

    reason = reason_for_floor("0.7")
    yield BenchedDatabase(
        "SQLite",
        f"sqlite:///{path}",
        lambda stream: connection.execute(select_query, (stream,)),
        insert,
        size,
        0.7,
        0.6,
        reason,
    )
    connection.close()
    raw_connection.close()


@contextmanager
def postgres_database() -> Iterator[BenchedDatabase | None]:
    """A schema on a server, with a bare table next to ours; None if there is no server."""
    with postgres() as url:
        if not url:
            yield None
            return
        import psycopg

        address, _, schema = url.partition("?schema=")
        table = f"{schema}.stored_events"
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(f"CREATE TABLE {schema}.raw (LIKE {table} INCLUDING ALL)")

            def insert(rows: Sequence[StoredRow]) -> None:
                columns = "originator_id, originator_version, topic, state"
                with connection.transaction(), connection.cursor() as cursor:
                    cursor.executemany(f"INSERT INTO {schema}.raw ({columns}) VALUES (%s,%s,%s,%s)", rows)

            def select(stream: str) -> Any:
                query = f"SELECT originator_version, topic, state FROM {table} WHERE originator_id=%s ORDER BY 1"
                return connection.cursor(binary=True).execute(query, (stream,))

            def size() -> int:
                row = connection.execute(f"SELECT pg_total_relation_size('{table}')").fetchone()
                return int(row[0]) if row else 0

            yield BenchedDatabase("PostgreSQL", url, select, insert, size, 0.5, 0.6, reason_for_floor("0.7"))


def measure_append(database: BenchedDatabase, stream: str, rows: Sequence[Row]) -> None:
    """Appends a command's commit, against raw inserts of the same rows."""
    with EventStore.open(database.url) as store:
        load_game(store, GAME.name, registry.GAMES)
        entries = [entry for entry in store.read(stream) if entry.is_commit]
        commits = cycle([(entry.seal, entry.events) for entry in entries])
        rows_of_commits = cycle([rows[entry.revision - len(entry.rows) : entry.revision + 1] for entry in entries])
        revision = raw_revision = -1

        def append_commit() -> None:
            nonlocal revision
            seal, events = next(commits)
            entry = store.append("line", revision, events, by=seal.by, at=seal.at, parent=seal.parent, state=seal.state)
            revision = entry.revision

        def insert_rows() -> None:
            nonlocal raw_revision
            stored_rows = [
                ("line", raw_revision + number, topic, data)
                for number, (_, topic, data) in enumerate(next(rows_of_commits), 1)
            ]
            raw_revision += len(stored_rows)
            database.insert(stored_rows)

        our_time, raw_time = paired_medians(append_commit, insert_rows, 500)
    details = f"{our_time * 1e3:.3f} ms, raw {raw_time * 1e3:.3f} ms"
    expect_at_least(f"append of a commit, {database.name}", details, raw_time / our_time, database.append_goal)


def measure_replay(database: BenchedDatabase, stream: str) -> None:
    """Loads the state of a line of 500 events, against a hand-written SELECT, decode and evolve."""
    decoders = {
        f"zimbabwe.{event_type.__struct_config__.tag}": msgspec.msgpack.Decoder(event_type).decode
        for event_type in EVENTS
    }
    seal_revisions = [revision for revision, topic, _ in database.select(stream) if topic not in decoders]
    last_revision = next(revision for revision in seal_revisions if revision >= 500)

    with EventStore.open(database.url) as store:
        load_game(store, GAME.name, registry.GAMES)

        def load_state() -> State:
            line = Line(stream)
            for entry in store.read(stream, until=last_revision):
                advance(line, entry)
            state: State = LineStates(GAME.evolution, line).state_copy_at(line.head)
            return state

        def load_by_hand() -> State:
            state = State()
            for revision, topic, data in database.select(stream):
                if revision > last_revision:
                    break
                if topic in decoders:
                    evolve(state, decoders[topic](data))
            return state

        assert GAME.evolution.canonical(load_state()) == GAME.evolution.canonical(load_by_hand())
        our_time, by_hand_time = paired_medians(load_state, load_by_hand, 60, cpu_seconds)
    details = f"{our_time * 1e3:.2f} ms, by hand {by_hand_time * 1e3:.2f} ms"
    expect_at_least(
        f"replay of a line of {last_revision + 1} rows, {database.name}",
        details,
        by_hand_time / our_time,
        database.replay_floor,
        database.replay_floor_reason,
    )


def measure_heads(database: BenchedDatabase) -> None:
    """Undo, goto and fork at the end of a long line, against the same on a short one."""
    service = open_service(database.url)
    with service.store:
        for name, commit_count in (("near", SHORT_LINE), ("far", LONG_LINE)):
            service.new(GAME.name, {"players": "2"}, name=name, by="bench")
            for _ in range(2):
                service.play(name, next(iter(service.position(name).legal().texts())), by="bench")
            while service.position(name).commit.number < commit_count:
                phase = service.position(name).state.phase
                service.play(name, "pass" if phase == "bidding" else "end", by="bench")
        fork_numbers = cycle(range(1_000_000))

        def undo(name: str) -> None:
            service.undo(f"{name}/main", by="bench")
            service.redo(f"{name}/main", by="bench")

        def goto(name: str) -> None:
            last_number = service.position(f"{name}/main").commit.number
            service.goto(f"{name}/main@{last_number - 40}", by="bench")
            service.goto(f"{name}/main@{last_number}", by="bench")

        def fork(name: str) -> None:
            service.fork(f"{name}/main@-1", f"fork-{next(fork_numbers)}", by="bench")

        for operation, action, steps in (("undo", undo, 2), ("goto", goto, 2), ("fork", fork, 1)):
            far_time, near_time = (
                total_time / steps for total_time in paired_medians(partial(action, "far"), partial(action, "near"), 40)
            )
            details = f"{far_time * 1e3:.2f} ms at {LONG_LINE}, {near_time * 1e3:.2f} ms at {SHORT_LINE}"
            expect_at_most(
                f"{operation}, {database.name}: at {LONG_LINE} / at {SHORT_LINE}", details, far_time / near_time, 1.5
            )
            expect_at_most(f"{operation} at {LONG_LINE} commits, {database.name}", "ms", far_time * 1e3, 10)


def measure_sizes(database: BenchedDatabase) -> None:
    """Bytes on the disk per event, indexes and seals included, against the bytes of the events alone."""
    event_count = payload_size = 0
    with open_service(database.url).store as store:
        for entry in store.all_entries():
            event_count += len(entry.rows)
            payload_size += sum(len(data) for _, _, data in entry.rows)
    size, own_size = database.size() / event_count, payload_size / event_count
    print(f"{f'bytes of an event, {database.name}':44} {size:.0f}, {own_size:.0f} of them its own")


def measure_verify(database: BenchedDatabase) -> None:
    """Verifies a store of games like the demo's, with one process per core."""
    service = open_service(database.url)
    with service.store:
        certificate = service.certificate("demo")
        for number in range(GAME_COUNT):
            service.adopt(certificate, f"copy-{number}", by="bench")
        audits = list[Any]()
        duration = seconds(lambda: audits.extend(service.verify_all()))
    # Only games: `append` wrote streams that are not games, and the audit reports those as faults.
    faults = [audit for audit in audits if audit.fault and audit.game]
    assert not faults, faults
    details = f"s; {sum(audit.commits for audit in audits):,} commits, {CORES} cores"
    expect_at_most(f"verify of {GAME_COUNT} games, {database.name}", details, duration, 60)
