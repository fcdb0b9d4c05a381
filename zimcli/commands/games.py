"""List the games in the store.

--where lists only games at whose head an expression is true (see `expect`). Here it may also use `rounds`, `moves`,
`kind`, `players`, and each seat's `won` and `score`.

Archived games are listed with --all, or alone with --archived.

If games or the list of their names are damaged, you see those that can be read, and the exit code is 4.

Example::

    zim games
    zim games --where "over and rounds < 30"
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from zimcli.command import plain_command
from zimcli.exit_codes import FailedError
from zimcli.session import Session
from zimcore.documents.listings import GameInfo
from zimcore.documents.storage import GamesAnswer

if TYPE_CHECKING:
    from zimcore.game import GameError
    from zimcore.history import Expression


@plain_command(__doc__)
@click.option("--where", default="", metavar="EXPRESSION", help="Only games for which this is true.")
@click.option("--archived", is_flag=True, help="Only archived games.")
@click.option("--all", "all_", is_flag=True, help="Also archived and deleted games.")
def command(session: Session, where: str, archived: bool, all_: bool) -> GamesAnswer:
    """The games, oldest first."""
    all_games = session.service.games(by=session.by)
    games = [game for game in all_games if all_ or game.archived == archived]
    local_service = session.local_service
    damaged_names = tuple(session.service.damaged_names())
    hidden = 0 if all_ or archived else len(all_games) - len(games)
    if where:
        from zimcore.history import parse  # here, as a plain list needs no expressions

        damaged_games = [game for game in games if game.damaged]
        matching_games = (*games_where(session, games, parse(where)), *damaged_games)
        answer = GamesAnswer(
            matching_games, damaged_names, hidden, where=where, unmatched=len(games) - len(matching_games)
        )
        return require_all_readable(answer, is_here=local_service is not None)
    deleted_games = tuple(local_service.deleted_games()) if local_service and all_ else ()
    return require_all_readable(
        GamesAnswer(tuple(games), damaged_names, hidden, deleted_games), is_here=local_service is not None
    )


def require_all_readable(answer: GamesAnswer, *, is_here: bool) -> GamesAnswer:
    """The answer, if every game is there and can be read. Raises `FailedError` otherwise, for the exit code."""
    missing, damaged_games = len(answer.damaged), [game.name for game in answer.games if game.damaged]
    parts = (
        ["a game is missing in this list" if missing == 1 else f"{missing} games are missing in this list"]
        if missing
        else []
    )
    parts += [f"can't read {' and '.join(damaged_games)}"] if damaged_games else []
    if parts:
        from zimcli.errors import damaged_error

        raise FailedError(answer, damaged_error("; ".join(parts), "; ".join(answer.damaged), is_here=is_here))
    return answer


def games_where(session: Session, games: Sequence[GameInfo], expression: Expression) -> Iterator[GameInfo]:
    """The games for which an expression is true. Skips games that lack a figure or a position in it.

    Raises `ExpressionError`, or `UnknownError` for a position, if no game has it: then it is a typing error.
    """
    from zimcore.game import UnknownError
    from zimcore.history import ExpressionError
    from zimcore.history.match_description import match_values

    readable = [game for game in games if game.line]
    errors: list[GameError] = []
    for game in readable:
        try:
            if expression.holds(
                match_values(session.position(game.name), session.values_reader(expression.text, game.name))
            ):
                yield game
        except (ExpressionError, UnknownError) as error:
            errors.append(error)
    if errors and len(errors) == len(readable):
        raise errors[0]
