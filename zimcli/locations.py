"""Where things are: the store, by `--store` or ZIM_STORE or a file among the user's data; the history; the user."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from zimcli.typed import check_typed

if TYPE_CHECKING:
    from zimcore.service import GameService


def open_store(store: str) -> GameService:
    """The service over a store; raises `StoreError`, and `NotationError` for a name that is no text."""
    from zimcli.keys import signed
    from zimcore.service import open_service

    url = store or os.environ.get("ZIM_STORE") or default_store()
    check_typed([url])
    service = open_service(url)
    service.signer = signed
    return service


def default_store() -> str:
    """`sqlite:///.../zim/games.db` where this system keeps the data of a user."""
    from platformdirs import user_data_path

    return f"sqlite:///{user_data_path('zim', appauthor=False) / 'games.db'}"


def history_file() -> Path:
    """The file with the lines typed at the prompt."""
    from platformdirs import user_state_path

    folder = user_state_path("zim", appauthor=False)
    folder.mkdir(parents=True, exist_ok=True)
    return folder / "history"


def who() -> str:
    """Who types: ZIM_BY, or the name of the user of this machine, as far as it is a name here too.

    Raises `NotationError` for what is no text.
    """
    import getpass
    import re

    given = os.environ.get("ZIM_BY")
    if given:
        check_typed([given])
        return given
    try:
        name = re.sub(r"[^\w.@+'-]", "_", getpass.getuser()).lstrip(".@+'-") or "somebody"
    except (OSError, KeyError):
        return "somebody"
    return name
