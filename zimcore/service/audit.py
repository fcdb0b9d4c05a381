"""The audit: nothing altered, nothing missing, and the rules of today still decide what was decided then.

A whole store is audited game by game, in as many processes as there are cores.
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
from zimcore.documents.listings import Audit, Fault
from zimcore.game import Event, Game, Played, Refused, UnknownError
from zimcore.service.deciding import decided, state_digest
from zimcore.service.forms import register_names
from zimcore.service.names import CATALOGUE, Names
from zimcore.service.open_lines import OpenLines
from zimcore.service.places import parse_place
from zimcore.service.states import States

ALTERED, RULES_CHANGED, DAMAGED = "altered", "rules changed", "damaged"

FEW = 40
"""So many games are audited before another process has begun."""

Report = Callable[[int, int], None]
"""Is told how many games are done, and of how many."""


class Walk(msgspec.Struct, eq=False):
    """How far an audit has come along a line."""

    place: str
    game: Game
    line: Line
    states: States
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
    """Goes over the names that lead to a line and all its commits, undone and shared ones too; stops at a fault.

    Entries that were cut off the end leave a line that is whole: only who names a position of it, by a digest, is told
    with `UnknownError` that it is not there.
    """
    named = parse_place(place)
    fault = names_fault(store, CATALOGUE) or names_fault(store, open_lines.named(named.match).game)
    if fault:
        return Audit(named.match, named.line, 0, 0, "", fault)
    name, stream = open_lines.names(named.match).find(named.line)
    found = verify_line(store.read, open_lines.game(named.match), f"{named.match}/{name}", stream)
    if not found.fault and named.at:
        open_lines.find(place)
    return found if found.fault else replace(found, fault=store_fault(store))


def verify_game(store: EventStore, open_lines: OpenLines, name: str) -> list[Audit]:
    """Goes over all lines of a game."""
    fault = names_fault(store, open_lines.named(name).game)
    if fault:
        return [Audit(name, "", 0, 0, "", fault)]
    try:
        game, lines = open_lines.game(name), open_lines.names(name).lines
    except (DamagedError, UnknownError) as error:
        return [Audit(name, "", 0, 0, "", Fault(DAMAGED, name, str(error)))]
    return [verify_line(store.read, game, f"{name}/{line}", stream) for line, stream in lines.items()]


def verify_line(read: Read, game: Game, place: str, stream: str) -> Audit:
    """Goes over all commits of a line."""
    line = Line(stream)
    walk = Walk(place, game, line, States(game.evolution, line))
    fault = _audit_line(read, walk)
    name, _, line_name = place.partition("/")
    return Audit(name, line_name, walk.commits, walk.events, line.head.hex(), fault)


def store_fault(store: EventStore) -> Fault | None:
    """What the database finds wrong with itself, if anything."""
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


def _audit_line(read: Read, walk: Walk) -> Fault | None:
    try:
        for entry in verified(read, walk.line):
            if entry.is_commit:
                fault = _audit_commit(walk, entry)
                if fault:
                    return fault
    except DamagedError as error:
        return Fault(_kind(error), walk.beyond, str(error))
    return None if walk.line.head else Fault(DAMAGED, walk.beyond, "the line has no commits")


def _audit_commit(walk: Walk, entry: Entry) -> Fault | None:
    stored = walk.states.events(entry.digest)
    why = _otherwise(walk, entry, stored)
    walk.commits += 1
    walk.events += len(stored)
    return Fault(RULES_CHANGED, walk.here, why) if why else None


def _kind(error: DamagedError) -> str:
    return ALTERED if isinstance(error, AlteredError) else DAMAGED


def _otherwise(walk: Walk, entry: Entry, stored: tuple[Event, ...]) -> str:
    """In what the rules of today decide a commit otherwise; empty when they don't."""
    played = stored[0]
    if not isinstance(played, Played):
        return "it does not begin with a command"
    try:
        today = decided(walk.game, walk.states.known(entry.parent), played.seat, played.command)
        state = state_digest(walk.game, walk.states.known(entry.digest))
    # Rules that have changed may stumble over facts of the past in any way.
    except Exception as error:
        return f"the rules of today fail on it: {type(error).__name__}: {error}"
    if isinstance(today, Refused):
        return "refused today: " + "; ".join(f"{each.code} {each.reason}" for each in today.refusals)
    if today.events != stored:
        return _difference(walk.game, stored, today.events)
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


def _described(game: Game, event: Event) -> str:
    """A fact as everybody may know it."""
    return game.notation.describe(game.secrets.redact(event, "") if game.secrets else event)


def verify_all(store: EventStore, open_lines: OpenLines, report: Report) -> list[Audit]:
    """Audits the names of all games, and every line of each; a fault ends the audit of its line only."""
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
    # Not forked: a connection to a database must not be in two processes.
    with ProcessPoolExecutor(processes, get_context("spawn"), _open, (store.address, open_lines.games)) as pool:
        yield from pool.map(_verify, games, chunksize=4)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_opened: tuple[EventStore, OpenLines]
"""The store of this process, which it opened itself."""


def _open(address: str, games: Mapping[str, str]) -> None:
    global _opened
    store = EventStore.open(address)
    register_names(store)
    _opened = store, OpenLines(store, games)


def _verify(game: str) -> list[Audit]:
    return verify_game(*_opened, game)
