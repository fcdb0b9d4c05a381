"""A certificate: one file that proves a line of play without a database.

It has lines of JSON: a header, each commit from the start to the position with its bytes, then the signatures. It is
verified like a line in a store: Zim follows the chain of digests and decides every command again. You can import it
into another store, where the line has the same digests.

In other words: signed log.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from typing import NamedTuple

import msgspec

from event_store import ConflictError, DamagedError, Entry, EventStore, StoreError
from event_store.chain import Row, digest_of_parts, entries
from event_store.codec import Codec, encode
from event_store.input_limits import decode_exact, lines_of
from event_store.line_history import commit_at, path_to
from event_store.marks import check_form
from event_store.seal_places import has_place
from zimcore.documents.copies import DealDocument
from zimcore.documents.listings import Audit, Fault
from zimcore.game import Event, Game, GameError, Played, Seat
from zimcore.games.registry import GAMES
from zimcore.service.lines.copies import deal_document, table_in
from zimcore.service.lines.line_repository import LineRepository, LoadedLine
from zimcore.service.proofs.audit import ALTERED, DAMAGED, FORGED, AuditCache, audit_without_commits, verify_line
from zimcore.service.proofs.importing import check_audits, check_author, deviation_events
from zimcore.service.records import event_registration
from zimcore.service.records.bindings import Binding, KeyChanged, SeatBound
from zimcore.service.records.fair_deal import deal_fault
from zimcore.service.records.names import (
    CATALOGUE,
    OWN_LINE_MARK,
    GameNamed,
    ImportedAsRecorded,
    LineNamed,
    Names,
    check_name_is_free,
    next_free_name,
)
from zimcore.service.records.places import Place, check_name, parse_place
from zimcore.service.records.signed_commands import SIGNATURE_NEEDED_IF_SIGNED_BEFORE, KeyFinder, key_finder_of_game
from zimcore.service.writing.writer import Writer
from zimcore.toolkit.progress import ReportProgress, ignore_progress

FORMAT, UNSEALED_FORMAT = "certificate.2", "certificate.1"
"""Today's format, and the old one, in which nothing proves the names in the header."""


MAX_COMMITS = 2**31
"""More commits, and more rows, than a file can have."""


CERTIFICATE_START = b'{"zim":"certificate'
"""How the file of a certificate begins."""


class SeatKey(msgspec.Struct, frozen=True):
    """A seat that is bound to a key (public, hex): its commands after move `after` are signed with it."""

    seat: Seat
    key: str
    after: int


class ChangedKey(SeatKey, frozen=True):
    """A later key of a seat, used after move `after`, with the signatures of its former key and of this one (hex).

    Both signatures are empty if the former key was lost.
    """

    signed: str = ""
    proof: str = ""


class Header(msgspec.Struct, frozen=True, omit_defaults=True):
    """The first line of a certificate: the line, the kind of game, the version of its rules, and where the line ends.

    `keys` has the first key of each seat whose commands are signed, `changed` the later keys, oldest first. The moves
    after `free` were made on a line that belongs to one seat: there a seat signs only if it has signed before. `deal`
    says how a fair deal was made. `seal` is the digest (hex) of the rest of the header; signatures cover it too.
    """

    zim: str
    game: str
    line: str
    kind: str
    rules: str
    commits: int
    head: str
    state: str
    keys: tuple[SeatKey, ...] = ()
    changed: tuple[ChangedKey, ...] = ()
    free: int | None = None
    deal: DealDocument | None = None
    seal: str = ""


class Link(msgspec.Struct, frozen=True):
    """A commit: its digest, the digest of the state after it (both in hex), and its rows (topic, bytes)."""

    number: int
    digest: str
    state: str
    rows: tuple[tuple[str, bytes], ...]


class Signature(msgspec.Struct, frozen=True):
    """A player's signature: the player, their seat ("" for none), the public key and the signature in hex."""

    by: str
    seat: str
    key: str
    signature: str


