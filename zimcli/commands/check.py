"""Check a game's code against the contract.

Zim plays the game at random and, at every position, tries what the rest of Zim relies on: deciding changes nothing,
facts lead to the state in the answer, legal commands are accepted, texts are read as they are written. Then it looks
for leaks: it plays pairs of deals that differ only in what a seat can't see, and compares all that this seat is shown.
It says how much it could compare, and where that was too little. Each finding names the member and, if known, the line
of your file. Exits with 1 if there are any. GAME is the name of a game, or MODULE:NAME.

Example::

    zim check zimbabwe --games 1
    zim check africana --moves 20 --deals 1
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import click

from zimcli.output.errors import negative_answer_problem
from zimcli.session.allowed_programs import named_game
from zimcli.session.command import argument, plain_command
from zimcli.session.session import Session
from zimcli.shell.exit_codes import FailedError
from zimcore.documents.storage import CheckAnswer, CheckCoverage, CheckFinding
from zimcore.games.registry import load_game


@plain_command(__doc__)
@argument("game")
@click.option(
    "--games",
    "match_count",
    type=click.IntRange(1, 10_000),
    metavar="NUMBER",
    default=3,
    help="Number of games to play.",
)
@click.option(
    "--moves",
    "max_moves",
    type=click.IntRange(1, 100_000),
    metavar="NUMBER",
    default=60,
    help="Moves per game at most.",
)
@click.option(
    "--deals",
    "deal_count",
    type=click.IntRange(0, 10_000),
    metavar="NUMBER",
    default=3,
    help="Number of deals to look for leaks in.",
)
def command(session: Session, game: str, match_count: int, max_moves: int, deal_count: int) -> CheckAnswer:
    """Checks the game, and fails if there are findings."""
    from zimcore.toolkit.check import TrialCounts, check

    game_spec, checked_game = named_game(session, game)
    with session.output.progress("playing games") as report:
        total, counts = match_count + deal_count, TrialCounts()
        found_faults = check(
            checked_game,
            matches=match_count,
            moves=max_moves,
            deals=deal_count,
            report=lambda done_count: report(done_count, total),
            counts=counts,
        )
        faults = [*found_faults]
    findings = [CheckFinding(each.member, each.what, each.where) for each in faults]
    findings += compare_with_other_process(game_spec) if not findings else []
    answer = CheckAnswer(
        checked_game.name,
        checked_game.title,
        counts.matches,
        tuple(findings),
        counts.positions,
        counts.deals,
        counts.pairs,
        counts.untwinned,
        tuple(CheckCoverage(kind, name, *numbers) for (kind, name), numbers in counts.coverage.items()),
        counts.worlds,
        counts.impossible_worlds,
        counts.why_impossible,
    )
    if findings:
        reasons = [f"{each.member}: {each.what}" + (f" ({each.where})" if each.where else "") for each in findings]
        raise FailedError(
            answer, negative_answer_problem("check", f"{checked_game.title} breaks the contract", reasons)
        )
    return answer


def compare_with_other_process(game_spec: str) -> list[CheckFinding]:
    """A finding if another process, with other hash seeds, gets other bytes for the same match."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        other_bytes = pool.submit(bytes_after_match, game_spec).result()
    if other_bytes == bytes_after_match(game_spec):
        return []
    return [CheckFinding("evolution.canonical", "another process gets other bytes for the same match", "")]


def bytes_after_match(game_spec: str) -> bytes:
    """The canonical bytes of the last position of a match."""
    from zimcore.toolkit.check import play_digest

    return play_digest(load_game(game_spec), seed=1, moves=30)
