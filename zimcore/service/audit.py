"""The audit: checks that nothing was altered or is missing, and that today's rules still decide every command the same.

A whole store is audited match by match, in as many processes as there are cores; then the streams without a name.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from types import MappingProxyType

import msgspec
from msgspec.structs import replace

from event_store import AlteredError, DamagedError, Entry, EventStore, Line, StoreError
from event_store.line_history import EntryReader, lineage
from event_store.projections import Projection
from event_store.verification import verify_entries
from zimcore.documents.listings import Audit, Fault, Signer
from zimcore.game import Event, Game, GameError, Played, Refusal, Refused
from zimcore.service.bindings import Bindings, former_key, rebound_seats
from zimcore.service.bindings import key_fault as keys_fault
from zimcore.service.deciding import decide_commit, state_digest
from zimcore.service.discussion import KIND, Discussion, names_stream_of, public_stream
from zimcore.service.event_registration import register_names
from zimcore.service.fair_deal import fault as deal_fault
from zimcore.service.league import KIND as LEAGUE
from zimcore.service.league import League
from zimcore.service.line_projections import encode_names, encode_projection, read_names, read_projection
from zimcore.service.line_repository import LineRepository, LoadedLine, recorded_on
from zimcore.service.names import CATALOGUE, GameNamed, Names, deleted_label
from zimcore.service.places import parse_place
from zimcore.service.signed_commands import RequiredKey, SignatureAudit, keys_by_revision, no_key_required
from zimcore.service.snapshots import SnapshotCache, Snapshots

ALTERED, FORGED, RULES_CHANGED, DAMAGED = "altered", "forged", "rules changed", "damaged"

NO_KEYS: Bindings = MappingProxyType({})

GAMES_PER_PROCESS = 40
"""About as many matches as one process audits in the time that it takes to start another process."""

REPORT_INTERVAL = 100
"""Report the progress after each this many commits."""

Report = Callable[[int, int], None]
"""Called with the count done so far and the total (0 if unknown)."""


def no_report(done: int, of: int) -> None:
    """A `Report` that does nothing."""


class AuditProgress(msgspec.Struct, eq=False):
    """The progress of a line's audit. `rules_fault` is the fault of the first commit that today's rules would not give.

    `decided` has the commits decided so far, also on other lines of the match, and how today's rules differ ("" if they
    don't). `changed` has the first commit that differs on each branch, `after` those and all commits after them.
    """

    place: str
    game: Game
    line: Line
    states: Snapshots
    proofs: SignatureAudit
    decided: dict[bytes, str] = {}
    commits: int = 0
    events: int = 0
    rules_fault: Fault | None = None
    changed: dict[str, str] = {}
    after: set[bytes] = set()

    @property
    def last_commit(self) -> str:
        """The last commit audited, as text."""
        head = self.line.head
        return f"{self.place}@{self.line.numbers[head]} ({head.hex()[:12]})" if head else self.place

    @property
    def unreached_entry(self) -> str:
        """Where the audit stopped, as text, for an entry that could not be read."""
        return f"after {self.last_commit}" if self.line.head else f"{self.place}@start"


class AuditCache(msgspec.Struct, frozen=True):
    """Shared by the audits of a match's lines: cached states, and how today's rules differ at each commit so far."""

    cache: SnapshotCache = msgspec.field(default_factory=SnapshotCache)
    decided: dict[bytes, str] = {}


def verify(store: EventStore, repository: LineRepository, place: str, by: str = "", seat: str = "") -> Audit:
    """Audits a line: the names that it is found by, its discussion, and all its commits, undone and shared ones too.

    A place without a line means the current line of the person `by` at a seat, which is found in the audited names.

    A line whose last entries were cut off is consistent in itself, so an audit can't see that they are missing. To
    notice it, name a position by a digest that you have kept: `UnknownError` is raised if it is gone.
    """
    parsed_place = parse_place(place)
    catalogue, fault = audited_names(store, CATALOGUE)
    repository.has_read(catalogue)  # with many games the catalogue is most of the reading, so don't read it twice
    fault = fault or names_fault(store, repository.find_game(parsed_place.match).game)
    fault = fault or discussion_fault(store, public_stream(repository.find_game(parsed_place.match).game))
    if fault:
        return Audit(
            parsed_place.match, parsed_place.line, 0, 0, "", fault
        )  # without trusted names the line can't be found
    names = repository.names(parsed_place.match)
    name, stream = names.find(parsed_place.line or names.current(by, seat))
    game, projection = repository.game(parsed_place.match), store.projections([stream]).get(stream)
    place_, required_key = f"{parsed_place.match}/{name}", keys_by_revision(names.keys, names.own, store.read)
    audit = verify_line(
        store.read,
        game,
        place_,
        stream,
        required_key,
        names.recorded,
        bindings=names.keys,
        projection=projection,
        is_bound=_bound_in(store, names),
    )
    audit = with_deal(store, game, names, audit)
    if not audit.fault and parsed_place.at:
        repository.find(str(replace(parsed_place, line=name)))
    # The database's own check reads the whole file, with all other games: only `verify_all` runs it.
    return audit


def verify_game(store: EventStore, repository: LineRepository, named_game: GameNamed, called: str) -> list[Audit]:
    """Audits all lines of a match, including forgotten ones; `called` is its name in messages."""
    fault = names_fault(store, named_game.game)
    if fault:
        return [Audit(called, "", 0, 0, "", fault, named_game.game)]
    names = Names(named_game.game, named_game.name)
    try:
        names.refresh(store)
        LineRepository.check_names(names)
    except StoreError as error:
        return [Audit(called, "", 0, 0, "", Fault(DAMAGED, called, str(error)))]
    lines, known = [*names.lines.items(), *((line, at) for at, line in names.forgotten.items())], AuditCache()
    try:
        game = repository.load(named_game.kind)
    except GameError as error:
        return [Audit(called, line, 0, 0, "", Fault(DAMAGED, f"{called}/{line}", str(error)), at) for line, at in lines]
    projections = store.projections(at for _, at in lines)
    required_key = keys_by_revision(names.keys, names.own, store.read)
    is_bound = _bound_in(store, names)
    audits = [
        verify_line(
            store.read,
            game,
            f"{called}/{line}",
            at,
            required_key,
            names.recorded,
            bindings=names.keys,
            known=known,
            projection=projections.get(at),
            is_bound=is_bound,
        )
        for line, at in lines
    ]
    return [with_deal(store, game, names, audit) for audit in audits]


def _bound_in(store: EventStore, names: Names) -> Callable[[str], bool]:
    """A function that says whether a line of a game is sealed with its place; the game's names must be, too."""
    is_bound = cache(store.is_bound)
    return lambda stream: is_bound(names.stream) and is_bound(stream)


