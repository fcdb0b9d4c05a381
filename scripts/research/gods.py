"""Compares which gods and specialists win in self-play with how people fare with them.

Each match is a line of a file: run the same command again to continue where it stopped. A match depends only on its
number. The output has Spearman's rank correlation over the gods that people have picked at least 30 times. A bot that
chooses its gods shows what it thinks of them; add `--bot quick+drawn` to measure how well it plays with each.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from math import sqrt
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, TypeVar

import msgspec

from scripts.research.styles import InsistingBot, random_god
from scripts.shared.measure import CORES
from zimcore.bots.bot_match import play_bots
from zimcore.bots.registry import parse_bot
from zimcore.game import GameError
from zimcore.games.zimbabwe import GAME

RecordT = TypeVar("RecordT")
DRAWN = "drawn"
"""The suffix of a bot that adores random gods."""
MIN_PICKS = 30
"""Gods that people picked less often are left out."""
RESAMPLES = 400
"""Bootstrap samples for the interval."""


class MatchRecord(msgspec.Struct, frozen=True):
    """A match: the god of each seat and the owner of each specialist at the end, and the winners."""

    number: int
    bot: str
    players: int
    gods: dict[str, str]
    specialists: dict[str, str]
    winners: tuple[str, ...]


def play_match(number: int, bot: str, players: int) -> MatchRecord:
    """Plays the match of that number."""
    level, _, suffix = bot.partition("+")
    bot_level = parse_bot(level)
    player_bot = InsistingBot(random_god, bot_level.bot) if suffix else bot_level.bot
    match = play_bots(GAME, [(player_bot, bot_level.nodes)] * players, {"players": str(players)}, number)
    owners = {name: seat for name, seat in match.state.specialists.items() if seat}
    return MatchRecord(number, bot, players, dict(match.state.adores), owners, match.outcome.winners)


def count_wins(records: Sequence[MatchRecord]) -> tuple[dict[str, tuple[int, float]], dict[str, tuple[int, float]]]:
    """For gods and for specialists: how often each was picked, and how often its owners won."""
    tallies: tuple[dict[str, tuple[int, float]], dict[str, tuple[int, float]]] = ({}, {})
    for record in records:
        for tally_index, holders in enumerate(
            ([*record.gods.items()], [(seat, name) for name, seat in record.specialists.items()])
        ):
            for seat, name in holders:
                pick_count, win_count = tallies[tally_index].get(name, (0, 0.0))
                share = record.winners.count(seat) / max(len(record.winners), 1)
                tallies[tally_index][name] = pick_count + 1, win_count + share
    return tallies


def ranks(values: Sequence[float]) -> list[float]:
    """The rank of each value, 1 for the least. Equal values share theirs.

    >>> ranks([3.0, 1.0, 3.0])
    [2.5, 1.0, 2.5]
    """
    return [sum(each < value for each in values) + (sum(each == value for each in values) + 1) / 2 for value in values]


def spearman(xs: Sequence[float], ys: Sequence[float]) -> float:
    """The rank correlation.

    >>> spearman([1, 2, 3], [10, 20, 30]), spearman([1, 2, 3], [3, 2, 1])
    (1.0, -1.0)
    """
    x_ranks, y_ranks = ([rank - (len(xs) + 1) / 2 for rank in ranks(values)] for values in (xs, ys))
    scale = sqrt(sum(x * x for x in x_ranks) * sum(y * y for y in y_ranks))
    return sum(x * y for x, y in zip(x_ranks, y_ranks, strict=True)) / scale if scale else 0.0


class Agreement(NamedTuple):
    """The gods that are compared, those best with people first, and the rank correlation with its 95 % interval."""

    gods: Sequence[str]
    correlation: float
    low: float
    high: float


def read_human_results(path: Path, players: int) -> dict[str, Any]:
    """People's results with so many players, from a file. Raises `ValueError` if it has none."""
    try:
        results: dict[str, Any] = msgspec.json.decode(path.read_bytes())["games"][f"{players}p"]
    except KeyError as error:
        raise ValueError(f"{path} has nothing under {error}") from error
    return results


def shares_of_people(human_results: dict[str, Any]) -> dict[str, float]:
    """How often people won with each god that they picked often, the best first."""
    frequent_gods = {name: result for name, result in human_results["gods"].items() if result["picked"] >= MIN_PICKS}
    shares = {name: result["won"] / result["picked"] for name, result in frequent_gods.items()}
    return dict(sorted(shares.items(), key=lambda name_and_share: -name_and_share[1]))


