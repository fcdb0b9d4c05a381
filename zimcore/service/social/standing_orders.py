"""Standing orders (conditional moves, premoves): Zim plays what a seat ordered as soon as its turn comes.

Each command of an order has an id that is computed from the order and the position, so it is played once even if
several processes find that it is due. An order is read with what its player knows, like the player's own command.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from event_store import ConflictError
from event_store.chain import digest_of_parts
from event_store.line_history import path_to
from zimcore.commits import Position
from zimcore.documents.discussion import OrdersAnswer, StandingOrder
from zimcore.game import Command, Directive, Game, GameError, NotationError, Refused, Seat, UnknownError
from zimcore.service.lines.line_repository import LineRepository, LoadedLine
from zimcore.service.lines.visibility import Viewer, check_may_play, state_for
from zimcore.service.records.discussion import Discussion, DiscussionEvent, OrderEnded, OrderGiven, check_text
from zimcore.service.records.places import parse_place
from zimcore.service.writing.writer import Writer, WriteRequest

PlayOrderedCommand: TypeAlias = Callable[[LoadedLine, Command, StandingOrder, str], Position | Refused]
"""Plays a command of an order at the head of a line, with this command id."""

MAX_ORDERS = 20
"""How many active orders a seat may have, and how many former ones are listed."""
MAX_COMMANDS_IN_A_ROW = 200
"""The most commands that orders play in a row."""
ORDER_AUTHOR_PREFIX = "standing order of "
"""In the log this comes before the author's name, for commands that Zim played by a standing order."""
TAKEN_BACK_REASON = "taken back"


def stream_owner(repository: LineRepository, match: str, seat: Seat) -> str:
    """The owner of a seat's orders: on a server the token of the player.

    So a later player of the seat does not have them. Uses the names as they were last read; the caller has just read
    them with the line.
    """
    token = repository.known_names(match).members.token_at(seat)
    return token.id if token else f"seat {seat}"


def orders_discussion(repository: LineRepository, match: str, seat: Seat) -> Discussion:
    """The private discussion stream that has the orders of a seat."""
    return repository.discussion(match, stream_owner(repository, match, seat))


def orders_answer(game: Game, match: str, seat: Seat, discussion: Discussion) -> OrdersAnswer:
    """The active orders of a seat, the latest former ones, and the orders that the game offers."""
    ended_orders = tuple(reversed(discussion.ended_orders[-MAX_ORDERS:]))
    return OrdersAnswer(match, seat, tuple(discussion.orders.values()), ended_orders, game.orders.ORDERS)


def give_order(
    writer: Writer, repository: LineRepository, place: str, seat: Seat, text: str, request: WriteRequest
) -> None:
    """Stores an order of a seat. Raises `NotationError` for an invalid order, `GameError` if it can't be given."""
    loaded_line = repository.line_at_head(place)
    state = loaded_line.states.state_at(loaded_line.line.head)
    match = loaded_line.match

    def check_can_be_played() -> None:
        if loaded_line.name != repository.names(match).first_line:
            raise GameError(
                "nothing can be ordered there",
                "orders are played only on the first line of a match",
                [f"order {match} ..."],
            )
        check_text(text)
        check_goes_on(loaded_line, state)
        check_order(loaded_line.game, state_for(loaded_line.game, state, Viewer(seat)), seat, text)

    if not seat:  # naming one would not help, if the order can't be played
        check_can_be_played()
    check_seat(loaded_line, seat, request.viewer)
    if orders_discussion(repository, match, seat).earlier_entry(request.by, request.key):
        return  # a retry, whatever line is current by now
    check_can_be_played()

    def make_events(current_discussion: Discussion) -> Sequence[DiscussionEvent]:
        if len(current_discussion.orders) >= MAX_ORDERS:
            raise GameError("there are too many orders", f"{MAX_ORDERS} orders are the limit", ["orders"])
        return [OrderGiven(text, seat)]

    writer.append_from_fold(lambda: orders_discussion(repository, match, seat), make_events, request.by, request.key)


def check_seat(loaded_line: LoadedLine, seat: Seat, viewer: Viewer) -> None:
    """Raises `UnknownError` for an unknown seat, `GameError` for one that the viewer may not play."""
    seats = loaded_line.game.evolution.seats(loaded_line.states.state_at(loaded_line.line.head))
    if seat not in seats:
        what = f"there is no seat {seat!r}" if seat else "no seat given"
        raise UnknownError(what, "an order belongs to one seat", [f"--as {each}" for each in seats])
    check_may_play(viewer, seat)


def take_back_order(
    writer: Writer, repository: LineRepository, place: str, seat: Seat, number: int, request: WriteRequest
) -> None:
    """Takes an order back. Raises `UnknownError` for one that is not active."""
    match = parse_place(place).match
    check_seat(repository.line(match), seat, request.viewer)

    def make_events(current_discussion: Discussion) -> Sequence[DiscussionEvent]:
        event = OrderEnded(number, TAKEN_BACK_REASON)
        current_discussion.check_follows(event)
        return [event]

    writer.append_from_fold(lambda: orders_discussion(repository, match, seat), make_events, request.by, request.key)


