"""Benchmarks the cost of a commit, a replay, a head move, an audit and an event, on SQLite and on PostgreSQL.

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
from bench_writers import compare_writers
from measure import (
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

from event_store import EventStore
from event_store.chain import Row
from event_store.line_history import Line, advance
from zimcore.games import registry
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe.events import EVENTS
from zimcore.games.zimbabwe.evolve import evolve
from zimcore.games.zimbabwe.state import State
from zimcore.service import open_service
from zimcore.service.event_registration import load_game
from zimcore.service.snapshots import Snapshots

StoredRow: TypeAlias = tuple[str, int, str, bytes]

SHORT_LINE, LONG_LINE = 100, 5_000
"""Commits on the lines whose heads are moved."""
GAME_COUNT = 1_000
"""Games in the store that is verified."""


class Side(NamedTuple):
    """A database, with its hand-written peer: a bare SELECT, and a transaction of bare INSERTs."""

    name: str
    url: str
    select: Callable[[str], Iterator[Row]]
    insert: Callable[[Sequence[StoredRow]], object]
    size: Callable[[], int]
    append_goal: float
    replay_goal: float
    floor: str = ""


def bench(folder: Path) -> None:
    """Measures one database after another."""
    for open_side in (sqlite_side(folder), postgres_side()):
        with open_side as side:
            if not side:
                continue
            stream = play_demo(side.url)
            measure_append(side, stream, list(side.select(stream)))
            if side.url.startswith("postgresql"):
                compare_writers(side.url, stream)
            measure_replay(side, stream)
            measure_heads(side)
            measure_sizes(side)
            measure_verify(side)


@contextmanager
def sqlite_side(folder: Path) -> Iterator[Side]:
    """A file, written as safely as ours: write-ahead log, synchronous=FULL."""
    path = folder / "games.db"
    EventStore.open(f"sqlite:///{path}").create()
    db = sqlite3.connect(path, isolation_level=None)
    (table,) = db.execute("SELECT sql FROM sqlite_master WHERE name = 'stored_events'").fetchone()
    raw = sqlite3.connect(folder / "raw.db", isolation_level=None)
    raw.execute("PRAGMA journal_mode=WAL")
    raw.execute("PRAGMA synchronous=FULL")
    raw.execute(table)

    def insert(rows: Sequence[StoredRow]) -> None:
        raw.execute("BEGIN")
        raw.executemany("INSERT INTO stored_events VALUES (?,?,?,?)", rows)
        raw.execute("COMMIT")

    select = "SELECT originator_version, topic, state FROM stored_events WHERE originator_id=? ORDER BY 1"

    def size() -> int:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return path.stat().st_size

    reason = reason_for_floor("0.7")
    yield Side(
        "SQLite", f"sqlite:///{path}", lambda stream: db.execute(select, (stream,)), insert, size, 0.7, 0.6, reason
    )
    db.close()
    raw.close()


@contextmanager
def postgres_side() -> Iterator[Side | None]:
    """A schema on a server, with a bare table next to ours; None if there is no server."""
    with postgres() as url:
        if not url:
            yield None
            return
        import psycopg

        address, _, schema = url.partition("?schema=")
        table = f"{schema}.stored_events"
        with psycopg.connect(address, autocommit=True) as db:
            db.execute(f"CREATE TABLE {schema}.raw (LIKE {table} INCLUDING ALL)")

            def insert(rows: Sequence[StoredRow]) -> None:
                columns = "originator_id, originator_version, topic, state"
                with db.transaction(), db.cursor() as cursor:
                    cursor.executemany(f"INSERT INTO {schema}.raw ({columns}) VALUES (%s,%s,%s,%s)", rows)

            def select(stream: str) -> Any:
                query = f"SELECT originator_version, topic, state FROM {table} WHERE originator_id=%s ORDER BY 1"
                return db.cursor(binary=True).execute(query, (stream,))

            def size() -> int:
                row = db.execute(f"SELECT pg_total_relation_size('{table}')").fetchone()
                return int(row[0]) if row else 0

            yield Side("PostgreSQL", url, select, insert, size, 0.5, 0.6, reason_for_floor("0.7"))


def measure_append(side: Side, stream: str, rows: Sequence[Row]) -> None:
    """Appends a command's commit, against raw inserts of the same rows."""
    with EventStore.open(side.url) as store:
        load_game(store, GAME.name, registry.GAMES)
        entries = [entry for entry in store.read(stream) if entry.is_commit]
        commits = cycle([(entry.seal, entry.events) for entry in entries])
        bundles = cycle([rows[entry.revision - len(entry.rows) : entry.revision + 1] for entry in entries])
        revision = version = -1

        def append_commit() -> None:
            nonlocal revision
            seal, events = next(commits)
            entry = store.append("line", revision, events, by=seal.by, at=seal.at, parent=seal.parent, state=seal.state)
            revision = entry.revision

        def insert_rows() -> None:
            nonlocal version
            rows = [("line", version + number, topic, data) for number, (_, topic, data) in enumerate(next(bundles), 1)]
            version += len(rows)
            side.insert(rows)

        our_time, raw_time = paired_medians(append_commit, insert_rows, 500)
    figures = f"{our_time * 1e3:.3f} ms, raw {raw_time * 1e3:.3f} ms"
    expect_at_least(f"append of a commit, {side.name}", figures, raw_time / our_time, side.append_goal)


