"""Check that a game keeps what the contract promises.

The game is played at random, and at every position on the way everything that the rest of zim relies on is tried: that
deciding changes nothing, that facts lead to the state of the answer, that what is legal is accepted, that texts are
read as they are written, that nobody is told what is hidden. What is found names the part and the member, and the line
of your file if it is known. Exit code 1 if there is anything. GAME is one that zim knows, or MODULE:NAME.

Example::

    zim check zimbabwe
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
from zimcore.games.registry import load


@plain_command(__doc__)
@argument("game")
@click.option("--games", "matches", type=click.IntRange(1, 10_000), default=3, help="How many are played.")
@click.option("--moves", type=click.IntRange(1, 100_000), default=60, help="The most moves in each.")
def command(session: Session, game: str, matches: int, moves: int) -> CheckAnswer:
    """What is found."""
    from zimcore.toolkit.check import check

    where = session.kinds.get(game, game)
    if ":" not in where:
        session.game(game)  # raises what is said of a kind that there is not
    found = load(where)
    with session.out.progress("playing games") as report:
        findings = [*check(found, matches=matches, moves=moves, report=lambda done: report(done, matches))]
    listed = [CheckFinding(each.member, each.what, each.where) for each in findings]
    listed += elsewhere(where) if not listed else []
    answer = CheckAnswer(found.name, found.title, matches, tuple(listed))
    if listed:
        why = [f"{each.member}: {each.what}" + (f" ({each.where})" if each.where else "") for each in listed]
        raise FailedError(answer, answer_is_no("check", f"{found.title} does not keep what was promised", why))
    return answer


def elsewhere(where: str) -> list[CheckFinding]:
    """Whether the same match leads to the same bytes in another process, whose hashes are seeded otherwise."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        theirs = pool.submit(end_of_a_match, where).result()
    if theirs == end_of_a_match(where):
        return []
    return [CheckFinding("evolution.canonical", "the same match has other bytes in another process", "")]


def end_of_a_match(where: str) -> bytes:
    """The canonical bytes of the last position."""
    from zimcore.toolkit.check import play_digest

    return play_digest(load(where), seed=1, moves=30)
