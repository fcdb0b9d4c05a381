"""Benchmarks many writers on a PostgreSQL server, each with its own line, against raw inserts of the same rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import count, cycle
from multiprocessing import get_context
from statistics import median
from typing import Any

from event_store import Entry, EventStore
from scripts.shared.measure import expect_at_least, reason_for_floor
from zimcore.games import registry
from zimcore.games.zimbabwe import GAME
from zimcore.service.records.event_registration import load_game

WRITERS, SECONDS, ROUNDS = 16, 3.0, 3
START_SECONDS = 60
"""A writer that has not opened its connection by then has failed."""

CommitWriter = Iterator[object]
"""Stores one more commit at each step."""


def compare_writers(url: str, stream: str) -> None:
    """Measures commits per second of each side, alternating. Each writer is a process with its own connection."""
    with EventStore.open(url) as store:
        load_game(store, GAME.name, registry.GAMES)
        commits = [entry for entry in store.read(stream) if entry.is_commit]
    writer_makers = (our_commits, raw_commits)
    rates = [
        [measure_rate(partial(make_writer, url, commits, round_number)) for make_writer in writer_makers]
        for round_number in range(ROUNDS)
    ]
    our_rate, raw_rate = map(median, zip(*rates, strict=True))
    details = f"{our_rate:,.0f}, raw {raw_rate:,.0f}"
    expect_at_least(
        f"commits a second of {WRITERS} writers", details, our_rate / raw_rate, 0.6, reason_for_floor("0.7")
    )


def measure_rate(make_writer: Callable[[int], CommitWriter]) -> float:
    """Commits per second of all writers together. Raises `queue.Empty` if one has failed."""
    context = get_context("fork")
    barrier, results = context.Barrier(WRITERS, timeout=START_SECONDS), context.Queue()
    writers = [
        context.Process(target=run_writer, args=(make_writer, number, barrier, results)) for number in range(WRITERS)
    ]
    for writer in writers:
        writer.start()
    commit_count: int = sum(results.get(timeout=START_SECONDS + 2 * SECONDS) for _ in writers)
    for writer in writers:
        writer.join()
    return commit_count / SECONDS


def run_writer(make_writer: Callable[[int], CommitWriter], number: int, barrier: Any, results: Any) -> None:
    """Writes for some seconds, and reports the number of commits. The first commit opens the connection."""
    commit_writer = make_writer(number)
    next(commit_writer)
    barrier.wait()
    deadline, commit_count = time.perf_counter() + SECONDS, 0
    while time.perf_counter() < deadline:
        next(commit_writer)
        commit_count += 1
    results.put(commit_count)


def our_commits(url: str, commits: Sequence[Entry], round_number: int, number: int) -> CommitWriter:
    """Appends to a store."""
    revision = -1
    with EventStore.open(url) as store:
        load_game(store, GAME.name, registry.GAMES)
        for commit in cycle(commits):
            seal = commit.seal
            entry = store.append(
                f"line-{round_number}-{number}",
                revision,
                commit.events,
                by=seal.by,
                at=seal.at,
                parent=b"",
                state=seal.state,
            )
            revision = entry.revision
            yield entry


def raw_commits(url: str, commits: Sequence[Entry], round_number: int, number: int) -> CommitWriter:
    """Inserts the same rows in a transaction, as hand-written code would."""
    import psycopg

    address, _, schema = url.partition("?schema=")
    insert_statement = f"INSERT INTO {schema}.raw (originator_id, originator_version, topic, state)"
    revisions = count()
    with psycopg.connect(address, autocommit=True) as db:
        for commit in cycle(commits):
            rows = [
                (f"line-{round_number}-{number}", next(revisions), topic, content)
                for _, topic, content in commit.all_rows
            ]
            with db.transaction(), db.cursor() as cursor:
                cursor.executemany(insert_statement + " VALUES (%s,%s,%s,%s)", rows)
            yield rows
