"""The events, one small Struct each. Stores keep them: a changed form needs a new tag, and the old one an upcaster.

Accounts of cattle are `stock` (the common stock), `kilwa` (a player), `kilwa/potter` (a card), `plaque/kilwa`, and
`card/qamata` (the card of a god that no player adores).
"""

from __future__ import annotations

from typing import TypeAlias

from msgspec import field

from zimcore.game import Event, Seat
from zimcore.game import Played as AnyPlayed
from zimcore.games.zimbabwe.commands import AnyCommand, Square
from zimcore.games.zimbabwe.components import CraftsmanType, Resource
from zimcore.toolkit.pickling import ReduceResult, without_defaults

Account: TypeAlias = str

STOCK: Account = "stock"


class Played(AnyPlayed, frozen=True, tag="played.1"):
    """The command that was accepted; the events after it in the commit follow from it."""

    seat: Seat
    command: AnyCommand


class GameSetUp(Event, frozen=True, tag="game_set_up.2"):
    """The set-up: the map, the cards in play and their VR, and the stack of VR markers, top first.

    `names` are the names of players by seat, as far as they were given.
    """

    seats: tuple[Seat, ...]
    rows: tuple[str, ...]
    order: tuple[Seat, ...]
    gods: dict[str, int]
    specialists: dict[str, int]
    seed: int
    tiles: tuple[tuple[int, int], ...] = ()
    xango: str = "overshoot"
    dziva: str = "immediate"
    max_rounds: int | None = None
    qamata: str = "adored"
    shadipinyi: str = "adored"
    names: dict[Seat, str] = field(default_factory=dict)

    def __reduce__(self) -> ReduceResult:
        return without_defaults(self)


class HouseRulesChosen(Event, frozen=True, tag="house_rules_chosen.1"):
    """The house rules in play, by option, except those that the set-up has (see `house.py`)."""

    rules: dict[str, str]


class RoundBegun(Event, frozen=True, tag="round_begun.1"):
    """A round begins: used markers are removed, and the plaques are in this order (seats, or a god with a plaque)."""

    round: int
    plaques: tuple[str, ...]


class GiftGiven(Event, frozen=True, tag="gift_given.1"):
    """A seat's gift of cattle, including what the stock paid of it."""

    seat: Seat
    amount: int


class CattlePaid(Event, frozen=True, tag="cattle_paid.1"):
    """A payment. No other event moves cattle."""

    payer: Account
    payee: Account
    amount: int
    reason: str


class Passed(Event, frozen=True, tag="passed.1"):
    """A player bids no more; `forced` if no bid was possible."""

    seat: Seat
    forced: bool = False


class OrderSet(Event, frozen=True, tag="order_set.1"):
    """The order of play of this round."""

    order: tuple[Seat, ...]


class TurnBegun(Event, frozen=True, tag="turn_begun.1"):
    """A player's turn in the phase of religion and culture begins."""

    seat: Seat


class TurnEnded(Event, frozen=True, tag="turn_ended.1"):
    """A player's turn ends."""

    seat: Seat


class ActionTaken(Event, frozen=True, tag="action_taken.1"):
    """The turn's main action is `build`, `craft` or `raise`."""

    seat: Seat
    action: str


class GodAdored(Event, frozen=True, tag="god_adored.1"):
    """A player adores a god for the rest of the game."""

    seat: Seat
    god: str


class SpecialistHired(Event, frozen=True, tag="specialist_hired.1"):
    """A player takes a specialist."""

    seat: Seat
    specialist: str


class SpecialistUsed(Event, frozen=True, tag="specialist_used.1"):
    """A player uses a specialist this turn."""

    seat: Seat
    specialist: str


class ResourcePlaced(Event, frozen=True, tag="resource_placed.1"):
    """A resource tile is placed."""

    seat: Seat
    resource: Resource
    square: Square


class WaterPlaced(Event, frozen=True, tag="water_placed.1"):
    """A water tile is placed."""

    seat: Seat
    squares: tuple[Square, ...]


class MonumentBuilt(Event, frozen=True, tag="monument_built.1"):
    """A monument of level 1 is built."""

    seat: Seat
    square: Square


class TechnologyTaken(Event, frozen=True, tag="technology_taken.1"):
    """A player takes the first or second card of a technology, which adds `vr`."""

    seat: Seat
    type: CraftsmanType
    card: int
    vr: int


class TechnologyRebated(Event, frozen=True, tag="technology_rebated.1"):
    """A technology's VR is reduced to `vr`."""

    seat: Seat
    type: CraftsmanType
    vr: int


class CraftsmanPlaced(Event, frozen=True, tag="craftsman_placed.1"):
    """A craftsman is placed on these squares, listed row by row."""

    seat: Seat
    type: CraftsmanType
    squares: tuple[Square, ...]


class PriceSet(Event, frozen=True, tag="price_set.1"):
    """A player sets the price of a ritual good, in cattle."""

    seat: Seat
    type: CraftsmanType
    price: int


class GoodMade(Event, frozen=True, tag="good_made.1"):
    """A craftsman (named by its first square) makes a ritual good for a player; the resource gets a used marker."""

    seat: Seat
    type: CraftsmanType
    craftsman: Square
    resource: Square


class MonumentRaised(Event, frozen=True, tag="monument_raised.1"):
    """A monument is raised to this level."""

    seat: Seat
    square: Square
    level: int


class VPScored(Event, frozen=True, tag="vp_scored.1"):
    """A player gains victory points, for a monument or a type of craftsman."""

    seat: Seat
    points: int
    reason: str


class VRChanged(Event, frozen=True, tag="vr_changed.1"):
    """A player's victory requirement changes because of a card; the marker goes on top of its new stack."""

    seat: Seat
    by: int
    reason: str


class MythologiesCompared(Event, frozen=True, tag="mythologies_compared.1"):
    """The end of a round: the players who have reached their VR, best first, and the winner if the game is over."""

    reached: tuple[Seat, ...]
    winner: Seat | None = None


EVENTS: tuple[type[Event], ...] = (
    Played,
    GameSetUp,
    HouseRulesChosen,
    RoundBegun,
    GiftGiven,
    CattlePaid,
    Passed,
    OrderSet,
    TurnBegun,
    TurnEnded,
    ActionTaken,
    GodAdored,
    SpecialistHired,
    SpecialistUsed,
    ResourcePlaced,
    WaterPlaced,
    MonumentBuilt,
    TechnologyTaken,
    TechnologyRebated,
    CraftsmanPlaced,
    PriceSet,
    GoodMade,
    MonumentRaised,
    VPScored,
    VRChanged,
    MythologiesCompared,
)
