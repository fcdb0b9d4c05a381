"""Plays commands of the game on a line, one after the other, and yields the position after each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, takewhile
from random import Random
from typing import Any, NamedTuple

from zimcli.session.session import Session
from zimcore.commits import Position
from zimcore.game import AmbiguousError, Command, Game, GameError, NotationError, Refused, Seat
from zimcore.service.records.deciding import MAX_EXAMPLES

ORDER_AUTHOR_PREFIX = "standing order of "
"""How the author of a standing order's moves begins in the log; the name of the player follows."""


class PlayedMove(NamedTuple):
    """The position after a command, and what the command wasted, if anything."""

    position: Position
    waste_text: str


def play(
    session: Session, place: str, command_texts: Sequence[str], *, command_id: str = "", expected: str = ""
) -> Iterator[PlayedMove]:
    """Plays commands at the head of a line, up to the first that is refused or meets a conflict.

    Each is played on the head that the one before it left; if another player moves in between, that is a conflict. With
    a command id, a repeated call plays nothing twice: later commands get the id with their number, and other texts
    under the same id are an error. A careful session asks before it wastes something: it raises `UnsureError`.
    """
    head, command_texts = expected or session.seen_head_digest(place), split_commands(session, place, command_texts)
    for index, command_text in enumerate(command_texts):
        waste = Waste(session, place, command_text)
        try:
            decision = session.service.play(
                place,
                command_text,
                by=session.by,
                viewer=session.viewer,
                seat=session.seat,
                expected=head,
                command_id=f"{command_id}/{index}" if command_id and index else command_id,
                among=command_texts if len(command_texts) > 1 else (),
                before_play=None if command_id else waste.before_play,
            )
        except NotationError as error:
            raise unreadable_command(session, place, command_text, error) from None
        if isinstance(decision, Refused):
            from zimcli.output.errors import refusal_problem

            raise refusal_problem(log_text(session, place, command_text, session.seat), decision, "legal")
        session.after_move(decision)
        head = decision.commit.digest
        yield PlayedMove(decision, waste.warning)


class Waste:
    """Checks what a command would waste. A careful session asks the user to confirm it."""

    def __init__(self, session: Session, place: str, command_text: str) -> None:
        self.session = session
        self.place = place
        self.text = command_text
        self.warning = ""

    def before_play(self, game: Game, state: Any, seat: Seat, command: Command) -> None:
        """Checks a command before it is played. Raises `UnsureError`."""
        self.warning = game.questions.waste(state, seat, command)
        if self.warning and self.text not in self.session.advised_commands:
            self.session.require_confirmation(f"{self.place} {self.text} {self.warning}", self.text, self.warning)


def unreadable_command(session: Session, place: str, command_text: str, error: NotationError) -> NotationError:
    """The error for a command that can't be parsed, with the game's advice before other examples.

    For a square alone, the examples are commands for that square.
    """
    position = session.position(place)
    verbs, words = position.game.notation.SYNTAX, command_text.rpartition(":")[2].lower().split()
    if (
        len(words) == 1
        and position.board
        and any(cell.square == words[0] for row in position.board.cells for cell in row)
    ):
        legal_commands = [
            command for verb in verbs for command in islice(position.legal().texts(f"{verb} {words[0]}"), 1)
        ]
        return NotationError(error.what, "a square is not a command", legal_commands[:MAX_EXAMPLES] or error.hints)
    shared_words = list(takewhile(lambda word: all(word in hint.split() for hint in error.hints), words))
    if shared_words and shared_words[0] in verbs and not error.in_place and not isinstance(error, AmbiguousError):
        promising_commands = position.game.questions.advice(position.state, position.mover, " ".join(shared_words))
        error.hints = tuple(dict.fromkeys([*(each.text for each in promising_commands), *error.hints]))[:MAX_EXAMPLES]
    return error


def split_commands(session: Session, place: str, command_texts: Sequence[str]) -> Sequence[str]:
    """Splits texts that have several commands of the game with `;` between them."""
    if not any(";" in command_text for command_text in command_texts):
        return command_texts
    from zimcli.shell.typed_words import split_line

    notation = session.position(place).game.notation
    return [
        command for command_text in command_texts for command in split_line(command_text, notation)
    ] or command_texts


def random_command(position: Position, seed: int) -> str | None:
    """A random legal command, or None if there is none; the same number gives the same one."""
    command = position.legal().sample(Random(seed))
    return None if command is None else position.game.notation.format(command)


def log_text(session: Session, place: str, text: str, seat: Seat | None = None) -> str:
    """A command as the log would write it, with its seat."""
    try:
        seat, command = session.service.parse(place, text, session.viewer, seat)
    except GameError:
        return text
    canonical_text = session.position(place).game.notation.format(command)
    return f"{seat}: {canonical_text}" if seat else canonical_text


def positions_by_orders(session: Session, place: str, position_before: Position) -> Iterator[Position]:
    """The positions after standing orders that were played directly after a position.

    Empty if other moves came in between.
    """
    head = session.head(place)
    if head.commit.digest == position_before.commit.digest or not head.commit.by.startswith(ORDER_AUTHOR_PREFIX):
        return
    later_commits = session.log(place)[position_before.commit.number + 1 :]
    if (
        later_commits
        and later_commits[0].parent == position_before.commit.digest
        and all(each.by.startswith(ORDER_AUTHOR_PREFIX) for each in later_commits)
    ):
        for commit in later_commits:
            position = session.position(f"{place}@{commit.digest}")
            session.after_move(position)
            yield position
