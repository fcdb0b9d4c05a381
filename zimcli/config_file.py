"""Where the user's settings are. A leaf, as few commands need to read them: see `config`."""

from __future__ import annotations

from pathlib import Path


def config_file() -> Path:
    """The path of the user's settings file."""
    from platformdirs import user_config_path

    return user_config_path("zim", appauthor=False) / "config.toml"
