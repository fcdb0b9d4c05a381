"""The table of `zim_zimbabwe_v1`: our levels and a learned baseline on frozen deals, with Elo ratings. See the card,
zim_zimbabwe_v1.md.

Each entrant meets the next two of the list, at both seats of every deal. A match depends only on its entrants and its
deal, and each is a line of the file: type the same again to continue where it stopped.

    scripts/ladder --deals 10 --train 600 --into ladder.jsonl
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from functools import cache, partial
from hashlib import blake2b
from pathlib import Path
from statistics import fmean

from scripts.research import league
from scripts.research.gods import named_errors
from scripts.research.league import Meeting, PlayedMeeting, play_missing, ratings, shares
from scripts.research.policy_gradient import PolicyBot, load_policy, train
from zimcore.bots.arena import share_interval
from zimcore.bots.bot import Bot
from zimcore.bots.bot_match import play_bots
from zimcore.envs.env_match import Setting
from zimcore.games.zimbabwe import GAME

TEST_SEEDS = range(41_000_000, 41_000_200)
"""The seeds of the frozen deals for tests; train on any others."""
FROZEN_DIGEST = "76480a7d42009455f571e79a120a2192"
"""The digest of these deals with two players. If it changes, it is another benchmark: `zim_zimbabwe_v2`."""
LADDER = ("random", "policy", "peer", "quick", "strong", "deep:nodes=20000")


def positions_digest(seeds: Sequence[int]) -> str:
    """The digest of deals for two players."""
    hasher, evolution = blake2b(digest_size=16), GAME.evolution
    for seed in seeds:
        state = GAME.rules.apply(evolution.initial(), "", GAME.rules.set_up({"players": "2"}, seed)).state
        hasher.update(evolution.canonical(state))
    return hasher.hexdigest()


@cache
def make_entrant(name: str, policy_file: Path) -> tuple[Bot, int]:
    """A bot and its budget."""
    if name == "policy":
        return PolicyBot(load_policy(policy_file), Setting("zimbabwe", 2)), 0
    return league.make_entrant(name, 0)


def meetings(names: Sequence[str], deals: int) -> Iterator[Meeting]:
    """The matches of the ladder."""
    for index, name in enumerate(names):
        for other_name in names[index + 1 : index + 3]:
            for deal in range(deals):
                yield from (Meeting(name, other_name, 2, deal, place) for place in range(2))


def play_meeting(meeting: Meeting, policy_file: Path) -> PlayedMeeting:
    """Plays a match."""
    bots = [make_entrant(meeting.other, policy_file)]
    bots.insert(meeting.place, make_entrant(meeting.first, policy_file))
    match = play_bots(GAME, bots, {"players": "2"}, TEST_SEEDS[meeting.deal])
    return PlayedMeeting(meeting, match.outcome.victory(match.seats[meeting.place]))


def result_table(results: Sequence[PlayedMeeting], names: Sequence[str]) -> str:
    """The ratings and the shares against the next two, as a Markdown table."""
    shares_by_pair = shares(results, 2)
    ratings_by_name = ratings(shares_by_pair)
    rows = ["| bot | Elo | 95 % | wins against |", "|---|---|---|---|"]
    for name in sorted(names, key=lambda name: -ratings_by_name[name].rating):
        win_texts = []
        for other_name in names:
            if (name, other_name) in shares_by_pair:
                _, low, high = share_interval(shares_by_pair[name, other_name])
                win_texts.append(
                    f"{other_name} {fmean(shares_by_pair[name, other_name]):.0%} ({100 * low:.0f}-{100 * high:.0f})"
                )
        rating = ratings_by_name[name]
        rows.append(
            f"| {name} | {rating.rating:.0f} | {rating.low:.0f} to {rating.high:.0f} | {', '.join(win_texts)} |"
        )
    deals = max(map(len, shares_by_pair.values()))
    return "\n".join([*rows, "", f"{len(results)} matches; {deals} deals a pair, each at both seats."])


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="scripts/ladder", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("entrants", nargs="*", default=LADDER, help=f"default: {' '.join(LADDER)}")
    parser.add_argument("--deals", type=int, default=10, help=f"test deals of each pair, at most {len(TEST_SEEDS)}")
    parser.add_argument("--train", type=float, default=600, help="seconds to train the policy, if its file is missing")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--into", type=Path, required=True, help="file of matches; new ones are appended")
    arguments = parser.parse_args()
    names = list(dict.fromkeys(arguments.entrants))
    if len(names) < 2 or not 1 <= arguments.deals <= len(TEST_SEEDS):
        parser.error(f"it takes two entrants, and 1 to {len(TEST_SEEDS)} deals")
    policy_file = arguments.into.with_suffix(".npz")
    with named_errors("ladder"):
        for name in names:
            if name != "policy":
                league.make_entrant(name, 0)
    if "policy" in names and not policy_file.exists():
        weights, matches = train("zimbabwe", arguments.train, 1, arguments.workers)
        weights.save(policy_file)
        print(f"policy: {matches} matches of self-play in {arguments.train:.0f} s", file=sys.stderr)
    play = partial(play_meeting, policy_file=policy_file)
    with named_errors("ladder"):
        results = play_missing([*meetings(names, arguments.deals)], play, arguments.into, arguments.workers)
    print(result_table(results, names))
    return 0


if __name__ == "__main__":
    sys.exit(main())
