"""Benchmarks the levels of bots: how often each wins against others, at every seat of every deal, with 95 % intervals.

The deals are those of `scripts/league` from its first seed on, and were never used for training or tuning. A goal is
met if the share of wins reaches it; the interval over deals shows how certain that is. A command's time is in CPU
seconds; on a busy machine it comes out too long.

`plain` and `plain-bidding` are styles that no training has met (see styles.py). ZIM_PEOPLE names the file of people's
results with gods: without it the correlation with people is not printed.

It takes 17 minutes of two processors, with `--long` eight times as long. `strong` did not win more often when it
compared 16 or 30 candidates, when its lead was added to its chance, or when it supposed that `peer` plays the
other seats; nor `deep` when it supposed a `strong` there that looks one turn ahead.
"""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from scripts.research.gods import agreement, play_records, read_human_results, shares_of_people
from scripts.research.league import FORCED_GOD_PREFIX, Meeting, PlayedMeeting, meetings_of, play, play_missing
from scripts.research.styles import HELD_OUT
from scripts.shared.measure import CORES, expect_at_least, expect_at_most
from zimcore.bots.arena import share_interval
from zimcore.game import Game
from zimcore.games.africana import GAME as AFRICANA
from zimcore.games.zimbabwe import GAME as ZIMBABWE
from zimcore.games.zimbabwe.components import GODS

LONG_FACTOR = 8
"""The long run plays this many times as many deals."""
GOD_MATCHES = 25
"""How many matches with `strong` at all four seats are compared with people's results."""
MIN_CORRELATION = 0.6
"""The least rank correlation between the gods' wins with `strong` and with people."""


class WinGoal(NamedTuple):
    """The share of matches that a bot must win. It sits at one seat, and one of the `opponents` at all others.

    If `is_upper_limit`, it must not win more. Each opponent plays the number of `deals`.
    A command may take `max_milliseconds`.
    """

    game: Game
    bot: str
    opponents: tuple[str, ...]
    players: int
    share: float
    deals: int
    max_milliseconds: float = 1000
    is_upper_limit: bool = False


HELD_OUT_STYLES = tuple(HELD_OUT)
DEEP = "deep:nodes=20000"
WIN_GOALS = (
    *(
        WinGoal(ZIMBABWE, "peer", ("random",), players, share, 3)
        for players, share in {2: 0.75, 3: 0.6, 5: 0.45}.items()
    ),
    *(
        WinGoal(ZIMBABWE, "quick", ("peer",), players, share, 6)
        for players, share in {2: 0.75, 3: 0.6, 4: 0.8, 5: 0.45}.items()
    ),
    *(WinGoal(ZIMBABWE, "quick", HELD_OUT_STYLES, players, share, 6) for players, share in {2: 0.75, 4: 0.85}.items()),
    WinGoal(ZIMBABWE, "strong", ("quick",), 4, 0.7, 2, 30),
    *(WinGoal(ZIMBABWE, "strong", HELD_OUT_STYLES, players, 0.8, 3, 30) for players in (2, 4)),
    *(WinGoal(ZIMBABWE, DEEP, HELD_OUT_STYLES, players, 0.9, 1) for players in (2, 4)),
    WinGoal(ZIMBABWE, DEEP, ("strong",), 4, 0.65, 1),
    WinGoal(ZIMBABWE, "adores", ("strong",), 4, 0.3, 3, is_upper_limit=True),
    *(WinGoal(ZIMBABWE, f"{FORCED_GOD_PREFIX}{god}", ("strong",), 4, 0.3, 1, is_upper_limit=True) for god in GODS),
    WinGoal(AFRICANA, "quick", ("random",), 3, 0.9, 3),
    *(WinGoal(AFRICANA, "strong", ("quick",), players, share, 2) for players, share in {2: 0.7, 3: 0.5}.items()),
)


def bench(folder: Path, is_long: bool = False, output_file: Path | None = None) -> None:
    """Measures all win goals. The matches are kept in a file, so that an interrupted run can go on."""
    matches_file = output_file or folder / "matches.jsonl"
    for win_goal in WIN_GOALS:
        measure_win_goal(win_goal._replace(deals=win_goal.deals * LONG_FACTOR) if is_long else win_goal, matches_file)
    if people_path := os.environ.get("ZIM_PEOPLE"):
        records = play_records(
            "strong", 4, GOD_MATCHES * (LONG_FACTOR if is_long else 1), matches_file.with_suffix(".gods"), CORES
        )
        people_agreement = agreement(records, shares_of_people(read_human_results(Path(people_path), 4)))
        details = f"{people_agreement.low:+.2f} to {people_agreement.high:+.2f}, {len(records)} matches"
        expect_at_least(
            "gods of strong and of people, rank correlation", details, people_agreement.correlation, MIN_CORRELATION
        )


def measure_win_goal(win_goal: WinGoal, matches_file: Path) -> None:
    """Plays the matches of a win goal that are missing, and prints its lines."""
    results = [result for opponent in win_goal.opponents for result in play_meetings(win_goal, opponent, matches_file)]
    shares_by_deal = dict[tuple[str, int], list[float]]()
    for result in results:
        shares_by_deal.setdefault((result.meeting.other, result.meeting.deal), []).append(result.won)
    mean, low, high = share_interval([fmean(shares) for shares in shares_by_deal.values()])
    description = f"{win_goal.bot} against {', '.join(win_goal.opponents)}, {win_goal.game.name}, {win_goal.players}"
    expect_share = expect_at_most if win_goal.is_upper_limit else expect_at_least
    expect_share(f"{description}: wins", f"{low:.1%} to {high:.1%} of {len(results)}", mean, win_goal.share)
    command_count = sum(result.commands for result in results)
    expect_at_most(
        f"{description}: ms a command",
        "",
        1000 * sum(result.seconds for result in results) / command_count,
        win_goal.max_milliseconds,
    )


def play_meetings(win_goal: WinGoal, opponent: str, matches_file: Path) -> list[PlayedMeeting]:
    """Plays the matches of a win goal against one opponent that are missing. Returns all its matches, as meetings."""
    meetings: list[Meeting] = [
        *meetings_of(win_goal.bot, opponent, win_goal.players, win_goal.deals, win_goal.game.name)
    ]
    return play_missing(meetings, partial(play, win_goal.game), matches_file, CORES)
