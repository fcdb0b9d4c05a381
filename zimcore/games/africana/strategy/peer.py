"""The baseline: takes a good way if there is one, else buys or draws."""

from __future__ import annotations

from zimcore.game import Seat
from zimcore.games.africana.commands import AnyCommand, Buy, Draw, EndTurn
from zimcore.games.africana.rules.rule import RULEBOOK
from zimcore.games.africana.state import State
from zimcore.games.africana.strategy.candidates import candidates
from zimcore.games.africana.strategy.features import outlook
from zimcore.games.africana.strategy.routes import routes

MIN_GAIN = 1.0
"""The least gain, in about VP, for which it takes a way at once."""


def baseline(state: State, seat: Seat) -> AnyCommand:
    """The command that the baseline plays."""
    first_commands = [plan[0] for plan in candidates(state, seat)]
    if state.turn.over:
        return first_commands[0]
    routes_with_commands = (
        [route for route in routes(state, seat) if route.commands] if state.turn.action in ("", "move") else []
    )
    best_route = max(routes_with_commands, key=lambda route: route.gain, default=None)
    if best_route and best_route.gain >= MIN_GAIN:
        return best_route.commands[0]
    if state.turn.action and RULEBOOK.is_legal(state, seat, EndTurn()):
        return EndTurn()
    for command in first_commands:
        if isinstance(command, Buy | Draw):
            return command
    return (
        max(routes_with_commands, key=lambda route: outlook(state, seat, route.place, route.deeds)).commands[0]
        if routes_with_commands
        else first_commands[0]
    )
