"""Reads files for commands; `-` means stdin."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from zimcore.service.records.free_names import free_name


def is_file(path: str) -> bool:
    """Whether a word names an existing file, or standard input (`-`)."""
    return path == "-" or os.path.isfile(path)


def free_file_name(path: str) -> str:
    """A free path: `path`, or with a number before its suffix if something is already there."""
    stem, suffix = os.path.splitext(path)
    return free_name(stem, os.path.lexists, first_number=2, suffix=suffix)


@contextmanager
def open_for_reading(path: str) -> Iterator[BinaryIO]:
    """Opens a file for reading."""
    if path == "-":
        yield sys.stdin.buffer
        return
    with open(path, "rb") as file:
        yield file
