"""Compares which gods and specialists win in self-play with how people fare with them.

Each match is a line of a file: run the same command again to continue where it stopped. A match depends only on its
number. The output has Spearman's rank correlation over the gods that people have picked at least 30 times. A bot that
chooses its gods shows what it thinks of them; add `--bot quick+drawn` to measure how well it plays with each.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from math import sqrt
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import msgspec

from zimcore.bots.bot import Bot, Choice, View
from zimcore.bots.bot_match import play_with
from zimcore.bots.registry import parse_bot
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe.strategy.candidates import gods

LineT = TypeVar("LineT")
OFTEN = 30
"""Gods that people picked less often are left out."""
RESAMPLED = 400
"""Bootstrap samples for the interval."""


class Line(msgspec.Struct, frozen=True):
    """A match: what each seat had at the end, and the winners."""

    number: int
    bot: str
    players: int
    gods: dict[str, str]
    specialists: dict[str, str]
    winners: tuple[str, ...]


class RandomGodBot:
    """Adores a random god, and otherwise plays like another bot, so that all seats get each god equally often."""

    def __init__(self, bot: Bot) -> None:
        self.bot = bot

    def choose(self, view: View, nodes: int, rng: Random) -> Choice:
        free = [*gods(view.state, view.seat)] if view.state.phase == "actions" else []
        return Choice(rng.choice(free)) if free else self.bot.choose(view, nodes, rng)


def match(number: int, bot: str, players: int) -> Line:
    """Plays the match of that number."""
    level, _, drawn = bot.partition("+")
    found = parse_bot(level)
    player = RandomGodBot(found.bot) if drawn else found.bot
    played = play_with(GAME, [(player, found.nodes)] * players, {"players": str(players)}, number)
    owners = {name: seat for name, seat in played.state.specialists.items() if seat}
    return Line(number, bot, players, dict(played.state.adores), owners, played.outcome.winners)


def counts(lines: Sequence[Line]) -> tuple[dict[str, tuple[int, float]], dict[str, tuple[int, float]]]:
    """For gods and for specialists: how often each was picked, and how often its owners won."""
    found: tuple[dict[str, tuple[int, float]], dict[str, tuple[int, float]]] = ({}, {})
    for line in lines:
        for kind, held in enumerate(([*line.gods.items()], [(seat, name) for name, seat in line.specialists.items()])):
            for seat, name in held:
                picked, won = found[kind].get(name, (0, 0.0))
                share = line.winners.count(seat) / max(len(line.winners), 1)
                found[kind][name] = picked + 1, won + share
    return found


def ranks(values: Sequence[float]) -> list[float]:
    """The rank of each value, 1 for the least. Equal values share theirs.

    >>> ranks([3.0, 1.0, 3.0])
    [2.5, 1.0, 2.5]
    """
    return [sum(each < one for each in values) + (sum(each == one for each in values) + 1) / 2 for one in values]


def spearman(one: Sequence[float], other: Sequence[float]) -> float:
    """The rank correlation.

    >>> spearman([1, 2, 3], [10, 20, 30]), spearman([1, 2, 3], [3, 2, 1])
    (1.0, -1.0)
    """
    a, b = ([each - (len(one) + 1) / 2 for each in ranks(values)] for values in (one, other))
    spread = sqrt(sum(x * x for x in a) * sum(y * y for y in b))
    return sum(x * y for x, y in zip(a, b, strict=True)) / spread if spread else 0.0


def god_table(lines: Sequence[Line], people: dict[str, Any]) -> str:
    """A table of the gods, the best of people first, and the correlation with its 95 % interval over matches."""
    shares_of_people = {
        name: each["won"] / each["picked"] for name, each in people["gods"].items() if each["picked"] >= OFTEN
    }
    adored, specialists = counts(lines)
    common = [name for name in sorted(shares_of_people, key=lambda each: -shares_of_people[each]) if name in adored]
    rows = [f"{len(lines)} matches of {lines[0].bot}, {lines[0].players} players; {people['games']} of people"]
    for name in common:
        picked, won = adored[name]
        rows.append(f"  {name:14} won {won / picked:6.1%} of {picked:5}   people {shares_of_people[name]:6.1%}")
    for name, each in people["specialists"].items():
        picked, won = specialists.get(name, (0, 0.0))
        share, among = won / max(picked, 1), each["won"] / each["held"]
        rows.append(f"  {name:14} won {share:6.1%} of {picked:5}   people {among:6.1%}")
    rows.append(f"  rank correlation over {len(common)} gods: {correlation(lines, shares_of_people, common):+.2f}")
    rng = Random(1)
    drawn = sorted(correlation(rng.choices(lines, k=len(lines)), shares_of_people, common) for _ in range(RESAMPLED))
    rows[-1] += f" ({drawn[len(drawn) // 40]:+.2f} to {drawn[-1 - len(drawn) // 40]:+.2f}, over our matches)"
    return "\n".join(rows)


def correlation(lines: Sequence[Line], shares_of_people: dict[str, float], common: Sequence[str]) -> float:
    """The rank correlation of the gods' shares of wins."""
    adored = counts(lines)[0]
    shares_of_bot = [adored[name][1] / adored[name][0] if name in adored else 0.0 for name in common]
    return spearman(shares_of_bot, [shares_of_people[name] for name in common])


def read_lines(path: Path, kind: type[LineT]) -> list[LineT]:
    """The matches in a file. An incomplete last line is removed from it."""
    found, decoder = list[LineT](), msgspec.json.Decoder(kind)
    if path.exists():
        whole, newline, cut_off = path.read_bytes().rpartition(b"\n")
        found = [decoder.decode(each) for each in whole.splitlines()]
        if cut_off:
            os.truncate(path, len(whole + newline))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(prog="gods", description=__doc__)
    parser.add_argument("people", type=Path, help="results of people: a JSON file")
    parser.add_argument("--bot", default="quick", help="quick+drawn adores random gods and otherwise plays like quick")
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--matches", type=int, default=200)
    parser.add_argument("--into", type=Path, required=True, help="file of matches; new ones are appended")
    args = parser.parse_args()
    lines = read_lines(args.into, Line)
    if any((each.bot, each.players) != (args.bot, args.players) for each in lines):
        print(f"gods: {args.into} has matches of others", file=sys.stderr)
        return 1
    with args.into.open("ab") as file:
        for number in range(len(lines), args.matches):
            lines.append(match(number, args.bot, args.players))
            file.write(msgspec.json.encode(lines[-1]) + b"\n")
            file.flush()
    print(god_table(lines, msgspec.json.decode(args.people.read_bytes())["games"][f"{args.players}p"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
