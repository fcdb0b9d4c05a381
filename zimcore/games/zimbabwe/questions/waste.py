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
    is_action_unused = state.phase == "actions" and state.actor == seat and state.turn.action is None
    if not isinstance(command, EndTurn) or not is_action_unused:
        return ""
    *other_actions, last_action = list(_possible_actions(state)) or [""]
    actions_text = f"{', '.join(other_actions)} or {last_action}" if other_actions else last_action
    return f"no main action was taken, and you could {actions_text}" if actions_text else ""


def _possible_actions(state: State) -> Iterator[str]:
    """The main actions that are legal now, each in a few words."""
    from zimcore.games.zimbabwe.legal import legal_raises  # too slow an import for the moves that waste nothing
    from zimcore.games.zimbabwe.placements import GROUPED_KINDS

    for command in islice(legal_raises(state), 1):
        yield f"raise {' '.join(ritual.monument for ritual in command.rituals)}"
    for kind in ("build", "craft"):
        words_of_groups = [
            group.words for group in GROUPED_KINDS[kind].all_groups(state) if any(True for _ in group.commands(state))
        ]
        if words_of_groups:
            yield (
                words_of_groups[0]
                if kind == "build"
                else f"craft {'/'.join(group_words.partition(' ')[2] for group_words in words_of_groups)}"
            )
