"""The keys of the table as data: the actions, and the keys for each. The settings can change the keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec
from prompt_toolkit.key_binding import KeyBindings

from zimcli.config import Config, TableKeys
from zimcore.game import GameError, Table


class Action(NamedTuple):
    """What a key does. `where` limits it to a situation; `short` is its label at the foot of the screen."""

    help: str
    where: str = ""
    short: str = ""


ACTIONS: Mapping[str, Action] = {
    "help": Action("show the keys", short="keys"),
    "board": Action("go to the board: arrows pick a square, and to the line back again", short="board"),
    "log": Action("go to the log: arrows look back without moving the head", short="log"),
    "panes": Action("show the panes for which there was no room; on a small screen, board or panes", short="panes"),
    "answer": Action("read the last answer again, from its beginning"),
    "back": Action("look one move back; a page up in what is read"),
    "forward": Action("look one move forward; a page down in what is read"),
    "next": Action("try the next word of the menu; take it if it is the only one"),
    "previous": Action("try the word before"),
    "explain": Action("explain what is being typed; with nothing typed, the keys and the screen", short="explain"),
    "hint": Action("show the best turn of whose turn it is, and why; what is typed stays", short="hint"),
    "take": Action(
        "put the best turn into the line, and again the next one; the board shows what it would do", short="best turn"
    ),
    "suspend": Action("back to the shell, until `fg`"),
    "close": Action("close what is open; come back from a look back", short="back"),
    "overlay": Action("lay over the board what goes from the square: reach, hubs", "on the board", "reach"),
    "clear": Action("stop what is being done; else clear the line"),
    "leave": Action("leave; everything that was played is kept", "with nothing on the line", "leave"),
}
"""The actions, by their names in the settings."""

FOOT: Mapping[str, Sequence[str]] = {
    "line": ("help", "board", "log", "panes", "hint", "take", "explain", "leave"),
    "board": ("overlay", "close", "help"),
    "log": ("back", "forward", "close", "help"),
}
"""The actions at the foot of the screen, by the focus."""
HELPS = ("hint", "take")
"""Actions that are only available if programs may help."""
FIXED = (
    ("Enter", "do what the line says; on the board, offer what can be done on the square"),
    ("1 to 6", "when a game is over, type what leads on from there: Enter does it"),
    ("Up, Down", "the lines that were typed before"),
    ("Right", "take the line that is suggested in grey"),
    ("Ctrl-R", "search the lines that were typed before"),
    ("mouse", "a square, a command, a move or a word of the menu, where it is clicked; the wheel scrolls"),
)
"""Keys that the settings can't change."""

NAMES = {"pageup": "PageUp", "pagedown": "PageDown", "s-tab": "Shift-Tab", "escape": "Escape", "tab": "Tab"}


def keys_of(text: str) -> list[tuple[str, ...]]:
    """The key sequences of a setting. Raises `GameError` for an unknown key.

    >>> keys_of("f2"), keys_of("c-g, escape b")
    ([('f2',)], [('c-g',), ('escape', 'b')])
    """
    try:
        found = [tuple(each.split()) for each in text.split(",") if each.strip()]
        for keys in found:
            KeyBindings().add(*keys)
    except ValueError as error:
        raise GameError(f"the key {text!r}", str(error), ["config"]) from None
    return found


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


def foot(names: Mapping[str, str], focus: str, *, helps: bool) -> list[tuple[str, str]]:
    """The keys at the foot of the screen, each with its label."""
    chosen = (name for name in FOOT[focus] if helps or name not in HELPS)
    fixed = [("arrows", "another square"), ("Enter", "what can be done")] if focus == "board" else []
    return [*fixed, *((names[name], ACTIONS[name].short) for name in chosen if ACTIONS[name].short)]


def _name(key: str) -> str:
    if key in NAMES:
        return NAMES[key]
    return f"Ctrl-{key[2:].upper()}" if key.startswith("c-") else key.upper() if key[1:].isdigit() else key


def panel(keys: TableKeys) -> list[Table]:
    """Tables of all keys: what each does, and its name in the settings."""
    said = [(each, getattr(keys, each), action) for each, action in ACTIONS.items()]
    rows = [
        (key_names(text), action.help + (f" ({action.where})" if action.where else ""), name)
        for name, text, action in said
    ]
    return [
        Table("Keys, by their names in the settings", ("key", "what it does", "name"), tuple(rows)),
        Table("And as on any line", ("key", "what it does"), FIXED),
    ]
