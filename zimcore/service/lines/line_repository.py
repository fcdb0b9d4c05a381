"""The repository of lines: loads each line once, with its states, and then reads only what is new.

In other words: identity map.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

import msgspec

from event_store import DamagedError, Entry, EventStore, Forked, HeadMoved, Seal, line_history
from event_store.line_history import Line, path_to
from zimcore.commits import Commit, Position
from zimcore.game import PROGRAM_AUTHOR_PREFIX, Event, Game, GameError, Seat, UnknownError
from zimcore.service.records import event_registration
from zimcore.service.records.bindings import Binding
from zimcore.service.records.discussion import Discussion, private_stream, public_stream
from zimcore.service.records.idempotency import NO_KEY, IdempotencyKey, check_same_write
from zimcore.service.records.names import (
    ACCOUNTS,
    CATALOGUE,
    GameNamed,
    LineNamed,
    Names,
    check_catalogue,
    game_by_entries,
    games_in,
    read_names_leniently,
)
from zimcore.service.records.places import locate_commit, parse_place, suggest_names
from zimcore.service.records.snapshots import LineStates, SnapshotCache

if TYPE_CHECKING:
    from zimcore.service.records.league import League

MAX_CACHED_LINES = 32
"""The most lines in the cache; the least recently used one is dropped."""
LEAST_INDEXED_GAMES = 100
"""A list of fewer games is read without an index; one that an older program wrote gets none."""
MAX_LOOKUPS = 4
"""The most matches that are looked up before the catalogue is read."""
MAX_CACHED_GAMES = 256
"""The most games whose names, and the most discussions that are cached; the least recently used ones are dropped."""


class LoadedLine(msgspec.Struct, frozen=True, eq=False):
    """A loaded line (the aggregate): its entries folded, with the states along it."""

    match: str
    name: str
    game: Game
    line: Line
    states: LineStates

    @property
    def place(self) -> str:
        """The full name of the line: `kilwa-7/main`."""
        return f"{self.match}/{self.name}"

    def position(self, digest: bytes) -> Position:
        """The position after a commit."""
        state = self.states.state_copy_at(digest)
        return Position(self.match, self.name, self.commit(digest), state, self.game)

    def commit(self, digest: bytes) -> Commit:
        """A commit of the line, decoded."""
        seal, number = self.line.commits[digest].seal, self.line.commit_numbers[digest]
        return commit_of(self.game, self.states.events_of(digest), seal, number, self.states.marks_of(digest))

    def add_commit(self, entry: Entry, events: tuple[Event, ...], state: Any) -> Position:
        """Keeps the events and the state of a new commit, and returns the position after it."""
        marks = self.states.add_state(entry.digest, events, state)
        commit = commit_of(self.game, events, entry.seal, self.line.commit_numbers[entry.digest], marks)
        return Position(self.match, self.name, commit, self.game.evolution.copy(state), self.game)

    def commits(self, digest: bytes) -> Sequence[Commit]:
        """The commits from the start to this one, oldest first."""
        return [self.commit(each) for each in path_to(self.line, digest)]

    def every_commit(self) -> Sequence[Commit]:
        """All commits of the line, undone ones too, in the order they were made."""
        return [self.commit(each) for each in self.line.commits]

    def head_text(self) -> str:
        """Where the head is: `at @12 of 15`."""
        line = self.line
        return f"at @{line.commit_numbers[line.head]} of {line.commit_numbers[line.tip]}"

    def earlier_entries(self, author: str, key: IdempotencyKey) -> tuple[Entry, ...]:
        """The entries that an earlier try of this write made. Raises `TakenError` if the id had another use."""
        entries = self.line.by_command_id.get(key.id, ())
        for entry in entries or (None,):
            check_same_write(entry, author, key)
        return entries

    def has_own_request(self, command_id: str, author: str) -> bool:
        """Whether an author or a program used a command id on this line, not on one that it was forked from."""
        entries = (each for each in self.line.by_command_id.get(command_id, ()) if each.stream == self.line.stream)
        return any(each.seal.by == author or each.seal.by.startswith(PROGRAM_AUTHOR_PREFIX) for each in entries)

    def position_after(self, entries: Sequence[Entry]) -> Position:
        """The position that a request led to: after its last commit, or where it moved the head."""
        return self.position(self.head_after(entries[-1]))

    def head_after(self, entry: Entry) -> bytes:
        """The head after an entry."""
        for event in () if entry.is_commit else entry.events:
            match event:
                case HeadMoved(target=head) | Forked(commit=head):
                    return head
        return entry.digest


def commit_of(game: Game, events: tuple[Event, ...], seal: Seal, number: int, marks: tuple[str, ...]) -> Commit:
    """Makes a commit from its stored parts."""
    return Commit(
        number=number,
        digest=seal.digest.hex(),
        parent=seal.parent.hex(),
        state=seal.state.hex(),
        by=seal.by,
        at=seal.at,
        events=events,
        marks=marks,
        game=game,
    )


def recorded_deviation(line: Line, deviations: Mapping[bytes, str], last_digest: bytes | None = None) -> str:
    """Text about the first commit that was imported as it was recorded, although the rules differ; "" for none.

    `deviations` say why, by commit. `last_digest` is the last commit that counts (None: all count).
    """
    if not deviations:
        return ""
    commits = line.commits if last_digest is None else path_to(line, last_digest)
    return next((f"@{line.commit_numbers[each]} was {deviations[each]}" for each in commits if each in deviations), "")


class LineRepository:
    """The repository: finds matches and lines by name, loads them, and caches the most recent.

    `games` has the module of each kind of game.
    """

    def __init__(self, store: EventStore, games: Mapping[str, str]) -> None:
        self.store = store
        store.root_stream, store.index_keys = CATALOGUE, games_in
        self.games = games
        self._catalogue = Names(CATALOGUE)
        self._accounts = Names(ACCOUNTS)
        # Matches that can still be read although the catalogue is damaged.
        self._readable_games: dict[str, GameNamed] = {}
        # Matches that were looked up, while the catalogue was not read; and how many times.
        self._found_games: dict[str, GameNamed] = {}
        self._lookup_count = 0
        self._names: dict[str, Names] = {}
        self._discussions: dict[str, Discussion] = {}
        self._leagues: dict[str, League] = {}
        self._cached_lines: dict[str, LoadedLine] = {}
        self._games_by_kind: dict[str, Game] = {}
        # All cached lines of a match share a cache of states, which is freed with the last of them.
        self._snapshot_caches: WeakValueDictionary[str, SnapshotCache] = WeakValueDictionary()

    def catalogue(self) -> Names:
        """The names of all matches, read again. Raises `DamagedError` if any entry can't be read."""
        is_first_reading = self._catalogue.revision < 0
        self._catalogue.refresh(self.store)
        check_catalogue(self.store, self._catalogue)
        if is_first_reading and len(self._catalogue.games) >= LEAST_INDEXED_GAMES and not self.store.is_indexed:
            self.store.index_root([*self.store.read(CATALOGUE)])
        return self._catalogue

    def use_catalogue(self, catalogue: Names) -> None:
        """Takes over a catalogue that the caller has read, if it is newer than the one here."""
        if catalogue.revision > self._catalogue.revision:
            self._catalogue = catalogue

    def accounts(self) -> Names:
        """The tokens of the people who may start games on a server, read again. Raises `DamagedError`."""
        self._accounts.refresh(self.store)
        return self._accounts

    def match_of(self, stream: str) -> str:
        """The match with this stream of names; "" if there is none."""
        games = self.readable_catalogue()[0].games.values()
        return next((named_game.name for named_game in games if named_game.game == stream), "")

    def readable_catalogue(self) -> tuple[Names, tuple[DamagedError, ...]]:
        """The names of all matches that can be read, and the errors of the catalogue's damaged entries."""
        try:
            return self.catalogue(), ()
        except DamagedError as error:
            catalogue, faults = read_names_leniently(self.store, CATALOGUE)
            self._readable_games = catalogue.games
            return catalogue, faults or (error,)  # the readable entries may look complete, but some are missing

    def has_match(self, match: str) -> bool:
        """Whether there is a match of this name. For a known match the catalogue is not read again."""
        is_known = match in self._catalogue.games or self._look_up(match) is not None
        return is_known or match in self.readable_catalogue()[0].games

    def find_match(self, match: str) -> GameNamed:
        """The match of this name. Raises `UnknownError`, or `DamagedError` if a damaged entry may have had the name."""
        # For a known name the catalogue is not read again here, but in `line_at_head`.
        named_game = self._catalogue.games.get(match) or self._readable_games.get(match) or self._look_up(match)
        if named_game is None:
            names, faults = self.readable_catalogue()
            named_game = names.games.get(match)
            if named_game is None and faults:
                raise faults[0]
            if named_game is None:
                raise names.unknown_game_error(match)
        return named_game

    def _look_up(self, match: str) -> GameNamed | None:
        """The match of this name, without reading the catalogue; None if it must be read.

        That is for programs that need one match. One that goes on reads the catalogue once, and then what is new.
        """
        if self._catalogue.revision >= 0:
            return None
        if match not in self._found_games and self._lookup_count < MAX_LOOKUPS:
            self._lookup_count += 1
            named_game = game_by_entries(match, self.store.entries_about(match))
            self._found_games |= {match: named_game} if named_game else {}
        return self._found_games.get(match)

    def game(self, match: str) -> Game:
        """The game (rules, notation, display) of a match. Raises `UnknownError`."""
        return self.load_game(self.find_match(match).kind)

    def load_game(self, kind: str) -> Game:
        """Loads a game and registers its events with the store, once. Raises `GameError`."""
        if kind not in self._games_by_kind:
            self._games_by_kind[kind] = event_registration.load_game(self.store, kind, self.games)
        return self._games_by_kind[kind]

    def bindings_on(self, loaded_line: LoadedLine) -> Mapping[Seat, Binding]:
        """The keys of the seats that must sign on a line, by the names as they were last read."""
        return self.known_names(loaded_line.match).signing_keys(loaded_line.name)

    def names(self, match: str) -> Names:
        """The names of a match's lines, read again. Raises `UnknownError`."""
        names = self.known_names(match)
        names.refresh(self.store)
        return self.check_names(names)

    def prefetch(self, match: str) -> None:
        """Within a snapshot read: prefetches in one round trip what most requests read, for a match already known."""
        named_game = self._catalogue.games.get(match)
        names = self._names.get(named_game.game) if named_game else None
        if names is None:
            return
        known_revisions = {
            names.stream: names.revision,
            CATALOGUE: self._catalogue.revision,
            ACCOUNTS: self._accounts.revision,
        }
        if loaded_line := self._cached_lines.get(names.lines.get(names.first_line, "")):
            known_revisions[loaded_line.line.stream] = loaded_line.line.revision
        if discussion := self._discussions.get(public_stream(names.stream)):
            known_revisions[discussion.stream] = discussion.revision
        self.store.prefetch(known_revisions)

    def known_names(self, match: str) -> Names:
        """The names of a match's lines, as they were last read. Raises `UnknownError`."""
        stream = self.find_match(match).game
        names = self._names.pop(stream, None) or Names(stream, match=match)
        self._names[stream] = names
        if len(self._names) > MAX_CACHED_GAMES:
            del self._names[next(iter(self._names))]
        return names

    def discussion(self, match: str, owner: str = "") -> Discussion:
        """The public discussion of a match, or the private one of its `owner`. Raises `UnknownError`."""
        names_stream = self.find_match(match).game
        stream = private_stream(names_stream, owner) if owner else public_stream(names_stream)
        discussion = self._discussions.pop(stream, None) or Discussion(stream)
        self._discussions[stream] = discussion
        if len(self._discussions) > MAX_CACHED_GAMES:
            del self._discussions[next(iter(self._discussions))]
        discussion.refresh(self.store)
        return discussion

    def league(self, name: str) -> League:
        """A league, read again. Raises `UnknownError`."""
        leagues = self.catalogue().leagues
        if name not in leagues:
            hints = [f"league show {each}" for each in suggest_names(name, leagues)] or ["league open NAME"]
            raise UnknownError(f"there is no league called {name!r}", "", hints)
        return self.read_leagues([name])[0]

    def read_leagues(self, names: Iterable[str]) -> Sequence[League]:
        """Leagues of the catalogue as it was last read. Only entries that are new are read, in one round trip."""
        from zimcore.service.records.league import League  # few commands need it

        streams = [self._catalogue.leagues[name] for name in names]
        leagues = [self._leagues.setdefault(stream, League(stream)) for stream in streams]
        new_entries = self.store.read_streams({league.stream: league.revision for league in leagues})
        for league in leagues:
            for entry in new_entries[league.stream]:
                league.advance(entry)
        return leagues

    def human_seats(self, match: str, seats: Sequence[Seat]) -> Sequence[Seat]:
        """The seats whose players can agree to something: not bots, nor free seats of a served game."""
        names = self.names(match)
        if names.members.host:
            return [seat for seat in seats if (token := names.members.token_at(seat)) and token.role == "seat"]
        return [seat for seat in seats if seat not in names.bots]

    @staticmethod
    def check_names(names: Names) -> Names:
        """Returns the names of a match. Raises `DamagedError` if there are none, as each match started with one."""
        if not names.lines and not names.table:
            raise DamagedError(f"the game {names.match} is damaged", "its lines have no names")
        return names

    def are_over(self, loaded_line: LoadedLine) -> bool:
        """Whether a line and all lines that it was forked from are over, and open then.

        False if one of those has lost its name: its match may go on.
        """
        if loaded_line.game.secrets and not loaded_line.game.secrets.OPENS_AT_END:
            return False

        def is_over(line: Line, states: LineStates) -> bool:
            return loaded_line.game.evolution.outcome(states.state_at(line.head)).over

        if not is_over(loaded_line.line, loaded_line.states):  # the usual case, in which nothing else is read
            return False
        streams = set(self.names(loaded_line.match).lines.values())
        family = line_history.line_with_ancestors(self.store.read, loaded_line.line.stream)
        cache = self._snapshot_cache(loaded_line.match)
        return all(
            line.stream in streams and is_over(line, LineStates(loaded_line.game.evolution, line, cache))
            for line in family
        )

    def first_line(self, match: str) -> LoadedLine:
        """The first line of a match, as it was last read; it is read only if needed. Raises `UnknownError`."""
        names = self.known_names(match)
        return self._cached_lines.get(names.lines.get(names.first_line, "")) or self.line(match)

    def line(self, match: str, name: str = "") -> LoadedLine:
        """A line (by default the first one), with all its new entries. Raises `UnknownError`."""
        names = self.known_names(match)
        stream = names.lines.get(name or names.first_line, "")
        loaded_line = self._cached_lines.get(stream)
        if loaded_line is None:
            return self._read_line(match, *self.names(match).find_line(name))
        # New names and new entries of the line are read in one round trip. The line's stream is a guess from the names
        # known so far, which is nearly always right and is checked below.
        new_entries = self.store.read_streams({names.stream: names.revision, stream: loaded_line.line.revision})
        for entry in new_entries[names.stream]:
            names.advance(entry)
        current_name, current_stream = self.check_names(names).find_line(name)
        if current_stream != stream:  # the name is another line's now: don't use these entries
            return self._read_line(match, current_name, current_stream)
        for entry in new_entries[stream]:
            line_history.advance(loaded_line.line, entry)
        return self._cache_line(current_name, loaded_line)

    def _read_line(self, match: str, name: str, stream: str) -> LoadedLine:
        loaded_line = self._cached_lines.get(stream) or self._load_line(match, name, stream)
        line_history.refresh(self.store.read, loaded_line.line)
        return self._cache_line(name, loaded_line)

    def _cache_line(self, name: str, loaded_line: LoadedLine) -> LoadedLine:
        """Makes a line the most recently used one in the cache; if that is full, drops the least recently used."""
        stream = loaded_line.line.stream
        if loaded_line.name != name:  # it was renamed
            loaded_line = msgspec.structs.replace(loaded_line, name=name)
        # A dict keeps the order of insertion: popped and put back, the line is the newest.
        self._cached_lines.pop(stream, None)
        self._cached_lines[stream] = loaded_line
        if len(self._cached_lines) > MAX_CACHED_LINES:
            del self._cached_lines[next(iter(self._cached_lines))]
        return loaded_line

    def _load_line(self, match: str, name: str, stream: str) -> LoadedLine:
        known_lines = [loaded_line.line for loaded_line in reversed(self._cached_lines.values())]
        line = line_history.load_line(self.store.read, stream, known_lines)
        if not line.head:
            raise DamagedError(f"the line {match}/{name} is damaged", f"stream {stream} has no commits")
        return self._make_line(match, name, self.game(match), line)

    def _make_line(self, match: str, name: str, game: Game, line: Line) -> LoadedLine:
        states = LineStates(game.evolution, line, self._snapshot_cache(match))
        parent_stream = line.fork_event.line if line.fork_event else ""
        if parent := self._cached_lines.pop(parent_stream, None):
            self._cached_lines[parent_stream] = parent  # the next line may be forked from it, too
            states.start_from(parent.states)
        return LoadedLine(match, name, game, line, states)

    def _snapshot_cache(self, match: str) -> SnapshotCache:
        return self._snapshot_caches.setdefault(match, SnapshotCache())

    def load_fork(self, parent: LoadedLine, name: str, stream: str) -> LoadedLine:
        """Loads a line that was just forked from a loaded one, without reading their shared past again."""
        line = line_history.copy_for_fork(parent.line, stream)
        self._cached_lines[stream] = self._make_line(parent.match, name, parent.game, line)
        return self._read_line(parent.match, name, stream)

    def line_begun_by(self, match: str, events: Iterable[msgspec.Struct]) -> LoadedLine:
        """The line that these events started, whatever its name is now. Raises `UnknownError`."""
        stream = next(event.line for event in events if isinstance(event, LineNamed))
        line_name = self.names(match).name_of(stream)
        if not line_name:
            raise UnknownError("the line that this made no longer has a name", "", [f"log {match} --ops"])
        return self.line(match, line_name)

    def find(self, place: str) -> tuple[LoadedLine, bytes]:
        """The line and the commit that a place names. Raises `UnknownError`, or `GameError` if it is not a place."""
        parsed_place = parse_place(place)
        loaded_line = self.line(parsed_place.match, parsed_place.line)
        if not parsed_place.line and parsed_place.position in self.known_names(parsed_place.match).tags:
            loaded_line = self.tagged_line(parsed_place.match, parsed_place.position, loaded_line.name) or loaded_line
        return loaded_line, self.locate(loaded_line, parsed_place.position)

    def tagged_line(self, match: str, tag_name: str, preferred_line: str) -> LoadedLine | None:
        """The line for a tag in a place without a line: `preferred_line` if it has the position, else the tag's line.

        If that has lost its name, another line with the position; None if there is none, or no such tag.
        """
        names = self.known_names(match)
        tag = names.tags.get(tag_name)
        if tag is None:
            return None
        for line_name in dict.fromkeys(filter(None, (preferred_line, names.name_of(tag.line_stream), *names.lines))):
            try:
                loaded_line = self.line(match, line_name)
            except DamagedError:
                if self.store.shows_all:
                    raise
                continue  # a fork of a position that spectators may not see yet
            if tag.commit in loaded_line.line.commits:
                return loaded_line
        return None

    def named_commits(self, loaded_line: LoadedLine) -> dict[str, bytes]:
        """The commits of a line by their names: the marks of the game and the tags of its players."""
        tags = self.known_names(loaded_line.match).tags.items()
        return {
            name: tag.commit for name, tag in tags if tag.commit in loaded_line.line.commits
        } | loaded_line.states.digests_by_mark()

    def locate(self, loaded_line: LoadedLine, position_name: str) -> bytes:
        """The commit that a position of a line names. Raises `UnknownError`."""
        if tagged_place := self._tag_place_elsewhere(loaded_line, position_name):
            what, why = f"{position_name} is not on {loaded_line.place}", "this tag names a position of another line"
            raise UnknownError(what, why, [tagged_place])
        try:
            return locate_commit(loaded_line.line, position_name, lambda: self.named_commits(loaded_line))
        except UnknownError as error:
            hints = [loaded_line.place + hint for hint in error.hints]
            raise UnknownError(f"{error.what} on {loaded_line.place}", error.why, hints) from None

    def _tag_place_elsewhere(self, loaded_line: LoadedLine, tag_name: str) -> str:
        """The place of a tag that is on other lines than this one; "" for anything else."""
        tag = self.known_names(loaded_line.match).tags.get(tag_name)
        if tag is None or tag.commit in loaded_line.line.commits:
            return ""
        other_line = self.tagged_line(loaded_line.match, tag_name, "")
        return f"{other_line.place}@{tag_name}" if other_line else ""

    def line_at_head(self, place: str, key: IdempotencyKey = NO_KEY) -> LoadedLine:
        """The line that a place names, for commands that work on its head. Raises `GameError` for other positions.

        A retry (`key`) may use the name that the line had at the first try.
        """
        parsed_place = parse_place(place)
        if parsed_place.position:
            hints = (f"goto {place}", f"fork {place} NAME")
            raise GameError(f"{place} is a position", "this can only be done at the head of a line", hints)
        self.read_deletions()
        return self.current_or_former_line(parsed_place.match, parsed_place.line, key)

    def read_deletions(self) -> None:
        """Reads which games other people have deleted since; those that were looked up are looked up again."""
        self._found_games.clear()
        if self._catalogue.revision >= 0:
            self.readable_catalogue()

    def current_or_former_line(self, match: str, name: str, key: IdempotencyKey) -> LoadedLine:
        """A line by its name, or for a retry (`key`) by a former name. Raises `UnknownError`."""
        try:
            return self.line(match, name)
        except UnknownError:
            names = self.names(match)
            current_name = names.name_of(names.stream_of(name)) if key.id else ""
            if not current_name or key.id not in self.line(match, current_name).line.by_command_id:
                raise
            return self.line(match, current_name)
