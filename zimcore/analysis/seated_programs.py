"""Programs that have seats on a line: who is to move follows from the position, whatever command led to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from zimcore.bots.bot import View
from zimcore.bots.bot_match import think
from zimcore.bots.registry import log_author, parse_bot
from zimcore.commits import Position
from zimcore.game import GameError, Seat
from zimcore.reasons import reason_for_turn
from zimcore.service import ConflictError, GameService, Viewer
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


def play_program(
    service: Any,
    position: Position,
    seat: Seat,
    bot: ConfiguredBot,
    viewer: Viewer,
    seed: str = "",
    report: ReportProgress = ignore_progress,
) -> ProgramMove:
    """Plays one command of a program at a position, the head of a line, with the rights of `viewer`.

    `service` is that of a store or of a server. The moves depend only on the position and the seed. Raises
    `ConflictError` if the head has moved since.
    """
    place, digest = position.place, position.commit.digest
    visible_position = service.position(f"{place}@{digest}", Viewer(seat))
    game, state = visible_position.game, visible_position.state
    choice = think(bot.bot, View(game, state, seat), bot.nodes, f"{seed} {position.commit.number}", report)
    position_after = service.play_or_raise(
        place, choice.command, by=log_author(bot, game, seed), seat=seat, expected=digest, viewer=viewer
    )
    effect_text = reason_for_turn(game, state, seat, [choice.command])
    return ProgramMove(position_after, ": ".join(filter(None, (choice.why, effect_text))))


def let_programs_move(service: GameService, place: str, viewer: Viewer) -> Iterator[Position]:
    """Lets the programs play until a person is to move; yields the position after each command, as a viewer sees it.

    Raises `GameError` for a program that is not Zim's own: nobody has allowed it to run here.
    """
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
