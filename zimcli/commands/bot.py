"""Let a program play for whose turn it is.

It plays until somebody else is to move, a bid or a whole turn, and says why. LEVEL is random, peer, quick or strong;
strong:nodes=2000 looks at so many positions for a command at most. It sees what its seat may see. What it plays follows
from the position, and from --seed where it plays by chance: the same again anywhere. The log names it, with its level,
as who typed it.

With --for a program plays that seat from here on, on the line that the game began with: whenever somebody else has
played, it goes on by itself. LEVEL people gives the seat back.

Example::

    zim bot kilwa-7 strong
    zim bot kilwa-7 quick --for zulu
"""

from __future__ import annotations

import click

from zimcli.bots import Thought, follow, turn
from zimcli.command import argument, placed
from zimcli.problems import FailedError
from zimcli.session import Session
from zimcore.bots.registry import Player, check_plays, player
from zimcore.documents.play import BotAnswer
from zimcore.documents.positions import PositionAnswer, commit_documents, position_document

PEOPLE = "people"
"""What is typed for a seat that people play again."""


@placed(__doc__)
@argument("level", default="strong")
@click.option("--seed", default="", metavar="TEXT", help="Another one plays otherwise, where chance is played by.")
@click.option("--for", "seat", default="", metavar="SEAT", help="From here on, whenever it is its turn.")
def command(session: Session, place: str, level: str, seed: str, seat: str) -> BotAnswer | PositionAnswer:
    """Plays until somebody else is to move; what was played stands, whatever comes in between."""
    if seat and level == PEOPLE:
        return session.arrived(session.service.seat_bot(place, seat, "", by=session.by, viewer=session.viewer))
    bot, thoughts = player(level), list[Thought]()
    check_plays(bot, session.head(place).game)
    if seat:
        position = session.service.seat_bot(place, seat, str(bot), by=session.by, viewer=session.viewer)
        if seat not in position.to_move:
            return session.arrived(position)
    try:
        for each in follow(session, place) if seat else turn(session, place, bot, seed):
            thoughts.append(each)
    except BaseException as error:
        if thoughts:
            raise FailedError(answer(bot, thoughts), error) from error
        raise
    return answer(bot, thoughts)


def answer(bot: Player, thoughts: list[Thought]) -> BotAnswer:
    """What was played, and why."""
    end = thoughts[-1].position
    return BotAnswer(
        played=commit_documents(each.position.commit for each in thoughts),
        position=position_document(end),
        turn=tuple(end.game.display.turn(end.state)),
        bot=str(bot),
        why=tuple(each.why for each in thoughts),
    )
