"""Styles of play for The Great Zimbabwe: bots that differ in taste, so that none is measured against one rival only.

A style deals its members by number: member 3 of `tastes` has the same weights on every machine. The styles in
`HELD_OUT` are for measuring: nothing may be trained or tuned with them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import TypeAlias

from zimcore.bots.bot import Bot, Choice, View
from zimcore.bots.levels import PeerBot, QuickBot
from zimcore.game import Command, Seat
from zimcore.games.zimbabwe.commands import Adore, Give, Hire, Pass
from zimcore.games.zimbabwe.components import GODS, SPECIALISTS
from zimcore.games.zimbabwe.state import State
from zimcore.games.zimbabwe.strategy import FEATURES, WEIGHTS
from zimcore.games.zimbabwe.strategy.candidates import bid_candidates, god_candidates, specialist_candidates
from zimcore.games.zimbabwe.strategy.features import CARDS, TAPERED_FEATURES

Wish: TypeAlias = Callable[[State, Seat, Random], Command | None]
"""Takes a position, and returns the command that a style insists on; None if it has no wish."""
Style: TypeAlias = Callable[[int], Bot]
"""Makes the member of a style with a number."""

HIRABLE = [name for name, specialist in SPECIALISTS.items() if not (specialist.places_water or specialist.lifts_zoning)]
"""The specialists that are among the candidates of `quick`: it leaves out those that help only later commands."""


class InsistingBot:
    """Plays what it insists on, and otherwise like another bot."""

    def __init__(self, wish: Wish, bot: Bot) -> None:
        self.wish = wish
        self.bot = bot

    def choose(self, view: View, nodes: int, rng: Random) -> Choice:
        """The command it insists on, or the other bot's choice."""
        command = self.wish(view.state, view.seat, rng)
        return Choice(command) if command else self.bot.choose(view, nodes, rng)


def changed_weights(**changes: float) -> list[float]:
    """The weights of `quick` with some features' weights changed, early and late alike."""
    late_changes = {f"{name}_late": weight for name, weight in changes.items() if name in TAPERED_FEATURES}
    return weights_row({**WEIGHTS, **changes, **late_changes})


def weights_row(weights: Mapping[str, float]) -> list[float]:
    """Weights in the order of the features, 0 for those without one."""
    return [weights.get(name, 0.0) for name in FEATURES]


def shuffle_weights(weights: Mapping[str, float], names: Sequence[str], rng: Random) -> dict[str, float]:
    """The same weights, with those of the names in a random order: another taste in cards."""
    return {**weights, **dict(zip(names, rng.sample([weights[each] for each in names], len(names)), strict=True))}


def candidates_for_bid(state: State, seat: Seat) -> list[Give | Pass]:
    """The candidates for a bid; none outside of the bidding."""
    return [*bid_candidates(state, seat)] if state.phase == "bidding" else []


def highest_gift(state: State, seat: Seat, rng: Random) -> Command | None:
    """The largest gift among the candidates."""
    gifts = [bid for bid in candidates_for_bid(state, seat) if isinstance(bid, Give)]
    return max(gifts, key=lambda gift: gift.amount, default=None)


def pass_bid(state: State, seat: Seat, rng: Random) -> Command | None:
    """Passes in the bidding."""
    return next((bid for bid in candidates_for_bid(state, seat) if isinstance(bid, Pass)), None)


def free_gods(state: State, seat: Seat) -> list[Adore]:
    """The gods that a seat can adore now."""
    return [*god_candidates(state, seat)] if state.phase == "actions" else []


def adoring_bot(god: str, bot: Bot) -> Bot:
    """A bot that adores this god as soon as it may."""
    return InsistingBot(
        lambda state, seat, rng: next((command for command in free_gods(state, seat) if command.god == god), None), bot
    )


def random_god(state: State, seat: Seat, rng: Random) -> Command | None:
    """A god at random, so that all seats get each god equally often."""
    adore_commands = free_gods(state, seat)
    return rng.choice(adore_commands) if adore_commands else None


def god_style(number: int) -> Bot:
    """Adores one of the gods, by the number, as soon as it may."""
    return adoring_bot([*GODS][number % len(GODS)], QuickBot())


def specialist_style(number: int) -> Bot:
    """Hires one of the specialists, by the number, as soon as it can."""
    name = HIRABLE[number % len(HIRABLE)]

    def hire(state: State, seat: Seat, rng: Random) -> Command | None:
        commands = specialist_candidates(state, seat) if state.phase == "actions" else ()
        return next((each for each in commands if isinstance(each, Hire) and each.specialist == name), None)

    return InsistingBot(hire, QuickBot())


def taste_style(number: int) -> Bot:
    """Values the features as `quick` does, each more or less, and the cards in another order."""
    rng = Random(f"tastes {number}")
    weights = {name: weight * (1 + rng.gauss(0, 0.5)) for name, weight in WEIGHTS.items()}
    return QuickBot(weights_row(shuffle_weights(weights, CARDS, rng)))


def strange_style(number: int) -> Bot:
    """Forgets about half of what `quick` values, errs by factors in the rest, and bids a drawn share of its cattle."""
    rng = Random(f"strange {number}")
    kept_names = {"vp", "vp_late", "reached", *CARDS}
    shuffled_weights = shuffle_weights(WEIGHTS, CARDS, rng)
    weights = {
        name: weight * 2 ** rng.gauss(0, 1)
        for name, weight in shuffled_weights.items()
        if name in kept_names or rng.random() < 0.5
    }
    share = rng.uniform(0, 0.6)

    def bid(state: State, seat: Seat, rng: Random) -> Command | None:
        candidates = candidates_for_bid(state, seat)
        gifts = [bid for bid in candidates if isinstance(bid, Give) and bid.amount <= share * state.cattle[seat]]
        return max(gifts, key=lambda gift: gift.amount, default=next(iter(candidates), None))

    return InsistingBot(bid, QuickBot(weights_row(weights)))


def plain_style(number: int) -> Bot:
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
    weights |= {f"{name}_late": weights[name] * rng.uniform(0.7, 1.5) for name in TAPERED_FEATURES if name in weights}
    return QuickBot(weights_row({**weights, "reached": 100.0}))


def plain_bidding_style(number: int) -> Bot:
    """The same with a bid of its own: as high as it may, or none."""
    return InsistingBot(pass_bid if number % 2 else highest_gift, plain_style(number + 1_000))


STYLES: Mapping[str, Style] = {
    "peer": lambda number: PeerBot(),
    "greedy": lambda number: QuickBot(
        weights_row({"vp": 1.0, "vp_late": 1.0, "vr": -1.0, "vr_late": -1.0, "reached": 100.0})
    ),
    "first": lambda number: QuickBot(changed_weights(place=4.0 + number % 3)),
    "high-bids": lambda number: InsistingBot(highest_gift, QuickBot()),
    "no-bids": lambda number: InsistingBot(pass_bid, QuickBot()),
    "low-vr": lambda number: QuickBot(changed_weights(vr=-2.0)),
    "few-craftsmen": lambda number: QuickBot(changed_weights(craftsmen=-2.0, technologies=-2.0)),
    "adores": god_style,
    "hires": specialist_style,
    "tastes": taste_style,
    "strange": strange_style,
}
"""The styles to train, tune and measure with."""
HELD_OUT: Mapping[str, Style] = {"plain": plain_style, "plain-bidding": plain_bidding_style}
"""The styles to measure with only."""
