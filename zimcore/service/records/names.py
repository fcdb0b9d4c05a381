"""Names: the catalogue of all matches, and the lines of each match. Each is a small stream of its own.

A stream has a random id that never changes; people's names for it are events. So renaming a line takes one event and
moves no commits, and a line without a name keeps all its commits.

In other words: registry.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, TypeAlias, cast, get_args

import msgspec

from event_store import DamagedError, Entry, EventStore, Forms, SealsBound, TakenError
from zimcore.game import Event, GameError, UnknownError
from zimcore.service.records import fair_deal
from zimcore.service.records.bindings import Binding, KeyChanged, SeatBound
from zimcore.service.records.fair_deal import (
    DealEvent,
    Dealt,
    DealTable,
    ShareAdded,
    TableOpened,
    not_dealt_error,
    opened_table,
)
from zimcore.service.records.folds import Fold
from zimcore.service.records.free_names import free_name
from zimcore.service.records.memberships import MemberEvent, Members, SeatLeft
from zimcore.service.records.places import MAX_NAME_CHARACTERS, check_characters, suggest_names
from zimcore.toolkit.words import are, numbered

SUFFIX_CHARACTERS = 10
"""Characters reserved for the number in a generated name."""

OWN_LINE_MARK = "--"
"""Separates the seat from the rest in the name of a seat's own line. Moves on such a line need no signature."""

CATALOGUE = "games"
"""The stream with the names of all games."""
LEAGUE_KIND = "league"
"""The kind of the events of leagues."""
ACCOUNTS = "accounts"
"""The stream with the tokens of the people who may start games on a server."""


class GameNamed(Event, frozen=True, tag="game_named.1"):
    """A game got its name; `game` is its stream of names."""

    name: str
    kind: str
    game: str


class LeagueNamed(Event, frozen=True, tag="league_named.1"):
    """A league got its name; `league` is its stream."""

    name: str
    league: str


class GameArchived(Event, frozen=True, tag="game_archived.1"):
    """A game was archived: it is listed only on request, but can still be played."""

    name: str


class GameDeleted(Event, frozen=True, tag="game_forgotten.1"):
    """A game was deleted: it can't be found any more. Its data stays, and its name stays taken."""

    name: str


class GameRestored(Event, frozen=True, tag="game_restored.1"):
    """A deleted game has its name again, or an archived one is listed again."""

    name: str


class GameRemoved(Event, frozen=True, tag="game_removed.1"):
    """A game was removed for good: its `streams` are gone, and its name is free."""

    name: str
    streams: tuple[str, ...]


class LineNamed(Event, frozen=True, tag="line_named.1"):
    """A line of a game got its name; `line` is its stream."""

    name: str
    line: str


class LineSwitched(Event, frozen=True, tag="line_switched.2"):
    """A line became the current one of a person (`by`), who looked from a seat ("" without one)."""

    name: str
    by: str
    seat: str = ""


class LineRenamed(Event, frozen=True, tag="line_renamed.1"):
    """A line was renamed."""

    name: str
    to: str


class LineForgotten(Event, frozen=True, tag="line_forgotten.1"):
    """The name of a line was removed; its commits stay."""

    name: str


class PositionTagged(Event, frozen=True, tag="position_tagged.1"):
    """A position got a name, a tag: it is a commit, and `line` is the stream of a line that has it.

    The tag stays at its commit, also if the head of the line moves or the line loses its name.
    """

    name: str
    line: str
    commit: bytes


class TagRemoved(Event, frozen=True, tag="tag_removed.1"):
    """A tag was removed; its position stays."""

    name: str


class ImportedAsRecorded(Event, frozen=True, tag="taken_as_recorded.1"):
    """A commit was imported whose result differs from that of the rules in use at the import; `what` says how.

    It is stored in the game's stream of names, and counts for every line with the commit, including forks.
    """

    commit: bytes
    what: str


