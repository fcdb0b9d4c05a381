"""Show what commands would do, without playing them.

--each tries every legal command, or those that begin with COMMAND or match a pattern ("build *4"), and shows what
figures each leads to, best first. --by chooses the figures: zulu.margin, or any expression as in `expect`. Without --by
you see the score of the game, and money.

Example::

    zim try kilwa-7 "bid 3"
    zim try kilwa-7 --each --by "zulu.cattle"
"""

from __future__ import annotations

from collections.abc import Sequence

import click

from zimcli.output.errors import hidden_problem, refusal_problem
from zimcli.session.command import COUNT, argument, place_command
from zimcli.session.playing import split_commands
from zimcli.session.session import Session
from zimcore.documents.play import Outlook, SweepAnswer, TrialAnswer
from zimcore.documents.positions import commit_documents, position_document, seat_with_unseen_cards
from zimcore.game import GameError
from zimcore.history import balance, default_expressions, differences, main_figure, parse, sweep
from zimcore.history.sweep import is_pattern


@place_command(__doc__)
@argument("commands", nargs=-1, metavar="COMMAND...")
@click.option("--each", "tries_each", is_flag=True, help="Try every legal command with this beginning.")
@click.option(
    "--by",
    "expression_texts",
    multiple=True,
    metavar="EXPRESSION",
    help="With --each: show this figure, and sort by it.",
)
@click.option(
    "--most",
    "max_count",
    type=COUNT,
    metavar="NUMBER",
    help="With --each: list only the best.",
)
def command(
    session: Session,
    place: str,
    commands: tuple[str, ...],
    tries_each: bool,
    expression_texts: tuple[str, ...],
    max_count: int | None,
) -> TrialAnswer | SweepAnswer:
    """Shows what commands lead to: one after the other, or each by itself."""
    if tries_each:
        return sweep_commands(session, place, " ".join(commands), expression_texts, max_count)
    if expression_texts or max_count:
        raise click.UsageError("--by and --most need --each.")
    if not commands:
        raise click.UsageError("Name a COMMAND to try, or add --each.")
    return try_commands(session, place, commands)


def sweep_commands(
    session: Session, place: str, beginning: str, expression_texts: Sequence[str], max_count: int | None
) -> SweepAnswer:
    """What each legal command that begins like this or matches a pattern leads to, best first."""
    position = session.position(place)
    expressions = [parse(text) for text in expression_texts] or default_expressions(
        position.figures, position.mover, position.game.display.MONEY
    )
    expression_texts = tuple(each.text for each in expressions)
    read_values = session.values_reader(" ".join(expression_texts), place)
    swept_commands, current_values = (
        sweep(position, expressions, beginning, read_values),
        read_values(position.game, position.state),
    )
    if beginning and not swept_commands and seat_with_unseen_cards(position) is None:
        verb = "is" if is_pattern(beginning) else "begins"
        raise GameError(beginning, f"no legal command {verb} like this", [f"legal {place}"])
    return SweepAnswer(
        position=position_document(position),
        count=len(swept_commands),
        by=expression_texts,
        now={expression.text: expression.value(current_values) for expression in expressions},
        outlooks=tuple(
            Outlook(swept.text, dict(zip(expression_texts, swept.values, strict=True)), swept.hidden)
            for swept in swept_commands[:max_count]
        ),
        beginning=beginning,
        unseen=seat_with_unseen_cards(position),
    )


def try_commands(session: Session, place: str, commands: Sequence[str]) -> TrialAnswer:
    """The facts of the commands, and what changes for each player."""
    figures_before, command_texts = session.position(place).figures, tuple(split_commands(session, place, commands))
    trial = session.service.try_(place, command_texts, session.viewer)
    if trial.refused:
        raise refusal_problem(command_texts[len(trial.positions)], trial.refused)
    if trial.hidden:
        raise hidden_problem(command_texts[len(trial.positions)], trial.hidden)
    last_position = trial.positions[-1]
    commits = [position.commit for position in trial.positions]
    changes = tuple(differences(figures_before, last_position.figures))
    return TrialAnswer(
        tried=commit_documents(commits, last_position.game),
        position=position_document(last_position),
        changes=changes,
        balance=balance(changes, commits[0].seat, last_position.game.display.MONEY, main_figure(figures_before)),
    )
