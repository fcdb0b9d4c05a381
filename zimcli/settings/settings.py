"""Changes a setting in the user's file, and keeps the comments and the order in it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from event_store.outputs import new_file
from zimcli.settings.config import TEMPLATE_FILE, Config, load_config
from zimcore.game import GameError, NotationError

ALIAS_PREFIX = "aliases."
"""How the key of an alias begins."""
RUNNABLE_PREFIXES = (ALIAS_PREFIX, "hooks.")
"""How keys begin that say what is run: only the user may change them, no script and no pipe."""
VALUE_BY_SWITCH_WORD = {"on": True, "true": True, "yes": True, "off": False, "false": False, "no": False}


def change_setting(file: Path, key: str, value: str) -> None:
    """Sets a key (`board`, `table.log`) to a value. Raises `GameError` for an unknown key or an invalid value.

    If there is no file yet, it starts as a copy of the template. The file is replaced only if the result can be loaded.
    """
    defaults = _flatten(msgspec.to_builtins(Config()))
    if key.startswith(ALIAS_PREFIX):
        defaults[key] = ""
    if key not in defaults:
        similar_keys = [each for each in defaults if key and each.startswith(key)] or list(defaults)[:8]
        raise NotationError(
            f"no setting {key}", f"they are {', '.join(defaults)}", [f"config {each}" for each in similar_keys[:3]]
        )
    load_config(file)  # a file that can't be loaded must not be overwritten
    text = file.read_text("utf-8") if file.exists() else TEMPLATE_FILE.read_text("utf-8")
    changed_text = _with_setting(text, key, _toml_literal(key, value, defaults[key]))
    file.parent.mkdir(parents=True, exist_ok=True)
    with new_file(file, replace=True, access="public") as draft_file:
        draft_file.write_text(changed_text, "utf-8")
        try:
            load_config(draft_file)
        except GameError as error:
            raise NotationError(f"{key} {value}", error.why, ["config --help", "config"]) from None


def _flatten(settings: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """All settings by name; those of a section have its name as a prefix: `table.log`.

    >>> _flatten({"bell": True, "table": {"log": "f3"}})
    {'bell': True, 'table.log': 'f3'}
    """
    flat_settings: dict[str, Any] = {}
    for name, value in settings.items():
        flat_settings |= _flatten(value, f"{name}.") if isinstance(value, dict) else {prefix + name: value}
    return flat_settings


def _toml_literal(key: str, value: str, default_value: object) -> str:
    """A value as TOML. Raises `NotationError` for a switch that is neither on nor off, and for an empty value."""
    if isinstance(default_value, bool):
        if value.lower() not in VALUE_BY_SWITCH_WORD:
            raise NotationError(f"{key} {value}".strip(), "it is on or off", [f"config {key} on", f"config {key} off"])
        return str(VALUE_BY_SWITCH_WORD[value.lower()]).lower()
    if not value and not key.startswith("hooks."):
        raise NotationError(key, "say what it is to be", [f"config {key} {default_value}", "config"])
    return msgspec.json.encode(value).decode()


def _with_setting(text: str, key: str, literal: str) -> str:
    r"""The text with a setting changed in its place, or added to its section.

    >>> _with_setting("bell = true  # ring", "bell", "false")
    'bell = false  # ring'
    >>> _with_setting('bell = true\n[table]\nlog = "f3"\n', "board", "true")
    'board = true\nbell = true\n[table]\nlog = "f3"\n'
    """
    section, _, name = key.rpartition(".")
    section_header = re.search(rf"^\[{section}\][^\n]*\n", text, re.MULTILINE) if section else None
    if section and not section_header:
        return f"{text.rstrip()}\n\n[{section}]\n{name} = {literal}\n"
    section_start = section_header.end() if section_header else 0
    section_end = re.search(r"^\[", text[section_start:], re.MULTILINE)
    section_end_index = section_start + section_end.start() if section_end else len(text)
    setting_pattern = rf'^{name}\s*=\s*("(?:[^"\\\n]|\\.)*"|[^\s#]+)'
    changed_section, replacement_count = re.subn(
        setting_pattern,
        lambda _: f"{name} = {literal}",
        text[section_start:section_end_index],
        count=1,
        flags=re.MULTILINE,
    )
    return (
        text[:section_start]
        + (changed_section if replacement_count else f"{name} = {literal}\n{changed_section}")
        + text[section_end_index:]
    )