class Certificate(msgspec.Struct, frozen=True):
    """A certificate, as its file holds it."""

    header: Header
    links: tuple[Link, ...]
    signatures: tuple[Signature, ...] = ()

    def rows(self) -> list[Row]:
        """The rows of all commits, numbered from 0 as in a stream."""
        all_rows = (row for link in self.links for row in link.rows)
        return [(revision, *row) for revision, row in enumerate(all_rows)]


class UnsignedError(GameError):
    """Raised for a line that no certificate can prove, because signatures are missing."""


def issue_certificate(loaded_line: LoadedLine, digest: bytes, names: Names) -> Certificate:
    """Makes the certificate of a line up to a commit, with the keys that the seats of its game are bound to.

    Raises `UnsignedError` for a line that belongs to one seat and on which a seat stopped signing: its certificate
    would look like a forgery.
    """
    line, game = loaded_line.line, loaded_line.game
    entries = [line.commits[each] for each in path_to(line, digest)]
    links = tuple(_link_of(number, entry) for number, entry in enumerate(entries))
    last_link = links[-1]
    keys = tuple(
        SeatKey(seat, first_binding.key, _commits_before(first_binding, entries))
        for seat, (first_binding, *_) in names.all_bindings.items()
    )
    changed_keys = tuple(
        ChangedKey(seat, binding.key, _commits_before(binding, entries), binding.signed.hex(), binding.proof.hex())
        for seat, (_, *later_bindings) in names.all_bindings.items()
        for binding in later_bindings
        if isinstance(binding, KeyChanged)
    )
    last_before_free = _unsigned_after(loaded_line, entries, names)
    deal = deal_document(names.table, shows_secret=True) if names.table and names.table.secret else None
    header_fields = len(links), last_link.digest, last_link.state, keys, changed_keys, last_before_free, deal
    header = Header(FORMAT, loaded_line.match, loaded_line.name, game.name, game.version, *header_fields)
    return Certificate(seal_header(header), links)


def _unsigned_after(loaded_line: LoadedLine, entries: Sequence[Entry], names: Names) -> int | None:
    """The last commit before those that need no signature, by number; None if all need one. Raises `UnsignedError`."""
    own_numbers = [number for number, entry in enumerate(entries) if entry.stream in names.own_streams]
    if not (own_numbers and names.all_bindings):
        return None
    last_before_own, signed_seats = own_numbers[0] - 1, set[Seat]()
    for number, entry in enumerate(entries):
        seat = played_event.seat if isinstance(played_event := entry.events[0], Played) else ""
        if (
            number > last_before_own
            and seat in names.all_bindings
            and (seat in signed_seats or OWN_LINE_MARK not in loaded_line.name)
        ):
            what = f"a certificate can't prove {loaded_line.place}@{number}"
            why = f"{seat} signs in this game, but not here, where the line is a seat's own"
            raise UnsignedError(what, why, [f"export {loaded_line.place}@{last_before_own} --certificate FILE"])
        if entry.seal.proof:
            signed_seats.add(seat)
    return last_before_own


def _commits_before(binding: Binding, entries: Sequence[Entry]) -> int:
    """The number of the last commit made before a seat was bound to a key."""
    numbers = [number for number, entry in enumerate(entries) if entry.revision <= binding.since.get(entry.stream, -1)]
    return max(numbers, default=0)


def seal_header(header: Header) -> Header:
    """The header with its seal."""
    return msgspec.structs.replace(header, seal=digest_of_parts(encode(msgspec.structs.replace(header, seal=""))).hex())


def key_finder_of_certificate(header: Header) -> KeyFinder:
    """The keys that the commits of a certificate must be signed with."""

    def find_key(entry: Entry, number: int, seat: Seat) -> str:
        del entry
        if header.free is not None and number > header.free and OWN_LINE_MARK in header.line:
            return SIGNATURE_NEEDED_IF_SIGNED_BEFORE
        keys = (each.key for each in (*header.changed[::-1], *header.keys) if each.seat == seat and number > each.after)
        return next(keys, "")

    return find_key


