"""What all attacks share: the store that is attacked, and how they tell what came of it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from event_store import EventStoreError  # noqa: E402
from zimcore.game import GameError  # noqa: E402
from zimcore.service import GameService, open_service  # noqa: E402

ERRORS = (EventStoreError, GameError)

Told = Callable[[str], None]
"""Called with what came of a try."""


class Breach(Exception):  # noqa: N818 - it is none of zim's errors
    """An attack that was not held off."""


class Target(NamedTuple):
    """A store that is attacked, and a folder for whatever is made of it."""

    folder: Path
    whole: Path
    truth: dict[str, list[str]]

    def copy(self) -> Path:
        """A fresh copy of the file."""
        path = self.folder / "attacked.db"
        for file in self.folder.glob("attacked.db*"):
            file.unlink()
        shutil.copy(self.whole, path)
        return path

    def service(self) -> GameService:
        """The store as it was, for reading."""
        return open_service(f"sqlite:///{self.whole}?mode=ro")
