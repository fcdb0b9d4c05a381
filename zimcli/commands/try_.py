"""Show what commands would do, and play none.

Example::

    zim try kilwa-7 "bid 3"
"""

from __future__ import annotations

from collections.abc import Iterator

import click

from zimcli.command import placed
from zimcli.completing import completes, whole_commands
from zimcli.documents import commits_document, position_document
from zimcli.errors import refused
from zimcli.render.changes import change_table
from zimcli.render.moves import move_lines
from zimcli.render.spans import Line
from zimcli.session import Session
from zimcore.history import VP, Balance, balance, differences


@placed(__doc__)
@click.argument("texts", nargs=-1, required=True, metavar="COMMAND...", shell_complete=completes(whole_commands))
def command(session: Session, place: str, texts: tuple[str, ...]) -> None:
    """Prints the facts, and what changes for each player."""
    before = session.position(place).figures
    trial = session.service.try_(place, texts, session.viewer)
    if trial.refused:
        raise refused(texts[len(trial.positions)], trial.refused)
    end = trial.positions[-1]
    commits = [position.commit for position in trial.positions]
    changed = list(differences(before, end.figures))
    summed = balance(changed, commits[0].seat, end.game.display.MONEY)
    document = {"tried": commits_document(commits), "position": position_document(end), "changes": changed}
    session.out.document(document | {"balance": summed})
    session.out.lines(move_lines(commits, end.game, end.colours, facts=True))
    if changed:
        session.out.table(change_table(changed, "now", "then"), end.colours)
    session.out.lines(balance_lines(summed))
    session.out.line(("→ ", "dim"), end.status, (" (nothing was played)", "dim"))


def balance_lines(summed: Balance) -> Iterator[Line]:
    """What it costs, what it scores, and who else profits."""
    cost = f"costs {summed.cost}" if summed.cost > 0 else f"brings {-summed.cost}" if summed.cost else "costs nothing"
    yield [(summed.seat, "bold"), (f": {cost}, {summed.vp:+d} {VP.upper()}", "")]
    for seat, gains in summed.profits.items():
        yield [(seat, "bold"), (" profits: " + ", ".join(f"{gain:+d} {name}" for name, gain in gains.items()), "")]
