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

from event_store import AlteredError, DamagedError, Entry, EventStore, Forked, Line, StoreError
from event_store.line_history import EntryReader, entries_of_line
from event_store.projections import Projection
from event_store.verification import verify_entries
from zimcore.documents.listings import Audit, Fault, Signer
from zimcore.game import Event, Game, GameError, Played, Refusal, Refused, Seat
from zimcore.service.lines.line_projections import decode_names, decode_projection, encode_names, encode_projection
from zimcore.service.lines.line_repository import LineRepository, LoadedLine, recorded_deviation
from zimcore.service.records.bindings import Bindings, former_key, key_change_fault, rebinding_warnings
from zimcore.service.records.deciding import decide_commit, state_digest
from zimcore.service.records.discussion import DISCUSSION_KIND, Discussion, names_stream_of, public_stream
from zimcore.service.records.event_registration import register_service_events
from zimcore.service.records.fair_deal import deal_fault
from zimcore.service.records.league import League
from zimcore.service.records.names import CATALOGUE, LEAGUE_KIND, GameNamed, Names, deleted_label
from zimcore.service.records.places import parse_place
from zimcore.service.records.signed_commands import KeyFinder, SignatureAudit, key_finder_of_game, no_key_required
from zimcore.service.records.snapshots import LineStates, SnapshotCache
from zimcore.toolkit.progress import ReportProgress, ignore_progress

ALTERED, FORGED, RULES_CHANGED, DAMAGED, UNFINISHED = "altered", "forged", "rules changed", "damaged", "unfinished"
"""The kinds of a fault."""

NO_BINDINGS: Bindings = MappingProxyType({})

GAMES_PER_PROCESS = 40
"""About as many matches as one process audits in the time that it takes to start another process."""

MAX_FAULTLESS_LINES = 8
"""The most audited lines that are kept for the audits of their forks. Each has tables of all its commits."""

REPORT_INTERVAL = 100
"""Report the progress after each this many commits."""


class AuditPoint(msgspec.Struct, frozen=True, gc=False):
    """How far the audit of a line had come after a commit."""

    commit_count: int
    event_count: int
    first_free_number: int
    signers: Mapping[tuple[str, Seat, str], None]


class AuditCache(msgspec.Struct, frozen=True):
    """Shared by the audits of a match's lines, so that what lines have in common is read and checked once.

    `deviations` says for each commit decided so far how today's rules differ ("" if they don't). `faultless_lines` are
    the lines last audited without a fault, by stream; `points` says how far the audit had come at their commits.
    `placed_streams` are those of lines that are sealed with their place, as is their past.
    """

    snapshot_cache: SnapshotCache = msgspec.field(default_factory=SnapshotCache)
    deviations: dict[bytes, str] = {}
    keys_by_commit: dict[bytes, Mapping[Seat, str]] = {}
    points: dict[bytes, AuditPoint] = {}
    faultless_lines: dict[str, LineStates] = {}
    placed_streams: set[str] = set()

    def is_placed(self, line: Line, is_bound: Callable[[str], bool]) -> bool:
        """Whether all streams with commits of a line are sealed with their place; those of a fork's past are known."""
        is_past_placed = line.fork_event is not None and line.fork_event.line in self.placed_streams
        past_streams = () if is_past_placed else {entry.stream for entry in line.commits.values()}
        is_placed = all(map(is_bound, {line.stream, *past_streams}))
        self.placed_streams.update([line.stream] if is_placed else ())
        return is_placed

    def add_faultless(self, states: LineStates) -> None:
        """Keeps a line that was audited without a fault, and drops the one that was used least recently."""
        fork_event = states.line.fork_event
        parent = self.faultless_lines.pop(fork_event.line, None) if fork_event else None
        for used_states in filter(None, (parent, states)):
            self.faultless_lines[used_states.line.stream] = used_states
        if len(self.faultless_lines) > MAX_FAULTLESS_LINES:
            del self.faultless_lines[next(iter(self.faultless_lines))]


