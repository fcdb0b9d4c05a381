"""The legal commands of a position, as a lazy view.

Commands that differ only in squares share a set of squares, so that they need not be tried one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice, product
from random import Random

from zimcore.game import Command, Seat
from zimcore.games.zimbabwe.board import RectanglePlaces, bits
from zimcore.games.zimbabwe.commands import AnyCommand, Build, EndTurn, Give, Pass, Raise, SetPrices, Square
from zimcore.games.zimbabwe.notation.commands import PHASES, format_command
from zimcore.games.zimbabwe.placements import GROUPED_KINDS, water_places
from zimcore.games.zimbabwe.planner import plans
from zimcore.games.zimbabwe.rules import generosity
from zimcore.games.zimbabwe.rules.monuments import building_ground, may_raise, monuments_left, second_building_ground
from zimcore.games.zimbabwe.rules.prices import may_end, new_prices
from zimcore.games.zimbabwe.rules.rule import GUARDS, is_legal
from zimcore.games.zimbabwe.samples import SAMPLERS
from zimcore.games.zimbabwe.state import State
from zimcore.toolkit.sampling import in_random_order, in_weighted_order
from zimcore.toolkit.words import texts_that_begin


class LegalCommands:
    """The legal commands of a seat, by kind: iterable, `in`, `bool`, `count()`.

    A command is `in` it exactly if `decide` accepts it. Iteration lists each thing to do once, even if it can be
    written in several ways (squares in another order, or the price of a new technology after its tile); for each set of
    monuments that can be raised it lists one cheapest plan. Without a seat, the commands are those of the seat to move.
    """

    def __init__(self, state: State, seat: Seat | None = None) -> None:
        actor = state.actor or ""
        self.state = state
        self.seat = seat or actor
        self.kinds: Sequence[str] = PHASES.get(state.phase, ()) if self.seat == actor else ()
        """The kinds of commands in this phase of the game, such as `craft`."""

    def __iter__(self) -> Iterator[AnyCommand]:
        return chain.from_iterable(map(self.of_kind, self.kinds))

    def __contains__(self, command: object) -> bool:
        if isinstance(command, str):
            return command in self.texts(command)
        return isinstance(command, Command) and type(command) in GUARDS and is_legal(self.state, self.seat, command)

    def __bool__(self) -> bool:
        return any(True for _ in self)

    def __repr__(self) -> str:
        return f"<{self.count()} legal commands for {self.seat or 'nobody'}>"

    def of_kind(self, kind: str) -> Iterator[AnyCommand]:
        """The commands of one kind."""
        return KINDS[self.state.phase][kind](self.state)

    def count(self, kind: str = "") -> int:
        """The number of commands, of one kind or of all."""
        return sum(1 for _ in (self.of_kind(kind) if kind else self))

    def texts(self, beginning: str = "") -> Iterator[str]:
        """The commands in notation whose words start with these: `cra pot d`."""
        kinds = texts_that_begin(self.kinds, "".join(beginning.split()[:1]))
        return texts_that_begin(map(format_command, chain.from_iterable(map(self.of_kind, kinds))), beginning)

    def sample(self, rng: Random, weights: Mapping[str, float] | None = None) -> AnyCommand | None:
        """A random legal command, drawn without listing all; None if there is none.

        It draws a kind with a legal command: uniformly, or by `weights` (1 by default, 0 for never). The kind's
        function in `samples` then draws a command. Any listed command can come, unless `weights` leave out its kind,
        but with different probabilities. A raise may use other goods than the cheapest.
        """
        for kind in in_weighted_order(self.kinds, rng, weights) if weights else in_random_order(self.kinds, rng):
            command = SAMPLERS[kind](self.state, rng)
            if command is not None:
                return command
        return None

    def places(self, kind: str = "") -> dict[str, tuple[RectanglePlaces, ...]]:
        """The places for commands of a kind, or of all kinds: masks by the words before the squares.

        For example `{"craft potter": (RectanglePlaces(corners, 2, 1), RectanglePlaces(corners, 1, 2))}`. Only single
        monuments are included: if two can be built, `second_building_ground` has the squares that one leaves for the
        other.
        """
        kinds = [name for name in ([kind] if kind else self.kinds) if name in GROUPED_KINDS]
        groups = chain.from_iterable(GROUPED_KINDS[name].all_groups(self.state) for name in kinds)
        words_and_places = ((group.words, group.find_places()) for group in groups)
        return {
            words: places
            for words, places in words_and_places
            if any(place.corners and place.width for place in places)
        }


def similar_commands(kind: str, state: State) -> Iterator[AnyCommand]:
    """All commands of a kind that consists of groups of similar commands."""
    return chain.from_iterable(group.commands(state) for group in GROUPED_KINDS[kind].all_groups(state))


def legal_gifts(state: State) -> Iterator[Give]:
    """Gifts from the least to the largest."""
    return map(Give, generosity.gifts(state, state.actor or ""))


def legal_passes(state: State) -> Iterator[Pass]:
    """A pass, if it is legal."""
    if generosity.may_pass(state, state.actor or ""):
        yield Pass()


def water_pairs(state: State) -> Iterator[tuple[Square, ...]]:
    """Pairs of empty squares with a common edge (R-SPEC-05)."""
    return chain.from_iterable(state.board.rectangles(*places) for places in water_places(state))


def legal_buildings(state: State) -> Iterator[AnyCommand]:
    """Building one monument, or two if the god allows it (R-MON-02)."""
    single_buildings = list(similar_commands("build", state))
    yield from single_buildings
    if single_buildings and monuments_left(state, state.turn.seat) > 1:
        yield from map(Build, _monument_pairs(state))


def _monument_pairs(state: State) -> Iterator[tuple[Square, ...]]:
    """Pairs of building squares that zoning allows together."""
    board = state.board
    for first_square in bits(building_ground(state)):
        # -first keeps the bits from this square on, so that each pair comes once, in board order.
        yield from (
            (board.name[first_square], second_square)
            for second_square in board.names(second_building_ground(state, first_square) & -first_square)
        )


def legal_pricings(state: State) -> Iterator[SetPrices]:
    """New prices for any of the player's technologies; the choices are independent of each other."""
    prices_by_type = new_prices(state, state.turn.seat)
    price_choices = [[None, *((type_, price) for price in prices)] for type_, prices in prices_by_type.items()]
    for chosen_prices in islice(product(*price_choices), 1, None):
        yield SetPrices(tuple(filter(None, chosen_prices)))


def legal_raises(state: State) -> Iterator[Raise]:
    """The cheapest plan for each set of the player's monuments."""
    if may_raise(state, state.turn.seat):
        yield from (plan.command for plan in plans(state, state.turn.seat))


def legal_turn_ends(state: State) -> Iterator[EndTurn]:
    """The end of the turn, if it is legal."""
    if may_end(state, state.turn.seat):
        yield EndTurn()


KINDS: dict[str, dict[str, Callable[[State], Iterator[AnyCommand]]]] = {
    "setup": {"start": partial(similar_commands, "start")},
    "bidding": {"bid": legal_gifts, "pass": legal_passes},
    "actions": {
        "adore": partial(similar_commands, "adore"),
        "hire": partial(similar_commands, "hire"),
        "use": partial(similar_commands, "use"),
        "build": legal_buildings,
        "craft": partial(similar_commands, "craft"),
        "price": legal_pricings,
        "raise": legal_raises,
        "end": legal_turn_ends,
    },
}
