"""Earlier releases of Nim: its source with the differences of that time."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

from tests import nim


def games_of_release(version: str, differing_source: str) -> dict[str, str]:
    """The `games` of a service by that release."""
    module = ModuleType(f"{nim.__name__}_{version}")
    sys.modules[module.__name__] = module
    exec(Path(nim.__file__).read_text("utf-8") + differing_source, vars(module))
    module.GAME.version = version
    return {"nim": f"{module.__name__}:GAME"}


RELEASE_1 = games_of_release(
    "1",
    """
class StonesTaken(Event, frozen=True, tag="taken.1"):
    seat: Seat
    n: int
    stones = property(lambda self: self.n)


on_taken, UPCASTERS = on_stones_taken, {}
""",
)
RELEASE_2 = games_of_release(
    "2",
    """
class StonesTaken(Event, frozen=True, tag="taken.2"):
    seat: Seat
    stones: int


on_taken, UPCASTERS = on_stones_taken, {"taken.1": to_taken_2}
""",
)
