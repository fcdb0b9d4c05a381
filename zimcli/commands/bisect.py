"""Find the first move after which something holds.

EXPRESSION speaks of a position, as in `expect`. Every move on the way is looked at, so that the answer is exact also
for what comes and goes. Exit code 1 if it never comes true.

Example::

    zim bisect kilwa-7 "zulu.vp > kilwa.vp"
"""

from __future__ import annotations

from typing import Any

import click

from zimcli.command import placed
from zimcli.completing import completes, subjects
from zimcli.documents import position_document
from zimcli.errors import answer_is_no
from zimcli.render.figures import figures
from zimcli.render.moves import SHORT, move_line
from zimcli.session import Session
from zimcore.history import Bisection, bisect, parse


@placed(__doc__, ignore_unknown_options=True)
@click.argument("words", nargs=-1, required=True, metavar="EXPRESSION", shell_complete=completes(subjects))
def command(session: Session, place: str, words: tuple[str, ...]) -> None:
    """Prints the move, and the figures before and after it."""
    position = session.position(place)
    found = bisect(position.game, session.log(place), parse(" ".join(words)))
    session.out.document(document(found) | {"position": position_document(position)})
    if found.at_start.holds:
        session.out.line(": ".join(filter(None, ["it holds at the start", figures(found.at_start.figures)])))
    if found.first:
        before, after = found.first
        session.out.lines([move_line(after.commit, position.colours)])
        session.out.line((f"     commit {after.commit.digest[:SHORT]} by {after.commit.by}", "dim"))
        session.out.line(f"     before: {figures(before.figures)}")
        session.out.line(f"     after:  {figures(after.figures)}")
    if len(found.turns) > 1:
        session.out.line((f"     {later(found)}", "dim"))
    if not found.first and not found.at_start.holds:
        raise answer_is_no("never", found.expression, [figures(found.at_end.figures)], ["show"])


def later(found: Bisection) -> str:
    """What came of it: `then not after @20, so after @25`."""
    turns = [after for _, after in found.turns if not found.first or after is not found.first[1]]
    return "then " + ", ".join(f"{'so' if after.holds else 'not so'} after @{after.commit.number}" for after in turns)


def document(found: Bisection) -> dict[str, Any]:
    """The answer as a document; `first` is the move after which it came true, `turns` all after which it changed."""
    return {
        "bisect": found.expression,
        "at_start": found.at_start.holds,
        "at_end": found.at_end.holds,
        "first": found.first and turn(*found.first),
        "turns": [turn(before, after) for before, after in found.turns],
    }


def turn(before: Any, after: Any) -> dict[str, Any]:
    """One change, as a document."""
    commit = after.commit
    return {
        "number": commit.number,
        "digest": commit.digest,
        "seat": commit.seat,
        "text": commit.text,
        "holds": after.holds,
        "before": before.figures,
        "after": after.figures,
    }
