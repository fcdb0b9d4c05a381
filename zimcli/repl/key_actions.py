"""The keys of the table as data: the actions, and the keys for each. The settings can change the keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec
from prompt_toolkit.key_binding import KeyBindings

from zimcli.settings.config import Config, TableKeys
from zimcore.game import GameError, Table


class Action(NamedTuple):
    """What a key does. `situation` limits it to a situation; `short` is its label at the foot of the screen."""

    help: str
    situation: str = ""
    short: str = ""


ACTIONS: Mapping[str, Action] = {
    "help": Action("show the keys", short="keys"),
    "board": Action("move to the board, where arrows select a square; again: back to the input line", short="board"),
    "log": Action("move to the log, where arrows show earlier positions; the head stays", short="log"),
    "panes": Action("show the panes that did not fit; on a small screen, board or panes", short="panes"),
    "answer": Action("show the last answer again, from its beginning"),
    "back": Action("show the position one move back; in a text, one page up"),
    "forward": Action("show the position one move forward; in a text, one page down"),
    "next": Action("select the next word of the menu; insert it if it is the only one"),
    "previous": Action("select the previous word of the menu"),
    "explain": Action("explain what you are typing; on an empty line, the keys and the screen", short="explain"),
    "hint": Action("show the best turn of the seat to move, and why; your text stays", short="hint"),
    "take": Action(
        "insert the best turn into the line; again: the next best. The board shows its effects", short="best turn"
    ),
    "suspend": Action("suspend Zim and return to the shell; `fg` resumes it"),
    "close": Action("close what is open; return to the head of the line", short="back"),
    "overlay": Action("show on the board what the square offers: its reach, its hubs", "on the board", "reach"),
    "clear": Action("stop the running command; otherwise clear the line"),
    "leave": Action("leave; all moves are stored", "on an empty line", "leave"),
}
"""The actions, by their names in the settings."""

FOOT_ACTIONS: Mapping[str, Sequence[str]] = {
    "line": ("help", "board", "log", "panes", "hint", "take", "explain", "leave"),
    "board": ("overlay", "close", "help"),
    "log": ("back", "forward", "close", "help"),
}
"""The actions at the foot of the screen, by the focus."""
HELP_ACTIONS = ("hint", "take")
"""Actions that are only available if programs may help."""
FIXED_KEYS = (
    ("Enter", "run the line; on the board, list the commands for the square"),
    ("1 to 6", "when a game is over, type one of the next steps; Enter runs it"),
    ("Up, Down", "previous lines"),
    ("Right", "accept the suggestion in grey"),
    ("Ctrl-R", "search the previous lines"),
    ("mouse", "click a square, a command, a move or a word of the menu; the wheel scrolls"),
)
"""Keys that the settings can't change."""

KEY_NAMES = {"pageup": "PageUp", "pagedown": "PageDown", "s-tab": "Shift-Tab", "escape": "Escape", "tab": "Tab"}


def keys_of(text: str) -> list[tuple[str, ...]]:
    """The key sequences of a setting. Raises `GameError` for an unknown key.

    >>> keys_of("f2"), keys_of("c-g, escape b")
    ([('f2',)], [('c-g',), ('escape', 'b')])
    """
    try:
        sequences = [tuple(each.split()) for each in text.split(",") if each.strip()]
        for keys in sequences:
            KeyBindings().add(*keys)
    except ValueError as error:
        raise GameError(f"the key {text!r}", str(error), ["config"]) from None
    return sequences


def with_usable_keys(config: Config) -> tuple[Config, GameError | None]:
    """The settings. If one of their keys is unknown, they get the template's keys, and the error is returned too."""
    try:
        for name in ACTIONS:
            keys_of(getattr(config.table, name))
    except GameError as error:
        return msgspec.structs.replace(config, table=TableKeys()), error
    return config, None


def key_names(text: str) -> str:
    """The keys of a setting in words.

    >>> key_names("f2, c-g")
    'F2 or Ctrl-G'
    """
    return " or ".join(" ".join(map(_name, keys)) for keys in keys_of(text))


def foot_keys(names: Mapping[str, str], focus: str, *, helps: bool) -> list[tuple[str, str, str]]:
    """The keys at the foot of the screen, each with its label, and the action that a click does; "" for none."""
    names_shown = (name for name in FOOT_ACTIONS[focus] if helps or name not in HELP_ACTIONS)
    board_keys = [("arrows", "another square", ""), ("Enter", "commands", "")] if focus == "board" else []
    return [*board_keys, *((names[name], ACTIONS[name].short, name) for name in names_shown if ACTIONS[name].short)]


def _name(key: str) -> str:
    if key in KEY_NAMES:
        return KEY_NAMES[key]
    return f"Ctrl-{key[2:].upper()}" if key.startswith("c-") else key.upper() if key[1:].isdigit() else key


def key_tables(keys: TableKeys) -> list[Table]:
    """Tables of all keys: what each does, and its name in the settings."""
    actions = [(name, getattr(keys, name), action) for name, action in ACTIONS.items()]
    rows = [
        (key_names(text), action.help + (f" ({action.situation})" if action.situation else ""), name)
        for name, text, action in actions
    ]
    return [
        Table("Keys, by their names in the settings", ("key", "what it does", "name"), tuple(rows)),
        Table("As on any input line", ("key", "what it does"), FIXED_KEYS),
    ]
