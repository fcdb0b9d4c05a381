"""Checks for commands that only work with a server as the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zimcli.session.session import Session
from zimcore.game import GameError

if TYPE_CHECKING:
    from zimcore.remote.service import RemoteService


def server_service(session: Session, command: str) -> RemoteService:
    """The service of the server. Raises `GameError` if the store is on this machine."""
    from zimcore.service import GameService

    service = session.service
    if isinstance(service, GameService):
        raise _server_only_error(command)
    return service


def _server_only_error(command: str) -> GameError:
    reason = "in a store on this machine you can play every seat"
    hints = [f"zim --store https://HOST {command} ...", "join LINK"]
    return GameError(f"{command} is for a game on a server", reason, hints)


def match_name(place: str) -> str:
    """The name of the game in a place."""
    return place.partition("@")[0].partition("/")[0]
