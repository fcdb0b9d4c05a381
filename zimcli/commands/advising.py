"""The commands `hint` and `advice`: the best turn, promising commands, and what the game itself says of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import click
from msgspec.structs import replace

from zimcli.commands.questions import QuestionCommand, ask_game, preview_answer
from zimcli.session.command import COUNT, argument, place_command
from zimcli.session.session import Session
from zimcli.shell.registry import HINT, HINT_QUESTIONS
from zimcore.commits import Position
from zimcore.documents.analysis import HintAnswer
from zimcore.documents.play import AdviceAnswer, PlanAnswer, PreviewAnswer
from zimcore.documents.positions import position_document, seat_with_unseen_cards
from zimcore.game import Advice, GameError, Seat

DEFAULT_COMMANDS, DEFAULT_TURNS, MAX_TURNS = 20, 3, 5
"""How many promising commands and best turns are listed."""


@place_command()
@argument("beginning", nargs=-1, metavar="[BEGINNING]")
@click.option(
    "--most",
    "max_count",
    type=COUNT,
    metavar="NUMBER",
    default=DEFAULT_COMMANDS,
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
    return advice_answer(session, place, beginning, max_count)


def advice_answer(session: Session, place: str, beginning: Sequence[str], max_count: int) -> AdviceAnswer:
    """Promising commands with a beginning, the best first, and what each would bring and would have brought."""
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


class HintCommand(QuestionCommand):
    """A command whose help lists what each game takes after an option."""

    questions = MappingProxyType({"preview": "WORDS of --preview", "plan": "WORDS of --plan"})


@place_command(command_class=HintCommand)
@argument("words", nargs=-1, metavar="[WORDS]")
@click.option("--advice", "asks_advice", is_flag=True, help="List promising commands that begin with WORDS.")
@click.option("--preview", "asks_preview", is_flag=True, help="Show what the command WORDS would bring.")
@click.option("--plan", "asks_plan", is_flag=True, help="Show the cheapest way to the goals WORDS.")
@click.option(
    "--most",
    "max_count",
    type=COUNT,
    metavar="NUMBER",
    help=f"List this many turns ({DEFAULT_TURNS}, at most {MAX_TURNS}); with --advice, commands ({DEFAULT_COMMANDS}).",
)
@click.option("--nodes", type=click.IntRange(1, 100_000_000), metavar="NUMBER", help="Positions to search (4000).")
def hint(
    session: Session,
    place: str,
    words: tuple[str, ...],
    asks_advice: bool,
    asks_preview: bool,
    asks_plan: bool,
    max_count: int | None,
    nodes: int | None,
) -> HintAnswer | AdviceAnswer | PreviewAnswer | PlanAnswer:
    """Show the best turn now, and why.

    Lists whole turns, or bids, with the chance to win after each and what it brings. The first is the best; two of
    other kinds follow. The chances above the list are those after the best turn. They assume that all seats go on
    playing as our bots do. Nothing is played.

    Other questions about a move are options. --advice lists single commands, each with what it would serve, claim and
    cost: `hint --advice craft`. --preview shows what one command would bring, or without WORDS the end of the round.
    --plan shows the cheapest way to a goal, or without WORDS which goals are worth it. `help questions` has the others.

    A third of --nodes goes into finding turns, the rest into playing out the most promising ones. `analyse` finds the
    same best turn with the same --nodes, and so do the table, the page and a server. A hint uses only what the seat to
    move may see. At the table and at the prompt, press F6.

    A game that was started with help=no has no best turns and no analysis before it is over: see `new`.

    Example::

        zim hint kilwa-7
    """
    is_asked = {"advice": asks_advice, "preview": asks_preview, "plan": asks_plan}
    questions = [name for name in HINT_QUESTIONS if is_asked[name]]
    question = "".join(questions[:1])
    check_hint_options(questions, words, nodes, max_count)
    if question == "advice":
        return advice_answer(session, place, words, max_count or DEFAULT_COMMANDS)
    if question == "preview":
        return preview_answer(session, place, words)
    if question == "plan":
        return PlanAnswer(*ask_game(session, place, question, words))
    from zimcore.analysis.hint import hint_answer
    from zimcore.analysis.judgement import DEFAULT_NODES

    session.check_help_allowed(place)
    position = session.position(place)
    with session.output.progress(f"thinking for {position.mover}, positions") as report:
        return hint_answer(position, nodes or DEFAULT_NODES, max_count or DEFAULT_TURNS, report)


def check_hint_options(
    questions: Sequence[str], words: Sequence[str], nodes: int | None, max_count: int | None
) -> None:
    """Raises `GameError` for options that don't go together."""
    if len(questions) > 1:
        what, why = " and ".join(f"--{name}" for name in questions), "each is a question of its own"
        raise GameError(what, why, [f"{HINT.name} --{name}" for name in questions])
    if words and not questions:
        text = " ".join(words)
        hints = [f"{HINT.name} --{name} {text}" for name in ("advice", "preview")]
        raise GameError(f"{HINT.name} {text}", "the best turn needs no words", [*hints, HINT.name])
    if questions and nodes:
        raise GameError("--nodes", f"--{questions[0]} searches nothing", [f"{HINT.name} --{questions[0]}"])
    if max_count and questions and questions[0] != "advice":
        raise GameError("--most", f"--{questions[0]} has one answer", [f"{HINT.name} --{questions[0]}"])
    if max_count and not questions and max_count > MAX_TURNS:
        raise GameError(f"--most {max_count}", f"at most {MAX_TURNS} turns are compared", [f"--most {MAX_TURNS}"])
