"""Overlays of the map: which locations the explorer to move can reach, and the cheapest way to one."""

from __future__ import annotations

from collections.abc import Sequence

from zimcore.game import GameError, NotationError, Overlay
from zimcore.games.africana.commands import Move
from zimcore.games.africana.notation.commands import format_command
from zimcore.games.africana.planner import Way, ways_this_turn
from zimcore.games.africana.state import State
from zimcore.toolkit.words import numbered, one_of


def overlay(state: State, name: str, words: Sequence[str]) -> Overlay:
    """The overlay with a name. Raises `NotationError` for an unknown name or location."""
    if name != "reach" or len(words) > 1:
        raise NotationError(" ".join((name, *words)), "there is reach, and reach with a location", ["board --reach"])
    if not state.actor:
        why = "the game is over" if state.phase == "over" else "nobody is to act now"
        raise GameError(f"no {name}", why, ["board"])
    ways = ways_this_turn(state, state.actor)
    return _way_overlay(state, ways, words[0]) if words else _reach_overlay(state, ways)


def _reach_overlay(state: State, ways: dict[str, Way]) -> Overlay:
    title = f"{state.turn.seat} can get to {len(ways) - 1} locations: cards, and silver for recolouring (s)"
    return Overlay(title, {place: _cost_label(route) for place, route in ways.items() if route.steps})


def _cost_label(route: Way) -> str:
    return f"{route.silver}s" if route.silver else str(route.steps)


def _way_overlay(state: State, ways: dict[str, Way], word: str) -> Overlay:
    """The cheapest way to a location, in commands that can be typed."""
    target = one_of(word, state.map.locations, "location")
    if target not in ways:
        return Overlay(f"{state.turn.seat} can't get to {state.map.title(target)} in this turn", {})
    route = ways[target]
    stops = [command.to for command in route.commands if isinstance(command, Move)]
    title = f"{' · '.join(map(format_command, route.commands)) or 'nothing'}: {_cost_text(route)}"
    return Overlay(title, {place: str(number) for number, place in enumerate(stops, 1)})


def _cost_text(route: Way) -> str:
    return f"{numbered(route.travel_cards, 'travel card')}, {route.silver} silver"