def bindings_in(header: Header, revisions_at: Callable[[int], dict[str, int]]) -> dict[Seat, tuple[Binding, ...]]:
    """The keys of the seats in a certificate. `revisions_at` gives the revisions of streams at a move.

    Raises `DamagedError` for keys that make no sense.
    """
    bindings_by_seat: dict[Seat, tuple[Binding, ...]] = {}
    for key in header.keys:
        if key.seat in bindings_by_seat:
            raise DamagedError("this is not a certificate", f"{key.seat} has several first keys")
        bindings_by_seat[key.seat] = (SeatBound(key.seat, key.key, revisions_at(key.after)),)
    for changed_key in header.changed:
        earlier_bindings = bindings_by_seat.get(changed_key.seat)
        if not earlier_bindings or earlier_bindings[-1].key == changed_key.key:
            raise DamagedError("this is not a certificate", f"{changed_key.seat} had no other key before")
        signatures = bytes.fromhex(changed_key.signed), bytes.fromhex(changed_key.proof)
        key_changed = KeyChanged(changed_key.seat, changed_key.key, revisions_at(changed_key.after), *signatures)
        bindings_by_seat[changed_key.seat] = (*earlier_bindings, key_changed)
    return bindings_by_seat


def _link_of(number: int, entry: Entry) -> Link:
    rows = tuple((topic, content) for _, topic, content in entry.all_rows)
    return Link(number, entry.digest.hex(), entry.seal.state.hex(), rows)


def to_bytes(certificate: Certificate) -> bytes:
    """The bytes of a certificate's file."""
    documents = (certificate.header, *certificate.links, *certificate.signatures)
    return b"".join(msgspec.json.encode(document) + b"\n" for document in documents)


def read_certificate(file_bytes: bytes) -> Certificate:
    """Reads a certificate from the bytes of a file. Raises `DamagedError` for anything else, and above the limits."""
    return read_lines(lines_of(BytesIO(file_bytes)))


def read_lines(certificate_lines: Iterable[bytes]) -> Certificate:
    """Reads a certificate from lines that are within the limits. Raises `DamagedError` for anything else."""
    lines = list(certificate_lines)
    if not lines or not lines[0].startswith(b"{"):
        why = "its first line is not a document in JSON" if any(map(bytes.strip, lines)) else "it is empty"
        raise DamagedError("this is not a certificate", why)
    check_form("this certificate", lines[0], FORMAT)
    try:
        header = decode_exact(lines[0], Header)
        numbers = (header.commits, header.free or 0, *(each.after for each in (*header.keys, *header.changed)))
        if not all(0 <= number < MAX_COMMITS for number in numbers):
            raise DamagedError("this is not a certificate", "it says that it has more commits than a file can have")
        links = [decode_exact(line, Link) for line in lines[1 : header.commits + 1]]
        signatures = [decode_exact(line, Signature) for line in lines[header.commits + 1 :]]
        bindings_in(header, lambda _: {})
        if header.deal:
            table_in(header.deal)
    except (ValueError, RecursionError) as error:
        what = "this certificate is cut off" if "truncated" in str(error) else "this is not a certificate"
        raise DamagedError(what, str(error)) from error
    if header.zim not in (FORMAT, UNSEALED_FORMAT):
        raise DamagedError("this is not a certificate", f"it says that it is {header.zim!r}, not {FORMAT!r}")
    return Certificate(header, tuple(links), tuple(signatures))


def verify_certificate(
    certificate: Certificate,
    games: Mapping[str, str] = GAMES,
    report: ReportProgress = ignore_progress,
    cache: AuditCache | None = None,
) -> Audit:
    """Checks the chain of a certificate and decides every command again.

    `cache` keeps the decisions for a later audit. Raises `UnknownError` for an unknown kind of game.
    """
    header = certificate.header
    codec = Codec()
    game = event_registration.load_game(codec, header.kind, games)
    if header.zim == FORMAT and seal_header(header) != header:
        fault = Fault(
            ALTERED, f"{header.game}/{header.line}", "the head of the certificate was altered: names, rules or keys"
        )
        return audit_without_commits(fault, game=header.game, line=header.line)

    try:
        bindings = bindings_in(header, lambda _: {})
    except DamagedError as error:
        fault = Fault(ALTERED, f"{header.game}/{header.line}", error.why)
        return audit_without_commits(fault, game=header.game, line=header.line)

    def read_entries(stream: str, after: int = -1, until: int | None = None) -> Iterator[Entry]:
        del until  # there is only one stream
        return _read_commits(stream, certificate.rows(), codec, after)

    def report_commits(done_count: int, _: int) -> None:
        report(done_count, len(certificate.links))

    place = f"{header.game}/{header.line}"
    audit = verify_line(
        read_entries,
        game,
        place,
        "certificate",
        key_finder_of_certificate(header),
        bindings=bindings,
        audit_cache=cache,
        report=report_commits,
    )
    audit = msgspec.structs.replace(audit, stream="", sealed="" if audit.fault else _seal_kind(certificate, codec))
    if audit.fault and audit.fault.kind == "rules changed" and header.rules != game.version:
        what = f"{audit.fault.what} (it was played by the rules {header.rules}, these are {game.version})"
        return msgspec.structs.replace(audit, fault=msgspec.structs.replace(audit.fault, what=what))
    return audit if audit.fault else _with_parts_checked(certificate, game, codec, audit)


