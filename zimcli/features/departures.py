"""The command `leave`, and departures as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import click

from zimcli.render.answers import Renderers
from zimcli.render.spans import Block, Note, Screen
from zimcli.session.command import id_option, place_command
from zimcli.session.seen_discussion import Told
from zimcli.session.server_only import match_name, server_service
from zimcli.session.session import Session
from zimcore.documents.endpoint import Nothing
from zimcore.documents.query_parameters import PageQuery
from zimcore.documents.seats import SeatsAnswer
from zimcore.features.departures.documents import DEPART, GIVE_BACK, DeparturesAnswer, NewDeparture
from zimcore.features.departures.events import Departures, departure_text
from zimcore.game import Departing, Seat

if TYPE_CHECKING:
    from zimcore.remote.service import RemoteService
    from zimcore.service.writing.writer import LineWriteOptions

WAYS: Mapping[str, Departing] = {
    "left": "left",
    "resigned": "resigned",
    "replaced": "replaced",
    "kicked-out": "kicked_out",
}


@place_command()
@click.option("--seat", default="", metavar="SEAT", help="The seat that is left, if it is not yours.")
@click.option("--how", type=click.Choice([*WAYS]), help="How its player leaves.")
@click.option("--back", default="", metavar="SEAT", help="Give this seat back to people.")
@click.option("--list", "is_list", is_flag=True, help="Only list who has left.")
@id_option
def leave(
    session: Session, place: str, seat: str, how: str | None, back: str, is_list: bool, command_id: str
) -> DeparturesAnswer | SeatsAnswer:
    """Leave a game for good, or resign.

    With `--how resigned` or `kicked-out` a program plays the seat from then on. If only one seat is left whose player
    has not gone, it has won. With `left` or `replaced` the seat waits for another player. Status, log and story say who
    has left. With --back the seat is given back, and a game that was over by it goes on.

    On a server your seat is `left` by default: your token stops working, and the files of the game on this machine are
    deleted. The host can free any seat, and invite another player.

    Example::

        zim leave kilwa-7 --seat zulu --how resigned
    """
    from zimcore.features.departures import actions  # slow to import: the table needs only the news

    match = match_name(place)
    if is_list:
        return session.service.query(actions.departures, PageQuery(), match, session.viewer)
    left_seat = seat or session.viewer.seat or ("" if session.local_service else "your seat")
    if left_seat and not back:  # at the table people type it to close the game
        why = f"{left_seat} is given up for good; quit only closes the game here"
        session.require_confirmation("leave", "leave", why, "quit")
    if not session.local_service:
        return leave_on_server(server_service(session, "leave"), match, seat, WAYS[how or "left"], back)
    writing: LineWriteOptions = {"by": session.by, "command_id": command_id, "viewer": session.viewer}
    if back:
        return session.service.change(actions.give_back, Nothing(), match, {"seat": back}, **writing)
    body = NewDeparture(WAYS[how or "resigned"], seat)
    return session.service.change(actions.depart, body, match, **writing)


def leave_on_server(
    service: RemoteService, match: str, seat: Seat, how: Departing, back: Seat
) -> DeparturesAnswer | SeatsAnswer:
    """Leaves a seat of a game on a server, or gives one back as its host."""
    from zimcore.remote import invitations

    if back:
        token = service.remote_lines.host_token(match)
        return service.connection.ask(GIVE_BACK, Nothing(), token, game=match, seat=back)
    if how == "left":
        return invitations.leave(service, match, seat)

    def depart(token: str, left_seat: Seat) -> DeparturesAnswer:
        return service.connection.ask(DEPART, NewDeparture(how, left_seat), token, game=match)

    return invitations.leave_by(depart, service, match, seat)


def departures_blocks(answer: DeparturesAnswer, _: Screen) -> Iterator[Block]:
    """Who has left, first to last."""
    for each in answer.departures:
        yield [(f"{each.at:%Y-%m-%d %H:%M}  ", "dim"), (departure_text(each), "")]
    if not answer.departures:
        yield Note("nobody has left: leave --how resigned")
    if answer.ended:
        yield Note("the match was ended: leave --back SEAT goes on")


RENDERERS: Renderers = {DeparturesAnswer: departures_blocks}


def news(session: Session, match: str) -> Sequence[Told]:
    """All departures, oldest first."""
    return [
        Told(
            f"departure {each.number}",
            "back" if each.back else "",
            [[(departure_text(each), "bold yellow")]],
            each.by == session.by,
        )
        for each in session.service.discussion(match).of(Departures).all
        if each.how != "left"  # the seats tell that
    ]
