"""What comes from elsewhere is checked before it is stored, by today's rules too: a certificate, a whole store.

A line that today's rules would not give is refused. If it is wanted all the same it is stored as it was recorded, and a
fact among the names of its game says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import BinaryIO

from event_store import ConflictError, Draft, Entry, EventStore, archive, input_limits
from event_store.line_history import lineage
from zimcore.documents.listings import Audit, Fault
from zimcore.game import Event, GameError
from zimcore.service.audit import RULES_CHANGED, Report, no_report, verify_all, verify_game
from zimcore.service.bindings import continues
from zimcore.service.line_repository import LineRepository
from zimcore.service.names import CATALOGUE, GameNamed, LineNamed, LineRenamed, Names, TakenAsRecorded, deleted_label
from zimcore.service.places import MAX_NAME, check_name

LONGEST_NAME = 256
"""Characters of the name of a person that comes from elsewhere: more than can be typed now, as stores may have them."""
RETRY_HINTS = ("import FILE --as-recorded",)


def lines_of(file: BinaryIO, *, any_size: bool = False) -> Iterator[bytes]:
    """The lines of a file, as they are read. Raises `DamagedError` for one above the limits."""
    return input_limits.lines_of(file, input_limits.OWN if any_size else input_limits.FOREIGN)


class FaultyError(GameError):
    """What was to be imported is not as it was played, or not what today's rules would give. `audits` say where."""

    def __init__(self, audits: Sequence[Audit]) -> None:
        faults = [audit.fault for audit in audits if audit.fault]
        first, others = faults[0], len(faults) - 1
        what = f"it is not imported: {first.where}" + (f" and {others} more" if others else "")
        hints = RETRY_HINTS if all(fault.kind == RULES_CHANGED for fault in faults) else ()
        super().__init__(what, first.what, hints)
        self.kind = first.kind
        self.faults: tuple[Fault, ...] = tuple(faults)


def check(audits: Sequence[Audit], *, as_recorded: bool) -> None:
    """Raises `FaultyError` for lines that must not be stored; `as_recorded` other rules are no reason."""
    wrong = [each for each in audits if each.fault and not (as_recorded and each.fault.kind == RULES_CHANGED)]
    if wrong:
        raise FaultyError(wrong)


def deviation_events(audits: Iterable[Audit]) -> list[Event]:
    """The events that mark lines imported as recorded, where today's rules would give another result."""
    found = {commit: what for audit in audits if audit.fault for commit, what in audit.fault.commits.items()}
    return [TakenAsRecorded(bytes.fromhex(commit), what) for commit, what in found.items()]


def import_games(
    here: LineRepository,
    lines: Iterable[bytes],
    draft: Callable[[Sequence[Event]], Draft],
    *,
    as_recorded: bool = False,
    report: Report = no_report,
) -> int:
    """Stores the lines of an export, a game in one transaction; how many entries there are."""

    def check_games(unpacked: EventStore) -> Iterator[Sequence[Entry]]:
        there = LineRepository(unpacked, here.games)
        audits = verify_all(unpacked, there, report)
        check(audits, as_recorded=as_recorded)
        ours, theirs = here.intact()[0], there.catalogue()
        known = ours.games | ours.deleted
        games = theirs.games | theirs.deleted
        _check_names(unpacked, games.values())
        for entry in unpacked.all_entries():
            check_author(entry.seal.by)
        marked = {
            name: deviation_events(audit for audit in audits if audit.game in (name, deleted_label(name)))
            for name in games
        }
        for name in games.keys() & known.keys():
            mine, other = _names(here.store, known[name]), _names(unpacked, games[name])
            if any(isinstance(each, TakenAsRecorded) and each.commit not in mine.recorded for each in marked[name]):
                what = f"the game {name} exists already, and would go on under other rules than today's"
                raise ConflictError(what, "", ("zim --store sqlite:///NEW.db import FILE",))
            _check_keys(here.store, mine, unpacked, other)
            if _add_stored_entries(here.store, unpacked, known[name]):
                # What is ours was marked already where today's rules would not give it.
                check(verify_game(unpacked, LineRepository(unpacked, here.games), known[name], name), as_recorded=True)
        new = {name: found for name, found in marked.items() if name not in known}
        return _games(there, new, ours.removed, draft)

    return archive.import_lines(here.store, lines, check_games, report)


