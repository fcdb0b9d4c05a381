"""The operation log: all that happened to a line's head and to the names of its match, and how to take it back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import merge

import msgspec

from event_store import Entry, Forked, HeadMoved
from zimcore.documents.listings import Operation
from zimcore.game import Event, GameError, UnknownError
from zimcore.service.asking import Asked
from zimcore.service.names import LineForgotten, LineNamed, LineRenamed, LineSwitched, Names, SeatBound, TakenAsRecorded
from zimcore.service.open_lines import OpenLine, OpenLines
from zimcore.service.visibility import Viewer
from zimcore.service.writer import Writer


def operations(lines: OpenLines, found: OpenLine) -> Sequence[Operation]:
    """All operations on a line and on the names of its match, first to last."""
    # Two streams, each in order: they have no common revision, so that only the times can merge them.
    of_heads, of_names = _of_heads(lines, found), _of_names(lines, found.match)
    return list(merge(of_heads, of_names, key=lambda operation: operation.at))


def _of_heads(lines: OpenLines, found: OpenLine) -> Iterator[Operation]:
    numbers = found.line.numbers

    def moved(entry: Entry, what: str, before: bytes, after: bytes) -> Operation:
        source = f"@{numbers[before]}" if before else ""
        return _operation(entry, what, source, f"@{numbers[after]}", before.hex(), after.hex())

    for entry in lines.store.read(found.line.stream):
        if entry.is_commit:
            yield moved(entry, "play", entry.parent, entry.digest)
        for event in () if entry.is_commit else entry.events:
            match event:
                case HeadMoved(source, target):
                    yield moved(entry, "move", source, target)
                case Forked(commit=commit):
                    yield moved(entry, "fork", b"", commit)


def _of_names(lines: OpenLines, match: str) -> Iterator[Operation]:
    names = Names(lines.named(match).game, match)
    for entry in lines.store.read(names.stream):
        for event in entry.events:
            yield _operation(entry, *_described(event, names, entry.seal.by))
            names.evolve(event, entry.seal.by)


def _described(event: msgspec.Struct, names: Names, by: str) -> tuple[str, str, str]:
    match event:
        case LineNamed(name=name):
            return "name", "", name
        case LineSwitched(name=name, by=whose, seat=seat):
            return "switch", names.current(whose or by, seat), name
        case LineRenamed(name=name, to=to):
            return "rename", name, to
        case LineForgotten(name=name):
            return "forget", name, ""
        case TakenAsRecorded(what=what):
            return "as recorded", "", what
        case SeatBound(seat=seat, key=key):
            return "seat", seat, key[:16]
    return "", "", ""


def _operation(entry: Entry, what: str, source: str, target: str, before: str = "", after: str = "") -> Operation:
    return Operation(entry.digest.hex(), what, source, target, entry.seal.by, entry.seal.at, before, after)


def take_back(
    writer: Writer, lines: OpenLines, found: OpenLine, operation: str, by: str, viewer: Viewer, asked: Asked
) -> None:
    """Takes an operation back, which is an operation itself: nothing is deleted.

    `operation` is the beginning of its id, or "" for the last one. The head of the line goes back to where it was, or
    the names become what they were. Raises `UnknownError`.
    """
    known = operations(lines, found)
    chosen = _chosen(known, operation)
    if chosen.before:
        writer.move(found, bytes.fromhex(chosen.before), by, viewer, asked)
    elif chosen.after:
        raise GameError("a line has no head before its first commit", "its name can be taken away", ["forget"])
    else:
        _take_back_names(writer, lines, found.match, chosen.id, by, asked)


def _chosen(known: Sequence[Operation], beginning: str) -> Operation:
    meant = {each.id: each for each in known if each.id.startswith(beginning)} if beginning else {"": known[-1]}
    if len(meant) == 1:
        return next(iter(meant.values()))
    what = f"{beginning} could be more than one operation" if meant else f"there is no operation {beginning}"
    raise UnknownError(what, "log --ops lists them", [each[:12] for each in meant or [known[-1].id]])


def _take_back_names(writer: Writer, lines: OpenLines, match: str, operation: str, by: str, asked: Asked) -> None:
    names = Names(lines.named(match).game, match)
    opposites: list[Event] = []
    for entry in lines.store.read(names.stream):
        if entry.digest.hex() == operation:
            opposites = _opposites(entry, names)
            break
        names.advance(entry)

    # `opposites` were found in the past; whether they still apply is checked against the names of now.
    def choose(now: Names) -> Sequence[Event]:
        now.after(opposites)
        return opposites

    writer.names(lambda: lines.names(match), choose, by, asked)


def _opposites(entry: Entry, names: Names) -> list[Event]:
    """The events that undo an entry of names, in reverse order."""
    found: list[Event] = []
    for event in entry.events:
        found += _opposite(event, names, entry.seal.by)
        names.evolve(event, entry.seal.by)
    return found[::-1]


def _opposite(event: msgspec.Struct, names: Names, by: str) -> list[Event]:
    match event:
        case LineNamed(name=name):
            return [LineForgotten(name)]
        case LineSwitched(by=whose, seat=seat):
            return [LineSwitched(names.current(whose or by, seat), whose or by, seat)]
        case LineRenamed(name=name, to=to):
            return [LineRenamed(to, name)]
        case LineForgotten(name=name):
            return [LineNamed(name, names.lines[name])]
        case SeatBound(seat=seat):
            raise GameError("this can't be taken back", f"{seat} keeps its key", [f"log {names.match} --ops"])
    return []
