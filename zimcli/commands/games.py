"""List the games of the store.

With --where only those at whose head an expression holds, as in `expect`. It may speak of more there: of `rounds` and
`moves`, of the `kind` of game and how many `players` it has, and of each seat's `won` and `score`.

Example::

    zim games
    zim games --where "over and rounds < 30"
"""

from __future__ import annotations

from collections.abc import Iterator

import click

from zimcli.command import unplaced
from zimcli.session import Session
from zimcore.documents.keep import GamesAnswer
from zimcore.documents.listings import GameInfo
from zimcore.history import Expression, ExpressionError, parse
from zimcore.history.standing import standing


@unplaced(__doc__)
@click.option("--where", default="", metavar="EXPRESSION", help="Only games of which this holds.")
def command(session: Session, where: str) -> GamesAnswer:
    """All games, the oldest first, or those of which something holds."""
    if where:
        return GamesAnswer(tuple(matching(session, parse(where))))
    return GamesAnswer(tuple(session.service.games(by=session.by)), tuple(session.service.unnamed()))


def matching(session: Session, expression: Expression) -> Iterator[GameInfo]:
    """The games of which an expression holds. A game that has no such figure is none of them.

    Raises `ExpressionError` if no game has it: then it is a slip of the pen.
    """
    games, errors = [game for game in session.service.games(by=session.by) if game.line], list[ExpressionError]()
    for game in games:
        try:
            if expression.holds(standing(session.position(game.name))):
                yield game
        except ExpressionError as error:
            errors.append(error)
    if errors and len(errors) == len(games):
        raise errors[0]
