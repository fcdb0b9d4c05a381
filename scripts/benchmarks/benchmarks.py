"""Runs the benchmarks. Zim and a peer (another way to do the same) are measured in turn in one run, and compared.

Each line prints what was measured, the median of each side, the ratio, the goal, and whether the goal was missed.
"""

from __future__ import annotations

import sys
import tempfile
from argparse import ArgumentParser
from importlib import import_module
from pathlib import Path

PARTS = (
    *("engine", "africana", "play", "store", "growth", "start", "terminal", "scripting"),
    *("server", "http", "fair", "bots", "playouts", "analysis", "audit", "envs", "page"),
)
"""The parts: each is a module `bench_NAME` in this folder, with a function `bench`. Some take more than a folder, see
`extra_arguments`."""


def main() -> int:
    """Measures the named parts, or all."""
    parser = ArgumentParser("bench", description="Measures zim against peers in the same run.")
    parser.add_argument("part", nargs="*", help=f"what to measure: {', '.join(PARTS)} (default: all)")
    parser.add_argument(
        "--seconds", type=float, default=4, help="seconds of each flood of requests in `fair` (default: 4)"
    )
    parser.add_argument("--flood", action="append", default=[], help="only floods of `fair` whose names begin so")
    parser.add_argument("--long", action="store_true", help="`bots`, `analysis`: eight times as many games")
    parser.add_argument(
        "--into", type=Path, help="file that keeps the matches of `bots`: the same command goes on there"
    )
    arguments = parser.parse_args()
    parts = arguments.part or list(PARTS)
    unknown_parts = [part for part in parts if part not in PARTS]
    if unknown_parts:
        parser.error(f"there is no part {', '.join(unknown_parts)}; there is {', '.join(PARTS)}")
    for part in parts:
        with tempfile.TemporaryDirectory(prefix="zim-bench-") as folder:
            extra_arguments = {
                "fair": (arguments.seconds, arguments.flood),
                "bots": (arguments.long, arguments.into),
                "analysis": (arguments.long,),
            }
            import_module(f"scripts.benchmarks.bench_{part}").bench(Path(folder), *extra_arguments.get(part, ()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
