"""Learn a game by playing its first rounds.

It tells what is going on, the others' moves are played for you, and yours are named for you to type. Enter alone types
what is named; anything else that only looks (board, legal, help ...) is answered first, and so is what would become of
another move. Ctrl-D leaves; run it again to resume. It leads at the table, in a pane of its own, or line by
line (--lines); where nobody can type all of it is played through.

GAME is one that zim knows; without a name it is the first.

Example::

    zim tutorial
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Sequence
from textwrap import wrap

import click

from zimcli.command import argument, plain_command
from zimcli.lesson import HARMLESS, Lesson, LessonStep, begin_line, is_same_line, lesson, remaining
from zimcli.output import DocumentCollector
from zimcli.program_name import program, typable
from zimcli.registry import BOARD, BY_NAME, LEAVE
from zimcli.session import LeaveError, Session
from zimcore.game import GameError
from zimcore.service.visibility import EVERYTHING

HOW = (
    "Type each line that is named, or press Enter alone: then it is typed for you. Tab completes, ? and help explain,"
    " and you can look around at any time (board, show, legal). Ctrl-D leaves; run it again to resume."
)
AT_TABLE = (
    "Each line that you are to type is named here. Enter alone types it for you, and turns the page where there is more"
    " to read. Tab completes, ? explains what you type, F1 shows the keys, Escape closes what is open. You can"
    " look around at any time. Ctrl-D leaves; run it again to resume."
)
WIDEST = 100
"""Columns that an explanation takes at most: longer lines are hard to read."""


@plain_command(__doc__)
@argument("game", default="")
@click.option("--again", is_flag=True, help="From the beginning, in a new game.")
@click.option("--lines", is_flag=True, help="Ask line by line.")
def command(session: Session, game: str, again: bool, lines: bool) -> None:
    """Goes through the steps that are left."""
    script = session.text("tutorial", game)
    session.look(EVERYTHING)
    name, steps = f"tutorial-{session.game(game).name}", list(lesson(typable(script)))
    left = steps if again or not session.making.has_game(name) else taken_up(session, name, steps)
    if session.teach or (not lines and is_table(session)):
        at_the_table(session, left, "" if again else name, f"{program()} tutorial {game}".rstrip())
        return
    if left is not steps:
        explain(session, f"Here we are again, after move {session.position(name).commit.number}.")
        session.execute(BOARD.name)
    ask = line_reader(session)
    session.level, on = 1, False
    try:
        if ask:
            explain(session, HOW, "dim")
        for step in left:
            explain(session, step.text)
            if step.begins:
                session.execute(begin_line(step.line, "" if again else name))
            elif step.line and (ask or not step.leads_on):
                take(session, step.line, ask)
                on = on or step.leads_on
    except (EOFError, LeaveError):
        session.note(f"\ntaken up again by: {program()} tutorial {game}".rstrip())
        on = False
    finally:
        session.level = 0
    if on:
        from zimcli.repl import loop

        loop.converse(session, loop.settings()[0])


def taken_up(session: Session, name: str, steps: Sequence[LessonStep]) -> Sequence[LessonStep]:
    """The steps after the moves that were played in this tutorial before. Raises `GameError` where all were."""
    position = session.position(name)
    session.enter(position)
    left = remaining(position, steps)
    if not left:
        raise GameError("this tutorial is over", f"its game is {name}", [f"play {name}", "tutorial --again"])
    return left


def is_table(session: Session) -> bool:
    """Whether it is led at the table: where games are played there."""
    from zimcli.commands.play import has_a_table
    from zimcli.repl.loop import settings

    return session.level == 0 and is_typed(session) and has_a_table(settings()[0].screen)


def at_the_table(session: Session, left: Sequence[LessonStep], name: str, again: str) -> None:
    """Leads at the table, which has each step in a pane of its own; at one where somebody sits, or a new one."""
    how = AT_TABLE
    if left[0].begins:
        out, session.out = session.out, DocumentCollector()  # where the game stands is seen at the table
        session.execute(begin_line(left[0].line, name))
        session.out, how, left = out, f"{left[0].text}\n{how}", left[1:]
    elif session.here:
        how = f"Here we are again, after move {session.here.commit.number}.\n{how}"
    led = Lesson(left, how, again)
    if session.teach:
        session.teach(led)
        return
    from zimcli.repl.loop import settings
    from zimcli.table.app import sit_down

    sit_down(session, *settings(), led)


def explain(session: Session, text: str, style: str = "bold green") -> None:
    """Shows an explanation, as wide as it can be read; in a pipe each paragraph is a line."""
    width = min(shutil.get_terminal_size().columns, WIDEST) if sys.stdout.isatty() else len(text) + 1
    for paragraph in filter(None, text.splitlines()):
        session.tell([], *([(line, style)] for line in wrap(paragraph, width, break_on_hyphens=False)))


def line_reader(session: Session) -> Callable[[str], str] | None:
    """The function that asks for a line; None if nobody can type one."""
    if not is_typed(session):
        return None
    from zimcli.repl.loop import prompt_of, settings

    return prompt_of(session, settings()[0])


def is_typed(session: Session) -> bool:
    """Whether somebody can type."""
    return not session.out.json and sys.stdin.isatty() and sys.stdout.isatty()


def take(session: Session, line: str, ask: Callable[[str], str] | None) -> None:
    """Does a line: at once where it is another player's or nobody can type, else when it was typed."""
    theirs = LessonStep("", line).is_theirs
    if ask and not theirs:
        wait_for(session, line, ask)
    else:
        session.tell([("> ", "dim"), (line, "dim" if theirs else "bold")])
    session.execute(line)


def wait_for(session: Session, line: str, ask: Callable[[str], str]) -> None:
    """Asks until this line, or nothing, is typed; answers what else can be answered. Ctrl-C asks anew."""
    while True:
        try:
            session.tell([("type: ", "dim"), (line, "bold cyan"), ("   or press Enter", "dim")])
            if answer(session, line, " ".join(ask("").split())):
                return
        except (KeyboardInterrupt, click.Abort):
            session.level = 1


def answer(session: Session, line: str, typed: str) -> bool:
    """Answers what was typed where `line` is asked for; whether it was that line. Raises `LeaveError`."""
    from zimcli.repl.loop import try_line

    if not typed:
        session.tell([("> ", "dim"), (line, "bold")])
    if not typed or is_same_line(session.here, typed, line):
        return True
    word = typed.partition(" ")[0]
    if word in LEAVE:
        raise LeaveError
    if word.startswith("?") or word in HARMLESS:
        try_line(session, typed)
    elif word in BY_NAME:
        session.note(f"{word} is for later; here we go on with: {line}")
    else:
        try_line(session, f"explain {typed}")
    session.level = 1
    return False
