"""The files of a client, readable only by its user: tokens, seen heads, and copies of lines of play.

Files are replaced atomically, or grow by whole rows. A lock lets only one process at a time change a file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

import msgspec

from event_store import StoreError
from event_store.locks import wait_for_lock
from event_store.outputs import write_file
from zimcore.documents.copies import BoundSeat
from zimcore.documents.seats import Role

FileT = TypeVar("FileT", bound=msgspec.Struct)


class Credential(msgspec.Struct, frozen=True):
    """A token with its server and what it is for; `game` is "" for an account.

    With a `key` (public, hex) commands are signed; `signs` is the name of the private key on this machine. `share` are
    the random bytes (hex) that the player added to the deal.
    """

    server: str
    token: str
    game: str = ""
    role: Role = "seat"
    seat: str = ""
    by: str = ""
    key: str = ""
    signs: str = ""
    share: str = ""

    @property
    def stream(self) -> str:
        """The stream of the game, named in the token; "" for an account. A fair deal is committed to by this name."""
        return self.token.split("_")[2] if self.token.count("_") > 2 else ""

    @property
    def id(self) -> str:
        """The id of the token, for lists, revocation and file names; the token can't be derived from it."""
        return sha256(self.token.encode()).digest()[:6].hex()


class Keyring(msgspec.Struct, frozen=True):
    """All tokens of a user. `redeeming` has idempotency keys of links, by the digest of the link.

    A link can be used once: if the connection breaks while you redeem it, you must try again with the same key.
    """

    tokens: tuple[Credential, ...] = ()
    redeeming: dict[str, str] = {}


class SeenHead(msgspec.Struct, frozen=True):
    """The last entry seen of a stream: its revision, its digest in hex, and the place of its line."""

    revision: int
    digest: str
    place: str


class Memory(msgspec.Struct, frozen=True):
    """What a client remembers of a server: the `heads` it saw, by stream; the current lines (`chosen`), by game, person
    and seat.

    `keys` are the keys of seats by game, as the server last sent them. `implied` has what the words of a write with a
    command id left out, by game and id: its line, or the number of a request.
    """

    heads: dict[str, SeenHead] = {}
    chosen: dict[str, dict[str, dict[str, str]]] = {}
    keys: dict[str, tuple[BoundSeat, ...]] = {}
    implied: dict[str, dict[str, str]] = {}


class Folders(msgspec.Struct, frozen=True):
    """The folders with a user's files: `data` is permanent, `cache` may be deleted at any time."""

    data: Path
    cache: Path

    @staticmethod
    def of_user() -> Folders:
        """The folders of this user: the same for commands and for programs in Python."""
        from platformdirs import user_cache_path, user_data_path

        return Folders(user_data_path("zim", appauthor=False), user_cache_path("zim", appauthor=False))

    @property
    def tokens_file(self) -> Path:
        """The file with the tokens."""
        return self.data / "tokens.json"

    def memory_file(self, server: str) -> Path:
        """The file with the `Memory` of a server."""
        return self.data / "servers" / f"{_file_name(server)}.json"

    def copy_file(self, server: str, game: str, token_id: str) -> Path:
        """The file with copies of a game's lines, received with the token of id `token_id` ("": none)."""
        return self.cache / "servers" / _file_name(server) / f"{game}-{token_id or 'nobody'}.jsonl"


def _file_name(server: str) -> str:
    """A file name for a server: readable, and unique by a hash."""
    readable_part = "".join(
        character if character.isalnum() or character in ".-" else "_" for character in server.partition("://")[2]
    )
    return f"{readable_part[:60].lstrip('.')}-{sha256(server.encode()).hexdigest()[:8]}"


def read_file(path: Path, file_type: type[FileT]) -> FileT:
    """Reads a file; the defaults if it does not exist. Raises `StoreError` if it is not valid."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=file_type)
    except FileNotFoundError:
        return file_type()
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise StoreError(f"{path} can't be read", str(error), (f"delete {path}",)) from None


def update_file(path: Path, file_type: type[FileT], update: Callable[[FileT], FileT]) -> FileT:
    """Changes the content of a file atomically; returns the new content."""
    with lock_file(path):
        old_content = read_file(path, file_type)
        new_content = update(old_content)
        if new_content != old_content or not path.exists():
            content = msgspec.json.format(msgspec.json.encode(new_content)) + b"\n"
            write_file(path, [content], replace=True, access="secret")
        return new_content


@contextmanager
def lock_file(path: Path) -> Iterator[None]:
    """Locks a file, so that one process at a time changes it."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    # The lock is a file of its own: the changed file is replaced, and a lock on it would stay with the old one.
    lock_descriptor = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        wait_for_lock(lock_descriptor)
        yield
    finally:
        os.close(lock_descriptor)


def append_row(path: Path, row: bytes) -> None:
    """Adds a row to a file; first removes an incomplete last row."""
    with lock_file(path), os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b") as file:
        size = file.seek(0, os.SEEK_END)
        if size:
            file.seek(size - 1)
            if file.read(1) != b"\n":  # a process was killed while it wrote its row
                file.seek(0)
                file.truncate(file.read().rfind(b"\n") + 1)
                file.seek(0, os.SEEK_END)
        file.write(row + b"\n")


def complete_rows(path: Path) -> Iterator[bytes]:
    """The complete rows of a file; none if it does not exist."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return
    yield from content.split(b"\n")[:-1]
