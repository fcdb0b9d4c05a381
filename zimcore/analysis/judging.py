"""One turn or bid that was played, beside the best that could be found: what it gave away, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, sqrt
from statistics import stdev
from typing import Any

import msgspec

from zimcore.analysis.hint import why
from zimcore.analysis.playouts import playout
from zimcore.analysis.turns import Budget, Turn, turns
from zimcore.analysis.worlds import as_seen, luck, played_in, world
from zimcore.chances import Chance, chances
from zimcore.game import Command, Game, Seat

ENGINE = "chances 3"
"""What judges, with the bots that play on; another one may say otherwise, given the same budget and seed."""
NODES = 6000
"""Positions that are looked at for one turn or bid: about two seconds of one core."""
RIVALS = 3
"""Turns beside the one played that are played out."""
CHOOSE, TELL, MOST = 2, 4, 24
"""Playouts of each turn that choose the best, and of the best and the one played that say by how much it is better:
these at least, and so many in all at most. Luck in the first is not taken for a better turn."""
AT_ONCE = 2
"""Playouts that the chances at once count as much as: so they come nearest to what many more playouts say."""
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
    tried = [played, *rivals]
    budget.nodes = 5 * nodes // 9  # of the playouts about a third choose
    ends = played_out(game, state, seat, tried, seed, budget, range(MOST // 3), CHOOSE)
    best = max(range(len(tried)), key=lambda at: blended(tried[at].chances[seat].mean, worth(ends[at], seat)))
    budget.nodes = nodes
    numbers = range(len(ends[0]), MOST)
    pair = played_out(game, state, seat, [played, *tried[1:][best - 1 : best]], seed, budget, numbers, TELL)
    differences = [b - a for a, b in zip(*(worth(each, seat) for each in (pair[0], pair[-1])), strict=True)]
    given = max(0.0, blended(tried[best].chances[seat].mean - played.chances[seat].mean, differences))
    better = tried[best] if given else None
    after_it = refined(played, [*ends[0], *pair[0]])
    return Judged(
        before=dict(chances(game, state)),
        chances=after_it,
        chance=after_it[seat].mean,
        best=tuple(map(game.notation.format, better.commands)) if better else (),
        why=why(game, seen, seat, better) if better else "",
        best_chance=min(1.0, after_it[seat].mean + given),
        given=given,
        error=sqrt(len(differences)) * stdev(differences) / (AT_ONCE + len(differences)),
        nodes=budget.spent,
        luck=luck(game, state, seat, commands, after, seed),
    )


def played_out(
    game: Game, state: Any, seat: Seat, tried: Sequence[Turn], seed: int, budget: Budget, numbers: range, least: int
) -> list[list[Mapping[Seat, float]]]:
    """What comes of turns in playouts of these numbers, the same for all of them: as many as the budget has room for.

    Where cards are hidden, each number has a world of its own.
    """
    ends: list[list[Mapping[Seat, float]]] = [[] for _ in tried]
    for count, number in enumerate(numbers):
        if count >= least and not budget.is_left:
            break
        begin = world(game, state, seat, number, seed)
        for turn, found in zip(tried, ends, strict=True):
            after = played_in(game, begin, seat, turn.commands) if game.secrets else turn.after
            found.append(playout(game, after, number, seed, budget))
    return ends


def worth(ends: Sequence[Mapping[Seat, float]], seat: Seat) -> list[float]:
    """The chance of a seat after each playout."""
    return [end[seat] for end in ends]


def blended(at_once: float, later: Sequence[float]) -> float:
    """What is said at once and after playouts, as one number.

    >>> blended(0.5, [0.25, 0.5])
    0.4375
    """
    return (AT_ONCE * at_once + sum(later)) / (AT_ONCE + len(later))


def refined(turn: Turn, ends: Sequence[Mapping[Seat, float]]) -> dict[Seat, Chance]:
    """The chances after a turn: those at once, and those after playouts."""
    found = {}
    for seat, chance in turn.chances.items():
        later = worth(ends, seat)
        error = sqrt((AT_ONCE * chance.error) ** 2 + len(later) * stdev(later) ** 2) / (AT_ONCE + len(later))
        found[seat] = Chance(blended(chance.mean, later), error)
    return found
