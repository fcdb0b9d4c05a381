"""Runs scripts: lines of the session language, up to the first that fails."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from string import Template
from typing import TypeAlias

import click

from zimcli.output.files import open_for_reading
from zimcli.session.session import COMMENT, LeaveError, Session
from zimcli.shell.exit_codes import ReaderGoneError
from zimcore.game import GameError, NotationError
from zimcore.toolkit.characters import decoded_lines
from zimcore.toolkit.file_kinds import EMPTY, SCRIPT, TEXT

MAX_SCRIPT_DEPTH = 8
"""How deep scripts may run other scripts."""


FailureHandler: TypeAlias = Callable[[int, str, Exception], None]
"""Called for a line that failed, with its number, its text and the error."""


def run_file(session: Session, path: str, on_failure: FailureHandler | None = None) -> int:
    """Runs a file, or stdin (`-`). Bytes that are not valid UTF-8 make their line fail as not understood."""
    with open_for_reading(path, "a script", [SCRIPT, TEXT, EMPTY]) as file:
        return run_script(session, decoded_lines(file), "<stdin>" if path == "-" else path, on_failure)


def fill_variables(line: str, session: Session) -> str:
    """The line with its variables replaced: `$game` and `$line` are the current ones, others come from the environment.

    Raises `NotationError` for an unknown name. Comments are removed first, so they may contain a `$`.
    """
    line_without_comment = re.sub(COMMENT, "", line)
    variables = {"game": session.current.match, "line": session.current.line} if session.current else {}
    try:
        return Template(line_without_comment).substitute(os.environ | variables)
    except (KeyError, ValueError) as error:
        reason = f"nothing is called {error}" if isinstance(error, KeyError) else "a $ begins a name: $GAME"
        raise NotationError(line_without_comment.strip(), reason, ["GAME=kilwa-7 zim run FILE"]) from None


def run_script(
    session: Session, lines: Iterable[str], script_name: str, on_failure: FailureHandler | None = None
) -> int:
    """Runs the lines, and returns how many were neither empty nor a comment. An error gets a note with its line.

    The first error ends the script and is raised. With `on_failure` it is passed to that instead, and the script goes
    on.
    """
    if session.level > MAX_SCRIPT_DEPTH:
        raise GameError(f"run {script_name}", f"scripts run one another more than {MAX_SCRIPT_DEPTH} deep")
    previous_lines, session.script_lines = session.script_lines, {**session.script_lines}
    try:
        return _run_lines(session, lines, script_name, on_failure)
    finally:
        session.script_lines = previous_lines


def _run_lines(session: Session, lines: Iterable[str], script_name: str, on_failure: FailureHandler | None) -> int:
    count = 0
    for line_number, line in enumerate(lines, 1):
        count += bool(re.sub(COMMENT, "", line).strip())
        try:
            session.run_line(fill_variables(line, session))
        except LeaveError:
            break
        except Exception as error:
            error.add_note(f"{script_name}:{line_number}: {line.strip()}")
            if on_failure is None or isinstance(error, (ReaderGoneError, BrokenPipeError, click.Abort)):
                raise
            on_failure(line_number, line.strip(), error)
    return count
