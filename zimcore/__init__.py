"""Zim as a library: `import zimcore as zim`. `__all__` is all that is public here; each name is loaded when it is used.

`zim.open(...)` opens a `Store` of games, and its methods are the commands of the shell. `zim.game("zimbabwe")` is a
`Match` in memory, to push and pop moves. Both show a `Position`. What other methods answer has fields, which print
themselves and are those of `zim schema COMMAND`; `frame()` makes a table of it. All errors of games are `GameError`.

>>> import zimcore as zim
>>> sorted(zim.__all__) == sorted(zim.MODULES_BY_NAME)
True
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from zimcore.commits import Commit as Commit
    from zimcore.commits import Position as Position
    from zimcore.game import GameError as GameError
    from zimcore.game import HiddenError as HiddenError
    from zimcore.game import NotationError as NotationError
    from zimcore.game import OptionError as OptionError
    from zimcore.game import Outcome as Outcome
    from zimcore.game import Refused as Refused
    from zimcore.game import RefusedError as RefusedError
    from zimcore.game import Table as Table
    from zimcore.game import UnknownError as UnknownError
    from zimcore.history import ExpressionError as ExpressionError
    from zimcore.history import bisect as bisect
    from zimcore.history import parse as parse
    from zimcore.history import sweep as sweep
    from zimcore.history import why as why
    from zimcore.library import Frame as Frame
    from zimcore.library import LegalMoves as LegalMoves
    from zimcore.library import Match as Match
    from zimcore.library import Store as Store
    from zimcore.library import arena as arena
    from zimcore.library import draw as draw
    from zimcore.library import open as open  # noqa: A004 - zim.open
    from zimcore.service import EVERYTHING as EVERYTHING
    from zimcore.service import SPECTATOR as SPECTATOR
    from zimcore.service import ConflictError as ConflictError
    from zimcore.service import StoreError as StoreError
    from zimcore.service import TakenError as TakenError
    from zimcore.service import Trial as Trial
    from zimcore.service import Viewer as Viewer

    game = Match  # zim.game("zimbabwe", players=2)

NAMES_BY_MODULE = {
    "commits": ("Commit", "Position"),
    "game": (
        *("GameError", "HiddenError", "NotationError", "OptionError", "Outcome", "Refused", "RefusedError", "Table"),
        "UnknownError",
    ),
    "history": ("ExpressionError", "bisect", "parse", "sweep", "why"),
    "library": ("Frame", "LegalMoves", "Match", "Store", "arena", "draw", "open"),
    "service": ("EVERYTHING", "SPECTATOR", "ConflictError", "StoreError", "TakenError", "Trial", "Viewer"),
}
MODULES_BY_NAME = {name: f"zimcore.{module}" for module, names in NAMES_BY_MODULE.items() for name in names}
MODULES_BY_NAME["game"] = "zimcore.game"
"""The module of each public name; `game` is a module itself, which can be called."""

__all__ = [  # noqa: PLE0604, RUF100
    *("EVERYTHING", "SPECTATOR", "Commit", "ConflictError", "ExpressionError", "Frame", "GameError", "HiddenError"),
    *("LegalMoves", "Match", "NotationError", "OptionError", "Outcome", "Position", "Refused", "RefusedError", "Store"),
    *("StoreError", "Table", "TakenError", "Trial", "UnknownError", "Viewer", "arena", "bisect", "draw", "game"),
    *("open", "parse", "sweep", "why"),
]


def __getattr__(name: str) -> Any:
    if name not in MODULES_BY_NAME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(MODULES_BY_NAME[name])
    return module if name == "game" else getattr(module, name)


def __dir__() -> list[str]:
    return sorted(__all__)
