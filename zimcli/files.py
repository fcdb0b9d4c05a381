"""Reads and writes files for commands; `-` means stdin or stdout."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

from zimcli.exit_codes import ReaderGoneError
from zimcore.service.free_names import free_name


def write_file(path: str, chunks: Iterable[bytes]) -> None:
    """Writes a file atomically: it gets its name only when it is complete and on the disk.

    A symbolic link is followed, and an existing file keeps its mode. A device or a pipe is written to directly.
    """
    if path == "-":
        return _write_to_stdout(chunks)
    try:
        if os.path.exists(path) and not os.path.isfile(path):  # /dev/null must not be replaced by a file
            with open(path, "wb") as device:
                device.writelines(chunks)
        else:
            with open_for_replacing(path) as file:
                file.writelines(chunks)
    except OSError as error:  # the error of a full disk does not name the file
        error.filename = path
        raise
    return None


@contextmanager
def open_for_replacing(path: str) -> Iterator[BinaryIO]:
    """Opens a temporary file that replaces `path` on success and is removed on failure."""
    path = os.path.realpath(path)
    # In the same folder, not a temporary one: `os.replace` is atomic only within one file system.
    temporary_path = f"{path}.unfinished"
    try:
        with open(temporary_path, "wb") as file:
            yield file
            file.flush()
            # Sync the contents before the rename: a crash must not leave an empty file with this name.
            os.fsync(file.fileno())
        with suppress(FileNotFoundError):
            shutil.copymode(path, temporary_path)
        os.replace(temporary_path, path)
    except BaseException:  # Ctrl-C must leave nothing behind either
        with suppress(OSError):
            os.unlink(temporary_path)
        raise


def _write_to_stdout(chunks: Iterable[bytes]) -> None:
    try:
        binary_stdout = getattr(sys.stdout, "buffer", None)  # a replacement for sys.stdout may accept only text
        for chunk in chunks:
            binary_stdout.write(chunk) if binary_stdout else sys.stdout.write(chunk.decode())
        sys.stdout.flush()  # now, while a broken pipe can still change the exit code
    except BrokenPipeError as error:
        raise ReaderGoneError from error


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
