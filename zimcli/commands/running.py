"""The commands that run scripts: `run` and `demo`."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import click

from zimcli.output.errors import problem_of, script_problem, show_error
from zimcli.output.output import DocumentCollector
from zimcli.output.pager import is_interactive
from zimcli.render.spans import Sheet
from zimcli.session.allowed_programs import allow_in_run
from zimcli.session.command import allow_option, argument, plain_command
from zimcli.session.lesson import named_game
from zimcli.session.output_files import enter_folder, folder_option
from zimcli.session.script import run_file, run_script
from zimcli.session.session import Session
from zimcli.shell.exit_codes import FailedError
from zimcore.documents.play import FailedLine, RunAnswer
from zimcore.game import GameError
from zimcore.service.lines.visibility import EVERYTHING
from zimcore.service.records.scripts import moves_of_script
from zimcore.toolkit.words import numbered

STOP_PROMPT = "Enter go on · e to the end · q leave "
NEXT_KEYS, END_KEY, LEAVE_KEY = "\r\n ", "e", "q"
"""The keys at a stop of the demo."""


@plain_command()
@argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option("--keep-going", is_flag=True, help="Go on after errors.")
@allow_option
@folder_option
def run(
    session: Session, file: str, keep_going: bool, allowed_programs: tuple[str, ...], folder: str | None
) -> RunAnswer | None:
    r"""Run a script.

    A script has one command per line, as at the prompt: commands of the game, and commands of zim without `zim`. `#`
    begins a comment; $NAME is a variable of the environment, $game and $line are the script's current game and line.
    FILE may be - for stdin. Files that the script writes must be in the current folder, in --folder, or below. The
    script stops at the first error. With --keep-going it goes on, lists the errors at the end, and exits with the worst
    code. For programs that ask and answer there is `zim pipe`.

    Example::

        printf 'new kilwa-7 players=2 seed=7\nshow\n' | zim run -
    """
    allow_in_run(session, allowed_programs)
    enter_folder(session, folder)
    if not keep_going:
        run_file(session, file)
        return None
    failed_lines: list[FailedLine] = []

    def record_failure(number: int, line: str, error: Exception) -> None:
        problem = problem_of(error)
        show_error(error, session.output)
        failed_lines.append(FailedLine(number, line, problem.code, problem.kind, problem.what))

    answer = RunAnswer(file, run_file(session, file, record_failure), tuple(failed_lines))
    if failed_lines:
        raise FailedError(
            answer, script_problem(f"{len(failed_lines)} of {numbered(answer.lines, 'line')} failed", failed_lines)
        )
    return answer


@plain_command()
@argument("game", default="")
@click.option("--keep", "is_kept", is_flag=True, help="Only put the game into your store, as demo-GAME.")
def demo(session: Session, game: str, *, is_kept: bool) -> None:
    """Watch a whole game.

    Plays a script that comes with the game into a new store: it plays, looks, goes back, tries another line and proves
    both. At a terminal it stops before each round. The last line says how to look at the store afterwards.

    GAME is the name of a game; the default is the first.

    --keep plays the game into your own store instead, without a word: the primers of `rules` ask about its positions.

    Example::

        zim demo
    """
    script = session.game_script("demo", game)
    session.set_viewer(EVERYTHING)
    if is_kept:
        keep_demo(session, f"demo-{session.game(game).name}", script)
        return
    session.store = session.store or f"sqlite:///{Path(tempfile.mkdtemp(prefix='zim-demo-')) / 'games.db'}"
    run_script(session, narrate_script(session, script, pause_function(session)), "demo")
    if session.current and session.store != "memory:":
        game = session.current.match
        command_start = f"zim --store {session.store}"
        if is_interactive():
            session.show_note("to see it in a browser:")  # the command has a row of its own: no word of it is broken
            session.show_note(f"{command_start} replay {game} --html {game}.html")
        session.show_note(f"the game is stored; try: {command_start} play {game}")


def keep_demo(session: Session, name: str, script: str) -> None:
    """Plays the moves of a demo in a game of this name, unless they are stored there already."""
    begin_line, moves = moves_of_script(script)
    stored_text = f"{name} is stored, with {numbered(len(moves), 'move')}"
    if session.opened_service.has_game(name):
        if len(session.opened_service.log(f"{name}/main", all_=True, viewer=EVERYTHING)) > len(moves):
            session.show_note(stored_text)
            return
        hints = [f"show {name}", f"rename {name} NAME"]
        raise GameError(f"{name} is there already", "its moves are not those of the demo", hints)
    with session.showing_to(DocumentCollector()):
        session.run_line(named_game(begin_line, name))
        for move in moves:
            session.run_line(move)
    session.show_note(stored_text)


def pause_function(session: Session) -> Callable[[], str]:
    """A function that waits for one of the keys of `STOP_PROMPT`, and returns it. In a pipe it does not wait.

    A terminal that is closed, or Ctrl-D, goes on without further stops.
    """
    output = session.output
    if session.level or output.json or output.quiet or output.format or not is_interactive():
        return lambda: END_KEY

    def wait_for_key() -> str:
        click.echo(STOP_PROMPT, nl=False)
        key = ""
        while not key:
            try:
                typed_keys = click.getchar().lower()  # several keys, if they were typed fast
            except (EOFError, OSError):
                typed_keys = END_KEY
            key = next((typed_key for typed_key in typed_keys if typed_key in NEXT_KEYS + END_KEY + LEAVE_KEY), "")
        click.echo("\r\x1b[2K", nl=False)
        return key

    return wait_for_key


def narrate_script(session: Session, script: str, pause: Callable[[], str] = lambda: END_KEY) -> Iterator[str]:
    """Yields the lines of a script. Shows its comments, and the standings at the start of each round.

    Before each group of comments but the first, `pause` asks how to go on: to the next, to the end, or not at all.
    """
    shown_rounds, previous_line, skips_stops = set(), "", False
    for line_index, line in enumerate(script.splitlines()):
        if line.startswith("#"):
            if line_index and not previous_line.startswith("#") and not skips_stops:
                pressed_key = pause()
                if pressed_key == LEAVE_KEY:
                    return
                skips_stops = pressed_key == END_KEY
            session.show_blocks(*([] if previous_line.startswith("#") else [[]]), [(line, "bold green")])
        previous_line = line
        yield line
        mark = round_mark(session)
        if session.current and mark and mark not in shown_rounds:
            shown_rounds.add(mark)
            session.show_blocks([], Sheet(session.current.tables[0], session.current.colours))


def round_mark(session: Session) -> str:
    """The line and mark of the round that begins here; "" if none does. Marks with a dot are turns."""
    position = session.current
    marks = [mark for mark in position.commit.marks if "." not in mark] if position else []
    return f"{session.place}@{marks[0]}" if marks else ""
