"""The keys with which players sign: a PEM file each, which nobody else may read, with a passphrase if wanted."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from zimcli.errors import answer_is_no

if TYPE_CHECKING:
    from zimcore.service.signatures import PrivateKey

VARIABLE = "ZIM_KEY_PASSPHRASE"
"""Holds the passphrase for scripts, which can't be asked."""

AGAIN = f"the same with the passphrase in {VARIABLE}, or without that at a terminal, where you are asked"


def key_file(by: str) -> Path:
    """The file with the key of a player."""
    from platformdirs import user_data_path

    return user_data_path("zim", appauthor=False) / "keys" / f"{by}.key"


def load(path: Path) -> PrivateKey:
    """A private key; asks for its passphrase if it has one. Raises `ProblemError` where there is none."""
    from zimcore.service import signatures

    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise answer_is_no("error", "there is no key to sign with", [f"{path} is not there"], ["key"]) from None
    encrypted = signatures.is_encrypted(data)
    passphrase = asked_for(f"Passphrase of {path}") if encrypted else ""
    try:
        return signatures.key_from_bytes(data, passphrase)
    except ValueError as error:
        if encrypted:
            raise answer_is_no("error", f"this is not the passphrase of {path}", [], [AGAIN]) from None
        raise answer_is_no("error", f"{path} is no key", [str(error)], ["sign FILE --key FILE"]) from None


def keep(path: Path, key: PrivateKey, passphrase: str = "", *, new: bool) -> None:
    """Writes a key file, complete or not at all. Raises `FileExistsError` if a `new` key would replace another."""
    import tempfile

    from zimcore.service import signatures

    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".new-key-") as folder:
        fresh = Path(folder, path.name)  # in a folder of its own: two who make keys at once can't meet
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
            file.write(signatures.key_to_bytes(key, passphrase))
            file.flush()
            os.fsync(file.fileno())
        # A link fails if the name is taken, a replacement does not; both are atomic.
        (os.link if new else os.replace)(fresh, path)


def asked_for(what: str, *, twice: bool = False) -> str:
    """A passphrase, from the environment or typed unseen. Raises `ProblemError` where nobody can be asked."""
    given = os.environ.get(VARIABLE, "")
    if given:
        return given
    if not sys.stdin.isatty():
        raise answer_is_no("error", "a passphrase is needed", [f"there is no terminal to ask at: {what}"], [AGAIN])
    return str(click.prompt(what, hide_input=True, confirmation_prompt=twice, err=True))
