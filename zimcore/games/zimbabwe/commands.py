"""What a player may ask for: one small Struct each. Squares are named as on the board (`d4`)."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from zimcore.game import Command, Deal
from zimcore.games.zimbabwe.components import Resource, Type

Square: TypeAlias = str


class SetUp(Deal, frozen=True, tag="set_up.1"):
    """Sets a game up; chance follows from the seed alone. Options as they were given: see `setup.OPTIONS`."""

    seed: int
    options: tuple[tuple[str, str], ...] = ()


class Start(Command, frozen=True, tag="start.1"):
    """Places the first monument on a start area."""

    square: Square


class Give(Command, frozen=True, tag="give.1"):
    """Bids: gives that many cattle to the plaques."""

    amount: int


class Pass(Command, frozen=True, tag="pass.1"):
    """Bids no more in this round."""


class Adore(Command, frozen=True, tag="adore.1"):
    """Chooses a god."""

    god: str


class Hire(Command, frozen=True, tag="hire.1"):
    """Chooses a specialist, pays and uses it at once: `cattle` for the Herd, `resource` and `squares` to place."""

    specialist: str
    cattle: int | None = None
    resource: Resource | None = None
    squares: tuple[Square, ...] = ()


class Use(Command, frozen=True, tag="use.1"):
    """Pays and uses a specialist that the player has; fields as in `Hire`."""

    specialist: str
    cattle: int | None = None
    resource: Resource | None = None
    squares: tuple[Square, ...] = ()


class Build(Command, frozen=True, tag="build.1"):
    """Builds monuments, in this order."""

    squares: tuple[Square, ...]


class PlaceCraftsman(Command, frozen=True, tag="place_craftsman.1"):
    """Places one craftsman on its squares (row by row); `price` only with a technology of this turn."""

    type: Type
    squares: tuple[Square, ...]
    price: int | None = None


class SetPrices(Command, frozen=True, tag="set_prices.1"):
    """Raises prices of the player's technologies, or sets them where their god allows it."""

    prices: tuple[tuple[Type, int], ...]


class Supply(msgspec.Struct, frozen=True, omit_defaults=True):
    """A craftsman (named by its first square) and the resource that it uses up."""

    type: Type
    craftsman: Square
    resource: Square


class Good(msgspec.Struct, frozen=True, omit_defaults=True):
    """One ritual good: who makes it and, for a secondary one, where the primary good comes from."""

    maker: Supply
    primary: Supply | None = None


class Ritual(msgspec.Struct, frozen=True):
    """Raises one monument by one level with these goods."""

    monument: Square
    goods: tuple[Good, ...]


class Raise(Command, frozen=True, tag="raise.1"):
    """Raises monuments, in this order."""

    rituals: tuple[Ritual, ...]


class EndTurn(Command, frozen=True, tag="end_turn.1"):
    """Ends the player's turn."""


AnyCommand: TypeAlias = (
    SetUp | Start | Give | Pass | Adore | Hire | Use | Build | PlaceCraftsman | SetPrices | Raise | EndTurn
)
