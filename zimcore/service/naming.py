"""Changes to names: starts games and lines, binds seats, seats bots; switches, renames and forgets lines.

A retry with the same command id gets the answer that was stored the first time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from event_store import ConflictError, Entry, HeadMoved
from event_store.line_history import Line, load, refresh
from zimcore.commits import Position
from zimcore.game import Event, GameError, Seat, UnknownError
from zimcore.service.bindings import Binding, SeatBound, Signer, change_key
from zimcore.service.deciding import PendingCommit, set_up
from zimcore.service.discussion import DiscussionEvent, public_stream
from zimcore.service.fair_deal import Dealt, commitment_of, deal_table, draw_table
from zimcore.service.line_repository import LineRepository, LoadedLine
from zimcore.service.memberships import MemberEvent, Members
from zimcore.service.names import (
    CATALOGUE,
    OWN,
    BotSeated,
    GameNamed,
    LineForgotten,
    LineNamed,
    LineRenamed,
    LineSwitched,
    NameEvent,
    Names,
    PositionTagged,
    TagRemoved,
    check_free,
    check_line,
    next_free,
)
from zimcore.service.places import check_name, check_tag, near, parse_place
from zimcore.service.signed_commands import check_key
from zimcore.service.visibility import check_may_write, check_no_peeking, position_for, redealt
from zimcore.service.writer import Writer, WriteRequest, check_head


def begin(
    writer: Writer,
    lines: LineRepository,
    kind: str,
    options: Mapping[str, str],
    name: str,
    keys: Mapping[Seat, str],
    served: Sequence[MemberEvent],
    bots: Mapping[Seat, str],
    agreed: Sequence[DiscussionEvent],
    request: WriteRequest,
) -> str:
    """Starts a game and returns its name. `served` has the first events of a served game, such as its host."""
    if earlier_name := _earlier_name(lines.catalogue(), request):
        return earlier_name
    game = lines.load(kind)
    if name:
        check_name(name)
        lines.catalogue().check_game(name)
    start = set_up(game, options)
    seats = game.evolution.seats(start.state)
    for seat, key in keys.items():
        check_key(seat, key, seats)
    seated = [check_bot(seat, bot, seats) for seat, bot in bots.items()]
    bound = [SeatBound(*each, {}) for each in keys.items()]
    names, entries = first_entries(writer, start, [*bound, *seated, *served], agreed, request.by)
    return _store_named(writer, lines, GameToName(name, kind, names), entries, request)


def first_entries(
    writer: Writer,
    setup_commit: PendingCommit,
    of_names: Sequence[NameEvent],
    agreed: Sequence[DiscussionEvent],
    by: str,
) -> tuple[str, list[Entry]]:
    """The stream of names of a new game, and the first entries of all its streams. They are stored with its name."""
    line, names = writer.ids(), writer.ids()
    entries = writer.first_commit(line, setup_commit.events, setup_commit.digest, by)
    return names, [*entries, *_first_names(writer, names, [LineNamed("main", line), *of_names], agreed, by)]


def _first_names(
    writer: Writer, names: str, of_names: Sequence[NameEvent], agreed: Sequence[DiscussionEvent], by: str
) -> list[Entry]:
    discussed = [writer.first(public_stream(names), agreed, by)] if agreed else []
    return [*discussed, writer.first(names, of_names, by)]


def open_table(
    writer: Writer,
    lines: LineRepository,
    kind: str,
    options: Mapping[str, str],
    name: str,
    served: Sequence[MemberEvent],
    bots: Mapping[Seat, str],
    agreed: Sequence[DiscussionEvent],
    request: WriteRequest,
) -> str:
    """Opens a table for a fair deal, which follows when all have sat down. Returns the name of its game."""
    if earlier_name := _earlier_name(lines.catalogue(), request):
        return earlier_name
    game = lines.load(kind)
    if name:
        check_name(name)
        lines.catalogue().check_game(name)
    table = draw_table(game, options)
    names = commitment_of(kind, options, table.secret)
    seated = [check_bot(seat, bot, table.seats) for seat, bot in bots.items()]
    entries = _first_names(writer, names, [table, *seated, *served], agreed, request.by)
    return _store_named(writer, lines, GameToName(name, kind, names), entries, request)


class GameToName(NamedTuple):
    """A game before it is stored: the requested name ("" for the next free one), its kind, and its stream of names."""

    name: str
    kind: str
    names: str


def _store_named(
    writer: Writer,
    lines: LineRepository,
    game: GameToName,
    entries: Sequence[Entry],
    request: WriteRequest,
) -> str:
    """Stores the first entries of a game, and its own name in the list of games: all or none.

    Returns the name that the game got.
    """
    by, key = request.by, request.key
    while True:
        catalogue = lines.catalogue()
        if earlier_name := _earlier_name(catalogue, request):
            return earlier_name
        catalogue.check_game(game.name)
        named = GameNamed(game.name or next_free(game.kind, catalogue.taken_names), game.kind, game.names)
        try:
            listed = writer.store.seal_entry(CATALOGUE, catalogue.revision, writer.draft([named], by, key=key))
            writer.store.adopt([*entries, listed])
            return named.name
        except ConflictError:
            continue  # another game has begun


def _earlier_name(catalogue: Names, request: WriteRequest) -> str:
    """The name that a game got when the same was requested before; "" if it was not."""
    earlier = catalogue.earlier_entry(request.by, request.key)
    return next(event.name for event in earlier.events if isinstance(event, GameNamed)) if earlier else ""


def deal(writer: Writer, lines: LineRepository, match: str, by: str, *, all_sit: bool) -> bool:
    """Deals a game whose table is open; with `all_sit` only if all seats are taken. Returns whether it is dealt."""
    while True:
        names = lines.names(match)
        table, game = names.table, lines.game(match)
        if table is None or table.line:
            return True
        free = [seat for seat in table.seats if seat not in {*names.members.seated, *names.bots}]
        if all_sit and free:
            return False
        if free and names.members.house:
            why = f"all players agree to them before the deal, and some seats are free: {', '.join(free)}"
            raise GameError(f"{match} has house rules", why, [f"invite {match} {seat}" for seat in free])
        start_position, line = deal_table(game, table), writer.ids()
        entries = writer.first_commit(line, start_position.events, start_position.digest, by)
        bound = [SeatBound(seat, key, {}) for seat, key in names.members.keys.items()]
        draft = writer.draft([LineNamed("main", line), Dealt(line), *bound], by)
        try:
            writer.store.adopt([*entries, writer.store.seal_entry(names.stream, names.revision, draft)])
            lines.names(match)
            return True
        except ConflictError:
            continue  # another writer has changed the table: try again


def seat_bot(
    writer: Writer, lines: LineRepository, place: str, seat: Seat, bot: str, request: WriteRequest
) -> Position:
    """Records that a program plays a seat of a line from now on, or, with "", people again."""
    loaded_line = lines.at_head(place)
    names = lines.names(loaded_line.match)
    if not names.earlier_entry(request.by, request.key):
        seats = loaded_line.game.evolution.seats(loaded_line.states.state_at(loaded_line.line.head))
        seated = check_bot(seat, bot, seats, "bot {bot} --for {seat}" if bot else "bot people --for {seat}")
        line = "" if loaded_line.name == names.first else loaded_line.line.stream
        _append(writer, lines, loaded_line.match, replace(seated, line=line), request)
        lines.names(loaded_line.match)  # read them again, as `known_names` is used to see who plays
    return position_for(loaded_line.position(loaded_line.line.head), request.viewer)


def check_bot(seat: Seat, bot: str, seats: Sequence[Seat], hint: str = "bots={seat}:{bot}") -> BotSeated:
    """The event that seats a program. Raises `UnknownError` for an unknown seat, with hints."""
    if seat not in seats:
        raise UnknownError(
            f"no player has the seat {seat!r}", "", [hint.format(bot=bot, seat=each) for each in near(seat, seats)]
        )
    return BotSeated(seat, bot)


def bind(
    writer: Writer,
    lines: LineRepository,
    place: str,
    seat: Seat,
    key: str,
    signer: Signer | None,
    request: WriteRequest,
    *,
    lost: bool,
) -> Position:
    """Binds a seat to a key, or to a new key. Commands that the lines of the game already have need no signature.

    The same transaction adds to each line a move of the head to the commit where it already is. So an unsigned command
    that is played at the same time either comes before the binding or meets a conflict.
    """
    loaded_line = lines.at_head(place)
    check_key(seat, key, loaded_line.game.evolution.seats(loaded_line.states.state_at(loaded_line.line.head)))
    store, game = writer.store, loaded_line.line.path[0]
    while not (names := lines.names(loaded_line.match)).earlier_entry(request.by, request.key):
        binding: Binding = SeatBound(seat, key, {})
        if before := names.keys.get(seat):
            binding = change_key(game, seat, before, key, request.by, signer, is_old_key_lost=lost)
        names.check(binding)
        known = [load(store.read, stream) for stream in names.streams]
        try:
            notes = [_mark_binding(writer, line, request.by) for line in known]
            bound = replace(binding, since={note.stream: note.revision for note in notes})
            draft = writer.draft([bound], request.by, key=request.key)
            store.adopt([*notes, store.seal_entry(names.stream, names.revision, draft)])
            break
        except ConflictError:
            continue  # another writer has changed a line or the names: look again
    refresh(store.read, loaded_line.line)
    return position_for(loaded_line.position(loaded_line.line.head), request.viewer)


def _mark_binding(writer: Writer, line: Line, by: str) -> Entry:
    return writer.store.seal_entry(line.stream, line.revision, writer.draft([HeadMoved(line.head, line.head)], by))


def fork(
    writer: Writer,
    lines: LineRepository,
    place: str,
    name: str,
    request: WriteRequest,
    *,
    redeal: bool,
    bots: bool = False,
    current: bool = True,
) -> Position:
    """Starts a line at a position; with `bots` the programs that play the old line play the new one, too."""
    check_name(name)
    match = parse_place(place).match
    names = lines.names(match)
    if before := names.earlier_entry(request.by, request.key):
        return _fork_position(lines.line_begun_by(match, before.events), request)
    loaded_line, digest = lines.find(place)
    check_head(loaded_line, request)
    check_free(name, names.lines, "line")
    dealt = []
    if redeal:
        again = redealt(loaded_line.game, loaded_line.states.state_at(digest), request.viewer)
        dealt = [(again.events, again.digest)]
    else:
        check_no_peeking(loaded_line.game, request.viewer, "fork", lambda: lines.are_over(loaded_line))
    seated = [BotSeated(seat, bot) for seat, bot in names.bots_on(loaded_line.name).items()] if bots else []
    made = writer.begin_line(lines, (loaded_line, digest), name, dealt, request, seated, current=current)
    lines.names(match)  # read them again, as `known_names` is used to see who plays
    return position_for(made.position(made.line.head), request.viewer)


def _fork_position(loaded_line: LoadedLine, request: WriteRequest) -> Position:
    """The position at which a fork started, after its redeal if there was one."""
    dealt = [
        entry.digest
        for entry in loaded_line.line.by_command_id.get(request.key.id, ())
        if entry.stream == loaded_line.line.stream
    ]
    forked = loaded_line.line.forked
    assert forked, "it is a fork"
    return position_for(loaded_line.position(dealt[-1] if dealt else forked.commit), request.viewer)


def enrol(
    writer: Writer,
    lines: LineRepository,
    match: str,
    choose: Callable[[Members], Sequence[NameEvent]],
    request: WriteRequest,
) -> tuple[Sequence[Event], Members]:
    """Changes the members of a game (or, for match "", the accounts). Returns the stored events and the new members."""

    def read_names() -> Names:
        return lines.names(match) if match else lines.accounts()

    def choose_checked(names: Names) -> Sequence[NameEvent]:
        events = choose(names.members)
        names.check(*events)
        return events

    events = writer.append_chosen(read_names, choose_checked, request.by, request.key)
    return [event for event in events if isinstance(event, Event)], read_names().members


def switch(writer: Writer, lines: LineRepository, place: str, request: WriteRequest) -> Position:
    """Makes a line the author's current one, like git's checked-out branch, at the viewer's seat. Returns its head."""
    parsed_place, by, seat = parse_place(place), request.by, request.viewer.seat or ""
    names = lines.names(parsed_place.match)
    again = names.earlier_entry(by, request.key)
    loaded_line = lines.at_head(
        f"{parsed_place.match}/{names.name_of(names.stream_of(parsed_place.line))}" if again else place
    )
    if not again:
        check_head(loaded_line, request)
        if request.key.id or loaded_line.name != names.current(by, seat):
            _append(writer, lines, loaded_line.match, LineSwitched(loaded_line.name, by, seat), request)
    return position_for(loaded_line.position(loaded_line.line.head), request.viewer)


