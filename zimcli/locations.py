"""Where things are: the store, by `--store` or ZIM_STORE or a file among the user's data; the history; the user."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from zimcli.typed_words import check_typed

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

    from zimcli.service_types import Door
    from zimcore.remote.client_files import Folders
    from zimcore.remote.service import RemoteService

REMOTE = ("https://", "http://")
"""What the addresses of servers begin with."""


def open_store(store: str, prefer: Sequence[str] = (), note: Callable[[str], None] = lambda _: None) -> Door:
    """The service over a store; raises `StoreError`, and `NotationError` for a name that is no text.

    On a server `prefer` are the seat and the name of who types, and `note` tells them that it can't be reached.
    """
    from zimcore.service import open_service

    url = store_url(store)
    if url.startswith(REMOTE):
        return open_remote(url, prefer, note)
    service = open_service(url)
    service.signer = _sign
    return service


def _sign(by: str, key: str, message: bytes) -> bytes:
    from zimcli.signing_keys import sign_command  # only who plays a seat with a key needs one

    return sign_command(by, key, message)


def store_url(store: str) -> str:
    """Where the store is: as it was said, or ZIM_STORE, or a file among the user's data."""
    url = store or os.environ.get("ZIM_STORE") or default_store()
    check_typed([url])
    return url


def open_remote(url: str, prefer: Sequence[str] = (), note: Callable[[str], None] = lambda _: None) -> RemoteService:
    """The service on a server. Raises `StoreError`."""
    remote = remote_library()
    service: RemoteService = remote.open_remote(url, folders())
    service.signer = _sign
    service.remote.prefer = tuple(filter(None, prefer))
    service.remote.tell = note
    return service


def remote_library() -> ModuleType:
    """What speaks with servers, which needs more than who plays here has installed. Raises `StoreError`."""
    from importlib import import_module

    try:
        return import_module("zimcore.remote.service")
    except ImportError as error:
        from zimcore.service import StoreError

        what, why = "servers can't be reached", f"that needs more than is installed: {error}"
        raise StoreError(what, why, ("pip install 'great-zim[remote]'",)) from error


def folders() -> Folders:
    """Where what is known of servers is kept."""
    from platformdirs import user_cache_path, user_data_path

    from zimcore.remote.client_files import Folders

    return Folders(user_data_path("zim", appauthor=False), user_cache_path("zim", appauthor=False))


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


def current_user() -> str:
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
