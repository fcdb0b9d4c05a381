"""What zim says of itself, and its settings."""

from __future__ import annotations

import click
import msgspec
from click.shell_completion import get_completion_class

from zimcli.command import argument, plain_command
from zimcli.config import TEMPLATE, config_file, load
from zimcli.pipe_requests import NOT_HERE, shape
from zimcli.registry import ENTRIES, answers
from zimcli.session import Session
from zimcli.settings import change
from zimcore.documents import schema as shapes
from zimcore.documents.learn import CompletionAnswer, SchemaAnswer, SettingsAnswer
from zimcore.game import GameError


@plain_command()
@argument("words", nargs=-1, metavar="[KEY VALUE]")
@click.option("--write", is_flag=True, help="Write the template where the settings are.")
def config(_: Session, words: tuple[str, ...], write: bool) -> SettingsAnswer:
    """Show the settings of the prompt and the table, or change one.

    They are in a file of their own: its place, and what is in force. With KEY and VALUE one is changed, for good:
    `config board on`, `config table.log f9`; the prompt takes it up at once, the table when it is opened next. --write
    puts the template there, which explains each setting; a file that is there already stays.

    Example::

        zim config theme light
    """
    file = config_file()
    if write and file.exists():
        raise GameError(f"{file} is there already", "it would be lost", ["config"])
    if write:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(TEMPLATE.read_text("utf-8"), "utf-8")
    if words:
        change(file, words[0], " ".join(words[1:]))
    settings = msgspec.to_builtins(load(file))
    return SettingsAnswer(str(file), file.exists(), settings)


@plain_command()
@argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(_: Session, shell: str) -> CompletionAnswer:
    """Print what makes a shell complete zim's words.

    SHELL is bash, zsh or fish. Commands and options complete, names of games and lines, legal commands and rules too.
    Put the example's line into ~/.bashrc, or its like into ~/.zshrc; for fish write what it prints into
    ~/.config/fish/completions/zim.fish.

    Example::

        eval "$(zim completion bash)" && complete -p zim
    """
    kind = get_completion_class(shell)
    assert kind, "click knows these shells"
    return CompletionAnswer(shell, kind(click.Command("zim"), {}, "zim", "_ZIM_COMPLETE").source())


@plain_command()
def schema(_: Session) -> SchemaAnswer:
    """Show the shapes of documents.

    What `--json` answers with has a stable shape for each command. This prints them all, as JSON Schema, and what `zim
    pipe` takes; they have a version, which changes if a shape ever loses something.

    Example::

        zim schema
    """
    return shapes.schema(answers(), {entry.name: shape(entry) for entry in ENTRIES if entry.name not in NOT_HERE})
