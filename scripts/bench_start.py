"""Benchmarks cold starts of zim: against a bare Python, its libraries alone, and a litecli that runs one query.

Pictures and replays have goals in seconds, set on a machine where a bare Python took 12 ms.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from measure import ZIM, demo_game, demo_moves, out_of_reach, run, times_as_long

from zimcore.games.zimbabwe import GAME
from zimcore.service import open_service

BARE = 0.012
"""Seconds that a bare Python takes on the machine where the goals for files were set."""


def bench(folder: Path) -> None:
    """Runs all measurements."""
    path = folder / "games.db"
    store = f"sqlite:///{path}"
    demo_game(store)
    options, moves = demo_moves()
    with (service := open_service(store)).store:
        service.new(GAME.name, options, name="cold", by="bench")
    move, litecli = iter(moves), shutil.which("litecli")
    bare_start = run(sys.executable, "-c", "pass")
    libraries = run(sys.executable, "-c", "import click, msgspec, eventsourcing.sqlite")
    times_as_long("cold zim --version", run(ZIM, "--version"), "python -c pass", bare_start, 2.5)
    starts = {
        "cold zim games": (run(ZIM, "--store", store, "games"), 1.55, out_of_reach("1.25")),
        "cold zim show": (run(ZIM, "--store", store, "show", "demo"), 1.6, out_of_reach("1.25")),
        "cold zim legal": (run(ZIM, "--store", store, "legal", "demo@r2"), 1.8, out_of_reach("1.25")),
        "cold zim do": (lambda: run(ZIM, "--store", store, "do", "cold", next(move))(), 1.5, ""),
    }
    for name, (start_time, most, floor) in starts.items():
        times_as_long(name, start_time, "python -c pass", bare_start, 5)
        times_as_long(name, start_time, "its libraries alone", libraries, most, floor)
        if litecli:
            times_as_long(name, start_time, "litecli -e", run(litecli, "-e", "select 1", str(path)), 0.6)
    for words, seconds in {"board --png": 0.4, "replay --html": 0.5}.items():
        command, option = words.split()
        start_time = run(ZIM, "--store", store, command, "demo", option, str(folder / "drawn"))
        times_as_long(f"cold zim {words}", start_time, "python -c pass", bare_start, seconds / BARE)
    if not litecli:
        print("litecli is not installed: no comparison with it")
