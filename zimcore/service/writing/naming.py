"""Changes to names: starts games and lines, binds seats, seats bots; switches, renames and forgets lines.

A retry with the same command id gets the answer that was stored the first time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from event_store import ConflictError, Entry, HeadMoved
from event_store.line_history import Line, load_line, refresh
from zimcore.commits import Position
from zimcore.game import Event, GameError, Seat, UnknownError
from zimcore.service.lines.line_repository import LineRepository, LoadedLine
from zimcore.service.lines.visibility import check_may_write, check_no_peeking, decide_redeal, position_for
from zimcore.service.records.bindings import Binding, SeatBound, Signer, sign_key_change
from zimcore.service.records.deciding import PendingCommit, set_up
from zimcore.service.records.discussion import DiscussionEvent, public_stream
from zimcore.service.records.fair_deal import Dealt, commitment_of, first_commit_of, new_table_event
from zimcore.service.records.memberships import MemberEvent, Members
from zimcore.service.records.names import (
    CATALOGUE,
    OWN_LINE_MARK,
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
    check_name_is_free,
    check_renamed_line,
    next_free_name,
)
from zimcore.service.records.places import check_name, check_tag, parse_place, suggest_names
from zimcore.service.records.signed_commands import check_key
from zimcore.service.writing.writer import Writer, WriteRequest, check_head


def begin_game(
    writer: Writer,
    repository: LineRepository,
    kind: str,
    options: Mapping[str, str],
    name: str,
    keys: Mapping[Seat, str],
    member_events: Sequence[MemberEvent],
    bots: Mapping[Seat, str],
    terms_events: Sequence[DiscussionEvent],
    request: WriteRequest,
) -> str:
    """Starts a game and returns its name. `member_events` are the first ones of a served game."""
    if stored_name := earlier_name(repository.catalogue(), request):
        return stored_name
    game = repository.load_game(kind)
    if name:
        check_name(name)
        repository.catalogue().check_new_game_name(name)
    first_commit = set_up(game, options)
    seats = game.evolution.seats(first_commit.state)
    for seat, key in keys.items():
        check_key(seat, key, seats)
    bot_events = [check_bot(seat, bot, seats) for seat, bot in bots.items()]
    binding_events = [SeatBound(*each, {}) for each in keys.items()]
    names_stream, entries = first_entries(
        writer, first_commit, [*binding_events, *bot_events, *member_events], terms_events, request.by
    )
    return store_game(writer, repository, GameToName(name, kind, names_stream), entries, request)


def first_entries(
    writer: Writer,
    setup_commit: PendingCommit,
    name_events: Sequence[NameEvent],
    terms_events: Sequence[DiscussionEvent],
    author: str,
) -> tuple[str, list[Entry]]:
    """The stream of names of a new game, and the first entries of all its streams. They are stored with its name."""
    line_stream, names_stream = writer.ids(), writer.ids()
    entries = writer.first_commit(line_stream, setup_commit.events, setup_commit.digest, author)
    return names_stream, [
        *entries,
        *_first_entries_of_names(
            writer, names_stream, [LineNamed("main", line_stream), *name_events], terms_events, author
        ),
    ]


def _first_entries_of_names(
    writer: Writer,
    names_stream: str,
    name_events: Sequence[NameEvent],
    terms_events: Sequence[DiscussionEvent],
    author: str,
) -> list[Entry]:
    discussion_entries = [writer.first_entry(public_stream(names_stream), terms_events, author)] if terms_events else []
    return [*discussion_entries, writer.first_entry(names_stream, name_events, author)]


def open_table(
    writer: Writer,
    repository: LineRepository,
    kind: str,
    options: Mapping[str, str],
    name: str,
    member_events: Sequence[MemberEvent],
    bots: Mapping[Seat, str],
    terms_events: Sequence[DiscussionEvent],
    request: WriteRequest,
) -> str:
    """Opens a table for a fair deal, which follows when all have sat down. Returns the name of its game."""
    if stored_name := earlier_name(repository.catalogue(), request):
        return stored_name
    game = repository.load_game(kind)
    if name:
        check_name(name)
        repository.catalogue().check_new_game_name(name)
    table = new_table_event(game, options)
    names_stream = commitment_of(kind, options, table.secret)
    bot_events = [check_bot(seat, bot, table.seats) for seat, bot in bots.items()]
    entries = _first_entries_of_names(
        writer, names_stream, [table, *bot_events, *member_events], terms_events, request.by
    )
    return store_game(writer, repository, GameToName(name, kind, names_stream), entries, request)


class GameToName(NamedTuple):
    """A game before it is stored: the requested name ("" for the next free one), its kind, and its stream of names."""

    name: str
    kind: str
    names_stream: str


def store_game(
    writer: Writer,
    repository: LineRepository,
    game_to_name: GameToName,
    entries: Sequence[Entry],
    request: WriteRequest,
) -> str:
    """Stores the first entries of a game, and its own name in the list of games: all or none.

    Returns the name that the game got.
    """
    author, key = request.by, request.key
    while True:
        catalogue = repository.catalogue()
        if stored_name := earlier_name(catalogue, request):
            return stored_name
        catalogue.check_new_game_name(game_to_name.name)
        game_named = GameNamed(
            game_to_name.name or next_free_name(game_to_name.kind, catalogue.taken_names),
            game_to_name.kind,
            game_to_name.names_stream,
        )
        try:
            catalogue_entry = writer.store.seal_entry(
                CATALOGUE, catalogue.revision, writer.draft([game_named], author, key=key)
            )
            writer.store.adopt([*entries, catalogue_entry])
            return game_named.name
        except ConflictError:
            continue  # another game has begun


def earlier_name(catalogue: Names, request: WriteRequest) -> str:
    """The name that a game got when the same was requested before; "" if it was not."""
    earlier_entry = catalogue.earlier_entry(request.by, request.key)
    return next(event.name for event in earlier_entry.events if isinstance(event, GameNamed)) if earlier_entry else ""


def deal_game(writer: Writer, repository: LineRepository, match: str, author: str, *, only_if_full: bool) -> bool:
    """Deals a game whose table is open, with `only_if_full` only if all seats are taken. Returns whether it was."""
    while True:
        names = repository.names(match)
        table, game = names.table, repository.game(match)
        if table is None or table.line:
            return True
        free_seats = [seat for seat in table.seats if seat not in {*names.members.token_ids, *names.bots}]
        if only_if_full and free_seats:
            return False
        if free_seats and names.members.house_rules:
            why = f"all players agree to them before the deal, and some seats are free: {', '.join(free_seats)}"
            raise GameError(f"{match} has house rules", why, [f"invite {match} {seat}" for seat in free_seats])
        first_commit, line_stream = first_commit_of(game, table), writer.ids()
        entries = writer.first_commit(line_stream, first_commit.events, first_commit.digest, author)
        binding_events = [SeatBound(seat, key, {}) for seat, key in names.members.keys.items()]
        draft = writer.draft([LineNamed("main", line_stream), Dealt(line_stream), *binding_events], author)
        try:
            writer.store.adopt([*entries, writer.store.seal_entry(names.stream, names.revision, draft)])
            repository.names(match)
            return True
        except ConflictError:
            continue  # another writer has changed the table: try again


def seat_bot(
    writer: Writer, repository: LineRepository, place: str, seat: Seat, bot: str, request: WriteRequest
) -> Position:
    """Records that a program plays a seat of a line from now on, or, with "", people again."""
    loaded_line = repository.line_at_head(place)
    names = repository.names(loaded_line.match)
    if not names.earlier_entry(request.by, request.key):
        seats = loaded_line.game.evolution.seats(loaded_line.states.state_at(loaded_line.line.head))
        bot_seated = check_bot(seat, bot, seats, "bot {bot} --for {seat}" if bot else "bot people --for {seat}")
        line_stream = "" if loaded_line.name == names.first_line else loaded_line.line.stream
        _append_name_event(writer, repository, loaded_line.match, replace(bot_seated, line=line_stream), request)
        repository.names(loaded_line.match)  # read them again, as `known_names` is used to see who plays
    return position_for(loaded_line.position(loaded_line.line.head), request.viewer)


def check_bot(seat: Seat, bot: str, seats: Sequence[Seat], hint_template: str = "bots={seat}:{bot}") -> BotSeated:
    """The event that seats a program. Raises `UnknownError` for an unknown seat, with hints."""
    if seat not in seats:
        raise UnknownError(
            f"no player has the seat {seat!r}",
            "",
            [hint_template.format(bot=bot, seat=each) for each in suggest_names(seat, seats)],
        )
    return BotSeated(seat, bot)


def bind_seat(
    writer: Writer,
    repository: LineRepository,
    place: str,
    seat: Seat,
    key: str,
    signer: Signer | None,
    request: WriteRequest,
    *,
    is_old_key_lost: bool,
) -> Position:
    """Binds a seat to a key, or to a new key. Commands that the lines of the game already have need no signature.

    The same transaction adds to each line a move of the head to the commit where it already is. So an unsigned command
    that is played at the same time either comes before the binding or meets a conflict.
    """
    loaded_line = repository.line_at_head(place)
    check_key(seat, key, loaded_line.game.evolution.seats(loaded_line.states.state_at(loaded_line.line.head)))
    store, game_digest = writer.store, loaded_line.line.path[0]
    while not (names := repository.names(loaded_line.match)).earlier_entry(request.by, request.key):
        binding: Binding = SeatBound(seat, key, {})
        if earlier_bindings := names.all_bindings.get(seat):
            binding = sign_key_change(
                game_digest, seat, earlier_bindings, key, request.by, signer, is_old_key_lost=is_old_key_lost
            )
        names.check(binding)
        game_lines = list[Line]()
        for stream in names.streams:
            game_lines.append(load_line(store.read, stream, game_lines))
        try:
            marking_entries = [_mark_binding_on_line(writer, line, request.by) for line in game_lines]
            final_binding = replace(binding, since={entry.stream: entry.revision for entry in marking_entries})
            draft = writer.draft([final_binding], request.by, key=request.key)
            store.adopt([*marking_entries, store.seal_entry(names.stream, names.revision, draft)])
            break
        except ConflictError:
            continue  # another writer has changed a line or the names: look again
    refresh(store.read, loaded_line.line)
    return position_for(loaded_line.position(loaded_line.line.head), request.viewer)


def _mark_binding_on_line(writer: Writer, line: Line, author: str) -> Entry:
    return writer.store.seal_entry(line.stream, line.revision, writer.draft([HeadMoved(line.head, line.head)], author))


def fork_line(
    writer: Writer,
    repository: LineRepository,
    place: str,
    name: str,
    request: WriteRequest,
    *,
    redeal: bool,
    with_bots: bool = True,
    is_current: bool = True,
) -> Position:
    """Starts a line at a position; with `with_bots` the programs that play the old line play the new one, too."""
    check_name(name)
    match = parse_place(place).match
    names = repository.names(match)
    if earlier_entry := names.earlier_entry(request.by, request.key):
        return _fork_position(repository.line_begun_by(match, earlier_entry.events), request)
    loaded_line, digest = repository.find(place)
    check_head(loaded_line, request)
    check_name_is_free(name, names.lines, "line")
    redeal_contents = []
    if redeal:
        redeal_commit = decide_redeal(loaded_line.game, loaded_line.states.state_at(digest), request.viewer)
        redeal_contents = [(redeal_commit.events, redeal_commit.digest)]
    else:
        check_no_peeking(loaded_line.game, request.viewer, "fork", lambda: repository.are_over(loaded_line))
    new_line = writer.begin_line(
        repository,
        (loaded_line, digest),
        name,
        redeal_contents,
        request,
        with_bots=with_bots,
        is_current=is_current,
    )
    return position_for(new_line.position(new_line.line.head), request.viewer)


def _fork_position(loaded_line: LoadedLine, request: WriteRequest) -> Position:
    """The position at which a fork started, after its redeal if there was one."""
    redeal_digests = [
        entry.digest
        for entry in loaded_line.line.by_command_id.get(request.key.id, ())
        if entry.stream == loaded_line.line.stream
    ]
    fork_event = loaded_line.line.fork_event
    assert fork_event, "it is a fork"
    return position_for(
        loaded_line.position(redeal_digests[-1] if redeal_digests else fork_event.commit), request.viewer
    )


def change_members(
    writer: Writer,
    repository: LineRepository,
    match: str,
    make_events: Callable[[Members], Sequence[NameEvent]],
    request: WriteRequest,
) -> tuple[Sequence[Event], Members]:
    """Changes the members of a game (or, for match "", the accounts). Returns the stored events and the new members."""

    def read_names() -> Names:
        return repository.names(match) if match else repository.accounts()

    def make_and_check_events(names: Names) -> Sequence[NameEvent]:
        events = make_events(names.members)
        names.check(*events)
        return events

    events = writer.append_from_fold(read_names, make_and_check_events, request.by, request.key)
    return [event for event in events if isinstance(event, Event)], read_names().members


def switch_line(writer: Writer, repository: LineRepository, place: str, request: WriteRequest) -> Position:
    """Makes a line the author's current one, like git's checked-out branch. Returns its head."""
    parsed_place, author, seat = parse_place(place), request.by, request.viewer.seat or ""
    names = repository.names(parsed_place.match)
    earlier_entry = names.earlier_entry(author, request.key)
    loaded_line = repository.line_at_head(
        f"{parsed_place.match}/{names.name_of(names.stream_of(parsed_place.line))}" if earlier_entry else place
    )
    if not earlier_entry:
        check_head(loaded_line, request)
        if request.key.id or loaded_line.name != names.current_line(author, seat):
            _append_name_event(
                writer, repository, loaded_line.match, LineSwitched(loaded_line.name, author, seat), request
            )
    return position_for(loaded_line.position(loaded_line.line.head), request.viewer)


def rename_line(writer: Writer, repository: LineRepository, place: str, name: str, request: WriteRequest) -> Position:
    """Renames a line and returns its head."""
    check_name(name)
    parsed_place = parse_place(place)
    names = repository.names(parsed_place.match)
    if earlier_entry := names.earlier_entry(request.by, request.key):
        check_renamed_line(earlier_entry, parsed_place.line)
        name = names.name_of(names.stream_of(name))
    else:
        loaded_line = repository.line_at_head(place)
        check_head(loaded_line, request)
        _append_name_event(writer, repository, loaded_line.match, LineRenamed(loaded_line.name, name), request)
    return head_of(repository, parsed_place.match, name, request)


def forget_line(writer: Writer, repository: LineRepository, place: str, request: WriteRequest) -> Position:
    """Removes the name of a line and returns the head of the current line."""
    match = parse_place(place).match
    if not repository.names(match).earlier_entry(request.by, request.key):
        loaded_line = repository.line_at_head(place)
        check_head(loaded_line, request)
        _append_name_event(writer, repository, match, LineForgotten(loaded_line.name), request)
    return head_of(repository, match, "", request)


def tag_position(writer: Writer, repository: LineRepository, place: str, name: str, request: WriteRequest) -> None:
    """Names a position for all who see the game. Raises `GameError` on a line that only one seat sees."""
    check_may_write(request.viewer, "tag")
    parsed_place = parse_place(place)
    match, names = parsed_place.match, repository.names(parsed_place.match)
    if names.earlier_entry(request.by, request.key):
        return
    line_name, _ = names.find_line(parsed_place.line)
    if OWN_LINE_MARK in line_name:
        why = "only its seat sees it, and a tag is for all players"
        raise GameError(f"{line_name} is a line of your own", why, [f"rename {match}/{line_name} NAME --share"])
    loaded_line, digest = repository.find(place)
    check_tag(name)
    if name in loaded_line.states.digests_by_mark():
        raise GameError(f"{name} can't be a tag", f"@{name} is a position of {loaded_line.place} already")
    _append_name_event(writer, repository, match, PositionTagged(name, loaded_line.line.stream, digest), request)


def remove_tag(writer: Writer, repository: LineRepository, match: str, name: str, request: WriteRequest) -> None:
    """Removes a tag. Raises `UnknownError` if there is none of that name."""
    check_may_write(request.viewer, "tag")
    if not repository.names(match).earlier_entry(request.by, request.key):
        _append_name_event(writer, repository, match, TagRemoved(name), request)


def head_of(repository: LineRepository, match: str, line_name: str, request: WriteRequest) -> Position:
    """The head of a line; by default of the author's current line."""
    viewer = request.viewer
    loaded_line = repository.line(
        match, line_name or repository.names(match).current_line(request.by, viewer.seat or "")
    )
    return position_for(loaded_line.position(loaded_line.line.head), viewer)


def _append_name_event(
    writer: Writer, repository: LineRepository, match: str, event: NameEvent, request: WriteRequest
) -> None:
    def make_events(names: Names) -> Sequence[NameEvent]:
        names.check(event)
        return [event]

    writer.append_from_fold(lambda: repository.names(match), make_events, request.by, request.key)
