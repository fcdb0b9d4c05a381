"""Bots that play on a line: each plays its own seat, and the log names the bot as the author of its moves."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from msgspec.structs import replace

from zimcli.session.allowed_programs import recorded_bot
from zimcli.session.session import Session
from zimcli.shell.exit_codes import FailedError
from zimcore.documents.history import RewriteAnswer
from zimcore.documents.positions import (
    AnyAnswer,
    PositionAnswer,
    commit_documents,
    position_document,
)
from zimcore.game import GameError
from zimcore.service.lines.visibility import Viewer

if TYPE_CHECKING:
    from zimcore.analysis.seated_programs import ProgramMove
    from zimcore.bots.registry import ConfiguredBot
    from zimcore.commits import Position
    from zimcore.game import Seat


PATIENCE_SECONDS = 1.0
"""Seconds for which a program may be to move before a session that only looks on lets it move."""


def play_turn(
    session: Session, place: str, bot: ConfiguredBot, seed: str = "", command_id: str = "", *, to_end: bool = False
) -> Iterator[ProgramMove]:
    """Lets a bot play for the seat that is to move: one bid, or the commands of a whole turn. `to_end` plays them all.

    The moves depend only on the position and the seed; the bot sees what its seat may see. A retry with the same
    command id gives the same moves. Raises `GameError` if a move fails.
    """
    from zimcore.analysis import seated_programs

    def play(position: Position, numbered_id: str) -> ProgramMove:
        seat = position.mover
        viewer = viewer_for_bot(session, place, seat)
        return play_bot(session, bot, seat, position, viewer, seed, numbered_id)

    return seated_programs.play_turn(session.service, place, session.viewer, play, command_id, to_end=to_end)


def viewer_for_bot(session: Session, place: str, seat: Seat) -> Viewer:
    """With whose rights a bot plays a seat: the user's own, or for players those of a seat that a program has already.

    Otherwise a program that fails would stop the game of a user who has another seat.
    """
    program_seats = session.local_service.bots(place) if session.local_service else {}
    return Viewer(seat) if seat in program_seats and session.viewer.plays else session.viewer


def play_bot_seats(session: Session, place: str) -> Iterator[ProgramMove]:
    """Lets the bots with seats in a game play until it is no bot's turn. A server runs its bots itself.

    At the turn of a bot that the user has not allowed, a note says what to type. If another process lets the same bot
    play and is faster, its move counts.
    """
    from zimcore.service import ConflictError

    if session.local_service is None or not session.local_service.bots(place):
        return
    while mover := waiting_program(session, position := session.head(place)):
        seat, name = mover
        try:
            bot = recorded_bot(session, place, seat, name)
        except GameError as error:
            return note_waiting_seat(session, place, error)
        with suppress(ConflictError):
            yield play_bot(session, bot, seat, position, Viewer(seat))


def waiting_program(session: Session, position: Position) -> tuple[Seat, str] | None:
    """The seat to move at the head of a line and its program, which this process has to run; None otherwise."""
    from zimcore.analysis.seated_programs import program_to_move

    return program_to_move(session.local_service, position) if session.local_service else None


class PatientDriver:
    """Lets a program move that nobody else moves: after a move by the library, or by a process that was killed.

    The process that has played a move lets the programs answer it, so this one waits a moment, and tries once.
    """

    def __init__(self) -> None:
        self.digest = ""
        self.seconds_seen = 0.0
        self.has_tried = False

    def is_due(self, session: Session) -> bool:
        """Whether a program is to move at the current head, and has been for a while."""
        position = session.current
        if position is None or waiting_program(session, position) is None:
            return False
        if position.commit.digest != self.digest:
            self.digest, self.seconds_seen, self.has_tried = position.commit.digest, time.monotonic(), False
        return not self.has_tried and time.monotonic() - self.seconds_seen >= PATIENCE_SECONDS

    def let_programs_move(self, session: Session) -> Sequence[Position]:
        """Lets the programs play, and gives the positions after their moves."""
        self.has_tried = True
        return [move.position for move in play_bot_seats(session, session.place)]


def with_answers_of_programs(session: Session, answer: AnyAnswer, line: str) -> AnyAnswer:
    """The answer of a command that may have changed a line, after the programs have played that are now to move there.

    Who moves follows from the position, not from the command. Where the answer has no position, notes name the moves.
    """
    moves: list[ProgramMove] = []
    try:
        for move in play_bot_seats(session, line):
            moves += [move]
    except BaseException as error:
        raise FailedError(_answered(session, answer, moves), error) from error
    return _answered(session, answer, moves)


def _answered(session: Session, answer: AnyAnswer, moves: Sequence[ProgramMove]) -> AnyAnswer:
    if not moves:
        return answer
    commits = commit_documents(move.position.commit for move in moves)
    if isinstance(answer, PositionAnswer | RewriteAnswer):
        return replace(answer, position=position_document(moves[-1].position), answered=commits)
    for commit in commits:
        session.show_note(f"{commit.seat} (a program) plays {commit.text}")
    return answer


def bot_to_move(session: Session, position: Position) -> ConfiguredBot | None:
    """The bot that is to move; None if people are. Raises `GameError` if the user has not allowed it."""
    mover = waiting_program(session, position)
    return recorded_bot(session, position.place, *mover) if mover else None


def note_waiting_seat(session: Session, place: str, error: GameError) -> None:
    """Says why the program that is to move does not play, and what to type."""
    from zimcli.output.errors import shell_hint

    line = session.head(place).place
    hints = error.hints if session.is_careful else [shell_hint(hint, line) for hint in error.hints]
    session.show_note_once(f"{error}; type: {' | '.join(hints)}")


def play_bot(
    session: Session,
    bot: ConfiguredBot,
    seat: Seat,
    head: Position,
    viewer: Viewer,
    seed: str = "",
    command_id: str = "",
) -> ProgramMove:
    """Plays one command of a bot at `head`, the head of a line, with the rights of `viewer`.

    The write fails with a conflict if the head has moved since.
    """
    from zimcore.analysis.seated_programs import play_program

    with session.output.progress(f"{bot} is thinking for {seat}") as report:
        report(0, 0)
        move = play_program(session.service, head, seat, bot, viewer, seed, report, command_id)
    if viewer != session.viewer:  # the session must not show what only the bot's seat may see
        place = f"{move.position.place}@{move.position.commit.digest}"
        move = move._replace(position=session.service.position(place, session.viewer))
    session.after_move(move.position)
    return move
