"""A session that asks exercises: each is a position of an analysed game, in which to play a better turn.

When your turn ends, it is judged as `hint` would judge it. A turn that gives something away is undone, and you may try
once more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from zimcli.output.output import Output
from zimcli.render.answers.analysis import percent_text
from zimcli.render.spans import Block, Line
from zimcli.session.session import LeaveError
from zimcli.study.practice import Exercise, current_date, load_progress, next_progress, save_progress
from zimcli.study.task_session import SKIP_WORD, TaskSession
from zimcore.analysis.judging import JudgedTurn, judge_turn
from zimcore.analysis.turns import is_same_turn
from zimcore.commits import Position
from zimcore.game import Command, Seat
from zimcore.service.lines.visibility import EVERYTHING
from zimcore.toolkit.words import numbered

MAX_TRIES = 2
"""Tries before the best turn is shown."""


class PracticeSession(TaskSession):
    """Asks exercises one after the other, until all are done or the user leaves."""

    purpose = "practise"
    spoilers = ("hint", "advice", "analyse", "whatif", "bot", "plan")

    def __init__(self, output: Output, by: str, exercises: Sequence[Exercise]) -> None:
        self.exercises = exercises
        super().__init__(output, by, len(exercises))

    @property
    def exercise(self) -> Exercise:
        """The current exercise."""
        return self.exercises[self.number]

    @property
    def task_seat(self) -> Seat:
        """The seat whose turn it was."""
        return self.exercise.turn.seat

    def begin_task(self) -> None:
        """Copies the position of the exercise into the memory store, and enters it."""
        exercise = self.exercise
        certificate = exercise.service.certificate(f"{exercise.place}@{exercise.turn.first - 1}", EVERYTHING)
        service = self.maintenance_service("practise")
        self.enter_task(service.adopt(certificate, f"exercise-{self.number + 1}/main", by=self.by, as_recorded=True))

    def task_lines(self) -> list[str]:
        """The task in words."""
        exercise, turn = self.exercise, self.exercise.turn
        return [
            f"{self.number + 1} of {len(self.exercises)}: {exercise.place}@{turn.first - 1}, {turn.round}."
            f" You are {turn.seat.capitalize()}.",
            f"Play a better turn than this {turn.word}, which gave away {points_text(turn.given)}:"
            f" {'; '.join(turn.commands)}",
            f"{SKIP_WORD} goes on to the next, quit leaves.",
        ]

    def judge(self) -> None:
        """Judges the turn, if it has ended."""
        start_position, commands = self.start_position, list[Command]()
        service = self.maintenance_service("practise")
        positions = self.positions_since_start()
        position_before = service.position(f"{start_position.place}@{start_position.commit.digest}", EVERYTHING)
        position_after: Position
        for position_after in positions:
            commands.append(position_after.commit.command)
            if not is_same_turn(start_position.game, position_before.state, position_after.state):
                break
        else:
            return
        with self.output.progress("judging your turn") as report:
            report(0, 0)
            judged_turn = judge_turn(
                start_position.game, position_before.state, self.exercise.turn.seat, commands, position_after.state
            )
        self.tries += 1
        if not judged_turn.word:
            self.show_blocks(*success_message(judged_turn, self.exercise))
            self.save_result(self.tries)
            self.next_task()
        elif self.tries < MAX_TRIES:
            self.show_blocks(
                [
                    (f"{judged_turn.word}, -{points_text(judged_turn.loss)}: ", "yellow"),
                    ("there is better; try once more", ""),
                ]
            )
            self.return_to_start()
        else:
            self.show_blocks(*failure_message(judged_turn))
            self.save_result(0)
            self.next_task()

    def save_result(self, tries: int) -> None:
        """Saves the result: the try that solved the exercise, or 0."""
        self.solved += tries > 0
        progress = next_progress(load_progress().get(self.exercise.key), tries, current_date())
        save_progress(self.exercise.key, progress)
        self.show_blocks([(f"it is asked again from {progress.due} on", "dim")])

    def leave(self) -> NoReturn:
        """Shows how many were solved, and raises `LeaveError`."""
        exercise_count = len(self.exercises)
        self.show_blocks(
            [
                (f"{self.solved} of {exercise_count} solved", "bold"),
                (": practise asks them again when they are due", "dim"),
            ]
        )
        raise LeaveError


def points_text(loss: float) -> str:
    """The chance that a turn gave away, in points of a hundred."""
    return numbered(round(100 * loss), "point")


def success_message(judged_turn: JudgedTurn, exercise: Exercise) -> list[Block]:
    """The message for a turn that gives nothing away."""
    message: Line = [("✓ right: ", "green"), (f"{percent_text(judged_turn.chance)} to win", "bold")]
    return [[*message, (f", {percent_text(exercise.turn.chance)} after what was played in the game", "dim")]]


def failure_message(judged_turn: JudgedTurn) -> list[Block]:
    """The message after the last failed try, with the best turn."""
    reason_text = f"  {judged_turn.why}" if judged_turn.why else ""
    best_turn = "; ".join(judged_turn.best_commands)
    return [
        [
            (f"{judged_turn.word}, -{points_text(judged_turn.loss)}: ", "yellow"),
            ("best is ", ""),
            (best_turn, "bold"),
            (reason_text, "dim"),
        ]
    ]
