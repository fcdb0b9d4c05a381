"""`zim`, and `python -m zimcli`: the version is told before the libraries are loaded, all else by the commands."""

from __future__ import annotations

import gc
import os
import sys

from zimcli import __version__

MANY = 50_000
"""Objects made until garbage is looked for: a start makes very many, and nearly all of them stay."""


def main() -> None:
    """The entry point."""
    gc.set_threshold(MANY)
    open_streams()
    if sys.argv[1:] == ["--version"]:
        print("zim", __version__)
        return
    from zimcli.main import cli

    cli.main(prog_name="zim")


def open_streams() -> None:
    """Gives a stream that was closed (`>&-`) somewhere to go: nowhere."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w"))  # noqa: SIM115


if __name__ == "__main__":
    main()