class AuditProgress(msgspec.Struct, eq=False):
    """The progress of a line's audit. `rules_fault` is the fault of the first commit that today's rules would not give.

    `first_deviations` has the first commit that differs on each branch, `deviating_commits` those and all
    commits after them.
    """

    place: str
    game: Game
    line: Line
    snapshots: LineStates
    signature_audit: SignatureAudit
    cache: AuditCache
    commit_count: int = 0
    event_count: int = 0
    shared_commits: int = 0
    shared_events: int = 0
    rules_fault: Fault | None = None
    first_deviations: dict[str, str] = {}
    deviating_commits: set[bytes] = set()

    @property
    def last_commit(self) -> str:
        """The last commit audited, as text."""
        head = self.line.head
        return f"{self.place}@{self.line.commit_numbers[head]} ({head.hex()[:12]})" if head else self.place

    @property
    def unreached_entry(self) -> str:
        """Where the audit stopped, as text, for an entry that could not be read."""
        return f"after {self.last_commit}" if self.line.head else f"{self.place}@start"


def audit_without_commits(fault: Fault | None, stream: str = "", *, game: str = "", line: str = "") -> Audit:
    """The audit of a stream that has no commits, or whose fault was found before its first commit."""
    return Audit(game, line, 0, 0, "", fault, stream)


def verify_place(store: EventStore, repository: LineRepository, place: str, author: str = "", seat: str = "") -> Audit:
    """Audits a line: the names that it is found by, its discussion, and all its commits, undone and shared ones too.

    A place without a line means the author's current line at a seat, which is found in the audited names.

    A line whose last entries were cut off is consistent in itself, so an audit can't see that they are missing. To
    notice it, name a position by a digest that you have kept: `UnknownError` is raised if it is gone.
    """
    parsed_place = parse_place(place)
    catalogue, fault = audited_names(store, CATALOGUE)
    repository.use_catalogue(catalogue)  # with many games the catalogue is most of the reading, so don't read it twice
    fault = fault or names_fault(store, repository.find_match(parsed_place.match).game)
    fault = fault or discussion_fault(store, public_stream(repository.find_match(parsed_place.match).game))
    if fault:  # without trusted names the line can't be found
        return audit_without_commits(fault, game=parsed_place.match, line=parsed_place.line)
    names = repository.names(parsed_place.match)
    name, stream = names.find_line(parsed_place.line or names.current_line(author, seat))
    game, projection = repository.game(parsed_place.match), store.projections([stream]).get(stream)
    full_place, find_key = (
        f"{parsed_place.match}/{name}",
        key_finder_of_game(names.all_bindings, names.own_streams, store.read),
    )
    audit = verify_line(
        store.read,
        game,
        full_place,
        stream,
        find_key,
        names.recorded_deviations,
        bindings=names.all_bindings,
        projection=projection,
        is_bound=_is_bound_in_game(store, names),
    )
    audit = with_deal_checked(store, game, names, audit)
    if not audit.fault and parsed_place.position:
        repository.find(str(replace(parsed_place, line=name)))
    # The database's own check reads the whole file, with all other games: only `verify_all` runs it.
    return audit


def verify_game(store: EventStore, repository: LineRepository, named_game: GameNamed, label: str) -> list[Audit]:
    """Audits all lines of a match, including forgotten ones; `label` is its name in messages."""
    fault = names_fault(store, named_game.game)
    if fault:
        return [audit_without_commits(fault, named_game.game, game=label)]
    names = Names(named_game.game, match=named_game.name)
    try:
        names.refresh(store)
        LineRepository.check_names(names)
    except StoreError as error:
        return [audit_without_commits(Fault(DAMAGED, label, str(error)), game=label)]
    named_streams, audit_cache = (
        [*names.lines.items(), *((line, stream) for stream, line in names.forgotten_lines.items())],
        AuditCache(),
    )
    try:
        game = repository.load_game(named_game.kind)
    except GameError as error:
        return [
            audit_without_commits(Fault(DAMAGED, f"{label}/{line}", str(error)), stream, game=label, line=line)
            for line, stream in named_streams
        ]
    projections = store.projections(stream for _, stream in named_streams)
    find_key = key_finder_of_game(names.all_bindings, names.own_streams, store.read)
    is_bound = _is_bound_in_game(store, names)
    line_by_stream = {stream: line for line, stream in named_streams}
    audits = [
        verify_line(
            store.read,
            game,
            f"{label}/{line_by_stream[stream]}",
            stream,
            find_key,
            names.recorded_deviations,
            bindings=names.all_bindings,
            audit_cache=audit_cache,
            projection=projections.get(stream),
            is_bound=is_bound,
        )
        for stream in store.prefetch_in_turn([*line_by_stream])
    ]
    return [with_deal_checked(store, game, names, audit) for audit in audits]


