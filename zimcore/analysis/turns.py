"""Whole turns worth playing, and what the chances are after each.

Candidates are those of the game's strategy. The best first commands of different kinds, and after these the best second
ones, are finished by the quick bot; what comes out is judged by the chances, which were learned of positions in which a
turn begins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from zimcore.bots.levels import QuickBot, first_best, vary_kinds
from zimcore.chances import Chance, chances
from zimcore.game import Command, Game, GameError, Seat

QUICK = QuickBot()
MAX_TURN_COMMANDS = 40
"""Commands of a turn: one that goes on is given up."""


class CandidateTurn(NamedTuple):
    """A turn, or a bid: its commands, the position after it, and the chances there."""

    commands: tuple[Command, ...]
    after: Any
    chances: Mapping[Seat, Chance]


Tell = Callable[[int, int], None]
"""Called with the number of positions searched, and of how many; an exception from it ends the search."""


def quiet(_: int, __: int) -> None:
    """Nobody hears of it."""


class Budget:
    """How many positions may be looked at, and how many were; `tell` hears of it."""

    def __init__(self, nodes: int, tell: Tell = quiet) -> None:
        self.nodes = nodes
        self.spent = 0
        self.tell = tell

    def spend(self, looked: int) -> None:
        """So many more were looked at."""
        self.spent += looked
        self.tell(min(self.spent, self.nodes), self.nodes)

    @property
    def is_left(self) -> bool:
        """Whether more may be looked at."""
        return self.spent < self.nodes


def is_same_turn(game: Game, before: Any, after: Any) -> bool:
    """Whether it is still the same turn: the same seat is to move, in the same phase of the same round."""
    if game.evolution.to_move(before) != game.evolution.to_move(after):
        return False
    then, now = game.display.common(before), game.display.common(after)
    return all(then.get(name) == now.get(name) for name in ("round", "phase"))


def each_turn(game: Game, state: Any, seat: Seat, budget: Budget, most: int) -> Iterator[CandidateTurn]:
    """Turns of a seat that is to move, as they are found, until so many positions were looked at; one at least.

    Raises `GameError`.
    """
    if seat not in game.evolution.to_move(state):
        raise GameError(f"{seat or 'nobody'} is not to move", game.display.status(state), ["show", "undo", "new"])
    found = set[frozenset[Command]]()
    for begun, position in openings(game, state, seat, budget):
        if found and budget.spent >= most:
            break
        commands, after = finish_turn(game, state, position, seat, begun, budget)
        key = frozenset(commands)  # in another order they most often come to the same
        if key not in found:
            found.add(key)
            yield CandidateTurn(commands, after, chances(game, after))


def knows_own_cards(game: Game, state: Any, seat: Seat) -> bool:
    """Whether a seat knows all cards that it could play. What comes after a card that it can't see is not planned."""
    return game.secrets is None or not game.secrets.hides(state, seat)


def openings(game: Game, state: Any, seat: Seat, budget: Budget) -> Iterator[tuple[tuple[Command, ...], Any]]:
    """How a turn may begin: by one command, and then by two, the best of each kind first."""
    first = vary_kinds(QUICK.rank_candidates(game, state, seat))
    budget.spend(len(first))
    for each in first:
        yield tuple(each.plan), each.after
    for each in first:
        if is_same_turn(game, state, each.after) and knows_own_cards(game, each.after, seat):
            second = vary_kinds(QUICK.rank_candidates(game, each.after, seat))
            budget.spend(len(second))
            yield from (((*each.plan, *more.plan), more.after) for more in second)


def finish_turn(
    game: Game, begin: Any, state: Any, seat: Seat, begun: tuple[Command, ...], budget: Budget
) -> tuple[tuple[Command, ...], Any]:
    """A turn that has begun, and the position after it, as the quick bot would end it, as far as cards are known."""
    commands = list(begun)
    while is_same_turn(game, begin, state) and knows_own_cards(game, state, seat) and len(commands) < MAX_TURN_COMMANDS:
        found = QUICK.rank_candidates(game, state, seat)
        budget.spend(len(found))
        chosen = first_best(found)
        commands += chosen.plan
        state = chosen.after
    return tuple(commands), state
