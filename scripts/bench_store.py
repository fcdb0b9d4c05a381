"""The event store: what a commit, a replay, a head and a byte cost."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import msgspec
from measure import demo_game, in_turn, report

from event_store import EventStore
from event_store.lines import Line, advance
from zimcore.service import GameService
from zimcore.service.states import States
from zimcore.zimbabwe import GAME
from zimcore.zimbabwe.events import EVENTS
from zimcore.zimbabwe.evolve import evolve
from zimcore.zimbabwe.state import State

INSERT = "INSERT INTO stored_events VALUES (?,?,?,?)"
SELECT = "SELECT originator_version, topic, state FROM stored_events WHERE originator_id=? ORDER BY originator_version"


def bench(folder: Path) -> None:
    """All of it."""
    path, _, stream = demo_game(folder)
    replay(path, stream)
    append(path, stream, folder)


def replay(path: Path, stream: str) -> None:
    """The state of a line of 500 events from SQLite, against SELECT, decode and evolve written by hand."""
    db = sqlite3.connect(path)
    decoders = {f"zimbabwe.{form.__struct_config__.tag}": msgspec.msgpack.Decoder(form).decode for form in EVENTS}
    seals = [version for version, topic, _ in db.execute(SELECT, (stream,)) if topic not in decoders]
    until = next(version for version in seals if version >= 500)

    with EventStore.open(f"sqlite:///{path}") as store:
        GameService(store)  # makes the events of the games known to the store

        def ours() -> State:
            line = Line(stream)
            for entry in store.read(stream, until=until):
                advance(line, entry)
            state: State = States(GAME, line).at(line.head)
            return state

        def by_hand() -> State:
            state = State()
            for version, topic, data in db.execute(SELECT, (stream,)):
                if version > until:
                    break
                if topic in decoders:
                    evolve(state, decoders[topic](data))
            return state

        assert GAME.canonical(ours()) == GAME.canonical(by_hand())
        mine, hand = in_turn(ours, by_hand, 60)
    report(
        f"replay of a line of {until + 1} rows, SQLite",
        f"{mine * 1e3:.2f} ms, by hand {hand * 1e3:.2f} ms",
        hand / mine,
        0.8,
    )


def append(path: Path, stream: str, folder: Path) -> None:
    """Appending a command's commit with synchronous=FULL, against raw inserts of the same rows."""
    with sqlite3.connect(path) as db:
        rows = db.execute(SELECT, (stream,)).fetchall()
    source, target = f"sqlite:///{path}", folder / "append.db"
    raw = sqlite3.connect(folder / "raw.db", isolation_level=None)
    raw.execute("PRAGMA journal_mode=WAL")
    raw.execute("PRAGMA synchronous=FULL")
    with sqlite3.connect(path) as db:
        (schema,) = db.execute("SELECT sql FROM sqlite_master WHERE name='stored_events'").fetchone()
    raw.execute(schema)
    with EventStore.open(source) as reading, EventStore.open(f"sqlite:///{target}") as store:
        GameService(reading), GameService(store)
        entries = [entry for entry in reading.read(stream) if entry.is_commit]
        commits = [(entry.seal, entry.events) for entry in entries]
        bundles = [
            [row for row in rows if entry.revision - len(entry.rows) <= row[0] <= entry.revision] for entry in entries
        ]
        ahead = iter(commits * 4)
        revision = -1

        def ours() -> None:
            nonlocal revision
            seal, events = next(ahead)
            appended = store.append(
                "line", revision, events, by=seal.by, at=seal.at, parent=seal.parent, state=seal.state
            )
            revision = appended.revision

        following = iter(bundles * 4)
        version = -1

        def raw_inserts() -> None:
            nonlocal version
            bundle = next(following)
            numbered = [("line", version + 1 + n, topic, data) for n, (_, topic, data) in enumerate(bundle)]
            version += len(bundle)
            raw.execute("BEGIN")
            raw.executemany(INSERT, numbered)
            raw.execute("COMMIT")

        mine, peers = in_turn(ours, raw_inserts, 500)
    report("append of a commit, SQLite FULL", f"{mine * 1e3:.3f} ms, raw {peers * 1e3:.3f} ms", peers / mine, 0.7)
