"""List the games of the store.

With --where only those at whose head an expression holds, as in `expect`. It may speak of more there: of `rounds` and
`moves`, of the `kind` of game and how many `players` it has, and of each seat's `won` and `score`.

Games that were archived are listed with --all, or alone with --archived.

Where the list of names is damaged, the games that can be read are listed, and the exit code is 4.

Example::

    zim games
    zim games --where "over and rounds < 30"
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from zimcli.command import plain_command
from zimcli.exit_codes import FailedError
from zimcli.session import Session
from zimcore.documents.listings import GameInfo
from zimcore.documents.storage import GamesAnswer
from zimcore.history import Expression, ExpressionError, parse
from zimcore.history.match_description import standing
from zimcore.service import DamagedError


@plain_command(__doc__)
@click.option("--where", default="", metavar="EXPRESSION", help="Only games of which this holds.")
@click.option("--archived", is_flag=True, help="Only those that were archived.")
@click.option("--all", "all_", is_flag=True, help="Those that were archived too, and what was deleted.")
def command(session: Session, where: str, archived: bool, all_: bool) -> GamesAnswer:
    """All games, the oldest first, or those of which something holds."""
    every = session.service.games(by=session.by)
    games = [game for game in every if all_ or game.archived == archived]
    kept = session.local_service
    damaged = tuple(kept.damaged_names()) if kept else ()
    if where:
        return whole(GamesAnswer(tuple(matching(session, games, parse(where))), damaged))
    hidden = 0 if all_ or archived else len(every) - len(games)
    deleted = tuple(kept.deleted_games()) if kept and all_ else ()
    return whole(GamesAnswer(tuple(games), damaged, hidden, deleted))


def whole(answer: GamesAnswer) -> GamesAnswer:
    """An answer in which no game is missing. Raises `FailedError`: whoever goes by the code has not all games."""
    if not answer.damaged:
        return answer
    many = len(answer.damaged)
    what = "a game is missing here" if many == 1 else f"{many} games are missing here"
    hints = ("db check", "db salvage NEW")
    raise FailedError(answer, DamagedError(what, "; ".join(answer.damaged), hints))


def matching(session: Session, games: Sequence[GameInfo], expression: Expression) -> Iterator[GameInfo]:
    """The games of which an expression holds. A game that has no such figure is none of them.

    Raises `ExpressionError` if no game has it: then it is a slip of the pen.
    """
    asked, errors = [game for game in games if game.line], list[ExpressionError]()
    for game in asked:
        try:
            if expression.holds(standing(session.position(game.name))):
                yield game
        except ExpressionError as error:
            errors.append(error)
    if errors and len(errors) == len(asked):
        raise errors[0]
