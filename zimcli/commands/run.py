r"""Run a script.

A script has a command a line, the same as at the prompt: commands of the game, and those of zim without their `zim`.
`#` begins a comment; $NAME stands for what the environment says, $game and $line for where the script is. It stops at
the first error. FILE may be - for what is piped in.

Example::

    printf 'new kilwa-7 players=2 seed=7\nshow\n' | zim run -
"""

from __future__ import annotations

import click

from zimcli.command import argument, unplaced
from zimcli.script import run_file
from zimcli.session import Session


@unplaced(__doc__)
@argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
def command(session: Session, file: str) -> None:
    """Runs the lines of a file, each of which has its answer."""
    run_file(session, file)
