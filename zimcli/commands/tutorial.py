"""Learn a game by playing its first rounds.

The tutorial explains what is going on, plays the other players' moves, and names yours for you to type. Enter alone
types the named move. Commands that only look (board, legal, help ...) are answered first, and so are other moves: you
see what would come of them. Ctrl-D leaves; run it again to resume. It runs at the table, in a pane of its own, or line
by line (--lines). Without a terminal it plays through by itself.

GAME is the name of a game; the default is the first. LESSON is 1, or a later lesson: it sets tasks in positions of the
demo, and names no moves.

Example::

    zim tutorial
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Sequence
from textwrap import wrap

import click

from zimcli.output.output import DocumentCollector
from zimcli.session.command import argument, plain_command
from zimcli.session.lesson import (
    READ_ONLY_COMMANDS,
    Lesson,
    LessonStep,
    comes_later_message,
    is_same_line,
    lesson_steps,
    named_game,
    remaining_steps,
    tutorial_game,
)
from zimcli.session.session import LeaveError, Session
from zimcli.shell.program_name import program_name, typable
from zimcli.shell.registry import BOARD, ENTRIES_BY_NAME, LEAVE_WORDS, NEW
from zimcore.game import Game, GameError, UnknownError
from zimcore.rule_texts import lessons_of, primer_of
from zimcore.service.lines.visibility import EVERYTHING

INSTRUCTIONS = (
    "Type each line that you see, or just press Enter to have it typed for you. Tab completes, ? and help explain,"
    " and you can look around at any time (board, show, legal). Ctrl-D leaves; run it again to resume."
)
TABLE_INSTRUCTIONS = (
    "The next line to type is shown here. Enter alone types it for you, and turns the page if there is more to read."
    " Tab completes, ? explains what you type, F1 shows the keys, Escape closes an open window. Point at a square to"
    " see what is on it, or click it to see what you can do there. F6 shows a good turn, F7 types it. The letters"
    " beside the board show everybody's chance to win. Ctrl-D leaves; run it again to resume."
)
MAX_EXPLANATION_COLUMNS = 100
"""Maximum width of an explanation in columns: longer lines are hard to read."""


@plain_command(__doc__)
@argument("game", default="")
@argument("lesson", default=1, type=click.IntRange(1), metavar="[LESSON]")
@click.option("--again", "starts_over", is_flag=True, help="Start over, in a new game.")
@click.option("--lines", "asks_by_line", is_flag=True, help="Ask line by line, without the full screen.")
def command(session: Session, game: str, lesson: int, starts_over: bool, asks_by_line: bool) -> None:
    """Goes through the remaining steps; a later lesson asks tasks."""
    if lesson > 1:
        ask_lesson(session, session.game(game), lesson, asks_by_line=asks_by_line)
        return
    try:
        teach(session, game, starts_over=starts_over, asks_by_line=asks_by_line)
    except UnknownError as error:  # its game may have been deleted
        if error.hints[:1] == (f"delete {tutorial_game(session.game(game))} --back",):
            error.hints = (*error.hints[:-1], " ".join(filter(None, ["tutorial", game, "--again"])))
        raise


def teach(session: Session, game: str, *, starts_over: bool, asks_by_line: bool) -> None:
    """Goes through the steps that are left, at the table or line by line."""
    script = session.game_script("tutorial", game)
    session.set_viewer(EVERYTHING)
    game_name, steps = tutorial_game(session.game(game)), list(lesson_steps(typable(script)))
    steps_left = (
        steps
        if starts_over or not session.opened_service.has_game(game_name)
        else resume_tutorial(session, game_name, steps)
    )
    if session.teach or (not asks_by_line and runs_at_table(session)):
        run_at_table(
            session, steps_left, "" if starts_over else game_name, f"{program_name()} tutorial {game}".rstrip()
        )
        return
    if steps_left is not steps:
        show_explanation(session, f"Here we are again, after move {session.position(game_name).commit.number}.")
        session.run_line(BOARD.name)
    ask_line = line_reader(session)
    session.level, opens_prompt = 1, False
    try:
        if ask_line:
            show_explanation(session, INSTRUCTIONS, "dim")
        for step in steps_left:
            show_explanation(session, step.text)
            if step.begins_tutorial:
                session.run_line(named_game(step.line, "" if starts_over else game_name))
            elif step.line and (ask_line or not step.begins_own_game):
                do_step(session, step.line, ask_line)
                opens_prompt = opens_prompt or step.begins_own_game
    except (EOFError, LeaveError):
        session.show_note(f"\nto resume: zim tutorial {game}".rstrip())
        opens_prompt = False
    finally:
        session.level = 0
    if opens_prompt:
        from zimcli.repl import loop

        loop.run_prompt(session, loop.load_settings()[0])


def ask_lesson(session: Session, game: Game, number: int, *, asks_by_line: bool) -> None:
    """Asks the tasks of a lesson; without a terminal it shows each with a solution. Raises `GameError`."""
    lessons = [*lessons_of(game).items()]
    if number > len(lessons) + 1:
        other_lessons = [f"tutorial {game.name} {other}" for other in range(1, len(lessons) + 2)]
        raise GameError(f"no lesson {number}", f"{game.title} has {len(lessons) + 1}", other_lessons)
    title, tasks = lessons[number - 2]
    next_line = f"zim tutorial {game.name} {number + 1}" if number <= len(lessons) else first_game_line(game)
    if not has_terminal(session):
        show_explanation(session, f"Lesson {number}: {title}")
        for task in tasks:
            show_explanation(session, task.text)
            session.show_blocks(*([("> ", "dim"), (line, "bold")] for line in task.solution))
        show_explanation(session, f"Next: {typable(next_line)}")
        return
    if session.level:
        lesson_line = f"zim tutorial {game.name} {number}"
        raise GameError("a lesson begins in the shell", "it opens a table of its own", ["quit", lesson_line])
    from zimcli.commands.practise import ask_tasks
    from zimcli.study.lesson_session import LessonSession

    lesson = LessonSession(session.output, session.by, game, tasks)
    ask_tasks(lesson, asks_by_line=asks_by_line)
    if lesson.number + 1 < len(tasks):
        next_line = f"zim tutorial {game.name} {number}"
    show_explanation(session, f"{lesson.solved} of {len(tasks)} solved. Next: {typable(next_line)}")


def first_game_line(game: Game) -> str:
    """What begins a first game, as the primer says it."""
    lines = (line for section in primer_of(game) for line in section.text.splitlines())
    return next((f"zim {line}" for line in lines if line.startswith(f"{NEW.name} ")), "zim new")


def resume_tutorial(session: Session, name: str, steps: Sequence[LessonStep]) -> Sequence[LessonStep]:
    """Returns to the tutorial's game, and gives the steps after its moves. Raises `GameError` if none are left."""
    position = session.position(name)
    session.enter_position(position)
    steps_left = remaining_steps(position, steps)
    if not steps_left:
        kind = position.game.name
        further_lessons = [f"tutorial {kind} 2"] if lessons_of(position.game) else []
        hints = [*further_lessons, f"play {name}", "tutorial --again"]
        raise GameError("this tutorial is over", f"its game is {name}", hints)
    return steps_left


