"""The steps of a tutorial: the text to show, the line to type next, and the commands allowed in between."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from zimcli.shell.registry import NEW, SESSION_ENTRIES
from zimcore.commits import Position
from zimcore.game import Game, GameError

READ_ONLY_COMMANDS = {
    name for name, entry in SESSION_ENTRIES.items() if entry.only_reads and "game" not in entry.argument_kinds
}
"""Commands allowed besides the line to type: none of them changes the game."""


class LessonStep(NamedTuple):
    """A text of one or more paragraphs, and the line to type after it: a command of the game or of zim."""

    text: str
    line: str

    @property
    def begins_tutorial(self) -> bool:
        """Whether its line begins the game of the tutorial."""
        return self.line.startswith(f"{NEW.name} tutorial ")

    @property
    def begins_own_game(self) -> bool:
        """Whether its line begins a new game for the user, after the tutorial."""
        return not self.begins_tutorial and self.line.startswith(f"{NEW.name} ")

    @property
    def is_of_other_seat(self) -> bool:
        """Whether its line is a move of another seat."""
        return self.line.partition(" ")[0].endswith(":")

    @property
    def is_move(self) -> bool:
        """Whether its line is a move, or begins the game."""
        return bool(self.line) and (self.begins_tutorial or self.line.partition(" ")[0] not in SESSION_ENTRIES)


class Lesson:
    """A tutorial at the table: the text to show now, in pages, and the line to type.

    `resume_command` is what the user can type in the shell to go on later. The pane that shows the text sets
    `page_count`. The user sees all cards of the tutorial's game. An exercise has no line to type and can't be closed;
    its hidden cards stay hidden.
    """

    def __init__(
        self, steps: Sequence[LessonStep], instructions: str, resume_command: str, *, is_exercise: bool = False
    ) -> None:
        self.resume_command, self.is_exercise = resume_command, is_exercise
        self.steps_left = list(steps)
        self.explanation = instructions.splitlines()
        self.page = 0
        self.page_count = 1
        self._add_text()

    @property
    def line(self) -> str:
        """The line to type next; "" after the last one."""
        return self.steps_left[0].line if self.steps_left else ""

    @property
    def is_over(self) -> bool:
        """Whether there is nothing left to type."""
        return not self.line

    @property
    def can_be_closed(self) -> bool:
        """Whether its pane may be closed: the tutorial is over."""
        return self.is_over and not self.is_exercise

    def next_step(self) -> None:
        """Moves to the next step, after its line was typed."""
        self.explanation, self.page = [], 0
        self.append_next_step()

    def append_next_step(self) -> None:
        """Moves to the next step after a move of another seat: the text before it stays on the screen."""
        del self.steps_left[:1]
        self._add_text()

    def _add_text(self) -> None:
        self.explanation += filter(None, self.steps_left[0].text.splitlines() if self.steps_left else ())

    def turn_page(self) -> bool:
        """Turns the page, and returns whether there was a next one; if not, the pane shows the last page again."""
        self.page += 1
        return self.page < self.page_count


def lesson_steps(script: str) -> Iterator[LessonStep]:
    """The steps of a script. The comments before a line become its text; an empty comment separates paragraphs."""
    comments: list[str] = []
    for line in script.splitlines():
        if line.startswith("#"):
            comments.append(line.removeprefix("#").strip())
        elif line:
            yield LessonStep(join_paragraphs(comments), line)
            comments = []
    yield LessonStep(join_paragraphs(comments), "")


def join_paragraphs(comments: Sequence[str]) -> str:
    """Joins lines of text into paragraphs of one line each. An empty line separates paragraphs.

    >>> join_paragraphs(["One", "line.", "", "Another."]).splitlines()
    ['One line.', 'Another.']
    """
    return "\n".join(" ".join(paragraph.split("\n")) for paragraph in "\n".join(comments).split("\n\n"))


def named_game(script_line: str, game_name: str) -> str:
    """The command that begins a script's game under the given name; with no name it gets the next free one."""
    return " ".join([NEW.name, *([game_name] if game_name else []), *script_line.split()[2:]])


def tutorial_game(game: Game) -> str:
    """The name of the match in which the tutorial of a game is played."""
    return f"tutorial-{game.name}"


def remaining_steps(position: Position, steps: Sequence[LessonStep]) -> Sequence[LessonStep]:
    """The steps left after the moves that were already played; empty if the tutorial is over."""
    played_count = 0
    for index, step in enumerate(steps):
        if played_count > position.commit.number:
            return steps[index:]
        played_count += step.is_move
    return ()


def is_same_line(position: Position | None, typed_line: str, expected_line: str) -> bool:
    """Whether two lines mean the same command, however they are written."""
    if typed_line == expected_line or expected_line.partition(" ")[0] in SESSION_ENTRIES or position is None:
        return typed_line == expected_line
    try:
        parse, state = position.game.notation.parse, position.state
        return bool(parse(typed_line, state)[1] == parse(expected_line, state)[1])
    except GameError:
        return False


def comes_later_message(word: str, expected_line: str) -> str:
    """The message for a command that the lesson has not taught yet, while `expected_line` is the one to type."""
    return f"{word} comes later; now type: {expected_line}"
