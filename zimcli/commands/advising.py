"""The commands `advice` and `hint`: promising commands, and the best turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import click
from msgspec.structs import replace

from zimcli.session.command import COUNT, argument, place_command
from zimcli.session.session import Session
from zimcore.commits import Position
from zimcore.documents.analysis import HintAnswer
from zimcore.documents.play import AdviceAnswer
from zimcore.documents.positions import position_document, seat_with_unseen_cards
from zimcore.game import Advice, Seat


@place_command()
@argument("beginning", nargs=-1, metavar="[BEGINNING]")
@click.option(
    "--most",
    "max_count",
    type=COUNT,
    metavar="NUMBER",
    default=20,
    help="Stop after this many.",
)
def advice(session: Session, place: str, beginning: tuple[str, ...], max_count: int) -> AdviceAnswer:
    """List promising commands, and what each would bring.

    You see what a square serves, claims and competes with; what a god or specialist does, and would have brought so
    far; whom raising a monument pays, and whom it leaves without resources. The best come first. BEGINNING narrows the
    list down and adds detail (`craft potter`, `raise g9`). Nothing is played.

    Example::

        zim advice kilwa-7 craft
    """
    position, command_start = session.position(place), " ".join(beginning)
    seat = session.seat or position.actor or ""
    promising_commands = position.game.questions.advice(position.state, seat, command_start)[:max_count]
    proposals = tuple(with_hindsight(session, place, position, seat, promising_commands))
    return AdviceAnswer(position_document(position), proposals, command_start, seat_with_unseen_cards(position))


def with_hindsight(
    session: Session, place: str, position: Position, seat: Seat, promising_commands: Sequence[Advice]
) -> Sequence[Advice]:
    """Adds what each would have brought in this match so far, if the game can say. Reads the log only then."""
    if not promising_commands:
        return promising_commands
    events = [event for commit in session.log(place) for event in commit.events]
    comments_by_command = position.game.questions.hindsight(events, seat)
    return [
        replace(proposal, brings=(*proposal.brings, *_past_comments(proposal.text, comments_by_command)))
        for proposal in promising_commands
    ]


def _past_comments(command_text: str, comments_by_command: Mapping[str, str]) -> list[str]:
    return [
        comment
        for command_start, comment in comments_by_command.items()
        if f"{command_text} ".startswith(f"{command_start} ")
    ]


@place_command()
@click.option(
    "--most", "max_count", type=click.IntRange(1, 5), metavar="NUMBER", default=3, help="List this many turns (3)."
)
@click.option("--nodes", type=click.IntRange(1, 100_000_000), metavar="NUMBER", help="Positions to search (4000).")
def hint(session: Session, place: str, max_count: int, nodes: int | None) -> HintAnswer:
    """Show the best turn now, and why.

    Lists whole turns, or bids, with the chance to win after each and what it brings. The first is the best; two of
    other kinds follow. The chances above the list are those after the best turn. They assume that all seats go on
    playing as our bots do. Nothing is played.

    A third of --nodes goes into finding turns, the rest into playing out the most promising ones. `analyse` finds the
    same best turn with the same --nodes, and so do the table, the page and a server. A hint uses only what the seat to
    move may see. At the table and at the prompt, press F6.

    A game that was started with help=no has no hints and no analysis before it is over: see `new`.

    Example::

        zim hint kilwa-7
    """
    from zimcore.analysis.hint import hint_answer
    from zimcore.analysis.judgement import DEFAULT_NODES

    session.check_help_allowed(place)
    position = session.position(place)
    with session.output.progress(f"thinking for {position.mover}, positions") as report:
        return hint_answer(position, nodes or DEFAULT_NODES, max_count, report)
