"""The user's settings for the prompt and the table. The template `config.toml` in this folder documents them all."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Literal, get_args, get_type_hints

import msgspec

from zimcli.settings.config_file import config_file
from zimcli.shell.registry import ENTRIES_BY_NAME
from zimcore.game import GameError
from zimcore.toolkit.toml import read_toml

TEMPLATE_FILE = Path(__file__).with_name("config.toml")
ALIAS_PATTERN = re.compile(r"[a-z][a-z0-9-]*")
"""What an alias may be called."""


class TableKeys(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The keys of the table, one field per action; `zimcli.repl.key_actions` describes the actions."""

    help: str = "f1"
    board: str = "f2"
    log: str = "f3"
    panes: str = "f4"
    answer: str = "f5"
    back: str = "pageup"
    forward: str = "pagedown"
    next: str = "tab"
    previous: str = "s-tab"
    explain: str = "?"
    hint: str = "f6"
    take: str = "f7"
    suspend: str = "c-z"
    close: str = "escape"
    overlay: str = "o"
    clear: str = "c-c"
    leave: str = "c-d"


class Hooks(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The command lines of programs that run after moves; "" for none."""

    on_move: str = ""
    on_round: str = ""
    on_end: str = ""


class Config(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All settings. The defaults are those of the template."""

    screen: Literal["auto", "table", "lines"] = "auto"
    keys: Literal["emacs", "vi"] = "emacs"
    theme: Literal["dark", "light", "colour-blind", "plain"] = "dark"
    complete_while_typing: bool = True
    suggest: bool = True
    toolbar: bool = True
    board: bool = False
    bell: bool = True
    pager: bool = True
    thinking: bool = True
    key: str = ""
    table: TableKeys = TableKeys()
    hooks: Hooks = Hooks()
    aliases: dict[str, str] = {}


def load_config(file: Path) -> Config:
    """Reads the settings from a file; the defaults if there is none. Raises `GameError` if the file is not valid.

    >>> load_config(TEMPLATE_FILE) == Config()
    True
    """
    if not file.exists():
        return Config()
    try:
        return check_aliases(msgspec.convert(read_toml(file.read_text("utf-8")), Config))
    except msgspec.ValidationError as error:
        raise GameError(f"the settings in {file}", explain_setting(str(error)), ["config --help"]) from None
    except ValueError as error:  # bytes that are not UTF-8, broken TOML, or a number that is too long
        raise GameError(f"the settings in {file}", str(error), ["config --help"]) from None


def check_aliases(config: Config) -> Config:
    """Returns the settings. Raises `ValueError` for an alias that hides a command, or stands for none."""
    for name, alias_line in config.aliases.items():
        if name in ENTRIES_BY_NAME:
            raise ValueError(f"the alias {name} would hide a command of zim")
        if not ALIAS_PATTERN.fullmatch(name):
            raise ValueError(f"the alias {name!r} is no word: a name has only small letters, digits and -")
        try:
            words = shlex.split(alias_line)
        except ValueError as error:
            raise ValueError(f"the alias {name} is no command line: {str(error).lower()}") from None
        if not words or words[0] not in ENTRIES_BY_NAME:
            raise ValueError(f"the alias {name} does not begin with a command of zim: {alias_line}")
    return config


def expand_alias(word: str) -> list[str]:
    """The words that an alias stands for; empty if the settings have no such alias. Raises `GameError`."""
    alias_line = load_config(config_file()).aliases.get(word)
    return shlex.split(alias_line) if alias_line else []


def aliases_or_none() -> dict[str, str]:
    """The aliases in the settings; none if they can't be read, as help must not fail for that."""
    try:
        return load_config(config_file()).aliases
    except (GameError, OSError):
        return {}


def explain_setting(error_text: str) -> str:
    """Turns a msgspec error about a setting into a plain sentence.

    >>> explain_setting("Invalid enum value 'blue' - at `$.theme`")
    'theme is dark, light, colour-blind or plain'
    >>> explain_setting("Object contains unknown field `bel`")
    'there is no setting bel'
    >>> explain_setting("Expected `bool`, got `str` - at `$.bell`")
    'bell is true or false'
    """
    if unknown_field := re.search(r"unknown field `(.*?)`(?: - at `\$\.(.*)`)?", error_text):
        return f"there is no setting {unknown_field[2] + '.' if unknown_field[2] else ''}{unknown_field[1]}"
    setting_name = error_text.rpartition("$.")[2].rstrip("`")
    setting_type = get_type_hints(Config).get(setting_name)
    allowed_values = get_args(setting_type) or (
        ("true", "false") if setting_type is bool else ("a text in quotation marks",)
    )
    return (
        f"{setting_name} is {', '.join(allowed_values[:-1])} or {allowed_values[-1]}"
        if allowed_values[1:]
        else f"{setting_name} is {allowed_values[0]}"
    )
