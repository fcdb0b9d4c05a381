"""The arena: bots meet in many matches, at every seat of every deal, and it is told who is better, and how surely.

A *block* is one deal, played once with the first bot at each seat: what luck the deal holds, each has as often. Blocks
are independent of each other, matches within one are not, so that intervals are taken over blocks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import log, sqrt
from statistics import fmean, stdev
from typing import Any

import msgspec

from zimcore.bots.bot_match import play
from zimcore.bots.registry import parse_bot
from zimcore.game import Game, Outcome, Seat

Z = 1.96
"""Standard errors of a 95 % interval."""
CARD_KINDS = {"god": "god", "specialists": "specialist"}
"""Figures that name the cards of a seat, in games that have any, and what such a card is called."""
ERROR_RATE = 0.05
"""How often the sequential test may be wrong, either way."""


class Seating(msgspec.Struct, frozen=True):
    """A match to be played: its number, its block, the seed of the deal, and who sits where."""

    number: int
    block: int
    seed: int
    bots: tuple[str, ...]

    @property
    def label(self) -> str:
        """What it is called."""
        return f"match {self.number + 1}"


class Result(msgspec.Struct, frozen=True):
    """A match that was played: the bots that have won, the seconds and commands of each, and what was played.

    `held` are the cards that seats had in the end, by kind and name, each with the part of a victory of its seat.
    """

    seating: Seating
    winners: tuple[str, ...]
    seconds: dict[str, float]
    commands: dict[str, int]
    played: tuple[tuple[Seat, str], ...]
    held: tuple[tuple[str, str, float], ...] = ()


class BotStanding(msgspec.Struct, frozen=True):
    """How a bot has done: matches, victories (a shared one counts in part), their share with its 95 % interval, and the
    thousandths of a second of a command.
    """

    bot: str
    matches: int
    wins: float
    share: float
    low: float
    high: float
    milliseconds: float


class Holding(msgspec.Struct, frozen=True):
    """How those have done who had a card in the end: what kind it is, how many had it, and their victories."""

    kind: str
    name: str
    seats: int
    wins: float


def seatings(bots: Sequence[str], players: int, matches: int, seed: int) -> Iterator[Seating]:
    """The first bot meets the others, who fill the other seats in turn; every deal is played from each seat."""
    first, others = bots[0], bots[1:] or bots
    for number in range(matches):
        block, place = divmod(number, players)
        rest = [others[each % len(others)] for each in range(players - 1)]
        rest.insert(place, first)
        yield Seating(number, block, seed + block, tuple(rest))


def play_match(game: Game, seating: Seating) -> Result:
    """Plays a match. Raises `GameError` for a bot that fails."""
    match = play(game, [parse_bot(bot) for bot in seating.bots], {"players": str(len(seating.bots))}, seating.seed)
    by = dict(zip(match.seats, seating.bots, strict=True))
    seconds = dict.fromkeys(seating.bots, 0.0)
    for seat, bot in by.items():
        seconds[bot] += match.seconds[seat]
    winners = tuple(by[seat] for seat in match.outcome.winners)
    texts = tuple((seat, game.notation.format(command)) for seat, command in match.played)
    held = held_by(game, match.state, match.outcome)
    return Result(seating, winners, seconds, Counter(by[seat] for seat, _ in match.played), texts, held)


def held_by(game: Game, state: Any, outcome: Outcome) -> tuple[tuple[str, str, float], ...]:
    """The cards that seats have, and what each has won with them."""
    found = []
    for seat in game.evolution.seats(state):
        figures, won = game.display.figures(state, seat), outcome.winners.count(seat) / max(len(outcome.winners), 1)
        for figure, kind in CARD_KINDS.items():
            names = figures.get(figure) or ()
            found += [(kind, name, won) for name in ([names] if isinstance(names, str) else names)]
    return tuple(found)


def holdings(results: Sequence[Result]) -> list[Holding]:
    """How seats have done by the cards that they had, those with the largest share of victories first in each kind."""
    found: dict[tuple[str, str], list[float]] = {}
    for result in results:
        for kind, name, won_ in result.held:
            found.setdefault((kind, name), []).append(won_)
    kinds = list(CARD_KINDS.values())
    told = [Holding(kind, name, len(shares), sum(shares)) for (kind, name), shares in found.items()]
    return sorted(told, key=lambda each: (kinds.index(each.kind), -each.wins / each.seats, each.name))


def standings(results: Sequence[Result]) -> list[BotStanding]:
    """How each bot has done, the best first. A bot at several seats wins if one of them does."""
    bots = dict.fromkeys(bot for result in results for bot in result.seating.bots)
    found = []
    for bot in bots:
        theirs = [result for result in results if bot in result.seating.bots]
        share, low, high = interval(by_block(theirs, bot))
        timed = [each for each in theirs if bot in each.seconds]
        commands = sum(each.commands[bot] for each in timed)
        milliseconds = 1000 * sum(each.seconds[bot] for each in timed) / max(commands, 1)
        found.append(
            BotStanding(
                bot, len(theirs), sum(victory_share(each, bot) for each in theirs), share, low, high, milliseconds
            )
        )
    return sorted(found, key=lambda each: -each.share)


def victory_share(result: Result, bot: str) -> float:
    """The part of a victory that is a bot's."""
    return result.winners.count(bot) / len(result.winners) if result.winners else 0.0


def by_block(results: Sequence[Result], bot: str) -> list[float]:
    """The share of victories of a bot in each block."""
    blocks: dict[int, list[float]] = {}
    for result in results:
        blocks.setdefault(result.seating.block, []).append(victory_share(result, bot))
    return [fmean(each) for each in blocks.values()]


def interval(shares: Sequence[float]) -> tuple[float, float, float]:
    """The mean of the shares of blocks with its 95 % interval; with one block nothing is known.

    >>> interval([1.0])
    (1.0, 0.0, 1.0)
    """
    mean = fmean(shares)
    if len(shares) < 2:
        return mean, 0.0, 1.0
    error = Z * sqrt((stdev(shares) ** 2 + 1 / (4 * len(shares) ** 2)) / len(shares))
    return mean, max(0.0, mean - error), min(1.0, mean + error)


def sequential_test(results: Sequence[Result], low: float, high: float) -> bool | None:
    """Whether the first bot wins at least a `high` share rather than a `low` one; None as long as it is open.

    A sequential test over blocks (Wald), with their shares as normal: it may be asked after every block.
    """
    shares = by_block(results, results[0].seating.bots[0]) if results else []
    if len(shares) < 5:
        return None
    variance = max(stdev(shares) ** 2, 1 / (4 * len(shares)))
    ratio = len(shares) * (high - low) * (fmean(shares) - (low + high) / 2) / variance
    limit = log((1 - ERROR_RATE) / ERROR_RATE)
    return None if abs(ratio) < limit else ratio > 0
