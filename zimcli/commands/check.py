"""Check a game's code against the contract.

Zim plays the game at random and, at every position, tries what the rest of Zim relies on: deciding changes nothing,
facts lead to the state in the answer, legal commands are accepted, texts are read as they are written. Then it looks
for leaks: it plays pairs of deals that differ only in what a seat can't see, and compares all that this seat is shown.
Each finding names the member and, if known, the line of your file. Exits with 1 if there are any. GAME is the name of
a game, or MODULE:NAME.

Example::

    zim check zimbabwe --games 1
    zim check africana --moves 20 --deals 1
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import click

from zimcli.command import argument, plain_command
from zimcli.errors import answer_is_no
from zimcli.exit_codes import FailedError
from zimcli.session import Session
from zimcore.documents.storage import CheckAnswer, CheckFinding
from zimcore.games.registry import load_game


@plain_command(__doc__)
@argument("game")
@click.option("--games", "matches", type=click.IntRange(1, 10_000), default=3, help="Number of games to play.")
@click.option("--moves", type=click.IntRange(1, 100_000), default=60, help="Moves per game at most.")
@click.option("--deals", type=click.IntRange(0, 10_000), default=3, help="Number of deals to look for leaks in.")
def command(session: Session, game: str, matches: int, moves: int, deals: int) -> CheckAnswer:
    """Checks the game, and fails if there are findings."""
    from zimcore.toolkit.check import Tried, check

    package = session.kinds.get(game, game)
    if ":" not in package:
        session.game(game)  # raises the error for an unknown game
    checked_game = load_game(package)
    with session.out.progress("playing games") as report:
        total, counts = matches + deals, Tried()
        problems = check(
            checked_game,
            matches=matches,
            moves=moves,
            deals=deals,
            report=lambda done: report(done, total),
            tried=counts,
        )
        findings = [*problems]
    listing = [CheckFinding(each.member, each.what, each.where) for each in findings]
    listing += check_other_process(package) if not listing else []
    answer = CheckAnswer(
        checked_game.name,
        checked_game.title,
        counts.matches,
        tuple(listing),
        counts.positions,
        counts.deals,
        counts.pairs,
        counts.untwinned,
    )
    if listing:
        why = [f"{each.member}: {each.what}" + (f" ({each.where})" if each.where else "") for each in listing]
        raise FailedError(answer, answer_is_no("check", f"{checked_game.title} breaks the contract", why))
    return answer


def check_other_process(package: str) -> list[CheckFinding]:
    """A finding if another process, with other hash seeds, gets other bytes for the same match."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        other_end = pool.submit(end_of_a_match, package).result()
    if other_end == end_of_a_match(package):
        return []
    return [CheckFinding("evolution.canonical", "another process gets other bytes for the same match", "")]


def end_of_a_match(package: str) -> bytes:
    """The canonical bytes of the last position of a match."""
    from zimcore.toolkit.check import play_digest

    return play_digest(load_game(package), seed=1, moves=30)