def runs_at_table(session: Session) -> bool:
    """Whether the tutorial runs at the table, as `zim play` would."""
    from zimcli.commands.play import can_open_table
    from zimcli.repl.loop import load_settings

    return session.level == 0 and has_terminal(session) and can_open_table(load_settings()[0].screen)


def run_at_table(session: Session, steps_left: Sequence[LessonStep], name: str, resume_command: str) -> None:
    """Runs the tutorial in a pane of the table: the table that is open, or a new one."""
    instructions = TABLE_INSTRUCTIONS
    if steps_left[0].begins_tutorial:
        with session.showing_to(DocumentCollector()):  # the table shows the position itself
            session.run_line(named_game(steps_left[0].line, name))
        instructions, steps_left = f"{steps_left[0].text}\n{instructions}", steps_left[1:]
    elif session.current:
        instructions = f"Here we are again, after move {session.current.commit.number}.\n{instructions}"
    lesson = Lesson(steps_left, instructions, resume_command)
    if session.teach:
        session.teach(lesson)
        return
    from zimcli.repl.loop import load_settings
    from zimcli.table.app import run_table

    run_table(session, *load_settings(), lesson)


def show_explanation(session: Session, text: str, style: str = "bold green") -> None:
    """Shows an explanation, wrapped for a terminal; in a pipe each paragraph is a line."""
    width = min(shutil.get_terminal_size().columns, MAX_EXPLANATION_COLUMNS) if sys.stdout.isatty() else len(text) + 1
    for paragraph in filter(None, text.splitlines()):
        session.show_blocks([], *([(line, style)] for line in wrap(paragraph, width, break_on_hyphens=False)))


def line_reader(session: Session) -> Callable[[str], str] | None:
    """The function that asks for a line; None without a terminal."""
    if not has_terminal(session):
        return None
    from zimcli.repl.loop import load_settings, make_prompt

    return make_prompt(session, load_settings()[0])


def has_terminal(session: Session) -> bool:
    """Whether stdin and stdout are a terminal, so that the user can type."""
    return not session.output.json and sys.stdin.isatty() and sys.stdout.isatty()


def do_step(session: Session, line: str, ask_line: Callable[[str], str] | None) -> None:
    """Runs a line: at once if it is another player's or there is no terminal, else once the user has typed it."""
    is_of_other_player = LessonStep("", line).is_of_other_seat
    if ask_line and not is_of_other_player:
        wait_for_line(session, line, ask_line)
    else:
        session.show_blocks([("> ", "dim"), (line, "dim" if is_of_other_player else "bold")])
    session.run_line(line)


def wait_for_line(session: Session, line: str, ask_line: Callable[[str], str]) -> None:
    """Asks until the user types this line or just Enter; answers other lines. Ctrl-C asks again."""
    while True:
        try:
            session.show_blocks([("type: ", "dim"), (line, "bold cyan"), ("   or press Enter", "dim")])
            if answer_typed_line(session, line, " ".join(ask_line("").split())):
                return
        except (KeyboardInterrupt, click.Abort):
            session.level = 1


def answer_typed_line(session: Session, line: str, typed_text: str) -> bool:
    """Answers what the user typed, and returns whether it was `line`. Raises `LeaveError`."""
    from zimcli.repl.loop import try_line

    if not typed_text:
        session.show_blocks([("> ", "dim"), (line, "bold")])
    if not typed_text or is_same_line(session.current, typed_text, line):
        return True
    word = typed_text.partition(" ")[0]
    if word in LEAVE_WORDS:
        raise LeaveError
    if word.startswith("?") or word in READ_ONLY_COMMANDS:
        try_line(session, typed_text)
    elif word in ENTRIES_BY_NAME:
        session.show_note(comes_later_message(word, line))
    else:
        try_line(session, f"explain {typed_text}")
    session.level = 1
    return False
