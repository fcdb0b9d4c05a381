"""The discussion panel of a page: chat, standing orders, terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from zimcore.commits import Commit, Position
from zimcore.server.people.access import Visitor
from zimcore.service import GameService, Viewer

MAX_REMARKS = 200
"""The most messages that a page shows, the newest."""
PHRASES = ("Hi", "Good luck", "One moment", "Well played")
"""Messages that a click sends."""


def discussion_values(
    service: GameService, visitor: Visitor, head: Position, commits: Sequence[Commit]
) -> Mapping[str, Any]:
    """The values of the discussion panel, by the names in its template."""
    game, seat = visitor.game, visitor.seat
    is_player, viewer = visitor.role in ("seat", "bot"), Viewer(seat)
    remarks = service.talk(game, by=visitor.name, whose=visitor.grant.id, viewer=viewer) if is_player else None
    return {
        "talk": (service.discussion(game).remarks if remarks is None else remarks)[-MAX_REMARKS:],
        "says": is_player or visitor.role == "host",
        "phrases": PHRASES,
        "notes": is_player,
        "orders": service.orders(game, seat, viewer) if is_player and not head.outcome.over else None,
        "numbers": {commit.digest: commit.number for commit in commits},
    }
