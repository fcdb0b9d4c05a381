"""Whether programs may help in a match: its host can switch help off until the match is over."""

from __future__ import annotations

from typing import Protocol

from zimcore.commits import Position
from zimcore.game import GameError
from zimcore.service.records.discussion import Discussion
from zimcore.service.records.names import Names


class HelpService(Protocol):
    """The part of a service, local or remote, that says whether help is on and whether a match is over."""

    def discussion(self, match: str, /) -> Discussion:
        """The chat, requests and settings of a match."""

    def names(self, match: str, /) -> Names:
        """The names of a match and its lines."""

    def position(self, place: str, /) -> Position:
        """The position at a place."""


def help_refusal(service: HelpService, match: str) -> GameError | None:
    """Why programs may not help in a match; None if they may."""
    if service.discussion(match).allows_help:
        return None
    if service.position(f"{match}/{service.names(match).first_line}").outcome.over:
        return None
    why = "it was started with help=no; help returns when the match is over"
    # These need no program's judgement, so they work without help.
    return GameError("help is off in this game", why, ["hint --advice", "hint --plan", "stats"])


def is_help_allowed(service: HelpService, match: str) -> bool:
    """Whether help is allowed on the lines of a match."""
    return help_refusal(service, match) is None


def check_help_allowed(service: HelpService, match: str) -> None:
    """Raises `GameError` while help is off in a match."""
    if refusal := help_refusal(service, match):
        raise refusal
