"""RemoteService: the client for games on a server, for players and spectators. It raises the errors of `GameService`.

It answers reads by itself, by replaying the entries it has received, and sends writes to the server, which decides.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Unpack

import msgspec

from event_store import ConflictError, DamagedError, TakenError
from zimcore.commits import Position
from zimcore.documents import endpoints
from zimcore.documents.discussion import (
    NewOrder,
    NewRemark,
    OrdersAnswer,
    Remark,
    Takebacks,
)
from zimcore.documents.endpoint import AnswerT, Endpoint, Nothing, RequestT
from zimcore.documents.history import RewriteAnswer
from zimcore.documents.leagues import LeagueAnswer, LeagueChange, LeagueInfo, NewLeague
from zimcore.documents.listings import Audit, Fault, GameInfo, Operation, TagInfo
from zimcore.documents.play import PlayAnswer
from zimcore.documents.query_parameters import PageQuery
from zimcore.documents.seats import (
    HeadMove,
    LineName,
    Move,
    NewAmendment,
    NewGame,
    NewKey,
    NewLine,
    NewNotices,
    NewPick,
    NewTag,
    NoticesAnswer,
    Terms,
)
from zimcore.game import Command, GameError, HiddenError, Refused, RefusedError, Seat, UnknownError
from zimcore.games.registry import GAMES
from zimcore.remote.client_files import Credential, Folders, Keyring, read_file
from zimcore.remote.connection import MAX_ATTEMPTS, Connection, UnreachableError, new_idempotency_key, server_address
from zimcore.remote.feed_follower import Follower
from zimcore.remote.remote_lines import RemoteLines
from zimcore.remote.replica import ReplicaService, answered_by_replica
from zimcore.service import Viewer
from zimcore.service.lines.clocks import Clock
from zimcore.service.lines.line_repository import LoadedLine
from zimcore.service.lines.visibility import TABLE, check_is_played, check_may_play_at_all
from zimcore.service.records.bindings import Signer, sign_key_change
from zimcore.service.records.deciding import command_text, read_command
from zimcore.service.records.discussion import DiscussionEvent, HelpAgreed, TakebacksAgreed, check_text
from zimcore.service.records.free_names import free_name
from zimcore.service.records.idempotency import NO_KEY
from zimcore.service.records.memberships import GameHosted, HouseRulesSet, MemberEvent, TermsSet
from zimcore.service.records.places import check_characters, parse_place
from zimcore.service.records.results import Replay
from zimcore.service.records.signed_commands import KEY_BYTES as KEY_BYTES
from zimcore.service.records.signed_commands import command_message, sign_command
from zimcore.service.records.terms import term_texts
from zimcore.service.service import NO_PATH, NO_SEATS, BeforePlay
from zimcore.service.writing.writer import (
    LineWriteOptions,
    WriteOptions,
    WriteRequest,
    check_head,
    commutes,
    current_time,
)
from zimcore.toolkit.progress import ReportProgress, ignore_progress

if TYPE_CHECKING:
    from zimcore.service.actions import Action
    from zimcore.service.writing.rewriting import Keep

KEY_CHARACTERS = frozenset(map(chr, range(33, 127)))
"""The characters that an idempotency key may have in a request."""
MAX_KEY_LENGTH = 90
"""The most characters of an idempotency key: the server adds a prefix."""


class RemoteService:
    """Plays and watches games on a server with the user's tokens, with the same methods as `GameService`.

    Viewers work as in `GameService`, but none sees more than the token allows. The class inherits nothing: first come
    the methods that the replica answers, then those that ask the server. Methods to administer a store are missing.
    """

    def __init__(
        self,
        connection: Connection,
        folders: Folders,
        clock: Callable[[], datetime] = current_time,
        *,
        games: Mapping[str, str] = GAMES,
        **line_options: Any,
    ) -> None:
        self.connection = connection
        self.folders = folders
        self.kinds = games
        self.signer: Signer | None = None
        self.remote_lines = RemoteLines(connection, games, folders, self.credentials, **line_options)
        self._replica = ReplicaService(self.remote_lines, clock, games)
        self._follower: Follower | None = None

    position = answered_by_replica(ReplicaService.position)
    head = answered_by_replica(ReplicaService.head)
    parse = answered_by_replica(ReplicaService.parse)
    try_ = answered_by_replica(ReplicaService.try_)
    log = answered_by_replica(ReplicaService.log)
    log_of_lines = answered_by_replica(ReplicaService.log_of_lines)
    marks = answered_by_replica(ReplicaService.marks)
    tags = answered_by_replica(ReplicaService.tags)
    news = answered_by_replica(ReplicaService.news)
    revision = answered_by_replica(ReplicaService.revision)
    discussion = answered_by_replica(ReplicaService.discussion)
    hides = answered_by_replica(ReplicaService.hides)
    game = answered_by_replica(ReplicaService.game)
    game_of = answered_by_replica(ReplicaService.game_of)
    game_names = answered_by_replica(ReplicaService.game_names)
    has_game = answered_by_replica(ReplicaService.has_game)
    names = answered_by_replica(ReplicaService.names)
    lines = answered_by_replica(ReplicaService.lines)
    line_names = answered_by_replica(ReplicaService.line_names)
    current_line = answered_by_replica(ReplicaService.current_line)
    resolve = answered_by_replica(ReplicaService.resolve)
    loss = answered_by_replica(ReplicaService.loss)
    recorded_deviation = answered_by_replica(ReplicaService.recorded_deviation)
    site_links = answered_by_replica(ReplicaService.site_links)
    certificate = answered_by_replica(ReplicaService.certificate)

    @property
    def url(self) -> str:
        """The address of the server."""
        return self.connection.server

    def credentials(self) -> Sequence[Credential]:
        """All tokens of the user, on this and other servers."""
        return read_file(self.folders.tokens_file, Keyring).tokens

    # The viewer, and what has changed.

    def seat_at(self, place: str) -> Seat:
        """The seat of the token; "" on your own line of a game without secrets, where you play all seats."""
        parsed_place = parse_place(place) if place else None
        copy_answer = self.remote_lines.last_copy_answer(parsed_place.match) if parsed_place else None
        if parsed_place is None or copy_answer is None:
            return ""
        is_own_line = parsed_place.line.startswith(f"{copy_answer.seat}--")
        return "" if is_own_line and self.game(parsed_place.match).secrets is None else copy_answer.seat

    def role_at(self, place: str) -> str:
        """The role of the token (see `Role`); "keyboard" on your own line of a game without secrets."""
        match = parse_place(place).match
        copy_answer = self.remote_lines.copy_answer(match)
        return "keyboard" if copy_answer.seat and not self.seat_at(place) else copy_answer.role

    @property
    def offline_reason(self) -> str:
        """Says that the server can't be reached; "" while it can."""
        return f"offline: {self.connection.server} can't be reached" if self.remote_lines.is_offline else ""

    def may_have_changed(self, place: str) -> bool:
        """Whether a line or its discussion may have changed since the last call, by its feed; if so, loads what is new.

        Does not wait for a server that can't be reached.
        """
        parsed_place = parse_place(place)
        if self._follower is None or (self._follower.match, self._follower.line) != (
            parsed_place.match,
            parsed_place.line,
        ):
            if self._follower:
                self._follower.end()
            self._follower = Follower(
                self.connection, parsed_place.match, parsed_place.line, self.remote_lines.token(parsed_place.match)
            )
        if not self._follower.may_have_changed():
            return False
        # No message here that the server can't be reached: it would appear in the middle of what the user is typing.
        # The caller shows `offline_reason` instead.
        notify, self.remote_lines.notify = self.remote_lines.notify, lambda _: None
        try:
            self.remote_lines.refresh(parsed_place.match, parsed_place.line, now=True)
        finally:
            self.remote_lines.notify = notify
        return True

    def players(self, match: str) -> Mapping[Seat, str] | None:
        """The player at each taken seat of the game whose line is followed, as the server last said; else None."""
        return self._follower.players if self._follower and self._follower.match == match else None

    def games(
        self,
        viewer: Viewer = TABLE,
        *,
        by: str = "",
        only: Collection[str] | None = None,
        report: ReportProgress = ignore_progress,
    ) -> Sequence[GameInfo]:
        """The games that your tokens are valid for, as the server lists them; offline as they were last seen."""
        del report  # the server has made the list
        game_infos = self.remote_lines.game_infos()
        if not game_infos:
            names = self.remote_lines.readable_catalogue()[0].games
            return [self._info_as_seen(name, viewer, by) for name in names if only is None or name in only]
        return [info for name, info in game_infos.items() if only is None or name in only]

    def damaged_names(self) -> Sequence[str]:
        """What is damaged in the server's list of games: some games that you host may be missing from the list."""
        self.remote_lines.catalogue()
        return list(self.remote_lines.reasons_unlisted)

    def _info_as_seen(self, match: str, viewer: Viewer, by: str) -> GameInfo:
        """The list entry of a game, from the entries on this machine."""
        from zimcore.service.writing.listing import projection_for

        copy_answer, names = self.remote_lines.copy_answer(match), self.remote_lines.names(match)
        line = self.remote_lines.line(match, names.current_line(by, copy_answer.seat))
        projection = projection_for(line, self._replica.seen_as(match, viewer))
        return GameInfo(
            name=match,
            kind=copy_answer.kind,
            seats=projection.seats,
            line=line.name,
            lines=len(names.lines),
            head=projection.number,
            status=projection.status,
            begun=copy_answer.begun,
            played=projection.played_at or copy_answer.begun,
        )

    def verify(self, place: str, *, by: str = "", viewer: Viewer = TABLE) -> Audit:
        """Checks the hash chain of a line, and decides every command again; while cards are hidden the server does.

        A check keeps no copy of what it reads.
        """
        with self.remote_lines.keeping_no_copies():
            return self._verify(place, by, viewer)

    def _verify(self, place: str, by: str, viewer: Viewer) -> Audit:
        place = self.current_line(place, by=by, viewer=viewer)
        parsed_place = parse_place(place)
        line = self.remote_lines.line(parsed_place.match, parsed_place.line)
        if self.remote_lines.mirror.is_complete(line.line.stream):
            replica_audit = self._replica.verify(place)
            deal_fault = "" if replica_audit.fault else self._deal_fault(line.match)
            fault = Fault("forged", f"{line.place}@0", deal_fault)
            return msgspec.structs.replace(replica_audit, fault=fault, deal="") if deal_fault else replica_audit
        audit = self._ask(endpoints.VERIFY, line.match, Nothing(), line=line.name).audit
        self.remote_lines.notify(
            "cards are hidden in it: this is what the server says; everything is checked when the game is over"
        )
        if audit is None:
            raise DamagedError(f"{self.connection.server} has nothing about {line.place}")
        return audit

    def _deal_fault(self, match: str) -> str:
        """What is wrong with a deal, by this client's own share and the commitment in its token; "" for nothing."""
        credential, table = self.remote_lines.credential(match), self.remote_lines.known_names(match).table
        if credential is None or credential.game != match:
            return ""
        if credential.share and table is None:
            return "your share is not in the deal: the server has nothing about it"
        if table is None:
            return ""
        if credential.stream != table.commitment:
            return "your link contains another commitment, published when the table opened"
        if credential.share and table.shares.get(credential.seat, b"").hex() != credential.share:
            return "your share is not in the deal"
        return ""

    # Changes.

    def new(
        self,
        kind: str,
        options: Mapping[str, str],
        *,
        name: str = "",
        served: Sequence[MemberEvent] = (),
        bots: Mapping[Seat, str] = NO_SEATS,
        agreed: Sequence[DiscussionEvent] = (),
        **write_options: Unpack[WriteOptions],
    ) -> Position:
        """Begins a game, as its host. Raises `GameError` without an account on the server."""
        body, key = _new_game_body(kind, options, name, served, bots, agreed), key_of(write_options)
        match = self.connection.ask(endpoints.BEGIN, body, self._account_token(), key).position.game
        self.remote_lines.refresh(match, now=True)
        return self.position(f"{match}@start", write_options.get("viewer", TABLE))

    def _account_token(self) -> str:
        token = next((credential.token for credential in self.credentials() if self._is_account(credential)), "")
        if not token:
            self.remote_lines.catalogue()  # a server that can't be reached is the reason to name
            title = f"you have no account on {self.connection.server}"
            raise GameError(title, "you need one to start a game there", ["join TOKEN"])
        return token

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
        """Opens a table, as its host; returns the name of its game."""
        body = _new_game_body(kind, options, name, served, bots, agreed)
        return self.connection.ask(endpoints.OPEN_TABLE, body, self._account_token(), _idempotency_key(command_id)).game

    def leagues(self) -> Sequence[LeagueInfo]:
        """The leagues that your tokens let you see; none without a token."""
        token, leagues = self._any_token(), list[LeagueInfo]()
        self.remote_lines.catalogue()  # raises the error of a server that can't be reached, which has not said "none"
        while token:
            page = self.connection.ask(endpoints.LEAGUES, PageQuery(len(leagues) - 1), token).leagues
            for league in page:
                check_characters(league.name)
            leagues += page
            if len(page) < PageQuery().limit:
                break
        return leagues

    def league(self, name: str) -> LeagueAnswer:
        """A league, as the server shows it."""
        token = self._any_token()
        if not token:
            self.remote_lines.catalogue()
            raise UnknownError(f"there is no league called {name!r}", "you have no token there", ["join TOKEN"])
        return _without_command_name(self.connection.ask(endpoints.LEAGUE, Nothing(), token, league=name))

    def open_league(self, terms: NewLeague, **options: Unpack[WriteOptions]) -> LeagueAnswer:
        """Opens a league, as its host."""
        return _without_command_name(
            self.connection.ask(endpoints.OPEN_LEAGUE, terms, self._account_token(), key_of(options))
        )

    def change_league(self, name: str, league_change: LeagueChange, **options: Unpack[WriteOptions]) -> LeagueAnswer:
        """Changes a league, as the server lets you."""
        token, key = self._account_token(), key_of(options)
        answer = self.connection.ask(endpoints.CHANGE_LEAGUE, league_change, token, key, league=name)
        return _without_command_name(answer)

    def _any_token(self) -> str:
        server_credentials = [
            credential for credential in self.credentials() if credential.server == self.connection.server
        ]
        return next(
            (
                credential.token
                for credential in sorted(server_credentials, key=lambda credential: bool(credential.game))
            ),
            "",
        )

    def deal(self, match: str, *, by: str, only_if_full: bool = False) -> bool:
        """Deals a game with those who have sat down by now. For its host."""
        self.connection.ask(endpoints.DEAL, Nothing(), self.remote_lines.host_token(match), game=match)
        self.remote_lines.refresh(match, now=True)
        return True

    def _is_account(self, credential: Credential) -> bool:
        return credential.server == self.connection.server and not credential.game

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
        """Plays a command at the head of a line, signed where its seat has a key."""
        viewer = options.get("viewer", TABLE)
        check_may_play_at_all(viewer, text)
        viewer, line = self._replica.seen_as(place, viewer), self.remote_lines.line_at_head(place)
        options["viewer"] = viewer
        if before_play:
            position = self.position(place, viewer)
            before_play(position.game, position.state, *read_command(position.game, position.state, text, seat))
        if not isinstance(text, str):
            check_is_played(text)
        move = Move(command_text(text, line.game), seat or viewer.seat or "", signed.hex())
        credential = self.remote_lines.credential(line.match)
        try:
            if (
                not signed
                and credential
                and (credential.key or self.remote_lines.bindings_on(line))
                and not self._is_own(line)
            ):
                play_answer = self._play_signed(line, move, credential, options)
            else:
                play_answer = self._ask_at_head(endpoints.PLAY, line, move, options)
        except RefusedError as error:
            return error.refused
        return self._position_after(
            line.match, line.name, play_answer.played[-1].digest if play_answer.played else "", viewer
        )

    def play_or_raise(
        self, place: str, text: str | Command, *, seat: Seat | None = None, **options: Unpack[LineWriteOptions]
    ) -> Position:
        """Like `play`, but raises `RefusedError` instead of returning `Refused`."""
        answer = self.play(place, text, seat=seat, **options)
        if isinstance(answer, Refused):
            raise RefusedError(command_text(text, self.game(parse_place(place).match)), answer)
        return answer

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
        """Sends a message to all, or adds a note for yourself (`own`)."""
        check_text(text)
        parsed_place = parse_place(place)
        body = NewRemark(
            text,
            own,
            parsed_place.line or self.remote_lines.names(parsed_place.match).first_line,
            parsed_place.position,
        )
        options = WriteOptions(by=by, command_id=command_id, viewer=viewer)
        (remark,) = self._send_change(endpoints.SAY, parsed_place.match, body, options).talk
        return remark

    def talk(self, match: str, *, by: str, whose: str = "", viewer: Viewer = TABLE) -> Sequence[Remark]:
        """The chat of a game, first to last, with your own notes."""
        return self._replica.talk(match, by=by, viewer=Viewer(self.remote_lines.copy_answer(match).seat))

    def _is_own(self, loaded_line: LoadedLine) -> bool:
        return loaded_line.line.stream in self.remote_lines.known_names(loaded_line.match).own_streams

    def _play_signed(
        self, loaded_line: LoadedLine, body: Move, credential: Credential, options: LineWriteOptions
    ) -> PlayAnswer:
        """Signs a command for the current head, and sends it. If the head has moved on, tries again with the new head,
        up to `MAX_ATTEMPTS` times, if the command does not conflict with the moves in between.

        The client parses the text itself and signs the command, so the server can't make another command of it.
        """
        key, match, expected = key_of(options), loaded_line.match, options.get("expected")
        for attempts_left in reversed(range(MAX_ATTEMPTS)):
            game, head = loaded_line.game, loaded_line.line.head
            state = loaded_line.states.state_at(head)
            seat, command = read_command(game, state, body.move, body.seat or credential.seat or None)
            if expected and not self._may_follow(loaded_line, expected, seat, command):
                check_head(loaded_line, _write_request(options))
            binding = self.remote_lines.bindings_on(loaded_line).get(seat)
            signed_move = msgspec.structs.replace(body, move=game.notation.format(command), seat=seat)
            if binding:
                topic, played_bytes = self.remote_lines.mirror.codec.encode(
                    game.evolution.EVENTS[0](seat=seat, command=command)
                )
                message_bytes = command_message(loaded_line.line.path[0], head, topic, played_bytes, key)
                proof = sign_command(credential.signs or options["by"], binding.key, message_bytes, self.signer, seat)
                signed_move = msgspec.structs.replace(signed_move, signed=proof[KEY_BYTES:].hex())
            try:
                return self._ask(endpoints.PLAY, match, signed_move, key, head.hex(), line=loaded_line.name)
            except TakenError:
                raise
            except ConflictError:
                loaded_line = self.remote_lines.line(match, loaded_line.name)
                if loaded_line.line.head == head or not attempts_left:
                    raise
        raise AssertionError

    @staticmethod
    def _may_follow(loaded_line: LoadedLine, expected: str, seat: Seat, command: Command) -> bool:
        try:
            return commutes(loaded_line, expected, seat, command)
        except HiddenError:
            return False

    def orders(self, place: str, seat: Seat, viewer: Viewer = TABLE) -> OrdersAnswer:
        """Your own standing orders."""
        return self._ask(endpoints.ORDERS, self._match_of_own_seat(place, seat), Nothing())

    def order(self, place: str, text: str, *, seat: Seat, **options: Unpack[WriteOptions]) -> OrdersAnswer:
        """Adds a standing order, which is played when your turn comes."""
        return self._send_change(endpoints.ORDER, self._match_of_own_seat(place, seat), NewOrder(text), options)

    def take_back_order(self, place: str, number: int, *, seat: Seat, **options: Unpack[WriteOptions]) -> OrdersAnswer:
        """Takes a standing order back, by its number."""
        match = self._match_of_own_seat(place, seat)
        return self._send_change(endpoints.TAKE_BACK_ORDER, match, Nothing(), options, order=number)

    def _match_of_own_seat(self, place: str, seat: Seat) -> str:
        match = parse_place(place).match
        own_seat = self.remote_lines.copy_answer(match).seat
        if seat not in ("", own_seat):
            raise GameError(f"the orders of {seat} are not yours", f"you are {own_seat or 'nobody'}", ["orders"])
        return match

    def query(
        self, action: Action[RequestT, AnswerT], request: RequestT, place: str, viewer: Viewer = TABLE
    ) -> AnswerT:
        """Answers a read of a feature (see `zimcore.features`), or asks the server."""
        if action.folded:
            return self._replica.query(action, request, place, viewer)
        return self._ask(action.row, parse_place(place).match, request)

    def change(
        self,
        action: Action[RequestT, AnswerT],
        body: RequestT,
        place: str,
        path: Mapping[str, Any] = NO_PATH,
        **options: Unpack[LineWriteOptions],
    ) -> AnswerT:
        """Sends a write of a feature to the server. A body with a `line` gets the line and position of the place."""
        parsed_place, head = parse_place(place), "*"
        if "line" in body.__struct_fields__:
            line = self.remote_lines.line(parsed_place.match, parsed_place.line)
            body = msgspec.structs.replace(body, line=line.name, at=parsed_place.position)
            head = "*" if action.row.if_match == "never" else self._seen_head(line, options)
        if action.implied_number and not path:
            path = {"number": self._implied_number(action, body, parsed_place.match, options)}
        return self._send_change(action.row, parsed_place.match, body, options, head, **path)

    def _implied_number(
        self, action: Action[RequestT, AnswerT], body: RequestT, match: str, options: WriteOptions
    ) -> int:
        action_id = f"{action.row.name} {options.get('command_id')}"
        number = int(self.remote_lines.implied(match, action_id) or 0)
        if not number and action.implied_number:
            viewer = Viewer(self.remote_lines.copy_answer(match).seat)
            number = action.implied_number(self._replica.call(match, viewer), body)
        if options.get("command_id"):  # a retry means the same, though that may no longer be there
            self.remote_lines.remember_implied(match, action_id, str(number))
        return number

    def notices_answer(self, match: str, notices: NewNotices | None = None) -> NoticesAnswer:
        """How you are notified while you are away; with `notices` changes it first."""
        if notices is None:
            return self._ask(endpoints.NOTICES, match, Nothing())
        return self._ask(endpoints.WANT_NOTICES, match, notices)

    def due(self, match: str) -> Mapping[Seat, Clock]:
        """The clock of each seat to move, as the server last said."""
        seats = self.remote_lines.copy_answer(match).seats
        return {info.seat: Clock(info.paced, info.due) for info in seats if info.paced and info.due}

    def bots(self, place: str) -> Mapping[Seat, str]:
        """The bots that play on the server, by seat, on the match."""
        parsed_place = parse_place(place)
        copy_answer, first_line = (
            self.remote_lines.copy_answer(parsed_place.match),
            self.remote_lines.known_names(parsed_place.match).first_line,
        )
        seats = copy_answer.seats if parsed_place.line in ("", first_line) else ()
        return {info.seat: info.by for info in seats if info.bot and info.since is None}

    def operations(self, place: str) -> Sequence[Operation]:
        """All operations on a line and on the names of its game, first to last, as far as the server shows them."""
        line, known_operations = self.remote_lines.line_at_head(place), list[Operation]()
        while True:
            page_query = PageQuery(since=len(known_operations) - 1)
            page = self._ask(endpoints.OPERATIONS, line.match, page_query, line=line.name).operations or ()
            known_operations += page
            if len(page) < page_query.limit:
                return known_operations

    def undo(self, place: str, steps: int = 1, **options: Unpack[LineWriteOptions]) -> Position:
        """Moves the head of a line back by `steps` commits."""
        return self._move_head(place, HeadMove(steps=-steps), options)

    def redo(self, place: str, steps: int = 1, **options: Unpack[LineWriteOptions]) -> Position:
        """Moves the head of a line forward again, over `steps` undone commits."""
        return self._move_head(place, HeadMove(steps=steps), options)

    def goto(self, place: str, **options: Unpack[LineWriteOptions]) -> Position:
        """Moves the head of the line to the position named."""
        parsed_place = parse_place(place)
        return self._move_head(
            str(msgspec.structs.replace(parsed_place, position="")), HeadMove(to=parsed_place.position), options
        )

    def _move_head(self, place: str, head_move: HeadMove, options: LineWriteOptions) -> Position:
        self._check_role(endpoints.MOVE_HEAD, parse_place(place).match)
        line, viewer = self.remote_lines.line_at_head(place), self._viewer(place, options)
        if not head_move.steps and not head_move.to:
            return self.position(place, viewer)
        answer = self._ask_at_head(endpoints.MOVE_HEAD, line, head_move, options).position
        return self._position_after(line.match, line.name, answer.digest, viewer)

    def fork(
        self, place: str, name: str, *, redeal: bool = False, current: bool = True, **options: Unpack[LineWriteOptions]
    ) -> Position:
        """Begins a line of your own at a position; with `current` it becomes your current line."""
        parsed_place, viewer = parse_place(place), self._viewer(place, options)
        self._check_role(endpoints.FORK, parsed_place.match)
        line = self.remote_lines.line(parsed_place.match, parsed_place.line)
        body, head = NewLine(name, line.name, parsed_place.position, redeal), self._seen_head(line, options)
        answer = self._ask(endpoints.FORK, line.match, body, key_of(options), head).position
        self.remote_lines.refresh(line.match, answer.line, now=True)
        if current:
            self.remote_lines.choose(line.match, answer.line, options["by"])
        return self._position_after(line.match, answer.line, answer.digest, viewer)

    def rename(self, place: str, name: str, *, shared: bool = False, **options: Unpack[LineWriteOptions]) -> Position:
        """Renames a line of your own; once it is `shared` all players in the game see it, for good."""
        self._check_role(endpoints.RENAME, parse_place(place).match)
        line, viewer = self.remote_lines.line_at_head(place), self._viewer(place, options)
        answer = self._ask_at_head(endpoints.RENAME, line, LineName(name, shared), options).position
        return self._position_after(line.match, answer.line, answer.digest, viewer)

    def tag(self, place: str, name: str, **options: Unpack[WriteOptions]) -> Sequence[TagInfo]:
        """Gives a position a name that all in the game see. Returns all tags of the game."""
        parsed_place = parse_place(place)
        self._check_role(endpoints.TAG, parsed_place.match)
        line, digest = self.remote_lines.find(place)
        body = NewTag(line.name, digest.hex() if parsed_place.position else "")
        return self._send_change(endpoints.TAG, line.match, body, options, tag=name.lower()).tags

    def untag(self, match: str, name: str, **options: Unpack[WriteOptions]) -> Sequence[TagInfo]:
        """Removes a tag. Returns the other tags of the game."""
        return self._send_change(endpoints.UNTAG, match, Nothing(), options, tag=name.lower()).tags

    def switch(self, place: str, **options: Unpack[LineWriteOptions]) -> Position:
        """Makes a line your current one: only this client remembers it."""
        line, viewer = self.remote_lines.line_at_head(place), options.get("viewer", TABLE)
        check_head(line, _write_request(options))
        self.remote_lines.choose(line.match, line.name, options["by"])
        return self.position(line.place, viewer)

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
        """Begins a line of your own in which the move at a place is replaced, and those after it are played again."""
        viewer = options["viewer"] = self._viewer(place, options)
        if not dry_run:
            self._check_role(endpoints.AMEND, parse_place(place).match)
        # Replayed here first; the server replays it only if the result is to be stored. With a command id it may have
        # stored it long ago, whatever has become of the line since.
        with self._replica.hinting_as_sent(place):
            preview = self._replica.amend(place, text, keep=keep, dry_run=True, **options)
        if dry_run or not (options.get("command_id") or _is_stored(preview, keep)):
            return preview
        (line, digest), position_name = self.remote_lines.find(place), parse_place(place).position
        number = line.line.commit_numbers[digest]
        name = name or self._free_line_name(line, number, options.get("command_id", ""))
        body = NewAmendment(position_name or str(number), command_text(text, line.game), name, keep)
        try:
            answer = self._ask_at_head(endpoints.AMEND, line, body, options)
        except RefusedError as error:
            return error.refused
        if not answer.stored:
            return preview
        self.remote_lines.refresh(line.match, answer.position.line, now=True)
        if current:
            self.remote_lines.choose(line.match, answer.position.line, options["by"])
        return self._stored_replay(line.match, answer, preview, viewer)

    def _check_role(self, endpoint: Endpoint[RequestT, AnswerT], match: str) -> None:
        """Says, as the server would, that a change is not for this role: before what else is wrong with it."""
        role = self.remote_lines.copy_answer(match).role
        if role not in endpoint.roles:
            what = f"this is for a {' or '.join(endpoint.roles)}"
            is_host = role == "host"
            why = "you host this game, and have no seat in it" if is_host else f"your token is for a {role}"
            raise GameError(what, why, [f"seats {match}"])

    def _free_line_name(self, loaded_line: LoadedLine, number: int, command_id: str) -> str:
        """A free name for the line of an amendment: the same if the request is sent again."""
        if command_id:
            return f"amend-{number}-{sha256(command_id.encode()).hexdigest()[:6]}"
        own_prefix = f"{self.remote_lines.copy_answer(loaded_line.match).seat}--"
        used_names = [name.removeprefix(own_prefix) for name in self.remote_lines.known_names(loaded_line.match).lines]
        return free_name(f"amend-{number}", used_names.__contains__)

    def pick(
        self, place: str, source: str, *, keep: Keep = "all", dry_run: bool = False, **options: Unpack[LineWriteOptions]
    ) -> Replay:
        """Plays the commands of a range at the head of a line, in one transaction."""
        viewer = options["viewer"] = self._viewer(place, options)
        if not dry_run:
            self._check_role(endpoints.PICK, parse_place(place).match)
        with self._replica.hinting_as_sent(place):
            preview = self._replica.pick(place, source, keep=keep, dry_run=True, **options)
        if dry_run or not (options.get("command_id") or _is_stored(preview, keep)):
            return preview
        line, source_place = self.remote_lines.line_at_head(place), parse_place(source)
        body = NewPick(
            f"{source_place.line or self.remote_lines.known_names(line.match).first_line}@{source_place.position}", keep
        )
        answer = self._ask_at_head(endpoints.PICK, line, body, options)
        if not answer.stored:
            return preview
        self.remote_lines.refresh(line.match, line.name, now=True)
        return self._stored_replay(line.match, answer, preview, viewer)

    def _stored_replay(self, match: str, answer: RewriteAnswer, preview: Replay | Refused, viewer: Viewer) -> Replay:
        """The result of a replay, as the server stored it."""
        place = f"{match}/{answer.position.line}@{answer.position.digest}"
        position, commits = self.position(place, viewer), self.log(place, viewer=viewer)
        conflicts = preview.conflicts if answer.conflicts and isinstance(preview, Replay) else ()
        return Replay(position, tuple(commits[-len(answer.played) :]), conflicts, stored=True)

    def forget(self, place: str, **options: Unpack[LineWriteOptions]) -> Position:
        """Removes the name of a line of your own, and returns the position of the current line."""
        by, viewer, match, name = options["by"], options.get("viewer", TABLE), parse_place(place).match, ""
        self._check_role(endpoints.FORGET, match)
        try:
            line = self.remote_lines.line_at_head(place)
            check_head(line, _write_request(options))
            name = line.name
        except UnknownError:
            if not options.get("command_id"):
                raise
        self._ask(endpoints.FORGET, match, Nothing(), key_of(options), line=name or parse_place(place).line)
        names = self.remote_lines.known_names(match)
        if names.current_line(by) == name:
            self.remote_lines.choose(match, names.first_line, by)
        self.remote_lines.refresh(match, now=True)
        current_line = self.remote_lines.known_names(match).current_line(by, viewer.seat or "")
        return self.position(f"{match}/{current_line}", viewer)

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
        """Binds your seat to a key, or to a new one; the host does this for a lost key."""
        line, credential = self.remote_lines.line_at_head(place), self.remote_lines.credential(parse_place(place).match)
        body = NewKey(key, lost=lost)
        binding = self.remote_lines.known_names(line.match).all_bindings.get(seat)
        signer_name = (credential.signs if credential else "") or options["by"]
        if binding and not lost:
            changed_key = sign_key_change(
                line.line.path[0], seat, binding, key, signer_name, signer or self.signer, is_old_key_lost=False
            )
            body = NewKey(key, changed_key.signed.hex(), changed_key.proof.hex())
        self._send_change(endpoints.BIND, line.match, body, options, seat=seat)
        return self.position(line.place, options.get("viewer", TABLE))

    # Requests.

    def position_of_id(self, place: str, command_id: str, viewer: Viewer = TABLE) -> Position | None:
        """The position after the first commit made with a command id on a line, as far as the server shows it."""
        return self._replica.position_of_id(place, _idempotency_key(command_id), viewer)

    def places_of_id(self, place: str, command_id: str, *, by: str, viewer: Viewer = TABLE) -> Sequence[str]:
        """The place that a place without a line meant when a command id was used first; empty for a new id.

        The server knows no current lines: this client remembers them.
        """
        del by, viewer
        parsed_place = parse_place(place)
        names = self.remote_lines.names(parsed_place.match)
        line = names.name_of(self.remote_lines.implied(parsed_place.match, command_id))
        return [str(msgspec.structs.replace(parsed_place, line=line))] if line else []

    @contextmanager
    def remember_place(self, place: str, command_id: str) -> Iterator[None]:
        """Remembers the line of a write before it is sent; forgets it if the server refuses the write."""
        parsed_place = parse_place(place)
        stream = self.remote_lines.names(parsed_place.match).stream_of(parsed_place.line)
        self.remote_lines.remember_implied(parsed_place.match, command_id, stream)
        try:
            yield
        except UnreachableError:  # it may have been done
            raise
        except Exception:
            self.remote_lines.remember_implied(parsed_place.match, command_id, "")
            raise

    def _viewer(self, place: str, options: WriteOptions) -> Viewer:
        return self._replica.seen_as(place, options.get("viewer", TABLE))

    def _seen_head(self, loaded_line: LoadedLine, options: LineWriteOptions) -> str:
        """The full digest of the head that the caller saw, `*` for any. Raises `ConflictError` if it is unknown."""
        expected = options.get("expected")
        if not expected:
            return "*"
        seen_commit = next(
            (digest for digest in reversed(loaded_line.line.commits) if digest.hex().startswith(expected)), None
        )
        if seen_commit is None or len(expected) < 4:
            check_head(loaded_line, _write_request(options))
        return (seen_commit or loaded_line.line.head).hex()

    def _ask(
        self,
        endpoint: Endpoint[RequestT, AnswerT],
        match: str,
        body: RequestT,
        key: str = "",
        head: str = "*",
        **path: str | int,
    ) -> AnswerT:
        """Asks the server about a game, with the token for it."""
        key, token = key or new_idempotency_key(), self.remote_lines.token(match)
        try:
            return self.connection.ask(endpoint, body, token, key, head, game=match, **path)
        except UnreachableError as error:
            if endpoint.reads:
                raise
            why = f"{error.why}; you can look at what was read, but change nothing"
            hints = (f"the same with --id {key}: it is done only once",)
            raise UnreachableError(f"offline: {error.what}", why, hints) from None
        except ConflictError:
            self.remote_lines.refresh(match, now=True)
            raise

    def _ask_at_head(
        self, endpoint: Endpoint[RequestT, AnswerT], loaded_line: LoadedLine, body: RequestT, options: LineWriteOptions
    ) -> AnswerT:
        """Sends a change of a line to the server, with the head that the caller saw."""
        return self._ask(
            endpoint,
            loaded_line.match,
            body,
            key_of(options),
            self._seen_head(loaded_line, options),
            line=loaded_line.name,
        )

    def _send_change(
        self,
        endpoint: Endpoint[RequestT, AnswerT],
        match: str,
        body: RequestT,
        options: WriteOptions,
        head: str = "*",
        **path: str | int,
    ) -> AnswerT:
        """Sends a change of a game to the server, and then loads what is new."""
        answer = self._ask(endpoint, match, body, key_of(options), head, **path)
        self.remote_lines.refresh(match, now=True)
        return answer

    def _position_after(self, match: str, line: str, digest: str, viewer: Viewer) -> Position:
        """The position after a change, read from the replica like any other."""
        self.remote_lines.refresh(match, line, now=True)
        return self.position(f"{match}/{line}@{digest}", viewer)


