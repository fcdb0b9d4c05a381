"""Hot-seat play of a game with secrets: the screen shows a hand when its player says to be at the keyboard."""

from __future__ import annotations

import click

from zimcli.registry import SHOW
from zimcli.render.moves import place_line
from zimcli.session import Session
from zimcore.documents.positions import position_document
from zimcore.game import Seat
from zimcore.service.visibility import TABLE, Viewer


def hand_over(session: Session) -> None:
    """Before a prompt: waits for the player whose turn it is, if it is another one than looked last.

    Not where one plays a single seat (`--as`) or sees all anyway (`--open`). Raises `EOFError` when nobody comes.
    """
    seat = next_player(session)
    if seat is None:
        return
    session.look(TABLE)
    clear()
    position = session.here
    assert position
    session.tell(place_line(position_document(position)))
    input(f"{seat.title()}, press Enter when nobody else can see the screen: ")
    session.look(Viewer(seat))
    session.execute(SHOW.name)


def clear() -> None:
    """Clears the screen, and what a terminal keeps of what has left it."""
    click.clear()
    click.echo("\033[3J", nl=False)


def next_player(session: Session) -> Seat | None:
    """Who has to come to the keyboard, if anybody has."""
    here = session.here
    if here is None or here.game.secrets is None or session.seat or session.viewer.sees_all:
        return None
    actor = here.actor
    return actor if actor != session.viewer.seat else None
