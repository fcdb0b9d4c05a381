"""The operation log: all that happened to a line's head and to the names of its match, and how to take it back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import merge

import msgspec

from event_store import Entry, Forked, HeadMoved
from zimcore.commits import Position
from zimcore.documents.listings import Operation
from zimcore.game import Event, GameError, UnknownError
from zimcore.service.asking import Asked, asked_for
from zimcore.service.bindings import KeyChanged, SeatBound
from zimcore.service.dealing import Dealt, ShareAdded, TableOpened
from zimcore.service.memberships import (
    GameEnded,
    GameHosted,
    MemberEvent,
    SeatLeft,
    SeatOffered,
    SeatTaken,
    TermsSet,
    TimeGiven,
    TokenGiven,
    TokenRevoked,
)
from zimcore.service.names import (
    CATALOGUE,
    BotSeated,
    GameArchived,
    GameForgotten,
    GameNamed,
    GameRestored,
    LineForgotten,
    LineNamed,
    LineRenamed,
    LineSwitched,
    Names,
    TakenAsRecorded,
)
from zimcore.service.naming import head_of
from zimcore.service.open_lines import OpenLine, OpenLines
from zimcore.service.places import parse_place
from zimcore.service.proceedings import RequestAnswered, RequestGranted, RequestWithdrawn, TakebackRequested
from zimcore.service.shelves import ARCHIVE, DELETE, RESTORE, What, shelve
from zimcore.service.terms import said
from zimcore.service.visibility import position_for, takes_back
from zimcore.service.writer import Request, Writer, check_head

SAID = ("request", "accept", "decline", "withdraw", "grant")
"""Operations of those who ask and answer: what they have come to can be taken back, and what was said can't."""


def operations(lines: OpenLines, found: OpenLine) -> Sequence[Operation]:
    """All operations on a line and on the names of its match, and what was asked for, first to last."""
    # Four streams, each in order: they have no common revision, so that only the times can merge them.
    parts = (
        *(_of_heads(lines, found), _of_names(lines, found.match), _of_games(lines, found.match)),
        _of_requests(lines, found),
    )
    return list(merge(*parts, key=lambda operation: operation.at))


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


def _of_games(lines: OpenLines, game: str) -> Iterator[Operation]:
    """When the game was put away, and when it was taken back."""
    for entry, what, _ in _put_away(lines, game):
        yield _operation(entry, what, game, "")


def _of_requests(lines: OpenLines, found: OpenLine) -> Iterator[Operation]:
    """What was asked for on a line, and what was said to it."""
    proceedings, made = lines.proceedings(found.match), 0
    for entry in lines.store.read(proceedings.stream):
        for event in entry.events:
            made += isinstance(event, TakebackRequested)
            number = getattr(event, "number", made)
            asked = proceedings.requests.get(number)
            if asked and asked.line == found.line.stream:
                match event:
                    case TakebackRequested(to=to):
                        yield _operation(entry, "request", asked.seat, f"@{found.line.numbers[to]}")
                    case RequestAnswered(seat=seat, accepted=accepted):
                        yield _operation(entry, "accept" if accepted else "decline", seat, f"request {number}")
                    case RequestWithdrawn():
                        yield _operation(entry, "withdraw", asked.seat, f"request {number}")
                    case RequestGranted():
                        yield _operation(entry, "grant", asked.seat, f"request {number}")


def _put_away(lines: OpenLines, game: str) -> Sequence[tuple[Entry, What, What]]:
    """What the catalogue says of that: the entry, what was done, and what undoes it."""
    found, is_deleted = list[tuple[Entry, What, What]](), False
    for entry in lines.store.read(CATALOGUE):
        for event in entry.events:
            match event:
                case GameNamed(name=name) if name == game:
                    found = []  # what was before is of one that was removed
                case GameArchived(name=name) if name == game:
                    found.append((entry, ARCHIVE, RESTORE))
                case GameForgotten(name=name) if name == game:
                    found.append((entry, DELETE, RESTORE))
                    is_deleted = True
                case GameRestored(name=name) if name == game:
                    found.append((entry, RESTORE, DELETE if is_deleted else ARCHIVE))
                    is_deleted = False
    return found


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
        case SeatBound(seat=seat, key=key) | KeyChanged(seat=seat, key=key):
            return "seat", seat, key[:16]
        case BotSeated(seat=seat, bot=bot):
            return "bot", seat, bot or "people"
        case TableOpened(kind=kind):
            return "open", "", kind
        case ShareAdded(seat=seat, share=share):
            return "share", seat, share.hex()[:16]
        case Dealt():
            return "deal", "", ""
        case GameHosted(host=host):
            return "host", "", host
        case SeatOffered(seat=seat):
            return "offer", seat, ""
        case SeatTaken(seat=seat, by=who):
            return "take", seat, who
        case SeatLeft(seat=seat):
            return "leave", seat, ""
        case TokenGiven(role=role, name=name):
            return "token", role, name
        case TokenRevoked(id=id):
            return "revoke", id, ""
        case TimeGiven(seat=seat):
            return "wait", seat, ""
        case GameEnded():
            return "end", "", ""
        case TermsSet():
            return "terms", said(names.members.terms), said(event)
    return "", "", ""


