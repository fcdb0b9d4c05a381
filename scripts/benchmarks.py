"""Runs the benchmarks. Costs are ratios to a peer that is measured in turn with zim, in the same run.

Each line prints what was measured, the median of each side, the ratio, the goal, and whether the goal was missed.
"""

from __future__ import annotations

import sys
import tempfile
from argparse import ArgumentParser
from importlib import import_module
from pathlib import Path

PARTS = (
    *("engine", "africana", "play", "store", "growth", "start", "terminal", "scripting", "server", "fair", "bots"),
    *("playouts", "analysis", "audit", "envs", "page"),
)
"""The parts: each is a module `bench_NAME` in this folder, with a function `bench`; that of `fair` takes
the seconds for each of its floods, and their names."""


def main() -> int:
    """Measures the named parts, or all."""
    parser = ArgumentParser("bench", description="Measures zim against peers in the same run.")
    parser.add_argument("part", nargs="*", help=f"what to measure: {', '.join(PARTS)} (default: all)")
    parser.add_argument("--seconds", type=float, default=4, help="how long each flood of `fair` takes (default: 4)")
    parser.add_argument("--flood", action="append", default=[], help="only these floods of `fair`, by their beginnings")
    arguments = parser.parse_args()
    parts = arguments.part or list(PARTS)
    unknown = [part for part in parts if part not in PARTS]
    if unknown:
        parser.error(f"there is no part {', '.join(unknown)}; there is {', '.join(PARTS)}")
    for part in parts:
        with tempfile.TemporaryDirectory(prefix="zim-bench-") as folder:
            extra = (arguments.seconds, arguments.flood) if part == "fair" else ()
            import_module(f"bench_{part}").bench(Path(folder), *extra)
    return 0


if __name__ == "__main__":
    sys.exit(main())