def measure_replay(side: Side, stream: str) -> None:
    """Loads the state of a line of 500 events, against a hand-written SELECT, decode and evolve."""
    decoders = {
        f"zimbabwe.{event_type.__struct_config__.tag}": msgspec.msgpack.Decoder(event_type).decode
        for event_type in EVENTS
    }
    seals = [version for version, topic, _ in side.select(stream) if topic not in decoders]
    stop_version = next(version for version in seals if version >= 500)

    with EventStore.open(side.url) as store:
        load_game(store, GAME.name, registry.GAMES)

        def load_state() -> State:
            line = Line(stream)
            for entry in store.read(stream, until=stop_version):
                advance(line, entry)
            state: State = Snapshots(GAME.evolution, line).state_copy_at(line.head)
            return state

        def load_by_hand() -> State:
            state = State()
            for version, topic, data in side.select(stream):
                if version > stop_version:
                    break
                if topic in decoders:
                    evolve(state, decoders[topic](data))
            return state

        assert GAME.evolution.canonical(load_state()) == GAME.evolution.canonical(load_by_hand())
        our_time, by_hand_time = paired_medians(load_state, load_by_hand, 60, cpu_seconds)
    figures = f"{our_time * 1e3:.2f} ms, by hand {by_hand_time * 1e3:.2f} ms"
    expect_at_least(
        f"replay of a line of {stop_version + 1} rows, {side.name}",
        figures,
        by_hand_time / our_time,
        side.replay_goal,
        side.floor,
    )


def measure_heads(side: Side) -> None:
    """Undo, goto and fork at the end of a long line, against the same on a short one."""
    service = open_service(side.url)
    with service.store:
        for name, commits in (("near", SHORT_LINE), ("far", LONG_LINE)):
            service.new(GAME.name, {"players": "2"}, name=name, by="bench")
            for _ in range(2):
                service.play(name, next(iter(service.position(name).legal().texts())), by="bench")
            while service.position(name).commit.number < commits:
                phase = service.position(name).state.phase
                service.play(name, "pass" if phase == "bidding" else "end", by="bench")
        forks = cycle(range(1_000_000))

        def undo(name: str) -> None:
            service.undo(f"{name}/main", by="bench")
            service.redo(f"{name}/main", by="bench")

        def goto(name: str) -> None:
            last_number = service.position(f"{name}/main").commit.number
            service.goto(f"{name}/main@{last_number - 40}", by="bench")
            service.goto(f"{name}/main@{last_number}", by="bench")

        def fork(name: str) -> None:
            service.fork(f"{name}/main@-1", f"fork-{next(forks)}", by="bench")

        for operation, action, steps in (("undo", undo, 2), ("goto", goto, 2), ("fork", fork, 1)):
            far_time, near_time = (
                total_time / steps for total_time in paired_medians(partial(action, "far"), partial(action, "near"), 40)
            )
            figures = f"{far_time * 1e3:.2f} ms at {LONG_LINE}, {near_time * 1e3:.2f} ms at {SHORT_LINE}"
            expect_at_most(f"{operation}, {side.name}, times that at {SHORT_LINE}", figures, far_time / near_time, 1.5)
            expect_at_most(f"{operation} at {LONG_LINE} commits, {side.name}", "ms", far_time * 1e3, 10)


def measure_sizes(side: Side) -> None:
    """Bytes on the disk per event, indexes and seals included, against the bytes of the events alone."""
    event_count = payload_size = 0
    with open_service(side.url).store as store:
        for entry in store.all_entries():
            event_count += len(entry.rows)
            payload_size += sum(len(data) for _, _, data in entry.rows)
    size, own_size = side.size() / event_count, payload_size / event_count
    print(f"{f'bytes of an event, {side.name}':44} {size:.0f}, {own_size:.0f} of them its own")


def measure_verify(side: Side) -> None:
    """Verifies a store of games like the demo's, with one process per core."""
    service = open_service(side.url)
    with service.store:
        certificate = service.certificate("demo")
        for number in range(GAME_COUNT):
            service.adopt(certificate, f"copy-{number}", by="bench")
        audits = list[Any]()
        duration = seconds(lambda: audits.extend(service.verify_all()))
    # Only games: `append` wrote streams that are not games, and the audit reports those as faults.
    faults = [audit for audit in audits if audit.fault and audit.game]
    assert not faults, faults
    figures = f"s; {sum(audit.commits for audit in audits):,} commits, {CORES} cores"
    expect_at_most(f"verify of {GAME_COUNT} games, {side.name}", figures, duration, 60)
