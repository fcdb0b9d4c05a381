"""The state of a game."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from zimcore.game import Seat
from zimcore.games.zimbabwe.board import Board, Squares
from zimcore.games.zimbabwe.commands import Square
from zimcore.games.zimbabwe.components import GODS, NO_GOD, SPECIALISTS, CraftsmanType, God, Resource
from zimcore.games.zimbabwe.events import Account, GameSetUp


class Monument(msgspec.Struct, frozen=True):
    """A monument: its owner, and its level (1 to 5)."""

    owner: Seat
    level: int


class Craftsman(msgspec.Struct, frozen=True):
    """A craftsman on the board; its first square (`at`) names it, `zone` is the set of its squares."""

    type: CraftsmanType
    owner: Seat
    squares: tuple[Square, ...]
    zone: Squares

    @property
    def at(self) -> Square:
        """The top left square."""
        return self.squares[0]


class Technology(msgspec.Struct, frozen=True):
    """A player's technology card: the first or second of its type (`card`), its VR, and its price in cattle.

    The price is 0 until the player sets it, in the turn in which they took the card.
    """

    card: int
    vr: int
    price: int = 0


class Turn(msgspec.Struct, frozen=True):
    """A turn so far.

    `window` says what may follow the last command although it could not at another time (R-TURN-04, R-GOD-03):
    `prices` at the start and after choosing a god, `craftsmen` while placing craftsmen, `raising` after raising prices,
    `monuments` while building or raising monuments, otherwise "".

    `stood` is the number of craftsmen on the board before the turn (R-CRA-08), `card` whether a card was taken. `used`
    are the specialists used, `taken` the technologies taken, `monuments` those that the action has built or raised
    (R-MON-02, R-RAI-01).
    """

    seat: Seat
    stood: int
    card: bool = False
    used: tuple[str, ...] = ()
    action: str | None = None
    window: str = "prices"
    taken: tuple[CraftsmanType, ...] = ()
    monuments: tuple[Square, ...] = ()


NOT_SET_UP = GameSetUp((), (), (), {}, {}, 0)
NO_TURN = Turn("", 0)
EMPTY_BOARD = Board.from_rows([])
GOD_BY_NAME: dict[str | None, God] = dict([(None, NO_GOD), *GODS.items()])
"""The modifiers of each god, and of none."""


class State(msgspec.Struct, eq=False):
    """A position. Only `evolve` changes it; take a `copy` to keep one.

    `queue` has the seats in the order of their VR markers: VR descending, for equal VR the lower marker first
    (R-VR-04). `cattle` has every account that was ever paid to; that of the `stock` is negative: minus what it
    has paid out.
    """

    setup: GameSetUp = NOT_SET_UP
    house: dict[str, str] = {}
    """The house rules in play, by option (see `house.py`)."""
    board: Board = EMPTY_BOARD
    phase: str = ""
    """Empty before set-up, then `setup`, `bidding`, `actions`, and `over`."""
    round: int = 0
    vp: dict[Seat, int] = {}
    vr: dict[Seat, int] = {}
    queue: tuple[Seat, ...] = ()
    cattle: dict[Account, int] = {}
    adores: dict[Seat, str] = {}
    """The god of each player. The gods in play are in `setup`."""
    specialists: dict[str, Seat | None] = {}
    """The specialists in play and their owners, in the order in which they were taken."""
    technologies: dict[Account, Technology] = {}
    """The technologies, each by the account of its card: `kilwa/potter`."""
    plaques: tuple[str, ...] = ()
    cattle_given: int = 0
    """The cattle that all players have given in this round."""
    gift: int = 0
    """The last gift."""
    givers: tuple[Seat, ...] = ()
    passed_seats: tuple[Seat, ...] = ()
    bidder: Seat = ""
    """The last seat to bid or pass."""
    order: tuple[Seat, ...] = ()
    turn: Turn = NO_TURN
    monuments: dict[Square, Monument] = {}
    craftsmen: tuple[Craftsman, ...] = ()
    used_markers: dict[Square, int] = {}
    """The number of used markers on each resource."""
    used_markers_by_seat: dict[Seat, dict[Square, int]] = {}
    """The used markers of each player; kept only under a house rule that needs it."""
    prices_raised: bool = False
    """Whether prices were raised in this turn: no more craftsmen can follow (R-PRI-01)."""
    resources: dict[Resource, Squares] = {}
    tiles: dict[Resource, int] = {}
    """Resource tiles left to place."""
    water_tiles: int = 0
    start_areas: Squares = 0
    seats_at_vr: tuple[Seat, ...] = ()
    """The seats with at least as many VP as their VR at the end of the round, the best first."""
    winner: Seat | None = None
    monument_squares: Squares = 0
    empty_land: Squares = 0
    """Squares without water, start area, resource, craftsman or monument (R-GEO-03)."""

    def copy(self) -> State:
        """A copy that can be changed."""
        # Copies share the other tables, which are replaced and never changed (see `evolve`).
        return replace(self, cattle=self.cattle.copy())

    @property
    def seats(self) -> tuple[Seat, ...]:
        """All players, in the order of the seats."""
        return self.setup.seats

    @property
    def actor(self) -> Seat | None:
        """The seat to move: in set-up down the VR stack (R-SET-02), then along the plaques (R-BID-02) or the order."""
        if self.phase == "actions":
            return self.turn.seat
        if self.phase == "bidding":
            return self._next_bidder()
        if self.phase == "setup":
            return next(iter(self.setup.order[len(self.monuments) :]), None)
        return None

    def has_house_rule(self, option: str) -> bool:
        """Whether the house rule with this option is in play."""
        return option in self.house

    def has_moved_vr(self, seat: Seat) -> bool:
        """Whether a player's VR marker has ever moved: only cards with a VR move it."""
        god_vr = self.setup.gods.get(self.adores.get(seat, ""), 0)
        specialists_vr = (self.setup.specialists[specialist] for specialist in self.specialists_of(seat))
        return any((god_vr, *specialists_vr, *(each.vr for each in self.technologies_of(seat).values())))

    def in_turn_of(self, seat: Seat) -> State:
        """The position in a player's turn; if it is not theirs, as if their turn had just begun."""
        if self.turn.seat == seat:
            return self
        state_in_turn = self.copy()
        state_in_turn.phase, state_in_turn.turn = "actions", Turn(seat, len(self.craftsmen))
        return state_in_turn

    def _next_bidder(self) -> Seat | None:
        first_index = self.plaques.index(self.bidder) + 1 if self.bidder else 0
        for plaque in self.plaques[first_index:] + self.plaques[:first_index]:
            if plaque in self.vp and plaque not in self.passed_seats:
                return plaque
        return None

    def god_modifiers(self, seat: Seat) -> God:
        """The modifiers of a player's god, or the defaults."""
        return GOD_BY_NAME[self.adores.get(seat)]

    def may_price_freely(self, seat: Seat) -> bool:
        """Whether prices can go up and down: at the start of a turn or right after choosing a god, if it allows it.

        See R-GOD-03.
        """
        may_set_prices = self.turn.window == "prices" and not (self.turn.card and self.setup.dziva == "turn-start")
        return may_set_prices and self.god_modifiers(seat).any_price

    def adorer_of(self, god: str) -> Seat | None:
        """The adorer of a god; None if there is none."""
        return next((seat for seat, adored_god in self.adores.items() if adored_god == god), None)

    def god_and_adorer(self, modifier: str) -> tuple[str, Seat] | None:
        """The god with a modifier and its adorer; None if no player adores it."""
        return next(((god, seat) for seat, god in self.adores.items() if getattr(GODS[god], modifier)), None)

    def unadored_god(self, modifier: str, option: str) -> str | None:
        """The god in play with a modifier, if an option lets it act without an adorer (R-GOD-04)."""
        if option != "always" or self.god_and_adorer(modifier):
            return None
        return next((god for god in self.setup.gods if getattr(GODS[god], modifier)), None)

    def specialists_of(self, seat: Seat) -> tuple[str, ...]:
        """A player's specialists in the order in which they were taken."""
        return tuple(specialist for specialist, owner in self.specialists.items() if owner == seat)

    def paid_in_steps(self, seat: Seat, specialist: str) -> int:
        """The cattle paid in this turn onto a Herd that may be used again, under a house rule (R-SPEC-06); else 0."""
        if not self.has_house_rule("herd") or specialist not in self.turn.used:
            return 0
        kind, cattle = SPECIALISTS[specialist], self.cattle[f"{seat}/{specialist}"]
        paid_amounts = (cost for cost, added in zip(kind.costs, kind.herd, strict=False) if cost + added <= cattle)
        return max(paid_amounts, default=0)

    def technologies_of(self, seat: Seat) -> dict[CraftsmanType, Technology]:
        """A player's technologies by type, in the order in which they were taken."""
        prefix = f"{seat}/"
        return {
            card[len(prefix) :]: technology for card, technology in self.technologies.items() if card.startswith(prefix)
        }

    def unpriced_technologies(self, seat: Seat) -> list[CraftsmanType]:
        """A player's technologies of this turn that still need a price (R-PRI-01)."""
        cards = self.technologies
        return [type_ for type_ in self.turn.taken if (card := cards.get(f"{seat}/{type_}")) and not card.price]

    def card_accounts_of(self, seat: Seat) -> list[Account]:
        """The accounts of a player's cards that have ever held cattle."""
        prefix = f"{seat}/"
        return [account for account in self.cattle if account.startswith(prefix)]

    def owners_of(self, type_: CraftsmanType) -> list[Seat]:
        """The seats with a technology of this type."""
        return [seat for seat in self.seats if f"{seat}/{type_}" in self.technologies]

    def craftsmen_of_type(self, type_: CraftsmanType) -> list[Craftsman]:
        """The craftsmen of a type on the board, in the order in which they were placed."""
        return [craftsman for craftsman in self.craftsmen if craftsman.type == type_]

    def craftsman_at(self, square: Square) -> Craftsman | None:
        """The craftsman on a square; None if there is none."""
        for craftsman in self.craftsmen:
            if square in craftsman.squares:
                return craftsman
        return None

    @property
    def range_in_steps(self) -> int:
        """The range in this turn, in steps (R-RNG-06)."""
        return self.god_modifiers(self.turn.seat).range

    def resources_near(self, zone: Squares, resource: Resource) -> Squares:
        """The resources of a kind within range of a zone (R-RNG-07), used or not."""
        return self.squares_in_range(zone) & self.resources[resource]

    def squares_in_range(self, zone: Squares, steps: int = 0) -> Squares:
        """The squares within range of a zone, for resources: within `steps`, or in the range of this turn for 0."""
        blocked_squares = self.monument_squares if self.has_house_rule("resource_range") else 0
        return self.board.ball(zone, steps or self.range_in_steps, blocked_squares)

    @property
    def resource_range_note(self) -> str:
        """What a refusal adds, if resources that are near enough may lie behind a monument (R-RNG-07)."""
        is_blocked = self.has_house_rule("resource_range")
        return ", without passing a monument: a house rule (resource_range=blocked)" if is_blocked else ""

    def income(self, seat: Seat) -> int:
        """A player's income in cattle: the level of their highest monument (R-REV-02)."""
        return max([monument.level for monument in self.monuments.values() if monument.owner == seat], default=0)
