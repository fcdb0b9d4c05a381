"""Reads files for commands; `-` means stdin."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, BinaryIO

from zimcore.service import DamagedError
from zimcore.service.records.free_names import free_name

if TYPE_CHECKING:
    from zimcore.toolkit.file_kinds import FileKind


def is_file(path: str) -> bool:
    """Whether a word names an existing file, or standard input (`-`)."""
    return path == "-" or os.path.isfile(path)


def free_file_name(path: str) -> str:
    """A free path: `path`, or with a number before its suffix if something is already there."""
    stem, suffix = os.path.splitext(path)
    return free_name(stem, os.path.lexists, first_number=2, suffix=suffix)


@contextmanager
def open_for_reading(path: str, wanted: str = "", accepted: Collection[FileKind] = ()) -> Iterator[BinaryIO]:
    """Opens a file for reading. Raises `NotationError` if it is none of the kinds that a command accepts.

    What is damaged in it is no fault of a store: the hint of a `DamagedError` says so.
    """
    with nullcontext(sys.stdin.buffer) if path == "-" else open(path, "rb") as file:
        if wanted:
            from zimcore.toolkit.file_kinds import check_file  # most commands read no file

            check_file(file, path, wanted, accepted)
        try:
            yield file
        except DamagedError as error:
            error.hints = error.hints or (() if error.stream else ("get the whole file again",))
            raise
