"""Who takes part in a game, as documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from zimcore.documents.seats import SeatInfo, SeatsAnswer, TokenInfo
from zimcore.service import GameService
from zimcore.service.memberships import Grant, Members


def seats_answer(service: GameService, game: str, members: Members) -> SeatsAnswer:
    """Who sits where in a game."""
    bots = service.bots(game)
    seats = tuple(
        SeatInfo(seat, bots[seat], bot=True) if seat in bots else seat_info(seat, members)
        for seat in seats_of(service, game)
    )
    return SeatsAnswer(game=game, host=members.host, public=members.public, seats=seats)


def seat_info(seat: str, members: Members) -> SeatInfo:
    """A seat, and who sits there."""
    sitting = members.at(seat)
    if sitting is None:
        return SeatInfo(seat)
    return SeatInfo(seat, sitting.name, sitting.given, sitting.role == "bot", members.keys.get(seat, ""))


def info(grant: Grant) -> TokenInfo:
    """A token as it is listed."""
    scopes: Any = grant.scopes
    return TokenInfo(
        id=grant.id,
        role=grant.role,
        name=grant.name,
        seat=grant.seat,
        scopes=scopes,
        given=grant.given,
        until=grant.until,
        link=grant.offered,
    )


def seats_of(service: GameService, game: str) -> Sequence[str]:
    """The seats of a game."""
    return service.position(f"{game}@start").seats
