"""The files that a command writes: the type of the options that name them, and their checks.

An option of type `OutputFile` reaches the function of its command as a `FileToWrite`, by which alone a command writes.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, NamedTuple, TypeAlias

import click

from event_store.outputs import (
    Access,
    ExistingFileError,
    OutputError,
    check_is_no_store,
    check_output,
    database_beside,
    open_output,
)
from zimcli.output.files import free_file_name
from zimcli.shell.exit_codes import ReaderGoneError
from zimcli.shell.program_name import ARGUMENTS_KEY, COMMAND_LINE_KEY, program_name
from zimcli.shell.typed_words import without_passwords
from zimcore.game import GameError

if TYPE_CHECKING:
    from zimcli.session.session import Session

STDOUT_NAMES = ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")
"""Names of stdout. A shell may have made a file for it, which is not to be replaced."""
STORE_PREFIX = "sqlite:///"


OutputKind: TypeAlias = Literal[
    "file",  # a new file
    "log",  # a new file, or one that is extended
    "certificate",  # a file that is there, and is written again
    "folder",  # a folder that gets files
    "package",  # a new folder
    "store",  # a store, new or not, by its path or URL
]
"""What a command does with a file."""
FORCED_KINDS: tuple[OutputKind, ...] = ("file", "log", "folder")
"""What may replace files, if that is asked for."""


class OutputFile(click.Path):
    """The type of an option or argument that names a file to write.

    What is made `to_show` can be read by others if it has only what all players may see.
    """

    def __init__(self, kind: OutputKind = "file", *, to_show: bool = False) -> None:
        super().__init__(readable=False, path_type=str)
        self.name = "file"
        self.kind = kind
        self.to_show = to_show


folder_option = click.option(
    "--folder",
    type=click.Path(file_okay=False),
    metavar="DIR",
    help="Folder that files may be written in (default: the current one).",
)
force_option = click.option("--force", is_flag=True, help="Replace a file that exists (never a store).")


class OutsideError(OutputError):
    """A script names a file outside the folder that it may write in."""


class FileToWrite(NamedTuple):
    """A file or folder to write, by its whole path; `-` is stdout.

    `typed` is how it was named to the command: for a file in a folder, that folder. `folder` is the one that a script
    may write in; "" for a command that a person types.
    """

    typed: str
    path: str
    folder: str
    kind: OutputKind
    access: Access
    parameter: click.Parameter
    context: click.Context

    @property
    def is_forced(self) -> bool:
        """Whether an existing file may be replaced."""
        return bool(self.context.params.get("force"))

    def inside(self, name: str) -> FileToWrite:
        """A file in this folder."""
        return self._replace(path=os.path.join(self.path, name))

    @property
    def is_file(self) -> bool:
        """Whether it is a file on this machine, not stdout and no store in memory or on a server."""
        return os.path.isabs(self.path)

    def check_named(self) -> None:
        """Checks that the command may write what was named. Raises `OutputError`."""
        if self.kind in ("store", "package"):
            self._check(partial(check_is_no_store, may_be_store=self.kind == "store"))
        elif self.kind == "folder":
            self._check(check_folder)
        else:
            self.check(replace=self.kind in ("log", "certificate"))

    def check(self, *, replace: bool = False) -> None:
        """Checks that the file may be written. Raises `OutputError`."""
        self._check(partial(check_output, replace=replace or self.is_forced))

    def _check(self, check_path: Callable[[str], None]) -> None:
        """Checks a file. Raises `OutputError`, with what to type instead."""
        try:
            if self.is_file:
                check_is_inside(self.path, self.folder)
                check_path(self.path)
        except OutputError as error:
            raise self.with_hints(error) from None

    def with_hints(self, error: OutputError) -> OutputError:
        """The error with what to type instead: the command with a free name, and what makes it accept the one typed."""
        error.hints = tuple(self._hints(error))
        return error

    def _hints(self, error: OutputError) -> Iterator[str]:
        prefix = STORE_PREFIX if self.typed.startswith(STORE_PREFIX) else ""
        name = self.typed.removeprefix(prefix).rstrip("/")
        if isinstance(error, OutsideError):
            name = os.path.relpath(os.path.join(self.folder, os.path.basename(name)))
        if name and self.kind not in ("certificate", "package"):  # others exist, or name a module
            yield self._retyped(prefix + free_file_name(database_beside(name) or name))
        if isinstance(error, OutsideError):
            reader = "run --folder {} FILE" if typed_command(self.context) else "pipe --folder {}"
            yield "zim " + reader.format(shlex.quote(os.path.dirname(os.path.realpath(self.path))))
        elif isinstance(error, ExistingFileError) and self.kind in FORCED_KINDS:
            yield self._retyped(self.typed, "--force")

    def _retyped(self, name: str, *options: str) -> str:
        """The command as it was typed, with another name of the file, and with options."""
        if not (typed_command_words := typed_command(self.context)):
            return '"force": true' if options else f'"{self.parameter.opts[0].lstrip("-")}": "{name}"'
        start, words = typed_command_words
        words = [
            word.removesuffix(self.typed) + name if self._is_named_by(word, word_before) else word
            for word_before, word in pairwise(["", *words])
        ]
        end = words.index("--") if "--" in words else len(words)
        return f"{start} {shlex.join([*words[:end], *options, *words[end:]])}"

    def _is_named_by(self, word: str, word_before: str) -> bool:
        """Whether a word of the command line names the file."""
        if isinstance(self.parameter, click.Argument):
            return word == self.typed
        return (word == self.typed and word_before in self.parameter.opts) or word in (
            f"{option}={self.typed}" for option in self.parameter.opts
        )

    @contextmanager
    def open(self, *, replace: bool = False) -> Iterator[BinaryIO]:
        """Opens the file, which gets its name when it is complete. With `replace` an existing one may be replaced."""
        self.check(replace=replace)
        with open_output(self.path, replace=replace or self.is_forced, access=self.access) as file:
            yield file

    def write(self, chunks: Iterable[bytes], *, replace: bool = False) -> None:
        """Writes the file. With `replace` an existing one may be replaced."""
        if self.path == "-":
            return write_to_stdout(chunks)
        with self.open(replace=replace) as file:
            file.writelines(chunks)
        return None

    def make_folder(self, *, is_new: bool = False) -> None:
        """Makes the folder; unless it `is_new` it may exist. Raises `OSError`."""
        self.check_named()
        os.makedirs(self.path, exist_ok=not is_new)


def typed_command(context: click.Context) -> tuple[str, list[str]] | None:
    """The running command as it was typed, in the shell with the options of zim; None for a request of a pipe."""
    meta = context.meta
    if COMMAND_LINE_KEY in meta:
        return program_name(), without_passwords(meta[COMMAND_LINE_KEY])
    return (context.info_name or "", meta[ARGUMENTS_KEY]) if ARGUMENTS_KEY in meta else None


def is_inside(path: str, folder: str) -> bool:
    """Whether a path leads into a folder, links followed."""
    real_folder = os.path.realpath(folder)
    return os.path.commonpath([os.path.realpath(path), real_folder]) == real_folder


def check_folder(path: str) -> None:
    """Raises `OutputError` for a file where a folder is needed."""
    check_is_no_store(path)
    if os.path.lexists(path) and not os.path.isdir(path):
        raise OutputError(f"can't write {path}", "it is a file, not a folder")


def check_is_inside(path: str, folder: str) -> None:
    """Raises `OutsideError` for a file outside the folder that a script may write in."""
    if folder and not is_inside(path, folder):
        reason = f"a script or a pipe writes only in {folder}, unless you give it another folder"
        raise OutsideError(f"can't write {path}", reason, ["help run"])


def script_folder(session: Session) -> str:
    """The folder that the running script or pipe may write in; "" if a person typed the command."""
    return "" if session.is_typed else os.path.realpath(session.folder or ".")


def full_path(typed: str, kind: OutputKind, *, is_script: bool) -> str:
    """The whole path of a file, or `-` for stdout; the URL of a store that is no file."""
    if typed in STDOUT_NAMES[: 1 if is_script else None]:
        check_is_no_store(typed)
        return "-"
    if kind == "store":
        if typed.startswith(STORE_PREFIX):
            typed = typed.removeprefix(STORE_PREFIX).partition("?mode=")[0]
        elif "://" in typed or typed == "memory:":
            return typed
    return os.path.abspath(typed)


def bind_files(context: click.Context, session: Session, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of the parameters of a command, with a `FileToWrite` for each file to write.

    Raises `OutputError` for those that may not be written, before the command does anything.
    """
    folder = script_folder(session)
    bound_values = {name: value for name, value in values.items() if name != "force"}
    for parameter in context.command.params:
        if isinstance(parameter.type, OutputFile) and (typed := values.get(parameter.name or "")):
            path = full_path(typed, parameter.type.kind, is_script=bool(folder))
            access: Access = "public" if parameter.type.to_show and session.sees_only_public else "private"
            file = FileToWrite(typed, path, folder, parameter.type.kind, access, parameter, context)
            file.check_named()
            bound_values[parameter.name or ""] = file
    return bound_values


def enter_folder(session: Session, folder: str | None) -> None:
    """Lets scripts and pipes write in a folder instead of the current one.

    Raises `GameError` if there is none, or if a script asks for more than it has.
    """
    if folder and not session.is_typed and not is_inside(folder, session.folder or "."):
        reason = "a script gives another script no folder outside its own"
        raise GameError(f"--folder {folder}", reason, [f"zim run --folder {shlex.quote(folder)} FILE"])
    if folder and not os.path.isdir(folder):
        raise GameError(f"--folder {folder}", "there is no such folder", [f"mkdir {shlex.quote(folder)}"])
    session.folder = os.path.realpath(folder) if folder else session.folder


def write_to_stdout(chunks: Iterable[bytes]) -> None:
    """Writes to stdout, which may be a pipe whose reader has gone."""
    try:
        binary_stdout = getattr(sys.stdout, "buffer", None)  # a replacement for sys.stdout may accept only text
        for chunk in chunks:
            binary_stdout.write(chunk) if binary_stdout else sys.stdout.write(chunk.decode())
        sys.stdout.flush()  # now, while a broken pipe can still change the exit code
    except BrokenPipeError as error:
        raise ReaderGoneError from error
