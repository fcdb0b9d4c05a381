"""Dealing anew what a seat does not know, as the first commit of a line of its own."""

from __future__ import annotations

import os
from typing import Any

from zimcore.game import Event, Game, GameError, Refused, Seat
from zimcore.service.deciding import SEED_BYTES, decided, state_digest


def redealt(rules: Game, state: Any, seat: Seat | None) -> tuple[tuple[Event, ...], bytes]:
    """The facts of such a commit and the digest of the state, which is changed. Raises `GameError`."""
    if rules.secrets is None:
        raise GameError("nothing can be dealt anew", f"in {rules.title} everybody sees everything", ["fork PLACE NAME"])
    if not seat:
        raise GameError("for whom", "it is dealt anew for a seat, which keeps what it knows", ["fork ... --as SEAT"])
    seed = int.from_bytes(os.urandom(SEED_BYTES))
    events = decided(rules, state, "", rules.secrets.redeal(seat, seed))
    if isinstance(events, Refused):
        raise GameError("it can't be dealt anew", "; ".join(each.reason for each in events.refusals))
    return events, state_digest(rules, state)
