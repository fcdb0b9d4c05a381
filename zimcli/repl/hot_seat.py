"""Hot-seat play of a game with secrets: a hand is shown only when its player has said to be at the keyboard."""

from __future__ import annotations

from collections.abc import Iterator

import click

from zimcli.locations import REMOTE
from zimcli.registry import SHOW
from zimcli.render.moves import fact_lines, place_line
from zimcli.render.spans import Line
from zimcli.session import Session
from zimcore.documents.positions import position_document
from zimcore.game import Seat
from zimcore.service.visibility import TABLE, Viewer
from zimcore.toolkit.player_names import title_with_name


def only_person(session: Session) -> Seat | None:
    """The seat of the only person at the current line, where programs play all others; None elsewhere.

    On a server it is not known which person looks: there the token says who one is.
    """
    here = session.here
    if here is None or session.store.startswith(REMOTE):
        return None
    programs = session.service.bots(here.place)
    people = [seat for seat in here.seats if seat not in programs]
    return people[0] if programs and len(people) == 1 else None


def seat_only_person(session: Session) -> None:
    """Lets the only person see their hand: there is nobody to hide it from, and nobody to hand over to."""
    seat = None if session.seat or session.viewer.sees_all else only_person(session)
    if seat and session.viewer.seat != seat:
        session.look(Viewer(seat))


def hand_over(session: Session) -> None:
    """Before a prompt: waits for the player to move, if somebody else looked last.

    Not in a session for one seat (`--as`), or that sees everything (`--open`), or with one person among programs.
    Raises `EOFError` if nobody comes.
    """
    seat_only_person(session)
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
    return actor if actor != session.viewer.seat and not only_person(session) else None
