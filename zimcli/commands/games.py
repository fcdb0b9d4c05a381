"""List the games in the store.

--where lists only games at whose head an expression is true (see `expect`). Here it may also use `rounds`, `moves`,
`kind`, `players`, and each seat's `won` and `score`.

Archived games are listed with --all, or alone with --archived.

If games or the list of their names are damaged, you see those that can be read, and the exit code is 4.

Example::

    zim games
    zim games --where "over and rounds < 30"
    zim games --last 20
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click
import msgspec

from zimcli.session.command import COUNT, plain_command
from zimcli.session.session import Session
from zimcli.shell.exit_codes import FailedError
from zimcore.documents.listings import GameInfo
from zimcore.documents.storage import GamesAnswer

if TYPE_CHECKING:
    from zimcore.game import GameError
    from zimcore.history import Expression

LEAST_WITH_PROGRESS = 500
"""Fewer games are listed at once."""


@plain_command(__doc__)
@click.option("--where", "expression_text", default="", metavar="EXPRESSION", help="Only games for which this is true.")
@click.option("--archived", "only_archived", is_flag=True, help="Only archived games.")
@click.option("--all", "includes_all", is_flag=True, help="Also archived and deleted games.")
@click.option("-n", "--last", "last_count", type=COUNT, metavar="NUMBER", help="Only the games that began last.")
def command(
    session: Session, expression_text: str, only_archived: bool, includes_all: bool, last_count: int | None
) -> GamesAnswer:
    """The games, oldest first."""
    local_service = session.local_service
    unarchived_names = {*session.service.game_names(archived=False)}
    all_names = session.service.game_names()
    names = [name for name in all_names if includes_all or (name not in unarchived_names) == only_archived]
    games = listed_games(session, names[-last_count:] if last_count else names)
    damaged_names = tuple(session.service.damaged_names())
    hidden_count = 0 if includes_all or only_archived else len(all_names) - len(names)
    unfinished = local_service.store.unfinished() if local_service else None
    answer = GamesAnswer(tuple(games), damaged_names, hidden_count, unfinished=str(unfinished or ""))
    hints = (unfinished.command(local_service.url),) if local_service and unfinished else ()
    if expression_text:
        from zimcore.history import parse  # here, as a plain list needs no expressions

        damaged_games = [game for game in games if game.damaged]
        matching_games = (*games_where(session, games, parse(expression_text)), *damaged_games)
        answer = msgspec.structs.replace(
            answer, games=matching_games, where=expression_text, unmatched=len(games) - len(matching_games)
        )
    elif local_service and includes_all:
        answer = msgspec.structs.replace(answer, deleted=tuple(local_service.deleted_games()))
    return require_all_readable(answer, hints, is_here=local_service is not None)


def listed_games(session: Session, names: Sequence[str]) -> Sequence[GameInfo]:
    """The games of these names. Many can take seconds, the first time: their progress is shown."""
    if len(names) < LEAST_WITH_PROGRESS:
        return session.service.games(by=session.by, only={*names})
    with session.output.progress("listing games") as report:
        return session.service.games(by=session.by, only={*names}, report=report)


def require_all_readable(answer: GamesAnswer, hints: Sequence[str] = (), *, is_here: bool) -> GamesAnswer:
    """The answer, if every game is there and can be read. Raises `FailedError` otherwise, for the exit code."""
    missing_count, damaged_games = len(answer.damaged), [game.name for game in answer.games if game.damaged]
    problem_texts = ["games may be missing in this list"] if answer.unfinished else []
    if missing_count and not answer.unfinished:
        problem_texts.append(
            "a game is missing in this list"
            if missing_count == 1
            else f"{missing_count} games are missing in this list"
        )
    problem_texts += [f"can't read {' and '.join(damaged_games)}"] if damaged_games else []
    if problem_texts:
        from zimcli.output.errors import damaged_error

        reasons = "; ".join(answer.damaged or filter(None, [answer.unfinished]))
        raise FailedError(answer, damaged_error("; ".join(problem_texts), reasons, hints, is_here=is_here))
    return answer


def games_where(session: Session, games: Sequence[GameInfo], expression: Expression) -> Iterator[GameInfo]:
    """The games for which an expression is true. Skips games that lack a figure or a position in it.

    Raises `ExpressionError`, or `UnknownError` for a position, if no game has it: then it is a typing error.
    """
    from zimcore.game import UnknownError
    from zimcore.history import ExpressionError
    from zimcore.history.match_description import match_values

    readable_games = [game for game in games if game.line]
    errors: list[GameError] = []
    for game in readable_games:
        try:
            if expression.holds(
                match_values(session.position(game.name), session.values_reader(expression.text, game.name))
            ):
                yield game
        except (ExpressionError, UnknownError) as error:
            errors.append(error)
    if errors and len(errors) == len(readable_games):
        raise errors[0]
