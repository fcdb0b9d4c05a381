"""The games in the lobby, each as a card: its board, its players and its status, as the visitor sees them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from urllib.parse import urlencode

import msgspec
from msgspec.structs import replace

from event_store import DamagedError
from zimcore.commits import Position
from zimcore.game import Seat
from zimcore.server.endpoints.question_handlers import visible_position
from zimcore.server.pages.game_page import page_address
from zimcore.server.pages.page_parameters import common_line
from zimcore.server.pages.rendering import with_names
from zimcore.server.pages.seat_bar import people_at
from zimcore.server.people.access import Visitor, service_seen_by
from zimcore.server.people.member_documents import seats_answer
from zimcore.service import GameService

UNDEALT_STATUS = "it is dealt when all seats are taken, or earlier if the host deals"


class Player(msgspec.Struct, frozen=True):
    """A seat on a card: how it is called, whether it is to move, and whether it is free."""

    seat: Seat
    name: str
    is_to_move: bool
    is_free: bool


class GameCard(msgspec.Struct, frozen=True):
    """A game in the lobby: the visitor's role and seat there, and, if it is dealt, its status, players and board."""

    address: str
    name: str
    title: str
    role: str
    seat: Seat = ""
    status: str = ""
    is_your_turn: bool = False
    is_over: bool = False
    players: Sequence[Player] = ()
    colours: Mapping[Seat, str] = {}
    played_at: datetime | None = None
    deadline: datetime | None = None
    picture_address: str = ""


def card_of(service: GameService, visitor: Visitor, as_: str) -> GameCard:
    """The card of a game as a visitor sees it."""
    card = title_card(service, visitor.game, visitor.role, as_, visitor.seat)
    seats = seats_answer(service, visitor.game, visitor.members).seats
    is_free = {info.seat: not info.by for info in seats}
    names = people_at(seats, None)
    if not visitor.lines:
        players = [Player(seat, name, is_to_move=False, is_free=is_free[seat]) for seat, name in names.items()]
        return replace(card, status=UNDEALT_STATUS, players=players)
    try:
        position = visible_position(service_seen_by(service, visitor), visitor, common_line(visitor), "")
    except DamagedError:
        return replace(card, status="it can't be read: the host can check it with verify")
    is_over = position.outcome.over or visitor.members.ended
    return replace(
        card,
        status=with_names(position.status, names),
        is_your_turn=visitor.seat in position.to_move and not is_over,
        is_over=is_over,
        players=[
            Player(seat, name, not is_over and seat in position.to_move, is_free[seat]) for seat, name in names.items()
        ],
        colours=position.colours,
        played_at=position.commit.at,
        deadline=next((seat_info.due for seat_info in seats if seat_info.seat == visitor.seat), None),
        picture_address=picture_address(position, as_),
    )


def title_card(service: GameService, game: str, role: str, as_: str, seat: Seat = "") -> GameCard:
    """The card of a game with no more than its name and title."""
    return GameCard(page_address(game, as_), game, service.game(game).title, role, seat)


def picture_address(position: Position, as_: str) -> str:
    """The address of a small picture of a position, which never changes; "" without a board."""
    query = urlencode({**({"as": as_} if as_ else {}), "at": position.commit.digest})
    return f"{page_address(position.match)}/board.svg?{query}" if has_board(position) else ""


_has_board_by_kind: dict[str, bool] = {}


def has_board(position: Position) -> bool:
    """Whether games of this kind have a board. Found by drawing one, which takes a millisecond; cached."""
    kind = position.game.name
    if kind not in _has_board_by_kind:
        _has_board_by_kind[kind] = position.board is not None
    return _has_board_by_kind[kind]
