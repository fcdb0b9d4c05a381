"""Answers about a store: its games and lines, audits, certificates, exports."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from zimcore.documents.listings import Audit, GameInfo, LineInfo, TagInfo
from zimcore.documents.positions import Answer, Document, PositionDocument
from zimcore.game import Seat


class GamesAnswer(Answer, frozen=True, omit_defaults=True):
    """The games of a store, oldest first; `damaged` describes the entries of the list that can't be read.

    `archived` counts the archived games that are not listed; `deleted` has the names of those that can be restored.
    `where` is the expression that chose the games, and `unmatched` counts those for which it is not true. `unfinished`
    says that an import or a salvage was stopped, so that games may be missing.
    """

    games: tuple[GameInfo, ...]
    damaged: tuple[str, ...] = ()
    archived: int = 0
    deleted: tuple[str, ...] = ()
    where: str = ""
    unmatched: int = 0
    unfinished: str = ""


class PutAwayAnswer(Answer, frozen=True):
    """Where a game is now: `listed`, `archived`, `deleted` (its bytes stay), or `removed` for good."""

    game: str
    now: str


class LinesAnswer(Answer, frozen=True):
    """The lines of a game, in the order they were begun."""

    lines: tuple[LineInfo, ...]


class TagsAnswer(Answer, frozen=True):
    """The tags of a game, oldest first; after setting one, only that one."""

    game: str
    tags: tuple[TagInfo, ...]


class Signature(Document, frozen=True):
    """A player's signature: who, which seat (or none), the public key and the signature in hex."""

    by: str
    seat: Seat
    key: str
    signature: str


class Loss(Document, frozen=True):
    """Something lost: `kind` is `cut off`, `gone`, `rewritten` or `damaged`; `name` is what people called it."""

    kind: str
    name: str
    stream: str
    what: str


class Outside(Document, frozen=True):
    """What a store was compared with: a witness or a certificate, when it was written, who signed it, what is lost."""

    file: str
    at: datetime | None
    streams: int
    losses: tuple[Loss, ...]
    signed: Signature | None = None


class FileAudit(Document, frozen=True):
    """What was found in a certificate, and who has signed it."""

    file: str
    audit: Audit
    signed: tuple[str, ...]


class NamedKey(Document, frozen=True):
    """A key that has signed (public, hex), the name and the seat it signed for, and what is known about it.

    `status` is `trusted` if you said that it is theirs, `new` if you trust no key of that name, `handed over` if the
    name's former key signed for it, `changed` if the name has another key, `revoked` if you no longer trust it.
    """

    by: str
    seat: Seat
    key: str
    status: str


class VerifyAnswer(Answer, frozen=True, omit_defaults=True):
    """What `verify` found. `audit` is of one line or file, `audits` of all lines (`--all`), `files` of several files.

    `signatures` are those in a file, `forged` the forged among them.

    `outside` is the result of a comparison with a file from elsewhere. `digits` says how many of the 32 digits of a
    digest named the position, if not all.

    `keys` are those that have signed commands, or a file; `unproven` says what nothing proves in an old file.
    """

    audit: Audit | None = None
    audits: tuple[Audit, ...] | None = None
    signatures: tuple[Signature, ...] | None = None
    forged: tuple[Signature, ...] | None = None
    files: tuple[FileAudit, ...] | None = None
    outside: Outside | None = None
    digits: int | None = None
    keys: tuple[NamedKey, ...] = ()
    unproven: str = ""


class WitnessAnswer(Answer, frozen=True, omit_defaults=True):
    """A witness that was written: where, how many streams it has, and who signed it."""

    file: str
    streams: int
    signed: Signature | None = None


class CheckFinding(msgspec.Struct, frozen=True):
    """A broken promise of the contract: the part and member, what is wrong, and the line in the author's file, if
    known.
    """

    member: str
    what: str
    where: str


class CheckCoverage(msgspec.Struct, frozen=True):
    """How many positions of a `phase`, after a `command` or for a `seat` were compared with another deal.

    `kind` says which of the three, `name` its name.
    """

    kind: str
    name: str
    compared: int
    positions: int


class CheckAnswer(Answer, frozen=True):
    """Whether a game keeps the promises of the contract: how many random games were played, and the findings.

    `pairs` of positions, from so many `deals`, differ only in what a seat can't see; `untwinned` counts where there was
    none, and `coverage` says where. `impossible_worlds` of the `worlds` that programs would imagine can't be.
    """

    game: str
    title: str
    played: int
    findings: tuple[CheckFinding, ...]
    positions: int = 0
    deals: int = 0
    pairs: int = 0
    untwinned: int = 0
    coverage: tuple[CheckCoverage, ...] = ()
    worlds: int = 0
    impossible_worlds: int = 0
    why_impossible: str = ""


