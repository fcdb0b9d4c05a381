"""Names: the catalogue of all matches, and the lines of each match. Each is a small stream of its own.

A stream has a random id and never changes it; people's names for it are events. Renaming a line therefore costs one
event and moves no commits, and a line without a name keeps all of its commits.

In other words: registry.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, TypeAlias, assert_never, get_args

import msgspec

from event_store import DamagedError, Entry, EventStore, Forms, SealsBound, TakenError
from event_store.errors import damaged_error
from zimcore.game import Event, GameError, UnknownError
from zimcore.service import fair_deal
from zimcore.service.bindings import Binding, KeyChanged, SeatBound
from zimcore.service.fair_deal import DealEvent, Dealt, DealTable, ShareAdded, TableOpened, not_dealt, table_of
from zimcore.service.idempotency import IdempotencyKey, check_same
from zimcore.service.memberships import MemberEvent, Members, SeatLeft
from zimcore.service.places import MAX_NAME, near

MADE = 10
"""Characters that are left for the number in a name that is made."""

OWN = "--"
"""Between a seat and the rest of the name of a line that is that seat's own, to try things, unsigned."""

CATALOGUE = "games"
"""The stream with the names of all games."""
ACCOUNTS = "accounts"
"""The stream with the tokens of those who may begin games on a server."""


class GameNamed(Event, frozen=True, tag="game_named.1"):
    """A game got its name; `game` is the stream of its lines' names."""

    name: str
    kind: str
    game: str


class GameArchived(Event, frozen=True, tag="game_archived.1"):
    """A game is not listed any more, unless all are asked for; it can be played on."""

    name: str


class GameForgotten(Event, frozen=True, tag="game_forgotten.1"):
    """A game was deleted: its name leads nowhere. Its bytes stay, and so the name is not free."""

    name: str


class GameRestored(Event, frozen=True, tag="game_restored.1"):
    """A game that was deleted has its name again; one that was only archived is listed again."""

    name: str


class GameRemoved(Event, frozen=True, tag="game_removed.1"):
    """A game was deleted for good: nothing is left of its `streams`, and its name is free."""

    name: str
    streams: tuple[str, ...]


class LineNamed(Event, frozen=True, tag="line_named.1"):
    """A line of a game got its name; `line` is its stream."""

    name: str
    line: str


class LineSwitched(Event, frozen=True, tag="line_switched.2"):
    """Another line became the current one of a person, at the seat they play; "" for a person without one."""

    name: str
    by: str
    seat: str = ""


class LineRenamed(Event, frozen=True, tag="line_renamed.1"):
    """A line has another name."""

    name: str
    to: str


class LineForgotten(Event, frozen=True, tag="line_forgotten.1"):
    """A line has no name any more; its commits stay."""

    name: str


class TakenAsRecorded(Event, frozen=True, tag="taken_as_recorded.1"):
    """A commit was imported that the rules of the day would not give; `what` says how they differ.

    It stands among the names of a game's lines and holds for every line that the commit is on, forks too.
    """

    commit: bytes
    what: str


class BotSeated(Event, frozen=True, tag="bot_seated.2"):
    """A program plays a seat from here on, `strong:nodes=500`; "" for people again.

    `line` is the stream of the line on which it does; "" for the line that the game began with.
    """

    seat: str
    bot: str
    line: str = ""


