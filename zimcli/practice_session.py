"""A session that asks exercises: each is a position in a memory store, in which to play a better turn.

The prompt and the table run lines through it as through any session. When your turn ends, it is judged as `hint` would
judge it. A turn that gives something away is undone, and you may try once more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from zimcli.lesson import Lesson, LessonStep
from zimcli.output import Output
from zimcli.practice import Exercise, current_date, load_progress, next_progress, save_progress
from zimcli.registry import BOARD, SESSION_ENTRIES, SHORTHAND_ENTRIES
from zimcli.render.answers.analysis import percent_text
from zimcli.render.spans import Block, Line
from zimcli.session import LeaveError, Session
from zimcore.analysis.judging import JudgedTurn, judge_turn
from zimcore.analysis.turns import is_same_turn
from zimcore.commits import Position
from zimcore.game import Command, GameError
from zimcore.service.visibility import EVERYTHING
from zimcore.toolkit.words import numbered

SKIP_WORD = "skip"
"""The word that skips to the next exercise."""
SPOILER_COMMANDS = ("hint", "advice", "analyse", "whatif", "bot", "plan")
"""Commands that would reveal the solution."""
ALLOWED_COMMANDS = ("do", "undo", "redo", "goto")
"""Commands that change the position and are allowed."""
MAX_TRIES = 2
"""Tries before the best turn is shown."""


class PracticeSession(Session):
    """Asks exercises one after the other, until all are done or the user leaves."""

    advises = False

    def __init__(self, output: Output, by: str, exercises: Sequence[Exercise]) -> None:
        from zimcli.locations import open_store

        super().__init__(output, "memory:", by, open_store("memory:"))
        self.exercises = exercises
        self.number = self.tries = self.solved = 0
        self.start_position: Position
        self.begin_exercise()

    @property
    def exercise(self) -> Exercise:
        """The current exercise."""
        return self.exercises[self.number]

    def help_refusal(self, place: str) -> GameError:
        """The error that programs may not help with an exercise."""
        return spoiler_error("this")

    def begin_exercise(self) -> None:
        """Copies the position of the exercise into the memory store, and enters it."""
        exercise, self.tries = self.exercise, 0
        certificate = exercise.service.certificate(f"{exercise.place}@{exercise.turn.first - 1}", EVERYTHING)
        service = self.maintenance_service("practise")
        place = service.adopt(certificate, f"exercise-{self.number + 1}/main", by=self.by, as_recorded=True)
        self._places_by_command_id = {}
        self.enter_position(place)
        self.play_as(exercise.turn.seat)
        assert self.current
        self.start_position = self.current

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
        """Runs a command unless it would reveal the solution; judges the turn if that ended it.

        Raises `GameError` for commands that are not allowed.
        """
        command_text = command.strip().removeprefix("zim ").lstrip()
        word = command_text.partition(" ")[0]
        if word == SKIP_WORD:
            self.next_exercise()
            return
        entry = SESSION_ENTRIES.get(word) or SHORTHAND_ENTRIES.get(word)
        if word in SPOILER_COMMANDS:
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
            seat = self.exercise.turn.seat
            raise GameError("--as is not for an exercise", f"you play {seat.capitalize()} in it", ["legal", SKIP_WORD])
        super().run_command(command)
        self.judge_turn()

    def judge_turn(self) -> None:
        """Judges the turn, if it has ended.

        Raises `GameError` if the user undid moves from before the exercise; it goes back to the start of the exercise
        first.
        """
        start_position, commands = self.start_position, list[Command]()
        service = self.maintenance_service("practise")
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
        position_before = service.position(f"{start_position.place}@{start_position.commit.digest}", EVERYTHING)
        for commit in commits[start_position.commit.number + 1 :]:
            commands.append(commit.command)
            position_after = service.position(f"{start_position.place}@{commit.number}", EVERYTHING)
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
            self.next_exercise()
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
            self.next_exercise()

    def return_to_start(self) -> None:
        """Goes back to the start of the exercise."""
        place = self.start_position.place
        self.maintenance_service("practise").goto(
            f"{place}@{self.start_position.commit.digest}", by=self.by, viewer=EVERYTHING
        )
        self.enter_position(self.head(place))

    def save_result(self, tries: int) -> None:
        """Saves the result: the try that solved the exercise, or 0."""
        self.solved += tries > 0
        progress = next_progress(load_progress().get(self.exercise.key), tries, current_date())
        save_progress(self.exercise.key, progress)
        self.show_blocks([(f"it is asked again from {progress.due} on", "dim")])

    def next_exercise(self) -> None:
        """Moves to the next exercise. After the last one, shows the result and raises `LeaveError`."""
        if self.number + 1 == len(self.exercises):
            self.leave()
        self.number += 1
        self.begin_exercise()
        self.show_task()

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


def spoiler_error(word: str) -> GameError:
    """The error for a command that would reveal the solution."""
    return GameError(
        f"{word} is not shown in an exercise", "you are asked for the better turn", ["legal", "board", SKIP_WORD]
    )


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
