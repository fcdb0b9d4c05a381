"""The known keys: a file in the user's data that maps names to public keys, like SSH's known hosts.

A person puts a key there (`key trust`, or `key` for their own). No check does: a forgery that is checked twice is a
forgery twice.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from event_store.outputs import write_file
from zimcli.output.files import open_for_reading
from zimcore.documents.storage import KnownKey
from zimcore.game import GameError
from zimcore.service.records.person_names import PERSON_NAME_PATTERN, check_name
from zimcore.service.records.public_keys import check_public_key
from zimcore.toolkit.file_kinds import EMPTY, KEYS, TEXT

LINE_PATTERN = re.compile(r"ed25519 ([0-9a-f]{64}) (seen|trusted|revoked) (\d{4}-\d\d-\d\d) (.+)")
"""A line of the file. `seen` is of an early version that noted keys while it checked; such lines are ignored."""
FILE_HEADER = "# Whose keys these are; zim key list shows them, trust and revoke change them.\n"
MAX_FILE_BYTES = 1 << 20
"""The most bytes of a file with keys to check by."""


def known_keys_file() -> Path:
    """The path of the file."""
    from platformdirs import user_data_path

    return user_data_path("zim", appauthor=False) / "known_keys"


def load_known_keys() -> list[KnownKey]:
    """All keys in the file. Raises `GameError` for a malformed line, so that no key is trusted by mistake."""
    file = known_keys_file()
    try:
        lines = file.read_text("utf-8").splitlines()
    except FileNotFoundError:
        return []
    except UnicodeDecodeError as error:
        raise GameError(f"the known keys in {file}", str(error)) from error
    keys = []
    for line_number, line in enumerate(lines, 1):
        if line.strip() and not line.startswith("#"):
            match = LINE_PATTERN.fullmatch(line)
            if not match:
                raise GameError(f"the known keys in {file}", f"line {line_number} is not a key: {line!r}", ["key list"])
            if match[2] != "seen":
                keys.append(KnownKey(by=match[4], key=check_public_key(match[1]), status=match[2], since=match[3]))
    return keys


def keys_to_check_by(text: str) -> list[KnownKey]:
    """The keys that `--signed-by` means: the trusted ones of a person, one given as NAME:KEY, or a file of such lines.

    None if no key of the person is trusted. A file needs a path that can't be a name, so that a file which somebody put
    into the current folder never stands in for a person. Raises `GameError` for anything else.
    """
    if PERSON_NAME_PATTERN.fullmatch(text):
        keys = keys_of(text)
        if not keys and Path(text).is_file():
            reason = "you trust no key of that name; a file needs a / in its path"
            raise GameError(f"--signed-by {text}", reason, [f"verify FILE --signed-by {shlex.quote(f'./{text}')}"])
        return keys
    if not Path(text).is_file():
        return [_given_key(text)]
    with open_for_reading(text, "a list of keys", [KEYS, TEXT, EMPTY]) as file:
        content = file.read(MAX_FILE_BYTES).decode("utf-8-sig", errors="replace")
    lines = [line.strip() for line in content.splitlines()]
    keys = [_given_key(line) for line in lines if line and not line.startswith("#")]
    if not keys:
        raise GameError(f"--signed-by {text}", "it has no line NAME:KEY", ["key list"])
    return keys


def _given_key(text: str) -> KnownKey:
    name, colon, key = text.rpartition(":")
    if not colon:
        reason = "a person whose key you trust, NAME:KEY, or a file of such lines"
        raise GameError(f"--signed-by {text}", reason, ["key list", "key trust NAME KEY"])
    return KnownKey(check_name(name), check_public_key(key), "trusted", "")


def key_status(by: str, key: str, keys: Iterable[KnownKey]) -> str:
    """The status of a key under a name: `trusted`, `revoked`, `changed` or `new`.

    `changed` means that the name has another key, `new` that the name is unknown.
    """
    keys = list(keys)
    if any((each.key, each.status) == (key, "revoked") for each in keys):
        return "revoked"
    keys_of_name = [each for each in keys if each.by == by and each.status != "revoked"]
    return next((each.status for each in keys_of_name if each.key == key), "changed" if keys_of_name else "new")


def key_statuses(
    signers: Iterable[tuple[str, str]], former_keys: Mapping[str, str], given_keys: Sequence[KnownKey] = ()
) -> dict[tuple[str, str], str]:
    """The status of each key under the name that it came with, by the known keys and those given for this check.

    A name that comes with two keys in one check has `changed`. `former_keys` maps a key to the one that it replaced;
    each key has signed for its successor. A key linked in this way to another one of the same name is `handed over`.
    """
    keys, statuses = [*given_keys, *load_known_keys()], dict[tuple[str, str], str]()
    successors = {old_key: new_key for new_key, old_key in former_keys.items()}
    for by, key in signers:
        if (by, key) in statuses:
            continue
        status = key_status(by, key, keys)
        if status == "changed" and _is_linked(by, key, keys, former_keys, successors):
            status = "handed over"
        statuses[by, key] = status
        if status in ("new", "handed over"):
            keys.append(KnownKey(by, key, status, ""))
    return statuses


def _is_linked(by: str, key: str, keys: Iterable[KnownKey], *successors_by_kind: Mapping[str, str]) -> bool:
    """Whether a key replaced a known key of the same name, or was replaced by one, over any number of steps."""
    keys_of_name = {each.key for each in keys if each.by == by and each.status != "revoked"}
    for successors in successors_by_kind:
        other_key, remaining_steps = successors.get(key, ""), len(successors)
        while other_key and remaining_steps:
            if other_key in keys_of_name:
                return True
            other_key, remaining_steps = successors.get(other_key, ""), remaining_steps - 1
    return False


def keys_of(by: str) -> list[KnownKey]:
    """The trusted keys of a name."""
    return [each for each in load_known_keys() if (each.by, each.status) == (by, "trusted")]


def check_may_replace_key(by: str, key: str, *, replace: bool = False) -> None:
    """Raises `GameError` if another key is trusted for this name, unless it may be replaced."""
    for known_key in () if replace else keys_of(by):
        if known_key.key != key:
            problem_text, reason = (
                f"{key[:16]} is not the key of {by}",
                f"{known_key.key[:16]} is trusted, since {known_key.since}",
            )
            raise GameError(problem_text, reason, [f"key trust {by} {key} --replace"])


def trust_key(by: str, key: str, *, replace: bool = False) -> list[KnownKey]:
    """Trusts a key for a name, and drops the other keys of that name.

    Raises `GameError` if another key is trusted, unless it may be replaced.
    """
    check_may_replace_key(by, key, replace=replace)
    other_keys = [each for each in load_known_keys() if each.key != key and (each.by != by or each.status == "revoked")]
    return _write_keys([*other_keys, KnownKey(by, key, "trusted", _today())])


def revoke_keys(by: str) -> list[KnownKey]:
    """Revokes the keys of a name. Raises `GameError` if there are none."""
    if not keys_of(by):
        raise GameError(f"no key for {by} on this machine", "", ["key list"])
    today = _today()
    return _write_keys(
        [KnownKey(by, each.key, "revoked", today) if each.by == by else each for each in load_known_keys()]
    )


def _write_keys(keys: list[KnownKey]) -> list[KnownKey]:
    file = known_keys_file()
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    lines = (f"ed25519 {each.key} {each.status} {each.since} {each.by}\n" for each in keys)
    write_file(file, [FILE_HEADER.encode(), *(line.encode() for line in lines)], replace=True)
    return keys


def _today() -> str:
    return f"{datetime.now(UTC):%Y-%m-%d}"
