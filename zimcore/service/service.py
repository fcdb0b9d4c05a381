"""GameService: the only way to the games of a store. All clients play, undo, fork and read through it.

Modules that only some methods need are imported there, so that a command starts quickly.

In other words: service layer, facade.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack

from event_store import Draft, EventStore, StoreError
from zimcore.commits import Position
from zimcore.documents.discussion import OrdersAnswer, Remark, StandingOrder
from zimcore.documents.leagues import LeagueAnswer, LeagueChange, NewLeague
from zimcore.documents.listings import TagInfo
from zimcore.game import Command, Event, Game, GameError, Recording, Refused, RefusedError, Seat
from zimcore.games.registry import GAMES
from zimcore.service.lines.line_repository import LineRepository, LoadedLine
from zimcore.service.lines.visibility import (
    TABLE,
    Viewer,
    check_is_played,
    check_may_play,
    check_may_play_at_all,
    check_may_write,
    position_for,
    refusal_for,
    state_for,
    takeback_viewer,
)
from zimcore.service.queries import Queries
from zimcore.service.records.bindings import Signer
from zimcore.service.records.deciding import command_text, decide_commit, read_command
from zimcore.service.records.discussion import DiscussionEvent, NoticesWanted
from zimcore.service.records.memberships import MemberEvent, Members, TermsSet
from zimcore.service.records.names import NameEvent
from zimcore.service.records.places import parse_place
from zimcore.service.records.results import Replay
from zimcore.service.records.signed_commands import sign_command
from zimcore.service.writing.writer import (
    LineWriteOptions,
    WriteOptions,
    Writer,
    WriteRequest,
    check_head,
    commutes,
    current_time,
    in_utc,
    line_write_request,
    new_id,
    write_request,
)
from zimcore.toolkit.progress import ReportProgress, ignore_progress

if TYPE_CHECKING:
    from zimcore.documents.endpoint import AnswerT, RequestT
    from zimcore.service.actions import Action, ActionCall
    from zimcore.service.proofs.certificates import Certificate
    from zimcore.service.proofs.importing import ImportedGames
    from zimcore.service.writing.archiving import ArchiveAction
    from zimcore.service.writing.rewriting import Keep


BeforePlay: TypeAlias = Callable[[Game, Any, Seat, Command], object]
"""A hook called before a command is decided. It gets the game, the state as the viewer knows it (read-only), the seat
and the command, and may raise an error."""
MAX_DELAYED_SERVICES = 8
"""The most delayed services kept open."""
NO_SEATS: Mapping[Seat, str] = MappingProxyType({})
"""An empty mapping: no seat is bound to a key, or played by a program."""
NO_PATH: Mapping[str, Any] = MappingProxyType({})
"""An empty mapping: the address of an endpoint has nothing but the place."""


class GameService(Queries):
    """Plays games in a store.

    Places are texts: `kilwa-7` (the head of the game's first line), `kilwa-7/what-if`, `kilwa-7/main@12`,
    `kilwa-7@r4.zulu` (see `places`). Each person has a current line: see `current_line`. Methods raise `UnknownError`
    for what does not exist, `GameError` for what can't be read, and the errors of `event_store` (`ConflictError`,
    `StoreError`).

    Every write has an author (`by`). With a `command_id`, a retry of the same request by the same author does nothing
    and returns the first answer; another request or another author raises `TakenError`. With `expected`, the digest of
    the line's head as the user saw it (four hex digits or more), a write raises `ConflictError` if the line has moved
    on. Ids are checked first.

    A `viewer` says who looks: answers hide what that viewer may not see, while commands are decided on the whole state.
    The default is the table, so that a caller who forgets the argument hides too much, never too little.

    Commands of a seat that is bound to a key are signed by the player's `signer`: a service has no keys.

    A service belongs to one thread. Any number of services, in any number of processes, may share a store.
    """

    def __init__(
        self,
        store: EventStore,
        clock: Callable[[], datetime] = current_time,
        *,
        games: Mapping[str, str] = GAMES,
        ids: Callable[[], str] = new_id,
        signer: Signer | None = None,
        repository: LineRepository | None = None,
    ) -> None:
        super().__init__(store, in_utc(clock), games, repository)
        self.signer = signer
        self._writer = Writer(store, self.clock, ids)
        self._delayed: dict[tuple[int, int], GameService] = {}

    def delayed_service(self, terms: TermsSet) -> GameService:
        """A read-only service that shows the games with the delay of these terms, for spectators."""
        delay = terms.behind_moves, terms.behind
        if delay not in self._delayed:
            from event_store.delayed import DelayedStore

            if len(self._delayed) >= MAX_DELAYED_SERVICES:
                del self._delayed[next(iter(self._delayed))]
            store = DelayedStore(
                self.store,
                self.clock,
                commit_count=delay[0],
                min_age=timedelta(seconds=delay[1]),
                undelayed_kinds=("names",),
            )
            self._delayed[delay] = GameService(store, self.clock, games=self.kinds)
        return self._delayed[delay]

    def new(
        self,
        kind: str,
        options: Mapping[str, str],
        *,
        name: str = "",
        keys: Mapping[Seat, str] = NO_SEATS,
        served: Sequence[MemberEvent] = (),
        bots: Mapping[Seat, str] = NO_SEATS,
        agreed: Sequence[DiscussionEvent] = (),
        **write_options: Unpack[WriteOptions],
    ) -> Position:
        """Sets up a game on a line called `main`. Without a name it gets the next free one (`kilwa-7`).

        The option `seed` is a number; the default is random. `keys` bind seats: see `bind`. `served` has the first
        events of a served game, such as its host. `bots` are the programs that play, by seat: see `seat_bot`. `agreed`
        has the terms that differ from the defaults. Raises `OptionError`.
        """
        parameters = (
            kind,
            sorted(options.items()),
            name,
            sorted(keys.items()),
            *served,
            *sorted(bots.items()),
            *agreed,
        )
        request = write_request("new", *parameters, **write_options)
        from zimcore.service.writing import naming

        match = naming.begin_game(
            self._writer, self._repository, kind, options, name, keys, served, bots, agreed, request
        )
        return self.position(f"{match}@start", request.viewer)

    def play(
        self,
        place: str,
        text: str | Command,
        *,
        seat: Seat | None = None,
        among: Sequence[str] = (),
        signed: bytes = b"",
        before_play: BeforePlay | None = None,
        **options: Unpack[LineWriteOptions],
    ) -> Position | Refused:
        """Plays a command at the head of a line. `among` has all commands of a batch, each with its own id.

        If the line has moved on, it is no conflict when all moves since are independent of the command. A command
        `signed` by the caller is valid only for the `expected` head and its `command_id`. Standing orders that are due
        are played afterwards; the answer is the position before them. Raises `GameError` for a seat that the viewer may
        not play, and any error of `before_play`, which is called before the command is decided.
        """
        check_may_play_at_all(options.get("viewer", TABLE), text)  # before reading what could change the answer
        answer = self._play(
            place, text, seat, line_write_request("play", seat, text, *among, **options), before_play, signed
        )
        if isinstance(answer, Position) and answer.line == self._repository.known_names(answer.match).first_line:
            self._carry_out(self._repository.first_line(answer.match))
        return answer

    def carry_out(self, match: str) -> None:
        """Plays the standing orders of a game that are due now."""
        self._carry_out(self._repository.line(match))

    def _carry_out(self, loaded_line: LoadedLine) -> None:
        from zimcore.service.social import standing_orders

        def play(
            loaded_line: LoadedLine, command: Command, order: StandingOrder, command_id: str
        ) -> Position | Refused:
            author, seat, head = standing_orders.ORDER_AUTHOR_PREFIX + order.by, order.seat, loaded_line.line.head.hex()
            options: LineWriteOptions = {
                "by": author,
                "expected": head,
                "command_id": command_id,
                "viewer": Viewer(seat),
            }
            return self._play(loaded_line.place, command, seat, line_write_request("play", seat, command, **options))

        # An error here must not undo the move before it: the orders stay due until the next move.
        with suppress(GameError, StoreError):
            standing_orders.carry_out_orders(self._writer, self._repository, loaded_line, play)

    def order(self, place: str, text: str, *, seat: Seat, **options: Unpack[WriteOptions]) -> OrdersAnswer:
        """Gives a standing order, played when the seat's turn comes, or at once if it is the seat's turn now.

        Raises `NotationError` for an invalid order, `GameError` for a seat that the viewer may not play.
        """
        request = write_request("order", text, seat, **options)
        from zimcore.service.social import standing_orders

        standing_orders.give_order(self._writer, self._repository, place, seat, text, request)
        self.carry_out(parse_place(place).match)
        return self.orders(place, seat, request.viewer)

    def take_back_order(self, place: str, number: int, *, seat: Seat, **options: Unpack[WriteOptions]) -> OrdersAnswer:
        """Takes a standing order back, by its number. Raises `UnknownError` for one that is not active."""
        request = write_request("take back order", number, seat, **options)
        from zimcore.service.social import standing_orders

        standing_orders.take_back_order(self._writer, self._repository, place, seat, number, request)
        return self.orders(place, seat, request.viewer)

    def _play(
        self,
        place: str,
        text: str | Command,
        seat: Seat | None,
        request: WriteRequest,
        before_play: BeforePlay | None = None,
        signature: bytes = b"",
    ) -> Position | Refused:
        author, viewer, expected, key = request
        loaded_line = self._repository.line_at_head(place, key)
        # Before all checks: the answer of a retry is that of the first attempt.
        if earlier_entries := loaded_line.earlier_entries(author, key):
            return position_for(loaded_line.position_after(earlier_entries), viewer)
        self._check_not_ended(loaded_line)
        state = loaded_line.states.state_at(loaded_line.line.head)
        # Parse with what the viewer knows: the meaning of an abbreviation must not depend on hidden cards.
        visible_state = state_for(loaded_line.game, state, viewer)
        seat, command = read_command(loaded_line.game, visible_state, text, seat)
        check_is_played(command)
        if seat:  # else nobody is to move, as the rules say
            check_may_play(viewer, seat)
        if signature or not commutes(loaded_line, expected, seat, command):
            check_head(loaded_line, request)
        if before_play:
            before_play(loaded_line.game, visible_state, seat, command)
        decision = decide_commit(loaded_line.game, state, seat, command)
        if isinstance(decision, Refused):
            return refusal_for(loaded_line.game, state, seat, command, decision, viewer)
        binding = self._repository.bindings_on(loaded_line).get(seat)
        if signature and not binding:
            raise GameError(f"{seat}'s commands are not signed", "it has no key here", ["seats"])
        signer = (lambda *_: signature) if signature else self.signer
        sign = partial(sign_command, author, binding.key, signer=signer, seat=seat) if binding else None
        return position_for(self._writer.commit(loaded_line, decision, author, key, sign), viewer)

    def open_table(
        self,
        kind: str,
        options: Mapping[str, str],
        *,
        name: str = "",
        by: str,
        served: Sequence[MemberEvent],
        bots: Mapping[Seat, str] = NO_SEATS,
        agreed: Sequence[DiscussionEvent] = (),
        command_id: str = "",
    ) -> str:
        """Opens a table for a fair deal, which follows when all have sat down. Returns the name of the game.

        Until the deal, reading the game raises `NotDealtError`. Raises `OptionError`, `GameError` for a chosen seed.
        """
        from zimcore.service.writing import naming

        parameters = (kind, sorted(options.items()), name, served, bots, agreed)
        request = write_request("open", *parameters, by=by, command_id=command_id)
        return naming.open_table(self._writer, self._repository, kind, options, name, served, bots, agreed, request)

    def deal(self, match: str, *, by: str, only_if_full: bool = False) -> bool:
        """Deals a game whose table is open (`only_if_full`: if all seats are taken). Returns whether it is dealt."""
        from zimcore.service.writing import naming

        return naming.deal_game(self._writer, self._repository, match, by, only_if_full=only_if_full)

    def change_members(
        self,
        match: str,
        make_events: Callable[[Members], Sequence[NameEvent]],
        *request_parts: object,
        by: str,
        command_id: str = "",
    ) -> tuple[Sequence[Event], Members]:
        """Changes the members of a game (or, for match "", the accounts) by the events that `make_events` makes.

        `request_parts` describe the request, so that a retry is recognised. Returns the stored events and the members
        after them. Raises `GameError` for events that can't follow, such as taking a seat by a used link.
        """
        request = write_request("enrol", *request_parts, by=by, command_id=command_id)
        from zimcore.service.writing import naming

        return naming.change_members(self._writer, self._repository, match, make_events, request)

    def say(
        self,
        place: str,
        text: str,
        *,
        by: str,
        own: bool = False,
        whose: str = "",
        command_id: str = "",
        viewer: Viewer = TABLE,
    ) -> Remark:
        """Sends a message to all, about a game or a position; with `own` it is a private note for its author only.

        `whose` is as in `talk`. Raises `GameError` for an invalid text.
        """
        parsed_place = parse_place(place)
        # Without a position it is about the game, whatever the line; earlier versions had that in the request, too.
        line = parsed_place.line if parsed_place.position else ""
        from zimcore.service.actions import ActionCall
        from zimcore.service.social import chat

        call = ActionCall(self._writer, self._repository, place, by=by, command_id=command_id, viewer=viewer)
        request = call.request_about_line("say", line, parsed_place.position, text, own)

        return chat.say(self._writer, self._repository, place, text, (whose or request.by) if own else "", request)

    def notices(self, match: str, whose: str) -> NoticesWanted | None:
        """How a player (by the id of their token) wants to be notified while away."""
        return self._repository.discussion(match, whose).wanted_notices

    def want_notices(
        self, match: str, kind: str, values: Mapping[str, str], *, by: str, whose: str, command_id: str = ""
    ) -> NoticesWanted | None:
        """Sets how a player wants to be notified while away; kind "" turns notifications off."""
        request = write_request("notices", kind, sorted(values.items()), by=by, command_id=command_id)
        from zimcore.service.social import notifications

        return notifications.set_wanted_notices(
            self._writer, self._repository, match, whose, NoticesWanted(kind, values), request
        )

    def notices_due(self, match: str, seat: Seat, whose: str) -> Sequence[str]:
        """The texts of the notifications that are due for a seat. They are stored as sent."""
        from zimcore.service.social import notifications

        return notifications.take_due_texts(self._writer, self._repository, match, seat, whose)

    def query(
        self, action: Action[RequestT, AnswerT], request: RequestT, place: str, viewer: Viewer = TABLE
    ) -> AnswerT:
        """Answers a read of a feature: see `zimcore.features`."""
        return action(self.call(place, viewer), request)

    def call(self, place: str, viewer: Viewer = TABLE) -> ActionCall:
        """A call that reads, for the functions of features."""
        from zimcore.service.actions import ActionCall

        return ActionCall(self._writer, self._repository, place, viewer=self.seen_as(place, viewer))

    def change(
        self,
        action: Action[RequestT, AnswerT],
        body: RequestT,
        place: str,
        path: Mapping[str, Any] = NO_PATH,
        **options: Unpack[LineWriteOptions],
    ) -> AnswerT:
        """Carries out a write of a feature: see `zimcore.features`. `path` has more of the endpoint's address."""
        from zimcore.service.actions import ActionCall

        return action(ActionCall(self._writer, self._repository, place, path, **options), body)

    def bind(
        self,
        place: str,
        seat: Seat,
        key: str,
        *,
        lost: bool = False,
        signer: Signer | None = None,
        **options: Unpack[WriteOptions],
    ) -> Position:
        """Binds a seat of a game to a key (public, hex): from now on all its commands are signed, on all lines.

        A seat can't be unbound, as otherwise anyone who can write to the store could do it. To change a key, both keys
        sign, by the `signer`; if the old key is `lost` only the new key is stored, and `verify` always mentions it.
        Raises `GameError` for an invalid key, a key that has not signed, or a seat that the viewer may not play, and
        `UnknownError` for an unknown seat.
        """
        check_may_play(options.get("viewer", TABLE), seat)
        request = write_request("bind", seat, key, *["lost"] * lost, **options)
        from zimcore.service.writing import naming

        return naming.bind_seat(
            self._writer, self._repository, place, seat, key, signer or self.signer, request, is_old_key_lost=lost
        )

    def seat_bot(self, place: str, seat: Seat, bot: str, **options: Unpack[WriteOptions]) -> Position:
        """Records that a program plays a seat of a line from now on (`strong:nodes=500`), or with "" people again.

        The caller runs the program, not the service. Raises `GameError` for a seat that the viewer may not play,
        `UnknownError` for an unknown seat.
        """
        check_may_play(options.get("viewer", TABLE), seat)
        request = write_request("seat bot", seat, bot, **options)
        from zimcore.service.writing import naming

        return naming.seat_bot(self._writer, self._repository, place, seat, bot, request)

    def play_or_raise(
        self, place: str, text: str | Command, *, seat: Seat | None = None, **options: Unpack[LineWriteOptions]
    ) -> Position:
        """Plays a command like `play`, but raises `RefusedError` if it is refused."""
        answer = self.play(place, text, seat=seat, **options)
        if isinstance(answer, Refused):
            raise RefusedError(command_text(text, self._repository.line_at_head(place).game), answer)
        return answer

    def undo(self, place: str, steps: int = 1, **options: Unpack[LineWriteOptions]) -> Position:
        """Moves the head back by `steps` moves; the answers of programs go with them."""
        request = line_write_request("undo", steps, **options)
        return self._move_head(self._repository.line_at_head(place, request.key), -steps, request)

    def redo(self, place: str, steps: int = 1, **options: Unpack[LineWriteOptions]) -> Position:
        """Moves the head forward again by `steps` undone moves, with the answers of programs."""
        request = line_write_request("redo", steps, **options)
        return self._move_head(self._repository.line_at_head(place, request.key), steps, request)

    def goto(self, place: str, **options: Unpack[LineWriteOptions]) -> Position:
        """Moves the head of a line to a position."""
        parsed_place = parse_place(place)
        request = line_write_request("goto", parsed_place.position, **options)
        return self._move_head(
            self._repository.current_or_former_line(parsed_place.match, parsed_place.line, request.key),
            parsed_place.position,
            request,
        )

    def _move_head(self, loaded_line: LoadedLine, steps_or_position: int | str, request: WriteRequest) -> Position:
        """Moves a head by a number of steps, or to a position."""
        author, viewer, _, key = request
        if earlier_entries := loaded_line.earlier_entries(author, key):
            return position_for(loaded_line.position_after(earlier_entries), viewer)
        self._check_not_ended(loaded_line)
        check_head(loaded_line, request)
        names, discussion = (
            self._repository.known_names(loaded_line.match),
            self._repository.discussion(loaded_line.match),
        )
        programs, is_first_line = names.bots_on(loaded_line.name), loaded_line.name == names.first_line
        viewer = takeback_viewer(viewer, discussion.takebacks, is_first_line=is_first_line, programs=programs)
        if isinstance(steps_or_position, int):
            return position_for(self._writer.step_head(loaded_line, steps_or_position, author, viewer, key), viewer)
        return position_for(
            self._writer.move_head(
                loaded_line, self._repository.locate(loaded_line, steps_or_position), author, viewer, key
            ),
            viewer,
        )

    def _check_not_ended(self, loaded_line: LoadedLine) -> None:
        """Raises `GameError` for a match that its players have ended."""
        names = self._repository.known_names(loaded_line.match)
        if names.is_ended(loaded_line.name):
            winner = names.members.decided_for
            why = f"{winner} has won, as the only one left" if winner else "its players have voted to end it"
            hints = [f"leave {loaded_line.match} --back SEAT"] if winner else []
            raise GameError(f"{loaded_line.match} was ended", why, [*hints, f"fork {loaded_line.place} NAME"])

    def _stable_place(self, place: str, options: WriteOptions) -> tuple[str, str]:
        """The stream and position of a place, to recognise a retry by: a line may be renamed meanwhile."""
        parsed_place = parse_place(place)
        has_id = bool(options.get("command_id"))
        stream = self._repository.names(parsed_place.match).stream_of(parsed_place.line) if has_id else ""
        return stream, parsed_place.position

    def fork(
        self,
        place: str,
        name: str,
        *,
        redeal: bool = False,
        bots: bool = True,
        current: bool = True,
        **options: Unpack[LineWriteOptions],
    ) -> Position:
        """Starts a new line at a position; with `current` it becomes the author's current line.

        With `redeal` everything that the viewer's seat does not know is dealt again, so that the seat can't peek. With
        `bots` the programs that play the old line play the new one, too, unless it is a player's own line on a server.
        """
        request = line_write_request(
            "fork", *self._stable_place(place, options), name, redeal, *["alone"] * (not bots), **options
        )
        from zimcore.service.writing import naming

        return naming.fork_line(
            self._writer, self._repository, place, name, request, redeal=redeal, with_bots=bots, is_current=current
        )

    def amend(
        self,
        place: str,
        text: str | Command,
        *,
        name: str = "",
        keep: Keep = "all",
        dry_run: bool = False,
        current: bool = True,
        **options: Unpack[LineWriteOptions],
    ) -> Replay | Refused:
        """Starts a new line in which the move at a place is replaced and the moves after it are played again.

        A later command that is refused now is a conflict. `keep` says what to store then: with `"all"` nothing, with
        `"skip"` all others, with `"stop"` those before it. With `current` the new line becomes the author's current
        one; its default name is like `"amend-12"`. Returns `Refused` if the new command itself is refused. A retry
        returns what was stored, without conflicts.
        """
        if dry_run:
            options["command_id"] = ""
        request = line_write_request("amend", *self._stable_place(place, options), text, name, keep, **options)
        from zimcore.service.writing import rewriting

        return rewriting.amend(
            self._writer, self._repository, place, text, name, request, keep, is_dry_run=dry_run, is_current=current
        )

    def pick(
        self, place: str, source: str, *, keep: Keep = "all", dry_run: bool = False, **options: Unpack[LineWriteOptions]
    ) -> Replay:
        """Plays the commands of a range (`kilwa-7/what-if@4..7`) at the head of a line, in one transaction.

        Conflicts are as in `amend`.
        """
        if dry_run:
            options["command_id"] = ""
        request = line_write_request("pick", source, keep, **options)
        from zimcore.service.writing import rewriting

        return rewriting.pick(self._writer, self._repository, place, source, request, keep, is_dry_run=dry_run)

    def switch(self, place: str, **options: Unpack[LineWriteOptions]) -> Position:
        """Makes a line the author's current one, at the viewer's seat if there is one."""
        request = line_write_request("switch", *self._stable_place(place, options), **options)
        from zimcore.service.writing import naming

        return naming.switch_line(self._writer, self._repository, place, request)

    def rename(self, place: str, name: str, **options: Unpack[LineWriteOptions]) -> Position:
        """Renames a line."""
        request = line_write_request("rename", name, **options)
        from zimcore.service.writing import naming

        return naming.rename_line(self._writer, self._repository, place, name, request)

    def forget(self, place: str, **options: Unpack[LineWriteOptions]) -> Position:
        """Removes the name of a line; its commits and forks stay. Returns the position of the current line.

        Raises `UnknownError` for the game's first line, and for a line that is someone's current one.
        """
        request = line_write_request("forget", parse_place(place).line, **options)
        from zimcore.service.writing import naming

        return naming.forget_line(self._writer, self._repository, place, request)

    def tag(self, place: str, name: str, **options: Unpack[WriteOptions]) -> Sequence[TagInfo]:
        """Gives a position a name, in small letters, that all see: `kilwa-7@opening`. Returns all tags of the game.

        Raises `UnknownError` for a name that a tag or a line has, `GameError` for one that can't be a tag.
        """
        name = name.lower()
        request = write_request("tag", *self._stable_place(place, options), name, **options)
        from zimcore.service.writing import naming

        naming.tag_position(self._writer, self._repository, place, name, request)
        return self.tags(parse_place(place).match)

    def untag(self, match: str, name: str, **options: Unpack[WriteOptions]) -> Sequence[TagInfo]:
        """Removes a tag; its position stays. Returns the other tags of the game."""
        name = name.lower()
        request = write_request("untag", match, name, **options)
        from zimcore.service.writing import naming

        naming.remove_tag(self._writer, self._repository, match, name, request)
        return self.tags(match)

    def open_league(self, terms: NewLeague, *, host: str = "", **options: Unpack[WriteOptions]) -> LeagueAnswer:
        """Opens a league. With a `host` (on a server) its games are served, and that person is their host.

        Raises `UnknownError` for a name that is taken, `OptionError` for options that fit no table.
        """
        request = write_request("open league", terms, host, **options)
        from zimcore.service.social import league_commands

        league_commands.open_league(self._writer, self._repository, terms, host, request)
        return self.league(terms.name)

    def change_league(self, name: str, league_change: LeagueChange, **options: Unpack[WriteOptions]) -> LeagueAnswer:
        """Changes a league: enters a player, pairs a round, records results. Raises `GameError` for what can't follow.

        A round that is paired begins its games. Who may do what is up to the caller, such as a server.
        """
        request = write_request("change league", name, league_change, **options)
        from zimcore.service.social import league_commands

        league_commands.change_league(self._writer, self._repository, name, league_change, request)
        return self.league(name)

    def archive(self, place: str, **options: Unpack[LineWriteOptions]) -> None:
        """Removes a game from the list of games; it can still be played. `restore` lists it again."""
        self._change_archive("archive", place, **options)

    def restore(self, place: str, **options: Unpack[LineWriteOptions]) -> None:
        """Restores a deleted game, or lists an archived one again."""
        self._change_archive("restore", place, **options)

    def delete(self, place: str, **options: Unpack[LineWriteOptions]) -> None:
        """Removes the name of a game; its data stays, and `restore` brings the game back."""
        self._change_archive("delete", place, **options)

    def remove(self, place: str, **options: Unpack[LineWriteOptions]) -> None:
        """Removes all data of a game, deleted or not, for good; the catalogue records that the game existed.

        Raises `GameError` if the store is not a SQLite file, and `StoreError` if the bytes could not be erased because
        another reader had the file locked: call it again to erase them.
        """
        self._change_archive("remove", place, **options)

    def _change_archive(self, action: ArchiveAction, place: str, **options: Unpack[LineWriteOptions]) -> None:
        from zimcore.service.writing import archiving

        name = archiving.game_in(self._repository, place)
        archiving.change_archive(
            self._writer, self._repository, action, name, line_write_request(action, name, **options)
        )

    def take_back(self, place: str, operation: str = "", **options: Unpack[LineWriteOptions]) -> Position:
        """Takes an operation back: the one whose id begins with `operation`, or the last one. This can be undone, too.

        Returns the new position of the line, or of the current line if that line has lost its name.
        """
        request = line_write_request("take back", operation, **options)
        from zimcore.service.writing import operations

        return operations.take_back_operation(self._writer, self._repository, place, operation, request)

    def adopt(
        self,
        certificate: Certificate,
        place: str = "",
        *,
        by: str,
        as_recorded: bool = False,
        report: ReportProgress = ignore_progress,
        viewer: Viewer = TABLE,
    ) -> Position:
        """Verifies a certificate and stores it as a new line or game, with the same digests.

        Commits that today's rules would not give are stored only with `as_recorded`, and marked: see
        `recorded_deviation`.
        """
        check_may_write(viewer, "adopt")
        from zimcore.service.proofs import certificates

        stored_place = certificates.adopt_certificate(
            self._writer, self._repository, certificate, place, by, as_recorded=as_recorded, report=report
        )
        return self.position(stored_place, viewer)

    def record(self, kind: str, recording: Recording, name: str = "", **options: Unpack[WriteOptions]) -> Position:
        """Stores a match that another program has recorded as a new game, with its players, times and chat.

        Returns its last position. The same recording is stored once. Raises `GameError` for a name that is taken.
        """
        from zimcore.service.writing import recording as recorded

        options = {"command_id": recorded.recording_id(recording), **options}
        request = write_request("record", name, **options)
        match = recorded.begin_recorded_game(self._writer, self._repository, kind, recording, name, request)
        return self.position(match, request.viewer)

    def import_(
        self,
        lines: Iterable[bytes],
        report: ReportProgress = ignore_progress,
        *,
        by: str,
        source: str = "a file",
        as_recorded: bool = False,
    ) -> ImportedGames:
        """Imports the lines of an export, from a file or other `source`. `report` gets the progress.

        Everything is checked first, as `adopt` checks a certificate. Entries that the store already has stay. Raises
        `DamagedError`, `FaultyError`, and `ConflictError` if the store has other entries in their place: then nothing
        is stored. If it stops half way (`StoppedError`), the same import again goes on.
        """
        from zimcore.service.proofs import importing

        def draft(events: Sequence[Event]) -> Draft:
            return self._writer.draft(events, by)

        return importing.import_games(
            self._repository, lines, draft, source=source, as_recorded=as_recorded, report=report
        )
