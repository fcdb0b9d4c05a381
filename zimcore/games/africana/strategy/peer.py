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
    plans = [plan[0] for plan in candidates(state, seat)]
    if state.turn.over:
        return plans[0]
    ways = [route for route in routes(state, seat) if route.commands] if state.turn.action in ("", "move") else []
    best = max(ways, key=lambda route: route.gain, default=None)
    if best and best.gain >= MIN_GAIN:
        return best.commands[0]
    if state.turn.action and RULEBOOK.is_legal(state, seat, EndTurn()):
        return EndTurn()
    for command in plans:
        if isinstance(command, Buy | Draw):
            return command
    return max(ways, key=lambda route: outlook(state, seat, route.place, route.done)).commands[0] if ways else plans[0]
