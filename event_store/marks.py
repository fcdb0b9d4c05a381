"""Marks: what a store says of itself, next to its streams: the oldest Zim that may use it, and whether it is complete.

A mark is a row of the table of projections, under a name that no stream has: databases of all kinds have that table,
older programs look only for streams in it, and it is written in the transaction of an append.

The *format number* of a store rises when an event, a seal or another form is added that older programs can't read.
A program that knows only lower numbers refuses to read or write. A store without a number is from before there was one.

In other words: schema version, `PRAGMA user_version`.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence

import msgspec

from event_store.codec import encode
from event_store.errors import NewerError
from event_store.projections import StoredProjection, intact_content, pack_projection

FORMAT = 2
"""Today's format number."""
LEAST_ZIM = "0.1.0"
"""The first version of Zim that knows `FORMAT`."""
FORMAT_MARK, UNFINISHED_MARK = MARK_NAMES = (" format", " unfinished")
"""No stream has a name that begins with a space: see `may_name_stream`."""
IMPORT, SALVAGE = "import", "salvage"
"""The work that a mark calls unfinished."""
PACKAGE = "great-zim"
"""The package that has Zim, as it is installed."""


class Unfinished(msgspec.Struct, frozen=True):
    """Work that stores many games one after another and has not come to its end: what it is, and from where."""

    work: str
    source: str

    def __str__(self) -> str:
        return f"the {self.work} of {self.source} has not come to its end: not all of it is here"

    def command(self, url: str) -> str:
        """The command that goes on with it, for the store at `url`."""
        source, store = shlex.quote(self.source), shlex.quote(url)  # a mark is data: it must not run anything
        if self.work == IMPORT:
            return f"zim --store {store} import {source}"
        return f"zim --store {source} db salvage {store}"


class Marks(msgspec.Struct, frozen=True):
    """The marks of a store: its format number (0: from before there was one), and unfinished work, if any."""

    format: int = 0
    unfinished: Unfinished | None = None


def may_name_stream(name: str) -> bool:
    """Whether a stream may have this name."""
    return not name.startswith(" ")


def format_row(number: int = FORMAT, least_zim: str = LEAST_ZIM) -> StoredProjection:
    """The row that marks a store with a format number, and the oldest Zim that knows it."""
    return pack_projection(FORMAT_MARK, number, b"", least_zim.encode())


def unfinished_row(unfinished: Unfinished | None) -> StoredProjection:
    """The row that marks a store as unfinished; with None, as finished."""
    return pack_projection(UNFINISHED_MARK, 0, b"", encode(unfinished) if unfinished else b"")


def checked_marks(rows: Iterable[Sequence[object]]) -> Marks:
    """The marks in rows (name, number, bytes); rows that were altered do not count.

    Raises `NewerError` for a store whose format number is higher than `FORMAT`.
    """
    contents = dict[str, tuple[int, bytes]]()
    for name, number, packed_bytes in rows:
        if isinstance(name, str) and isinstance(number, int) and isinstance(packed_bytes, bytes):
            content = intact_content((name, number, packed_bytes))
            contents |= {} if content is None else {name: (number, content)}
    number, least_zim = contents.get(FORMAT_MARK, (0, b""))
    if number > FORMAT:
        needed_version = least_zim.decode(errors="replace")
        raise newer_error("this store", f"it is of format {number}", f"format {FORMAT}", needed_version)
    _, unfinished_bytes = contents.get(UNFINISHED_MARK, (0, b""))
    return Marks(number, msgspec.msgpack.decode(unfinished_bytes, type=Unfinished) if unfinished_bytes else None)


def newer_error(what: str, its_form: str, our_form: str, needed_version: str = "") -> NewerError:
    """The error for something that a newer Zim wrote. `needed_version` is the first that can read it, if known."""
    is_version = re.fullmatch(r"\d[\w.]{0,20}", needed_version, re.ASCII)  # it is part of a command that is typed
    version_text = f"Zim {needed_version} or newer" if is_version else "a newer Zim"
    package = f"'{PACKAGE}>={needed_version}'" if is_version else PACKAGE
    why = f"{its_form}; this is Zim {_this_version()}, {our_form}"
    return NewerError(f"{what} needs {version_text}", why, (f"pip install --upgrade {package}",))


def check_form(what: str, first_line: bytes, known_form: str) -> None:
    """Raises `NewerError` for the first line of a file in a later form than ours: `store.2` if that is `store.1`."""
    (kind, _, number), match = known_form.rpartition("."), re.match(rb'\{"zim":"([a-z-]+)\.(\d{1,9})"', first_line)
    if match and match[1].decode() == kind and int(match[2]) > int(number):
        raise newer_error(what, f"it is of the form {kind}.{int(match[2])}", f"which knows {known_form}")


def _this_version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # takes 10 ms

    try:
        return version(PACKAGE)
    except PackageNotFoundError:  # a clone that is not installed
        return LEAST_ZIM
