"""Hot-seat play of a game with secrets: a hand is shown only after its player confirms to be at the keyboard."""

from __future__ import annotations

from collections.abc import Iterator

import click

from zimcli.registry import SHOW
from zimcli.render.moves import fact_lines, place_line
from zimcli.render.spans import Line
from zimcli.session import Session
from zimcore.documents.positions import position_document
from zimcore.game import Seat
from zimcore.remote import is_remote
from zimcore.service.visibility import TABLE, Viewer
from zimcore.toolkit.player_names import title_with_name


def only_person(session: Session) -> Seat | None:
    """The seat of the only person on the current line, if bots play all others; else None.

    None on a server, too: there the token decides which seat you see.
    """
    position = session.current
    if position is None or is_remote(session.store):
        return None
    bots = session.service.bots(position.place)
    human_seats = [seat for seat in position.seats if seat not in bots]
    return human_seats[0] if bots and len(human_seats) == 1 else None


def seat_only_person(session: Session) -> None:
    """Shows the only person their hand: there is no other player to hide it from."""
    seat = None if session.seat or session.viewer.sees_all else only_person(session)
    if seat and session.viewer.seat != seat:
        session.set_viewer(Viewer(seat))


def hand_over_keyboard(session: Session) -> None:
    """Call before a prompt: if another player looked last, waits until the next one confirms to be there.

    Does nothing in a session for one seat (`--as`), with `--open`, or for the only person among bots. Raises `EOFError`
    at the end of the input.
    """
    seat_only_person(session)
    seat = next_player(session)
    if seat is None:
        return
    if session.viewer.seat:
        # The last player sees the result of their move, drawn cards included, before the screen is cleared.
        session.show_blocks(*last_move_lines(session))
        input(f"{session.viewer.seat.title()}, press Enter when you have seen it: ")
    # From here on nothing may be drawn that only the last player may see.
    session.set_viewer(TABLE)
    clear_screen()
    position = session.current
    assert position
    session.show_blocks(place_line(position_document(position)))
    input(f"{title_with_name(seat, position.names)}, press Enter when nobody else can see the screen: ")
    session.set_viewer(Viewer(seat))
    session.run_line(SHOW.name)


def last_move_lines(session: Session) -> Iterator[Line]:
    """What the last move brought, if the player who made it is still the viewer."""
    position = session.current
    if position and position.commit.seat and position.commit.seat == session.viewer.seat:
        yield from fact_lines(map(position.game.notation.describe, position.commit.events[1:]))


def clear_screen() -> None:
    """Clears the screen and the scrollback, where the last player's hand would still be readable."""
    click.clear()
    click.echo("\033[3J", nl=False)


def next_player(session: Session) -> Seat | None:
    """The seat whose player must come to the keyboard, if any."""
    position = session.current
    if position is None or position.game.secrets is None or session.seat or session.viewer.sees_all:
        return None
    actor = position.actor
    return actor if actor != session.viewer.seat and not only_person(session) else None
