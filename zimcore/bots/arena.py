"""The arena: plays many matches between bots, at every seat of every deal, and works out which bot is better.

A *block* is one deal, played once with the first bot at each seat, so that each bot has the luck of the deal equally
often. Blocks are independent of each other; matches within a block are not. So intervals are taken over blocks.
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
ERROR_RATE = 0.05
"""The error rate of the sequential test, in either direction."""


class Seating(msgspec.Struct, frozen=True):
    """A match to play: its number, its block, the seed of the deal, and the bot at each seat."""

    number: int
    block: int
    seed: int
    bots: tuple[str, ...]

    @property
    def label(self) -> str:
        """A name for messages: `match 3`."""
        return f"match {self.number + 1}"


class Result(msgspec.Struct, frozen=True):
    """A match that was played: the winning bots, the seconds and commands of each bot, and all commands.

    `held` lists the cards that seats had at the end, as kind, name and the seat's share of the victory.
    """

    seating: Seating
    winners: tuple[str, ...]
    seconds: dict[str, float]
    commands: dict[str, int]
    played: tuple[tuple[Seat, str], ...]
    held: tuple[tuple[str, str, float], ...] = ()


class BotStanding(msgspec.Struct, frozen=True):
    """The results of a bot.

    Its matches, its victories (a shared one counts in part), their share with a 95 % interval, and milliseconds a
    command.
    """

    bot: str
    matches: int
    wins: float
    share: float
    low: float
    high: float
    milliseconds: float


class Holding(msgspec.Struct, frozen=True):
    """The results of seats that had a card at the end: the card's kind and name, the seats and their victories."""

    kind: str
    name: str
    seats: int
    wins: float


def seatings(bots: Sequence[str], players: int, matches: int, seed: int) -> Iterator[Seating]:
    """Seats the first bot against the others, who fill the other seats in turn, at each seat of every deal."""
    first, opponents = bots[0], bots[1:] or bots
    for number in range(matches):
        block, place = divmod(number, players)
        other_seats = [opponents[each % len(opponents)] for each in range(players - 1)]
        other_seats.insert(place, first)
        yield Seating(number, block, seed + block, tuple(other_seats))


def play_match(game: Game, seating: Seating) -> Result:
    """Plays a match. Raises `GameError` if a bot fails."""
    match = play(game, [parse_bot(bot) for bot in seating.bots], options_for(game, len(seating.bots)), seating.seed)
    bot_by_seat = dict(zip(match.seats, seating.bots, strict=True))
    seconds = dict.fromkeys(seating.bots, 0.0)
    for seat, bot in bot_by_seat.items():
        seconds[bot] += match.seconds[seat]
    winners = tuple(bot_by_seat[seat] for seat in match.outcome.winners)
    texts = tuple((seat, game.notation.format(command)) for seat, command in match.played)
    cards_held = held_by(game, match.state, match.outcome)
    return Result(seating, winners, seconds, Counter(bot_by_seat[seat] for seat, _ in match.played), texts, cards_held)


def options_for(game: Game, players: int) -> dict[str, str]:
    """The options of a match with so many players; none for a game that is always played by the same number."""
    return {"players": str(players)} if "players" in game.rules.OPTIONS else {}


def held_by(game: Game, state: Any, outcome: Outcome) -> tuple[tuple[str, str, float], ...]:
    """The cards that seats have at the end, as kind, name and the seat's share of the victory."""
    cards_held = []
    for seat in game.evolution.seats(state):
        figures, victory = game.display.figures(state, seat), outcome.victory(seat)
        for figure, kind in game.display.HOLDINGS.items():
            names = figures.get(figure) or ()
            cards_held += [(kind, name, victory) for name in ([names] if isinstance(names, str) else names)]
    return tuple(cards_held)


def holdings(results: Sequence[Result]) -> list[Holding]:
    """The results of seats by their cards: in each kind, cards with the largest share of victories first."""
    by_card: dict[tuple[str, str], list[float]] = {}
    for result in results:
        for kind, name, share in result.held:
            by_card.setdefault((kind, name), []).append(share)
    rows = [Holding(kind, name, len(shares), sum(shares)) for (kind, name), shares in by_card.items()]
    return sorted(rows, key=lambda each: (each.kind, -each.wins / each.seats, each.name))


def standings(results: Sequence[Result]) -> list[BotStanding]:
    """The results of each bot, the best first. A bot at several seats wins if one of them does."""
    bots = dict.fromkeys(bot for result in results for bot in result.seating.bots)
    rows = []
    for bot in bots:
        bot_results = [result for result in results if bot in result.seating.bots]
        share, low, high = interval(shares_by_block(bot_results, bot))
        timed_results = [each for each in bot_results if bot in each.seconds]
        commands = sum(each.commands[bot] for each in timed_results)
        milliseconds = 1000 * sum(each.seconds[bot] for each in timed_results) / max(commands, 1)
        rows.append(
            BotStanding(
                bot,
                len(bot_results),
                sum(victory_share(each, bot) for each in bot_results),
                share,
                low,
                high,
                milliseconds,
            )
        )
    return sorted(rows, key=lambda each: -each.share)


def victory_share(result: Result, bot: str) -> float:
    """A bot's share of the victory, from 0 to 1."""
    return result.winners.count(bot) / len(result.winners) if result.winners else 0.0


def shares_by_block(results: Sequence[Result], bot: str) -> list[float]:
    """A bot's mean share of the victory in each block."""
    blocks: dict[int, list[float]] = {}
    for result in results:
        blocks.setdefault(result.seating.block, []).append(victory_share(result, bot))
    return [fmean(each) for each in blocks.values()]


def interval(shares: Sequence[float]) -> tuple[float, float, float]:
    """The mean share of blocks with its 95 % interval; for a single block the interval is 0 to 1.

    >>> interval([1.0])
    (1.0, 0.0, 1.0)
    """
    mean = fmean(shares)
    if len(shares) < 2:
        return mean, 0.0, 1.0
    error = Z * sqrt((stdev(shares) ** 2 + 1 / (4 * len(shares) ** 2)) / len(shares))
    return mean, max(0.0, mean - error), min(1.0, mean + error)


def sequential_test(results: Sequence[Result], low: float, high: float) -> bool | None:
    """Whether the first bot's share is at least `high` rather than `low`; None while that is undecided.

    A sequential test (Wald) over blocks, which takes their shares as normally distributed. You can ask after every
    block.
    """
    shares = shares_by_block(results, results[0].seating.bots[0]) if results else []
    if len(shares) < 5:
        return None
    variance = max(stdev(shares) ** 2, 1 / (4 * len(shares)))
    ratio = len(shares) * (high - low) * (fmean(shares) - (low + high) / 2) / variance
    limit = log((1 - ERROR_RATE) / ERROR_RATE)
    return None if abs(ratio) < limit else ratio > 0
