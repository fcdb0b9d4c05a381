"""Runs programs that the user has named, with a position as JSON on their stdin. No shell is involved."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from zimcli.shell.import_path import environment_of_user
from zimcore.documents.look import show_answer
from zimcore.documents.positions import label_answer
from zimcore.game import GameError

if TYPE_CHECKING:
    from zimcore.commits import Position


class ProgramEnd(NamedTuple):
    """How a program ended: its exit status (negative for a signal), and what it printed."""

    status: int
    printed_text: str


def program_words(words: Sequence[str], hints: Sequence[str] = ()) -> list[str]:
    """The words of a command line; a single text is split as a shell would. Raises `GameError` for open quotes.

    >>> program_words(["python check.py 'a b'"]), program_words(["python", "check me.py"])
    (['python', 'check.py', 'a b'], ['python', 'check me.py'])
    """
    if len(words) != 1:
        return [*words]
    try:
        return shlex.split(words[0]) or [""]
    except ValueError as error:
        raise GameError(words[0], f"it is not a command line: {str(error).lower()}", hints) from None


def run_program(
    words: Sequence[str], position: Position, seconds: float | None = None, variables: Mapping[str, str] = {}
) -> ProgramEnd:
    """Runs a program on a position, as `show --json` prints it, and waits until it ends, or for so many seconds.

    `variables` are added to its environment.

    Its output is captured, so that it mixes with no answer and no screen. Raises `OSError` if it can't be run, and
    `subprocess.TimeoutExpired` after ending it.
    """
    process = subprocess.run(  # noqa: S603  the user has named the program
        words,
        input=msgspec.json.encode(label_answer(show_answer(position), "show")) + b"\n",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=seconds,
        env={**environment_of_user(), **variables},
        check=False,
    )
    return ProgramEnd(process.returncode, process.stdout.decode("utf-8", "replace"))


def reason_of(error: OSError | ValueError) -> str:
    """Why a program can't be run, in a few words."""
    return (getattr(error, "strerror", None) or str(error)).lower()


def print_output(output: str) -> None:
    """Shows what a program printed, on stderr: stdout is for answers."""
    from zimcore.toolkit.printable import printable

    for line in output.splitlines():
        print(printable(line), file=sys.stderr)
