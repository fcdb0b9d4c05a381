"""One turn or bid that was played, beside the best that could be found: what it gave away, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, sqrt
from statistics import fmean, stdev
from typing import Any

import msgspec

from zimcore.analysis.chances import Chance, chances
from zimcore.analysis.hint import why
from zimcore.analysis.playouts import playout
from zimcore.analysis.turns import Budget, Turn, turns
from zimcore.analysis.worlds import as_seen, luck, played_in, world
from zimcore.game import Command, Game, Seat

ENGINE = "chances 2"
"""What judges, with the bots that play on; another one may say otherwise, given the same budget and seed."""
NODES = 6000
"""Positions that are looked at for one turn or bid: about two seconds of one core."""
RIVALS = 3
"""Turns beside the one played that are played out."""
LEAST, MOST = 4, 24
"""Playouts of each turn; half of them choose the best, the other half say by how much it is better."""
WORDS = {0.15: "blunder", 0.10: "mistake", 0.05: "inaccuracy"}
"""What it is called to give away so much of the chance to win."""
SURE = 1.0
"""So many standard errors what was given away must be above nothing, to be called anything."""


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """What is thought of a turn or bid that was played.

    `chances` are those of every seat after it, `before` those before it; `chance` is its seat's by playouts, `best` the
    better turn in notation (none where nothing better was found) and `best_chance` the seat's after that. `given` is
    what was given away, from 0 to 1, by the same playouts as these two; `error` is its standard error. `luck` is by how
    much each seat's chance is better by what came up in the turn than it would have been on average.
    """

    before: dict[Seat, Chance]
    chances: dict[Seat, Chance]
    chance: float
    best: tuple[str, ...] = ()
    why: str = ""
    best_chance: float
    given: float
    error: float
    nodes: int
    luck: dict[Seat, float] = {}

    @property
    def word(self) -> str:
        """Inaccuracy, mistake or blunder; "" for what is none, or not surely one."""
        return called(self.given, self.error)

    @property
    def said(self) -> str:
        """What was given away, and the better turn; "" where that is not sure."""
        if not self.word:
            return ""
        why = f" ({self.why})" if self.why else ""
        return f"{self.word}, {100 * self.given:.0f} points: better was {'; '.join(self.best)}{why}"

    @property
    def accuracy(self) -> float:
        """From 0 to 100: 100 for nothing given away, as chess sites count it by the chance to win."""
        return max(0.0, min(100.0, 103.1668 * exp(-0.04354 * 100 * self.given) - 3.1669))


def called(given: float, error: float) -> str:
    """The word for what was given away.

    >>> called(0.12, 0.02), called(0.12, 0.2), called(0.01, 0.0)
    ('mistake', '', '')
    """
    if given < SURE * error:
        return ""
    return next((word for least, word in WORDS.items() if given >= least), "")


def judged(
    game: Game, state: Any, seat: Seat, commands: Sequence[Command], after: Any, nodes: int = NODES, seed: int = 0
) -> Judged:
    """Judges what a seat has played in a position. The same position, budget and seed give the same."""
    budget = Budget(nodes // 3)
    seen = as_seen(game, state, seat)
    found = turns(game, seen, seat, budget)
    key = frozenset(commands)
    played = next((each for each in found if frozenset(each.commands) == key), None)
    played = played or Turn(tuple(commands), after, chances(game, after))
    rivals = [each for each in found if each is not played][:RIVALS]
    budget.nodes = nodes
    ends = played_out(game, state, seat, [played, *rivals], seed, budget)
    worth = [[end[seat] for end in each] for each in ends]
    half = len(worth[0]) // 2
    told = [each.chances[seat].mean for each in (played, *rivals)]
    best = max(range(len(worth)), key=lambda at: told[at] + fmean(worth[at][:half]))
    differences = [b - a for a, b in zip(worth[0][half:], worth[best][half:], strict=True)]
    given = max(0.0, fmean(differences)) if best else 0.0
    better = rivals[best - 1] if best and given else None
    chance = fmean(worth[0][half:] if better else worth[0])
    return Judged(
        before=dict(chances(game, state)),
        chances=refined(played, ends[0]),
        chance=chance,
        best=tuple(map(game.notation.format, better.commands)) if better else (),
        why=why(game, seen, seat, better) if better else "",
        best_chance=chance + given,
        given=given,
        error=stdev(differences) / sqrt(len(differences)) if better and len(differences) > 1 else 0.0,
        nodes=budget.spent,
        luck=luck(game, state, seat, commands, after, seed),
    )


def played_out(
    game: Game, state: Any, seat: Seat, tried: Sequence[Turn], seed: int, budget: Budget
) -> list[list[Mapping[Seat, float]]]:
    """What comes of turns in so many playouts as the budget has room for, each number for all of them.

    Where cards are hidden, each number has a world of its own.
    """
    ends: list[list[Mapping[Seat, float]]] = [[] for _ in tried]
    for number in range(MOST):
        if number >= LEAST and not budget.is_left:
            break
        begin = world(game, state, seat, number, seed)
        for turn, found in zip(tried, ends, strict=True):
            after = played_in(game, begin, seat, turn.commands) if game.secrets else turn.after
            found.append(playout(game, after, number, seed, budget))
    return ends


def refined(turn: Turn, ends: Sequence[Mapping[Seat, float]]) -> dict[Seat, Chance]:
    """The chances after a turn: half by the model at once, half by what it says after the playouts."""
    found = {}
    for seat, chance in turn.chances.items():
        later = [end[seat] for end in ends]
        error = sqrt(chance.error**2 + stdev(later) ** 2 / len(later)) / 2
        found[seat] = Chance((chance.mean + fmean(later)) / 2, error)
    return found
