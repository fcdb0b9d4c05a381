"""The baseline: ends what it can, goes where the most is to be done, buys when it is rich, and draws otherwise."""

from __future__ import annotations

from zimcore.game import Seat
from zimcore.games.africana.commands import AnyCommand, Buy, Draw, EndTurn
from zimcore.games.africana.rules.rule import RULEBOOK
from zimcore.games.africana.state import State
from zimcore.games.africana.strategy.candidates import candidates
from zimcore.games.africana.strategy.features import outlook
from zimcore.games.africana.strategy.routes import routes

GAIN = 1.0
"""What a way has to bring to be gone before the hand is full, about in VP."""


def baseline(state: State, seat: Seat) -> AnyCommand:
    """What it plays."""
    plans = [plan[0] for plan in candidates(state, seat)]
    if state.turn.over:
        return plans[0]
    ways = [route for route in routes(state, seat) if route.commands] if state.turn.action in ("", "move") else []
    best = max(ways, key=lambda each: each.gain, default=None)
    if best and best.gain >= GAIN:
        return best.commands[0]
    if state.turn.action and RULEBOOK.stands(state, seat, EndTurn()):
        return EndTurn()
    for command in plans:
        if isinstance(command, Buy | Draw):
            return command
    return max(ways, key=lambda each: outlook(state, seat, each.place, each.done)).commands[0] if ways else plans[0]
