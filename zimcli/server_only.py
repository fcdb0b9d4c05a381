"""What commands about who takes part share: they need a store that is a server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zimcli.session import Session
from zimcore.game import GameError

if TYPE_CHECKING:
    from zimcore.remote.service import RemoteService


def server(session: Session, command: str) -> RemoteService:
    """The service on the server that is the store. Raises `GameError` where it is none."""
    from zimcore.service import GameService

    service = session.service
    if isinstance(service, GameService):
        raise _not_there(command)
    return service


def _not_there(command: str) -> GameError:
    why = "in a store on this machine you can play every seat"
    hints = [f"zim --store https://HOST {command} ...", "join LINK"]
    return GameError(f"{command} is for a game on a server", why, hints)


def game_of(place: str) -> str:
    """The game of a place."""
    return place.partition("@")[0].partition("/")[0]
