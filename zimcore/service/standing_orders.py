"""Standing orders (conditional moves, premoves): Zim plays what a seat ordered as soon as its turn comes.

Each command that an order gives has an id that follows from the order and the position: however many processes find
that it is due, it is played once. On what its player knows it is decided what an order says, as for their own command.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from event_store import ConflictError
from event_store.chain import short_digest
from event_store.line_history import way
from zimcore.commits import Position
from zimcore.documents.discussion import OrdersAnswer, StandingOrder
from zimcore.game import Command, Directive, Game, GameError, NotationError, Refused, Seat, UnknownError
from zimcore.service.discussion import Discussion, DiscussionEvent, OrderEnded, OrderGiven, check_text
from zimcore.service.line_repository import LineRepository, LoadedLine
from zimcore.service.places import parse_place
from zimcore.service.visibility import Viewer, check_may_play, state_for
from zimcore.service.writer import Writer, WriteRequest

PlayOrdered: TypeAlias = Callable[[LoadedLine, Command, StandingOrder, str], Position | Refused]
"""Plays a command of an order at the head of a line, under an id."""

MAX_ORDERS = 20
"""The most active orders of a seat; and how many of the past ones are listed."""
MAX_PLAYED = 200
"""The most commands that orders play in a row."""
ORDER_AUTHOR = "standing order of "
"""What stands before the name of who gave an order, where the log says who typed a command."""
TAKEN_BACK = "taken back"


def stream_owner(lines: LineRepository, match: str, seat: Seat) -> str:
    """Whose the orders of a seat are: of who sits there on a server; who takes the seat later has others.

    By the names as they were read last, which the caller has just done with the line.
    """
    sitting = lines.known_names(match).members.at(seat)
    return sitting.id if sitting else f"seat {seat}"


def orders_of(lines: LineRepository, match: str, seat: Seat) -> Discussion:
    """The orders of a seat."""
    return lines.discussion(match, stream_owner(lines, match, seat))


def answer(game: Game, match: str, seat: Seat, found: Discussion) -> OrdersAnswer:
    """What a seat has ordered, what has become of it lately, and what can be ordered."""
    ended = tuple(reversed(found.ended[-MAX_ORDERS:]))
    return OrdersAnswer(match, seat, tuple(found.orders.values()), ended, game.orders.ORDERS)


def give_order(writer: Writer, lines: LineRepository, place: str, seat: Seat, text: str, request: WriteRequest) -> None:
    """Orders something for a seat. Raises `NotationError` for a text that is no order, `GameError`."""
    found = lines.at_head(place)
    check_seat(found, seat, request.viewer)
    match = found.match
    if found.name != lines.names(match).first:
        raise GameError("nothing can be ordered there", "orders are for the match", [f"order {match} ..."])
    check_text(text)
    check_order(found.game, state_for(found.game, found.states.state_at(found.line.head), Viewer(seat)), seat, text)

    def choose(now: Discussion) -> Sequence[DiscussionEvent]:
        if len(now.orders) >= MAX_ORDERS:
            raise GameError("there are too many orders", f"{MAX_ORDERS} orders are the limit", ["orders"])
        return [OrderGiven(text, seat)]

    writer.names(lambda: orders_of(lines, match, seat), choose, request.by, request.key)


def check_seat(found: LoadedLine, seat: Seat, viewer: Viewer) -> None:
    """Raises `GameError` for a seat that is not there, or not the viewer's."""
    seats = found.game.evolution.seats(found.states.state_at(found.line.head))
    if seat not in seats:
        what = f"there is no seat {seat!r}" if seat else "no seat given"
        raise UnknownError(what, "an order belongs to one seat", [f"--as {each}" for each in seats])
    check_may_play(viewer, seat)


def take_back_order(
    writer: Writer, lines: LineRepository, place: str, seat: Seat, number: int, request: WriteRequest
) -> None:
    """Takes an order back. Raises `UnknownError` for one that does not hold."""
    match = parse_place(place).match
    check_seat(lines.line(match), seat, request.viewer)

    def choose(now: Discussion) -> Sequence[DiscussionEvent]:
        ended = OrderEnded(number, TAKEN_BACK)
        now.check(ended)
        return [ended]

    writer.names(lambda: orders_of(lines, match, seat), choose, request.by, request.key)


