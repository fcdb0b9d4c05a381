"""Styles of play for The Great Zimbabwe: bots that differ in taste, so that none is measured against one rival only.

A style deals its members by number: member 3 of `tastes` has the same weights on every machine. The styles in
`HELD_OUT` are for measuring: nothing may be trained or tuned with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import TypeAlias

from zimcore.bots.bot import Bot, Choice, View
from zimcore.bots.levels import PeerBot, QuickBot, TriedPlan, first_best
from zimcore.game import Command
from zimcore.games.zimbabwe.commands import Adore, Give, Hire, Pass
from zimcore.games.zimbabwe.components import GODS, SPECIALISTS
from zimcore.games.zimbabwe.strategy import FEATURES, WEIGHTS
from zimcore.games.zimbabwe.strategy.features import CARDS, TAPERED

Prefer: TypeAlias = Callable[[Iterable[Command]], Command | None]
"""Takes the candidates, and returns the one that a style insists on; None if it has no wish."""
Style: TypeAlias = Callable[[int], Bot]
"""Makes the member of a style with a number."""

HIRED = [name for name, each in SPECIALISTS.items() if not (each.places_water or each.lifts_zoning)]
"""The specialists that are among the candidates of `quick`: it leaves out those that help only later commands."""


class Insisting(QuickBot):
    """Plays like `quick`, but for the commands that it insists on."""

    def __init__(self, prefer: Prefer, weights: Sequence[float] | None = None) -> None:
        super().__init__(weights)
        self.prefer = prefer

    def choose(self, view: View, nodes: int, rng: Random) -> Choice:
        """The command it insists on, or the best candidate."""
        found: Sequence[TriedPlan] = self.rank_candidates(view.game, view.state, view.seat)
        return Choice(self.prefer(each.command for each in found) or first_best(found).command)


def changed(**changes: float) -> list[float]:
    """The weights of `quick` with some features' weights changed, early and late alike."""
    late = {f"{name}_late": weight for name, weight in changes.items() if name in TAPERED}
    return row({**WEIGHTS, **changes, **late})


def row(weights: Mapping[str, float]) -> list[float]:
    """Weights in the order of the features, 0 for those without one."""
    return [weights.get(name, 0.0) for name in FEATURES]


def highest_gift(commands: Iterable[Command]) -> Command | None:
    """The largest gift among the candidates."""
    return max((each for each in commands if isinstance(each, Give)), key=lambda each: each.amount, default=None)


def no_gift(commands: Iterable[Command]) -> Command | None:
    """Passes in the bidding."""
    return next((each for each in commands if isinstance(each, Pass)), None)


def adores(number: int) -> Bot:
    """Adores one of the gods, by the number, as soon as it may."""
    god = [*GODS][number % len(GODS)]
    return Insisting(lambda commands: next((each for each in commands if each == Adore(god)), None))


def hires(number: int) -> Bot:
    """Hires one of the specialists, by the number, as soon as it can."""
    name = HIRED[number % len(HIRED)]

    def hire(commands: Iterable[Command]) -> Command | None:
        return next((each for each in commands if isinstance(each, Hire) and each.specialist == name), None)

    return Insisting(hire)


def tastes(number: int) -> Bot:
    """Values the features as `quick` does, each more or less, and the cards in another order."""
    rng = Random(f"tastes {number}")
    weights = {name: weight * (1 + rng.gauss(0, 0.5)) for name, weight in WEIGHTS.items()}
    weights |= zip(CARDS, rng.sample([weights[each] for each in CARDS], len(CARDS)), strict=True)
    return QuickBot(row(weights))


def plain(number: int) -> Bot:
    """Values a dozen features by drawn weights, and gods by drawn ranks: it was never tuned."""
    rng = Random(f"plain {number}")
    spans = {
        "vp": (0.6, 1.4),
        "vr": (-1.0, -0.3),
        "cattle": (0.2, 0.9),
        "on_cards": (0.1, 0.6),
        "place": (0, 3),
        "income": (0, 0.8),
        "rising": (0.2, 0.8),
        "types": (0.2, 1),
        "customers": (0, 0.8),
        "craftsmen": (0.5, 2),
        "technologies": (0, 1),
        "resources": (0, 0.4),
        "monuments": (0, 2),
        **dict.fromkeys(GODS, (0, 6)),
    }
    weights = {name: rng.uniform(*span) for name, span in spans.items()}
    weights |= {f"{name}_late": weights[name] * rng.uniform(0.7, 1.5) for name in TAPERED if name in weights}
    return QuickBot(row({**weights, "reached": 100.0}))


def plain_bidding(number: int) -> Bot:
    """The same with a bid of its own: as high as it may, or none."""
    taste = plain(number + 1_000)
    assert isinstance(taste, QuickBot)
    return Insisting(no_gift if number % 2 else highest_gift, taste.weights)


STYLES: Mapping[str, Style] = {
    "peer": lambda number: PeerBot(),
    "greedy": lambda number: QuickBot(row({"vp": 1.0, "vp_late": 1.0, "vr": -1.0, "vr_late": -1.0, "reached": 100.0})),
    "first": lambda number: QuickBot(changed(place=4.0 + number % 3)),
    "high-bids": lambda number: Insisting(highest_gift),
    "no-bids": lambda number: Insisting(no_gift),
    "low-vr": lambda number: QuickBot(changed(vr=-2.0)),
    "few-craftsmen": lambda number: QuickBot(changed(craftsmen=-2.0, technologies=-2.0)),
    "adores": adores,
    "hires": hires,
    "tastes": tastes,
}
"""The styles to train, tune and measure with."""
HELD_OUT: Mapping[str, Style] = {"plain": plain, "plain-bidding": plain_bidding}
"""The styles to measure with only."""
