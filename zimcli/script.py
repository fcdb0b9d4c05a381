"""Scripts: lines of the session language, run until the first that fails."""

from __future__ import annotations

import os
from collections.abc import Iterable
from string import Template

import click

from zimcli.session import COMMENT, LeaveError, Session
from zimcore.game import GameError, NotationError

DEEPEST = 8
"""How many scripts may run one another."""


def run_file(session: Session, path: str) -> None:
    """Runs a file, or what is piped in (`-`). What is no text is a line that nobody understands."""
    with click.open_file(path, encoding="utf-8-sig", errors="replace") as lines:
        run_script(session, lines, "<stdin>" if path == "-" else path)


def filled(line: str, session: Session) -> str:
    """The line with what its variables stand for: `$game` and `$line` are the current ones, others the environment's.

    A name that stands for nothing raises `NotationError`; a comment may say what it likes.
    """
    text = COMMENT.sub("", line)
    here = {"game": session.here.match, "line": session.here.line} if session.here else {}
    try:
        return Template(text).substitute(os.environ | here)
    except (KeyError, ValueError) as error:
        why = f"nothing is called {error}" if isinstance(error, KeyError) else "a $ begins a name: $GAME"
        raise NotationError(text.strip(), why, ["GAME=kilwa-7 zim run FILE"]) from None


def run_script(session: Session, lines: Iterable[str], name: str) -> None:
    """Runs the lines; an error is noted with the line it came up in."""
    if session.level > DEEPEST:
        raise GameError(f"run {name}", f"scripts run one another more than {DEEPEST} deep")
    for number, line in enumerate(lines, 1):
        try:
            session.execute(filled(line, session))
        except LeaveError:
            return
        except Exception as error:
            error.add_note(f"{name}:{number}: {line.strip()}")
            raise
