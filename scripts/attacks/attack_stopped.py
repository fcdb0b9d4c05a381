"""Attacks salvages and imports of many games: they are killed half way.

What is in the new store must not look whole, and the same again must go on until everything is there.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence
from multiprocessing import get_context
from pathlib import Path
from random import Random

from event_store import Entry, EventStore
from scripts.attacks.attack_salvage import check_streams, read_rows
from scripts.attacks.attack_target import ERRORS, Breach, ReportOutcome, Target, open_store_file
from zimcore.service.care import maintenance


def salvage_store(store_file: Path, new_file: Path) -> None:
    """Salvages a store."""
    with open_store_file(store_file) as service:
        maintenance.save_intact_streams(service.store, f"sqlite:///{new_file}")


def import_store(store_file: Path, new_file: Path) -> None:
    """Imports the export of a store."""
    with open_store_file(store_file) as service:
        lines = [*service.export()]
    with open_store_file(new_file, "") as service:
        service.import_(lines, by="ann")


WORKS: Sequence[Callable[[Path, Path], None]] = (salvage_store, import_store)


def kill_half_way(target: Target, tries: int, report: ReportOutcome) -> None:
    """Kills a salvage or an import before it stores one of its streams, and does it again."""
    rng, rows_before = Random(18), read_rows(target.store_file)
    for number in range(tries):
        work, new_file = WORKS[number % len(WORKS)], target.new_folder("stopped") / "new.db"
        arguments = (work, target.store_file, new_file, rng.randrange(8))
        process = get_context("fork").Process(target=work_and_die, args=arguments)
        process.start()
        process.join()
        is_killed = process.exitcode == -signal.SIGKILL
        if is_killed and new_file.exists():
            with EventStore.open(f"sqlite:///{new_file}") as store:
                if store.streams() and store.unfinished() is None:
                    raise Breach(f"{work.__name__}: killed half way, the new store looks whole")
        try:
            work(target.store_file, new_file)
        except ERRORS as error:
            if is_killed:  # what is done is not done again: a salvage needs a new store
                raise Breach(f"{work.__name__}: it was killed, and can't go on: {error}") from error
        check_streams(rows_before, read_rows(new_file), ())
        with EventStore.open(f"sqlite:///{new_file}?mode=ro") as store:
            if store.unfinished() is not None:
                raise Breach(f"{work.__name__}: it is done, and called unfinished")
        report("killed, and done the second time" if is_killed else "done before it was killed")


def work_and_die(work: Callable[[Path, Path], None], store_file: Path, new_file: Path, adopt_count: int) -> None:
    """Works until that many batches of entries are stored, then dies."""
    adopt, counts = EventStore.adopt, iter(range(adopt_count))

    def adopt_or_die(store: EventStore, entries: Sequence[Entry]) -> None:
        if store.url.endswith(new_file.name) and next(counts, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)
        adopt(store, entries)

    EventStore.adopt = adopt_or_die  # type: ignore[assignment, method-assign]
    work(store_file, new_file)
