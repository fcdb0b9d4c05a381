"""Warns of a turn that ends without its main action."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from zimcore.game import Seat
from zimcore.games.zimbabwe.commands import AnyCommand, EndTurn
from zimcore.games.zimbabwe.state import State


def waste(state: State, seat: Seat, command: AnyCommand) -> str:
    """What ending the turn now would waste: a main action that is still possible; "" if nothing.

    For example `no main action was taken, and you could raise c3, build or craft potter/sculptor`.
    """
    is_unused = state.phase == "actions" and state.actor == seat and state.turn.action is None
    if not isinstance(command, EndTurn) or not is_unused:
        return ""
    *others, last = list(_possible_actions(state)) or [""]
    text = f"{', '.join(others)} or {last}" if others else last
    return f"no main action was taken, and you could {text}" if text else ""


def _possible_actions(state: State) -> Iterator[str]:
    """The main actions that are legal now, each in a few words."""
    from zimcore.games.zimbabwe.legal import raises  # too slow an import for the moves that waste nothing
    from zimcore.games.zimbabwe.placements import GROUPED_KINDS

    for command in islice(raises(state), 1):
        yield f"raise {' '.join(ritual.monument for ritual in command.rituals)}"
    for kind in ("build", "craft"):
        words = [group.words for group in GROUPED_KINDS[kind].all(state) if any(True for _ in group.commands(state))]
        if words:
            yield (
                words[0]
                if kind == "build"
                else f"craft {'/'.join(group_words.partition(' ')[2] for group_words in words)}"
            )
