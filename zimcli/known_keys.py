"""The known keys: a file in the user's data that maps names to public keys, like SSH's known hosts.

A key is remembered as `seen` when it is first met, and `trusted` once the user says so (`key trust`). If a name comes
with another key later, or a key was revoked, zim reports it prominently.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from zimcli.files import write_file
from zimcore.documents.storage import KnownKey
from zimcore.game import GameError
from zimcore.service.person_names import PERSON_NAME_PATTERN

LINE_PATTERN = re.compile(r"ed25519 ([0-9a-f]{64}) (seen|trusted|revoked) (\d{4}-\d\d-\d\d) (.+)")
FILE_HEADER = "# Whose keys these are; zim key list shows them, trust and revoke change them.\n"


REMEMBERED_STATUSES = {"new", "handed over"}
"""Statuses of a key that was not in the file but is remembered."""


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
            keys.append(KnownKey(by=match[4], key=match[1], status=match[2], since=match[3]))
    return keys


def key_status(by: str, key: str, keys: Iterable[KnownKey]) -> str:
    """The status of a key under a name: `trusted`, `seen`, `revoked`, `changed` or `new`.

    `changed` means that the name had another key, `new` that the name is unknown.
    """
    keys = list(keys)
    if any((each.key, each.status) == (key, "revoked") for each in keys):
        return "revoked"
    keys_of_name = [each for each in keys if each.by == by and each.status != "revoked"]
    return next((each.status for each in keys_of_name if each.key == key), "changed" if keys_of_name else "new")


def remember_keys(signers: Iterable[tuple[str, str]], former_keys: Mapping[str, str]) -> dict[tuple[str, str], str]:
    """The status of each key under the name that it came with. New names are remembered, if the file can be written.

    `former_keys` maps a key to the one that it replaced; each key has signed for its successor. A key linked in this
    way to a known key of the same name is `handed over`, and remembered too.
    """
    keys, statuses = load_known_keys(), dict[tuple[str, str], str]()
    successors = {old_key: new_key for new_key, old_key in former_keys.items()}
    for by, key in signers:
        if (by, key) in statuses:
            continue
        statuses[by, key] = key_status(by, key, keys)
        if statuses[by, key] == "changed" and _is_linked(by, key, keys, former_keys, successors):
            statuses[by, key] = "handed over"
        if statuses[by, key] in REMEMBERED_STATUSES and PERSON_NAME_PATTERN.fullmatch(by):
            keys.append(KnownKey(by, key, "seen", _today()))
    if REMEMBERED_STATUSES & {*statuses.values()}:
        with suppress(OSError):  # verification does not depend on the file: next time the key is new again
            _write_keys(keys)
    return statuses


def _is_linked(by: str, key: str, keys: list[KnownKey], *successors_by_kind: Mapping[str, str]) -> bool:
    """Whether a key replaced a known key of the same name, or was replaced by one, over any number of steps."""
    for successors in successors_by_kind:
        other_key, remaining_steps = successors.get(key, ""), len(successors)
        while other_key and remaining_steps:
            if key_status(by, other_key, keys) in ("seen", "trusted"):
                return True
            other_key, remaining_steps = successors.get(other_key, ""), remaining_steps - 1
    return False


def keys_of(by: str) -> list[KnownKey]:
    """The keys of a name that are not revoked."""
    return [each for each in load_known_keys() if each.by == by and each.status != "revoked"]


def check_may_replace_key(by: str, key: str, *, replace: bool = False) -> None:
    """Raises `GameError` if another key is trusted for this name, unless it may be replaced."""
    for known_key in () if replace else keys_of(by):
        if known_key.status == "trusted" and known_key.key != key:
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
    write_file(str(file), [FILE_HEADER.encode(), *(line.encode() for line in lines)])
    return keys


def _today() -> str:
    return f"{datetime.now(UTC):%Y-%m-%d}"
