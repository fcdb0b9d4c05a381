"""Entry point of `zim` and `python -m zimcli`. `--version` prints before any library is loaded, so it is instant."""

from __future__ import annotations

import atexit
import gc
import io
import os
import sys
from contextlib import suppress

from zimcli import __version__
from zimcli.shell.import_path import leave_out_current_folder

GC_THRESHOLD = 50_000
"""Allocations before the garbage collector runs: startup allocates many objects, and nearly all of them stay."""


def main() -> None:
    """Runs the command line in `sys.argv`."""
    gc.set_threshold(GC_THRESHOLD)
    atexit.register(gc.freeze)  # else Python searches all objects for cycles as it ends, a twelfth of a short command
    open_streams()
    leave_out_current_folder()
    if sys.argv[1:] == ["--version"]:
        with suppress(OSError):  # the command line below tries again, and reports it
            print("zim", __version__, flush=True)
            return
    try:
        from zimcli.main import cli
    except Exception as error:
        from zimcli.shell.failed_imports import failed_library, start_failure

        if not failed_library(error):
            raise
        sys.exit(start_failure(error))
    cli.main(prog_name="zim")


class PatientStream(io.TextIOWrapper):
    """Loses text that can't be written, as on a full disk: what a command did and its exit code do not depend on it."""

    def write(self, text: str) -> int:
        """Writes text, or loses it."""
        with suppress(OSError):
            super().write(text)
        return len(text)

    def flush(self) -> None:
        """Writes what is left, or keeps it for later."""
        with suppress(OSError):
            super().flush()


def open_streams() -> None:
    """Replaces each standard stream that was closed (`>&-`) with the null device, and makes stderr patient."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w"))  # noqa: SIM115
    encoding, errors = sys.stderr.encoding, sys.stderr.errors
    sys.stderr = PatientStream(sys.stderr.detach(), encoding, errors, line_buffering=True)  # type: ignore[union-attr]


if __name__ == "__main__":
    main()
