"""What `amend` and `pick` have in common: what to do where a command no longer stands, and how it is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from zimcli.documents import commits_document, position_document
from zimcli.errors import answer_is_no
from zimcli.render.moves import move_line, move_lines, place_line
from zimcli.render.spans import Line
from zimcli.session import Session
from zimcore.game import Seat
from zimcore.service import Conflict, Replay
from zimcore.service.rewriting import Keep

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def replay_options(function: Decorated) -> Decorated:
    """`--skip`, `--stop` and `--dry-run`."""
    for decorate in (
        click.option("--dry-run", is_flag=True, help="Show what would come of it, and keep nothing."),
        click.option("--stop", "keep", flag_value="stop", help="Keep what stands until the first that does not."),
        click.option("--skip", "keep", flag_value="skip", help="Leave out what no longer stands."),
        click.option("--all", "keep", flag_value="all", default="all", hidden=True),
    ):
        function = decorate(function)
    return function


def told(session: Session, answer: Replay, keep: Keep) -> None:
    """Prints what was played again, and what no longer stood; exit code 1 if nothing can be kept because of that."""
    colours = answer.position.colours
    session.out.document(document(answer))
    session.out.lines(move_lines(answer.commits, answer.position.game, colours))
    for conflict in answer.conflicts:
        session.out.lines(conflict_lines(conflict, colours))
    if answer.conflicts and (keep == "all" or not answer.commits):
        first = answer.conflicts[0]
        what = f"@{first.commit.number} {first.commit.seat}: {first.commit.text} no longer stands, and nothing is kept"
        hints = ["--skip to leave out what does not stand", "--stop to keep what stands before it"]
        raise answer_is_no("conflict", what, [], hints)
    note = "" if answer.stored else " (nothing was kept)"
    session.out.line(*place_line(answer.position), (note, "dim"))


def conflict_lines(conflict: Conflict, colours: Mapping[Seat, str]) -> list[Line]:
    """A move that no longer stands, with every rule that it breaks."""
    refusals = conflict.refused.refusals
    reasons: list[Line] = [[("        ", ""), (f"{each.code}  ", "yellow"), (each.reason, "")] for each in refusals]
    return [[("✗", "bold red"), *move_line(conflict.commit, colours)[:3]], *reasons]


def document(answer: Replay) -> dict[str, Any]:
    """The answer as a document: `conflicts` has the old commits and why they no longer stand."""
    return {
        "stored": answer.stored,
        "played": commits_document(answer.commits),
        "conflicts": [
            {"commit": commits_document([each.commit])[0], "refusals": each.refused.refusals}
            for each in answer.conflicts
        ],
        "position": position_document(answer.position),
    }
