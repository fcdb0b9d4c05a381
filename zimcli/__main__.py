"""`zim`, and `python -m zimcli`. The version is printed before any library is loaded, so that it is instant."""

from __future__ import annotations

import gc
import os
import sys

from zimcli import __version__

GC_THRESHOLD = 50_000
"""Objects made until the garbage collector runs: a start makes very many, and nearly all of them stay."""


def main() -> None:
    """The entry point."""
    gc.set_threshold(GC_THRESHOLD)
    open_streams()
    if sys.argv[1:] == ["--version"]:
        print("zim", __version__)
        return
    from zimcli.main import cli

    cli.main(prog_name="zim")


def open_streams() -> None:
    """Replaces a stream that was closed (`>&-`) by the null device."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w"))  # noqa: SIM115


if __name__ == "__main__":
    main()
