"""What is worth a look in a position, and what a command would throw away."""

from __future__ import annotations

from collections.abc import Sequence

from zimcore.game import Advice, Seat
from zimcore.games.africana.commands import AnyCommand
from zimcore.games.africana.state import State


def advice(state: State, seat: Seat, beginning: str = "") -> Sequence[Advice]:
    """Nothing yet."""
    return ()


def waste(state: State, seat: Seat, command: AnyCommand) -> str:
    """Nothing that is known of yet."""
    return ""