def _names(store: EventStore, named: GameNamed) -> Names:
    """The names of a game's lines, whether it has a name itself or was deleted."""
    names = Names(named.game, named.name)
    names.refresh(store)
    return names


def _check_keys(here: EventStore, ours: Names, there: EventStore, theirs: Names) -> None:
    """Raises `ConflictError` where lines of a game would go on by moves that need no signature in the file."""
    unsigned = [seat for seat, keys in ours.keys.items() if not continues(keys, theirs.keys.get(seat, ()))]
    more = any(_last_revision(there, stream) > _last_revision(here, stream) for stream in theirs.streams)
    if unsigned and more:
        what = f"{' and '.join(unsigned)} of {ours.match} are bound to keys here, and in this file they are not"
        why, hints = "its moves can't be distinguished from forged ones", ("zim --store sqlite:///NEW.db import FILE",)
        raise ConflictError(what, why, hints)


def _add_stored_entries(here: EventStore, there: EventStore, named: GameNamed) -> int:
    """Adds what the store has of a game to what was unpacked, so that it can be audited as it will be stored.

    How many entries that are.
    """
    more = 0
    for stream in dict.fromkeys(_streams(here, named)):
        last = _last_revision(there, stream)
        entries = [entry for entry in here.read(stream) if entry.revision > last]
        there.adopt(entries)
        more += len(entries)
    return more


def _last_revision(store: EventStore, stream: str) -> int:
    return max((entry.revision for entry in store.read(stream)), default=-1)


def check_author(by: str) -> None:
    """Raises `GameError` for the name of a person that is as long as a text: what was typed once had no limit."""
    if len(by) > LONGEST_NAME:
        what = f"not a name: {by[:MAX_NAME]}..."
        raise GameError(what, f"the name of a person has up to {LONGEST_NAME} characters, this has {len(by):,}")


def _check_names(store: EventStore, games: Iterable[GameNamed]) -> None:
    """Raises `GameError` for names that are not valid here."""
    for named in games:
        check_name(named.name)
        for entry in store.read(named.game):
            for event in entry.events:
                match event:
                    case LineNamed(name=name) | LineRenamed(to=name):
                        check_name(name)


def _games(
    there: LineRepository,
    new: Mapping[str, Sequence[Event]],
    removed: Iterable[str],
    draft: Callable[[Sequence[Event]], Draft],
) -> Iterator[Sequence[Entry]]:
    """The entries of each game, with its name in the catalogue; then those of streams that no game needs.

    What was `removed` for good does not come back.
    """
    unpacked, seen = there.store, {CATALOGUE, *removed}
    for entry in unpacked.read(CATALOGUE):
        together = list[Entry]()
        for named in entry.events:
            if not isinstance(named, GameNamed):
                continue
            streams = [each for each in dict.fromkeys(_streams(unpacked, named)) if each not in seen]
            seen.update(streams)
            together += [each for stream in streams for each in unpacked.read(stream)]
            if new.get(named.name):
                together.append(unpacked.follow(named.game, together[-1].revision, draft(new[named.name])))
        yield [*together, entry]
    yield from (list(unpacked.read(stream)) for stream in unpacked.streams() if stream not in seen)


def _streams(store: EventStore, named: GameNamed) -> Iterator[str]:
    """All streams that a game is made of: those that its lines were forked from first, and its names last."""
    for entry in store.read(named.game):
        for event in entry.events:
            if isinstance(event, LineNamed):
                yield from dict.fromkeys(each.stream for each in lineage(store.read, event.line))
    yield named.game
