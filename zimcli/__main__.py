"""Entry point of `zim` and `python -m zimcli`. `--version` prints before any library is loaded, so it is instant."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Sequence

from zimcli import __version__

GC_THRESHOLD = 50_000
"""Allocations before the garbage collector runs: startup allocates many objects, and nearly all of them stay."""


def main() -> None:
    """Runs the command line in `sys.argv`."""
    gc.set_threshold(GC_THRESHOLD)
    atexit.register(gc.freeze)  # else Python searches all objects for cycles as it ends, a twelfth of a short command
    open_streams()
    sys.path[:] = without_current_folder(sys.path, os.getenv("PYTHONPATH", ""))
    if sys.argv[1:] == ["--version"]:
        print("zim", __version__)
        return
    from zimcli.main import cli

    cli.main(prog_name="zim")


def without_current_folder(path: Sequence[str], named_folders: str) -> list[str]:
    """The import path without the current folder, which may hold anything: it may be full of downloads.

    `python -m zimcli` and an empty part of PYTHONPATH (`named_folders`) put it there. It stays if you named it, or if
    Zim itself is in it.
    """
    try:
        current_folder = os.getcwd()
    except OSError:  # it was deleted
        return [*path]
    keeps = {os.path.abspath(folder) for folder in named_folders.split(os.pathsep) if folder}
    keeps.add(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    if current_folder in keeps:
        return [*path]
    library = os.path.dirname(os.__file__)  # what stands after it was installed: also packages that are still edited
    typed_count = path.index(library) if library in path else len(path)
    typed_folders = [folder for folder in path[:typed_count] if os.path.abspath(folder) != current_folder]
    return [*typed_folders, *path[typed_count:]]


def open_streams() -> None:
    """Replaces each standard stream that was closed (`>&-`) with the null device."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w"))  # noqa: SIM115


if __name__ == "__main__":
    main()
