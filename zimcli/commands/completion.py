"""Print what makes a shell complete zim's words.

SHELL is bash, zsh or fish. Commands and options complete, names of games and lines, legal commands and rules too. Put
the example's line into ~/.bashrc, or its like into ~/.zshrc; for fish write what it prints into
~/.config/fish/completions/zim.fish.

Example::

    eval "$(zim completion bash)" && complete -p zim
"""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from zimcli.command import pass_session, unplaced
from zimcli.session import Session


@unplaced(__doc__)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@pass_session
def command(session: Session, shell: str) -> None:
    """Prints the script that click has for a shell."""
    kind = get_completion_class(shell)
    assert kind, "click knows these shells"
    script = kind(click.Command("zim"), {}, "zim", "_ZIM_COMPLETE").source()
    session.out.document({"shell": shell, "script": script})
    session.out.lines([(line, "")] for line in script.splitlines())
