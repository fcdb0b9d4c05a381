"""The audit: that nothing was altered, that nothing is missing, and that today's rules still decide the same.

A whole store is audited match by match, in as many processes as there are cores.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from multiprocessing import get_context

import msgspec
from msgspec.structs import replace

from event_store import AlteredError, DamagedError, Entry, EventStore, Line
from event_store.lines import Read
from event_store.verify import verified
from zimcore.documents.listings import Audit, Fault, Signer
from zimcore.game import Event, Game, Played, Refusal, Refused, UnknownError
from zimcore.service.deciding import decided, state_digest
from zimcore.service.forms import register_names
from zimcore.service.names import CATALOGUE, Names
from zimcore.service.open_lines import OpenLines
from zimcore.service.places import parse_place
from zimcore.service.proofs import Proofs, Wanted, by_revision, nobody
from zimcore.service.states import States

ALTERED, FORGED, RULES_CHANGED, DAMAGED = "altered", "forged", "rules changed", "damaged"

FEW = 40
"""Matches that one process audits in the time that it takes to start another process."""

Report = Callable[[int, int], None]
"""Called with the number of matches done and the number of all matches."""


class Progress(msgspec.Struct, eq=False):
    """How far the audit of a line has come."""

    place: str
    game: Game
    line: Line
    states: States
    proofs: Proofs
    commits: int = 0
    events: int = 0

    @property
    def here(self) -> str:
        """The commit that was reached last."""
        head = self.line.head
        return f"{self.place}@{self.line.numbers[head]} ({head.hex()[:12]})" if head else self.place

    @property
    def beyond(self) -> str:
        """The entry that could not be reached."""
        return f"after {self.here}" if self.line.head else f"{self.place}@start"


def verify(store: EventStore, open_lines: OpenLines, place: str) -> Audit:
    """Audits the names that lead to a line, and all its commits, undone and shared ones too; stops at a fault.

    A line whose last entries were cut off is consistent in itself, so no audit can see that they are missing. Naming a
    position by a digest that was kept elsewhere does: a digest that is gone raises `UnknownError`.
    """
    named = parse_place(place)
    fault = names_fault(store, CATALOGUE) or names_fault(store, open_lines.named(named.match).game)
    if fault:
        return Audit(named.match, named.line, 0, 0, "", fault)  # names that can't be trusted lead nowhere
    names = open_lines.names(named.match)
    name, stream = names.find(named.line)
    wanted = by_revision(names.bound, store.read)
    found = verify_line(store.read, open_lines.game(named.match), f"{named.match}/{name}", stream, wanted)
    if not found.fault and named.at:
        open_lines.find(place)
    # The database's own check comes last: it takes as long as reading the whole file.
    return found if found.fault else replace(found, fault=store_fault(store))


def verify_game(store: EventStore, open_lines: OpenLines, name: str) -> list[Audit]:
    """Audits all lines of a match."""
    fault = names_fault(store, open_lines.named(name).game)
    if fault:
        return [Audit(name, "", 0, 0, "", fault)]
    try:
        game, names = open_lines.game(name), open_lines.names(name)
    except (DamagedError, UnknownError) as error:
        return [Audit(name, "", 0, 0, "", Fault(DAMAGED, name, str(error)))]
    wanted = by_revision(names.bound, store.read)
    return [verify_line(store.read, game, f"{name}/{line}", stream, wanted) for line, stream in names.lines.items()]


def verify_line(read: Read, game: Game, place: str, stream: str, wanted: Wanted = nobody) -> Audit:
    """Audits all commits of a line; `wanted` says which of them have to be signed, and with which key."""
    line = Line(stream)
    progress = Progress(place, game, line, States(game.evolution, line), Proofs(wanted))
    fault = _audit_line(read, progress)
    name, _, line_name = place.partition("/")
    signers = tuple(Signer(*each) for each in progress.proofs.signers)
    return Audit(name, line_name, progress.commits, progress.events, line.head.hex(), fault, signers)


def store_fault(store: EventStore) -> Fault | None:
    """What the database's own check finds, if anything."""
    try:
        store.check()
    except DamagedError as error:
        return Fault(DAMAGED, "the store", str(error))
    return None


def names_fault(store: EventStore, stream: str) -> Fault | None:
    """What is wrong with a stream of names, if anything is."""
    names = Names(stream)
    try:
        for entry in verified(store.read, Line(stream)):
            names.advance(entry)
    except DamagedError as error:
        return Fault(_kind(error), f"the names in stream {stream}", str(error))
    return None


