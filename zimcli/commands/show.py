"""Show a position: the move that made it, and the standings.

In a terminal that draws pictures (by the protocols of kitty or iTerm2, or sixels) the board stands above;
--no-picture leaves it out, --picture draws it in any terminal, if need be in half blocks.

Example::

    zim show kilwa-7@r4
"""

from __future__ import annotations

import click

from zimcli.session.command import place_command
from zimcli.session.session import Session
from zimcore.documents.look import ShowAnswer, show_answer
from zimcore.game import GameError


@place_command(__doc__)
@click.option("--picture/--no-picture", "is_picture_wanted", default=None, help="Draw a picture in the terminal.")
def command(session: Session, place: str, is_picture_wanted: bool | None) -> ShowAnswer:
    """The commit with its facts, and all tables of the position after it."""
    position = session.position(place)

    def make_png() -> bytes:
        from zimcli.commands.board import draw_png

        return draw_png(position)

    session.draw_picture(make_png, is_picture_wanted)
    if "@" not in place and session.local_service and session.local_service.bots(place):
        from zimcli.session.bot_moves import bot_to_move, note_waiting_seat

        try:
            bot_to_move(session, session.head(place))
        except GameError as error:
            note_waiting_seat(session, place, error)
    here = f"{position.place}@{position.commit.digest}"
    return show_answer(position, session.service.recorded_deviation(here), session.notes(here))
