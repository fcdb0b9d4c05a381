"""Scripts: lines of the session language, run until the first that fails, or to the end."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from string import Template
from typing import TypeAlias

import click

from zimcli.exit_codes import ReaderGoneError
from zimcli.session import COMMENT, LeaveError, Session
from zimcore.game import GameError, NotationError

MAX_DEPTH = 8
"""How many scripts may run one another."""


Failed: TypeAlias = Callable[[int, str, Exception], None]
"""Takes note of a line that has failed: its number, what it says, and how."""


def run_file(session: Session, path: str, failed: Failed | None = None) -> int:
    """Runs a file, or what is piped in (`-`). What is no text is a line that nobody understands."""
    with click.open_file(path, encoding="utf-8-sig", errors="replace") as lines:
        return run_script(session, lines, "<stdin>" if path == "-" else path, failed)


def fill_variables(line: str, session: Session) -> str:
    """The line with what its variables stand for: `$game` and `$line` are the current ones, others the environment's.

    A name that stands for nothing raises `NotationError`; a comment may say what it likes.
    """
    text = re.sub(COMMENT, "", line)
    here = {"game": session.here.match, "line": session.here.line} if session.here else {}
    try:
        return Template(text).substitute(os.environ | here)
    except (KeyError, ValueError) as error:
        why = f"nothing is called {error}" if isinstance(error, KeyError) else "a $ begins a name: $GAME"
        raise NotationError(text.strip(), why, ["GAME=kilwa-7 zim run FILE"]) from None


def run_script(session: Session, lines: Iterable[str], name: str, failed: Failed | None = None) -> int:
    """Runs the lines, and gives how many said something. An error is noted with the line it came up in.

    It ends the script, unless somebody takes note of those that have `failed`.
    """
    if session.level > MAX_DEPTH:
        raise GameError(f"run {name}", f"scripts run one another more than {MAX_DEPTH} deep")
    count = 0
    for number, line in enumerate(lines, 1):
        count += bool(re.sub(COMMENT, "", line).strip())
        try:
            session.execute(fill_variables(line, session))
        except LeaveError:
            break
        except Exception as error:
            error.add_note(f"{name}:{number}: {line.strip()}")
            if failed is None or isinstance(error, (ReaderGoneError, BrokenPipeError, click.Abort)):
                raise
            failed(number, line.strip(), error)
    return count