def _audit_line(read: Read, progress: Progress) -> Fault | None:
    try:
        for entry in verified(read, progress.line):
            if entry.is_commit:
                fault = _audit_commit(progress, entry)
                if fault:
                    return fault
    except DamagedError as error:
        return Fault(_kind(error), progress.beyond, str(error))
    return None if progress.line.head else Fault(DAMAGED, progress.beyond, "the line has no commits")


def _audit_commit(progress: Progress, entry: Entry) -> Fault | None:
    stored = progress.states.events(entry.digest)
    why = _decided_otherwise(progress, entry, stored)
    progress.commits += 1
    progress.events += len(stored)
    if why:
        return Fault(RULES_CHANGED, progress.here, why)
    played = stored[0]
    assert isinstance(played, Played), "else it was decided otherwise"
    forged = progress.proofs.fault(entry, progress.line.numbers[entry.digest], played)
    return Fault(FORGED, progress.here, forged) if forged else None


def _kind(error: DamagedError) -> str:
    return ALTERED if isinstance(error, AlteredError) else DAMAGED


def _decided_otherwise(progress: Progress, entry: Entry, stored: tuple[Event, ...]) -> str:
    """How today's rules decide a commit differently; empty when they decide the same."""
    played = stored[0]
    if not isinstance(played, Played):
        return "it does not begin with a command"
    try:
        today = decided(progress.game, progress.states.known(entry.parent), played.seat, played.command)
        state = state_digest(progress.game, progress.states.known(entry.digest))
    # Rules that have changed may fail on old facts with any exception at all, and that is a finding, not a crash.
    except Exception as error:
        return f"the rules of today fail on it: {type(error).__name__}: {error}"
    if isinstance(today, Refused):
        return "refused today: " + "; ".join(_reason(progress.game, each) for each in today.refusals)
    if today.events != stored:
        return _difference(progress.game, stored, today.events)
    return "" if state == entry.seal.state else "its facts lead to another state today"


def _difference(game: Game, stored: tuple[Event, ...], today: tuple[Event, ...]) -> str:
    """The first fact that differs."""
    same = next(
        (n for n, (a, b) in enumerate(zip(stored, today, strict=False)) if a != b), min(len(stored), len(today))
    )
    then, now = (_described(game, events[same]) if same < len(events) else "nothing" for events in (stored, today))
    if then != now:
        return f"fact {same} was {then!r} and would be {now!r} today"
    was, is_ = stored[same], today[same]
    fields = [name for name in was.__struct_fields__ if getattr(was, name) != getattr(is_, name, None)]
    return f"fact {same} ({then}) would have another {' and '.join(fields) or 'form'} today"


def _reason(game: Game, refusal: Refusal) -> str:
    """Why a command is refused; only the rule where a reason could name what somebody must not know."""
    return refusal.code if game.secrets else f"{refusal.code} {refusal.reason}"


def _described(game: Game, event: Event) -> str:
    """A fact in words, without anything secret: audits are shown to everybody."""
    return game.notation.describe(game.secrets.redact(event, "") if game.secrets else event)


def verify_all(store: EventStore, open_lines: OpenLines, report: Report) -> list[Audit]:
    """Audits the names of all matches, and every line of each; a fault ends the audit of its line only."""
    fault = store_fault(store) or names_fault(store, CATALOGUE)
    audits = [Audit("", "", 0, 0, "", fault)] if fault else []
    games = _named(store)
    report(0, len(games))
    for done, each in enumerate(_audited(store, open_lines, games), 1):
        audits += each
        report(done, len(games))
    return audits


def _named(store: EventStore) -> Sequence[str]:
    """The names of all games; where the catalogue is damaged, of those before."""
    names = Names(CATALOGUE)
    with suppress(DamagedError):
        names.refresh(store)
    return [*names.games]


def _audited(store: EventStore, open_lines: OpenLines, games: Sequence[str]) -> Iterator[list[Audit]]:
    processes = min(_cores(), len(games) // FEW)
    if processes < 2 or store.address == "memory:":
        yield from (verify_game(store, open_lines, game) for game in games)
        return
    # Spawned, not forked: a forked process would share the parent's database connection, and both would use it.
    # `map` gives the audits in the order of the games, however the processes share the work, so output is stable.
    with ProcessPoolExecutor(processes, get_context("spawn"), _open, (store.address, open_lines.games)) as pool:
        yield from pool.map(_verify, games, chunksize=4)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_opened: tuple[EventStore, OpenLines]
"""The store of this worker process: opened once by `_open`, since a connection can't be sent to a process."""


def _open(address: str, games: Mapping[str, str]) -> None:
    global _opened
    store = EventStore.open(address)
    register_names(store)
    _opened = store, OpenLines(store, games)


def _verify(game: str) -> list[Audit]:
    return verify_game(*_opened, game)
