"""The arena: bots meet in many matches, at every seat of every deal, and it is told who is better, and how surely.

A *block* is one deal, played once with the first bot at each seat: what luck the deal holds, each has as often. Blocks
are independent of each other, matches within one are not, so that intervals are taken over blocks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import log, sqrt
from statistics import fmean, stdev

import msgspec

from zimcore.bots.match import play
from zimcore.bots.registry import player
from zimcore.game import Game, Seat

Z = 1.96
"""Standard errors of a 95 % interval."""
CHANCES = 0.05
"""How often the sequential test may be wrong, either way."""


class Seating(msgspec.Struct, frozen=True):
    """A match to be played: its number, its block, the seed of the deal, and who sits where."""

    number: int
    block: int
    seed: int
    bots: tuple[str, ...]


class Result(msgspec.Struct, frozen=True):
    """A match that was played: the bots that have won, the seconds and commands of each, and what was played."""

    seating: Seating
    winners: tuple[str, ...]
    seconds: dict[str, float]
    commands: dict[str, int]
    played: tuple[tuple[Seat, str], ...]


class Standing(msgspec.Struct, frozen=True):
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


def seatings(bots: Sequence[str], players: int, matches: int, seed: int) -> Iterator[Seating]:
    """The first bot meets the others, who fill the other seats in turn; every deal is played from each seat."""
    first, others = bots[0], bots[1:] or bots
    for number in range(matches):
        block, place = divmod(number, players)
        rest = [others[each % len(others)] for each in range(players - 1)]
        rest.insert(place, first)
        yield Seating(number, block, seed + block, tuple(rest))


def met(game: Game, seating: Seating) -> Result:
    """Plays a match. Raises `GameError` for a bot that fails."""
    match = play(game, [player(bot) for bot in seating.bots], {"players": str(len(seating.bots))}, seating.seed)
    by = dict(zip(match.seats, seating.bots, strict=True))
    seconds = dict.fromkeys(seating.bots, 0.0)
    for seat, bot in by.items():
        seconds[bot] += match.seconds[seat]
    winners = tuple(by[seat] for seat in match.outcome.winners)
    texts = tuple((seat, game.notation.format(command)) for seat, command in match.played)
    return Result(seating, winners, seconds, Counter(by[seat] for seat, _ in match.played), texts)


def standings(results: Sequence[Result]) -> list[Standing]:
    """How each bot has done, the best first. A bot at several seats wins if one of them does."""
    bots = dict.fromkeys(bot for result in results for bot in result.seating.bots)
    found = []
    for bot in bots:
        theirs = [result for result in results if bot in result.seating.bots]
        share, low, high = interval(by_block(theirs, bot))
        timed = [each for each in theirs if bot in each.seconds]
        commands = sum(each.commands[bot] for each in timed)
        milliseconds = 1000 * sum(each.seconds[bot] for each in timed) / max(commands, 1)
        found.append(Standing(bot, len(theirs), sum(won(each, bot) for each in theirs), share, low, high, milliseconds))
    return sorted(found, key=lambda each: -each.share)


def won(result: Result, bot: str) -> float:
    """The part of a victory that is a bot's."""
    return result.winners.count(bot) / len(result.winners) if result.winners else 0.0


def by_block(results: Sequence[Result], bot: str) -> list[float]:
    """The share of victories of a bot in each block."""
    blocks: dict[int, list[float]] = {}
    for result in results:
        blocks.setdefault(result.seating.block, []).append(won(result, bot))
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


def decided(results: Sequence[Result], low: float, high: float) -> bool | None:
    """Whether the first bot wins at least a `high` share rather than a `low` one; None as long as it is open.

    A sequential test over blocks (Wald), with their shares as normal: it may be asked after every block.
    """
    shares = by_block(results, results[0].seating.bots[0]) if results else []
    if len(shares) < 5:
        return None
    variance = max(stdev(shares) ** 2, 1 / (4 * len(shares)))
    ratio = len(shares) * (high - low) * (fmean(shares) - (low + high) / 2) / variance
    limit = log((1 - CHANCES) / CHANCES)
    return None if abs(ratio) < limit else ratio > 0
