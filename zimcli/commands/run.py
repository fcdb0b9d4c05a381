r"""Run a script.

A script has a command a line, the same as at the prompt: commands of the game, and those of zim without their `zim`.
`#` begins a comment; $NAME stands for what the environment says, $game and $line for where the script is. It stops at
the first error; with --keep-going it goes on, says at the end what has failed, and leaves with the worst exit code.
FILE may be - for what is piped in. Programs that ask and answer have `zim pipe`.

Example::

    printf 'new kilwa-7 players=2 seed=7\nshow\n' | zim run -
"""

from __future__ import annotations

import click

from zimcli.command import argument, unplaced
from zimcli.errors import problem_of, show, worst
from zimcli.problems import FailedError
from zimcli.script import run_file
from zimcli.session import Session
from zimcore.documents.play import FailedLine, RunAnswer


@unplaced(__doc__)
@argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option("--keep-going", is_flag=True, help="Go on after an error.")
def command(session: Session, file: str, keep_going: bool) -> RunAnswer | None:
    """Runs the lines of a file, each of which has its answer."""
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
        raise FailedError(answer, worst(f"{len(failed)} of {answer.lines} lines have failed", failed))
    return answer
