"""The legal commands of a position, as a view.

Where they differ only in squares, those squares are one set of the board, and no command is tried for each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice, product
from random import Random

from zimcore.game import Command, Seat
from zimcore.games.zimbabwe.board import Fits, bits
from zimcore.games.zimbabwe.commands import AnyCommand, Build, EndTurn, Give, Pass, Raise, SetPrices, Square
from zimcore.games.zimbabwe.notation.commands import PHASES, format_command
from zimcore.games.zimbabwe.placements import ALIKE, water_places
from zimcore.games.zimbabwe.planner import plans
from zimcore.games.zimbabwe.rules import generosity
from zimcore.games.zimbabwe.rules.monuments import building_ground, ground_beside, may_raise, monuments_left
from zimcore.games.zimbabwe.rules.prices import may_end, new_prices
from zimcore.games.zimbabwe.rules.rule import GUARDS, stands
from zimcore.games.zimbabwe.samples import SAMPLERS
from zimcore.games.zimbabwe.state import State
from zimcore.toolkit.sampling import by_weight, in_random_order
from zimcore.toolkit.words import begin


class LegalCommands:
    """What can be played now: iterable, `in`, `bool`, `count()`, by kind; nothing is made before it is asked for.

    A command is `in` it if and only if `decide` accepts it. Going through it gives each thing that can be done once,
    where there are several ways to say it (squares in another order, or the price of a new technology after its tile);
    for each set of monuments that can be raised it gives one cheapest plan. Without a seat it is for whose turn it is.
    """

    def __init__(self, state: State, seat: Seat | None = None) -> None:
        actor = state.actor or ""
        self.state = state
        self.seat = seat or actor
        self.kinds: Sequence[str] = PHASES.get(state.phase, ()) if self.seat == actor else ()
        """The kinds of command that this phase of the game knows: `craft`."""

    def __iter__(self) -> Iterator[AnyCommand]:
        return chain.from_iterable(map(self.of, self.kinds))

    def __contains__(self, command: object) -> bool:
        return isinstance(command, Command) and type(command) in GUARDS and stands(self.state, self.seat, command)

    def __bool__(self) -> bool:
        return any(True for _ in self)

    def __repr__(self) -> str:
        return f"<{self.count()} legal commands for {self.seat or 'nobody'}>"

    def of(self, kind: str) -> Iterator[AnyCommand]:
        """Those of one kind."""
        return KINDS[self.state.phase][kind](self.state)

    def count(self, kind: str = "") -> int:
        """How many there are, of one kind or of all."""
        return sum(1 for _ in (self.of(kind) if kind else self))

    def texts(self, beginning: str = "") -> Iterator[str]:
        """The commands in notation, those whose words begin like these: `cra pot d`."""
        words = beginning.lower().split()
        kinds = (kind for kind in self.kinds if begin([kind], words[:1]))
        texts = (format_command(command) for kind in kinds for command in self.of(kind))
        return (text for text in texts if begin(text.split(), words))

    def sample(self, rng: Random, weights: Mapping[str, float] | None = None) -> AnyCommand | None:
        """A legal command, drawn without listing all; None where nothing is legal.

        As the listing, but at random, and a set of monuments may be raised by other goods than by the cheapest.
        First a kind is drawn, among those of which something is legal: all are as likely, or go by their weights (1
        where there is none, 0 for never). How one of a kind is drawn, its function in `samples` says. Each command of
        the listing can come, if `weights` leave out no kind; but all are by no means as likely.
        """
        for kind in by_weight(self.kinds, rng, weights) if weights else in_random_order(self.kinds, rng):
            command = SAMPLERS[kind](self.state, rng)
            if command is not None:
                return command
        return None

    def places(self, kind: str = "") -> dict[str, tuple[Fits, ...]]:
        """Where commands of a kind, or of all kinds, can be played: by their words before the squares, as masks.

        `{"craft potter": (Fits(corners, 2, 1), Fits(corners, 1, 2)), "use shaman wood": (Fits(corners, 1, 1),)}`. Only
        single monuments are told of: where two can be built, `ground_beside` says what each leaves for the other.
        """
        kinds = [each for each in ([kind] if kind else self.kinds) if each in ALIKE]
        groups = chain.from_iterable(ALIKE[each].all(self.state) for each in kinds)
        found = ((group.words, group.where()) for group in groups)
        return {words: fits for words, fits in found if any(fit.corners and fit.width for fit in fits)}


def alike(kind: str, state: State) -> Iterator[AnyCommand]:
    """All commands of a kind that has nothing but groups of commands that are alike."""
    return chain.from_iterable(group.commands(state) for group in ALIKE[kind].all(state))


def gifts(state: State) -> Iterator[Give]:
    """Gifts from the least to the largest."""
    return map(Give, generosity.gifts(state, state.actor or ""))


def passes(state: State) -> Iterator[Pass]:
    """No more bids."""
    if generosity.may_pass(state, state.actor or ""):
        yield Pass()


def pairs(state: State) -> Iterator[tuple[Square, ...]]:
    """Empty squares with a common edge (R-SPEC-05)."""
    return chain.from_iterable(state.board.rectangles(*fits) for fits in water_places(state))


def buildings(state: State) -> Iterator[AnyCommand]:
    """One monument, or two where the god allows (R-MON-02)."""
    single = list(alike("build", state))
    yield from single
    if single and monuments_left(state, state.turn.seat) > 1:
        yield from map(Build, _two_apart(state))


def _two_apart(state: State) -> Iterator[tuple[Square, ...]]:
    """Two squares of building ground that zoning allows together."""
    board = state.board
    for one in bits(building_ground(state)):
        # -one has all bits from its own on: each pair comes once, in board order.
        yield from ((board.name[one], other) for other in board.names(ground_beside(state, one) & -one))


def pricings(state: State) -> Iterator[SetPrices]:
    """New prices for any of the player's technologies, each of which is possible or not whatever the others become."""
    new = new_prices(state, state.turn.seat)
    possible = [[None, *((type_, price) for price in prices)] for type_, prices in new.items()]
    for prices in islice(product(*possible), 1, None):
        yield SetPrices(tuple(filter(None, prices)))


def raises(state: State) -> Iterator[Raise]:
    """For each set of the player's monuments the cheapest plan."""
    if may_raise(state, state.turn.seat):
        yield from (plan.command for plan in plans(state, state.turn.seat))


def ends(state: State) -> Iterator[EndTurn]:
    """The end of the turn."""
    if may_end(state, state.turn.seat):
        yield EndTurn()


KINDS: dict[str, dict[str, Callable[[State], Iterator[AnyCommand]]]] = {
    "setup": {"start": partial(alike, "start")},
    "bidding": {"bid": gifts, "pass": passes},
    "actions": {
        "adore": partial(alike, "adore"),
        "hire": partial(alike, "hire"),
        "use": partial(alike, "use"),
        "build": buildings,
        "craft": partial(alike, "craft"),
        "price": pricings,
        "raise": raises,
        "end": ends,
    },
}
