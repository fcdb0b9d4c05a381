"""The commands of players, one small Struct each. Squares have their names on the board (`d4`)."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from zimcore.game import Command, Deal
from zimcore.games.zimbabwe.components import CraftsmanType, Resource

Square: TypeAlias = str


class SetUp(Deal, frozen=True, tag="set_up.1"):
    """Sets up a game; all random numbers follow from `seed`. `options` are the options given, see `setup.OPTIONS`."""

    seed: int
    options: tuple[tuple[str, str], ...] = ()


class Start(Command, frozen=True, tag="start.1"):
    """Places the first monument on a start area."""

    square: Square


class Give(Command, frozen=True, tag="give.1"):
    """Bids: gives that many cattle to the plaques. Players type `bid`; in the rulebook a bid is a gift."""

    amount: int


class Pass(Command, frozen=True, tag="pass.1"):
    """Passes: bids no more in this round."""


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
    """Places a craftsman on its squares (row by row); `price` only for a technology taken in this turn."""

    type: CraftsmanType
    squares: tuple[Square, ...]
    price: int | None = None


class SetPrices(Command, frozen=True, tag="set_prices.1"):
    """Raises prices of the player's technologies, or sets them freely if their god allows it."""

    prices: tuple[tuple[CraftsmanType, int], ...]


class Supply(msgspec.Struct, frozen=True, omit_defaults=True):
    """The work of a craftsman: the craftsman, named by its first square, and the resource that it uses."""

    type: CraftsmanType
    craftsman: Square
    resource: Square


class Good(msgspec.Struct, frozen=True, omit_defaults=True):
    """A ritual good: the work that makes it and, for a secondary good, the work that makes the primary one."""

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
