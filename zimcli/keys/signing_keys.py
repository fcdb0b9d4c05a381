"""The user's signing keys: one PEM file each, readable only by the user, with an optional passphrase."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import click

from event_store.outputs import write_file
from zimcli.output.errors import negative_answer_problem
from zimcli.shell.exit_codes import ProblemError
from zimcore.game import GameError
from zimcore.service import ConflictError
from zimcore.service.records.person_names import check_name
from zimcore.service.records.public_keys import PUBLIC_KEY_PATTERN, check_public_key

if TYPE_CHECKING:
    from zimcore.service.records.ed25519 import PrivateKey

PASSPHRASE_VARIABLE = "ZIM_KEY_PASSPHRASE"  # noqa: S105
"""The variable with the passphrase, for scripts."""

PASSPHRASE_HINT = f"type it again at a terminal, or with the passphrase in the variable {PASSPHRASE_VARIABLE}"

REFUSALS: tuple[type[Exception], ...] = (GameError, ConflictError, ProblemError)
"""The errors of a command for a store on this machine that has stored nothing."""


def key_file(by: str) -> Path:
    """The file with the key of a player."""
    from platformdirs import user_data_path

    return user_data_path("zim", appauthor=False) / "keys" / f"{check_name(by)}.key"


def push_key_file() -> Path:
    """The file with the key by which a server signs for the push services of browsers."""
    from platformdirs import user_data_path

    return user_data_path("zim", appauthor=False) / "keys" / "push.pem"


def ensure_own_key(by: str, *, replace: bool = False) -> tuple[str, Path]:
    """The user's public key and its file. A missing key is created, and trusted under the user's name."""
    with own_key(by, (), replace=replace) as public_key:
        return public_key, key_file(by)


@contextmanager
def own_key(by: str, refusals: tuple[type[Exception], ...], *, replace: bool = False) -> Iterator[str]:
    """Yields the user's public key, and then trusts it under the user's name.

    A missing key is created before anything is bound to it. After an error of `refusals` nothing was: it is removed.
    """
    from zimcli.keys import known_keys
    from zimcore.service.records import ed25519

    path = key_file(by)
    is_new = not path.exists()
    key = ed25519.new_key() if is_new else load_key(path)
    public_key = ed25519.public_key(key)
    if is_new:
        known_keys.check_may_replace_key(by, public_key, replace=replace)
        write_key(path, key, is_new=True)
    try:
        yield public_key
    except refusals:
        if is_new:
            path.unlink()
            with suppress(OSError):  # the folder has other keys
                path.parent.rmdir()
        raise
    if public_key not in [each.key for each in known_keys.load_known_keys()]:
        known_keys.trust_key(by, public_key, replace=replace)


@contextmanager
def public_keys_of(
    keys_or_names: Sequence[str], by: str, refusals: tuple[type[Exception], ...] = REFUSALS
) -> Iterator[list[str]]:
    """Yields the public key that each text means: 64 hex digits, or the name of a person whose key is trusted.

    For the user's own name it is the `own_key`. Raises `GameError` for names whose keys are not trusted.
    """
    other_keys = {each: _other_key(each) for each in keys_or_names if each != by}
    with own_key(by, refusals) if by in keys_or_names else nullcontext("") as public_key:
        yield [other_keys.get(each, public_key) for each in keys_or_names]


def _other_key(key_or_name: str) -> str:
    from zimcli.keys import known_keys

    if PUBLIC_KEY_PATTERN.fullmatch(key_or_name):
        return check_public_key(key_or_name)
    if not (keys_of_name := known_keys.keys_of(key_or_name)):
        reason = "a key is 64 hex digits, or a person's name"
        raise GameError(f"no key for {key_or_name} on this machine", reason, ["key trust NAME KEY"])
    return keys_of_name[0].key


def former_file(by: str, former_public_key: str) -> Path:
    """The file of a key that the user has replaced."""
    return key_file(by).with_suffix(f".{former_public_key[:16]}.key")


def set_aside_key(by: str) -> None:
    """Moves the user's key to `former_file`, so that a new one is created. Seats bound to the old key still use it."""
    if key_file(by).exists():
        os.replace(key_file(by), own_former_file(by))
        _load_key_once.cache_clear()


def own_former_file(by: str) -> Path:
    """Where the user's key is put away. Asks for its passphrase; raises `ProblemError`."""
    from zimcore.service.records import ed25519

    return former_file(by, ed25519.public_key(_load_key_once(key_file(by))))


@lru_cache
def _load_key_once(path: Path) -> PrivateKey:
    """A private key. Its passphrase is asked for only once."""
    return load_key(path)


def sign_command(by: str, seat_public_key: str, message: bytes) -> bytes:
    """Signs a command as the user. Raises `ProblemError` if the user does not have that key."""
    from zimcore.service.records import ed25519

    former_path = former_file(by, seat_public_key)
    private_key = _load_key_once(former_path if former_path.exists() else key_file(by))
    public_key = ed25519.public_key(private_key)
    if public_key != seat_public_key:
        problem_text = f"this seat plays with the key {seat_public_key[:16]}, and {by} has {public_key[:16]}"
        raise negative_answer_problem(
            "error", problem_text, ["each of its commands is signed"], ["--by NAME", "key list", "seat --help"]
        )
    return private_key.sign(message)


def load_key(path: Path) -> PrivateKey:
    """Reads a private key, and asks for its passphrase if it has one. Raises `ProblemError`."""
    from zimcore.service.records import ed25519

    try:
        key_bytes = path.read_bytes()
    except FileNotFoundError:
        raise negative_answer_problem(
            "error", "there is no key to sign with", [f"{path} is not there"], ["key"]
        ) from None
    is_encrypted = ed25519.is_encrypted(key_bytes)
    passphrase = ask_passphrase(f"Passphrase of {path}") if is_encrypted else ""
    try:
        return ed25519.key_from_bytes(key_bytes, passphrase)
    except ValueError as error:
        if is_encrypted:
            raise negative_answer_problem(
                "error", f"this is not the passphrase of {path}", [], [PASSPHRASE_HINT]
            ) from None
        raise negative_answer_problem("error", f"{path} is no key", [str(error)], ["sign FILE --key FILE"]) from None


def write_key(path: Path, key: PrivateKey, passphrase: str = "", *, is_new: bool) -> None:
    """Writes a key file. Raises `ExistingFileError` if the key `is_new` and would replace another."""
    from zimcore.service.records import ed25519

    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_file(path, [ed25519.key_to_bytes(key, passphrase)], replace=not is_new, access="secret")


def ask_passphrase(prompt_text: str, *, asks_twice: bool = False) -> str:
    """A passphrase, from the environment or typed without echo. Raises `ProblemError` if there is no terminal."""
    passphrase = os.environ.get(PASSPHRASE_VARIABLE, "")
    if passphrase:
        return passphrase
    if not sys.stdin.isatty():
        raise negative_answer_problem(
            "error", "a passphrase is needed", [f"there is no terminal to ask at: {prompt_text}"], [PASSPHRASE_HINT]
        )
    return str(click.prompt(prompt_text, hide_input=True, confirmation_prompt=asks_twice, err=True))
