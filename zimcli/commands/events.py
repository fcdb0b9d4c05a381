"""List the facts of a line.

With --all those of every game, each on its current line.

Example::

    zim events kilwa-7@-1 --json
    zim events --all --format jsonl
"""

from __future__ import annotations

import click
import msgspec

from zimcli.command import Placed, argument, declared, viewer_options
from zimcli.session import Session
from zimcore.documents.history import AllEventsAnswer, EventsAnswer, FactOf
from zimcore.documents.positions import Fact, position_document


class Events(Placed):
    """With `--all` there is no place."""

    def placed(self, session: Session, args: list[str]) -> list[str]:
        """The arguments, with a whole place in front where one is meant."""
        return args if "--all" in args else super().placed(session, args)


@declared(__doc__, Events, {})
@argument("place", required=False)
@viewer_options
@click.option("--all", "all_", is_flag=True, help="Of every game.")
def command(session: Session, place: str, all_: bool) -> EventsAnswer | AllEventsAnswer:
    """Every event on the way to a place, or of all games; as a document, in the form in which it is stored."""
    if all_:
        return everything(session)
    if not place:
        raise click.UsageError("Whose facts: a place's, or --all?")
    position = session.position(place)
    describe = position.game.notation.describe
    facts = [(commit.number, event) for commit in session.log(place) for event in commit.events]
    return EventsAnswer(
        events=tuple({"number": number, **msgspec.to_builtins(event)} for number, event in facts),
        facts=tuple(Fact(number, describe(event)) for number, event in facts),
        position=position_document(position),
    )


def everything(session: Session) -> AllEventsAnswer:
    """The facts of every game."""
    found = list[FactOf]()
    for game in session.service.games():
        describe = session.position(game.name).game.notation.describe
        for commit in session.log(game.name):
            found += [
                FactOf(game.name, game.line, commit.number, commit.digest, describe(event), msgspec.to_builtins(event))
                for event in commit.events
            ]
    return AllEventsAnswer(tuple(found))