def with_deal(store: EventStore, game: Game, names: Names, audit: Audit) -> Audit:
    """The audit of a line, completed by a check of the deal of its game."""
    table = names.table
    if audit.fault or not (table or names.members.host):
        return audit
    if table is None:
        return replace(audit, deal="unproven")
    first = next(iter(lineage(store.read, next(iter(names.streams))))).events[0]
    fault = deal_fault(table, game, first) if isinstance(first, Played) else "it does not begin with a deal"
    if fault:
        return replace(audit, fault=Fault(FORGED, f"{names.match or audit.game}/{audit.line}@0", fault))
    return replace(audit, deal="proven")


def verify_line(
    read: EntryReader,
    game: Game,
    place: str,
    stream: str,
    required_key: RequiredKey = no_key_required,
    deviations: Mapping[bytes, str] | None = None,
    *,
    bindings: Bindings = NO_KEYS,
    known: AuditCache | None = None,
    projection: Projection | None = None,
    is_bound: Callable[[str], bool] | None = None,
    report: Report = no_report,
) -> Audit:
    """Audits all commits of a line. `required_key` says which of them must be signed, and with which key.

    `bindings` are the keys of the seats: each change of a key must be signed by the old one, or the audit mentions it.
    `is_bound` says whether a stream is sealed with its place.

    An altered or damaged entry ends the audit. A commit that today's rules would not give does not end it, since a
    later fault may be worse.
    """
    line, known = Line(stream), known or AuditCache()
    progress = AuditProgress(
        place, game, line, Snapshots(game.evolution, line, known.cache), SignatureAudit(required_key), known.decided
    )
    fault = _audit_line(read, progress, report)
    proofs = progress.proofs
    if fault is None and (forged := keys_fault(bindings, proofs.first)):
        fault = Fault(FORGED, place, forged)
    if fault is None and progress.rules_fault:
        fault = replace(progress.rules_fault, commits=progress.changed)
    name, _, line_name = place.partition("/")
    if fault is None:
        fault = _projection_fault(LoadedLine(name, line_name, game, line, progress.states), projection)
    mark = recorded_on(line, deviations or {})
    signers = tuple(Signer(*each, former_key(bindings, *each[1:])) for each in proofs.signers)
    position_reached = progress.commits, progress.events, line.head.hex()
    audit = Audit(
        name,
        line_name,
        *position_reached,
        fault,
        stream,
        mark,
        signers,
        (*rebound_seats(bindings), *unsigned_on_own_line(proofs.free)),
    )
    if fault or is_bound is None:
        return audit
    parts = {stream, *(entry.stream for entry in line.commits.values())}
    try:
        return replace(audit, sealed="with place" if all(map(is_bound, parts)) else "without place")
    except StoreError as error:  # a stream whose end is missing
        return replace(audit, fault=Fault(DAMAGED, place, str(error)))


