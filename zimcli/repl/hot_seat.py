"""Hot-seat play of a game with secrets: a hand is shown only when its player has said to be at the keyboard."""

from __future__ import annotations

from collections.abc import Iterator

import click

from zimcli.registry import SHOW
from zimcli.render.moves import fact_lines, place_line
from zimcli.render.spans import Line
from zimcli.session import Session
from zimcore.documents.positions import position_document
from zimcore.game import Seat
from zimcore.service.visibility import TABLE, Viewer
from zimcore.toolkit.player_names import title_with_name


def hand_over(session: Session) -> None:
    """Before a prompt: waits for the player to move, if somebody else looked last.

    Not in a session for one seat (`--as`), or that sees everything (`--open`). Raises `EOFError` if nobody comes.
    """
    seat = next_player(session)
    if seat is None:
        return
    if session.viewer.seat:
        # Who played last sees what came of it, the cards that were drawn too, before the screen is cleared.
        session.tell(*show_last_move(session))
        input(f"{session.viewer.seat.title()}, press Enter when you have seen it: ")
    # Before the screen is cleared nothing may be drawn any more that the last player alone may see.
    session.look(TABLE)
    clear_screen()
    position = session.here
    assert position
    session.tell(place_line(position_document(position)))
    input(f"{title_with_name(seat, position.names)}, press Enter when nobody else can see the screen: ")
    session.look(Viewer(seat))
    session.execute(SHOW.name)


def show_last_move(session: Session) -> Iterator[Line]:
    """What the last move has brought to the one who made it, and still sits here."""
    here = session.here
    if here and here.commit.seat and here.commit.seat == session.viewer.seat:
        yield from fact_lines(map(here.game.notation.describe, here.commit.events[1:]))


def clear_screen() -> None:
    """Clears the screen and the scrollback, in which the last player's hand would still be readable."""
    click.clear()
    click.echo("\033[3J", nl=False)


def next_player(session: Session) -> Seat | None:
    """The seat whose player has to come to the keyboard, if any."""
    here = session.here
    if here is None or here.game.secrets is None or session.seat or session.viewer.sees_all:
        return None
    actor = here.actor
    return actor if actor != session.viewer.seat else None