def check_goes_on(loaded_line: LoadedLine, state: object) -> None:
    """Raises `GameError` if the game is over."""
    if loaded_line.game.evolution.outcome(state).over:
        raise GameError("the game is over", "no order would ever be played", [f"story {loaded_line.match}"])


def check_order(game: Game, state: object, seat: Seat, text: str) -> None:
    """Raises `NotationError` for a text that is neither an order of the game nor a list of commands."""
    if game.orders.directive(text, state, seat, 0) is None:
        try:
            for command_text in commands_in(game, text):
                _parse_command(game, state, seat, command_text)
        except NotationError as error:
            error.hints = (*game.orders.ORDERS, *error.hints)
            raise


def commands_in(game: Game, text: str) -> list[str]:
    """The commands in the text of an order, which are separated by `;`."""
    commands = list[str]()
    for part in filter(None, map(str.strip, text.split(";"))):
        if commands and game.notation.continues(commands[-1], part):
            commands[-1] += f"; {part}"
        else:
            commands.append(part)
    return commands


def _parse_command(game: Game, state: object, seat: Seat, text: str) -> Command:
    parsed_seat, command = game.notation.parse(text, state)
    if parsed_seat not in (None, seat):
        raise GameError(f"{text!r} is a command for {parsed_seat}", f"the order is for {seat}", ["orders"])
    parsed_command: Command = command
    return parsed_command


def next_directive(game: Game, state: object, seat: Seat, text: str, played_count: int) -> Directive:
    """What an order says when its seat is to move, after it has played so many commands. Raises `GameError`."""
    game_directive = game.orders.directive(text, state, seat, played_count)
    if game_directive is not None:
        return game_directive
    commands = commands_in(game, text)
    if played_count >= len(commands):
        return Directive(over=True)
    return Directive(_parse_command(game, state, seat, commands[played_count]), over=played_count + 1 == len(commands))


def carry_out_orders(
    writer: Writer, repository: LineRepository, loaded_line: LoadedLine, play: PlayOrderedCommand
) -> None:
    """Plays standing orders as long as one is due on the game's first line.

    It runs after each move and after each new order. If both happen at once, at least one of them sees the other.
    """
    for _ in range(MAX_COMMANDS_IN_A_ROW):
        if not _carry_out_next(writer, repository, loaded_line, play):
            return
        loaded_line = repository.line(loaded_line.match)


def _carry_out_next(
    writer: Writer, repository: LineRepository, loaded_line: LoadedLine, play: PlayOrderedCommand
) -> bool:
    """Carries out the next order that is due, or ends one that is over; false if there is none."""
    state = loaded_line.states.state_at(loaded_line.line.head)
    for seat in loaded_line.game.evolution.to_move(state):
        discussion = orders_discussion(repository, loaded_line.match, seat)
        for order in discussion.orders.values():
            played_count = _count_played(loaded_line, discussion.stream, order)
            try:
                directive = next_directive(
                    loaded_line.game, state_for(loaded_line.game, state, Viewer(seat)), seat, order.text, played_count
                )
            except GameError as error:
                directive = Directive(over=True, why=str(error))
            if directive.command is None and not directive.over:
                continue
            if directive.command is not None:
                directive = _play_order(loaded_line, discussion.stream, order, directive, play)
            if directive.over:
                _end_order(writer, repository, loaded_line.match, seat, order, directive.why)
            return True
    return False


def _play_order(
    loaded_line: LoadedLine, stream: str, order: StandingOrder, directive: Directive, play: PlayOrderedCommand
) -> Directive:
    """Plays the command of an order. The result says whether the order is over, and why."""
    assert directive.command is not None
    head = loaded_line.line.head
    try:
        answer = play(loaded_line, directive.command, order, _command_id(stream, order, head))
    except ConflictError:
        return Directive()  # another writer was faster: look again what is due
    except GameError as error:
        return Directive(over=True, why=str(error))
    if isinstance(answer, Refused):
        return Directive(over=True, why="; ".join(f"{each.code} {each.reason}".strip() for each in answer.refusals))
    if loaded_line.line.head == head:  # the command was played here before, so the retry changed nothing
        return Directive(over=True, why="what it has played was taken back")
    return directive


def _command_id(stream: str, order: StandingOrder, head: bytes) -> str:
    # Other players see the ids of commits. This one does not reveal which order it was or how many there are.
    return f"order-{digest_of_parts(stream.encode(), str(order.number).encode(), head).hex()}"


def _count_played(loaded_line: LoadedLine, stream: str, order: StandingOrder) -> int:
    """How many commands an order has played on the path to the head."""
    commits = loaded_line.line.commits
    commits_on_path = (commits[each] for each in path_to(loaded_line.line, loaded_line.line.head))
    return sum(
        commit.seal.id == _command_id(stream, order, commit.parent)
        for commit in commits_on_path
        if commit.seal.id.startswith("order-")
    )


def _end_order(
    writer: Writer, repository: LineRepository, match: str, seat: Seat, order: StandingOrder, why: str
) -> None:
    def make_events(current_discussion: Discussion) -> Sequence[DiscussionEvent]:
        return [OrderEnded(order.number, why)] if order.number in current_discussion.orders else []

    writer.append_from_fold(lambda: orders_discussion(repository, match, seat), make_events, order.by)
