"""A witness: one file with the head of every stream of a store. Keep it elsewhere, and it shows a rewritten history.

A truncated store, last week's copy and a rewritten history are each consistent in themselves: only a record kept
outside the store shows what is missing. A witness has no moves in it, so it does not reveal what was played.

It has lines of JSON: a header, one line per stream, one digest over all of them, and a signature if there is a key.

In other words: checkpoint, transparency log.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from hashlib import blake2b

import msgspec

from event_store import DamagedError, EventStore, StoreError
from event_store.chain import digest_of_parts
from event_store.input_limits import decode_exact
from event_store.line_history import path_to
from event_store.marks import check_form
from zimcore.documents.storage import Loss
from zimcore.service.lines.line_repository import LineRepository, LoadedLine
from zimcore.service.proofs.certificates import Certificate
from zimcore.service.records.discussion import public_stream
from zimcore.service.records.names import CATALOGUE, deleted_label, read_names_leniently
from zimcore.toolkit.progress import ReportProgress
from zimcore.toolkit.words import are, numbered

FORMAT = "witness.1"
CUT_OFF, GONE, REWRITTEN, DELETED = "cut off", "gone", "rewritten", "deleted"
"""The kinds of a loss."""


class WitnessHeader(msgspec.Struct, frozen=True):
    """The first line: the format, and when the witness was written."""

    zim: str
    at: datetime


class StreamHead(msgspec.Struct, frozen=True):
    """The head of a stream: the revision of its last row, the number of its entries, and a digest of all their digests.

    All digests are needed, since a line's last commit proves the commits before it, but not the moves of the head
    between them. `name` is the stream's name for people; `end` is the digest of the last entry.
    """

    stream: str
    name: str
    revision: int
    entries: int
    digest: str
    end: str


class WitnessFoot(msgspec.Struct, frozen=True):
    """The number of streams, and the digest of all lines before this one."""

    streams: int
    digest: str


class WitnessSignature(msgspec.Struct, frozen=True):
    """A signature over the digest: the signer's name, the public key and the signature, in hex."""

    by: str
    key: str
    signature: str


class Witness(msgspec.Struct, frozen=True):
    """A witness, as its file holds it."""

    header: WitnessHeader
    heads: tuple[StreamHead, ...]
    foot: WitnessFoot
    signature: WitnessSignature | None = None


def make_witness(store: EventStore, repository: LineRepository, time: datetime) -> Witness:
    """Makes the witness of a store, as of one moment. Raises `DamagedError` for an entry that was altered."""
    heads_by_stream: dict[str, RunningHead] = {}
    for entry in store.all_entries():
        heads_by_stream.setdefault(entry.stream, RunningHead()).add(entry.revision, entry.digest)
    names = _names_of_streams(store, repository)
    heads = tuple(heads_by_stream[stream].head(stream, names.get(stream, "")) for stream in sorted(heads_by_stream))
    header = WitnessHeader(FORMAT, time)
    return Witness(header, heads, foot_of(header, heads))


class RunningHead:
    """Computes the head of a stream, entry by entry."""

    def __init__(self) -> None:
        self.revision = -1
        self.entry_count = 0
        self.end = b""
        self._digest = blake2b(digest_size=16)

    def add(self, revision: int, digest: bytes) -> None:
        """Adds the next entry."""
        self.revision, self.end = revision, digest
        self.entry_count += 1
        self._digest.update(digest)

    def head(self, stream: str, name: str) -> StreamHead:
        """The head after the entries so far."""
        return StreamHead(stream, name, self.revision, self.entry_count, self._digest.hexdigest(), self.end.hex())


def lines_of(witness: Witness) -> Iterator[bytes]:
    """The lines of a witness's file."""
    for document in (witness.header, *witness.heads, witness.foot, witness.signature):
        if document is not None:
            yield msgspec.json.encode(document) + b"\n"


def read_witness(file_lines: Iterable[bytes]) -> Witness:
    """Reads a witness from the lines of a file. Raises `DamagedError` if it is not a witness or was altered."""
    all_lines = list(file_lines)
    check_form("this witness", b"".join(all_lines[:1]), FORMAT)
    try:
        header = decode_exact(all_lines[0] if all_lines else b"", WitnessHeader)
        foot_index = next(
            (index for index, line in enumerate(all_lines) if line.startswith(b'{"streams"')), len(all_lines) - 1
        )
        heads = tuple(decode_exact(line, StreamHead) for line in all_lines[1:foot_index])
        foot = decode_exact(all_lines[foot_index], WitnessFoot)
        signatures = [decode_exact(line, WitnessSignature) for line in all_lines[foot_index + 1 :]]
    except (ValueError, RecursionError) as error:
        raise DamagedError("this is not a witness", str(error)) from error
    if header.zim != FORMAT or len(signatures) > 1:
        raise DamagedError("this is not a witness", f"it says that it is {header.zim!r}, not {FORMAT!r}")
    if header.at.utcoffset() != timedelta():
        raise DamagedError("this is not a witness", f"its time is not in UTC: {header.at}")
    if foot != foot_of(header, heads):
        raise DamagedError("the witness was altered", "the digest at its end does not match its lines")
    return Witness(header, heads, foot, signatures[0] if signatures else None)


