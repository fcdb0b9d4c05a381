"""Where the user's settings are. A leaf, as few commands need to read them: see `config`."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def config_file() -> Path:
    """The path of the user's settings file."""
    from platformdirs import user_config_path

    return user_config_path("zim", appauthor=False) / "config.toml"


def has_config() -> bool:
    """Whether the user has a settings file.

    Asked after each move. On Linux it does without what `config_file` imports: that takes a tenth of a cold start.
    """
    folder = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    if sys.platform == "linux" and os.path.isabs(folder):
        return os.path.exists(os.path.join(folder, "zim", "config.toml"))
    return config_file().exists()