def _is_bound_in_game(store: EventStore, names: Names) -> Callable[[str], bool]:
    """A function that says whether a line of a game is sealed with its place; the game's names must be, too."""
    is_bound = cache(store.is_bound)
    return lambda stream: is_bound(names.stream) and is_bound(stream)


def with_deal_checked(store: EventStore, game: Game, names: Names, audit: Audit) -> Audit:
    """The audit of a line, completed by a check of the deal of its game."""
    table = names.table
    if audit.fault or not (table or names.members.host):
        return audit
    if table is None:
        return replace(audit, deal="unproven")
    first_event = next(iter(entries_of_line(store.read, next(iter(names.streams))))).events[0]
    fault = deal_fault(table, game, first_event) if isinstance(first_event, Played) else "it does not begin with a deal"
    if fault:
        return replace(audit, fault=Fault(FORGED, f"{names.match or audit.game}/{audit.line}@0", fault))
    return replace(audit, deal="proven")


def verify_line(
    read: EntryReader,
    game: Game,
    place: str,
    stream: str,
    find_key: KeyFinder = no_key_required,
    deviations: Mapping[bytes, str] | None = None,
    *,
    bindings: Bindings = NO_BINDINGS,
    audit_cache: AuditCache | None = None,
    projection: Projection | None = None,
    is_bound: Callable[[str], bool] | None = None,
    report: ReportProgress = ignore_progress,
) -> Audit:
    """Audits all commits of a line. `find_key` says which of them must be signed, and with which key.

    `bindings` are the keys of the seats: each change of a key must be signed by the old one, or the audit mentions it.
    `is_bound` says whether a stream is sealed with its place.

    An altered or damaged entry ends the audit. A commit that today's rules would not give does not end it, since a
    later fault may be worse.
    """
    line, audit_cache = Line(stream), audit_cache or AuditCache()
    progress = AuditProgress(
        place,
        game,
        line,
        LineStates(game.evolution, line, audit_cache.snapshot_cache),
        SignatureAudit(find_key, keys_by_commit=audit_cache.keys_by_commit),
        audit_cache,
    )
    fault = _audit_line(read, progress, report)
    signature_audit = progress.signature_audit
    if fault is None and progress.rules_fault is None:
        audit_cache.add_faultless(progress.snapshots)
    if fault is None and (key_fault := key_change_fault(bindings, signature_audit.first_digest)):
        fault = Fault(FORGED, place, key_fault)
    if fault is None and progress.rules_fault:
        fault = replace(progress.rules_fault, commits=progress.first_deviations)
    name, _, line_name = place.partition("/")
    if fault is None:
        fault = _projection_fault(LoadedLine(name, line_name, game, line, progress.snapshots), projection)
    deviation = recorded_deviation(line, deviations or {})
    signers = tuple(Signer(*each, former_key(bindings, *each[1:])) for each in signature_audit.signers)
    counts_and_head = progress.commit_count, progress.event_count, line.head.hex()
    audit = Audit(
        name,
        line_name,
        *counts_and_head,
        fault,
        stream,
        deviation,
        signers,
        (*rebinding_warnings(bindings), *unsigned_moves_warnings(signature_audit.first_free_number)),
        shared_commits=progress.shared_commits,
        shared_events=progress.shared_events,
    )
    if fault or is_bound is None:
        return audit
    try:
        return replace(audit, sealed="with place" if audit_cache.is_placed(line, is_bound) else "without place")
    except StoreError as error:  # a stream whose end is missing
        return replace(audit, fault=Fault(DAMAGED, place, str(error)))


def unsigned_moves_warnings(first_free_number: int) -> Iterator[str]:
    """A warning, in words, if commands need no signature because the line belongs to one seat."""
    if first_free_number:
        yield f"from @{first_free_number} on commands are not signed: the line began as a seat's own"


