"""Whether programs may help with a match: its host can have switched that off, until it is over."""

from __future__ import annotations

from zimcore.game import GameError
from zimcore.service import GameService


def helps(service: GameService, match: str) -> bool:
    """Whether anybody may be helped, on whichever line of a match."""
    if service.proceedings(match).helps:
        return True
    return service.position(f"{match}/{service.names(match).first}").outcome.over


def check_helps(service: GameService, match: str) -> None:
    """Raises `GameError` where nobody is to be helped yet."""
    if not helps(service, match):
        why = "it was begun so: help=no, until the match is over"
        raise GameError("no program helps with this game", why, ["advice", "plan", "stats"])