def agreement(records: Sequence[MatchRecord], human_shares: dict[str, float]) -> Agreement:
    """How well the gods' shares of wins agree with people's; the interval is over our matches."""
    common_gods, rng = [name for name in human_shares if name in count_wins(records)[0]], Random(1)
    resampled_correlations = sorted(
        correlation(rng.choices(records, k=len(records)), human_shares, common_gods) for _ in range(RESAMPLES)
    )
    margin = len(resampled_correlations) // 40
    return Agreement(
        common_gods,
        correlation(records, human_shares, common_gods),
        resampled_correlations[margin],
        resampled_correlations[-1 - margin],
    )


def god_table(records: Sequence[MatchRecord], human_results: dict[str, Any]) -> str:
    """A table of the gods, the best of people first, and the correlation."""
    human_shares = shares_of_people(human_results)
    god_counts, specialists = count_wins(records)
    people_agreement = agreement(records, human_shares)
    rows = [
        f"{len(records)} matches of {records[0].bot}, {records[0].players} players; {human_results['games']} of people"
    ]
    for name in people_agreement.gods:
        pick_count, win_count = god_counts[name]
        rows.append(
            f"  {name:14} won {win_count / pick_count:6.1%} of {pick_count:5}   people {human_shares[name]:6.1%}"
        )
    for name, human_result in human_results["specialists"].items():
        pick_count, win_count = specialists.get(name, (0, 0.0))
        share, human_share = win_count / max(pick_count, 1), human_result["won"] / human_result["held"]
        rows.append(f"  {name:14} won {share:6.1%} of {pick_count:5}   people {human_share:6.1%}")
    correlation_text = f"{people_agreement.correlation:+.2f}"
    interval_text = f"({people_agreement.low:+.2f} to {people_agreement.high:+.2f}, over our matches)"
    rows.append(f"  rank correlation over {len(people_agreement.gods)} gods: {correlation_text} {interval_text}")
    return "\n".join(rows)


def correlation(records: Sequence[MatchRecord], human_shares: dict[str, float], common_gods: Sequence[str]) -> float:
    """The rank correlation of the gods' shares of wins."""
    god_counts = count_wins(records)[0]
    bot_shares = [god_counts[name][1] / god_counts[name][0] if name in god_counts else 0.0 for name in common_gods]
    return spearman(bot_shares, [human_shares[name] for name in common_gods])


def read_json_lines(path: Path, record_type: type[RecordT]) -> list[RecordT]:
    """The records in a file, one a line. An incomplete last line is removed from it."""
    records, decoder = list[RecordT](), msgspec.json.Decoder(record_type)
    if path.exists():
        complete_lines, newline, remainder = path.read_bytes().rpartition(b"\n")
        records = [decoder.decode(line) for line in complete_lines.splitlines()]
        if remainder:
            os.truncate(path, len(complete_lines + newline))
    return records


def append_json_lines(path: Path, new_records: Iterable[RecordT]) -> Iterator[RecordT]:
    """Yields the records. Each is first appended to the file as a line, so that none is lost."""
    with path.open("ab") as file:
        for record in new_records:
            file.write(msgspec.json.encode(record) + b"\n")
            file.flush()
            yield record


def play_records(bot: str, players: int, matches: int, path: Path, workers: int) -> list[MatchRecord]:
    """The matches of the file, and new ones until there are `matches`, played in `workers` processes.

    Raises `ValueError` if the file has matches of another bot or number of players.
    """
    records = read_json_lines(path, MatchRecord)
    if any((record.bot, record.players) != (bot, players) for record in records):
        raise ValueError(f"{path} has matches of another bot or number of players")
    play_number = partial(play_match, bot=bot, players=players)
    with ProcessPoolExecutor(workers) as pool:
        return [*records, *append_json_lines(path, pool.map(play_number, range(len(records), matches)))]


@contextmanager
def named_errors(program: str) -> Iterator[None]:
    """Ends the program with a line for a bot that fails, and for a file that can't be read, written or used."""
    try:
        yield
    except (GameError, OSError, ValueError, msgspec.MsgspecError) as error:
        sys.exit(f"{program}: {error}")


def main() -> int:
    parser = argparse.ArgumentParser(prog="gods", description=__doc__)
    parser.add_argument("people", type=Path, help="results of people: a JSON file")
    parser.add_argument("--bot", default="quick", help="quick+drawn adores random gods and otherwise plays like quick")
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--matches", type=int, default=200)
    parser.add_argument("--workers", type=int, default=CORES)
    parser.add_argument("--into", type=Path, required=True, help="file of matches; new ones are appended")
    arguments = parser.parse_args()
    if arguments.bot.partition("+")[2] not in ("", DRAWN):
        parser.error(f"{arguments.bot}: a bot may have the suffix +{DRAWN}")
    with named_errors("gods"):
        human_results = read_human_results(arguments.people, arguments.players)
        records = play_records(arguments.bot, arguments.players, arguments.matches, arguments.into, arguments.workers)
    print(god_table(records, human_results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