def unsigned_on_own_line(free: int) -> Iterator[str]:
    """A warning, in words, if commands need no signature because the line belongs to one seat."""
    if free:
        yield f"from @{free} on commands are not signed: the line began as a seat's own"


def _projection_fault(loaded_line: LoadedLine, projection: Projection | None) -> Fault | None:
    """The fault of a projection that does not match its line. One that is behind is fine: listing makes it anew."""
    summary, content = read_projection(projection, loaded_line.game), encode_projection(loaded_line)
    if summary is None or projection is None or not content:
        return None
    genuine = read_projection(replace(projection, content=content), loaded_line.game)
    if summary == genuine:
        return None
    return Fault(ALTERED, f"{loaded_line.place}, as it is listed", "its projection is not that of the line")


def store_fault(store: EventStore) -> Fault | None:
    """The fault that the database's own check finds, if any."""
    try:
        store.check()
    except DamagedError as error:
        return Fault(DAMAGED, "the store", str(error))
    return None


def names_fault(store: EventStore, stream: str) -> Fault | None:
    """The fault of a stream of names, if any."""
    return audited_names(store, stream)[1]


def _where(stream: str) -> str:
    """What faults call a stream of names."""
    return f"the names in stream {stream}"


def audited_names(store: EventStore, stream: str) -> tuple[Names, Fault | None]:
    """The names in a stream, up to the first fault, and that fault, if any."""
    names, where = Names(stream), _where(stream)
    try:
        projection = store.projections([stream]).get(stream)
        snapshot = read_names(projection, stream)
        for entry in store.read(stream):  # checks digests, parents and places, which is all there is without commits
            names.advance(entry)
            if snapshot and entry.revision == snapshot.revision and encode_names(names) != encode_names(snapshot):
                what = f"the snapshot at revision {entry.revision} is not what was stored"
                return names, Fault(ALTERED, where, what)
    except DamagedError as error:
        return names, Fault(_kind(error), where, str(error))
    return names, None


def discussion_fault(store: EventStore, stream: str) -> Fault | None:
    """The fault of a discussion stream, if any."""
    discussion = Discussion(stream)
    try:
        for entry in verify_entries(store.read, Line(stream)):
            discussion.advance(entry)
    except DamagedError as error:
        return Fault(_kind(error), f"what was said in stream {stream}", str(error))
    return None


def league_fault(store: EventStore, stream: str) -> Fault | None:
    """The fault of the stream of a league, if any."""
    league, where = League(stream), f"the league in stream {stream}"
    try:
        for entry in verify_entries(store.read, Line(stream)):
            league.advance(entry)
    except DamagedError as error:
        return Fault(_kind(error), where, str(error))
    return None if league.season.opened else Fault(DAMAGED, where, "it has no events")


