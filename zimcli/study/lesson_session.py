"""A session that teaches: each task of a lesson is a position of a game's demo, in which the learner reaches a goal.

Nobody names the moves. The goal is checked after each of them; a turn that ends without it is taken back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from zimcli.output.output import Output
from zimcli.session.session import LeaveError
from zimcli.study.task_session import SKIP_WORD, TaskSession
from zimcore.commits import Position
from zimcore.game import Game, Refused, Seat, Task, figures
from zimcore.history.expression import parse
from zimcore.service.lines.visibility import EVERYTHING
from zimcore.service.records.scripts import moves_of_script, options_of

SOLUTION_WORD = "solution"
"""The word that shows a way to the goal."""


class LessonSession(TaskSession):
    """Asks the tasks of a lesson."""

    purpose = "tutorial"
    spoilers = ("hint", "advice", "analyse", "whatif", "bot")

    def __init__(self, output: Output, by: str, game: Game, tasks: Sequence[Task]) -> None:
        self.lesson_game, self.tasks = game, tasks
        super().__init__(output, by, len(tasks))

    @property
    def task(self) -> Task:
        """The current task."""
        return self.tasks[self.number]

    @property
    def task_seat(self) -> Seat:
        """The learner's seat."""
        return self.task.seat

    def begin_task(self) -> None:
        """Plays the demo up to the position of the task, and enters it."""
        begin_line, moves = moves_of_script(self.lesson_game.texts.demo())
        service = self.maintenance_service(self.purpose)
        place = f"lesson-{self.number + 1}"
        position = service.new(self.lesson_game.name, options_of(begin_line), name=place, by=self.by)
        for move in moves[: self.task.move]:
            position = service.play_or_raise(place, move, by=self.by, viewer=EVERYTHING)
        self.enter_task(position)

    def task_lines(self) -> list[str]:
        """The task in words."""
        return [
            f"{self.task.lesson}, {self.number + 1} of {len(self.tasks)}",
            *self.task.text.splitlines(),
            f"`{SOLUTION_WORD}` shows a way, `{SKIP_WORD}` goes on, quit leaves.",
        ]

    def run_command(self, command: str) -> None:
        """Shows a solution, or runs a command and looks whether the goal is reached."""
        if command.strip() == SOLUTION_WORD:
            self.show_blocks(*([("  ", ""), (line, "cyan")] for line in self.task.solution))
            return
        super().run_command(command)

    def judge(self) -> None:
        """Says that the goal is reached; takes a turn back that has ended without it."""
        positions = self.positions_since_start()
        if not positions:
            return
        position = self.after_replies(positions[-1])
        if is_solved(self.task, position):
            self.solved += 1
            self.show_blocks([("✓ right: ", "green"), (positions[-1].commit.summary, "bold")])
            self.next_task()
        elif self.task.seat not in position.game.evolution.to_move(position.state):
            self.show_blocks([("not yet: ", "yellow"), ("your turn is over without it; try once more", "")])
            self.return_to_start()

    def after_replies(self, position: Position) -> Position:
        """The position after the others' replies, as far as they are legal."""
        service, place = self.maintenance_service(self.purpose), position.place
        for reply in self.task.replies:
            if self.task.seat in position.game.evolution.to_move(position.state):
                break
            answer = service.play(place, reply, by=self.by, viewer=EVERYTHING)
            if not isinstance(answer, Refused):
                position = answer
        if self.task.replies:
            self.enter_position(self.head(place))
        return position

    def leave(self) -> NoReturn:
        """Shows how many were solved, and raises `LeaveError`."""
        self.show_blocks([(f"That was the lesson: {self.solved} of {len(self.tasks)} solved", "bold")])
        raise LeaveError


def is_solved(task: Task, position: Position) -> bool:
    """Whether a position has reached the goal of a task."""
    return parse(task.goal).holds(figures(position.game, position.state))
