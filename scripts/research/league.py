"""Plays a league of bots and styles of The Great Zimbabwe, and prints who beats whom.

Strength is not one number: a bot can beat one rival and lose to another that the first one beats. So each entrant meets
each other one, and the result is a matrix: how often the bot of a row wins against that of a column, with a rating, and
with the circles in it. At tables of more than two, one seat of the row meets the column at all others. Each deal is
played once at every seat.

Entrants are levels (strong:nodes=500), styles (see styles.py; plain and plain-bidding are held out from training),
`strong` with a god that it must adore (strong+xango), levels that play a share of their commands at random (strong~25:
25 %), and bots of your own (my_bot:Greedy). A match depends only on its
entrants, its deal and its seat. Each is a line of the file: type the same again to continue where it stopped, or with
more entrants to add them.

    scripts/league quick strong plain --deals 20 --into league.jsonl
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import combinations, permutations
from math import log10
from pathlib import Path
from random import Random
from statistics import fmean
from typing import NamedTuple

import click
import msgspec

from scripts.research.gods import append_json_lines, named_errors, read_json_lines
from scripts.research.styles import HELD_OUT, STYLES, adoring_bot
from zimcore.bots.arena import options_for, share_interval
from zimcore.bots.bot import Bot
from zimcore.bots.bot_match import play_bots
from zimcore.bots.levels import SlippingBot, StrongBot, share_of_slips
from zimcore.bots.registry import parse_bot
from zimcore.game import Game, GameError
from zimcore.games.registry import GAMES
from zimcore.games.zimbabwe.components import GODS
from zimcore.service import game as load

SEED = 34_000_000
"""The seed of the first deal; nothing is trained on these."""
ZIMBABWE = "zimbabwe"
"""The default game of a league."""
FORCED_GOD_PREFIX = "strong+"
"""The beginning of an entrant's name: `strong+xango` plays like `strong`, but adores Xango as soon as it may."""
SLIP_SIGN = "~"
"""The sign between a level and its slips in percent: `strong~25` plays a quarter of its commands at random."""
RESAMPLES = 200
"""Bootstrap samples of the deals for a rating's interval."""
PRIOR_RESULTS = 1.0
"""Wins and losses added to every pair, so that a rating is finite where one has never lost."""


class Meeting(msgspec.Struct, frozen=True):
    """A match to play: one seat of `first` against `other` at all others."""

    first: str
    other: str
    players: int
    deal: int
    place: int
    game: str = ZIMBABWE


class PlayedMeeting(msgspec.Struct, frozen=True):
    """A match that was played: the share of the victory of `first`, and its CPU seconds and commands."""

    meeting: Meeting
    won: float
    seconds: float = 0.0
    commands: int = 0


class EloRating(NamedTuple):
    """An Elo rating (1500 is the mean), and its 95 % interval."""

    rating: float
    low: float
    high: float


def make_entrant(name: str, number: int) -> tuple[Bot, int]:
    """A bot and its budget: of a style, the member with this number. Raises `GameError` for an unknown name."""
    if style := {**STYLES, **HELD_OUT}.get(name):
        return style(number), 0
    level, slips, percent = name.partition(SLIP_SIGN)
    if slips and percent.isdigit() and int(percent) <= 100:
        level_bot = parse_bot(level)
        return SlippingBot(level_bot.bot, int(percent) / 100), level_bot.nodes
    if name.startswith(FORCED_GOD_PREFIX):
        if (god := name.removeprefix(FORCED_GOD_PREFIX)) not in GODS:
            raise GameError(f"no such god: {god}", f"choose from {', '.join(GODS)}")
        return adoring_bot(god, StrongBot()), 0
    configured_bot = parse_bot(name).allowed()  # the user has typed it
    if configured_bot.elo:
        share_of_slips(load(ZIMBABWE, GAMES), configured_bot.elo)
    return configured_bot.bot, configured_bot.nodes


def play_meeting(meeting: Meeting) -> PlayedMeeting:
    """Plays a match of a game that Zim knows."""
    return play(load(meeting.game, GAMES), meeting)


def play(game: Game, meeting: Meeting) -> PlayedMeeting:
    """Plays a match. A style enters with the member that has the deal's number, so that all members are met."""
    bots = [make_entrant(meeting.other, meeting.deal)] * (meeting.players - 1)
    bots.insert(meeting.place, make_entrant(meeting.first, meeting.deal))
    match = play_bots(game, bots, options_for(game, meeting.players), SEED + meeting.deal)
    seat = match.seats[meeting.place]
    commands = sum(mover == seat for mover, _ in match.moves)
    return PlayedMeeting(meeting, match.outcome.victory(seat), match.seconds[seat], commands)


