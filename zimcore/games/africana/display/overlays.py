"""Overlays of the map: which locations the explorer to move can reach, and the cheapest way to one."""

from __future__ import annotations

from collections.abc import Sequence

from zimcore.game import GameError, NotationError, Overlay
from zimcore.games.africana.commands import Move
from zimcore.games.africana.notation.commands import format_command
from zimcore.games.africana.planner import Way, reachable
from zimcore.games.africana.state import State
from zimcore.toolkit.words import numbered, one_of


def overlay(state: State, name: str, words: Sequence[str]) -> Overlay:
    """The overlay with a name. Raises `NotationError` for an unknown name or location."""
    if name != "reach" or len(words) > 1:
        raise NotationError(" ".join((name, *words)), "there is reach, and reach with a location", ["board --reach"])
    if not state.actor:
        why = "the game is over" if state.phase == "over" else "nobody is to act now"
        raise GameError(f"no {name}", why, ["board"])
    ways = reachable(state, state.actor)
    return _way(state, ways, words[0]) if words else _reach(state, ways)


def _reach(state: State, ways: dict[str, Way]) -> Overlay:
    title = f"{state.turn.seat} can get to {len(ways) - 1} locations: cards, and silver for recolouring (s)"
    return Overlay(title, {place: _price(route) for place, route in ways.items() if route.steps})


def _price(route: Way) -> str:
    return f"{route.silver}s" if route.silver else str(route.steps)


def _way(state: State, ways: dict[str, Way], word: str) -> Overlay:
    """The cheapest way to a location, in commands that can be typed."""
    to = one_of(word, state.map.locations, "location")
    if to not in ways:
        return Overlay(f"{state.turn.seat} can't get to {state.map.title(to)} in this turn", {})
    route = ways[to]
    stops = [command.to for command in route.commands if isinstance(command, Move)]
    title = f"{' · '.join(map(format_command, route.commands)) or 'nothing'}: {_cost(route)}"
    return Overlay(title, {place: str(number) for number, place in enumerate(stops, 1)})


def _cost(route: Way) -> str:
    return f"{numbered(route.travel_cards, 'travel card')}, {route.silver} silver"
