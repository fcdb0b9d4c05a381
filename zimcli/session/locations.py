"""Where things are: the store (`--store`, ZIM_STORE, or a file in the user's data), the history, the user's name."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from event_store.outputs import create_private
from zimcli.shell.typed_words import check_words
from zimcore.game import NotationError
from zimcore.remote import is_remote, remote_library

if TYPE_CHECKING:
    from pathlib import Path

    from zimcli.shell.service_types import AnyService
    from zimcore.remote.service import RemoteService


def open_store(
    store: str, seat_and_name: Sequence[str] = (), show_note: Callable[[str], None] = lambda _: None
) -> AnyService:
    """Opens the service of a store. Raises `StoreError`, and `NotationError` if the URL is not valid text.

    For a server, `seat_and_name` has the user's seat and name, to choose among several tokens. `show_note` is called
    when the server can't be reached.
    """
    from zimcore.service import open_service

    url = store_url(store)
    if is_remote(url):
        return open_remote(url, seat_and_name, show_note)
    check_is_no_other_file(url)
    service = open_service(url)
    service.signer = _sign_message
    return service


def check_is_no_other_file(url: str) -> None:
    """Raises `StoreError` for the URL of a file that is known to be something else than a store."""
    from zimcore.service import StoreError
    from zimcore.toolkit.file_kinds import BINARY, EMPTY, STORE, check_file

    path = url.removeprefix("sqlite:///").partition("?mode=")[0]
    if url.startswith("sqlite:///") and os.path.isfile(path):
        with open(path, "rb") as file:
            try:
                check_file(file, path, "a store", [STORE, BINARY, EMPTY])
            except NotationError as error:
                raise StoreError(error.what, error.why, error.hints) from None


def _sign_message(by: str, key: str, message: bytes) -> bytes:
    from zimcli.keys.signing_keys import sign_command  # only needed for a seat that is bound to a key

    return sign_command(by, key, message)


def store_url(store: str) -> str:
    """The URL of the store: as given, else from ZIM_STORE, else a file in the user's data."""
    url = store or os.environ.get("ZIM_STORE") or default_store()
    check_words([url])
    return url


def open_remote(
    url: str, seat_and_name: Sequence[str] = (), show_note: Callable[[str], None] = lambda _: None
) -> RemoteService:
    """Connects to a server. Raises `StoreError`."""
    from zimcore.remote.client_files import Folders

    service: RemoteService = remote_library().open_remote(url, Folders.of_user())
    service.signer = _sign_message
    service.remote_lines.preferred_names = tuple(filter(None, seat_and_name))
    service.remote_lines.notify = show_note
    return service


def default_store() -> str:
    """The URL of the default store, `sqlite:///.../zim/games.db`, in this system's folder for user data."""
    from platformdirs import user_data_path

    return f"sqlite:///{user_data_path('zim', appauthor=False) / 'games.db'}"


def history_file() -> Path:
    """The file with the lines typed at the prompt. Creates it and its folder; only their owner may read them."""
    from platformdirs import user_state_path

    folder = user_state_path("zim", appauthor=False)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with suppress(FileExistsError):
        create_private(folder / "history")
    return folder / "history"


def current_user() -> str:
    """The user's name: ZIM_BY, else the login name with unsuitable characters replaced.

    Raises `NotationError` if ZIM_BY is not valid text.
    """
    import getpass
    import re

    user_setting = os.environ.get("ZIM_BY")
    if user_setting:
        check_words([user_setting])
        return user_setting
    try:
        user_name = re.sub(r"[^\w.@+'-]", "_", getpass.getuser()).lstrip(".@+'-") or "somebody"
    except (ImportError, OSError, KeyError):  # Windows has no module for it, if the variables are unset
        return "somebody"
    return user_name
