"""The service that plays games in a store.

>>> from zimcore.service import open_service
>>> open_service("memory:").games()
[]
"""

from event_store import ConflictError, DamagedError, EventStore, StoreError
from zimcore.game import UnknownError
from zimcore.games.registry import game
from zimcore.service.answers import (
    Audit,
    Commit,
    Conflict,
    Fault,
    GameInfo,
    LineInfo,
    Operation,
    Position,
    Replay,
    Trial,
)
from zimcore.service.service import GameService

__all__ = [
    "Audit",
    "Commit",
    "Conflict",
    "ConflictError",
    "DamagedError",
    "EventStore",
    "Fault",
    "GameInfo",
    "GameService",
    "LineInfo",
    "Operation",
    "Position",
    "Replay",
    "StoreError",
    "Trial",
    "UnknownError",
    "game",
    "open_service",
]


def open_service(url: str) -> GameService:
    """The service over the store that a url names: `memory:`, `sqlite:///games.db`. Raises `StoreError`."""
    return GameService(EventStore.open(url))
