"""Suggestions from the history: commands of the game only if they are legal now."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from prompt_toolkit.auto_suggest import AutoSuggest, Suggestion
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.document import Document

from zimcli.session.session import Session
from zimcli.shell.registry import SESSION_ENTRIES

MAX_TRIED_LINES = 50
"""The most lines of the history to check, newest first: each check may search the legal commands."""


class HistorySuggester(AutoSuggest):
    """Suggests the newest line of the history with this beginning that could be run now."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def get_suggestion(self, buffer: Buffer, document: Document) -> Suggestion | None:
        """The rest of the suggested line."""
        text = document.text.rpartition("\n")[2]
        lines = dict.fromkeys(matching_lines(buffer, text)) if text.strip() else ()
        matching_line = next(filter(self.is_runnable, islice(lines, MAX_TRIED_LINES)), None)
        return Suggestion(matching_line[len(text) :]) if matching_line else None

    def is_runnable(self, line: str) -> bool:
        """Whether a line is a command of zim, or a legal move."""
        position = self.session.current
        return position is None or line.partition(" ")[0] in SESSION_ENTRIES or line in position.legal().texts(line)


def matching_lines(buffer: Buffer, text: str) -> Iterator[str]:
    """The lines of the history that start with `text`, newest first."""
    for lines in reversed(buffer.history.get_strings()):
        yield from (line for line in reversed(lines.splitlines()) if line.startswith(text))
