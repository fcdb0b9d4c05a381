"""How many commands are legal, by verb and by depth, at fixed positions of recorded games: nothing changes silently.

`python -m tests.zimbabwe.test_perft` writes the table anew, which wants a reason.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import pytest

from zimcore.game import Accepted
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe.commands import Raise
from zimcore.games.zimbabwe.state import State

TESTS_FOLDER = Path(__file__).parent.parent
TABLE_FILE = TESTS_FOLDER / "data" / "perft.json"
MOVES_BETWEEN = 17
"""Moves between two positions of a game that are looked at."""
MAX_CHILDREN = 12
"""Commands of a position that are looked at one deeper: the first of each position."""

Row = dict[str, Any]


def positions(script: Path) -> list[tuple[int, State]]:
    """Positions of a recorded game, each after so many moves."""
    lines = [line for line in script.read_text("utf-8").splitlines() if not line.startswith(("#", "expect"))]
    options = dict(word.split("=") for word in lines[0].split()[1:])
    seed = int(options.pop("seed"))
    state = state_after(GAME.evolution.initial(), "", GAME.rules.set_up(options, seed))
    states = []
    for move_number, line in enumerate(lines[1:]):
        if move_number % MOVES_BETWEEN == 0:
            states.append((move_number, state))
        seat, command = GAME.notation.parse(line, state)
        state = state_after(state, seat or "", command)
    return states


def state_after(state: State, seat: str, command: Any) -> State:
    outcome = GAME.rules.decide(state, seat, command)
    assert isinstance(outcome, Accepted), (seat, command, outcome)
    next_state: State = outcome.state
    return next_state


def row_of(state: State) -> Row:
    """The legal commands by verb, and how many there are after the first ones of them, raises left out."""
    commands = list(GAME.rules.legal(state, state.actor or ""))
    verb_counts = Counter(GAME.notation.format(command).split()[0] for command in commands)
    commands_without_raises = [command for command in commands if not isinstance(command, Raise)]
    next_states = (
        state_after(state, state.actor or "", command) for command in islice(commands_without_raises, MAX_CHILDREN)
    )
    next_command_count = sum(
        sum(not isinstance(command, Raise) for command in GAME.rules.legal(next_state, next_state.actor or ""))
        for next_state in next_states
    )
    return {"1": dict(sorted(verb_counts.items())), "2": next_command_count}


def table_of(script: Path) -> dict[str, Row]:
    """The rows of one game, by the move that they follow."""
    return {str(move_number): row_of(state) for move_number, state in positions(script)}


SCRIPTS = [
    TESTS_FOLDER / "games" / f"{name}.zim" for name in ("bot-2p-015", "mixed-3p-10145", "bot-4p-007", "mixed-5p-20139")
]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_the_numbers_of_legal_commands_do_not_change(script: Path) -> None:
    assert table_of(script) == msgspec.json.decode(TABLE_FILE.read_bytes())[script.stem]


if __name__ == "__main__":
    rows = {script.stem: table_of(script) for script in SCRIPTS}
    TABLE_FILE.write_bytes(msgspec.json.format(msgspec.json.encode(rows), indent=1) + b"\n")
