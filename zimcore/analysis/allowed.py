"""Whether programs may help with a match: its host can have switched that off, until it is over."""

from __future__ import annotations

from typing import Protocol

from zimcore.commits import Position
from zimcore.game import GameError
from zimcore.service.discussion import Discussion
from zimcore.service.names import Names


class HelpTerms(Protocol):
    """Where it is known what those who play have agreed on, and how their match stands: either door."""

    def discussion(self, match: str, /) -> Discussion:
        """What was said and asked for around a game."""

    def names(self, match: str, /) -> Names:
        """The names of its lines."""

    def position(self, place: str, /) -> Position:
        """The position with that name."""


def helps(service: HelpTerms, match: str) -> bool:
    """Whether help is allowed on the lines of a match."""
    if service.discussion(match).helps:
        return True
    return service.position(f"{match}/{service.names(match).first}").outcome.over


def check_helps(service: HelpTerms, match: str) -> None:
    """Raises `GameError` while help is off in a game."""
    if not helps(service, match):
        why = "it was started with help=no, until the match is over"
        raise GameError("help is off in this game", why, ["advice", "plan", "stats"])