def meetings(entrants: Sequence[str], players: int, deals: int) -> Iterator[Meeting]:
    """All matches of a league. With two players a match counts for both, so each pair is met once."""
    pairs = combinations(entrants, 2) if players == 2 else permutations(entrants, 2)
    for first, other in pairs:
        yield from meetings_of(first, other, players, deals)


def meetings_of(first: str, other: str, players: int, deals: int, game: str = ZIMBABWE) -> Iterator[Meeting]:
    """The matches of a pair: the first one at each seat of every deal."""
    for deal in range(deals):
        for place in range(players):
            yield Meeting(first, other, players, deal, place, game)


def shares(results: Sequence[PlayedMeeting], players: int) -> dict[tuple[str, str], list[float]]:
    """For each pair, the share of the victory that the first one had in each deal."""
    shares_by_deal: dict[tuple[str, str], dict[int, list[float]]] = {}
    for result in results:
        first, other, deal = result.meeting.first, result.meeting.other, result.meeting.deal
        shares_by_deal.setdefault((first, other), {}).setdefault(deal, []).append(result.won)
        if players == 2:
            shares_by_deal.setdefault((other, first), {}).setdefault(deal, []).append(1 - result.won)
    return {pair: [fmean(deal) for deal in deals.values()] for pair, deals in shares_by_deal.items()}