class BotSeated(Event, frozen=True, tag="bot_seated.2"):
    """A program (`bot`, such as `strong:nodes=500`) plays a seat from here on; "" for people again.

    `line` is the stream of the line where it plays; "" for the game's first line.
    """

    seat: str
    bot: str
    line: str = ""


def _upcast_line_switched(fields: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Upcasts `line_switched.1`, which named no person, since one line was current for all: `by` becomes ""."""
    return "line_switched.2", {"by": "", **fields}


def _upcast_bot_seated(fields: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Upcasts `bot_seated.1`, which named no line, since programs played only on the first one: `line` becomes ""."""
    return "bot_seated.2", {**fields, "line": ""}


CatalogueEvent: TypeAlias = GameNamed | LeagueNamed | GameArchived | GameDeleted | GameRestored | GameRemoved
"""An event of the catalogue."""
LineNameEvent: TypeAlias = (
    LineNamed | LineSwitched | LineRenamed | LineForgotten | PositionTagged | TagRemoved | ImportedAsRecorded
)
NameEvent: TypeAlias = CatalogueEvent | LineNameEvent | Binding | BotSeated | DealEvent | MemberEvent
"""An event of a stream of names. When you add one, mypy shows each `match` that needs a case for it."""


def games_in(entry: Entry) -> list[str]:
    """The names of the games that an entry of the catalogue is about."""
    events = cast("tuple[CatalogueEvent, ...]", entry.events)
    return [event.name for event in events if not isinstance(event, LeagueNamed | SealsBound)]


def game_by_entries(name: str, entries: Iterable[Entry]) -> GameNamed | None:
    """The game of a name, by the entries of the catalogue about that name; None if it was deleted or removed."""
    named_game, is_deleted = None, False
    for event in (event for entry in entries for event in cast("tuple[CatalogueEvent, ...]", entry.events)):
        if event.name == name:
            match event:
                case GameNamed():
                    named_game, is_deleted = event, False
                case GameRemoved():
                    named_game = None
                case GameDeleted():
                    is_deleted = True
                case GameRestored():
                    is_deleted = False
                case _:
                    pass
    return None if is_deleted else named_game


def forms() -> Forms:
    """The types of `NameEvent`, and the upcasters of their old forms."""
    upcasters = {"line_switched.1": _upcast_line_switched, "bot_seated.1": _upcast_bot_seated}
    return Forms(get_args(NameEvent), upcasters)


class Tag(msgspec.Struct, frozen=True):
    """A name for a position: the stream of its line, its commit, and who gave the name when."""

    line_stream: str
    commit: bytes
    by: str
    at: datetime


class Names(Fold[NameEvent], msgspec.Struct, eq=False):
    """A stream of names, folded.

    In the catalogue: `games`, `start_times` and `deleted_games` by name, `archived_names`, and the stream of each
    league by its name (`leagues`). What was removed for good has a note: each stream in `removed_streams`, each game in
    `removal_notes`.

    In the stream of a `match`: the stream of each line by its name (`lines`), and by the names that lines had before
    (`former_names`); the last name of each line that lost its own, by stream (`forgotten_lines`); `streams`, of all
    lines that ever had a name; and `own_streams`, of lines that belong to one seat. `tags` are the names of positions.
    `chosen_lines` has the stream of the line that a person switched to last, by person and seat: "" for all seats,
    others only where an older client has remembered them. `all_bindings` are the keys of each bound seat, oldest first.
    `recorded_deviations` has a note on each commit imported as recorded. `members` are those of a served game. `bots`
    has the programs on the first line, by seat, `bots_elsewhere` those on other lines, by stream and seat. `table` is
    the table of a fair deal.
    """

    event_types = get_args(NameEvent)
    match: str = ""
    games: dict[str, GameNamed] = {}
    leagues: dict[str, str] = {}
    lines: dict[str, str] = {}
    start_times: dict[str, datetime] = {}
    archived_names: dict[str, None] = {}
    deleted_games: dict[str, GameNamed] = {}
    removed_streams: dict[str, str] = {}
    removal_notes: dict[str, str] = {}
    forgotten_lines: dict[str, str] = {}
    tags: dict[str, Tag] = {}
    recorded_deviations: dict[bytes, str] = {}
    chosen_lines: dict[str, dict[str, str]] = {}
    all_bindings: dict[str, tuple[Binding, ...]] = {}
    bots: dict[str, str] = {}
    bots_elsewhere: dict[str, dict[str, str]] = {}
    streams: dict[str, None] = {}
    former_names: dict[str, str] = {}
    own_streams: dict[str, None] = {}
    members: Members = Members()
    table: DealTable | None = None

    @property
    def taken_names(self) -> list[str]:
        """The names that a new game can't have; a deleted game keeps its name, as it can be restored."""
        return [*self.games, *self.deleted_games]

    @property
    def current_bindings(self) -> dict[str, Binding]:
        """The event that bound each bound seat to its current key."""
        return {seat: each[-1] for seat, each in self.all_bindings.items()}

    def signing_keys(self, name: str) -> dict[str, Binding]:
        """The keys of the seats that must sign on a line; empty for a line that belongs to one seat."""
        return {} if self.lines.get(name, "") in self.own_streams else self.current_bindings

    @property
    def first_line(self) -> str:
        """The name of the game's first line, everyone's current line until they switch; "" in the catalogue."""
        return next(iter(self.lines), "")

    def bots_on(self, name: str = "") -> dict[str, str]:
        """The programs that play a line (by default the first one), by seat."""
        return self.bots if name in ("", self.first_line) else self.bots_elsewhere.get(self.lines.get(name, ""), {})

    def is_ended(self, name: str) -> bool:
        """Whether a line can't be played on, as its match was ended."""
        return self.members.ended and name in ("", self.first_line)

    def current_line(self, author: str, seat: str = "") -> str:
        """The name of a person's current line: the one that they chose, at this seat or at any, else the first one."""
        names = {stream: name for name, stream in self.lines.items()}
        chosen_streams = (self.chosen_lines.get(author, {}).get(each, "") for each in (seat, ""))
        return next((names[stream] for stream in chosen_streams if stream in names), self.first_line)

    def _people_on(self, name: str) -> list[tuple[str, str]]:
        """The people (name, seat) whose current line this is."""
        people = ((author, seat) for author, seats in self.chosen_lines.items() for seat in seats)
        return [(author, seat) for author, seat in people if self.current_line(author, seat) == name]

    def names_before(self, entry: Entry, store: EventStore) -> Names:
        """The names as they were before one of their entries. Raises `StoreError`."""
        names = Names(self.stream, match=self.match)
        for earlier_entry in store.read(self.stream):
            if earlier_entry.revision >= entry.revision:
                break
            names.advance(earlier_entry)
        return names

    def find_line(self, name: str = "") -> tuple[str, str]:
        """The name and stream of a line of this match (by default the first one). Raises `UnknownError`."""
        name = name or self.first_line
        if self.table and not self.lines:
            raise not_dealt_error(self.match, self.table, self.members.token_ids)
        if name not in self.lines:
            hints = [f"{self.match}/{similar_name}" for similar_name in suggest_names(name, self.lines)]
            raise UnknownError(f"{self.match} has no line called {name!r}", "", hints)
        return name, self.lines[name]

    def check_new_game_name(self, name: str) -> None:
        """Raises `UnknownError` if a new game can't have this name."""
        if name in self.deleted_games:
            hints = [f"delete {name} --back", f"delete {name} --for-good", next_free_name(name, self.taken_names)]
            raise UnknownError(f"{name!r} is the name of a game that was deleted", "it can be restored", hints)
        check_name_is_free(name, self.games, "game")

    def unknown_game_error(self, name: str) -> UnknownError:
        """The error for a name that no game has; it mentions a deleted or removed game of that name."""
        if name in self.deleted_games:
            return UnknownError(f"{name} was deleted", "its moves are still in the store", [f"delete {name} --back"])
        return UnknownError(
            f"there is no game called {name!r}",
            self.removal_notes.get(name, ""),
            suggest_names(name, self.games) or ["new"],
        )

    def stream_of(self, name: str) -> str:
        """The stream of the line that has this name, or had it last; "" if there was none."""
        return self.lines.get(name or self.first_line) or self.former_names.get(name, "")

    def name_of(self, stream: str) -> str:
        """The current name of a line; "" if it has none."""
        return next((name for name, line_stream in self.lines.items() if line_stream == stream), "")

    def check_follows(self, event: NameEvent) -> None:
        """Raises `GameError` if an event can't come next: its name is taken, or does not exist."""
        if isinstance(event, CatalogueEvent) != (self.stream == CATALOGUE):
            raise GameError("this event does not belong in this stream")
        match event:
            case (
                GameNamed(name=new_name)
                | LeagueNamed(name=new_name)
                | LineNamed(name=new_name)
                | LineRenamed(to=new_name)
                | PositionTagged(name=new_name)
            ):
                check_characters(new_name)
        match event:
            case GameNamed(name=name):
                self.check_new_game_name(name)
            case LeagueNamed(name=name):
                check_name_is_free(name, self.leagues, "league")
            case GameArchived(name=name) | GameDeleted(name=name):
                if name not in self.games:
                    raise self.unknown_game_error(name)
            case GameRestored(name=name):
                if name not in self.archived_names and name not in self.deleted_games:
                    if name not in self.games:
                        raise self.unknown_game_error(name)
                    raise UnknownError(f"{name} is neither archived nor deleted", "", [f"play {name}"])
            case GameRemoved(name=name):
                if name not in self.games and name not in self.deleted_games:
                    raise self.unknown_game_error(name)
            case LineNamed(name=name):
                check_name_is_free(name, self.lines, "line")
            case LineRenamed(name=name, to=to):
                check_name_is_free(to, self.lines, "line")
                self._check_line(name)
            case LineSwitched(name=name) | LineForgotten(name=name):
                self._check_line(name)
            case PositionTagged(name=name, line=line):
                if name in self.tags:
                    hints = [f"tag {self.match} -d {name}", next_free_name(name, self.tags)]
                    raise UnknownError(f"there is a tag called {name!r} already", "it stays where it is", hints)
                if line not in self.streams:
                    raise UnknownError("a position was tagged on a line that is not there")
            case TagRemoved(name=name):
                if name not in self.tags:
                    hints = [f"tag {self.match} -d {each}" for each in suggest_names(name, self.tags)]
                    raise UnknownError(f"{self.match} has no tag called {name!r}", "", hints)
            case ImportedAsRecorded():
                pass
            case BotSeated(line=line):
                if line and line not in self.streams:
                    raise UnknownError("a program was seated on a line that is not there")
            case SeatBound(seat=seat):
                if current_binding := self.current_bindings.get(seat):
                    why = f"the key {current_binding.key[:16]} signs its commands"
                    raise UnknownError(f"{seat} has a key already", why, [f"verify {self.match}"])
            case KeyChanged(seat=seat, key=key):
                if seat not in self.all_bindings:
                    raise UnknownError(f"{seat} has no key yet")
                if self.all_bindings[seat][-1].key == key:
                    raise UnknownError(f"{seat} has that key already")
            case TableOpened() | ShareAdded() | Dealt():
                fair_deal.check_deal_event(self.table, event)
            case _:
                self.members.check(event)

    def _check_line(self, name: str) -> None:
        if name not in self.lines:
            suffix = " any more" if name in self.former_names or name in self.forgotten_lines.values() else ""
            raise UnknownError(f"there is no line called {name!r}{suffix}", "", [*self.lines])

    def apply(self, event: NameEvent, entry: Entry) -> None:
        """Applies an event of an entry."""
        self.evolve(event, entry.seal.by, entry.seal.at)

    def evolve(self, event: NameEvent, author: str, time: datetime) -> None:
        """Applies an event that its author stored at this time."""
        match event:
            case GameNamed(name=name):
                self.games[name], self.start_times[name] = event, time
            case LeagueNamed(name=name, league=league):
                self.leagues[name] = league
            case GameArchived(name=name):
                self.archived_names[name] = None
            case GameDeleted(name=name):
                self.deleted_games[name] = self.games.pop(name)
            case GameRestored(name=name) if name in self.deleted_games:
                self.games[name] = self.deleted_games.pop(name)
            case GameRestored(name=name):
                self.archived_names.pop(name)
            case GameRemoved(name=name, streams=streams):
                for names in (self.games, self.deleted_games, self.archived_names):
                    names.pop(name, None)
                self.removal_notes[name] = f"{author} deleted it for good on {time:%Y-%m-%d}"
                self.removed_streams |= dict.fromkeys(streams, f"{name}: {self.removal_notes[name]}")
            case LineNamed(name=name, line=line):
                if OWN_LINE_MARK in name and self.streams and line not in self.streams:
                    self.own_streams[line] = None
                self.lines[name] = line
                self.forgotten_lines.pop(line, None)
                self.streams[line] = None
            case LineSwitched(name=name, by=by):
                self.chosen_lines = {**self.chosen_lines, by or author: {"": self.lines.get(name, "")}}
            case LineRenamed(name=name, to=to):
                self.former_names = {**self.former_names, name: self.lines[name]}
                # The dict is made anew, so that the line keeps its position in the order of lines.
                self.lines = {to if each == name else each: line for each, line in self.lines.items()}
            case LineForgotten(name=name):
                self.forgotten_lines[self.lines.pop(name)] = name
            case PositionTagged(name=name, line=line, commit=commit):
                self.tags[name] = Tag(line, commit, author, time)
            case TagRemoved(name=name):
                self.tags.pop(name)
            case ImportedAsRecorded(commit=commit, what=what):
                self.recorded_deviations[commit] = f"imported by {author} on {time:%Y-%m-%d}: {what}"
            case SeatBound(seat=seat) | KeyChanged(seat=seat):
                self.all_bindings[seat] = (*self.all_bindings.get(seat, ()), event)
            case BotSeated(seat=seat, bot=bot, line=line):
                bots_before = self.bots_elsewhere.get(line, {}) if line else self.bots
                bots_after = {player: program for player, program in {**bots_before, seat: bot}.items() if program}
                if line:
                    self.bots_elsewhere = {**self.bots_elsewhere, line: bots_after}
                else:
                    self.bots = bots_after
            case TableOpened():
                self.table = opened_table(event, self.stream)
            case ShareAdded() | Dealt():
                self.table = self.table and self.table.after(event)
            case _:
                self.members = self.members.after(event, time)
                if isinstance(event, SeatLeft):
                    self.table = self.table and self.table.without_player_at(event.seat)

    def check(self, *events: NameEvent) -> None:
        """Raises `GameError` if these events can't be appended: one can't follow, or removes a name that is in use."""
        all_fields = {field: getattr(self, field) for field in self.__struct_fields__}
        copied_fields = {field: value.copy() for field, value in all_fields.items() if isinstance(value, dict)}
        names_copy = msgspec.structs.replace(self, **copied_fields)  # a copy, as `self` must stay as stored
        for event in events:
            names_copy.check_follows(event)
            match event:  # MATCH/NAME must mean one thing, so a line and a tag can't share a name
                case LineNamed(name=name) | LineRenamed(to=name):
                    check_name_is_free(name, names_copy.tags, "tag")
                case PositionTagged(name=name):
                    check_name_is_free(name, names_copy.lines, "line")
            if isinstance(event, LineForgotten):
                names_copy.check_may_forget(event.name)
            if isinstance(event, LineNamed) and (current_name := names_copy.name_of(event.line)):
                what, why = (
                    f"{self.match}/{current_name} is that line",
                    f"it was called {event.name}, and has a new name",
                )
                raise UnknownError(what, why, [f"rename {self.match}/{current_name} {event.name}"])
            names_copy.evolve(event, "", datetime.min)  # author and time don't matter here

    def check_may_forget(self, name: str) -> None:
        """Raises `UnknownError` for a line whose name is in use: the first line, or anyone's current one."""
        if name == self.first_line:
            why = "the game began with it, and players are on it until they switch"
            raise UnknownError(f"{name} can't lose its name", why, [f"rename {self.match}/{name} NAME"])
        if people_with_seats := self._people_on(name):
            hints = [f"switch {self.match}/{other_name}" for other_name in self.lines if other_name != name]
            people_text = " and ".join(
                dict.fromkeys(f"{person} as {seat}" if seat else person for person, seat in people_with_seats)
            )
            raise UnknownError(f"{name} is the current line of {people_text}", "go to another one first", hints)


def deleted_label(name: str) -> str:
    """The label of a deleted game in an audit of the store."""
    return f"{name} (deleted)"


def check_renamed_line(stored_entry: Entry, line_name: str) -> None:
    """Raises `TakenError` if the entry of a retried rename renamed another line; `line_name` is its old or new name."""
    rename_events = [event for event in stored_entry.events if isinstance(event, LineRenamed)]
    if line_name and not any(line_name in (each.name, each.to) for each in rename_events):
        what, why = (
            f"the command id {stored_entry.seal.id!r} is taken",
            f"{stored_entry.seal.by} has renamed another line with it",
        )
        raise TakenError(what, why, ("the same with a new id",), head=stored_entry.digest.hex())


def read_names_leniently(store: EventStore, stream: str) -> tuple[Names, tuple[DamagedError, ...]]:
    """The names in a stream and the errors of its damaged entries, which are skipped."""
    names, errors = Names(stream), list[DamagedError]()
    for entry_or_error in store.entries_or_errors(stream):
        try:
            if isinstance(entry_or_error, DamagedError):
                raise entry_or_error
            names.advance(entry_or_error)
        except DamagedError as error:
            errors.append(error)
    return names, tuple(errors)


def check_catalogue(store: EventStore, catalogue: Names) -> None:
    """Raises `DamagedError` if the list of games is empty but other streams are there: the first game begins it."""
    if catalogue.revision < 0 and (streams := {*store.streams()} - {CATALOGUE, ACCOUNTS}):
        catalogue.refresh(store)  # the first game may have begun since it was read
        if catalogue.revision < 0 and (unfinished := store.unfinished()):
            hints = (unfinished.command(store.url),)
            raise DamagedError("the list of games is not here yet", str(unfinished), hints, stream=CATALOGUE)
        if catalogue.revision < 0:
            raise DamagedError(
                "the list of games is missing",
                f"{numbered(len(streams), 'stream')} {are(len(streams))} there",
                stream=CATALOGUE,
            )


def next_free_name(beginning: str, taken_names: Iterable[str]) -> str:
    """The first free name made of `beginning` and a number.

    >>> next_free_name("nim", ["nim-1", "zulu-2"])
    'nim-2'
    """
    return free_name(
        beginning[: MAX_NAME_CHARACTERS - SUFFIX_CHARACTERS], set(taken_names).__contains__, may_stay_bare=False
    )


def check_name_is_free(name: str, taken_names: Iterable[str], name_kind: str) -> None:
    """Raises `UnknownError` for a name that is taken; its hint is a free one."""
    if name in taken_names:
        raise UnknownError(f"there is a {name_kind} called {name!r} already", "", [next_free_name(name, taken_names)])
