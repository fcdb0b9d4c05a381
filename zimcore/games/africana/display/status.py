"""A position in one line: whose turn it is, what they are to do, and the score. Draws no board."""

from __future__ import annotations

from collections.abc import Mapping

from zimcore.game import Seat
from zimcore.games.africana.scoring import vp
from zimcore.games.africana.state import State
from zimcore.toolkit.player_names import title_with_name

ACTION_WORDS = {"": "to act", "draw": "draws", "books": "at the book", "move": "on the way"}


def colours(state: State) -> Mapping[Seat, str]:
    """The colour of each company that plays."""
    colour_by_company = {company.name: company.colour for company in state.box.companies}
    return {seat: colour_by_company[seat] for seat in state.seats}


def names(state: State) -> Mapping[Seat, str]:
    """The names of players by seat, as far as they were given."""
    return state.names


def status(state: State) -> str:
    """The round, the seat to move, and what it is to do."""
    actor, last_note = title_with_name(state.actor, state.names), " (the last)" if state.ending else ""
    if not state.phase:
        return "not set up"
    if state.phase == "over":
        return f"round {state.round} · {' and '.join(title_with_name(seat, state.names) for seat in state.winners)} won"
    task_text = "to discard" if state.turn.over else ACTION_WORDS[state.turn.action]
    return f"round {state.round}{last_note} · {actor} {task_text}"


def toolbar(state: State) -> str:
    """All players' VP and silver in one line."""
    return "  ".join(f"{seat} {visible_vp(state, seat)} VP {state.silver[seat]}s" for seat in state.seats)


def visible_vp(state: State, seat: Seat) -> str:
    """A player's VP as text: `?` while some of them are hidden."""
    points = vp(state, seat)
    return "?" if points is None else str(points)