def _audit_line(read: EntryReader, progress: AuditProgress, report: Report) -> Fault | None:
    try:
        for entry in verify_entries(read, progress.line):
            if entry.is_commit:
                fault = _audit_commit(progress, entry)
                if fault:
                    return fault
                if progress.commits % REPORT_INTERVAL == 0:
                    report(progress.commits, 0)
    except DamagedError as error:
        return Fault(_kind(error), progress.unreached_entry, str(error))
    return None if progress.line.head else Fault(DAMAGED, progress.unreached_entry, "the line has no commits")


def _audit_commit(progress: AuditProgress, entry: Entry) -> Fault | None:
    """Decides a commit again, applies its events and checks its signature.

    Returns a fault, which ends the audit, if the events can't be applied or the signature is wrong.
    """
    stored_events, digest = progress.states.events(entry.digest), entry.digest
    progress.commits += 1
    progress.events += len(stored_events)
    if digest not in progress.decided:
        why = _deviation(progress, entry, stored_events)
        try:
            progress.states.state_at(digest)
        # `evolve` may raise any error on wrong events: the stored events are to blame.
        except Exception as error:
            what = f"its facts can't be applied: {type(error).__name__}: {error}"
            return Fault(DAMAGED, progress.last_commit, what)
        progress.decided[digest] = why
    why = progress.decided[digest]
    if why and progress.rules_fault is None:
        progress.rules_fault = Fault(RULES_CHANGED, progress.last_commit, why)
    if why and entry.parent not in progress.after:
        progress.changed[digest.hex()] = why
    if why or entry.parent in progress.after:
        progress.after.add(digest)
    played = stored_events[0]
    forged = progress.proofs.fault(entry, progress.line.numbers[digest], played) if isinstance(played, Played) else ""
    return Fault(FORGED, progress.last_commit, forged) if forged else None


def _kind(error: DamagedError) -> str:
    return ALTERED if isinstance(error, AlteredError) else DAMAGED


def _deviation(progress: AuditProgress, entry: Entry, stored_events: tuple[Event, ...]) -> str:
    """How today's rules decide a commit differently, in words; "" if they decide the same."""
    played = stored_events[0]
    if not isinstance(played, Played):
        return "it does not begin with a command"
    try:
        today = decide_commit(progress.game, progress.states.state_at(entry.parent), played.seat, played.command)
        if isinstance(today, Refused):
            return "refused today: " + "; ".join(_reason(progress.game, each) for each in today.refusals)
        if today.events != stored_events:
            return _difference(progress.game, stored_events, today.events)
        state = state_digest(progress.game, progress.states.state_at(entry.digest))
    # Changed rules may raise any error on old events, and that is a finding, not a crash.
    except Exception as error:
        return f"the rules of today fail on it: {type(error).__name__}: {error}"
    return "" if state == entry.seal.state else "its facts lead to another state today"


def _difference(game: Game, stored_events: tuple[Event, ...], today: tuple[Event, ...]) -> str:
    """The first event that differs, in words."""
    first_difference = next(
        (n for n, (a, b) in enumerate(zip(stored_events, today, strict=False)) if a != b),
        min(len(stored_events), len(today)),
    )
    stored_text, today_text = (
        _describe_openly(game, events[first_difference]) if first_difference < len(events) else "nothing"
        for events in (stored_events, today)
    )
    if stored_text != today_text:
        return f"fact {first_difference} was {stored_text!r} and would be {today_text!r} today"
    stored_fields, today_fields = stored_events[first_difference], today[first_difference]
    fields = [
        name
        for name in stored_fields.__struct_fields__
        if getattr(stored_fields, name) != getattr(today_fields, name, None)
    ]
    return f"fact {first_difference} ({stored_text}) would have another {' and '.join(fields) or 'form'} today"


