"""Cold starts of zim: against a Python that does nothing, its libraries alone, and a litecli that asks one question.

Pictures and replays have goals in seconds, set where a Python that does nothing took 12 ms.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from measure import compared, demo_game, demo_moves, run

from zimcore.games.zimbabwe import GAME
from zimcore.service import open_service

BARE = 0.012
"""Seconds that a Python which does nothing takes where the goals for files were set."""


def bench(folder: Path) -> None:
    """All of it."""
    path, game, _ = demo_game(folder)
    zim, store = str(Path(sys.executable).with_name("zim")), f"sqlite:///{path}"
    options, moves = demo_moves()
    service = open_service(store)
    service.new(GAME.name, options, name="cold", by="bench")
    service.store.close()
    move = iter(moves)
    nothing = run(sys.executable, "-c", "pass")
    libraries = run(sys.executable, "-c", "import click, msgspec, eventsourcing.sqlite")
    starts: dict[str, tuple[Callable[[], object], float]] = {
        "zim --version": (run(zim, "--version"), 2.5),
        "zim show": (run(zim, "--store", store, "show", game), 5),
        "zim do": (lambda: run(zim, "--store", store, "do", "cold", next(move))(), 5),
    }
    litecli = shutil.which("litecli")
    for name, (ours, goal) in starts.items():
        compared(name, ours, "python -c pass", nothing, goal)
        if name != "zim --version":
            compared(name, ours, "its libraries alone", libraries, 1.5)
            if litecli:
                compared(name, ours, "litecli -e", run(litecli, "-e", "select 1", str(path)), 0.6)
    files = {"board --png": 0.4, "replay --html": 0.5}
    for words, seconds in files.items():
        command, option = words.split()
        ours = run(zim, "--store", store, command, game, option, str(folder / "drawn"))
        compared(f"zim {words}", ours, "python -c pass", nothing, seconds / BARE)
    if not litecli:
        print("litecli is not installed: no comparison with it")
