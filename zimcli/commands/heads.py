"""The commands for the lines of a game and their heads."""

from __future__ import annotations

from typing import Unpack

import click
from msgspec.structs import replace

from zimcli.output.errors import damaged_error
from zimcli.session.command import RetryOptions, argument, no_switch_option, place_command, retry_options
from zimcli.session.server_only import server_service
from zimcli.session.session import Session
from zimcli.shell.exit_codes import FailedError
from zimcore.commits import Position
from zimcore.documents.positions import PositionAnswer, position_document
from zimcore.documents.storage import LinesAnswer


@place_command()
def lines(session: Session, place: str) -> LinesAnswer:
    """List the lines of a game.

    Where one is damaged, the others are listed all the same, and the exit code is 4.

    Example::

        zim lines kilwa-7
    """
    answer = LinesAnswer(tuple(session.service.lines(place, session.viewer, by=session.by)))
    damaged_lines = [line.name for line in answer.lines if line.damaged]
    if damaged_lines:
        is_local = session.local_service is not None
        raise FailedError(answer, damaged_error(f"can't read {' and '.join(damaged_lines)}", is_here=is_local))
    return answer


@place_command()
@retry_options
def goto(session: Session, place: str, **options: Unpack[RetryOptions]) -> PositionAnswer:
    """Move the head of a line to a position.

    Later moves stay in the line: `goto @end` returns to them.

    Example::

        zim goto kilwa-7@r2
    """
    return session.position_answer(session.service.goto(place, by=session.by, viewer=session.viewer, **options))


@place_command()
@argument("steps", type=click.IntRange(1), default=1)
@retry_options
def redo(session: Session, place: str, steps: int, **options: Unpack[RetryOptions]) -> PositionAnswer:
    """Redo moves that were undone.

    Example::

        zim redo kilwa-7
    """
    return session.position_answer(session.service.redo(place, steps, by=session.by, viewer=session.viewer, **options))


def note_bots_of_old_line(session: Session, place: str, position: Position) -> None:
    """Says that the programs of the old line do not play the new one, and how to seat one."""
    for seat, bot in session.service.bots(place).items() if session.local_service else ():
        seating_command = f"bot {bot} --for {seat}" if session.level else f"zim bot {position.place} {bot} --for {seat}"
        session.show_note(f"you play {seat} too on this line; to give it to the program again: {seating_command}")


@place_command()
@argument("name")
@click.option("--redeal", "is_redealt", is_flag=True, help="Deal again what your seat does not know.")
@click.option("--alone", "plays_alone", is_flag=True, help="Play every seat yourself, without programs.")
@click.option("--bots", is_flag=True, hidden=True, expose_value=False)
@no_switch_option
@retry_options
def fork(
    session: Session,
    place: str,
    name: str,
    is_redealt: bool,
    plays_alone: bool,
    stays: bool,
    **options: Unpack[RetryOptions],
) -> PositionAnswer:
    """Begin a new line at a position.

    The new line becomes your current line; with --no-switch your current line stays. The old line stays as it is. In a
    script only the script goes on there, and a request to `zim pipe` leaves your current line alone. In a game with
    hidden cards the new line has the same cards, so it needs --open. With --redeal Zim deals again the cards that the
    seat named by --as does not know.

    The programs that play the old line play the new one, too; with --alone you play every seat. On a server you play
    every seat of your own lines.

    Example::

        zim fork kilwa-7@r2 what-if
        zim fork kilwa-7@12 again --alone
    """
    line_before, becomes_current = session.current_line(place), session.is_typed and not stays
    by, viewer = session.by, session.viewer
    if service := session.local_service:
        position = service.fork(
            place,
            name,
            by=by,
            viewer=viewer,
            redeal=is_redealt,
            bots=not plays_alone,
            current=becomes_current,
            **options,
        )
    else:
        position = session.service.fork(
            place, name, by=by, viewer=viewer, redeal=is_redealt, current=becomes_current, **options
        )
    if plays_alone:
        note_bots_of_old_line(session, place, position)
    if stays:
        return PositionAnswer(position_document(position))
    session.enter_new_line(position)
    previous_line = (
        line_before if becomes_current and line_before != position.line else ""
    )  # a retry left it the first time
    return replace(session.position_answer(position), left=previous_line)


@place_command()
@retry_options
def switch(session: Session, place: str, **options: Unpack[RetryOptions]) -> PositionAnswer:
    """Make another line your current line.

    Commands that name only the game use your current line, whatever seat you play (`--as`). Other players keep theirs.

    Example::

        zim switch kilwa-7/main
    """
    position = session.service.switch(place, by=session.by, viewer=session.viewer, **options)
    session.script_lines.pop(position.match, None)
    session.enter_position(position)
    return session.position_answer(position)


@place_command()
@argument("name")
@click.option("--share", "is_shared", is_flag=True, help="Show the line to everybody in the game, for good.")
@retry_options
def rename(session: Session, place: str, name: str, is_shared: bool, **options: Unpack[RetryOptions]) -> PositionAnswer:
    """Rename a line.

    On a server your own lines are private; --share shows this one to everybody in the game.

    Example::

        zim rename kilwa-7/what-if eshu
    """
    if is_shared:
        position = server_service(session, "rename").rename(
            place, name, by=session.by, viewer=session.viewer, shared=True, **options
        )
    else:
        position = session.service.rename(place, name, by=session.by, viewer=session.viewer, **options)
    session.enter_if_current(place, position)
    return session.position_answer(position)


@place_command()
@retry_options
def forget(session: Session, place: str, **options: Unpack[RetryOptions]) -> PositionAnswer:
    """Remove a line from the list; its moves stay stored.

    Lines that were forked from it are not affected, and `undo --op` gives the name back. A line that is a player's
    current line keeps its name, and so does the line that the game began with.

    Example::

        zim forget kilwa-7/what-if
    """
    position = session.service.forget(place, by=session.by, viewer=session.viewer, **options)
    session.enter_if_current(place, position)
    return session.position_answer(position)


@place_command()
@argument("steps", type=click.IntRange(1), default=1)
@click.option("--op", "operation_id", is_flag=False, flag_value="", metavar="[ID]", help="Undo an operation instead.")
@retry_options
def undo(
    session: Session, place: str, steps: int, operation_id: str | None, **options: Unpack[RetryOptions]
) -> PositionAnswer:
    """Undo moves.

    Undone moves stay in the line: `redo` plays them again, `log --all` shows them.

    --op undoes an operation instead of a move: the last one, or the one with that ID (see `log --ops`). The head and
    the names of lines return to what they were before it. This is an operation too, so --op twice changes nothing.
    Players stay on their current lines.

    In a game with hidden cards you can't unsee a card that was drawn or turned over: undoing that needs --open.

    Example::

        zim undo kilwa-7 2
    """
    if operation_id is None:
        return session.position_answer(
            session.service.undo(place, steps, by=session.by, viewer=session.viewer, **options)
        )
    service = session.maintenance_service("undo --op", "log")
    position = service.take_back(place, operation_id, by=session.by, viewer=session.viewer, **options)
    session.enter_if_current(place, position)
    return session.position_answer(position)
