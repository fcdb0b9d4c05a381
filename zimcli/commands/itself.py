"""The commands `config`, `completion` and `schema`: about zim itself."""

from __future__ import annotations

import click
import msgspec
from click.shell_completion import get_completion_class

from event_store.outputs import ExistingFileError, write_file
from zimcli.session.command import argument, plain_command
from zimcli.session.pipe_requests import EXCLUDED_COMMANDS, parameters_schema
from zimcli.session.session import Session
from zimcli.settings.config import TEMPLATE_FILE, load_config
from zimcli.settings.config_file import config_file
from zimcli.settings.settings import RUNNABLE_PREFIXES, change_setting
from zimcli.shell.registry import ENTRIES, ENTRIES_BY_NAME, answer_types_by_command
from zimcore.documents import schema as shapes
from zimcore.documents.learn import CompletionAnswer, SchemaAnswer, SettingsAnswer
from zimcore.game import GameError, UnknownError
from zimcore.service.records.places import similar_names


@plain_command()
@argument("words", nargs=-1, metavar="[KEY VALUE]")
@click.option("--write", "creates_file", is_flag=True, help="Create the settings file from the template.")
def config(session: Session, words: tuple[str, ...], creates_file: bool) -> SettingsAnswer:
    """Show or change the settings of the prompt and the table.

    Shows the settings, the keys of the table among them, and their file (`key` shows signing keys). With KEY and VALUE
    it changes one for good: `config board on`, `config table.log f9`, `config aliases.lg "log --last 5"`. The prompt
    uses it at once, the table the next time you open it. --write creates the file from a template that explains each
    setting; it does not overwrite a file.

    Example::

        zim config theme light
    """
    file = config_file()
    if creates_file:
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            write_file(file, [TEMPLATE_FILE.read_bytes()], access="public")
        except ExistingFileError as error:
            raise GameError(f"{file} exists already", "--write would overwrite your settings", ["config"]) from error
    if words and words[0].startswith(RUNNABLE_PREFIXES) and not session.is_typed:
        reason = "it says what is run: only a command that you type yourself changes it, no script and no pipe"
        raise GameError(f"config {words[0]}", reason, [f"zim config {words[0]} ..."])
    if words:
        key, _, value = words[0].partition("=")  # as options of `new` are written
        change_setting(file, key, " ".join([*filter(None, [value]), *words[1:]]))
    settings = msgspec.to_builtins(load_config(file))
    return SettingsAnswer(str(file), file.exists(), settings)


@plain_command()
@argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(_: Session, shell: str) -> CompletionAnswer:
    """Print a completion script for your shell.

    SHELL is bash, zsh or fish. Commands and options complete, and so do names of games and lines, legal commands and
    rules. For bash, add the example's line to ~/.bashrc; for zsh, the same with zsh to ~/.zshrc; for fish, save the
    output as ~/.config/fish/completions/zim.fish.

    Example::

        eval "$(zim completion bash)" && complete -p zim
    """
    completion_class = get_completion_class(shell)
    assert completion_class, "click knows these shells"
    return CompletionAnswer(shell, completion_class(click.Command("zim"), {}, "zim", "_ZIM_COMPLETE").source())


@plain_command()
@argument("name", required=False, metavar="[NAME]")
def schema(session: Session, name: str | None) -> SchemaAnswer:
    """Print the JSON schemas of all documents.

    Each command's --json document has a stable shape. The schemas have a version, which changes only if a document
    loses something. They include the requests of `zim pipe`. With NAME only those of that command.

    Example::

        zim schema
        zim schema new
    """
    if name is not None and name not in ENTRIES_BY_NAME:
        hints = [f"schema {each}" for each in similar_names(name, ENTRIES_BY_NAME)] or ["help all"]
        raise UnknownError(f"no command {name}", "schemas are of commands", hints)
    entries = [entry for entry in ENTRIES if name in (None, entry.name)]
    game_options = {key: text for game in session.all_games for key, text in game.rules.OPTIONS.items()}
    return shapes.schema(
        {each: types for each, types in answer_types_by_command().items() if name in (None, each)},
        {each.name: parameters_schema(each, game_options) for each in entries if each.name not in EXCLUDED_COMMANDS},
    )