def _operation(entry: Entry, what: str, source: str, target: str, before: str = "", after: str = "") -> Operation:
    return Operation(entry.digest.hex(), what, source, target, entry.seal.by, entry.seal.at, before, after)


def take_back(writer: Writer, lines: OpenLines, place: str, operation: str, request: Request) -> Position:
    """Takes an operation back, which is an operation itself: nothing is deleted.

    `operation` is the beginning of its id, or "" for the last one. The head of the line goes back to where it was, or
    the names become what they were. Gives where the line is then, or the current one if it has no name any more.
    Raises `UnknownError`.
    """
    named, by, asked = parse_place(place), request.by, request.asked
    names = lines.names(named.match)
    if before := names.made(by, asked):
        renamed = {event.name: event.to for event in before.events if isinstance(event, LineRenamed)}
        name = names.named(names.meant(renamed.get(named.line, named.line)))
        return head_of(lines, named.match, name, request)
    of_game = request._replace(asked=asked_for(asked.id, "take back", operation, named.match))
    if lines.catalogue().made(by, of_game.asked):
        return head_of(lines, named.match, named.line, request)
    found = lines.at_head(place, asked)
    if made := found.made(by, asked):
        return position_for(found.answer(made), request.viewer)
    check_head(found, request)
    known = operations(lines, found)
    mine = [each for each in known if each.what not in SAID and (each.what != "switch" or each.by == by)]
    chosen = _chosen(known if operation else mine, operation)
    undoes = {entry.digest.hex(): what for entry, _, what in _put_away(lines, found.match)}
    if chosen.what in SAID:
        raise GameError("this can't be taken back", "what was asked for is history", [f"log {found.match} --ops"])
    if chosen.id in undoes:
        if undoes[chosen.id] == DELETE:
            raise GameError("this can't be taken back so", "the game would lose its name", [f"delete {found.match}"])
        shelve(writer, lines, undoes[chosen.id], found.match, of_game)
    elif chosen.before:
        viewer = takes_back(
            request.viewer, lines.proceedings(found.match).takebacks, is_match=found.name == names.first
        )
        writer.move(found, bytes.fromhex(chosen.before), by, viewer, asked)
    elif chosen.after:
        raise GameError("a line has no head before its first commit", "its name can be taken away", ["forget"])
    else:
        _take_back_names(writer, lines, found.match, chosen.id, by, asked)
    names = lines.names(found.match)
    return head_of(lines, found.match, names.named(found.line.stream), request)


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
            opposites = _opposites(entry, names, by)
            break
        names.advance(entry)

    # `opposites` were found in the past; whether they still apply is checked against the names of now.
    def choose(now: Names) -> Sequence[Event]:
        now.after(opposites)
        return opposites

    writer.names(lambda: lines.names(match), choose, by, asked)


def _opposites(entry: Entry, names: Names, by: str) -> list[Event]:
    """The events that undo an entry of names, in reverse order: all but where somebody else is.

    Raises `GameError` if nothing else is in it.
    """
    found: list[Event] = []
    for event in entry.events:
        if not isinstance(event, LineSwitched) or (event.by or entry.seal.by) == by:
            found += _opposite(event, names, entry.seal.by)
        names.evolve(event, entry.seal.by)
    if not found:
        who = entry.seal.by
        raise GameError(f"this is not for {by} to take back", f"where {who} is, only {who} says", ["log --ops"])
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
        case SeatBound(seat=seat) | KeyChanged(seat=seat):
            raise GameError("this can't be taken back", f"{seat} keeps its key", [f"log {names.match} --ops"])
        case BotSeated(seat=seat):
            return [BotSeated(seat, names.bots.get(seat, ""))]
        case MemberEvent() | TableOpened() | ShareAdded() | Dealt():
            raise GameError("this can't be taken back", "who took part is history", [f"log {names.match} --ops"])
    return []
