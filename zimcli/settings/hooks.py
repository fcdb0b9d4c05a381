"""Hooks: programs that the user's own settings name for moves, rounds and the end of a game.

Only the file of the user's settings says what runs. Nothing in a game, a script or a server can.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zimcli.settings.config import Hooks
    from zimcore.commits import Position

TIMEOUT_SECONDS = 10
"""How long a program may take."""
IN_HOOK_VARIABLE = "ZIM_IN_HOOK"
"""The variable that is set for a program of a hook: its own moves run no hooks."""


def run_hooks(position: Position, show_note: Callable[[str], None]) -> None:
    """Runs the programs for a position that was just reached, and notes those that fail.

    Never raises an error, as the move has been played.
    """
    from zimcli.settings.config_file import config_file, has_config

    if os.environ.get(IN_HOOK_VARIABLE) or not has_config():  # usually: then the settings are not even imported
        return
    from zimcli.settings.config import load_config
    from zimcore.game import GameError

    try:
        hooks = load_config(config_file()).hooks
    except (GameError, OSError) as error:
        show_note(f"hooks do not run: {error}")
        return
    for name, command_line in hooks_for(hooks, position):
        if failure_text := run_hook(command_line, position):
            show_note(f"{name}: {command_line}: {failure_text}")


def hooks_for(hooks: Hooks, position: Position) -> Iterator[tuple[str, str]]:
    """The hooks for a position, by name, with their command lines."""
    begins_round = any("." not in mark for mark in position.commit.marks)
    for name, is_due in (
        ("on_move", True),
        ("on_round", begins_round),
        ("on_end", position.outcome.over),
    ):
        if is_due and (command_line := getattr(hooks, name)):
            yield name, command_line


def run_hook(command_line: str, position: Position) -> str:
    """Runs the program of a hook with a position on its stdin. Returns what went wrong; "" if nothing did."""
    from subprocess import TimeoutExpired  # too slow an import for every move

    from zimcli.settings.programs import program_words, reason_of, run_program

    try:
        program_end = run_program(program_words([command_line]), position, TIMEOUT_SECONDS, {IN_HOOK_VARIABLE: "1"})
    except TimeoutExpired:
        return f"it took more than {TIMEOUT_SECONDS} seconds, and was ended"
    except (OSError, ValueError) as error:  # a `GameError` is a `ValueError`
        return reason_of(error)
    if not program_end.status:
        return ""
    last_line = next(iter(program_end.printed_text.strip().splitlines()[-1:]), "")
    return f"it ended with status {program_end.status}" + (f": {last_line}" if last_line else "")
