"""Names: the catalogue of all matches, and the lines of each match. Each is a small stream of its own.

A stream has a random id and never changes it; people's names for it are events. Renaming a line therefore costs one
event and moves no commits, and a line without a name keeps all of its commits.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

import msgspec

from event_store import DamagedError, Entry, EventStore, Forms
from event_store.errors import damaged
from zimcore.game import Event, UnknownError
from zimcore.service.places import near

CATALOGUE = "games"
"""The stream with the names of all games."""


class GameNamed(Event, frozen=True, tag="game_named.1"):
    """A game got its name; `game` is the stream of its lines' names."""

    name: str
    kind: str
    game: str


class LineNamed(Event, frozen=True, tag="line_named.1"):
    """A line of a game got its name; `line` is its stream."""

    name: str
    line: str


class LineSwitched(Event, frozen=True, tag="line_switched.1"):
    """Another line became the current one of its game."""

    name: str


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


EVENTS = (GameNamed, LineNamed, LineSwitched, LineRenamed, LineForgotten, TakenAsRecorded)


def forms() -> Forms:
    """The events of this room, for the store."""
    return Forms(EVENTS)


class Names(msgspec.Struct, eq=False):
    """A stream of names, folded up to `revision`; `digest` is that of the entry there.

    In the catalogue `games` are by name, in the stream of a `match` its `lines` (name -> stream) and the `current` one;
    `begun` says when each game got its name. `forgotten` are lines without a name, by their streams, with the last that
    they had; `recorded` are commits that were taken as recorded, with who took them and how the rules differ.
    """

    stream: str
    match: str = ""
    revision: int = -1
    digest: bytes = b""
    games: dict[str, GameNamed] = {}
    lines: dict[str, str] = {}
    current: str = ""
    begun: dict[str, datetime] = {}
    forgotten: dict[str, str] = {}
    recorded: dict[bytes, str] = {}

    def refresh(self, store: EventStore) -> None:
        """Reads what was appended since. Raises `StoreError`."""
        for entry in store.read(self.stream, after=self.revision):
            self.advance(entry)

    def find(self, name: str = "") -> tuple[str, str]:
        """The name and the stream of a line of this match; without a name the current one. Raises `UnknownError`."""
        name = name or self.current
        if name not in self.lines:
            hints = [f"{self.match}/{known}" for known in near(name, self.lines)]
            raise UnknownError(f"{self.match} has no line called {name!r}", "", hints)
        return name, self.lines[name]

    def advance(self, entry: Entry) -> None:
        """Applies an entry. Raises `DamagedError` for one that can't follow, as none does that was appended here."""
        for event in entry.events:
            why = self._contradiction(entry, event)
            if why:
                raise damaged(entry.stream, entry.revision, why)
            self.evolve(event)
            match event:
                case GameNamed(name=name):
                    self.begun[name] = entry.seal.at
                case TakenAsRecorded(commit=commit, what=what):
                    self.recorded[commit] = f"imported by {entry.seal.by} on {entry.seal.at:%Y-%m-%d}: {what}"
        self.revision, self.digest = entry.revision, entry.digest

    def _contradiction(self, entry: Entry, event: msgspec.Struct) -> str:
        """Why an event can't stand in this stream after what is before it; empty if it can."""
        if entry.is_commit or type(event) not in EVENTS or (type(event) is GameNamed) != (self.stream == CATALOGUE):
            return "this does not belong among names"
        match event:
            case GameNamed(name=name) if name in self.games:
                return f"there is a game called {name!r} already"
            case LineNamed(name=name) | LineRenamed(to=name) if name in self.lines:
                return f"there is a line called {name!r} already"
        match event:
            case LineSwitched(name=name) | LineRenamed(name=name) | LineForgotten(name=name) if name not in self.lines:
                return f"there is no line called {name!r}"
        return ""

    def evolve(self, event: msgspec.Struct) -> None:
        """Applies an event."""
        match event:
            case GameNamed(name=name):
                self.games[name] = event
            case LineNamed(name=name, line=line):
                self.lines[name] = line
                self.forgotten.pop(line, None)
                self.current = self.current or name  # the first line of a match is current without a switch
            case LineSwitched(name=name):
                self.current = name
            case LineRenamed(name=name, to=to):
                # Made anew instead of changed in place: the line keeps its position in the order in which lines began.
                self.lines = {to if each == name else each: line for each, line in self.lines.items()}
                self.current = to if self.current == name else self.current
            case LineForgotten(name=name):
                self.forgotten[self.lines.pop(name)] = name

    def after(self, events: Iterable[Event]) -> Names:
        """These names after events. Raises `UnknownError` for one that can't be applied."""
        # A copy: these names must stay as stored, in case the append that follows loses its race.
        names = msgspec.structs.replace(self, lines=dict(self.lines), forgotten=dict(self.forgotten))
        for event in events:
            names.check(event)
            names.evolve(event)
        return names

    def check(self, event: Event) -> None:
        """Raises `UnknownError` for an event that can't be applied: a name that is taken, or not there, or needed."""
        match event:
            case LineNamed(name=name) | LineRenamed(to=name):
                check_free(name, self.lines, "line")
        match event:
            case LineSwitched(name=name) | LineRenamed(name=name) | LineForgotten(name=name) if name not in self.lines:
                raise UnknownError(f"there is no line called {name!r} any more", "", [*self.lines])
            case LineForgotten(name=name) if name == self.current:
                others = [f"switch {self.match}/{other}" for other in self.lines if other != name]
                raise UnknownError(f"{name} is the current line", "go to another one first", others)


def readable(store: EventStore, stream: str) -> tuple[Names, tuple[DamagedError, ...]]:
    """The names in a stream, and what of it is damaged: an entry that can't be read hides none of the others."""
    names, faults = Names(stream), list[DamagedError]()
    for piece in store.pieces(stream):
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
    while f"{beginning}-{number}" in names:
        number += 1
    return f"{beginning}-{number}"


def check_free(name: str, taken: Iterable[str], what: str) -> None:
    """Raises `UnknownError` for a name that is taken, with one that is free."""
    if name in taken:
        raise UnknownError(f"there is a {what} called {name!r} already", "", [next_free(name, taken)])
