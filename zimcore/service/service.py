"""GameService: the only way to the games of a store. Every client plays, undoes, forks and asks through it.

Modules that only some calls need are imported in those calls, so that a command starts quickly.

In other words: service layer, facade.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, Unpack

from event_store import Draft, EventStore, StoreError
from zimcore.commits import Position
from zimcore.documents.discussion import OrdersAnswer, Remark, RequestInfo, StandingOrder, VotesAnswer, VoteWhat
from zimcore.game import Command, Event, Game, GameError, Refused, RefusedError, Seat
from zimcore.games.registry import GAMES
from zimcore.service.bindings import Signer
from zimcore.service.deciding import command_of, command_text, decide_commit
from zimcore.service.discussion import DiscussionEvent, NoticesWanted
from zimcore.service.line_repository import LineRepository, LoadedLine
from zimcore.service.memberships import MemberEvent, Members, TermsSet
from zimcore.service.names import NameEvent
from zimcore.service.places import parse_place
from zimcore.service.queries import Queries
from zimcore.service.results import Replay
from zimcore.service.signed_commands import prove_command
from zimcore.service.visibility import (
    TABLE,
    Viewer,
    check_is_played,
    check_may_play,
    check_may_play_at_all,
    check_may_write,
    check_no_peeking,
    position_for,
    refusal_for,
    state_for,
    takes_back,
)
from zimcore.service.writer import (
    LineWriteOptions,
    WriteOptions,
    Writer,
    WriteRequest,
    check_head,
    commutes,
    line_write_request,
    new_id,
    now,
    seat_in,
    write_request,
)

if TYPE_CHECKING:
    from zimcore.service.archiving import ArchiveAction
    from zimcore.service.certificates import Certificate
    from zimcore.service.rewriting import Keep


BeforePlay: TypeAlias = Callable[[Game, Any, Seat, Command], object]
"""A hook before a command is stored. It gets the game, the state as the viewer knows it (not to be changed), the seat
and the command, and may raise."""
MAX_DELAYS = 8
"""Delays of which lines are kept open."""
NO_KEYS: Mapping[Seat, str] = MappingProxyType({})
"""Where no seat is bound, or played by a program."""


class GameService(Queries):
    """Plays games in a store.

    A place is named by a text everywhere: `kilwa-7` (the head of the line that it began with), `kilwa-7/what-if`,
    `kilwa-7/main@12`, `kilwa-7@r4.zulu` (see `places`). Each person has a current line: `resolve` knows it.
    Methods raise `UnknownError` for what does not exist, `GameError` for what can't be read, and those of `event_store`
    (`ConflictError`, `StoreError`) as they are.

    All that writes is asked for `by` somebody. With a `command_id` the same again, by the same person, gets the answer
    of the first time and does nothing; with another content, or by somebody else, it raises `TakenError`. With what is
    `expected`, the digest of the head of its line as its user saw it (four hex digits or more), it raises
    `ConflictError` if the line has moved on since. Ids are looked for first.

    A `viewer` is who looks: answers hide what they may not see, while commands are decided on the whole state. The
    default is the table, so that a caller who forgets the argument hides too much and never too little.

    Commands of a seat that is bound to a key are signed by the `signer`, which belongs to their player: a service
    has no keys.

    A service belongs to one thread; any number of services, in any number of processes, may share a store.
    """

    def __init__(
        self,
        store: EventStore,
        clock: Callable[[], datetime] = now,
        *,
        games: Mapping[str, str] = GAMES,
        ids: Callable[[], str] = new_id,
        signer: Signer | None = None,
        lines: LineRepository | None = None,
    ) -> None:
        super().__init__(store, clock, games, lines)
        self.signer = signer
        self._writer = Writer(store, clock, ids)
        self._delayed: dict[tuple[int, int], GameService] = {}

    def delayed_service(self, terms: TermsSet) -> GameService:
        """The games as spectators see them under such terms: as they were a while ago. Nothing is written there."""
        behind = terms.behind_moves, terms.behind
        if behind not in self._delayed:
            from event_store.delayed import DelayedStore

            if len(self._delayed) >= MAX_DELAYS:
                del self._delayed[next(iter(self._delayed))]
            store = DelayedStore(
                self.store, self.clock, commits=behind[0], age=timedelta(seconds=behind[1]), at_once=("names",)
            )
            self._delayed[behind] = GameService(store, self.clock, games=self.kinds)
        return self._delayed[behind]

    def new(
        self,
        kind: str,
        options: Mapping[str, str],
        *,
        name: str = "",
        keys: Mapping[Seat, str] = NO_KEYS,
        served: Sequence[MemberEvent] = (),
        bots: Mapping[Seat, str] = NO_KEYS,
        agreed: Sequence[DiscussionEvent] = (),
        **asked: Unpack[WriteOptions],
    ) -> Position:
        """Sets up a game on a line called `main`; without a name it gets the next free one (`kilwa-7`).

        The option `seed` is a number; without it one is drawn. `keys` bind seats: see `bind`. One that is `served` has
        a host; `bots` are the programs that play, by their seats: see `seat_bot`. How it is played is `agreed` from the
        start, as far as that is not the usual way. Raises `OptionError`.
        """
        about = (kind, sorted(options.items()), name, sorted(keys.items()), *served, *sorted(bots.items()), *agreed)
        request = write_request("new", *about, **asked)
        from zimcore.service import naming

        begun = naming.begin(self._writer, self._lines, kind, options, name, keys, served, bots, agreed, request)
        return self.position(f"{begun}@start", request.viewer)

    def play(
        self,
        place: str,
        text: str | Command,
        *,
        seat: Seat | None = None,
        among: Sequence[str] = (),
        signed: bytes = b"",
        before_play: BeforePlay | None = None,
        **asked: Unpack[LineWriteOptions],
    ) -> Position | Refused:
        """Plays a command at the head of a line; `among` are all that are asked for together, each with an id.

        A line that has moved on is no conflict where all that was played since commutes with the command, unless it was
        `signed` elsewhere: for the head that is `expected`, with the `command_id`, and for no other. What others have
        ordered ahead is played then, too; the answer is as before that. Raises `GameError` for a seat that the viewer
        may not play, and what `heed` raises, which is called before anything is decided.
        """
        check_may_play_at_all(asked.get("viewer", TABLE), text)  # before anything is read that the answer could hang on
        answer = self._play(
            place, text, seat, line_write_request("play", seat, text, *among, **asked), before_play, signed
        )
        if isinstance(answer, Position) and answer.line == self._lines.known_names(answer.match).first:
            self._carry_out(self._lines.first(answer.match))
        return answer

    def carry_out(self, match: str) -> None:
        """Plays the standing orders of a game that can be played now."""
        self._carry_out(self._lines.line(match))

    def _carry_out(self, found: LoadedLine) -> None:
        from zimcore.service import standing_orders

        def play(found: LoadedLine, command: Command, order: StandingOrder, id_: str) -> Position | Refused:
            by, seat, head = standing_orders.ORDER_AUTHOR + order.by, order.seat, found.line.head.hex()
            asked: LineWriteOptions = {"by": by, "expected": head, "command_id": id_, "viewer": Viewer(seat)}
            return self._play(found.place, command, seat, line_write_request("play", seat, command, **asked))

        # What was played before stands, whatever becomes of that: it is due still when the next one plays.
        with suppress(GameError, StoreError):
            standing_orders.carry_out(self._writer, self._lines, found, play)

    def order(self, place: str, text: str, *, seat: Seat, **asked: Unpack[WriteOptions]) -> OrdersAnswer:
        """Orders ahead what is to be played when a seat's turn comes; where that is now, it is played now.

        Raises `NotationError` for a text that is no order, `GameError` for a seat that the viewer may not play.
        """
        request = write_request("order", text, seat, **asked)
        from zimcore.service import standing_orders

        standing_orders.give_order(self._writer, self._lines, place, seat, text, request)
        self.carry_out(parse_place(place).match)
        return self.orders(place, seat, request.viewer)

    def take_back_order(self, place: str, number: int, *, seat: Seat, **asked: Unpack[WriteOptions]) -> OrdersAnswer:
        """Takes an order back, by its number. Raises `UnknownError` for one that does not hold."""
        request = write_request("take back order", number, seat, **asked)
        from zimcore.service import standing_orders

        standing_orders.take_back_order(self._writer, self._lines, place, seat, number, request)
        return self.orders(place, seat, request.viewer)

    def _play(
        self,
        place: str,
        text: str | Command,
        seat: Seat | None,
        request: WriteRequest,
        heed: BeforePlay | None = None,
        signed: bytes = b"",
    ) -> Position | Refused:
        by, viewer, expected, asked = request
        found = self._lines.at_head(place, asked)
        if made := found.earlier_entries(
            by, asked
        ):  # before all checks: the answer of a retry is that of the first attempt
            return position_for(found.answer(made), viewer)
        self._check_goes_on(found)
        state = found.states.state_at(found.line.head)
        # Parsed against what the viewer knows: what a text may be short for must not depend on hidden cards.
        known = state_for(found.game, state, viewer)
        seat, command = command_of(found.game, known, text, seat)
        check_is_played(command)
        check_may_play(viewer, seat)
        if signed or not commutes(found, expected, seat, command):
            check_head(found, request)
        if heed:
            heed(found.game, known, seat, command)
        answer = decide_commit(found.game, state, seat, command)
        if isinstance(answer, Refused):
            return refusal_for(found.game, state, seat, command, answer, viewer)
        bound = self._lines.bindings_on(found).get(seat)
        if signed and not bound:
            raise GameError(f"{seat}'s commands are not signed", "it has no key here", ["seats"])
        signer = (lambda *_: signed) if signed else self.signer
        prove = partial(prove_command, by, bound.key, signer=signer, seat=seat) if bound else None
        return position_for(self._writer.commit(found, answer, by, asked, prove), viewer)

    def open_table(
        self,
        kind: str,
        options: Mapping[str, str],
        *,
        name: str = "",
        by: str,
        served: Sequence[MemberEvent],
        bots: Mapping[Seat, str] = NO_KEYS,
        agreed: Sequence[DiscussionEvent] = (),
        command_id: str = "",
    ) -> str:
        """Opens a table for a game that is dealt when all have sat down, by what each has added; gives its name.

        Until then reading it raises `NotDealtError`. Raises `OptionError`, `GameError` for a seed.
        """
        from zimcore.service import naming

        about = (kind, sorted(options.items()), name, served, bots, agreed)
        request = write_request("open", *about, by=by, command_id=command_id)
        return naming.open_table(self._writer, self._lines, kind, options, name, served, bots, agreed, request)

    def deal(self, match: str, *, by: str, all_sit: bool = False) -> bool:
        """Deals a game whose table is open, with those who sit there, or if `all_sit`; whether it is dealt then."""
        from zimcore.service import naming

        return naming.deal(self._writer, self._lines, match, by, all_sit=all_sit)

    def enrol(
        self,
        match: str,
        choose: Callable[[Members], Sequence[NameEvent]],
        *about: object,
        by: str,
        command_id: str = "",
    ) -> tuple[Sequence[Event], Members]:
        """Changes who takes part in a game, or without one who has an account: by the events that `choose` makes.

        `about` is what is asked for, by which a retry is known. Gives what was stored, and how the members stand then.
        Raises `GameError` for what can't be: a seat that is taken, a link that was used.
        """
        request = write_request("enrol", *about, by=by, command_id=command_id)
        from zimcore.service import naming

        return naming.enrol(self._writer, self._lines, match, choose, request)

    def say(
        self, place: str, text: str, *, own: bool = False, whose: str = "", **asked: Unpack[WriteOptions]
    ) -> Remark:
        """Says something to all, about a game or about a position; or as a private note, which only its author sees.

        `whose` is as in `talk`. Raises `GameError` for what can't be said.
        """
        where = parse_place(place)
        request = write_request("say", where.line, where.at, text, own, seat_in(asked), **asked)
        from zimcore.service import chat

        return chat.say(self._writer, self._lines, place, text, (whose or request.by) if own else "", request)

    def ask(self, place: str, steps: int = 1, *, move: str = "", **asked: Unpack[LineWriteOptions]) -> RequestInfo:
        """Asks the others to take so many moves of a line back; or the one at a place, for another `move`.

        What the later moves come to then is part of the request. It is done at once if no consent is needed.
        """
        where = parse_place(place)
        request = line_write_request("ask", where.line, where.at, steps, move, seat_in(asked), **asked)
        from zimcore.service import takeback_requests

        return takeback_requests.ask(self._writer, self._lines, place, steps, move, request)

    def answer(
        self,
        match: str,
        what: Literal["granted", "declined", "withdrawn"],
        number: int = 0,
        **asked: Unpack[WriteOptions],
    ) -> RequestInfo:
        """Accepts a request, declines it or withdraws one's own; without a number the only one that there is.

        With the last who has to agree it is done.
        """
        request = write_request("answer", what, number, seat_in(asked), **asked)
        from zimcore.service import takeback_requests

        return takeback_requests.answer(self._writer, self._lines, match, number, what, request)

    def notices(self, match: str, whose: str) -> NoticesWanted | None:
        """How a player (by the id of their token) wants to be notified while away."""
        return self._lines.discussion(match, whose).notices

    def want_notices(
        self, match: str, kind: str, values: Mapping[str, str], *, by: str, whose: str, command_id: str = ""
    ) -> NoticesWanted | None:
        """Sets how a player wants to be notified while away; without a kind not at all."""
        request = write_request("notices", kind, sorted(values.items()), by=by, command_id=command_id)
        from zimcore.service import notifications

        return notifications.set_wanted_notices(
            self._writer, self._lines, match, whose, NoticesWanted(kind, values), request
        )

    def notices_due(self, match: str, seat: Seat, whose: str) -> Sequence[str]:
        """The notifications that are due for a seat. They are stored as sent."""
        from zimcore.service import notifications

        return notifications.due(self._writer, self._lines, match, seat, whose)

    def vote(self, match: str, what: VoteWhat, seat: Seat = "", **asked: Unpack[WriteOptions]) -> VotesAnswer:
        """Votes what is to be done about a seat that is out of time; with the last who has to agree it is done.

        Raises `GameError` for who has no vote, and for a seat that has time.
        """
        request = write_request("vote", what, seat, seat_in(asked), **asked)
        from zimcore.service import votes

        return votes.cast(self._writer, self._lines, match, what, seat, request)

    def votes(self, match: str) -> VotesAnswer:
        """The seats of a match that are out of time, and how the others have voted."""
        from zimcore.service import votes

        return votes.answer(self._lines, match, self.clock())

    def bind(
        self,
        place: str,
        seat: Seat,
        key: str,
        *,
        lost: bool = False,
        signer: Signer | None = None,
        **asked: Unpack[WriteOptions],
    ) -> Position:
        """Binds a seat of a game to a key (public, hex): from now on each of its commands is signed, on all lines.

        That is for good: who holds the store could else unbind it. A seat that has a key changes it: both keys sign
        that, by the `signer`, unless the old one is `lost`, which `verify` tells for ever. Raises `GameError` for a key
        that is none, a seat that the viewer may not play, a key that has not signed; `UnknownError` for a seat that is
        not there.
        """
        check_may_play(asked.get("viewer", TABLE), seat)
        request = write_request("bind", seat, key, *["lost"] * lost, **asked)
        from zimcore.service import naming

        return naming.bind(self._writer, self._lines, place, seat, key, signer or self.signer, request, lost=lost)

    def seat_bot(self, place: str, seat: Seat, bot: str, **asked: Unpack[WriteOptions]) -> Position:
        """Says that a program plays a seat of a line from here on (`strong:nodes=500`), or with "" people again.

        The caller runs the program; the service has none. Raises `GameError` for a seat that the viewer
        may not play, `UnknownError` for one that is not there.
        """
        check_may_play(asked.get("viewer", TABLE), seat)
        request = write_request("seat bot", seat, bot, **asked)
        from zimcore.service import naming

        return naming.seat_bot(self._writer, self._lines, place, seat, bot, request)

    def play_or_raise(
        self, place: str, text: str | Command, *, seat: Seat | None = None, **asked: Unpack[LineWriteOptions]
    ) -> Position:
        """The same for those who expect to be right: raises `RefusedError` where `play` answers `Refused`."""
        answer = self.play(place, text, seat=seat, **asked)
        if isinstance(answer, Refused):
            raise RefusedError(command_text(text, self._lines.at_head(place).game), answer)
        return answer

    def undo(self, place: str, steps: int = 1, **asked: Unpack[LineWriteOptions]) -> Position:
        """Moves the head that many commits back."""
        request = line_write_request("undo", steps, **asked)
        return self._move(self._lines.at_head(place, request.key), -steps, request)

    def redo(self, place: str, steps: int = 1, **asked: Unpack[LineWriteOptions]) -> Position:
        """Moves the head forward again over commits that were undone."""
        request = line_write_request("redo", steps, **asked)
        return self._move(self._lines.at_head(place, request.key), steps, request)

    def goto(self, place: str, **asked: Unpack[LineWriteOptions]) -> Position:
        """Moves the head of the line to the position named."""
        named = parse_place(place)
        request = line_write_request("goto", named.at, **asked)
        return self._move(self._lines.asked_line(named.match, named.line, request.key), named.at, request)

    def _move(self, found: LoadedLine, to: int | str, request: WriteRequest) -> Position:
        """Moves a head by so many steps, or to a position."""
        by, viewer, _, asked = request
        if made := found.earlier_entries(by, asked):
            return position_for(found.answer(made), viewer)
        self._check_goes_on(found)
        check_head(found, request)
        names, agreed = self._lines.known_names(found.match), self._lines.discussion(found.match)
        viewer = takes_back(viewer, agreed.takebacks, is_match=found.name == names.first)
        if isinstance(to, int):
            return position_for(self._writer.step(found, to, by, viewer, asked), viewer)
        return position_for(self._writer.move(found, self._lines.locate(found, to), by, viewer, asked), viewer)

    def _check_goes_on(self, found: LoadedLine) -> None:
        """Raises `GameError` for a match that those who play it have ended."""
        names = self._lines.known_names(found.match)
        if names.members.ended and found.name == names.first:
            raise GameError(
                f"{found.match} was ended", "its players have voted to end it", [f"fork {found.place} NAME"]
            )

    def _where(self, place: str, asked: LineWriteOptions) -> tuple[str, str]:
        """The stream and the position that a place names, as what is asked for: a line may have other names later."""
        named = parse_place(place)
        return self._lines.names(named.match).stream_of(named.line) if asked.get("command_id") else "", named.at

    def fork(
        self,
        place: str,
        name: str,
        *,
        redeal: bool = False,
        bots: bool = False,
        **asked: Unpack[LineWriteOptions],
    ) -> Position:
        """Begins a new line at a position and makes it the current one of its author.

        With `redeal` all that the viewer's seat does not know is dealt anew there, so that it can't peek. With
        `bots` the programs that play the line which it leaves play the new one, too.
        """
        request = line_write_request("fork", *self._where(place, asked), name, redeal, *["bots"] * bots, **asked)
        from zimcore.service import naming

        return naming.fork(self._writer, self._lines, place, name, request, redeal=redeal, bots=bots)

    def amend(
        self,
        place: str,
        text: str | Command,
        *,
        name: str = "",
        keep: Keep = "all",
        dry_run: bool = False,
        **asked: Unpack[LineWriteOptions],
    ) -> Replay | Refused:
        """Begins a new line in which the move at a place is replaced, and those after it are played again.

        A later command that is refused now is a conflict. `keep` says what is stored then: nothing (`all` or nothing),
        all the others (`skip`), or those before it (`stop`). The new line becomes the current one; without a name it
        is called `amend-12`. It answers `Refused` if the new command itself is refused. A retry gives what was stored,
        without the conflicts.
        """
        if dry_run:
            asked["command_id"] = ""
        request = line_write_request("amend", *self._where(place, asked), text, name, keep, **asked)
        check_no_peeking(self._lines.game(parse_place(place).match), request.viewer, "amend")
        from zimcore.service import rewriting

        return rewriting.amend(self._writer, self._lines, place, text, name, request, keep, dry=dry_run)

    def pick(
        self, place: str, source: str, *, keep: Keep = "all", dry_run: bool = False, **asked: Unpack[LineWriteOptions]
    ) -> Replay:
        """Plays the commands of a range (`kilwa-7/what-if@4..7`) at the head of a line, in one transaction.

        Conflicts are as in `amend`.
        """
        if dry_run:
            asked["command_id"] = ""
        request = line_write_request("pick", source, keep, **asked)
        check_no_peeking(self._lines.game(parse_place(place).match), request.viewer, "pick")
        from zimcore.service import rewriting

        return rewriting.pick(self._writer, self._lines, place, source, request, keep, dry=dry_run)

    def switch(self, place: str, **asked: Unpack[LineWriteOptions]) -> Position:
        """Makes a line the current one of its author: at the viewer's seat, if there is one."""
        request = line_write_request("switch", *self._where(place, asked), **asked)
        from zimcore.service import naming

        return naming.switch(self._writer, self._lines, place, request)

    def rename(self, place: str, name: str, **asked: Unpack[LineWriteOptions]) -> Position:
        """Gives a line another name."""
        request = line_write_request("rename", name, **asked)
        from zimcore.service import naming

        return naming.rename(self._writer, self._lines, place, name, request)

    def forget(self, place: str, **asked: Unpack[LineWriteOptions]) -> Position:
        """Takes the name of a line away; its commits stay, and so do lines that were forked from it.

        Gives the position of the current line. Where anybody is, the name can't be taken away.
        """
        request = line_write_request("forget", parse_place(place).line, **asked)
        from zimcore.service import naming

        return naming.forget(self._writer, self._lines, place, request)

    def archive(self, place: str, **asked: Unpack[LineWriteOptions]) -> None:
        """Takes a game from the list of games; it can be played on as ever. `restore` lists it again."""
        self._shelve("archive", place, **asked)

    def restore(self, place: str, **asked: Unpack[LineWriteOptions]) -> None:
        """Gives a game that was deleted its name back; lists one that was archived again."""
        self._shelve("restore", place, **asked)

    def delete(self, place: str, **asked: Unpack[LineWriteOptions]) -> None:
        """Takes the name of a game away; all that is stored of it stays, and `restore` gives the name back."""
        self._shelve("delete", place, **asked)

    def remove(self, place: str, **asked: Unpack[LineWriteOptions]) -> None:
        """Removes all that is stored of a game, deleted or not, for good; the catalogue says that it was there.

        Raises `GameError` where the store is no file, `StoreError` where its bytes could not be taken out of the file
        since others have it open: asked for again it does that.
        """
        self._shelve("remove", place, **asked)

    def _shelve(self, what: ArchiveAction, place: str, **asked: Unpack[LineWriteOptions]) -> None:
        from zimcore.service import archiving

        name = archiving.game_in(place)
        archiving.change_archive(self._writer, self._lines, what, name, line_write_request(what, name, **asked))

    def take_back(self, place: str, operation: str = "", **asked: Unpack[LineWriteOptions]) -> Position:
        """Takes an operation back: the one whose id begins so, or the last one. That can be taken back in turn.

        Gives the position of the line then, or of the current line if that line has no name any more.
        """
        request = line_write_request("take back", operation, **asked)
        from zimcore.service import operations

        return operations.take_back(self._writer, self._lines, place, operation, request)

    def adopt(
        self,
        certificate: Certificate,
        place: str = "",
        *,
        by: str,
        as_recorded: bool = False,
        report: Callable[[int, int], None] = lambda done, of: None,
        viewer: Viewer = TABLE,
    ) -> Position:
        """Verifies a certificate, and stores it as a new line or game, with the same digests.

        What today's rules would not give is stored only `as_recorded`, which marks it for ever; see `recorded`.
        """
        check_may_write(viewer, "adopt")
        from zimcore.service import certificates

        where = certificates.adopt(
            self._writer, self._lines, certificate, place, by, as_recorded=as_recorded, report=report
        )
        return self.position(where, viewer)

    def import_(
        self,
        lines: Iterable[bytes],
        report: Callable[[int, int], None] = lambda done, of: None,
        *,
        by: str,
        as_recorded: bool = False,
    ) -> int:
        """Stores the lines of an export, reports how far it has come, and gives how many entries there are.

        All of it is checked first, as `adopt` checks a certificate. Entries that are stored already stay as they are.
        Raises `DamagedError`, `FaultyError`, and `ConflictError` where the store has other entries in their place: then
        nothing is stored.
        """
        from zimcore.service import importing

        def draft(events: Sequence[Event]) -> Draft:
            return self._writer.draft(events, by)

        return importing.import_games(self._lines, lines, draft, as_recorded=as_recorded, report=report)
