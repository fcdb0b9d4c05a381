"""Who plays here: which seats the user may play at a position, and what of it they see.

It follows from the line as it is now. Programs come and go, seats change hands, and games end while a session is open,
so nothing of it is kept from one line to the next. Offers, menus and prompts all ask here.

A user without a seat is one of three: people at one keyboard play every seat, a spectator or a host plays none.
"""

from __future__ import annotations

from zimcli.session.session import Session
from zimcore.commits import Position
from zimcore.documents.positions import AnyAnswer, PositionDocument
from zimcore.game import Seat
from zimcore.service.lines.visibility import TABLE, Viewer

KEYBOARD_ROLE = "keyboard"
"""The role of people who share a keyboard: they may play every seat that no program plays."""
SEATED_ROLES = ("seat", "bot")
"""The roles of a server that play their own seat."""


def only_person(session: Session) -> Seat | None:
    """The seat of the only person on the current line, if bots play all others; else None.

    None on a server, too: there the token decides which seat you see.
    """
    position, service = session.current, session.local_service
    if position is None or service is None:
        return None
    bots = service.bots(position.place)
    human_seats = [seat for seat in position.seats if seat not in bots]
    return human_seats[0] if bots and len(human_seats) == 1 else None


def derive_viewer(session: Session) -> None:
    """Lets the only person see their hand, as there is no other player to hide it from; and no longer than that.

    Call it before each line: a program may have been seated, or have left, since.
    """
    if session.seat or session.viewer.sees_all:
        return
    seat = only_person(session)
    if seat == session.derived_seat and (seat is None or session.viewer.seat == seat):
        return
    if seat or session.viewer.seat == session.derived_seat:
        session.set_viewer(Viewer(seat) if seat else TABLE)
    session.derived_seat = seat


def line_with_programs(session: Session, answer: AnyAnswer, place: str) -> str:
    """The line that a command answered about, or that it named, if programs play there; "" otherwise."""
    service, position = session.local_service, getattr(answer, "position", None)
    line = f"{position.game}/{position.line}" if isinstance(position, PositionDocument) else place.partition("@")[0]
    if service is None or not line or not service.store.exists() or not service.has_game(line.partition("/")[0]):
        return ""
    return line if service.bots(line) else ""


def own_seats(session: Session, position: Position) -> tuple[Seat, ...]:
    """The seats to move that the user may play at a position, the head of a line; () if they wait or watch."""
    service, viewer = session.service, session.viewer
    role = service.role_at(position.place)
    if not viewer.plays or role not in (KEYBOARD_ROLE, *SEATED_ROLES):
        return ()
    own_seat = session.seat_on(position.place)
    seat = own_seat or viewer.seat or ""
    bots = () if own_seat else service.bots(position.place)
    return tuple(each for each in position.to_move if each == seat or not (seat or each in bots))


def next_player(session: Session) -> Seat | None:
    """The seat whose player must come to the keyboard before their hidden cards are shown; None if nobody must.

    Only people at one keyboard hand it over. A server shows a spectator or a host what they may see.
    """
    position = session.current
    if position is None or position.game.secrets is None or session.seat or session.viewer.sees_all:
        return None
    if session.service.role_at(position.place) != KEYBOARD_ROLE or only_person(session):
        return None
    actor, bots = position.actor, session.service.bots(position.place)
    return actor if actor != session.viewer.seat and actor not in bots else None
