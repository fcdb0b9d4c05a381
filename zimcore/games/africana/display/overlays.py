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
        reason = "the game is over" if state.phase == "over" else "nobody is to act now"
        raise GameError(f"no {name}", reason, ["board"])
    ways = ways_this_turn(state, state.actor)
    return _way_overlay(state, ways, words[0]) if words else _reach_overlay(state, ways)


def _reach_overlay(state: State, ways: dict[str, Way]) -> Overlay:
    title = f"{state.turn.seat} can get to {len(ways) - 1} locations: cards, and silver for recolouring (s)"
    return Overlay(title, {place: _cost_label(way) for place, way in ways.items() if way.steps})


def _cost_label(way: Way) -> str:
    return f"{way.silver}s" if way.silver else str(way.steps)


def _way_overlay(state: State, ways: dict[str, Way], word: str) -> Overlay:
    """The cheapest way to a location, in commands that can be typed."""
    target = one_of(word, state.map.locations, "location")
    if target not in ways:
        return Overlay(f"{state.turn.seat} can't get to {state.map.title(target)} in this turn", {})
    way = ways[target]
    stops = [command.to for command in way.commands if isinstance(command, Move)]
    title = f"{' · '.join(map(format_command, way.commands)) or 'nothing'}: {_cost_text(way)}"
    return Overlay(title, {place: str(number) for number, place in enumerate(stops, 1)})


def _cost_text(way: Way) -> str:
    return f"{numbered(way.travel_cards, 'travel card')}, {way.silver} silver"
