"""The steps of a tutorial: what is told, the line that is to be typed, and what else may be typed meanwhile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from zimcli.registry import IN_SESSION, NEW
from zimcore.commits import Position
from zimcore.game import GameError

HARMLESS = {name for name, entry in IN_SESSION.items() if entry.only_looks and "game" not in entry.takes}
"""What may be typed besides: nothing of it moves the game."""


class LessonStep(NamedTuple):
    """An explanation, in one or more paragraphs, and the line that follows: a command of the game or of zim."""

    text: str
    line: str

    @property
    def begins(self) -> bool:
        """Whether its line begins the game of the tutorial."""
        return self.line.startswith(f"{NEW.name} tutorial ")

    @property
    def leads_on(self) -> bool:
        """Whether its line begins a game after the tutorial, for who types."""
        return not self.begins and self.line.startswith(f"{NEW.name} ")

    @property
    def is_theirs(self) -> bool:
        """Whether its line is played by somebody else."""
        return self.line.partition(" ")[0].endswith(":")

    @property
    def moves(self) -> bool:
        """Whether its line is a move, or what begins the game."""
        return bool(self.line) and (self.begins or self.line.partition(" ")[0] not in IN_SESSION)


class Lesson:
    """A tutorial at the table: what is told now, page by page, and the line that is to be typed.

    `again` is the line of the shell that takes it up again. All cards of its game are seen; not those of an
    exercise, which has no line and stays open.
    """

    def __init__(self, steps: Sequence[LessonStep], how: str, again: str, *, exercise: bool = False) -> None:
        self.again, self.exercise = again, exercise
        self.left = list(steps)
        self.explanation = how.splitlines()
        self.page = 0
        self.pages = 1
        self._tell()

    @property
    def line(self) -> str:
        """The line that is to be typed; "" after the last one."""
        return self.left[0].line if self.left else ""

    @property
    def is_over(self) -> bool:
        """Whether there is nothing more to be typed."""
        return not self.line

    @property
    def can_be_closed(self) -> bool:
        """Whether its pane may go away: all of it was told."""
        return self.is_over and not self.exercise

    def next_step(self) -> None:
        """Goes on to the next step: its line was done."""
        self.explanation, self.page = [], 0
        self.skip()

    def skip(self) -> None:
        """The same for a line of somebody else: what was told of it stays."""
        del self.left[:1]
        self._tell()

    def _tell(self) -> None:
        self.explanation += filter(None, self.left[0].text.splitlines() if self.left else ())

    def turn_page(self) -> bool:
        """Turns to the next page, if there is one."""
        self.page += 1
        return self.page < self.pages


def lesson(script: str) -> Iterator[LessonStep]:
    """The steps of a script; the comments before each line become one paragraph, or more where one of them is empty."""
    comments: list[str] = []
    for line in script.splitlines():
        if line.startswith("#"):
            comments.append(line.removeprefix("#").strip())
        elif line:
            yield LessonStep(paragraphs(comments), line)
            comments = []
    yield LessonStep(paragraphs(comments), "")


def paragraphs(comments: Sequence[str]) -> str:
    """Lines of text as paragraphs, each a line of its own; they are parted by an empty one.

    >>> paragraphs(["One", "line.", "", "Another."]).splitlines()
    ['One line.', 'Another.']
    """
    return "\n".join(" ".join(part.split("\n")) for part in "\n".join(comments).split("\n\n"))


def begin_line(line: str, name: str) -> str:
    """The line that begins the game, under a name of ours; without one it gets the next free name."""
    return " ".join([NEW.name, *([name] if name else []), *line.split()[2:]])


def remaining(position: Position, steps: Sequence[LessonStep]) -> Sequence[LessonStep]:
    """The steps after the moves that were played before; none where all were."""
    played = 0
    for place, step in enumerate(steps):
        if played > position.commit.number:
            return steps[place:]
        played += step.moves
    return ()


def is_same_line(position: Position | None, typed: str, line: str) -> bool:
    """Whether two lines say the same, in whatever words."""
    if typed == line or line.partition(" ")[0] in IN_SESSION or position is None:
        return typed == line
    try:
        parse, state = position.game.notation.parse, position.state
        return bool(parse(typed, state)[1] == parse(line, state)[1])
    except GameError:
        return False


def comes_later(word: str, line: str) -> str:
    """The answer to a command that a lesson has not come to yet, while `line` is to be typed."""
    return f"{word} comes later; now type: {line}"