def _upcast_line_switched(fields: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Upcasts `line_switched.1`, which named no person: then one line was current for all, so `by` is empty."""
    return "line_switched.2", {"by": "", **fields}


def _upcast_bot_seated(fields: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Upcasts `bot_seated.1`, which named no line: programs played only on the first one."""
    return "bot_seated.2", {**fields, "line": ""}


GameEvent: TypeAlias = GameNamed | GameArchived | GameForgotten | GameRestored | GameRemoved
"""What stands in the catalogue, and nowhere else."""
LineEvent: TypeAlias = LineNamed | LineSwitched | LineRenamed | LineForgotten | TakenAsRecorded
NameEvent: TypeAlias = GameEvent | LineEvent | Binding | BotSeated | DealEvent | MemberEvent
"""What stands among names. A new one is not done before all who match on these have a case for it: mypy says where."""


def forms() -> Forms:
    """The events of this room, for the store."""
    upcasters = {"line_switched.1": _upcast_line_switched, "bot_seated.1": _upcast_bot_seated}
    return Forms(get_args(NameEvent), upcasters)


class Names(msgspec.Struct, eq=False):
    """A stream of names, folded up to `revision`; `digest` is that of the entry there.

    In the catalogue `games` are by name, in the stream of a `match` its `lines` (name -> stream); `begun` says when
    each game got its name. Some games are `archived`, others `deleted`; what was `removed` for good are streams, with
    what is told of them, and `gone` tells it by the name.

    `chosen` is the line (its stream) where somebody is, by name and seat. `asked` has the entries that were asked for
    with an id, `keys` has those of seats that are bound, first to last. `streams` are all lines that ever had a name,
    `former` those of the names that a line had before, `own` those that began as a seat's own. `forgotten` are lines
    without a name, by their streams, with the last that they had;
    `recorded` are commits that were taken as recorded, with who took them and how the rules differ. `members` are those
    of a game that is served, `bots` are the programs that play the first line, by their seats, `bots_elsewhere` those
    of other lines, by their streams; `table` is how a game was dealt, or will be, where that is fair.
    """

    stream: str
    match: str = ""
    revision: int = -1
    digest: bytes = b""
    games: dict[str, GameNamed] = {}
    lines: dict[str, str] = {}
    begun: dict[str, datetime] = {}
    archived: dict[str, None] = {}
    deleted: dict[str, GameNamed] = {}
    removed: dict[str, str] = {}
    gone: dict[str, str] = {}
    forgotten: dict[str, str] = {}
    recorded: dict[bytes, str] = {}
    chosen: dict[str, dict[str, str]] = {}
    asked: dict[str, Entry] = {}
    keys: dict[str, tuple[Binding, ...]] = {}
    bots: dict[str, str] = {}
    bots_elsewhere: dict[str, dict[str, str]] = {}
    streams: dict[str, None] = {}
    former: dict[str, str] = {}
    own: dict[str, None] = {}
    members: Members = Members()
    table: DealTable | None = None

    @property
    def taken_names(self) -> list[str]:
        """The names that no game can be given: those of deleted games can be had again."""
        return [*self.games, *self.deleted]

    @property
    def bindings(self) -> dict[str, Binding]:
        """The seats with a key, and since when they have it."""
        return {seat: each[-1] for seat, each in self.keys.items()}

    def signing_keys(self, name: str) -> dict[str, Binding]:
        """The seats whose commands are signed on a line: on one that began as a seat's own there are none."""
        return {} if self.lines.get(name, "") in self.own else self.bindings

    @property
    def first(self) -> str:
        """The line with which the game began, "" in the catalogue: where all are who have gone nowhere else."""
        return next(iter(self.lines), "")

    def bots_on(self, name: str = "") -> dict[str, str]:
        """The programs that play a line, by their seats; without a name those of the first line."""
        return self.bots if name in ("", self.first) else self.bots_elsewhere.get(self.lines.get(name, ""), {})

    def current(self, by: str, seat: str = "") -> str:
        """A person's current line: chosen at that seat, or else without one."""
        names = {stream: name for name, stream in self.lines.items()}
        where = (self.chosen.get(by, {}).get(each, "") for each in (seat, ""))
        return next((names[stream] for stream in where if stream in names), self.first)

    def _people_on(self, name: str) -> list[tuple[str, str]]:
        """Whose current line that is, each by name and seat."""
        people = ((by, seat) for by, seats in self.chosen.items() for seat in seats)
        return [(by, seat) for by, seat in people if self.current(by, seat) == name]

    def earlier_entry(self, by: str, key: IdempotencyKey) -> Entry | None:
        """What was made when this was asked for before. Raises `ConflictError` where that was something else."""
        entry = self.asked.get(key.id)
        if entry:
            check_same(entry, by, key)
        return entry

    def refresh(self, store: EventStore) -> None:
        """Reads what was appended since. Raises `StoreError`."""
        for entry in store.read(self.stream, after=self.revision):
            self.advance(entry)

    def before(self, entry: Entry, store: EventStore) -> Names:
        """The names as they were before an entry among them. Raises `StoreError`."""
        found = Names(self.stream, self.match)
        for each in store.read(self.stream):
            if each.revision >= entry.revision:
                break
            found.advance(each)
        return found

    def find(self, name: str = "") -> tuple[str, str]:
        """The name and the stream of a line of this match; without a name the first one. Raises `UnknownError`."""
        name = name or self.first
        if self.table and not self.lines:
            raise not_dealt(self.match, self.table, self.members.seated)
        if name not in self.lines:
            hints = [f"{self.match}/{known}" for known in near(name, self.lines)]
            raise UnknownError(f"{self.match} has no line called {name!r}", "", hints)
        return name, self.lines[name]

    def check_game(self, name: str) -> None:
        """Raises `UnknownError` for a name that no new game can have."""
        if name in self.deleted:
            hints = [f"delete {name} --back", f"delete {name} --for-good", next_free(name, self.taken_names)]
            raise UnknownError(f"{name} is the name of a game that was deleted", "it can be restored", hints)
        check_free(name, self.games, "game")

    def unknown_game_error(self, name: str) -> UnknownError:
        """The error for a name that no game has, which tells of one that had it."""
        if name in self.deleted:
            return UnknownError(f"{name} was deleted", "its moves are still in the store", [f"delete {name} --back"])
        return UnknownError(
            f"there is no game called {name!r}", self.gone.get(name, ""), near(name, self.games) or ["new"]
        )

    def stream_of(self, name: str) -> str:
        """The stream of the line that has that name, or that had it last; empty if there was none."""
        return self.lines.get(name or self.first) or self.former.get(name, "")

    def name_of(self, stream: str) -> str:
        """What a line is called now; empty if it has no name."""
        return next((name for name, known in self.lines.items() if known == stream), "")

    def advance(self, entry: Entry) -> None:
        """Applies an entry. Raises `DamagedError` for one that can't follow, as none does that was appended here."""
        for _ in self.apply_events(entry):
            pass

    def apply_events(self, entry: Entry) -> Iterator[NameEvent]:
        """The events of an entry, each applied after it was given. Raises `DamagedError` as `advance`."""
        for event in entry.events:
            if isinstance(event, SealsBound):  # nothing is called otherwise
                continue
            if (
                entry.is_commit
                or not isinstance(event, NameEvent)
                or isinstance(event, GameEvent) != (self.stream == CATALOGUE)
            ):
                raise damaged_error(entry.stream, entry.revision, "this does not belong in a stream of names")
            try:
                self.check_follows(event)
            except GameError as error:
                raise damaged_error(entry.stream, entry.revision, str(error)) from error
            yield event
            self.evolve(event, entry.seal.by, entry.seal.at)
        if entry.seal.request:
            self.asked[entry.seal.id] = entry
        self.revision, self.digest = entry.revision, entry.digest

    def check_follows(self, event: NameEvent) -> None:
        """Raises `GameError` for an event that can't stand after what is before it: a name is taken, or not there."""
        if isinstance(event, MemberEvent):
            self.members.check(event)
            return
        if isinstance(event, DealEvent):
            fair_deal.check(self.table, event)
            return
        match event:
            case GameNamed(name=name):
                self.check_game(name)
            case GameArchived(name=name) | GameForgotten(name=name):
                if name not in self.games:
                    raise self.unknown_game_error(name)
            case GameRestored(name=name):
                if name not in self.archived and name not in self.deleted:
                    if name not in self.games:
                        raise self.unknown_game_error(name)
                    raise UnknownError(
                        f"{name} is not put away", "it was neither archived nor deleted", [f"play {name}"]
                    )
            case GameRemoved(name=name):
                if name not in self.games and name not in self.deleted:
                    raise self.unknown_game_error(name)
            case LineNamed(name=name):
                check_free(name, self.lines, "line")
            case LineRenamed(name=name, to=to):
                check_free(to, self.lines, "line")
                self._check_line(name)
            case LineSwitched(name=name) | LineForgotten(name=name):
                self._check_line(name)
            case TakenAsRecorded():
                pass
            case BotSeated(line=line):
                if line and line not in self.streams:
                    raise UnknownError("a program was seated on a line that is not there")
            case SeatBound(seat=seat):
                if before := self.bindings.get(seat):
                    why = f"the key {before.key[:16]} signs its commands"
                    raise UnknownError(f"{seat} has a key already", why, [f"verify {self.match}"])
            case KeyChanged(seat=seat, key=key):
                if seat not in self.keys or self.keys[seat][-1].key == key:
                    raise UnknownError(f"{seat} had no other key than that")
            case _:
                assert_never(event)

    def _check_line(self, name: str) -> None:
        if name not in self.lines:
            any_more = " any more" if name in self.former or name in self.forgotten.values() else ""
            raise UnknownError(f"there is no line called {name!r}{any_more}", "", [*self.lines])

    def evolve(self, event: NameEvent, by: str, at: datetime) -> None:
        """Applies an event."""
        if isinstance(event, MemberEvent):
            self.members = self.members.after(event, at)
            if isinstance(event, SeatLeft):
                self.table = self.table and self.table.without(event.seat)
            return
        match event:
            case GameNamed(name=name):
                self.games[name], self.begun[name] = event, at
            case GameArchived(name=name):
                self.archived[name] = None
            case GameForgotten(name=name):
                self.deleted[name] = self.games.pop(name)
            case GameRestored(name=name) if name in self.deleted:
                self.games[name] = self.deleted.pop(name)
            case GameRestored(name=name):
                self.archived.pop(name)
            case GameRemoved(name=name, streams=streams):
                for known in (self.games, self.deleted, self.archived):
                    known.pop(name, None)
                self.gone[name] = f"{by} has deleted it for good on {at:%Y-%m-%d}"
                self.removed |= dict.fromkeys(streams, f"{name}: {self.gone[name]}")
            case LineNamed(name=name, line=line):
                if OWN in name and self.streams and line not in self.streams:
                    self.own[line] = None
                self.lines[name] = line
                self.forgotten.pop(line, None)
                self.streams[line] = None
            case LineSwitched(name=name, by=whose, seat=seat):
                who = whose or by
                self.chosen = {**self.chosen, who: {**self.chosen.get(who, {}), seat: self.lines.get(name, "")}}
            case LineRenamed(name=name, to=to):
                self.former = {**self.former, name: self.lines[name]}
                # Made anew instead of changed in place: the line keeps its position in the order in which lines began.
                self.lines = {to if each == name else each: line for each, line in self.lines.items()}
            case LineForgotten(name=name):
                self.forgotten[self.lines.pop(name)] = name
            case TakenAsRecorded(commit=commit, what=what):
                self.recorded[commit] = f"imported by {by} on {at:%Y-%m-%d}: {what}"
            case SeatBound(seat=seat) | KeyChanged(seat=seat):
                self.keys[seat] = (*self.keys.get(seat, ()), event)
            case BotSeated(seat=seat, bot=bot, line=line):
                before = self.bots_elsewhere.get(line, {}) if line else self.bots
                after = {each: known for each, known in {**before, seat: bot}.items() if known}
                if line:
                    self.bots_elsewhere = {**self.bots_elsewhere, line: after}
                else:
                    self.bots = after
            case TableOpened():
                self.table = table_of(event, self.stream)
            case ShareAdded() | Dealt():
                self.table = self.table and self.table.after(event)
            case _:
                assert_never(event)

    def check(self, *events: NameEvent) -> None:
        """Raises `GameError` where events can't be appended, one after the other: what can't follow, or is needed."""
        folded = {field: getattr(self, field) for field in self.__struct_fields__}
        copied = {field: value.copy() for field, value in folded.items() if isinstance(value, dict)}
        names = msgspec.structs.replace(self, **copied)  # these must stay as stored
        for event in events:
            names.check_follows(event)
            if isinstance(event, LineForgotten):
                names.check_unneeded(event.name)
            names.evolve(event, "", datetime.min)  # by whom and when makes no difference to what may follow

    def check_unneeded(self, name: str) -> None:
        """Raises `UnknownError` for a line that keeps its name: the first one, or a current line."""
        if name == self.first:
            what, why = f"{name} is the line that the game began with", "where players are until they switch"
            raise UnknownError(what, f"{why}: it can have another name", [f"rename {self.match}/{name} NAME"])
        if here := self._people_on(name):
            others = [f"switch {self.match}/{other}" for other in self.lines if other != name]
            whose = " and ".join(dict.fromkeys(f"{by} as {seat}" if seat else by for by, seat in here))
            raise UnknownError(f"{name} is the current line of {whose}", "go to another one first", others)


def deleted_label(name: str) -> str:
    """The label of a deleted game in an audit of the store."""
    return f"{name} (deleted)"


def check_line(made: Entry, line: str) -> None:
    """Raises `TakenError` where an id has renamed another line than this one, by its old name or its new one."""
    renamed = [event for event in made.events if isinstance(event, LineRenamed)]
    if line and not any(line in (each.name, each.to) for each in renamed):
        what, why = f"the command id {made.seal.id!r} is taken", f"{made.seal.by} has renamed another line with it"
        raise TakenError(what, why, ("the same with a new id",), head=made.digest.hex())


def readable(store: EventStore, stream: str) -> tuple[Names, tuple[DamagedError, ...]]:
    """The names in a stream, and what of it is damaged: an entry that can't be read hides none of the others."""
    names, faults = Names(stream), list[DamagedError]()
    for piece in store.entries_or_errors(stream):
        try:
            if isinstance(piece, DamagedError):
                raise piece
            names.advance(piece)
        except DamagedError as error:
            faults.append(error)
    return names, tuple(faults)


def next_free(beginning: str, taken: Iterable[str]) -> str:
    """The first free name of that beginning and a number.

    >>> next_free("kilwa", ["kilwa-1", "zulu-2"])
    'kilwa-2'
    """
    names, number = set(taken), 1
    beginning = beginning[: MAX_NAME - MADE]
    while f"{beginning}-{number}" in names:
        number += 1
    return f"{beginning}-{number}"


def check_free(name: str, taken: Iterable[str], what: str) -> None:
    """Raises `UnknownError` for a name that is taken, with one that is free."""
    if name in taken:
        raise UnknownError(f"there is a {what} called {name!r} already", "", [next_free(name, taken)])
