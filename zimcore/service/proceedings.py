"""Proceedings: what belongs to a game and is neither a move nor a name. What is said, asked for and agreed on.

A game has one stream of them beside the names of its lines, which everybody may read who sees the game. What is one
person's alone stands in a stream of theirs: not even how much it is can be seen by others, and no export carries it.
Both are folded alike.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from event_store import Entry, EventStore, Forms
from event_store.chain import short_digest
from event_store.errors import damaged
from zimcore.documents.proceedings import Remark
from zimcore.game import Event, GameError, Seat
from zimcore.service.asking import Asked, check_same
from zimcore.toolkit.printable import printable

KIND = "proceedings"
"""What their topics begin with."""
LONGEST = 500
"""Characters of what is said at once."""
MOST = 10_000
"""Remarks in one stream."""


class ProceedingsEvent(Event, frozen=True):
    """Something around a game."""


class Said(ProceedingsEvent, frozen=True, tag="said.1"):
    """Somebody, at a seat if they have one, said something: about a position (its digest), or about the game."""

    text: str
    seat: Seat = ""
    about: bytes = b""


EVENTS: Sequence[type[ProceedingsEvent]] = (Said,)


def forms() -> Forms:
    """The events of this room, for the store."""
    return Forms(EVENTS)


def stream_of_all(names: str) -> str:
    """The stream that all may read, of the game whose lines have their names in a stream."""
    return f"{names}.{KIND}"


def stream_of_one(names: str, whose: str) -> str:
    """The stream that is one person's alone: by who they are, which it does not tell."""
    return f"{names}.own.{short_digest(whose.encode()).hex()}"


def is_of_one(stream: str) -> bool:
    """Whether a stream is one person's alone."""
    return ".own." in stream


def beside(stream: str) -> str:
    """The stream of names beside which a stream of proceedings stands; "" for any other stream.

    >>> beside(stream_of_all("5f3a")), beside(stream_of_one("5f3a", "anna")), beside("5f3a")
    ('5f3a', '5f3a', '')
    """
    names, dot, _ = stream.partition(".")
    return names if dot else ""


class Proceedings(msgspec.Struct, eq=False):
    """A stream of proceedings, folded up to `revision`: `talk` is all that was said, first to last.

    `asked` has the entries that were asked for with an id.
    """

    stream: str
    revision: int = -1
    digest: bytes = b""
    talk: list[Remark] = []
    asked: dict[str, Entry] = {}

    def made(self, by: str, asked: Asked) -> Entry | None:
        """What was made when this was asked for before. Raises `ConflictError` where that was something else."""
        entry = self.asked.get(asked.id)
        if entry:
            check_same(entry, by, asked)
        return entry

    def refresh(self, store: EventStore) -> None:
        """Reads what was appended since. Raises `StoreError`."""
        for entry in store.read(self.stream, after=self.revision):
            self.advance(entry)

    def advance(self, entry: Entry) -> None:
        """Applies an entry. Raises `DamagedError` for one that can't follow, as none does that was appended here."""
        for event in entry.events:
            if entry.is_commit or not isinstance(event, ProceedingsEvent):
                raise damaged(entry.stream, entry.revision, "this does not belong among proceedings")
            try:
                self.check(event)
            except GameError as error:
                raise damaged(entry.stream, entry.revision, str(error)) from error
            self._evolve(event, entry)
        if entry.seal.request:
            self.asked[entry.seal.id] = entry
        self.revision, self.digest = entry.revision, entry.digest

    def check(self, event: ProceedingsEvent) -> None:
        """Raises `GameError` for an event that can't follow."""
        match event:
            case Said(text=text):
                check_text(text)

    def _evolve(self, event: ProceedingsEvent, entry: Entry) -> None:
        seal = entry.seal
        match event:
            case Said(text=text, seat=seat, about=about):
                own = is_of_one(self.stream)
                self.talk.append(Remark(entry.revision, seal.by, seat, seal.at, text, about.hex(), own))


def check_text(text: str) -> None:
    """Raises `GameError` for what can't be said: nothing, too much, or what would drive a terminal."""
    if not text.strip():
        raise GameError("say what", "there is no text", ["say well played"])
    if len(text) > LONGEST:
        raise GameError("that is too long", f"{LONGEST} characters are the most, this has {len(text):,}")
    if printable(text) != text:
        raise GameError("this can't be said", "it has characters in it that are not to be seen: it is one line of text")
