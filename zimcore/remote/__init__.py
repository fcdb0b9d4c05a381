"""The client of a server: it answers reads by itself, from a copy of the lines, and sends writes to the server."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType


def is_remote(url: str) -> bool:
    """Whether the URL of a store is that of a server."""
    return url.lower().startswith(("http://", "https://"))


def remote_library() -> ModuleType:
    """The module `service` of this package; it is an optional install. Raises `StoreError` if it is missing."""
    try:
        return import_module("zimcore.remote.service")
    except ImportError as error:
        from event_store.extras import import_failure
        from zimcore.service import StoreError

        raise StoreError("servers can't be reached", *import_failure("remote", error)) from error
