"""Documents about the seats of a game, its players and its tokens."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from msgspec.structs import replace

from zimcore.documents.seats import SeatInfo, SeatsAnswer, TokenInfo
from zimcore.service import GameService
from zimcore.service.records.memberships import Grant, Members
from zimcore.service.records.terms import term_texts


def seats_answer(service: GameService, game: str, members: Members) -> SeatsAnswer:
    """The seats of a game, its players with their clocks, its host and its terms."""
    clocks = service.due(game)
    bots, bindings = service.bots(game), service.names(game).current_bindings
    keys_by_seat = {**members.keys, **{seat: binding.key for seat, binding in bindings.items()}}
    seat_infos = (
        SeatInfo(seat, bots[seat], bot=True) if seat in bots else seat_info(seat, members, keys_by_seat.get(seat, ""))
        for seat in seats_of(service, game)
    )
    seats = tuple(
        replace(info, paced=clock.pace_end, due=clock.due) if (clock := clocks.get(info.seat)) else info
        for info in seat_infos
    )
    is_dealt = bool(service.names(game).lines)
    return SeatsAnswer(
        game=game,
        host=members.host,
        public=members.public,
        seats=seats,
        dealt=is_dealt,
        terms=term_texts(members.terms),
        ended=members.ended,
        house=members.house_rules,
    )


def seat_info(seat: str, members: Members, key: str) -> SeatInfo:
    """A seat with its player, if any, and the key that signs its commands."""
    grant = members.token_at(seat)
    if grant is None:
        return SeatInfo(seat, key=key)
    return SeatInfo(seat, grant.name, grant.given_at, grant.role == "bot", key)


def token_info(grant: Grant) -> TokenInfo:
    """A token as a list shows it."""
    scopes: Any = grant.scopes
    return TokenInfo(
        id=grant.id,
        role=grant.role,
        name=grant.name,
        seat=grant.seat,
        scopes=scopes,
        given=grant.given_at,
        until=grant.until,
        link=grant.offered,
    )


def seats_of(service: GameService, game: str) -> Sequence[str]:
    """The seats of a game."""
    table = service.names(game).table
    return table.seats if table else service.position(f"{game}@start").seats


def expiry_time(now: datetime, days: float | None) -> datetime | None:
    """The time when a token ends that is valid for `days`; None for no end."""
    return now + timedelta(days=days) if days is not None else None
