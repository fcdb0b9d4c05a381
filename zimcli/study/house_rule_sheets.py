"""Reads sheets of house rules: TOML files, and the sheets that a game has by name."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from zimcli.output import files
from zimcore.game import Game, OptionError
from zimcore.history.disputed_readings import reading_options as readings
from zimcore.toolkit.file_kinds import EMPTY, SETTINGS, TEXT
from zimcore.toolkit.toml import read_toml


def read_house_rules(path: str, game: Game, options: Mapping[str, str]) -> dict[str, str]:
    """The house rules of a sheet that differ from the default: a file, or one of the game's own sheets by its name.

    Raises `OptionError` for a wrong line.
    """
    own_sheets = game.recordings.SHEETS if game.recordings else {}
    if path in own_sheets and not os.path.exists(path):
        return dict(own_sheets[path])
    readings_by_option, house_rules = readings(game), dict[str, str]()
    with files.open_for_reading(path, "a sheet of house rules", [SETTINGS, TEXT, EMPTY]) as file:
        sheet_bytes = file.read()
    try:
        sheet_values = read_toml(sheet_bytes.decode("utf-8-sig"))
    except ValueError as error:  # wrong bytes, wrong TOML, numbers that are too long
        bare_value = re.search(rb"^[ \t]*([a-z_]+)[ \t]*=[ \t]*([a-z-]+)[ \t]*\r?$", sheet_bytes, re.MULTILINE)
        option, value = (
            map(bytes.decode, bare_value.groups())
            if bare_value
            else next(iter(readings_by_option.items()), ("option", "value"))
        )
        raise OptionError(path, f"this is not a sheet of house rules: {error}", [f'{option} = "{value}"']) from error
    for option, reading in sheet_values.items():
        location = f"{path}: {option} = {reading}"
        if option not in readings_by_option:
            reason = f"{game.title} has no such house rule; it has {', '.join(readings_by_option) or 'none'}"
            raise OptionError(location, reason, ["rules --disputed"])
        if not isinstance(reading, str):
            raise OptionError(location, "the value has to be in quotes", [f'{option} = "{readings_by_option[option]}"'])
        if options.get(option, reading) != reading:
            raise OptionError(location, f"{option} is {options[option]} already", [f"new ... {option}={reading}"])
        game.rules.set_up({option: reading}, 0)  # raises for unknown values
        if reading == readings_by_option[option]:
            house_rules[option] = reading
    return house_rules
