"""List the games of the store.

With --where only those at whose head an expression holds, as in `expect`. It may speak of more there: of `rounds` and
`moves`, of the `kind` of game and how many `players` it has, and of each seat's `won` and `score`.

Games that were archived are listed with --all, or alone with --archived.

Where games or the list of their names are damaged, the others are listed all the same, and the exit code is 4.

Example::

    zim games
    zim games --where "over and rounds < 30"
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from zimcli.command import plain_command
from zimcli.errors import damaged_error
from zimcli.exit_codes import FailedError
from zimcli.session import Session
from zimcore.documents.listings import GameInfo
from zimcore.documents.storage import GamesAnswer
from zimcore.history import Expression, ExpressionError, parse
from zimcore.history.match_description import standing


@plain_command(__doc__)
@click.option("--where", default="", metavar="EXPRESSION", help="Only games of which this holds.")
@click.option("--archived", is_flag=True, help="Only those that were archived.")
@click.option("--all", "all_", is_flag=True, help="Those that were archived too, and what was deleted.")
def command(session: Session, where: str, archived: bool, all_: bool) -> GamesAnswer:
    """All games, the oldest first, or those of which something holds."""
    every = session.service.games(by=session.by)
    games = [game for game in every if all_ or game.archived == archived]
    kept = session.local_service
    damaged = tuple(session.service.damaged_names())
    if where:
        unread = [game for game in games if game.damaged]
        return whole(GamesAnswer((*matching(session, games, parse(where)), *unread), damaged), is_here=kept is not None)
    hidden = 0 if all_ or archived else len(every) - len(games)
    deleted = tuple(kept.deleted_games()) if kept and all_ else ()
    return whole(GamesAnswer(tuple(games), damaged, hidden, deleted), is_here=kept is not None)


def whole(answer: GamesAnswer, *, is_here: bool) -> GamesAnswer:
    """An answer in which each game is there and can be read. Raises `FailedError`: the exit code has to say so."""
    missing, unread = len(answer.damaged), [game.name for game in answer.games if game.damaged]
    parts = ["a game is missing here" if missing == 1 else f"{missing} games are missing here"] if missing else []
    parts += [f"can't read {' and '.join(unread)}"] if unread else []
    if parts:
        raise FailedError(answer, damaged_error("; ".join(parts), "; ".join(answer.damaged), is_here=is_here))
    return answer


def matching(session: Session, games: Sequence[GameInfo], expression: Expression) -> Iterator[GameInfo]:
    """The games of which an expression holds. A game that has no such figure is none of them.

    Raises `ExpressionError` if no game has it: then it is a slip of the pen.
    """
    asked, errors = [game for game in games if game.line], list[ExpressionError]()
    for game in asked:
        try:
            if expression.holds(standing(session.position(game.name), session.looks(expression.text, game.name))):
                yield game
        except ExpressionError as error:
            errors.append(error)
    if errors and len(errors) == len(asked):
        raise errors[0]