def _seal_kind(certificate: Certificate, codec: Codec) -> str:
    """Which commits were sealed with a place, in words: all, none, or those from one commit on."""
    have_places = [has_place(entry.seal) for entry in entries("certificate", certificate.rows(), codec)]
    first_number_with_place = len(have_places) - [*reversed(have_places), False].index(False)
    if first_number_with_place == len(have_places):
        return "without place"
    return f"with place from @{first_number_with_place} on" if first_number_with_place else "with place"


def _with_parts_checked(certificate: Certificate, game: Game, codec: Codec, audit: Audit) -> Audit:
    """The audit, completed by a check of the readable parts and of the deal.

    It can't prove that the commitment was published when the table opened; only the links to the seats do.
    """
    if fault := _text_fault(certificate, codec):
        return msgspec.structs.replace(audit, fault=fault)
    deal = certificate.header.deal
    if deal is None:
        return audit
    table = table_in(deal)
    first_event = next(entries("certificate", certificate.rows(), codec)).events[0]
    reason = (
        deal_fault(table, game, first_event) if isinstance(first_event, Played) else "it does not begin with a deal"
    )
    if reason:
        return msgspec.structs.replace(audit, fault=Fault(FORGED, f"{audit.game}/{audit.line}@0", reason))
    unproven_text = (
        f"that {deal.commit} was published when the table opened: it is in the links to its seats, compare them"
    )
    return msgspec.structs.replace(audit, deal="proven", unproven=(*audit.unproven, unproven_text))


def seats_in(certificate: Certificate, games: Mapping[str, str] = GAMES) -> tuple[Seat, ...]:
    """The seats of a verified certificate."""
    codec = Codec()
    evolution = event_registration.load_game(codec, certificate.header.kind, games).evolution
    state = evolution.initial()
    for entry in entries("certificate", certificate.rows(), codec):
        for event in entry.events:
            assert isinstance(event, Event)
            evolution.evolve(state, event)
    return evolution.seats(state)


def _read_commits(stream: str, rows: list[Row], codec: Codec, after: int) -> Iterator[Entry]:
    for entry in entries(stream, rows, codec, after):
        if not entry.is_commit:
            raise DamagedError(f"the entry at revision {entry.revision} is not a commit", "a certificate has no others")
        yield entry


def _text_fault(certificate: Certificate, codec: Codec) -> Fault | None:
    """The first fault where the readable part of a certificate (digests, numbers) disagrees with the proven bytes."""
    header = certificate.header
    place = f"{header.game}/{header.line}"
    proven_links = [_link_of(number, entry) for number, entry in enumerate(entries(place, certificate.rows(), codec))]
    for link, proven_link in zip(certificate.links, proven_links, strict=False):
        if link != proven_link:
            return Fault(ALTERED, f"{place}@{link.number}", "the digests do not match the bytes")
    last_link = proven_links[-1]
    if (header.commits, header.head, header.state) != (len(proven_links), last_link.digest, last_link.state):
        return Fault(
            DAMAGED, f"{place}@{last_link.number}", f"the line ends at @{header.commits - 1} ({header.head[:12]})"
        )
    return None