def rename(writer: Writer, lines: LineRepository, place: str, name: str, request: WriteRequest) -> Position:
    """Renames a line and returns its head."""
    check_name(name)
    parsed_place = parse_place(place)
    names = lines.names(parsed_place.match)
    if earlier := names.earlier_entry(request.by, request.key):
        check_line(earlier, parsed_place.line)
        name = names.name_of(names.stream_of(name))
    else:
        loaded_line = lines.at_head(place)
        check_head(loaded_line, request)
        _append(writer, lines, loaded_line.match, LineRenamed(loaded_line.name, name), request)
    return head_of(lines, parsed_place.match, name, request)


def forget(writer: Writer, lines: LineRepository, place: str, request: WriteRequest) -> Position:
    """Removes the name of a line and returns the head of the current line."""
    match = parse_place(place).match
    if not lines.names(match).earlier_entry(request.by, request.key):
        loaded_line = lines.at_head(place)
        check_head(loaded_line, request)
        _append(writer, lines, match, LineForgotten(loaded_line.name), request)
    return head_of(lines, match, "", request)


def tag(writer: Writer, lines: LineRepository, place: str, name: str, request: WriteRequest) -> None:
    """Names a position for all who see the game. Raises `GameError` on a line that only one seat sees."""
    check_tag(name)
    check_may_write(request.viewer, "tag")
    match = parse_place(place).match
    if lines.names(match).earlier_entry(request.by, request.key):
        return
    loaded_line, digest = lines.find(place)
    if OWN in loaded_line.name:
        why = "only its seat sees it, and a tag is for all players"
        raise GameError(f"{loaded_line.name} is a line of your own", why, [f"rename {loaded_line.place} NAME --share"])
    if name in loaded_line.states.marks():
        raise GameError(f"{name} can't be a tag", f"@{name} is a position of {loaded_line.place} already")
    _append(writer, lines, match, PositionTagged(name, loaded_line.line.stream, digest), request)


def untag(writer: Writer, lines: LineRepository, match: str, name: str, request: WriteRequest) -> None:
    """Removes a tag. Raises `UnknownError` if there is none of that name."""
    check_may_write(request.viewer, "tag")
    if not lines.names(match).earlier_entry(request.by, request.key):
        _append(writer, lines, match, TagRemoved(name), request)


def head_of(lines: LineRepository, match: str, line: str, request: WriteRequest) -> Position:
    """The head of a line; by default of the author's current line."""
    viewer = request.viewer
    loaded_line = lines.line(match, line or lines.names(match).current(request.by, viewer.seat or ""))
    return position_for(loaded_line.position(loaded_line.line.head), viewer)


def _append(writer: Writer, lines: LineRepository, match: str, event: NameEvent, request: WriteRequest) -> None:
    def choose(names: Names) -> Sequence[NameEvent]:
        names.check(event)
        return [event]

    writer.append_chosen(lambda: lines.names(match), choose, request.by, request.key)