def _projection_fault(loaded_line: LoadedLine, projection: Projection | None) -> Fault | None:
    """The fault of a projection that does not match its line. One that is behind is fine: listing makes it anew."""
    stored_projection, content = decode_projection(projection, loaded_line.game), encode_projection(loaded_line)
    if stored_projection is None or projection is None or not content:
        return None
    current_projection = decode_projection(replace(projection, content=content), loaded_line.game)
    if stored_projection == current_projection:
        return None
    return Fault(ALTERED, f"{loaded_line.place}, as it is listed", "its projection is not that of the line")


def store_fault(store: EventStore) -> Fault | None:
    """The fault that the database's own check finds, if any."""
    try:
        store.check_database()
    except DamagedError as error:
        return Fault(DAMAGED, "the store", str(error))
    return None


def names_fault(store: EventStore, stream: str) -> Fault | None:
    """The fault of a stream of names, if any."""
    return audited_names(store, stream)[1]


def index_fault(store: EventStore) -> Fault | None:
    """The fault of the index of the catalogue, if any: the names that are not found by it as they are stored."""
    try:
        wrong_names = store.wrong_index_keys([*store.read(CATALOGUE)])
    except DamagedError:  # the fault of the catalogue itself
        return None
    what = f"its index has {', '.join(wrong_names[:3])} wrong"
    return Fault(ALTERED, _names_label(CATALOGUE), what) if wrong_names else None


def _names_label(stream: str) -> str:
    """What faults call a stream of names."""
    return f"the names in stream {stream}"


def audited_names(store: EventStore, stream: str) -> tuple[Names, Fault | None]:
    """The names in a stream, up to the first fault, and that fault, if any."""
    names, label = Names(stream), _names_label(stream)
    try:
        projection = store.projections([stream]).get(stream)
        snapshot = decode_names(projection, stream)
        for entry in store.read(stream):  # checks digests, parents and places, which is all there is without commits
            names.advance(entry)
            if snapshot and entry.revision == snapshot.revision and encode_names(names) != encode_names(snapshot):
                what = f"the snapshot at revision {entry.revision} is not what was stored"
                return names, Fault(ALTERED, label, what)
    except DamagedError as error:
        return names, Fault(_fault_kind(error), label, str(error))
    return names, None


def discussion_fault(store: EventStore, stream: str) -> Fault | None:
    """The fault of a discussion stream, if any."""
    discussion = Discussion(stream)
    try:
        for entry in verify_entries(store.read, Line(stream)):
            discussion.advance(entry)
    except DamagedError as error:
        return Fault(_fault_kind(error), f"what was said in stream {stream}", str(error))
    return None


def league_fault(store: EventStore, stream: str) -> Fault | None:
    """The fault of the stream of a league, if any."""
    league, label = League(stream), f"the league in stream {stream}"
    try:
        for entry in verify_entries(store.read, Line(stream)):
            league.advance(entry)
    except DamagedError as error:
        return Fault(_fault_kind(error), label, str(error))
    return None if league.season.opened else Fault(DAMAGED, label, "it has no events")


def _audit_line(read: EntryReader, progress: AuditProgress, report: ReportProgress) -> Fault | None:
    audited_lines = [states.line for states in progress.cache.faultless_lines.values()]
    try:
        for entry in verify_entries(read, progress.line, audited_lines):
            if not entry.is_commit:
                if not progress.commit_count and progress.line.fork_event:
                    _continue_audit(progress, progress.line.fork_event)
            else:
                fault = _audit_commit(progress, entry)
                if fault:
                    return fault
                if progress.commit_count % REPORT_INTERVAL == 0:
                    report(progress.commit_count, 0)
    except DamagedError as error:
        return Fault(_fault_kind(error), progress.unreached_entry, str(error))
    return None if progress.line.head else Fault(DAMAGED, progress.unreached_entry, "the line has no commits")


def _continue_audit(progress: AuditProgress, fork_event: Forked) -> None:
    """Goes on from the commit that a line was forked from, as its past was audited on another line."""
    point, signature_audit = progress.cache.points[fork_event.commit], progress.signature_audit
    progress.commit_count = progress.shared_commits = point.commit_count
    progress.event_count = progress.shared_events = point.event_count
    signature_audit.first_digest = progress.line.path[0]
    signature_audit.first_free_number, signature_audit.signers = point.first_free_number, point.signers
    if parent_states := progress.cache.faultless_lines.get(fork_event.line):
        progress.snapshots.start_from(parent_states)


