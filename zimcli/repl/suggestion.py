"""Suggestions from the history: commands of the game only if they are legal now."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from prompt_toolkit.auto_suggest import AutoSuggest, Suggestion
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.document import Document

from zimcli.registry import IN_SESSION
from zimcli.session import Session

MAX_TRIED = 50
"""Lines of the history that are tried, from the newest: each may take a search for legal commands."""


class Suggest(AutoSuggest):
    """Suggests the newest line that begins so and could be done here."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def get_suggestion(self, buffer: Buffer, document: Document) -> Suggestion | None:
        """The rest of that line."""
        typed = document.text.rpartition("\n")[2]
        lines = dict.fromkeys(matching_lines(buffer, typed)) if typed.strip() else ()
        found = next(filter(self.fits, islice(lines, MAX_TRIED)), None)
        return Suggestion(found[len(typed) :]) if found else None

    def fits(self, line: str) -> bool:
        """Whether a line is for zim, or a move that is legal."""
        here = self.session.here
        return here is None or line.partition(" ")[0] in IN_SESSION or line in here.legal().texts(line)


def matching_lines(buffer: Buffer, typed: str) -> Iterator[str]:
    """The lines typed before that begin so, the newest first."""
    for lines in reversed(buffer.history.get_strings()):
        yield from (line for line in reversed(lines.splitlines()) if line.startswith(typed))
