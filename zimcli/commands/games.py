"""List the games of the store.

With --where only those at whose head an expression holds, as in `expect`. It may speak of more there: of `rounds` and
`moves`, of the `kind` of game and how many `players` it has, and of each seat's `won` and `score`.

Games that were archived are listed with --all, or alone with --archived.

Example::

    zim games
    zim games --where "over and rounds < 30"
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from zimcli.command import unplaced
from zimcli.session import Session
from zimcore.documents.keep import GamesAnswer
from zimcore.documents.listings import GameInfo
from zimcore.history import Expression, ExpressionError, parse
from zimcore.history.standing import standing


@unplaced(__doc__)
@click.option("--where", default="", metavar="EXPRESSION", help="Only games of which this holds.")
@click.option("--archived", is_flag=True, help="Only those that were archived.")
@click.option("--all", "all_", is_flag=True, help="Those that were archived too, and what was deleted.")
def command(session: Session, where: str, archived: bool, all_: bool) -> GamesAnswer:
    """All games, the oldest first, or those of which something holds."""
    every = session.service.games(by=session.by)
    games = [game for game in every if all_ or game.archived == archived]
    if where:
        return GamesAnswer(tuple(matching(session, games, parse(where))))
    hidden = 0 if all_ or archived else len(every) - len(games)
    kept = session.kept
    deleted = tuple(kept.deleted()) if kept and all_ else ()
    return GamesAnswer(tuple(games), tuple(kept.unnamed()) if kept else (), hidden, deleted)


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