def foot_of(header: WitnessHeader, heads: tuple[StreamHead, ...]) -> WitnessFoot:
    """The last line of a witness, with the digest of the lines before it."""
    digest = digest_of_parts(*(msgspec.json.encode(part) for part in (header, *heads)))
    return WitnessFoot(len(heads), digest.hex())


def find_losses(
    store: EventStore, repository: LineRepository, witness: Witness, report: ReportProgress
) -> Iterator[Loss]:
    """What a store has lost since a witness was written, stream by stream.

    Streams may have new entries, but must still have all old ones with the same digests.
    """
    for done_count, head in enumerate(witness.heads, 1):
        if stream_loss := find_stream_loss(store, repository, [head]):
            yield stream_loss
        report(done_count, len(witness.heads))


def find_stream_loss(store: EventStore, repository: LineRepository, heads: Sequence[StreamHead]) -> Loss | None:
    """What a stream has lost, given its heads as they were seen, oldest first; None if nothing."""
    head = heads[-1]
    kind, what = _compare_head(store, head)
    if not kind and len(heads) > 1:
        kind, what = _compare_earlier_heads(store, heads)
    if kind == GONE and head.stream in (removed_streams := repository.readable_catalogue()[0].removed_streams):
        kind, what = DELETED, removed_streams[head.stream]
    if not kind:
        return None
    return Loss(kind, head.name or _names_of_streams(store, repository).get(head.stream, ""), head.stream, what)


def _compare_earlier_heads(store: EventStore, heads: Sequence[StreamHead]) -> tuple[str, str]:
    """The kind of loss and what is lost, for a stream whose last head fits but an earlier one does not; "" for none."""
    running_head, heads_by_revision = RunningHead(), {head.revision: head for head in heads}
    for entry in store.read(heads[-1].stream, until=heads[-1].revision):
        running_head.add(entry.revision, entry.digest)
        head = heads_by_revision.pop(entry.revision, None)
        if head and running_head.head(head.stream, head.name) != head:
            return REWRITTEN, f"of its first {numbered(head.entries, 'entry')} the last was {head.end[:12]}"
    return (REWRITTEN, f"no entry ends at revision {min(heads_by_revision)}") if heads_by_revision else ("", "")


def _compare_head(store: EventStore, head: StreamHead) -> tuple[str, str]:
    running_head = RunningHead()
    try:
        for entry in store.read(head.stream):
            if entry.revision > head.revision:
                break
            running_head.add(entry.revision, entry.digest)
    except StoreError as error:
        return "damaged", str(error)
    if running_head.head(head.stream, head.name) == head:
        return "", ""
    if running_head.entry_count == 0:
        return GONE, f"it had {numbered(head.entries, 'entry')}, and has none"
    if running_head.revision < head.revision and running_head.entry_count < head.entries:
        verb = are(running_head.entry_count)
        return CUT_OFF, f"it had {numbered(head.entries, 'entry')}; at most {running_head.entry_count} {verb} left"
    if running_head.end.hex() == head.end:
        return REWRITTEN, f"it ends as it did ({head.end[:12]}), but the earlier moves of its head have changed"
    entries_text = numbered(head.entries, "entry")
    return REWRITTEN, f"the last of {entries_text} was {head.end[:12]}, and is {running_head.end.hex()[:12]}"


def _names_of_streams(store: EventStore, repository: LineRepository) -> dict[str, str]:
    """The names of streams for people: `kilwa-7/main` for a line, "the names of kilwa-7" and so on for others."""
    names_by_stream, catalogue = {CATALOGUE: "the names of all games"}, repository.readable_catalogue()[0]
    deleted_games = {deleted_label(name): named_game for name, named_game in catalogue.deleted_games.items()}
    for name, named_game in (catalogue.games | deleted_games).items():
        names_by_stream |= {
            named_game.game: f"the names of {name}",
            public_stream(named_game.game): f"the discussion of {name}",
        }
        try:
            line_names = read_names_leniently(store, named_game.game)[0]
        except StoreError:  # `verify` reports it
            continue
        names_by_stream |= {stream: f"{name}/{line}" for line, stream in line_names.lines.items()}
        names_by_stream |= {
            stream: f"{name}/{line}, which no longer has a name" for stream, line in line_names.forgotten_lines.items()
        }
    return names_by_stream


def find_loss_in_line(loaded_line: LoadedLine, certificate: Certificate) -> Loss | None:
    """What a line lacks of a verified certificate; None if it has all. Undone moves count as present."""
    line = loaded_line.line
    certificate_digests = [bytes.fromhex(link.digest) for link in certificate.links]
    if certificate_digests[-1] in line.commits:
        return None
    shared_count = next((n for n, digest in enumerate(certificate_digests) if digest not in line.commits), 0)
    last_number = len(certificate_digests) - 1
    stored_digests = [
        digest for digest in path_to(line, line.newest_commit) if line.commit_numbers[digest] >= shared_count
    ]
    if stored_digests:
        what = (
            f"@{shared_count} was {certificate_digests[shared_count].hex()[:12]}, and is {stored_digests[0].hex()[:12]}"
        )
        what += "" if shared_count else "; or the certificate is of another game"
        return Loss(REWRITTEN, loaded_line.place, line.stream, what)
    what = f"it was played to @{last_number} ({certificate_digests[-1].hex()[:12]}), and ends with @{shared_count - 1}"
    return Loss(CUT_OFF, loaded_line.place, line.stream, what)
