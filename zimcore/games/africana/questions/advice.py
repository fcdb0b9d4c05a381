"""What is worth a look in a position."""

from __future__ import annotations

from collections.abc import Sequence

from zimcore.game import Advice, Seat
from zimcore.games.africana.state import State


def advice(state: State, seat: Seat, beginning: str = "") -> Sequence[Advice]:
    """Nothing yet."""
    return ()
