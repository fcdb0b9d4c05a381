"""The index of the root stream: which of its entries are about a name, so that one name is looked up without the rest.

Each name has a row in the table of projections, under a name that no stream has: the revisions of its entries. The
projection of the root stream says that all entries up to its end are in the index. A program that knows no index leaves
that projection empty: then the index is not used until a reader of all entries makes it anew.

A row is only a hint where to look: the entries are read and checked by themselves. What a row leaves out is missed, so
`verify` compares the index with the stream.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from event_store import chain
from event_store.chain import Entry
from event_store.codec import Codec, encode
from event_store.errors import DamagedError
from event_store.projections import StoredProjection, intact_content, pack_projection

if TYPE_CHECKING:
    from event_store.backends import Backend

INDEXED = b"indexed"
"""The content of the root stream's projection, if the index is complete up to its revision."""
KeysOf: TypeAlias = Callable[[Entry], Iterable[str]]
"""A function that gives the names that an entry of the root stream is about."""
Span: TypeAlias = tuple[int, int]
"""The first and the last revision of an entry."""

_spans_decoder = msgspec.msgpack.Decoder(tuple[Span, ...])


def no_keys(_: Entry) -> Iterable[str]:
    """The names of no entry: the root stream is not indexed."""
    return ()


def extended_rows(backend: Backend, root: str, entries: Sequence[Entry], keys_of: KeysOf) -> list[StoredProjection]:
    """The rows of the names that new entries of the root stream are about: with these entries, and the earlier ones."""
    spans_by_key = _spans_by_key(entries, keys_of)
    known_spans = _stored_spans(backend, root, spans_by_key)
    return [_row(root, key, (*known_spans.get(key, ()), *spans)) for key, spans in spans_by_key.items()]


def all_rows(root: str, entries: Iterable[Entry], keys_of: KeysOf) -> list[StoredProjection]:
    """The rows of all names in the root stream, from all its entries."""
    return [_row(root, key, (*spans,)) for key, spans in _spans_by_key(entries, keys_of).items()]


def entries_about(backend: Backend, codec: Codec, root: str, key: str) -> list[Entry]:
    """The entries about a name, oldest first, as a complete index has them; none if one of them is damaged."""
    found_entries = list[Entry]()
    for first_revision, last_revision in _stored_spans(backend, root, [key]).get(key, ()):
        rows = backend.rows(root, first_revision - 1, last_revision)
        try:
            (entry,) = chain.entries(root, rows, codec, first_revision - 1)
        except (DamagedError, ValueError):  # whoever reads the whole stream says what is wrong
            return []
        found_entries.append(entry)
    return found_entries


def wrong_keys(backend: Backend, root: str, entries: Iterable[Entry], keys_of: KeysOf) -> list[str]:
    """The names whose rows are not what all entries of the root stream give."""
    spans_by_key = _spans_by_key(entries, keys_of)
    stored_spans = _stored_spans(backend, root, spans_by_key)
    return [key for key, spans in spans_by_key.items() if stored_spans.get(key) != (*spans,)]


def _spans_by_key(entries: Iterable[Entry], keys_of: KeysOf) -> dict[str, list[Span]]:
    spans_by_key = dict[str, list[Span]]()
    for entry in entries:
        for key in dict.fromkeys(keys_of(entry)):
            spans_by_key.setdefault(key, []).append((entry.rows[0][0], entry.revision))
    return spans_by_key


def _row(root: str, key: str, spans: tuple[Span, ...]) -> StoredProjection:
    return pack_projection(_row_name(root, key), spans[-1][1], b"", encode(spans))


def _row_name(root: str, key: str) -> str:
    return f" {root}/{key}"


def _stored_spans(backend: Backend, root: str, keys: Iterable[str]) -> dict[str, tuple[Span, ...]]:
    """The spans in the rows of names; altered rows count as missing."""
    keys_by_row_name = {_row_name(root, key): key for key in keys}
    spans_by_key = dict[str, tuple[Span, ...]]()
    for row in backend.stored_projections(list(keys_by_row_name)):
        content = intact_content(row)
        spans_by_key |= {keys_by_row_name[row[0]]: _spans_decoder.decode(content)} if content else {}
    return spans_by_key
