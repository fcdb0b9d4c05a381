"""The service: plays games in a store.

>>> from zimcore.service import open_service
>>> open_service("memory:").games()
[]
"""

from event_store import ConflictError, DamagedError, EventStore, StoreError, TakenError
from zimcore.commits import Commit, Position
from zimcore.documents.listings import Audit, Fault, GameInfo, LineInfo, Operation
from zimcore.game import RefusedError, UnknownError
from zimcore.games.registry import game
from zimcore.service.lines.visibility import EVERYTHING, SPECTATOR, TABLE, Viewer
from zimcore.service.records.results import Replay, ReplayConflict, Trial
from zimcore.service.service import GameService

__all__ = [
    "EVERYTHING",
    "SPECTATOR",
    "TABLE",
    "Audit",
    "Commit",
    "ConflictError",
    "DamagedError",
    "EventStore",
    "Fault",
    "GameInfo",
    "GameService",
    "LineInfo",
    "Operation",
    "Position",
    "RefusedError",
    "Replay",
    "ReplayConflict",
    "StoreError",
    "TakenError",
    "Trial",
    "UnknownError",
    "Viewer",
    "game",
    "open_service",
]


def open_service(url: str) -> GameService:
    """Opens the service on the store of a URL: `memory:`, `sqlite:///games.db`. Raises `StoreError`."""
    return GameService(EventStore.open(url))
