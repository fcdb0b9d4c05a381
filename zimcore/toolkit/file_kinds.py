"""What a file is, by its first bytes. Each door that reads files of others asks this before it reads one as its own.

A door that gets another kind says what it is, and which command takes it: never that it is empty, cut off or damaged.
"""

from __future__ import annotations

import codecs
import re
import shlex
from collections.abc import Collection
from contextlib import suppress
from typing import BinaryIO, NamedTuple

from zimcore.game import NotationError

SNIFFED_BYTES = 1 << 14
"""How many bytes of a file are looked at."""
CONTENT = "the content"
"""What errors call what has no file name."""
UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class FileKind(NamedTuple):
    """A kind of file: what an error calls it, and the commands that take it, `FILE` in the place of its name."""

    name: str
    hints: tuple[str, ...] = ()


CERTIFICATE = FileKind("a certificate", ("zim verify FILE", "zim import FILE"))
EXPORT = FileKind("an export of a store", ("zim --store sqlite:///NEW.db import FILE",))
WITNESS = FileKind("a witness", ("zim verify --all --since FILE",))
WITNESS_LOG = FileKind("a log of witnesses", ("zim verify --all --since FILE",))
STORE = FileKind("a store, or another SQLite database", ("zim --store sqlite:///FILE games",))
SCRIPT = FileKind("a script", ("zim run FILE", "zim audit FILE"))
LOG = FileKind("the log of a game", ("zim audit FILE",))
PAGE = FileKind("a web page", ("zim audit FILE", "zim import FILE"))
KEYS = FileKind("a list of keys", ("zim verify CERTIFICATE --signed-by ./FILE", "zim key trust NAME KEY"))
SETTINGS = FileKind("a TOML file", ("zim audit LOG --style FILE", "zim audit LOG --house-rules FILE"))
JSON = FileKind("a JSON file", ("zim audit FILE", "zim import FILE"))
GZIP = FileKind("compressed", ("gunzip FILE",))
ZIP = FileKind("compressed", ("unzip FILE",))
COMPRESSED = FileKind("compressed")
PDF = FileKind("a PDF", ("pdftotext -layout FILE",))
PICTURE = FileKind("a picture")
BINARY = FileKind("not a text file: it has zero bytes")
EMPTY = FileKind("empty")
TEXT = FileKind("a text", ("zim audit FILE", "zim run FILE"))
UTF_8_KINDS = (CERTIFICATE, EXPORT, WITNESS, WITNESS_LOG)
"""Kinds whose bytes are proven: they are read as they were written."""

KINDS_BY_MAGIC = {
    b"SQLite format 3\0": STORE,
    b"\x1f\x8b": GZIP,
    b"PK\x03\x04": ZIP,
    b"\xfd7zXZ\0": COMPRESSED,
    b"BZh": COMPRESSED,
    b"\x28\xb5\x2f\xfd": COMPRESSED,
    b"%PDF-": PDF,
    b"\x89PNG\r\n": PICTURE,
    b"\xff\xd8\xff": PICTURE,
    b"GIF8": PICTURE,
}
PATTERNS = (
    (CERTIFICATE, r'\{\s*"zim"\s*:\s*"certificate'),
    (EXPORT, r'\{\s*"zim"\s*:\s*"store'),
    (WITNESS_LOG, r'\{\s*"zim"\s*:\s*"witness-log'),
    (WITNESS, r'\{\s*"zim"\s*:\s*"witness'),
    (LOG, r'\{\s*"(position|commits)"\s*:|number[,\t]digest[,\t]|\s*\d+\s+new [\w-]*=?'),
    (PAGE, r"<(!doctype|html|\?xml)"),
    (KEYS, r"[^\n:=]{1,64}:[0-9a-f]{64}[ \t]*(\n|$)"),
    (SCRIPT, r"(zim )?new( |$)"),
    (SETTINGS, r'\[[a-z_."-]+\][ \t]*(#.*)?(\n|$)|[a-z_"][\w."-]*[ \t]*=[ \t]*["\[{0-9]'),
    (JSON, r"\{|\[\s*[\[{]"),
)
"""How the text of each kind begins, comments and blank lines left out; the first that fits counts."""
COMMENTS = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\n)*")


def kind_of(start: bytes) -> FileKind:
    r"""The kind of a file by its first bytes.

    >>> kind_of(b'\xef\xbb\xbf\r\n{"zim":"store.1"}').name, kind_of(b"# mine\nnew players=2\n").name
    ('an export of a store', 'a script')
    >>> kind_of(b"Dear friends,").name, kind_of(b"\xef\xbb\xbf \r\n").name
    ('a text', 'empty')
    """
    for magic, kind in KINDS_BY_MAGIC.items():
        if start.startswith(magic):
            return kind
    is_utf_16 = start.startswith(UTF_16_MARKS)
    text = start.decode("utf-16" if is_utf_16 else "utf-8-sig", errors="replace").replace("\r\n", "\n")
    if not text.strip("\ufeff\x1a \t\n"):
        return EMPTY
    beginning = text[COMMENTS.match(text).end() :]  # type: ignore[union-attr] # it matches nothing, too
    kind = next((kind for kind, pattern in PATTERNS if re.match(pattern, beginning, re.IGNORECASE)), TEXT)
    if b"\0" in start and not is_utf_16 and kind not in UTF_8_KINDS:
        return BINARY
    return TEXT if kind == SETTINGS and not is_toml(text) else kind


def is_toml(text: str) -> bool:
    """Whether the whole lines of a text are TOML: a chat may begin as one."""
    from zimcore.toolkit.toml import read_toml  # each command asks what its store is, and that is rarely a text

    with suppress(ValueError):
        return bool(read_toml(text if text.endswith("\n") else text.rpartition("\n")[0] or text))
    return False


def check_kind(start: bytes, name: str, wanted: str, accepted: Collection[FileKind]) -> FileKind:
    """The kind of the file `name`, by its first bytes. Raises `NotationError` unless the door accepts it.

    >>> check_kind(b'{"zim":"store.1"}', "all.jsonl", "a certificate", [CERTIFICATE])
    Traceback (most recent call last):
    zimcore.game.NotationError: all.jsonl: it is an export of a store, not a certificate
    """
    kind = kind_of(start)
    if kind in accepted and kind in UTF_8_KINDS and start.startswith(UTF_16_MARKS):
        raise NotationError(name, "it is in UTF-16: save it as UTF-8")
    if kind in accepted:
        return kind
    why = "the file is empty" if kind == EMPTY else f"it is {kind.name}" + f", not {wanted}" * (kind != BINARY)
    file = "FILE" if name in ("-", CONTENT) else shlex.quote(name)
    raise NotationError("stdin" if name == "-" else name, why, [hint.replace("FILE", file) for hint in kind.hints])


def check_file(file: BinaryIO, name: str, wanted: str, accepted: Collection[FileKind]) -> FileKind:
    """The kind of an open file, which is then still to be read. Raises `NotationError` as `check_kind`."""
    return check_kind(peek(file), name, wanted, accepted)


def peek(file: BinaryIO) -> bytes:
    """The next bytes of a file, without reading on: those that a pipe has already, at least one."""
    if hasattr(file, "peek"):
        return bytes(file.peek(SNIFFED_BYTES))
    start = file.read(SNIFFED_BYTES)
    file.seek(-len(start), 1)
    return start
