"""The keys with which a player signs: one file each, for nobody else to read."""

from __future__ import annotations

import os
from pathlib import Path

from zimcli.errors import answer_is_no


def key_file(by: str) -> Path:
    """Where the key of a player is kept."""
    from platformdirs import user_data_path

    return user_data_path("zim", appauthor=False) / "keys" / f"{by}.key"


def load(path: Path) -> bytes:
    """A private key. Raises `TroubleError` where there is none."""
    try:
        return bytes.fromhex(path.read_text("ascii"))
    except FileNotFoundError:
        raise answer_is_no("error", "there is no key to sign with", [f"{path} is not there"], ["key"]) from None
    except ValueError:
        raise answer_is_no("error", f"{path} is no key", ["it should hold 64 hex digits"]) from None


def make(path: Path, key: bytes) -> None:
    """Keeps a new key; never in the place of another one."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(key.hex())
