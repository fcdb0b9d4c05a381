"""Files of lines that are run: scripts, and the demonstration."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import click

from zimcli.command import argument, plain_command
from zimcli.errors import problem_of, show, worst_of
from zimcli.exit_codes import FailedError
from zimcli.program_name import program
from zimcli.render.spans import Sheet
from zimcli.script import run_file, run_script
from zimcli.session import Session
from zimcore.documents.play import FailedLine, RunAnswer
from zimcore.service.visibility import EVERYTHING


@plain_command()
@argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option("--keep-going", is_flag=True, help="Go on after an error.")
def run(session: Session, file: str, keep_going: bool) -> RunAnswer | None:
    r"""Run a script.

    A script has a command a line, the same as at the prompt: commands of the game, and those of zim without their
    `zim`. `#` begins a comment; $NAME stands for what the environment says, $game and $line for where the script is. It
    stops at the first error; with --keep-going it goes on, says at the end what has failed, and leaves with the worst
    exit code. FILE may be - for what is piped in. Programs that ask and answer have `zim pipe`.

    Example::

        printf 'new kilwa-7 players=2 seed=7\nshow\n' | zim run -
    """
    if not keep_going:
        run_file(session, file)
        return None
    failed: list[FailedLine] = []

    def take_note(number: int, line: str, error: Exception) -> None:
        problem = problem_of(error)
        show(error, session.out)
        failed.append(FailedLine(number, line, problem.code, problem.kind, problem.what))

    answer = RunAnswer(file, run_file(session, file, take_note), tuple(failed))
    if failed:
        raise FailedError(answer, worst_of(f"{len(failed)} of {answer.lines} lines have failed", failed))
    return answer


@plain_command()
@argument("game", default="")
def demo(session: Session, game: str) -> None:
    """Watch a whole game.

    A script that comes with the game is played into a new store: it plays, looks, goes back, tries another line and
    proves both. What it plays can be looked at afterwards, with the store that it names at the end.

    GAME is one that zim knows; without a name it is the first.

    Example::

        zim demo
    """
    script = session.text("demo", game)
    session.look(EVERYTHING)
    session.store = session.store or f"sqlite:///{Path(tempfile.mkdtemp(prefix='zim-demo-')) / 'games.db'}"
    run_script(session, narrate(session, script), "demo")
    if session.here:
        session.note(f"all of it is kept; try: {program()} --store {session.store} log {session.here.match} --all")


def narrate(session: Session, script: str) -> Iterator[str]:
    """The lines of a script; tells its comments, and the standings whenever a round has begun."""
    rounds, before = set(), ""
    for line in script.splitlines():
        if line.startswith("#"):
            session.tell(*([] if before.startswith("#") else [[]]), [(line, "bold green")])
        before = line
        yield line
        mark = round_begun(session)
        if session.here and mark and mark not in rounds:
            rounds.add(mark)
            session.tell([], Sheet(session.here.tables[0], session.here.colours))


def round_begun(session: Session) -> str:
    """The line and mark of a round that begins here, if one does; marks with a dot are turns in it."""
    here = session.here
    marks = [mark for mark in here.commit.marks if "." not in mark] if here else []
    return f"{session.place}@{marks[0]}" if marks else ""
