"""Learn a game by playing its first round.

It tells what is going on, the others' moves are played for you, and yours are named for you to type. Enter alone types
what is named; anything else that only looks (board, legal, help ...) is answered first, and so is what would become of
another move. Ctrl-D leaves; the same command takes it up again. Where nobody can type all of it is played through.

GAME is one that zim knows; without a name it is the first.

Example::

    zim tutorial
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from textwrap import wrap
from typing import NamedTuple

import click

from zimcli.command import argument, unplaced
from zimcli.registry import BOARD, BY_NAME, LEAVE, NEW
from zimcli.session import LeaveError, Session
from zimcore.game import GameError
from zimcore.service.visibility import EVERYTHING

HARMLESS = {name for name, entry in BY_NAME.items() if entry.only_looks and "game" not in entry.takes}
"""What may be typed besides: nothing of it moves the game."""


HOW = (
    "Type each line that is named, or press Enter alone: then it is typed for you. Tab completes, ? and help explain,"
    " and whatever only looks (board, show, legal) is answered in between. Ctrl-D leaves; the same command goes on."
)
WIDEST = 100
"""Columns that an explanation takes at most: longer lines are hard to read."""


class Step(NamedTuple):
    """An explanation, in one or more paragraphs, and the line that follows: a command of the game or of zim."""

    text: str
    line: str


@unplaced(__doc__)
@argument("game", default="")
@click.option("--again", is_flag=True, help="From the beginning, in a new game.")
def command(session: Session, game: str, again: bool) -> None:
    """Goes through the steps that are left."""
    script = session.text("tutorial", game)
    session.look(EVERYTHING)
    name, steps = f"tutorial-{session.game(game).name}", list(lesson(script))
    left = taken_up(session, name, steps) if not again else steps
    ask = line_reader(session)
    session.level = 1
    try:
        if ask:
            explain(session, HOW, "dim")
        for step in left:
            explain(session, step.text)
            if step.line.startswith(f"{NEW.name} "):
                session.execute(begun(step.line, "" if again else name))
            elif step.line:
                take(session, step.line, ask)
    except (EOFError, LeaveError):
        session.note("\ntaken up again by: zim tutorial" + (f" {game}" if game else ""))
    finally:
        session.level = 0


def lesson(script: str) -> Iterator[Step]:
    """The steps of a script; the comments before each line become one paragraph, or more where one of them is empty."""
    comments: list[str] = []
    for line in script.splitlines():
        if line.startswith("#"):
            comments.append(line.removeprefix("#").strip())
        elif line:
            yield Step(paragraphs(comments), line)
            comments = []
    yield Step(paragraphs(comments), "")


def paragraphs(comments: Sequence[str]) -> str:
    """Lines of text as paragraphs, each a line of its own; they are parted by an empty one.

    >>> paragraphs(["One", "line.", "", "Another."]).splitlines()
    ['One line.', 'Another.']
    """
    return "\n".join(" ".join(part.split("\n")) for part in "\n".join(comments).split("\n\n"))


def begun(line: str, name: str) -> str:
    """The line that begins the game, under a name of ours; without one it gets the next free name."""
    return " ".join([NEW.name, *([name] if name else []), *line.split()[2:]])


def taken_up(session: Session, name: str, steps: list[Step]) -> list[Step]:
    """The steps that are left: all, or those after the moves that were played in this tutorial before."""
    if not session.making.has_game(name):
        return steps
    position = session.position(name)
    session.enter(position)
    played = 0
    for place, step in enumerate(steps):
        if played > position.commit.number:
            explain(session, f"Here we are again, after move {position.commit.number}.")
            session.execute(BOARD.name)
            return steps[place:]
        played += step.line.partition(" ")[0] not in BY_NAME or step.line.startswith(f"{NEW.name} ")
    raise GameError("this tutorial is over", f"its game is {name}", [f"play {name}", "tutorial --again"])


def explain(session: Session, text: str, style: str = "bold green") -> None:
    """Shows an explanation, as wide as it can be read; in a pipe each paragraph is a line."""
    width = min(shutil.get_terminal_size().columns, WIDEST) if sys.stdout.isatty() else len(text) + 1
    for paragraph in filter(None, text.splitlines()):
        session.tell([], *([(line, style)] for line in wrap(paragraph, width, break_on_hyphens=False)))


def line_reader(session: Session) -> Callable[[str], str] | None:
    """The function that asks for a line; None if nobody can type one."""
    if session.out.json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return None
    from zimcli.repl.loop import prompt_of, settings

    return prompt_of(session, settings()[0])


def take(session: Session, line: str, ask: Callable[[str], str] | None) -> None:
    """Does a line: at once where it is another player's or nobody can type, else when it was typed."""
    theirs = line.partition(" ")[0].endswith(":")
    if ask and not theirs:
        wait_for(session, line, ask)
    else:
        session.tell([("> ", "dim"), (line, "dim" if theirs else "bold")])
    session.execute(line)


def wait_for(session: Session, line: str, ask: Callable[[str], str]) -> None:
    """Asks until this line, or nothing, is typed; answers what else can be answered."""
    from zimcli.repl.loop import attempt

    while True:
        session.tell([("type: ", "dim"), (line, "bold cyan"), ("   or press Enter", "dim")])
        try:
            typed = " ".join(ask("").split())
        except (KeyboardInterrupt, click.Abort):
            continue
        if not typed:
            session.tell([("> ", "dim"), (line, "bold")])
        if not typed or same(session, typed, line):
            return
        word = typed.partition(" ")[0]
        if word in LEAVE:
            raise LeaveError
        if word.startswith("?") or word in HARMLESS:
            attempt(session, typed)
        elif word in BY_NAME:
            session.note(f"{word} is for later; here we go on with: {line}")
        else:
            attempt(session, f"explain {typed}")
        session.level = 1


def same(session: Session, typed: str, line: str) -> bool:
    """Whether two lines say the same, in whatever words."""
    if typed == line or line.partition(" ")[0] in BY_NAME or session.here is None:
        return typed == line
    try:
        parse, state = session.here.game.notation.parse, session.here.state
        return bool(parse(typed, state)[1] == parse(line, state)[1])
    except GameError:
        return False
