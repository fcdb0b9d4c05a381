"""A session that asks tasks, one after the other: each is a position in a memory store, in which to play.

The prompt and the table run lines through it as through any session.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from zimcli.output.output import Output
from zimcli.session.lesson import Lesson, LessonStep
from zimcli.session.session import Session
from zimcli.shell.registry import BOARD, HINT, HINT_QUESTIONS, SESSION_ENTRIES, SHORTHAND_ENTRIES
from zimcore.commits import Position
from zimcore.game import GameError, Seat
from zimcore.service.lines.visibility import EVERYTHING

SKIP_WORD = "skip"
"""The word that skips to the next task."""
ALLOWED_COMMANDS = ("do", "undo", "redo", "goto")
"""Commands that change the position and are allowed."""


class TaskSession(Session):
    """Asks tasks until all are done or the user leaves. `purpose` is the command that began it."""

    advises = False
    purpose = ""
    spoilers: Sequence[str] = ()
    """Commands that would reveal the solution."""

    def __init__(self, output: Output, by: str, task_count: int) -> None:
        from zimcli.session.locations import open_store

        super().__init__(output, "memory:", by, open_store("memory:"))
        self.task_count = task_count
        self.number = self.tries = self.solved = 0
        self.start_position: Position
        self.begin_task()

    @property
    def task_seat(self) -> Seat:
        """The seat that the current task is for."""
        raise NotImplementedError

    def begin_task(self) -> None:
        """Makes the position of the current task in the memory store, and enters it."""
        raise NotImplementedError

    def task_lines(self) -> list[str]:
        """The current task in words."""
        raise NotImplementedError

    def judge(self) -> None:
        """Judges what was played since the start of the task, if that is enough to be judged."""
        raise NotImplementedError

    def leave(self) -> NoReturn:
        """Shows the result, and raises `LeaveError`."""
        raise NotImplementedError

    def help_refusal(self, place: str) -> GameError:
        """The error that programs may not help with a task."""
        return spoiler_error("this")

    def enter_task(self, position: Position) -> None:
        """Enters the position of a task, as the seat that it is for."""
        self.tries, self._places_by_command_id = 0, {}
        self.enter_position(position)
        self.play_as(self.task_seat)
        assert self.current
        self.start_position = self.current

    def lesson(self) -> Lesson:
        """The task for the lesson pane of the table."""
        return Lesson([LessonStep("\n".join(self.task_lines()), "")], "", "", is_exercise=True)

    def show_task(self) -> None:
        """Shows the task."""
        if self.teach:
            self.teach(self.lesson())
        else:
            self.show_blocks(*([(line, "green")] for line in (*self.task_lines(), f"{BOARD.name} draws the position.")))

    def run_command(self, command: str) -> None:
        """Runs a command unless it would reveal the solution; judges what was played.

        Raises `GameError` for commands that are not allowed.
        """
        command_text = command.strip().removeprefix("zim ").lstrip()
        word = command_text.partition(" ")[0]
        if word == SKIP_WORD:
            self.next_task()
            return
        entry = SESSION_ENTRIES.get(word) or SHORTHAND_ENTRIES.get(word)
        options = [each.removeprefix("--") for each in command_text.split() if each.startswith("--")]
        question = next((each for each in options if word == HINT.name and each in HINT_QUESTIONS), word)
        if question in self.spoilers:
            raise spoiler_error(word)
        if entry and not entry.only_reads and entry.name not in ALLOWED_COMMANDS:
            raise GameError(
                f"{word} is not for an exercise", "it is played in a copy of the game", ["board", SKIP_WORD, "quit"]
            )
        if (
            entry
            and entry.name in ALLOWED_COMMANDS
            and any(each.partition("=")[0] == "--as" for each in command_text.split())
        ):
            seat = self.task_seat
            raise GameError("--as is not for an exercise", f"you play {seat.capitalize()} in it", ["legal", SKIP_WORD])
        super().run_command(command)
        self.judge()

    def positions_since_start(self) -> list[Position]:
        """The positions after each move since the start of the task.

        Raises `GameError` if the user undid moves from before it; then it goes back to the start first.
        """
        start_position = self.start_position
        service = self.maintenance_service(self.purpose)
        commits = service.log(start_position.place, viewer=EVERYTHING)
        if start_position.commit.digest not in (
            commit.digest for commit in commits[start_position.commit.number :][:1]
        ):
            self.return_to_start()
            raise GameError(
                f"the exercise begins at @{start_position.commit.number}",
                "you play on from there",
                ["legal", "board", SKIP_WORD],
            )
        return [
            service.position(f"{start_position.place}@{commit.number}", EVERYTHING)
            for commit in commits[start_position.commit.number + 1 :]
        ]

    def return_to_start(self) -> None:
        """Goes back to the start of the task."""
        place = self.start_position.place
        self.maintenance_service(self.purpose).goto(
            f"{place}@{self.start_position.commit.digest}", by=self.by, viewer=EVERYTHING
        )
        self.enter_position(self.head(place))

    def next_task(self) -> None:
        """Moves to the next task. After the last one, shows the result and raises `LeaveError`."""
        if self.number + 1 == self.task_count:
            self.leave()
        self.number += 1
        self.begin_task()
        self.show_task()


def spoiler_error(word: str) -> GameError:
    """The error for a command that would reveal the solution."""
    return GameError(
        f"{word} is not shown in an exercise", "you are asked for the better turn", ["legal", "board", SKIP_WORD]
    )
