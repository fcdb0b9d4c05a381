"""Stores a match that another program has recorded as a new game: moves with their players and times, and the chat.

All of it is stored, or nothing. The same recording imported again finds the same game.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from event_store import Draft, Entry
from event_store.chain import digest_of_parts
from zimcore.game import Command, Game, GameError, Recording, Refused, Seat
from zimcore.service.lines.line_repository import LineRepository, LoadedLine
from zimcore.service.records.deciding import decide_commit
from zimcore.service.records.discussion import ADDRESS_ID, MAX_CHARACTERS, Discussion, Said, public_stream, share_types
from zimcore.service.records.free_names import free_name
from zimcore.service.records.memberships import GameDecided
from zimcore.service.records.names import LineNamed
from zimcore.service.records.person_names import PERSON_NAME_PATTERN
from zimcore.service.records.places import MAX_NAME_CHARACTERS, check_name, recorded_id, recorded_numbers
from zimcore.service.writing.naming import GameToName, earlier_name, store_game
from zimcore.service.writing.writer import Writer, WriteRequest
from zimcore.toolkit.printable import printable

ADDRESS_SENTENCE = "{}N shows there what @{}/N shows here"
"""The message with the address of a recorded match on its site, and the mark of its positions."""
ADDRESS_PATTERN = re.compile(ADDRESS_SENTENCE.format(r"(https://[\w./-]+/)", r"(\w+)"))


def site_links(loaded_line: LoadedLine, discussion: Discussion) -> Mapping[str, str]:
    """The address of each position of a line (by its digest) on the site that the match was recorded on."""
    found = ADDRESS_PATTERN.fullmatch(discussion.address)
    if not found:
        return {}
    numbers = recorded_numbers(loaded_line.line, found[2])
    return {digest.hex(): f"{found[1]}{number}" for digest, number in numbers.items()}


def recording_id(recording: Recording) -> str:
    """The command id of an import: equal for equal moves of one match, so that it is stored once."""
    moves = "\n".join(f"{move.entry} {move.seat} {move.command}" for move in recording.moves)
    parts = recording.site, recording.address, recording.name, repr(recording.setup), moves
    return digest_of_parts(*(part.encode() for part in parts)).hex()[:16]


def begin_recorded_game(
    writer: Writer, repository: LineRepository, kind: str, recording: Recording, name: str, request: WriteRequest
) -> str:
    """Stores a recorded match as a new game, and returns its name. Raises `GameError` for a name that can't be given.

    Without a `name` it gets the one that it had, with a number if that is taken.
    """
    if stored_name := earlier_name(repository.catalogue(), request):
        return stored_name
    game = repository.load_game(kind)
    if name:
        check_name(name)
    else:
        usual_name = re.sub(r"[^\w-]+", "-", recording.name).strip("-")[: MAX_NAME_CHARACTERS - 10]
        name = usual_name and free_name(usual_name, {*repository.catalogue().taken_names}.__contains__)
    people = {seat: _person(recording.players.get(seat, ""), seat) for seat in game.evolution.seats(recording.state)}
    line_stream, names_stream = writer.ids(), writer.ids()
    drafts = [*_commit_drafts(writer, game, recording, people, request.by)]
    commits = writer.store.seal_entries(line_stream, -1, drafts, b"")
    heads, is_over = _heads(recording, commits), game.evolution.outcome(recording.state).over
    decided = [GameDecided(each.winner) for each in recording.leavers if each.winner and not is_over]
    entries = [
        *commits,
        *_chat_entries(writer, names_stream, recording, people, request.by, heads),
        writer.first_entry(names_stream, [LineNamed("main", line_stream), *decided], request.by),
    ]
    return store_game(writer, repository, GameToName(name, kind, names_stream), entries, request)


def _heads(recording: Recording, commits: Sequence[Entry]) -> Mapping[int, bytes]:
    """The commit before each entry of a recorded match."""
    numbers = [0, *(move.entry for move in recording.moves)]
    return {
        entry: next(
            commit.digest
            for number, commit in zip(reversed(numbers), reversed(commits), strict=True)
            if number <= entry
        )
        for entry in range(recording.entries)
    }


def _person(name: str, seat: Seat) -> str:
    """The name of a player as an author; the seat for one that no author can have."""
    return name if PERSON_NAME_PATTERN.fullmatch(name) else seat


def _commit_drafts(
    writer: Writer, game: Game, recording: Recording, people: Mapping[Seat, str], author: str
) -> Iterator[Draft]:
    """The set-up and each move, decided once more."""
    state, now = game.evolution.initial(), writer.clock()
    first_time = next((move.at for move in recording.moves if move.at), now)
    moves: Sequence[tuple[int, Seat, Command, str, datetime]] = [
        (0, "", recording.setup, author, first_time),
        *((move.entry, move.seat, move.command, people[move.seat], move.at or now) for move in recording.moves),
    ]
    for entry, seat, command, person, time in moves:
        decision = decide_commit(game, state, seat, command)
        if isinstance(decision, Refused):
            raise GameError("the recorded match can't be played", decision.refusals[0].reason)
        state = decision.state
        yield Draft(decision.events, person, time, recorded_id(recording.mark, entry + 1), decision.digest)


def _chat_entries(
    writer: Writer,
    names_stream: str,
    recording: Recording,
    people: Mapping[Seat, str],
    author: str,
    heads: Mapping[int, bytes],
) -> Sequence[Entry]:
    """The chat, in which a message has one line, what features make of the match, and then its address."""
    seats = {name: seat for seat, name in recording.players.items()}
    drafts = []
    for remark in recording.remarks:
        text = printable(" ".join(remark.text.split()))[:MAX_CHARACTERS].strip()
        if text:
            seat = seats.get(remark.author, "")
            person = people[seat] if seat else _person(remark.author, recording.site)
            drafts.append(Draft([Said(text, seat)], person, remark.at or writer.clock(), writer.ids()))
    drafts += [
        Draft([event], people[seat], at or writer.clock(), writer.ids())
        for share_type in dict.fromkeys(share_types().values())
        for seat, at, event in share_type.recorded(recording, heads)
    ]
    if recording.address:
        text = ADDRESS_SENTENCE.format(recording.address, recording.mark)
        drafts.append(Draft([Said(text)], author, writer.clock(), ADDRESS_ID))
    return writer.store.seal_entries(public_stream(names_stream), -1, drafts, b"") if drafts else []
