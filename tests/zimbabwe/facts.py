"""Events of common positions, one function each, for tests to start from."""

from __future__ import annotations

from zimcore.game import Event, Seat
from zimcore.games.zimbabwe.commands import Square
from zimcore.games.zimbabwe.components import CONSTANTS, CRAFTSMEN, GODS, SPECIALISTS, CraftsmanType
from zimcore.games.zimbabwe.events import (
    STOCK,
    CattlePaid,
    CraftsmanPlaced,
    GodAdored,
    GoodMade,
    MonumentBuilt,
    MonumentRaised,
    OrderSet,
    PriceSet,
    RoundBegun,
    SpecialistHired,
    TechnologyTaken,
    TurnBegun,
    VPScored,
    VRChanged,
)


def cattle(**amounts: int) -> list[Event]:
    """Players get cattle."""
    return [CattlePaid(STOCK, seat, amount, "given") for seat, amount in amounts.items()]


def bidding(*plaques: str, round_number: int = 1) -> Event:
    """A round has begun with the plaques in this order; the first player bids."""
    return RoundBegun(round_number, plaques)


def turn_of(seat: Seat, order: str = "kilwa zulu", round_number: int = 1) -> list[Event]:
    """A player's turn has just begun, in a round with this order of turns."""
    seats = tuple(order.split())
    return [RoundBegun(round_number, seats), OrderSet(seats), TurnBegun(seat)]


def monument(seat: Seat, square: Square, level: int = 1) -> list[Event]:
    """A player has a monument of that level."""
    raises = [MonumentRaised(seat, square, new_level) for new_level in range(2, level + 1)]
    return [MonumentBuilt(seat, square), *raises, VPScored(seat, CONSTANTS.level_vp[level], f"monument {square}")]


def adored_god(seat: Seat, god: str) -> list[Event]:
    """A player has adored a god, in an earlier turn."""
    return [GodAdored(seat, god), VRChanged(seat, GODS[god].vr, god)]


def hired_specialist(seat: Seat, specialist: str) -> list[Event]:
    """A player has a specialist, from an earlier turn."""
    return [SpecialistHired(seat, specialist), VRChanged(seat, SPECIALISTS[specialist].vr, specialist)]


def technology(seat: Seat, type_: CraftsmanType, *, price: int = 1, card_number: int = 1) -> list[Event]:
    """A player has the first or second card of a technology."""
    vr = CRAFTSMEN[type_].vr[card_number - 1]
    return [TechnologyTaken(seat, type_, card_number, vr), VRChanged(seat, vr, type_), PriceSet(seat, type_, price)]


def tile(seat: Seat, type_: CraftsmanType, squares: str) -> list[Event]:
    """A craftsman of a player who has the technology: `d4-d5`, or `d4` for the four squares d4, d5, e4 and e5."""
    return [CraftsmanPlaced(seat, type_, squares_covered(type_, squares)), VPScored(seat, CRAFTSMEN[type_].vp, type_)]


def craftsman(seat: Seat, type_: CraftsmanType, squares: str, *, price: int = 1, card: int = 1) -> list[Event]:
    """A player's first craftsman of a type, with its technology."""
    return [*technology(seat, type_, price=price, card_number=card), *tile(seat, type_, squares)]


def squares_covered(type_: CraftsmanType, squares: str) -> tuple[Square, ...]:
    """All squares of a tile."""
    if CRAFTSMEN[type_].size != (2, 2):
        return tuple(squares.split("-"))
    column, row = squares[0], int(squares[1:])
    return tuple(
        f"{chr(ord(column) + column_offset)}{row + row_offset}" for row_offset in (0, 1) for column_offset in (0, 1)
    )


def used_markers(*resources: Square, owner: Seat = "zulu") -> list[Event]:
    """These resources have got a used marker in this round."""
    return [GoodMade(owner, "potter", "", resource) for resource in resources]