def adopt_certificate(
    writer: Writer,
    repository: LineRepository,
    certificate: Certificate,
    place: str,
    author: str,
    *,
    as_recorded: bool = False,
    report: ReportProgress = ignore_progress,
) -> str:
    """Verifies a certificate, stores it in one transaction and returns its place in the store (`kilwa-7/main`).

    If the store has the match with the same set-up, the certificate becomes a new line of it, otherwise a new match. If
    a line already has all its commits, nothing is stored and the place of that line is returned, unless `place` names a
    line. A taken name gets a number, but raises `UnknownError` if `place` asks for it. Raises `FaultyError` for a line
    that was altered, or that today's rules would not give (unless `as_recorded`).
    """
    parsed_place = parse_place(place or f"{certificate.header.game}/{certificate.header.line}")
    line = parsed_place.line or certificate.header.line
    for name in (parsed_place.match, line):
        check_name(name)
    cache = AuditCache()
    audit = verify_certificate(certificate, repository.games, report, cache)
    check_audits([audit], as_recorded=as_recorded)
    for entry in entries("certificate", certificate.rows(), Codec()):
        check_author(entry.seal.by)

    def check_new_audit(new_audit: Audit) -> None:
        check_audits([new_audit], as_recorded=as_recorded)

    while True:
        try:
            target = AdoptionTarget(parsed_place, line, bool(place))
            return _store_line(
                writer, repository, certificate, target, author, deviation_events([audit]), cache, check_new_audit
            )
        except ConflictError:
            continue  # another writer has named a game or line: choose the names again


class AdoptionTarget(NamedTuple):
    """Where a certificate is to be stored: the place and line, and whether the user asked for them."""

    place: Place
    line: str
    is_asked_for: bool


def _store_line(
    writer: Writer,
    repository: LineRepository,
    certificate: Certificate,
    target: AdoptionTarget,
    author: str,
    deviations: Sequence[Event],
    cache: AuditCache,
    check_new_audit: Callable[[Audit], None],
) -> str:
    """Stores the commits, the name of their line, and the name of the game if it is new. Returns the place.

    The new entries are audited before they are stored, as `verify` will audit them; `cache` has the decisions so far.
    """
    line, catalogue, name = target.line, repository.catalogue(), target.place.match
    is_known_match = name in catalogue.games and _has_same_beginning(repository, name, certificate)
    if not is_known_match:
        if target.is_asked_for:
            catalogue.check_new_game_name(name)
        name = _free_name(name, catalogue.taken_names, "")
    names = repository.names(name) if is_known_match else Names(writer.ids(), match=name)
    if (
        is_known_match
        and not (target.is_asked_for and target.place.line)
        and (existing_place := _line_with_all_commits(repository, name, certificate))
    ):
        return existing_place
    _check_keys(repository, names, certificate)
    line = _free_name(line, names.lines, "line" if target.place.line and target.is_asked_for else "")
    stream = writer.ids()
    deviations = [
        deviation
        for deviation in deviations
        if isinstance(deviation, ImportedAsRecorded) and deviation.commit not in names.recorded_deviations
    ]
    bindings_by_seat = bindings_in(certificate.header, lambda after: {stream: _revision_of_commit(certificate, after)})
    binding_events = (
        [] if is_known_match else [binding for seat_bindings in bindings_by_seat.values() for binding in seat_bindings]
    )
    names_draft = writer.draft([LineNamed(line, stream), *binding_events, *deviations], author)
    commits = [*_entries_of_stream(writer, certificate, stream)]
    # The commits keep their original seals; one more entry binds them to their new place.
    binding_entry = writer.store.seal_binding_entry(commits, author, writer.clock())
    entries = [*commits, binding_entry, writer.store.seal_entry(names.stream, names.revision, names_draft)]
    if not is_known_match:
        catalogue_draft = writer.draft([GameNamed(name, certificate.header.kind, names.stream)], author)
        entries.append(writer.store.seal_entry(CATALOGUE, catalogue.revision, catalogue_draft))
    game = repository.load_game(certificate.header.kind)
    check_new_audit(_audit_line(writer.store, game, entries, names, f"{name}/{line}", stream, cache))
    writer.store.adopt(entries)
    return f"{name}/{line}"


