"""Programs that have seats on a line: who is to move follows from the position, whatever command led to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from zimcore.commits import Position
from zimcore.game import GameError, Seat
from zimcore.service import ConflictError, GameService, Viewer
from zimcore.service.writing.writer import LineWriteOptions
from zimcore.toolkit.progress import ReportProgress, ignore_progress

if TYPE_CHECKING:
    from zimcore.bots.registry import ConfiguredBot


class ProgramMove(NamedTuple):
    """The position after a program's command, and the program's reason for it."""

    position: Position
    why: str


def program_to_move(service: GameService, position: Position) -> tuple[Seat, str] | None:
    """The seat that is to move at the head of a line, and its program; None if it is a person's turn."""
    if service.names(position.match).is_ended(position.line):
        return None
    bots = service.bots(position.place)
    return next(((seat, bots[seat]) for seat in position.to_move if seat in bots), None)


def position_to_play(service: Any, place: str, command_id: str, viewer: Viewer) -> Position:
    """The head of a line, or where a command was played that was made with this id before, whoever its author is."""
    played = service.position_of_id(place, command_id, viewer) if command_id else None
    position: Position = (
        service.position(f"{played.place}@{played.commit.parent}", viewer) if played else service.head(place, viewer)
    )
    return position


def play_turn(
    service: Any,
    place: str,
    viewer: Viewer,
    play: Callable[[Position, str], ProgramMove],
    command_id: str = "",
    *,
    to_end: bool = False,
) -> Iterator[ProgramMove]:
    """Lets a program play for the seat to move, one bid or the commands of a turn; `to_end` plays for every seat.

    `play` plays a command at a position, with an id. A turn ends with the phase or the round, even if the same seat
    moves first in the next one. With a command id, a retry plays nothing twice: later commands get the id with their
    number, and a turn that was interrupted is finished.
    """
    from zimcore.analysis.turns import is_same_turn  # slow to import: who asks whether a program is to move needs none

    position = first_position = position_to_play(service, place, command_id, viewer)

    def goes_on(position: Position) -> bool:
        is_in_turn = to_end or is_same_turn(first_position.game, first_position.state, position.state)
        return bool(position.to_move) and is_in_turn

    for number in count(1):
        if not goes_on(position):
            return
        move = play(position, f"{command_id}/{number}" if command_id and number > 1 else command_id)
        yield move
        position = move.position
        if goes_on(position):  # orders may have been played at once, or this is a retry
            position = position_to_play(service, position.place, command_id and f"{command_id}/{number + 1}", viewer)


def play_program(
    service: Any,
    position: Position,
    seat: Seat,
    bot: ConfiguredBot,
    viewer: Viewer,
    seed: str = "",
    report: ReportProgress = ignore_progress,
    command_id: str = "",
) -> ProgramMove:
    """Plays one command of a program at a position, the head of a line, with the rights of `viewer`.

    `service` is that of a store or of a server. The moves depend only on the position and the seed; a retry with the
    same command id gives the move that was played, without thinking again. Raises `ConflictError` if the head has moved
    since, and `TakenError` if the id was used for something else.
    """
    from zimcore.bots.bot import Choice, View
    from zimcore.bots.bot_match import think
    from zimcore.bots.registry import log_author
    from zimcore.reasons import reason_for_turn

    place, digest = position.place, position.commit.digest
    visible_position = service.position(f"{place}@{digest}", Viewer(seat))
    game, state = visible_position.game, visible_position.state
    if command_id and (played := service.position_of_id(place, command_id, Viewer(seat))):
        choice = Choice(played.commit.command)
    else:
        choice = think(bot.bot, View(game, state, seat), bot.nodes, f"{seed} {position.commit.number}", report)
    options: LineWriteOptions = {"by": log_author(bot, game, seed), "command_id": command_id, "viewer": viewer}
    position_after = service.play_or_raise(place, choice.command, seat=seat, expected=digest, **options)
    effect_text = reason_for_turn(game, state, seat, [choice.command])
    return ProgramMove(position_after, ": ".join(filter(None, (choice.why, effect_text))))


def let_programs_move(service: GameService, place: str, viewer: Viewer) -> Iterator[Position]:
    """Lets the programs play until a person is to move; yields the position after each command, as a viewer sees it.

    Raises `GameError` for a program that is not Zim's own: nobody has allowed it to run here.
    """
    from zimcore.bots.registry import parse_bot

    while mover := program_to_move(service, head := service.head(place)):
        seat, name = mover
        bot = parse_bot(name)
        if not bot.is_installed:
            what, why = f"{bot} is to play {seat}, and it is not one of Zim's programs", "it may read and change files"
            raise GameError(what, why, [f"zim play {place}", f"zim bot {place} people --for {seat}"])
        try:
            position = play_program(service, head, seat, bot, Viewer(seat)).position
        except ConflictError:
            continue  # another door was faster
        yield service.position(f"{position.place}@{position.commit.digest}", viewer)