class LearnAnswer(Answer, frozen=True):
    """What was learned of a game: the weights of figures by name, and the file that was written with them.

    `file` is "" and `commands` is 0 if matches did not prove that programs play better with the weights: nothing was
    changed then. Otherwise programs now cut playouts off after `commands` commands.
    `share` of the victories, from 0 to 1, over programs that learned nothing, with its standard `error`; `fair` is a
    fair share.
    """

    game: str
    title: str
    games: int
    file: str
    weights: dict[str, float]
    commands: int
    share: float
    error: float
    fair: float


class NewGameAnswer(Answer, frozen=True):
    """The package of a game that was created: its name and title, folder, files, and the command that installs it."""

    game: str
    title: str
    folder: str
    files: tuple[str, ...]
    install: str


class ExpectAnswer(Answer, frozen=True):
    """Whether an expression holds, and the figures in it."""

    expect: str
    holds: bool
    figures: dict[str, Any]
    position: PositionDocument


class SeatKey(Document, frozen=True):
    """A seat that is bound to a key (public, hex): the commands after that move are signed with it."""

    seat: Seat
    key: str
    after: int


class ChangedKey(Document, frozen=True, omit_defaults=True):
    """Another key of a seat, from after that move on, and what its former key and this one have signed (hex)."""

    seat: Seat
    key: str
    after: int
    signed: str = ""
    proof: str = ""


class CertificateHead(Document, frozen=True):
    """What a certificate is about: the line, the kind of game, the version of its rules, and the last commit.

    `keys` are the seats with signed commands, `changed` their later keys; after move `free` signatures are optional.
    `seal` is the digest of the rest of the head.
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
    seal: str = ""


class ExportAnswer(Answer, frozen=True, omit_defaults=True):
    """A certificate that was written; with `--jsonl` the file itself is the answer. `recorded` is as in `Audit`."""

    certificate: CertificateHead
    file: str
    recorded: str = ""


class ExportsAnswer(Answer, frozen=True):
    """Certificates that were written."""

    exported: tuple[ExportAnswer, ...]


class TableFile(Document, frozen=True):
    """A table that was written: what it is of, its file, and how many rows it has."""

    table: str
    file: str
    rows: int


class TablesAnswer(Answer, frozen=True):
    """The tables that were written, and the number of their games."""

    games: int
    files: tuple[TableFile, ...]


class ImportAnswer(Answer, frozen=True, omit_defaults=True):
    """The number of entries and their store, or the place of a certificate's line. `recorded` is as in `Audit`.

    Of all `games` of an export, so many were there `already`.
    """

    entries: int | None = None
    store: str | None = None
    games: int | None = None
    already: int | None = None
    position: PositionDocument | None = None
    recorded: str = ""


class SignAnswer(Answer, frozen=True):
    """All signatures under a certificate, the file that it is in, and the one that was added."""

    signatures: tuple[Signature, ...]
    file: str
    added: Signature


class KnownKey(Document, frozen=True):
    """A public key, its owner, its `status` (`trusted`, `revoked`) and since when (a date)."""

    by: str
    key: str
    status: str
    since: str


class KeyAnswer(Answer, frozen=True, omit_defaults=True):
    """Who signs, the public half of the key (64 hex digits), and the file that has both; or the keys that are known."""

    by: str
    key: str
    file: str
    known: tuple[KnownKey, ...] | None = None


class StreamFault(msgspec.Struct, frozen=True):
    """Something that is not as it was stored: in which stream ("" for the database), at which revision, if known."""

    stream: str
    revision: int | None
    what: str


class Saved(msgspec.Struct, frozen=True):
    """The streams that were brought to another store, and those that were not intact, with the games they belong to.

    `games` counts all games.
    """

    streams: tuple[str, ...]
    lost: tuple[str, ...]
    games: int = 0
    lost_games: tuple[str, ...] = ()


class Restored(msgspec.Struct, frozen=True):
    """The backup that was put in a store's place, how many entries it has, and where the store is that was there.

    `kept` is empty if there was none.
    """

    file: str
    entries: int
    kept: str


class Upgraded(msgspec.Struct, frozen=True):
    """How many games, and streams in all, were sealed with their place, and the file with the store as it was before.

    It is empty if there was nothing to do. `left` is what could not be proven; it is not changed.
    """

    backup: str
    games: int
    streams: int
    left: tuple[StreamFault, ...]


class StoreAnswer(Answer, frozen=True, omit_defaults=True):
    """The store that was created; or the number of streams checked, and all faults; or what was salvaged.

    `without_place` counts the checked streams whose seals have no place; `upgraded` says what was sealed again,
    `restored` what was put in its place; `new_store` has what was salvaged.
    """

    store: str
    streams: int | None = None
    faults: tuple[StreamFault, ...] | None = None
    saved: Saved | None = None
    without_place: int | None = None
    upgraded: Upgraded | None = None
    restored: Restored | None = None
    new_store: str = ""


class BackupAnswer(Answer, frozen=True):
    """The file that a store was copied to, and how many entries it has."""

    store: str
    file: str
    entries: int
