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

from zimcli.command import argument, unplaced
from zimcli.session import Session
from zimcore.documents.learn import CompletionAnswer


@unplaced(__doc__)
@argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(_: Session, shell: str) -> CompletionAnswer:
    """The script that click has for a shell."""
    kind = get_completion_class(shell)
    assert kind, "click knows these shells"
    return CompletionAnswer(shell, kind(click.Command("zim"), {}, "zim", "_ZIM_COMPLETE").source())
