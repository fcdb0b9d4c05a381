"""Show how two lines or positions differ.

Round by round from where they parted: what each played, the figures that differ at its end, what of their money the
players paid and got in it, and the squares on which not the same stands. At the end stands what that made of each
player. In a session A is the current line if only B is named; B may be a short name beside A.

Example::

    zim compare kilwa-7/main what-if
"""

from __future__ import annotations

import click
import msgspec

from zimcli.command import placed
from zimcli.completing import completes, places
from zimcli.documents import commits_document, position_document
from zimcli.render.changes import change_table
from zimcli.render.moves import move_lines
from zimcli.session import Session
from zimcore.game import GameError
from zimcore.history import Comparison, compare
from zimcore.history.compare import Round
from zimcore.service import Position


@placed(__doc__)
@click.argument("other", metavar="B", shell_complete=completes(places))
def command(session: Session, place: str, other: str) -> None:
    """Compares two places."""
    a = session.position(place)
    beside = session.whole(other, f"{a.match}/{a.line}")
    b = session.position(beside)
    if a.game is not b.game:
        raise GameError(f"{a.match} and {b.match}", f"one plays {a.game.title}, the other {b.game.title}", ["games"])
    found = compare(a.game, session.log(place), session.log(beside))
    session.out.document(document(found, a, b))
    if not session.out.json:
        show(session, found, a, b)


def show(session: Session, found: Comparison, a: Position, b: Position) -> None:
    """Prints the rounds of both, and what it comes to."""
    parted = f"they part after move {found.parted.number}" if found.parted else "they share nothing"
    session.out.line((f"{name(a)} and {name(b)}", "bold"), f": {parted}")
    for each in found.rounds:
        show_round(session, each, a, b)
    session.out.line("")
    session.out.line(("What it made of each", "bold"))
    if found.differences:
        session.out.table(change_table(found.differences, name(a), name(b)), a.colours)
    else:
        session.out.line("every number is the same for every player")


def show_round(session: Session, found: Round, a: Position, b: Position) -> None:
    """Prints what both played in a round, and how they differ at its end."""
    colours = a.colours
    session.out.line("")
    session.out.line((f"@{found.name}" if found.name else "@start", "bold cyan"))
    for position, commits in ((a, found.a), (b, found.b)):
        session.out.line((f"only {name(position)}", "cyan"), f": {moves(len(commits))}")
        session.out.lines(move_lines(commits, position.game, colours))
    if found.figures or found.paid:
        session.out.table(change_table([*found.figures, *found.paid], name(a), name(b)), colours)
    for each in found.squares:
        session.out.line(f"  {each.square}: {each.a or 'nothing'} | {each.b or 'nothing'}")


def moves(count: int) -> str:
    """How many, in words."""
    return f"{count} move" if count == 1 else f"{count} moves" if count else "nothing"


def name(position: Position) -> str:
    """A short name of a position: its line and move."""
    return f"{position.line}@{position.commit.number}"


def document(found: Comparison, a: Position, b: Position) -> dict[str, object]:
    """The comparison as a document; the moves of a round are named by their numbers."""
    rounds = [
        msgspec.to_builtins(each) | {side: [commit.number for commit in getattr(each, side)] for side in ("a", "b")}
        for each in found.rounds
    ]
    return {
        "a": position_document(a),
        "b": position_document(b),
        "parted": found.parted.number if found.parted else None,
        "only_a": commits_document(found.only_a),
        "only_b": commits_document(found.only_b),
        "rounds": rounds,
        "differences": found.differences,
    }
