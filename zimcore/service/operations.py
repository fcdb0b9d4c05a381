"""The operation log: all that happened to a line's head and to the names of its match, and how to take it back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import merge
from typing import NamedTuple

from event_store import Entry, Forked, HeadMoved
from zimcore.commits import Position
from zimcore.documents.listings import Operation
from zimcore.game import GameError, UnknownError
from zimcore.service import meanings
from zimcore.service.asking import asked_for
from zimcore.service.meanings import Meaning, Undoing
from zimcore.service.names import CATALOGUE, GameArchived, GameNamed, GameRestored, LineRenamed, NameEvent, Names
from zimcore.service.naming import head_of
from zimcore.service.open_lines import OpenLine, OpenLines
from zimcore.service.places import parse_place
from zimcore.service.proceedings import ProceedingsEvent
from zimcore.service.shelves import ARCHIVE, RESTORE, shelve
from zimcore.service.visibility import position_for, takes_back
from zimcore.service.writer import Request, Writer, check_head


class Done(NamedTuple):
    """An operation: its entry, and what one event of that means."""

    entry: Entry
    meaning: Meaning

    @property
    def id(self) -> str:
        """What it is named by; what was appended at once has the same."""
        return self.entry.digest.hex()


def operations(lines: OpenLines, found: OpenLine) -> Sequence[Operation]:
    """All operations on a line and on the names of its match, and what was asked for, first to last."""
    return [
        Operation(
            each.id,
            each.meaning.what,
            each.meaning.source,
            each.meaning.target,
            each.entry.seal.by,
            each.entry.seal.at,
            each.meaning.before.hex(),
            each.meaning.after.hex(),
        )
        for each in _all_done(lines, found)
    ]


def _all_done(lines: OpenLines, found: OpenLine) -> Sequence[Done]:
    # Four streams, each in order: they have no common revision, so that only the times can merge them.
    parts = _on_line(lines, found), _on_names(lines, found.match), _on_game(lines, found.match), _asked(lines, found)
    return list(merge(*parts, key=lambda each: each.entry.seal.at))


def _on_line(lines: OpenLines, found: OpenLine) -> Iterator[Done]:
    for entry in lines.store.read(found.line.stream):
        if entry.is_commit:
            yield Done(entry, meanings.of_commit(entry, found))
        for event in entry.events:
            if isinstance(event, HeadMoved) and event.source == event.target:
                continue  # a mark, of where a seat was bound or what seals were: nothing went anywhere
            if isinstance(event, HeadMoved | Forked):
                yield Done(entry, meanings.of_head(event, found))


def _on_names(lines: OpenLines, match: str) -> Iterator[Done]:
    names = Names(lines.named(match).game, match)
    for entry in lines.store.read(names.stream):
        for event in names.applied(entry):
            if meaning := meanings.of_name(event, names, entry.seal.by):
                yield Done(entry, meaning)


def _on_game(lines: OpenLines, match: str) -> Sequence[Done]:
    """When the game was put away, and when it was taken back."""
    catalogue, found = Names(CATALOGUE), list[Done]()
    for entry in lines.store.read(CATALOGUE):
        for event in catalogue.applied(entry):
            if isinstance(event, GameNamed) and event.name == match:
                found = []  # what was before is of one that was removed
            meaning = meanings.of_name(event, catalogue, entry.seal.by)
            if meaning and meaning.source == match:
                found.append(Done(entry, meaning))
    return found


def _asked(lines: OpenLines, found: OpenLine) -> Iterator[Done]:
    """What was asked for on a line, and what was said to it."""
    proceedings = lines.proceedings(found.match)
    for entry in lines.store.read(proceedings.stream):
        if entry.revision not in proceedings.changed:
            continue
        asked = proceedings.request_of(entry.revision)
        for event in entry.events if asked.line == found.line.stream else ():
            if isinstance(event, ProceedingsEvent) and (meaning := meanings.of_proceeding(event, asked, found)):
                yield Done(entry, meaning)


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
    known = _all_done(lines, found)
    mine = [each for each in known if not each.meaning.is_said and each.meaning.only in ("", by)]
    chosen = _chosen(known if operation else mine, operation)
    match _undoing([each for each in known if each.id == chosen], by):
        case [HeadMoved(target=commit)]:
            takebacks, is_match = lines.proceedings(found.match).takebacks, found.name == names.first
            writer.move(found, commit, by, takes_back(request.viewer, takebacks, is_match=is_match), asked)
        case [GameArchived() | GameRestored() as event]:
            shelve(writer, lines, ARCHIVE if isinstance(event, GameArchived) else RESTORE, found.match, of_game)
        case undoing:
            events = [event for event in undoing if isinstance(event, NameEvent)]

            # They follow from the past; whether they still apply is checked against the names of now.
            def choose(now: Names) -> Sequence[NameEvent]:
                now.check(*events)
                return events

            writer.names(lambda: lines.names(found.match), choose, by, asked)
    names = lines.names(found.match)
    return head_of(lines, found.match, names.named(found.line.stream), request)


def _chosen(known: Sequence[Done], beginning: str) -> str:
    ids = list(dict.fromkeys(each.id for each in known if each.id.startswith(beginning)))
    if ids and not beginning:
        return ids[-1]
    if len(ids) == 1:
        return ids[0]
    what = f"{beginning} could be more than one operation" if ids else f"there is no operation {beginning}"
    raise UnknownError(what, "log --ops lists them", [each[:12] for each in ids or [known[-1].id]])


def _undoing(done: Sequence[Done], by: str) -> Sequence[Undoing]:
    """The events that undo what was done at once, in reverse order: all but where somebody else is.

    Raises `GameError` if nothing else is in it, or something lasts.
    """
    found, who = list[Undoing](), done[0].entry.seal.by
    mine = [each.meaning for each in done if each.meaning.only in ("", by)]
    if not mine:
        raise GameError(f"this is not for {by} to take back", f"where {who} is, only {who} says", ["log --ops"])
    for meaning in mine:
        if isinstance(meaning.undo, GameError):
            raise meaning.undo
        found += meaning.undo
    if not found:
        raise GameError(
            "this can't be taken back", "it notes how imported moves differ from today's rules", ["log --ops"]
        )
    return found[::-1]