def _is_stored(preview: Replay | Refused, keep: Keep) -> bool:
    """Whether the server will store a replay, by its preview. With a command id only the server knows: see `amend`."""
    return isinstance(preview, Replay) and bool(preview.commits) and not (preview.conflicts and keep == "all")


def _without_command_name(answer: LeagueAnswer) -> LeagueAnswer:
    """The answer as the service gives it, without the name of a command."""
    return msgspec.structs.replace(answer, command="")


def _write_request(options: LineWriteOptions) -> WriteRequest:
    return WriteRequest(options["by"], options.get("viewer", TABLE), options.get("expected"), NO_KEY)


def key_of(options: WriteOptions) -> str:
    """The idempotency key of a write, from its command id."""
    return _idempotency_key(options.get("command_id", ""))


def _new_game_body(
    kind: str,
    options: Mapping[str, str],
    name: str,
    served: Sequence[MemberEvent],
    bots: Mapping[Seat, str],
    agreed: Sequence[DiscussionEvent],
) -> NewGame:
    """The request body for a new game."""
    takebacks: Takebacks = next((event.how for event in agreed if isinstance(event, TakebacksAgreed)), "ask")
    helps = all(event.helps for event in agreed if isinstance(event, HelpAgreed))
    is_public = any(event.public for event in served if isinstance(event, GameHosted))
    terms = {key: value for event in served if isinstance(event, TermsSet) for key, value in term_texts(event).items()}
    has_house_rules = any(isinstance(event, HouseRulesSet) for event in served)
    return NewGame(kind, dict(options), name, is_public, takebacks, helps, dict(bots), Terms(**terms), has_house_rules)


def _idempotency_key(command_id: str) -> str:
    """The idempotency key for a command id: the id if it is valid as a key, else a hash of it; random without an id.

    >>> _idempotency_key("c1"), _idempotency_key("try it")
    ('c1', 'id-a8b81981ee4e0dc497dac3211b694d1f')
    """
    if not command_id:
        return new_idempotency_key()
    if len(command_id) <= MAX_KEY_LENGTH and KEY_CHARACTERS.issuperset(command_id):
        return command_id
    return f"id-{sha256(command_id.encode()).hexdigest()[:32]}"


def open_remote(url: str, folders: Folders, **service_options: Any) -> RemoteService:
    """The service at a URL. Raises `StoreError` for an invalid URL."""
    return RemoteService(Connection(server_address(url)), folders, **service_options)