def check_order(game: Game, state: object, seat: Seat, text: str) -> None:
    """Raises `NotationError` for a text that is neither an order of the game nor commands of it."""
    if game.orders.directive(text, state, seat, 0) is None:
        try:
            for each in commands_in(game, text):
                _command(game, state, seat, each)
        except NotationError as error:
            error.hints = (*game.orders.ORDERS, *error.hints)
            raise


def commands_in(game: Game, text: str) -> list[str]:
    """The commands of an order that is none of the game's own, which `;` joins."""
    found = list[str]()
    for part in filter(None, map(str.strip, text.split(";"))):
        if found and game.notation.continues(found[-1], part):
            found[-1] += f"; {part}"
        else:
            found.append(part)
    return found


def _command(game: Game, state: object, seat: Seat, text: str) -> Command:
    named, command = game.notation.parse(text, state)
    if named not in (None, seat):
        raise GameError(f"{text!r} is a command for {named}", f"the order is for {seat}", ["orders"])
    found: Command = command
    return found


def directive(game: Game, state: object, seat: Seat, text: str, given: int) -> Directive:
    """What an order says where its seat is to move, after so many commands that it gave. Raises `GameError`."""
    own = game.orders.directive(text, state, seat, given)
    if own is not None:
        return own
    commands = commands_in(game, text)
    if given >= len(commands):
        return Directive(over=True)
    return Directive(_command(game, state, seat, commands[given]), over=given + 1 == len(commands))


def carry_out(writer: Writer, lines: LineRepository, found: LoadedLine, play: PlayOrdered) -> None:
    """Plays what was ordered ahead, as long as something is due on the line that a game began with.

    Players and those who order do this afterwards: of two at once, one at least reads what the other wrote.
    """
    for _ in range(MAX_PLAYED):
        if not _carry_out_next(writer, lines, found, play):
            return
        found = lines.line(found.match)


def _carry_out_next(writer: Writer, lines: LineRepository, found: LoadedLine, play: PlayOrdered) -> bool:
    """Carries out the next order that is due, if there is one, or ends one that says nothing any more."""
    state = found.states.state_at(found.line.head)
    for seat in found.game.evolution.to_move(state):
        discussion = orders_of(lines, found.match, seat)
        for order in discussion.orders.values():
            given = _commands_given(found, discussion.stream, order)
            try:
                said = directive(found.game, state_for(found.game, state, Viewer(seat)), seat, order.text, given)
            except GameError as error:
                said = Directive(over=True, why=str(error))
            if said.command is None and not said.over:
                continue
            if said.command is not None:
                said = _play_order(found, discussion.stream, order, said, play)
            if said.over:
                _end_order(writer, lines, found.match, seat, order, said.why)
            return True
    return False


def _play_order(found: LoadedLine, stream: str, order: StandingOrder, said: Directive, play: PlayOrdered) -> Directive:
    """Plays what an order says; whether it goes on then."""
    assert said.command is not None
    head = found.line.head
    try:
        answer = play(found, said.command, order, _command_id(stream, order, head))
    except ConflictError:
        return Directive()  # somebody was faster: what is due then is another question
    except GameError as error:
        return Directive(over=True, why=str(error))
    if isinstance(answer, Refused):
        return Directive(over=True, why="; ".join(f"{each.code} {each.reason}".strip() for each in answer.refusals))
    if found.line.head == head:  # it was played here before, and is not again
        return Directive(over=True, why="what it has played was taken back")
    return said


def _command_id(stream: str, order: StandingOrder, head: bytes) -> str:
    # Others see the ids of commits: this one tells them neither which order it was, nor how many there are.
    return f"order-{short_digest(stream.encode(), str(order.number).encode(), head).hex()}"


def _commands_given(found: LoadedLine, stream: str, order: StandingOrder) -> int:
    """How many commands an order has given on the way to the head."""
    commits = found.line.commits
    on_way = (commits[each] for each in way(found.line, found.line.head))
    return sum(
        each.seal.id == _command_id(stream, order, each.parent) for each in on_way if each.seal.id.startswith("order-")
    )


def _end_order(writer: Writer, lines: LineRepository, match: str, seat: Seat, order: StandingOrder, why: str) -> None:
    def choose(now: Discussion) -> Sequence[DiscussionEvent]:
        return [OrderEnded(order.number, why)] if order.number in now.orders else []

    writer.names(lambda: orders_of(lines, match, seat), choose, order.by)