def _audit_line(
    store: EventStore,
    game: Game,
    new_entries: Sequence[Entry],
    names: Names,
    place: str,
    new_stream: str,
    cache: AuditCache,
) -> Audit:
    """Audits a line as it will be in the store, including the entries that are about to be stored."""
    stored_names = Names(names.stream, match=names.match)
    stored_names.refresh(store)
    for entry in new_entries:
        if entry.stream == names.stream:
            stored_names.advance(entry)

    def read_stream(stream: str, after: int = -1, until: int | None = None) -> Iterable[Entry]:
        if stream != new_stream:
            return store.read(stream, after, until)
        last_revision = MAX_COMMITS if until is None else until
        return [each for each in new_entries if each.stream == new_stream and after < each.revision <= last_revision]

    find_key = key_finder_of_game(stored_names.all_bindings, stored_names.own_streams, read_stream)
    return verify_line(
        read_stream,
        game,
        place,
        new_stream,
        find_key,
        stored_names.recorded_deviations,
        bindings=stored_names.all_bindings,
        audit_cache=cache,
    )


def _check_keys(repository: LineRepository, names: Names, certificate: Certificate) -> None:
    """Raises `GameError` if a seat of the game is bound to a key, but the file may have unsigned moves of it."""
    digests = {digest.hex() for line in names.lines for digest in repository.line(names.match, line).line.commits}
    last_shared_number = max((link.number for link in certificate.links if link.digest in digests), default=-1)
    header = certificate.header
    keys_by_seat: dict[Seat, list[SeatKey]] = {}
    for seat_key in (*header.keys, *header.changed):
        keys_by_seat.setdefault(seat_key.seat, []).append(seat_key)
    for seat, binding in names.current_bindings.items():
        own_keys, file_keys = [each.key for each in names.all_bindings[seat]], keys_by_seat.get(seat, [])
        has_same_keys = (
            [each.key for each in file_keys] == own_keys
            and file_keys[-1].after <= last_shared_number
            and header.free is None
        )
        if (last_shared_number + 1 < len(certificate.links) or header.free is not None) and not has_same_keys:
            what = f"{seat}'s commands in {names.match} are signed, and in this file they need not be"
            raise GameError(what, f"the seat is bound to the key {binding.key}", ["import FILE --as NAME"])


def _revision_of_commit(certificate: Certificate, number: int) -> int:
    """The revision of a commit in a stream that has only the certificate's rows."""
    return sum(len(link.rows) for link in certificate.links[: number + 1]) - 1


def _free_name(name: str, taken_names: Collection[str], name_kind: str) -> str:
    """The name, with a number if it is taken. If the user asked for it (`name_kind`), raises `UnknownError` instead."""
    if name_kind:
        check_name_is_free(name, taken_names, name_kind)
    return next_free_name(name, taken_names) if name in taken_names else name


def _has_same_beginning(repository: LineRepository, name: str, certificate: Certificate) -> bool:
    try:
        first_commit = commit_at(repository.line(name).line, 0)
    except StoreError:  # damaged: store nothing there
        return False
    return first_commit is not None and first_commit.hex() == certificate.links[0].digest


def _line_with_all_commits(repository: LineRepository, name: str, certificate: Certificate) -> str:
    """The place of a line that has all commits of a certificate, preferably one that ends with them; "" for none."""
    last_digest, longer_place = bytes.fromhex(certificate.links[-1].digest), ""
    for line in repository.names(name).lines:
        try:
            loaded_line = repository.line(name, line)
        except StoreError:  # skip a damaged line
            continue
        if loaded_line.line.head == last_digest:
            return loaded_line.place
        if last_digest in path_to(loaded_line.line, loaded_line.line.head):
            longer_place = longer_place or loaded_line.place
    return longer_place


def _entries_of_stream(writer: Writer, certificate: Certificate, stream: str) -> Iterator[Entry]:
    """The commits as entries of a new stream."""
    rows, row_number = certificate.rows(), 0
    for link in certificate.links:
        yield writer.store.make_entry(stream, rows[row_number : row_number + len(link.rows)])
        row_number += len(link.rows)
