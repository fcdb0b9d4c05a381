"""Backends that store rows, chosen by URL. The module of a backend is imported when it is first needed."""

from __future__ import annotations

import re

from event_store.backends.backend import Backend, Recorder
from event_store.errors import StoreError

__all__ = ["Backend", "connect"]


def connect(url: str) -> Backend:
    """Connects to the backend of a URL. Raises `StoreError`.

    >>> connect("carrier-pigeon:")
    Traceback (most recent call last):
    event_store.errors.StoreError: can't open the store carrier-pigeon:: no such kind of store
    """
    if url == "memory:":
        from event_store.backends.memory import MemoryRecorder

        return Backend(MemoryRecorder(), url)
    if url.startswith("sqlite:///"):
        from event_store.backends.sqlite import open_recorder

        return Backend(open_recorder(url.removeprefix("sqlite:///")), url)
    if url.startswith(("postgresql://", "postgres://")):
        return Backend(_open_postgres(url), without_password(url))
    file = url.removeprefix("sqlite:").removeprefix("//")
    file = file if file and ":" not in file else "games.db"
    hints = (f"sqlite:///{file}", "postgresql://user@host/database", "memory:")
    raise StoreError(f"can't open the store {without_password(url)}", "no such kind of store", hints)


def _open_postgres(url: str) -> Recorder:
    try:
        from event_store.backends.postgres import open_recorder  # takes 0.3 s
    except ImportError as error:
        from event_store.extras import import_failure

        raise StoreError(f"can't open the store {without_password(url)}", *import_failure("postgres", error)) from error
    return open_recorder(url)


def without_password(url: str) -> str:
    """A URL with its passwords removed, safe to show.

    >>> without_password("postgresql://ann:secret@localhost/games?password=secret&schema=zim")
    'postgresql://ann@localhost/games?password&schema=zim'
    """
    return re.sub(r"([?&]password)=[^&]*", r"\1", re.sub(r"(//[^/@:]*):[^/@]*@", r"\1@", url))
