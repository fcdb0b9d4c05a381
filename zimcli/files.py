"""Files that commands read and write; `-` is stdin and stdout."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain, count
from typing import BinaryIO

from zimcli.exit_codes import ReaderGoneError


def write(path: str, parts: Iterable[bytes]) -> None:
    """Writes a file, which gets its name only when it is complete and on the disk: nobody ever finds half of one.

    A link is followed, and a file that is there already keeps its mode. A device or a pipe is written to as it stands.
    """
    if path == "-":
        return _print(parts)
    try:
        if os.path.exists(path) and not os.path.isfile(path):  # /dev/null must not be replaced by a file
            with open(path, "wb") as other:
                other.writelines(parts)
        else:
            with replacing(path) as file:
                file.writelines(parts)
    except OSError as error:  # a disk that is full does not say for which file
        error.filename = path
        raise
    return None


@contextmanager
def replacing(path: str) -> Iterator[BinaryIO]:
    """Opens a file that takes the place of another one when all went well, and else leaves nothing behind."""
    path = os.path.realpath(path)
    # Beside the file, not in a folder for temporary files: only within one file system is `os.replace` atomic.
    unfinished = f"{path}.unfinished"
    try:
        with open(unfinished, "wb") as file:
            yield file
            file.flush()
            # The bytes before the name: after a crash there must not be a file with its name and no contents.
            os.fsync(file.fileno())
        with suppress(FileNotFoundError):
            shutil.copymode(path, unfinished)
        os.replace(unfinished, path)
    except BaseException:  # Ctrl-C too leaves nothing behind
        with suppress(OSError):
            os.unlink(unfinished)
        raise


def _print(parts: Iterable[bytes]) -> None:
    try:
        bytes_ = getattr(sys.stdout, "buffer", None)  # a stream that somebody has put in its place may take text alone
        for part in parts:
            bytes_.write(part) if bytes_ else sys.stdout.write(part.decode())
        sys.stdout.flush()  # now, while a reader that is gone can still be answered by an exit code
    except BrokenPipeError as error:
        raise ReaderGoneError from error


def is_file(path: str) -> bool:
    """Whether a word names a file that is there, or standard input (`-`)."""
    return path == "-" or os.path.isfile(path)


def free_file(path: str) -> str:
    """A path at which nothing is, with a number before its suffix where something is at that one."""
    name, suffix = os.path.splitext(path)
    return next(
        each for each in chain([path], (f"{name}-{number}{suffix}" for number in count(2))) if not os.path.lexists(each)
    )


@contextmanager
def reading(path: str) -> Iterator[BinaryIO]:
    """Opens a file to be read."""
    if path == "-":
        yield sys.stdin.buffer
        return
    with open(path, "rb") as file:
        yield file
