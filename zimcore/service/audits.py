"""The audit of a whole store: game by game, in as many processes as there are cores."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from event_store import EventStore
from zimcore.service.answers import Audit
from zimcore.service.audit import names_fault, store_fault, verify_game
from zimcore.service.forms import register
from zimcore.service.names import CATALOGUE
from zimcore.service.open_lines import OpenLines

FEW = 40
"""So many games are audited before another process has begun."""

Report = Callable[[int, int], None]
"""Is told how many games are done, and of how many."""


def verify_all(store: EventStore, open_lines: OpenLines, report: Report) -> list[Audit]:
    """Audits the names of all games, and every line of each; a fault ends the audit of its line only."""
    fault = store_fault(store) or names_fault(store, CATALOGUE)
    audits = [Audit("", "", 0, 0, "", fault)] if fault else []
    games = [*open_lines.catalogue().games]
    report(0, len(games))
    for done, each in enumerate(_audited(store, open_lines, games), 1):
        audits += each
        report(done, len(games))
    return audits


def _audited(store: EventStore, open_lines: OpenLines, games: Sequence[str]) -> Iterator[list[Audit]]:
    processes = min(_cores(), len(games) // FEW)
    if processes < 2 or store.address == "memory:":
        yield from (verify_game(store, open_lines, game) for game in games)
        return
    # Not forked: a connection to a database must not be in two processes.
    with ProcessPoolExecutor(processes, get_context("spawn"), _open, (store.address, open_lines.games)) as pool:
        yield from pool.map(_verify, games, chunksize=4)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_opened: tuple[EventStore, OpenLines]
"""The store of this process, which it opened itself."""


def _open(address: str, games: Mapping[str, str]) -> None:
    global _opened
    store = EventStore.open(address)
    register(store, games)
    _opened = store, OpenLines(store, games)


def _verify(game: str) -> list[Audit]:
    return verify_game(*_opened, game)