def _audit_commit(progress: AuditProgress, entry: Entry) -> Fault | None:
    """Decides a commit again, applies its events and checks its signature.

    Returns a fault, which ends the audit, if the events can't be applied or the signature is wrong.
    """
    stored_events, digest = progress.snapshots.events_of(entry.digest), entry.digest
    progress.commit_count += 1
    progress.event_count += len(stored_events)
    if digest in progress.cache.points:
        progress.shared_commits += 1
        progress.shared_events += len(stored_events)
    deviations, signature_audit = progress.cache.deviations, progress.signature_audit
    if digest not in deviations:
        deviation = _deviation(progress, entry, stored_events)
        try:
            progress.snapshots.state_at(digest)
        # `evolve` may raise any error on wrong events: the stored events are to blame.
        except Exception as error:
            what = f"its facts can't be applied: {type(error).__name__}: {error}"
            return Fault(DAMAGED, progress.last_commit, what)
        deviations[digest] = deviation
    deviation = deviations[digest]
    if deviation and progress.rules_fault is None:
        progress.rules_fault = Fault(RULES_CHANGED, progress.last_commit, deviation)
    if deviation and entry.parent not in progress.deviating_commits:
        progress.first_deviations[digest.hex()] = deviation
    if deviation or entry.parent in progress.deviating_commits:
        progress.deviating_commits.add(digest)
    first_event = stored_events[0]
    signature_fault = (
        signature_audit.fault(entry, progress.line.commit_numbers[digest], first_event)
        if isinstance(first_event, Played)
        else ""
    )
    if signature_fault:
        return Fault(FORGED, progress.last_commit, signature_fault)
    progress.cache.points[digest] = AuditPoint(
        progress.commit_count, progress.event_count, signature_audit.first_free_number, signature_audit.signers
    )
    return None


def _fault_kind(error: DamagedError) -> str:
    return ALTERED if isinstance(error, AlteredError) else DAMAGED


def _deviation(progress: AuditProgress, entry: Entry, stored_events: tuple[Event, ...]) -> str:
    """How today's rules decide a commit differently, in words; "" if they decide the same."""
    first_event = stored_events[0]
    if not isinstance(first_event, Played):
        return "it does not begin with a command"
    try:
        decision = decide_commit(
            progress.game, progress.snapshots.state_at(entry.parent), first_event.seat, first_event.command
        )
        if isinstance(decision, Refused):
            return "refused today: " + "; ".join(_refusal_text(progress.game, each) for each in decision.refusals)
        if decision.events != stored_events:
            return _difference(progress.game, stored_events, decision.events)
        todays_digest = state_digest(progress.game, progress.snapshots.state_at(entry.digest))
    # Changed rules may raise any error on old events, and that is a finding, not a crash.
    except Exception as error:
        return f"the rules of today fail on it: {type(error).__name__}: {error}"
    return "" if todays_digest == entry.seal.state else "its facts lead to another state today"


def _difference(game: Game, stored_events: tuple[Event, ...], todays_events: tuple[Event, ...]) -> str:
    """The first event that differs, in words."""
    index = next(
        (number for number, pair in enumerate(zip(stored_events, todays_events, strict=False)) if pair[0] != pair[1]),
        min(len(stored_events), len(todays_events)),
    )
    stored_text, todays_text = (
        _describe_openly(game, events[index]) if index < len(events) else "nothing"
        for events in (stored_events, todays_events)
    )
    if stored_text != todays_text:
        return f"fact {index} was {stored_text!r} and would be {todays_text!r} today"
    stored_event, todays_event = stored_events[index], todays_events[index]
    changed_fields = [
        name
        for name in stored_event.__struct_fields__
        if getattr(stored_event, name) != getattr(todays_event, name, None)
    ]
    return f"fact {index} ({stored_text}) would have another {' and '.join(changed_fields) or 'form'} today"


def _refusal_text(game: Game, refusal: Refusal) -> str:
    """Why a command is refused; only the rule if the reason could reveal hidden information."""
    return refusal.code if game.secrets else f"{refusal.code} {refusal.reason}"


def _describe_openly(game: Game, event: Event) -> str:
    """An event in words, without anything secret: audits are shown to everyone."""
    return game.notation.describe(game.secrets.redact(event, "") if game.secrets else event)