def ratings(shares_by_pair: Mapping[tuple[str, str], Sequence[float]], seed: int = 1) -> dict[str, EloRating]:
    """Elo ratings from the deals of each pair, with intervals by resampled deals."""
    names = list(dict.fromkeys(name for pair in shares_by_pair for name in pair))
    rating_by_name, rng = elo(shares_by_pair, names), Random(seed)
    resampled_ratings: dict[str, list[float]] = {name: [] for name in names}
    for _ in range(RESAMPLES):
        resampled_shares = dict[tuple[str, str], list[float]]()
        for (first, other), pair_shares in shares_by_pair.items():
            if (other, first) not in resampled_shares:
                # A deal won and one lost are among those to draw from, as in `share_interval`: the resampled ratings
                # lie nearer to the mean, so only their spread is used.
                resampled_shares[first, other] = rng.choices([*pair_shares, 0.0, 1.0], k=len(pair_shares))
                if (other, first) in shares_by_pair:
                    resampled_shares[other, first] = [1 - share for share in resampled_shares[first, other]]
        for name, rating in elo(resampled_shares, names).items():
            resampled_ratings[name].append(rating)
    sorted_ratings = {name: sorted(values) for name, values in resampled_ratings.items()}
    return {
        name: EloRating(
            rating_by_name[name],
            rating_by_name[name] + sorted_values[RESAMPLES // 40] - fmean(sorted_values),
            rating_by_name[name] + sorted_values[-1 - RESAMPLES // 40] - fmean(sorted_values),
        )
        for name, sorted_values in sorted_ratings.items()
    }


def elo(shares_by_pair: Mapping[tuple[str, str], Sequence[float]], names: Sequence[str]) -> dict[str, float]:
    """Elo ratings by maximum likelihood (Bradley-Terry), with the mean 1500.

    >>> {name: round(each) for name, each in elo({("a", "b"): [0.5], ("b", "a"): [0.5]}, ["a", "b"]).items()}
    {'a': 1500, 'b': 1500}
    """
    wins_by_pair = {pair: sum(pair_shares) + PRIOR_RESULTS for pair, pair_shares in shares_by_pair.items()}
    strengths = dict.fromkeys(names, 1.0)
    for _ in range(300):
        for name in names:
            rivals = [rival for rival in names if (name, rival) in wins_by_pair]
            win_count = sum(wins_by_pair[name, rival] for rival in rivals)
            expected_wins = sum(
                (wins_by_pair[name, rival] + wins_by_pair[rival, name]) / (strengths[name] + strengths[rival])
                for rival in rivals
            )
            strengths[name] = win_count / expected_wins if expected_wins else 1.0
    mean = fmean(log10(strength) for strength in strengths.values())
    return {name: 1500 + 400 * (log10(strength) - mean) for name, strength in strengths.items()}


def winning_circles(shares_by_pair: Mapping[tuple[str, str], Sequence[float]]) -> list[tuple[str, str, str]]:
    """Three entrants each of which clearly beats the next: the 95 % intervals of all three are over a half."""
    clear_wins = {
        pair
        for pair, pair_shares in shares_by_pair.items()
        if len(pair_shares) > 1 and share_interval(pair_shares)[1] > 0.5
    }
    names = sorted({name for pair in shares_by_pair for name in pair})
    circles = []
    for first, second, third in combinations(names, 3):
        circles += [
            circle
            for circle in ((first, second, third), (first, third, second))
            if {circle[:2], circle[1:], (circle[2], circle[0])} <= clear_wins
        ]
    return circles


def result_table(results: Sequence[PlayedMeeting], entrants: Sequence[str], players: int) -> str:
    """The league as a table: the wins of each row against each column in percent, and with two players ratings."""
    shares_by_pair = shares(results, players)
    ratings_by_name = ratings(shares_by_pair) if players == 2 else {}
    mean_by_name = {
        name: fmean(fmean(shares_by_pair[name, other]) for other in entrants if (name, other) in shares_by_pair)
        for name in entrants
    }
    ordered_names = sorted(entrants, key=lambda name: -mean_by_name[name])
    name_width = max(map(len, ordered_names))
    numbers = [f"{number:>3}" for number, _ in enumerate(ordered_names, 1)]
    rows = [f"{'':3} {'':{name_width}}  {' '.join(numbers)}  mean" + ("  Elo (95 %)" if ratings_by_name else "")]
    for number, name in zip(numbers, ordered_names, strict=True):
        cells = [
            f"{100 * fmean(shares_by_pair[name, other_name]):3.0f}" if (name, other_name) in shares_by_pair else "  ."
            for other_name in ordered_names
        ]
        row = f"{number} {name:{name_width}}  {' '.join(cells)}  {mean_by_name[name]:4.0%}"
        if ratings_by_name:
            rating = ratings_by_name[name]
            row += f"  {rating.rating:.0f} ({rating.low:.0f} to {rating.high:.0f})"
        rows.append(row)
    widths = [high - low for _, low, high in map(share_interval, shares_by_pair.values())]
    deals = max(map(len, shares_by_pair.values()))
    rows.append(
        f"\n{len(results)} matches of {players}; a pair's share is of {deals} deals, ± {50 * fmean(widths):.0f}"
    )
    rows.append(f"Without any skill: {100 / players:.0f}.")
    if ratings_by_name:
        circles = winning_circles(shares_by_pair)
        rows.append(
            "Circles: " + ("; ".join(" beats ".join([*circle, circle[0]]) for circle in circles) or "none is clear")
        )
    return "\n".join(rows)


def play_missing(
    requested_meetings: Sequence[Meeting], play: Callable[[Meeting], PlayedMeeting], path: Path, workers: int
) -> list[PlayedMeeting]:
    """The results of matches: those of the file, and the others played in `workers` processes and appended to it."""
    path.touch()  # a file that can't be written is an error before the first match
    known_results = {result.meeting: result for result in read_json_lines(path, PlayedMeeting)}
    missing_meetings = [meeting for meeting in requested_meetings if meeting not in known_results]
    with (
        ProcessPoolExecutor(workers) as pool,
        click.progressbar(
            pool.map(play, missing_meetings), length=len(missing_meetings), label="matches", file=sys.stderr
        ) as results,
    ):
        known_results |= {result.meeting: result for result in append_json_lines(path, results)}
    return [known_results[meeting] for meeting in requested_meetings]


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="scripts/league", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    default_entrants = ["quick", "strong", *STYLES, *HELD_OUT]
    parser.add_argument("entrants", nargs="*", default=default_entrants, help=f"default: {' '.join(default_entrants)}")
    parser.add_argument("--players", type=int, choices=range(2, 6), default=2)
    parser.add_argument("--deals", type=int, default=10, help="deals for each pair (default: 10)")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--into", type=Path, required=True, help="file of matches; new ones are appended")
    arguments = parser.parse_args()
    entrants = list(dict.fromkeys(arguments.entrants))
    try:
        for name in entrants:
            make_entrant(name, 0)
    except GameError as error:
        print(f"league: {error}; styles: {', '.join([*STYLES, *HELD_OUT])}", file=sys.stderr)
        return 1
    if len(entrants) < 2 or min(arguments.deals, arguments.workers) < 1:
        print("league: it takes two entrants, a deal, and a worker", file=sys.stderr)
        return 1
    requested_meetings = [*meetings(entrants, arguments.players, arguments.deals)]
    with named_errors("league"):
        results = play_missing(requested_meetings, play_meeting, arguments.into, arguments.workers)
    print(result_table(results, entrants, arguments.players))
    return 0


if __name__ == "__main__":
    sys.exit(main())