def _reason(game: Game, refusal: Refusal) -> str:
    """Why a command is refused; only the rule if the reason could reveal hidden information."""
    return refusal.code if game.secrets else f"{refusal.code} {refusal.reason}"


def _describe_openly(game: Game, event: Event) -> str:
    """An event in words, without anything secret: audits are shown to everyone."""
    return game.notation.describe(game.secrets.redact(event, "") if game.secrets else event)


def verify_all(store: EventStore, repository: LineRepository, report: Report = no_report) -> list[Audit]:
    """Audits the names of all matches, every line of each, and every stream without a name.

    A fault ends the audit of its line only.
    """
    catalogue, unread = repository.intact()
    fault = store_fault(store) or names_fault(store, CATALOGUE)
    fault = fault or next((Fault(DAMAGED, _where(CATALOGUE), str(error)) for error in unread), None)
    audits = [Audit("", "", 0, 0, "", fault, CATALOGUE)] if fault else []
    named_game = [(each, name) for name, each in catalogue.games.items()]
    named_game += [(each, deleted_label(name)) for name, each in catalogue.deleted.items()]
    report(0, len(named_game))
    for done, each in enumerate(_audit_games(store, repository, named_game), 1):
        audits += each
        report(done, len(named_game))
    leagues = {stream: league_fault(store, stream) for stream in catalogue.leagues.values()}
    audits += [Audit("", "", 0, 0, "", fault, stream) for stream, fault in leagues.items() if fault]
    audited_streams = {CATALOGUE, *leagues, *(each.game for each, _ in named_game), *(audit.stream for audit in audits)}
    games = {each.game for each, _ in named_game}
    other_streams = {
        each: verify_stream(store, repository, each) for each in store.streams() if each not in audited_streams
    }
    return audits + [
        audit for stream, audit in other_streams.items() if audit.fault or names_stream_of(stream) not in games
    ]


def verify_stream(store: EventStore, repository: LineRepository, stream: str) -> Audit:
    """Audits a stream without a name: a line or names that a crash left behind before their own name was stored."""
    try:
        first = next(iter(lineage(store.read, stream)), None)
        kind = first.rows[0][1].partition(".")[0] if first else ""
        if kind == "names":
            names, fault = audited_names(store, stream)
            if not fault and names.lines:  # a game and its name are stored at once: the name was lost later
                fault = Fault(DAMAGED, _where(stream), "the list of games has no game of these lines")
            return Audit("", "", 0, 0, "", fault, stream)
        if kind == KIND:
            return Audit("", "", 0, 0, "", discussion_fault(store, stream), stream)
        if kind == LEAGUE:
            return Audit("", "", 0, 0, "", league_fault(store, stream), stream)
        game = repository.load(kind)
    except (StoreError, GameError) as error:
        fault = Fault(_kind(error) if isinstance(error, DamagedError) else DAMAGED, f"stream {stream}", str(error))
        return Audit("", "", 0, 0, "", fault, stream)
    return replace(verify_line(store.read, game, f"stream {stream}", stream), game="", line="")


def _audit_games(
    store: EventStore, repository: LineRepository, games: Sequence[tuple[GameNamed, str]]
) -> Iterator[list[Audit]]:
    processes = min(_cpu_count(), len(games) // GAMES_PER_PROCESS)
    if processes < 2 or store.address == "memory:":
        yield from (verify_game(store, repository, *game) for game in games)
        return
    # Spawned, not forked, since a forked process would share the parent's database connection.
    # `map` returns the audits in the order of the games, however the work is shared, so the output is stable.
    with ProcessPoolExecutor(processes, get_context("spawn"), _open, (store.address, repository.games)) as pool:
        yield from pool.map(_verify, games, chunksize=4)


def _cpu_count() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_opened: tuple[EventStore, LineRepository]
"""The store of this worker process: `_open` opens it once, since a connection can't be sent between processes."""


def _open(address: str, games: Mapping[str, str]) -> None:
    global _opened
    store = EventStore.open(address)
    register_names(store)
    _opened = store, LineRepository(store, games)


def _verify(game: tuple[GameNamed, str]) -> list[Audit]:
    return verify_game(*_opened, *game)