def verify_all(store: EventStore, repository: LineRepository, report: ReportProgress = ignore_progress) -> list[Audit]:
    """Audits the names of all matches, every line of each, and every stream without a name.

    A fault ends the audit of its line only.
    """
    catalogue, unread_errors = repository.readable_catalogue()
    fault = store_fault(store) or names_fault(store, CATALOGUE) or index_fault(store)
    fault = fault or next((Fault(DAMAGED, _names_label(CATALOGUE), str(error)) for error in unread_errors), None)
    unfinished = store.unfinished()
    audits = [audit_without_commits(Fault(UNFINISHED, "the store", str(unfinished)))] if unfinished else []
    audits += [audit_without_commits(fault, CATALOGUE)] if fault else []
    named_games = [(each, name) for name, each in catalogue.games.items()]
    named_games += [(each, deleted_label(name)) for name, each in catalogue.deleted_games.items()]
    report(0, len(named_games))
    for done_count, game_audits in enumerate(_audit_games(store, repository, named_games), 1):
        audits += game_audits
        report(done_count, len(named_games))
    league_faults = {stream: league_fault(store, stream) for stream in catalogue.leagues.values()}
    audits += [audit_without_commits(fault, stream) for stream, fault in league_faults.items() if fault]
    audited_streams = {
        CATALOGUE,
        *league_faults,
        *(each.game for each, _ in named_games),
        *(audit.stream for audit in audits),
    }
    names_streams = {each.game for each, _ in named_games}
    other_audits = {
        stream: verify_stream(store, repository, stream) for stream in store.streams() if stream not in audited_streams
    }
    return audits + [
        audit for stream, audit in other_audits.items() if audit.fault or names_stream_of(stream) not in names_streams
    ]


def verify_stream(store: EventStore, repository: LineRepository, stream: str) -> Audit:
    """Audits a stream without a name: a line or names that a crash left behind before their own name was stored."""
    try:
        first_entry = next(iter(entries_of_line(store.read, stream)), None)
        kind = first_entry.rows[0][1].partition(".")[0] if first_entry else ""
        if kind == "names":
            names, fault = audited_names(store, stream)
            if not fault and names.lines:  # a game and its name are stored at once: the name was lost later
                fault = Fault(DAMAGED, _names_label(stream), "the list of games has no game of these lines")
            return audit_without_commits(fault, stream)
        if kind == DISCUSSION_KIND:
            return audit_without_commits(discussion_fault(store, stream), stream)
        if kind == LEAGUE_KIND:
            return audit_without_commits(league_fault(store, stream), stream)
        game = repository.load_game(kind)
    except (StoreError, GameError) as error:
        fault = Fault(
            _fault_kind(error) if isinstance(error, DamagedError) else DAMAGED, f"stream {stream}", str(error)
        )
        return audit_without_commits(fault, stream)
    return replace(verify_line(store.read, game, f"stream {stream}", stream), game="", line="")


def _audit_games(
    store: EventStore, repository: LineRepository, named_games: Sequence[tuple[GameNamed, str]]
) -> Iterator[list[Audit]]:
    process_count = min(_cpu_count(), len(named_games) // GAMES_PER_PROCESS)
    if process_count < 2 or store.full_url == "memory:":
        yield from (verify_game(store, repository, *game) for game in named_games)
        return
    # Spawned, not forked, since a forked process would share the parent's database connection.
    # `map` returns the audits in the order of the games, however the work is shared, so the output is stable.
    with ProcessPoolExecutor(
        process_count, get_context("spawn"), _open_worker_store, (store.full_url, repository.games)
    ) as pool:
        yield from pool.map(_verify_game_in_worker, named_games, chunksize=4)


def _cpu_count() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_worker_store: tuple[EventStore, LineRepository]
"""The store of this worker process. It is opened once, since a connection can't be sent between processes."""


def _open_worker_store(address: str, games: Mapping[str, str]) -> None:
    global _worker_store
    store = EventStore.open(address)
    register_service_events(store)
    _worker_store = store, LineRepository(store, games)


def _verify_game_in_worker(named_game: tuple[GameNamed, str]) -> list[Audit]:
    return verify_game(*_worker_store, *named_game)
