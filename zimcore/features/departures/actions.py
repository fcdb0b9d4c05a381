"""Leaving a match for good, and giving a seat back."""

from __future__ import annotations

from collections.abc import Sequence

from event_store import ConflictError
from zimcore.documents.endpoint import Nothing
from zimcore.documents.query_parameters import PageQuery
from zimcore.features.departures.documents import (
    DEPART,
    DEPARTURES,
    GIVE_BACK,
    DeparturesAnswer,
    NewDeparture,
    Taker,
)
from zimcore.features.departures.events import Departures, PlayerLeft, PlayerReturned
from zimcore.game import GameError, Seat, UnknownError
from zimcore.service.actions import ActionCall, action
from zimcore.service.records.memberships import GameDecided, GameResumed, SeatLeft
from zimcore.service.records.names import BotSeated, NameEvent, Names
from zimcore.service.writing.writer import WriteRequest


@action(DEPARTURES, items="departures")
def departures(call: ActionCall, _: PageQuery) -> DeparturesAnswer:
    """The players who have left a match, and how it went on."""
    names, share = call.repository.names(call.match), call.repository.discussion(call.match).of(Departures)
    return DeparturesAnswer(call.match, tuple(share.all), names.members.ended)


@action(DEPART)
def depart(call: ActionCall, body: NewDeparture) -> DeparturesAnswer:
    """Leaves a seat for good. If its player resigned or was kicked out, a program plays on.

    When one seat is left whose player has not gone, it has won, and the match is over. A seat that was only left, or
    whose player is replaced, waits for another one.
    """
    request = call.request("depart", body.how, body.seat)
    while True:
        if call.repository.discussion(call.match).earlier_entry(request.by, request.key):
            return departures(call, PageQuery())
        names = call.repository.names(call.match)
        left, results = _departure(call, names, body)
        names.check(*results)
        if _store(call, request, left, names, results):
            return departures(call, PageQuery())


@action(GIVE_BACK)
def give_back(call: ActionCall, _: Nothing) -> DeparturesAnswer:
    """Gives a seat back to people after its player had left. A match that was over by it goes on."""
    seat = str(call.path["seat"])
    request = call.request("give back", seat)
    while True:
        discussion = call.repository.discussion(call.match)
        if discussion.earlier_entry(request.by, request.key):
            return departures(call, PageQuery())
        share, names = discussion.of(Departures), call.repository.names(call.match)
        if not share.open_at(seat):
            raise UnknownError(f"nobody has left {seat}", "", [f"leave {call.match} --list"])
        results: list[NameEvent] = [BotSeated(seat, "")] if seat in names.bots else []
        if names.members.decided_for:
            results.append(GameResumed())
        if _store(call, request, PlayerReturned(seat), names, results):
            return departures(call, PageQuery())


def _store(
    call: ActionCall,
    request: WriteRequest,
    event: PlayerLeft | PlayerReturned,
    names: Names,
    results: Sequence[NameEvent],
) -> bool:
    """Stores an event with its results, all or none; false if another writer was faster."""
    discussion, writer = call.repository.discussion(call.match), call.writer
    draft = writer.draft([event], request.by, key=request.key)
    entries = [writer.store.seal_entry(discussion.stream, discussion.revision, draft)]
    if results:
        entries.append(writer.store.seal_entry(names.stream, names.revision, writer.draft(results, request.by)))
    try:
        writer.store.adopt(entries)
    except ConflictError:
        return False
    return True


def _departure(call: ActionCall, names: Names, body: NewDeparture) -> tuple[PlayerLeft, Sequence[NameEvent]]:
    """The event of a departure, and what follows from it. Raises `GameError` for one that is not possible."""
    repository, members = call.repository, names.members
    loaded_line = repository.line(call.match) if names.lines else None
    state = loaded_line.states.state_at(loaded_line.line.head) if loaded_line else None
    seats = loaded_line.game.evolution.seats(state) if loaded_line else names.table.seats if names.table else ()
    seat = _seat_to_leave(call, body, seats)
    token = members.token_at(seat)
    name = token.name if token else loaded_line.game.display.names(state).get(seat, "") if loaded_line else ""
    head = loaded_line.line.head if loaded_line else b""
    leaving: list[NameEvent] = [SeatLeft(seat)] if token or (members.host and body.how == "left") else []
    if body.how in ("left", "replaced"):
        return PlayerLeft(seat, body.how, name, head=head), leaving
    if seat in names.bots:
        raise GameError(
            f"a program plays {seat}", "there is nobody to leave", [f"bot {call.match} people --for {seat}"]
        )
    if members.ended or (loaded_line and loaded_line.game.evolution.outcome(state).over):
        raise GameError(f"{call.match} is over", "nobody can resign any more", [f"story {call.match}"])
    if loaded_line is None:
        raise GameError(f"{call.match} is not dealt yet", "you can leave it", [f"leave {call.match}"])
    taker: Taker = "program"
    if seat in repository.bindings_on(loaded_line):
        taker = "player"  # a program can't sign for it
    else:
        leaving.append(BotSeated(seat, "quick" if loaded_line.game.strategy else "random"))
    gone = repository.discussion(call.match).of(Departures).gone
    others = [each for each in seats if each not in gone and each != seat]
    winner = others[0] if len(others) == 1 else ""
    decided = [GameDecided(winner)] if winner else []
    return PlayerLeft(seat, body.how, name, taker, winner, head), [*leaving, *decided]


def _seat_to_leave(call: ActionCall, body: NewDeparture, seats: Sequence[Seat]) -> Seat:
    """The seat that is left. Raises `GameError` if it is none, or one that is not the viewer's."""
    seat = body.seat or call.viewer.seat or ""
    if seat not in seats:
        what = f"there is no seat {seat!r}" if seat else "no seat given"
        raise UnknownError(what, "a departure is from a seat", [f"leave {call.match} --seat {each}" for each in seats])
    if call.viewer.seat and call.viewer.seat != seat:
        raise GameError(f"you can't do this for {seat}", f"you are {call.viewer.seat}")
    if call.viewer.seat and body.how == "kicked_out":
        raise GameError(f"{seat} can't be kicked out by itself", "a player leaves or resigns", ["leave --how resigned"])
    return seat
