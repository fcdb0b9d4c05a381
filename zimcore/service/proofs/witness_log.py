"""A log of witnesses: one file; each time you witness a store that has changed, it gets a line.

Each line has the heads that have moved since the line before, and the digest of that line. So the last line proves all
of them, and none can be removed or inserted. In an honest store each state is a prefix of the next one.

Lines are ordered by their position. Their times are information: machines that append in turn have different clocks,
and a clock may be set back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta

import msgspec

from event_store import DamagedError, EventStore
from event_store.chain import digest_of_parts
from event_store.input_limits import decode_exact
from event_store.marks import check_form
from zimcore.documents.storage import Loss
from zimcore.service.lines.line_repository import LineRepository
from zimcore.service.proofs.witness import StreamHead, Witness, WitnessSignature, find_stream_loss
from zimcore.toolkit.progress import ReportProgress

FORMAT = "witness-log.1"


class Record(msgspec.Struct, frozen=True, rename={"format": "zim", "digest_before": "before", "signature": "signed"}):
    """A line of the log: format, number, time, the digest of the line before ("" for the first), and the moved heads.

    `digest` covers all of that, and the signature, if there is one, covers the digest.
    """

    format: str
    number: int
    at: datetime
    digest_before: str
    heads: tuple[StreamHead, ...]
    digest: str
    signature: WitnessSignature | None = None


def is_witness_log(line: bytes) -> bool:
    """Whether the first line of a file is that of a log of witnesses."""
    return line.startswith(b'{"zim":"witness-log.')


def encode_record(record: Record) -> bytes:
    """A record as a line of the file."""
    return msgspec.json.encode(record) + b"\n"


def read_records(lines: Iterable[bytes]) -> list[Record]:
    """Reads the records from the lines of a file.

    Raises `DamagedError` for an invalid file, and for a record that was altered, is missing, or moves a head back.
    """
    records, heads = list[Record](), dict[str, StreamHead]()
    for number, line in enumerate(lines):
        location = f"line {number + 1} of the log of witnesses"
        check_form(location, line, FORMAT)
        try:
            record = decode_exact(line, Record)
        except (ValueError, RecursionError) as error:
            raise DamagedError(f"{location} is not a record", str(error)) from error
        if (record.format, record.number) != (FORMAT, number) or record.at.utcoffset() != timedelta():
            raise DamagedError(
                f"{location} is not a record", f"it says that it is {record.format!r} number {record.number}"
            )
        if record.digest != _digest(record):
            raise DamagedError(f"{location} was altered", "its digest does not match its bytes")
        if record.digest_before != (records[-1].digest if records else ""):
            raise DamagedError(f"{location} was altered", "it does not follow the line before it")
        for head in record.heads:
            if head.stream in heads and head.revision <= heads[head.stream].revision:
                raise DamagedError(f"{location} takes something back", f"stream {head.stream} is shorter there")
            heads[head.stream] = head
        records.append(record)
    if not records:
        raise DamagedError("this is not a log of witnesses", "it has no lines")
    return records


def has_signed_latest(records: Sequence[Record], by: str) -> bool:
    """Whether a person has signed the latest record that says something new, or a later one."""
    for record in reversed(records):
        if record.signature and record.signature.by == by:
            return True
        if record.heads:
            break
    return False


def next_record(records: Sequence[Record], witness: Witness, *, countersigned: bool = False) -> Record | None:
    """The record that a witness adds to the log; None if nothing has changed since the last one.

    One that is only `countersigned` says nothing new: its signature covers all records before it.

    Raises `DamagedError` for a record that `read_records` would refuse, such as one that moves a head back.
    """
    known_heads = {head.stream: head for record in records for head in record.heads}
    moved_heads = tuple(head for head in witness.heads if not _is_same_head(head, known_heads.get(head.stream)))
    if not moved_heads and records and not countersigned:
        return None
    digest_before = records[-1].digest if records else ""
    without_digest = Record(FORMAT, len(records), witness.header.at, digest_before, moved_heads, "")
    record = msgspec.structs.replace(without_digest, digest=_digest(without_digest))
    return read_records(map(encode_record, [*records, record]))[-1]


def _is_same_head(head: StreamHead, known_head: StreamHead | None) -> bool:
    """Whether the head of a stream is unchanged, except for its name."""
    return known_head is not None and msgspec.structs.replace(head, name=known_head.name) == known_head


def _digest(record: Record) -> str:
    return digest_of_parts(msgspec.json.encode(msgspec.structs.replace(record, digest="", signature=None))).hex()


def find_losses(
    store: EventStore, repository: LineRepository, records: Sequence[Record], report_progress: ReportProgress
) -> Iterator[Loss]:
    """What a store has lost since the records were made: the first loss of each stream.

    If there is none, each recorded state is a prefix of the next one, and the last one is a prefix of the store: its
    entries give every recorded digest.
    """
    heads_by_stream: dict[str, list[StreamHead]] = {}
    for record in records:
        for head in record.heads:
            heads_by_stream.setdefault(head.stream, []).append(head)
    for done_count, heads in enumerate(heads_by_stream.values(), 1):
        if stream_loss := find_stream_loss(store, repository, heads):
            yield stream_loss
        report_progress(done_count, len(heads_by_stream))
