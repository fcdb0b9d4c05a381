"""RemoteService: the door to games on a server. It offers what `GameService` offers, and raises the same errors.

What is asked is answered here, by folding what has come; what is to be changed is asked of the server, which decides.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal, NoReturn
from urllib.parse import quote

import msgspec

from event_store import ConflictError, DamagedError, TakenError
from zimcore.commits import Commit, Position
from zimcore.documents.history import RewriteAnswer
from zimcore.documents.keep import VerifyAnswer
from zimcore.documents.listings import Audit, Fault, GameInfo
from zimcore.documents.play import PlayAnswer
from zimcore.documents.positions import PositionAnswer, PositionDocument
from zimcore.documents.proceedings import (
    NewOrder,
    NewRemark,
    NewRequest,
    NewVote,
    OrdersAnswer,
    Remark,
    RequestInfo,
    RequestReply,
    RequestsAnswer,
    Takebacks,
    TalkAnswer,
    VotesAnswer,
    VoteWhat,
)
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
    NoticesAnswer,
    SeatsAnswer,
    Terms,
)
from zimcore.game import Command, GameError, HiddenError, Refused, RefusedError, Seat, UnknownError
from zimcore.games.registry import GAMES
from zimcore.remote.connection import TIMES, Answered, Connection, UnreachableError, decoded, server_of
from zimcore.remote.files import Credential, Folders, Keyring, read
from zimcore.remote.following import Follower
from zimcore.remote.lines import RemoteLines
from zimcore.service import GameService, Viewer
from zimcore.service.answers import News, Replay, Trial
from zimcore.service.asking import ONCE
from zimcore.service.bindings import Signer, changed
from zimcore.service.clocks import Clock
from zimcore.service.deciding import command_of
from zimcore.service.memberships import GameHosted, MemberEvent, TermsSet
from zimcore.service.names import next_free
from zimcore.service.open_lines import OpenLine
from zimcore.service.places import parse_place
from zimcore.service.proceedings import HelpAgreed, ProceedingsEvent, TakebacksAgreed, check_text
from zimcore.service.proofs import KEY as KEY_BYTES
from zimcore.service.proofs import message, proven
from zimcore.service.service import NO_KEYS, Heed
from zimcore.service.terms import written
from zimcore.service.visibility import TABLE, check_is_played, check_may_play_at_all
from zimcore.service.writer import Request, check_head, commutes, now

if TYPE_CHECKING:
    from zimcore.service.certificates import Certificate
    from zimcore.service.rewriting import Keep

KEY = frozenset(map(chr, range(33, 127)))
"""What a key may consist of, on its way to a server."""
MOST_KEY = 90
"""Characters of a key: the server puts others in front."""


class RemoteService(GameService):
    """Plays games on a server, as who has the tokens.

    A viewer is who looks, as ever; but nobody sees more here than their token lets them.
    """

    def __init__(
        self,
        connection: Connection,
        folders: Folders,
        clock: Callable[[], datetime] = now,
        *,
        games: Mapping[str, str] = GAMES,
        **more: Any,
    ) -> None:
        self.connection = connection
        self.folders = folders
        lines = RemoteLines(connection, games, folders, self.credentials, **more)
        super().__init__(lines.mirror, clock, games=games)
        self.remote = self._lines = lines
        self._follower: Follower | None = None

    def credentials(self) -> Sequence[Credential]:
        """All tokens of the user."""
        return read(self.folders.tokens, Keyring).tokens

    # Who looks.

    def seat_at(self, place: str) -> Seat:
        """The seat of who has the token; "" on a line of one's own without secrets, where one plays for all."""
        named = parse_place(place) if place else None
        told = self.remote.told_last(named.match) if named else None
        if named is None or told is None:
            return ""
        own = named.line.startswith(f"{told.seat}--")
        return "" if own and self.game(named.match).secrets is None else told.seat

    @property
    def away(self) -> str:
        """That the server can't be reached, while it can't."""
        return f"offline: {self.connection.server} can't be reached" if self.remote.offline else ""

    def stirred(self, place: str) -> bool:
        """Whether something may have happened around a line since this was asked last, as its feed says; it is known
        then. Who asks is not kept waiting where the server can't be reached.
        """
        named = parse_place(place)
        if self._follower is None or self._follower.place != place:
            if self._follower:
                self._follower.end()
            path = f"/v1/games/{quote(named.match)}/lines/{quote(named.line)}/feed"
            self._follower = Follower(self.connection, place, path, self.remote.token(named.match))
        if not self._follower.has_heard():
            return False
        # Who only listens is told by `away`: what is said in between would stand in the middle of what they type.
        tell, self.remote.tell = self.remote.tell, lambda _: None
        try:
            self.remote.look(named.match, named.line, now=True)
        finally:
            self.remote.tell = tell
        return True

    def has_game(self, name: str) -> bool:
        """Whether there is a game of that name: those that are known need not be listed."""
        return self.remote.told_last(name) is not None or super().has_game(name)

    def seen_as(self, place: str, viewer: Viewer) -> Viewer:
        """As whom somebody looks at a place: in a game with secrets as their token says. Raises `GameError`."""
        match = parse_place(place).match
        if self.game(match).secrets is None:
            return viewer
        told = self.remote.told(match)
        if viewer.seat and viewer.seat != told.seat:
            who = f"you are {told.seat or told.role}"
            raise GameError(f"--as {viewer.seat}", who, [f"--as {told.seat}"] if told.seat else ["seats"])
        if viewer.sees_all and not told.whole:
            raise GameError("hidden cards can't be seen here", "the server does not send them", ["without --open"])
        if viewer.sees_all:
            return viewer
        return Viewer(told.seat, viewer.plays and bool(told.seat), viewer.own)

    def position(self, place: str, viewer: Viewer = TABLE) -> Position:
        """The position with that name."""
        return super().position(place, self.seen_as(place, viewer))

    def head(self, place: str, viewer: Viewer = TABLE) -> Position:
        """The position at the head of a line. Raises `GameError` for any other position."""
        return super().head(place, self.seen_as(place, viewer))

    def try_(self, place: str, texts: Sequence[str | Command], viewer: Viewer = TABLE) -> Trial:
        """What playing these commands at a place would lead to, as far as one can know; nothing is stored."""
        return super().try_(place, texts, self.seen_as(place, viewer))

    def log(self, place: str, *, all_: bool = False, viewer: Viewer = TABLE) -> Sequence[Commit]:
        """The commits on the way to a position, first to last; with `all_` the undone ones of the line too."""
        return super().log(place, all_=all_, viewer=self.seen_as(place, viewer))

    def news(self, place: str, after: int, viewer: Viewer = TABLE) -> Sequence[News]:
        """What happened on a line after a revision."""
        return super().news(place, after, self.seen_as(place, viewer))

    def games(self, viewer: Viewer = TABLE, *, by: str = "", only: Collection[str] | None = None) -> Sequence[GameInfo]:
        """The games that one's tokens are good for, as the server lists them; offline as they were seen last."""
        infos = self.remote.listed()
        if not infos:
            names = self.remote.intact()[0].games
            return [self._as_seen(name, viewer, by) for name in names if only is None or name in only]
        return [info for name, info in infos.items() if only is None or name in only]

    def _as_seen(self, match: str, viewer: Viewer, by: str) -> GameInfo:
        """A game as it is listed, from what is here of it."""
        from zimcore.service.listing import summary_of

        told, names = self.remote.told(match), self.remote.names(match)
        found = self.remote.line(match, names.current(by, told.seat))
        head = summary_of(found, self.seen_as(match, viewer))
        return GameInfo(
            name=match,
            kind=told.kind,
            seats=head.seats,
            line=found.name,
            lines=len(names.lines),
            head=head.number,
            status=head.status,
            begun=told.begun,
            played=head.played or told.begun,
        )

    def verify(self, place: str) -> Audit:
        """Checks the chain of a line, and decides every command again; while cards are hidden the server does."""
        named = parse_place(place)
        found = self.remote.line(named.match, named.line)
        if self.remote.mirror.is_whole(found.line.stream):
            checked = super().verify(place)
            wrong = "" if checked.fault else self._deal_fault(found.match)
            fault = Fault("forged", f"{found.place}@0", wrong)
            return msgspec.structs.replace(checked, fault=fault, deal="") if wrong else checked
        path = f"/v1/games/{quote(found.match)}/lines/{quote(found.name)}/verify"
        content = self.connection.get(path, self.remote.token(found.match)).content
        self.remote.tell("cards are hidden in it: this is what the server says; all of it is checked when it is over")
        audit = decoded(content, VerifyAnswer, self.connection.server).audit
        if audit is None:
            raise DamagedError(f"{self.connection.server} says nothing of {found.place}")
        return audit

    def _deal_fault(self, match: str) -> str:
        """What is wrong with a deal that only this client knows: what it has added, and what was published."""
        mine, table = self.remote.credential(match), self.remote.known(match).table
        if mine is None or mine.game != match:
            return ""
        if mine.share and table is None:
            return "the share that you have added did not go into the deal: the server says nothing of it"
        if table is None:
            return ""
        if mine.stream != table.commit:
            return "what was published when the table opened, and stands in your link, is something else"
        if mine.share and table.shares.get(mine.seat, b"").hex() != mine.share:
            return "the share that you have added did not go into the deal"
        return ""

    def certificate(self, place: str, viewer: Viewer = TABLE) -> Certificate:
        """The certificate of a line up to a position: a file that proves it without any server."""
        return super().certificate(place, self.seen_as(place, viewer))

    # Changes.

    def new(
        self,
        kind: str,
        options: Mapping[str, str],
        *,
        name: str = "",
        by: str,
        keys: Mapping[Seat, str] = NO_KEYS,
        served: Sequence[MemberEvent] = (),
        bots: Mapping[Seat, str] = NO_KEYS,
        agreed: Sequence[ProceedingsEvent] = (),
        command_id: str = "",
        viewer: Viewer = TABLE,
    ) -> Position:
        """Begins a game, of which one is the host. Raises `GameError` for who has no account there."""
        if keys:
            raise _not_there("a game whose seats have keys can't be begun")
        body = _new_game(kind, options, name, served, bots, agreed)
        answer = self._answer(self.connection.write("POST", "/v1/games", self._account(), _key(command_id), body))
        match = answer.position.game
        self.remote.look(match, now=True)
        return self.position(f"{match}@start", viewer)

    def _account(self) -> str:
        account = next((each.token for each in self.credentials() if self._is_account(each)), "")
        if not account:
            what = f"you have no account on {self.connection.server}"
            raise GameError(what, "whoever begins a game there needs one", ["join TOKEN"])
        return account

    def open_table(
        self,
        kind: str,
        options: Mapping[str, str],
        *,
        name: str = "",
        by: str,
        served: Sequence[MemberEvent],
        bots: Mapping[Seat, str] = NO_KEYS,
        agreed: Sequence[ProceedingsEvent] = (),
        command_id: str = "",
    ) -> str:
        """Opens a table, of which one is the host; gives the name of its game."""
        body = _new_game(kind, options, name, served, bots, agreed)
        sent = self.connection.write("POST", "/v1/tables", self._account(), _key(command_id), body)
        return decoded(sent.content, SeatsAnswer, self.connection.server).game

    def deal(self, match: str, *, by: str, all_sit: bool = False) -> bool:
        """Deals a game with those who have sat down by now. For its host."""
        self.connection.write("POST", f"/v1/games/{quote(match)}/deal", self.remote.host_token(match), _key(""))
        self.remote.look(match, now=True)
        return True

    def _is_account(self, each: Credential) -> bool:
        return each.server == self.connection.server and not each.game

    def play(
        self,
        place: str,
        text: str | Command,
        *,
        by: str,
        seat: Seat | None = None,
        expected: str | None = None,
        command_id: str = "",
        among: Sequence[str] = (),
        signed: bytes = b"",
        viewer: Viewer = TABLE,
        heed: Heed | None = None,
    ) -> Position | Refused:
        """Plays a command at the head of a line, signed where its seat has a key."""
        check_may_play_at_all(viewer, text)
        viewer, found = self.seen_as(place, viewer), self.remote.at_head(place)
        if heed:
            known = self.position(place, viewer)
            heed(known.game, known.state, *command_of(known.game, known.state, text, seat))
        if not isinstance(text, str):
            check_is_played(text)
            text = found.game.notation.format(text)
        body = Move(text, seat or viewer.seat or "", signed.hex())
        mine = self.remote.credential(found.match)
        try:
            if not signed and mine and (mine.key or self.remote.bound(found)) and not self._is_own(found):
                sent = self._play_signed(found, body, mine, Request(by, viewer, expected, ONCE), command_id)
            else:
                head = self._expected(found, expected, by, viewer)
                sent = self._write("POST", found, "moves", command_id, body, head)
        except RefusedError as refused:
            return refused.refused
        played = decoded(sent.content, PlayAnswer, self.connection.server).played
        return self._arrived(found.match, found.name, played[-1].digest if played else "", viewer)

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
        """Says something to all, or notes it for oneself."""
        check_text(text)
        named = parse_place(place)
        body = NewRemark(text, own, named.line or self.remote.names(named.match).first, named.at)
        path, key = f"/v1/games/{quote(named.match)}/talk", _key(command_id)
        sent = self._sent("POST", named.match, path, key, body)
        (said,) = decoded(sent.content, TalkAnswer, self.connection.server).talk
        self.remote.look(named.match, now=True)
        return said

    def talk(self, match: str, *, by: str, whose: str = "", viewer: Viewer = TABLE) -> Sequence[Remark]:
        """What was said around a game, first to last, with one's own notes."""
        return super().talk(match, by=by, viewer=Viewer(self.remote.told(match).seat))

    def requests(self, match: str, viewer: Viewer = TABLE) -> Sequence[RequestInfo]:
        """What was asked for around a game, first to last."""
        return super().requests(match, self.seen_as(match, viewer))

    def ask(
        self,
        place: str,
        steps: int = 1,
        *,
        by: str,
        move: str = "",
        expected: str | None = None,
        command_id: str = "",
        viewer: Viewer = TABLE,
    ) -> RequestInfo:
        """Asks the others for a takeback."""
        named = parse_place(place)
        found = self.remote.line(named.match, named.line)
        head = self._expected(found, expected, by, viewer)
        body = NewRequest(steps, found.name, named.at, move)
        path, key = f"/v1/games/{quote(found.match)}/requests", _key(command_id)
        sent = self._sent("POST", found.match, path, key, body, None if head == "*" else head)
        return self._request(sent, found.match)

    def answer(
        self,
        match: str,
        what: Literal["granted", "declined", "withdrawn"],
        number: int = 0,
        *,
        by: str,
        command_id: str = "",
        viewer: Viewer = TABLE,
    ) -> RequestInfo:
        """Accepts a request, declines it or withdraws one's own."""
        seat = self.remote.told(match).seat
        number = number or self._only_request(match, seat, own=what == "withdrawn")
        path = f"/v1/games/{quote(match)}/requests/{number}"
        return self._request(self._sent("PUT", match, path, _key(command_id), RequestReply(what)), match)

    def _only_request(self, match: str, seat: Seat, *, own: bool) -> int:
        found = [each for each in self.requests(match) if each.status == "open" and (each.seat == seat) == own]
        if len(found) != 1:
            hints = [str(each.number) for each in found]
            raise UnknownError("which request" if found else "there is nothing to answer", "", hints or ["requests"])
        return found[0].number

    def _request(self, sent: Answered, match: str) -> RequestInfo:
        (found,) = decoded(sent.content, RequestsAnswer, self.connection.server).requests
        self.remote.look(match, now=True)
        return found

    def _is_own(self, found: OpenLine) -> bool:
        return found.line.stream in self.remote.known(found.match).own

    def _play_signed(
        self, found: OpenLine, body: Move, mine: Credential, request: Request, command_id: str
    ) -> Answered:
        """Signs a command for the head that is seen here, and sends it; again where it has moved on and may be played.

        What is signed is what this client makes of the text: a server that makes something else of it is refused.
        """
        key, match = _key(command_id), found.match
        for left in reversed(range(TIMES)):
            game, head = found.game, found.line.head
            state = found.states.known(head)
            seat, command = command_of(game, state, body.move, body.seat or mine.seat or None)
            if request.expected and not self._may_follow(found, request.expected, seat, command):
                check_head(found, request)
            bound = self.remote.bound(found).get(seat)
            sent = msgspec.structs.replace(body, move=game.notation.format(command), seat=seat)
            if bound:
                topic, played = self.store.codec.encode(game.evolution.EVENTS[0](seat=seat, command=command))
                asked = message(found.line.ahead[0], head, topic, played, key)
                proof = proven(mine.signs or request.by, bound.key, asked, self.signer, seat)
                sent = msgspec.structs.replace(sent, signed=proof[KEY_BYTES:].hex())
            try:
                return self._write("POST", found, "moves", key, sent, head.hex())
            except TakenError:
                raise
            except ConflictError:
                found = self.remote.line(match, found.name)
                if found.line.head == head or not left:
                    raise
        raise AssertionError

    @staticmethod
    def _may_follow(found: OpenLine, expected: str, seat: Seat, command: Command) -> bool:
        try:
            return commutes(found, expected, seat, command)
        except HiddenError:
            return False

    def orders(self, place: str, seat: Seat, viewer: Viewer = TABLE) -> OrdersAnswer:
        """What one has ordered ahead: nobody else's orders are told."""
        match = self._own_seat(place, seat)
        content = self.connection.get(f"/v1/games/{quote(match)}/orders", self.remote.token(match)).content
        return decoded(content, OrdersAnswer, self.connection.server)

    def order(
        self, place: str, text: str, *, by: str, seat: Seat, command_id: str = "", viewer: Viewer = TABLE
    ) -> OrdersAnswer:
        """Orders ahead what is to be played when one's turn comes."""
        match = self._own_seat(place, seat)
        return self._ordered(match, "POST", "", _key(command_id), NewOrder(text))

    def take_back_order(
        self, place: str, number: int, *, by: str, seat: Seat, command_id: str = "", viewer: Viewer = TABLE
    ) -> OrdersAnswer:
        """Takes an order back, by its number."""
        match = self._own_seat(place, seat)
        return self._ordered(match, "DELETE", f"/{number}", _key(command_id), None)

    def _own_seat(self, place: str, seat: Seat) -> str:
        match = parse_place(place).match
        mine = self.remote.told(match).seat
        if seat not in ("", mine):
            raise GameError(f"the orders of {seat} are not yours", f"you are {mine or 'nobody'}", ["orders"])
        return match

    def _ordered(self, match: str, method: str, more: str, key: str, body: NewOrder | None) -> OrdersAnswer:
        path = f"/v1/games/{quote(match)}/orders{more}"
        sent = self.connection.write(method, path, self.remote.token(match), key, body)
        self.remote.look(match, now=True)
        return decoded(sent.content, OrdersAnswer, self.connection.server)

    def vote(
        self, match: str, what: VoteWhat, seat: Seat = "", *, by: str, command_id: str = "", viewer: Viewer = TABLE
    ) -> VotesAnswer:
        """Votes what is to be done about a seat that is out of time."""
        path = f"/v1/games/{quote(match)}/votes"
        sent = self._sent("POST", match, path, _key(command_id), NewVote(what, seat))
        self.remote.look(match, now=True)
        return decoded(sent.content, VotesAnswer, self.connection.server)

    def votes(self, match: str) -> VotesAnswer:
        """The seats that are out of time, and how the others have voted."""
        content = self.connection.get(f"/v1/games/{quote(match)}/votes", self.remote.token(match)).content
        return decoded(content, VotesAnswer, self.connection.server)

    def notices_answer(self, match: str, wanted: NewNotices | None = None) -> NoticesAnswer:
        """How one is told what happens while one is away; or says how one wants to be."""
        path, token = f"/v1/games/{quote(match)}/notices", self.remote.token(match)
        if wanted is None:
            return decoded(self.connection.get(path, token).content, NoticesAnswer, self.connection.server)
        sent = self._sent("PUT", match, path, _key(""), wanted)
        return decoded(sent.content, NoticesAnswer, self.connection.server)

    def due(self, match: str) -> Mapping[Seat, Clock]:
        """Until when each seat that is to move has time, as the server says."""
        seats = self.remote.told(match).seats
        return {each.seat: Clock(each.paced, each.due) for each in seats if each.paced and each.due}

    def undo(
        self,
        place: str,
        steps: int = 1,
        *,
        by: str,
        expected: str | None = None,
        command_id: str = "",
        viewer: Viewer = TABLE,
    ) -> Position:
        """Moves the head that many commits back."""
        return self._move_head(place, HeadMove(steps=-steps), Request(by, viewer, expected, ONCE), command_id)

    def redo(
        self,
        place: str,
        steps: int = 1,
        *,
        by: str,
        expected: str | None = None,
        command_id: str = "",
        viewer: Viewer = TABLE,
    ) -> Position:
        """Moves the head forward again over commits that were undone."""
        return self._move_head(place, HeadMove(steps=steps), Request(by, viewer, expected, ONCE), command_id)

    def goto(
        self, place: str, *, by: str, expected: str | None = None, command_id: str = "", viewer: Viewer = TABLE
    ) -> Position:
        """Moves the head of the line to the position named."""
        named = parse_place(place)
        line = msgspec.structs.replace(named, at="")
        return self._move_head(str(line), HeadMove(to=named.at), Request(by, viewer, expected, ONCE), command_id)

    def _move_head(self, place: str, to: HeadMove, request: Request, command_id: str) -> Position:
        found, viewer = self.remote.at_head(place), self.seen_as(place, request.viewer)
        if not to.steps and not to.to:
            return self.position(place, viewer)
        head = self._expected(found, request.expected, request.by, viewer)
        answer = self._answer(self._write("PUT", found, "head", command_id, to, head))
        return self._arrived(found.match, found.name, answer.position.digest, viewer)

    def fork(
        self,
        place: str,
        name: str,
        *,
        by: str,
        redeal: bool = False,
        expected: str | None = None,
        command_id: str = "",
        viewer: Viewer = TABLE,
    ) -> Position:
        """Begins a line of one's own at the position named, and makes it the current one of whoever forks."""
        named, viewer = parse_place(place), self.seen_as(place, viewer)
        found = self.remote.line(named.match, named.line)
        body = NewLine(name, found.name, named.at, redeal)
        head = self._expected(found, expected, by, viewer)
        path, key = f"/v1/games/{quote(found.match)}/lines", _key(command_id)
        sent = self._sent("POST", found.match, path, key, body, None if head == "*" else head)
        answer = self._answer(sent)
        self.remote.look(found.match, answer.position.line, now=True)
        self.remote.choose(found.match, answer.position.line, by, viewer.seat or "")
        return self._arrived(found.match, answer.position.line, answer.position.digest, viewer)

    def rename(
        self,
        place: str,
        name: str,
        *,
        by: str,
        expected: str | None = None,
        command_id: str = "",
        viewer: Viewer = TABLE,
        shared: bool = False,
    ) -> Position:
        """Gives a line of one's own another name; where it is `shared` everybody in the game sees it, for good."""
        found, viewer = self.remote.at_head(place), self.seen_as(place, viewer)
        head = self._expected(found, expected, by, viewer)
        answer = self._answer(self._write("PUT", found, "name", command_id, LineName(name, shared), head))
        return self._arrived(found.match, answer.position.line, answer.position.digest, viewer)

    def switch(
        self, place: str, *, by: str, expected: str | None = None, command_id: str = "", viewer: Viewer = TABLE
    ) -> Position:
        """Makes a line the current one of whoever switches: which one that is only this client knows."""
        found = self.remote.at_head(place)
        check_head(found, Request(by, viewer, expected, ONCE))
        self.remote.choose(found.match, found.name, by, viewer.seat or "")
        return self.position(found.place, viewer)

    def amend(
        self,
        place: str,
        text: str | Command,
        *,
        by: str,
        name: str = "",
        expected: str | None = None,
        command_id: str = "",
        keep: Keep = "all",
        dry_run: bool = False,
        viewer: Viewer = TABLE,
    ) -> Replay | Refused:
        """Begins a line of one's own in which the move at a place is replaced, and those after it are played again."""
        viewer = self.seen_as(place, viewer)
        # What comes of it is worked out here; only where something is to be kept the server does so too.
        whole = super().amend(place, text, by=by, keep=keep, expected=expected, dry_run=True, viewer=viewer)
        if dry_run or isinstance(whole, Refused) or (whole.conflicts and keep == "all"):
            return whole
        named, found = parse_place(place), self.remote.find(place)[0]
        number = whole.commits[0].number
        text = text if isinstance(text, str) else found.game.notation.format(text)
        body = NewAmendment(named.at or str(number), text, name or self._free(found, number, command_id), keep)
        sent = self._write("POST", found, "amendments", command_id, body, self._expected(found, expected, by, viewer))
        made = decoded(sent.content, RewriteAnswer, self.connection.server).position
        self.remote.look(found.match, made.line, now=True)
        self.remote.choose(found.match, made.line, by, viewer.seat or "")
        return self._replayed(found.match, made, whole, viewer)

    def _free(self, found: OpenLine, number: int, command_id: str) -> str:
        """A name for a line with an amendment: the same for a request that is sent again."""
        if command_id:
            return f"amend-{number}-{sha256(command_id.encode()).hexdigest()[:6]}"
        own = f"{self.remote.told(found.match).seat}--"
        taken = [name.removeprefix(own) for name in self.remote.known(found.match).lines]
        return f"amend-{number}" if f"amend-{number}" not in taken else next_free(f"amend-{number}", taken)

    def pick(
        self,
        place: str,
        source: str,
        *,
        by: str,
        expected: str | None = None,
        command_id: str = "",
        keep: Keep = "all",
        dry_run: bool = False,
        viewer: Viewer = TABLE,
    ) -> Replay:
        """Plays the commands of a range at the head of a line, in one transaction."""
        viewer = self.seen_as(place, viewer)
        whole = super().pick(place, source, by=by, keep=keep, expected=expected, dry_run=True, viewer=viewer)
        if dry_run or not whole.commits or (whole.conflicts and keep == "all"):
            return whole
        found, named = self.remote.at_head(place), parse_place(source)
        body = NewPick(f"{named.line or self.remote.known(found.match).first}@{named.at}", keep)
        sent = self._write("POST", found, "picks", command_id, body, self._expected(found, expected, by, viewer))
        made = decoded(sent.content, RewriteAnswer, self.connection.server).position
        self.remote.look(found.match, found.name, now=True)
        return self._replayed(found.match, made, whole, viewer)

    def _replayed(self, match: str, made: PositionDocument, whole: Replay, viewer: Viewer) -> Replay:
        """What was played again, as it is stored."""
        position = self.position(f"{match}/{made.line}@{made.digest}", viewer)
        log = self.log(f"{match}/{made.line}@{made.digest}", viewer=viewer)
        return Replay(position, tuple(log[-len(whole.commits) :]), whole.conflicts, stored=True)

    def forget(
        self, place: str, *, by: str, expected: str | None = None, command_id: str = "", viewer: Viewer = TABLE
    ) -> Position:
        """Takes the name of a line of one's own away, and gives the position of the current line."""
        found, seat = self.remote.at_head(place), self.remote.told(parse_place(place).match).seat
        check_head(found, Request(by, viewer, expected, ONCE))
        path = f"/v1/games/{quote(found.match)}/lines/{quote(found.name)}"
        self._sent("DELETE", found.match, path, _key(command_id), None)
        names = self.remote.known(found.match)
        for each in ("", seat):
            if names.current(by, each) == found.name:
                self.remote.choose(found.match, names.first, by, each)
        self.remote.look(found.match, now=True)
        current = self.remote.known(found.match).current(by, viewer.seat or "")
        return self.position(f"{found.match}/{current}", viewer)

    def take_back(self, place: str, *_: Any, **__: Any) -> NoReturn:
        """Raises `GameError`."""
        raise _not_there("an operation can't be taken back", [f"undo {place}"])

    def archive(self, place: str, **__: Any) -> NoReturn:
        """Raises `GameError`."""
        raise _not_there("a game can't be archived")

    def restore(self, place: str, **__: Any) -> NoReturn:
        """Raises `GameError`."""
        raise _not_there("a game can't be taken out again")

    def delete(self, place: str, **__: Any) -> NoReturn:
        """Raises `GameError`."""
        raise _not_there("a game can't be deleted")

    def remove(self, place: str, **__: Any) -> NoReturn:
        """Raises `GameError`."""
        raise _not_there("a game can't be deleted")

    def seat_bot(self, place: str, *_: Any, **__: Any) -> NoReturn:
        """Raises `GameError`."""
        raise _not_there("a seat can't be given to a program")

    def bind(
        self,
        place: str,
        seat: Seat,
        key: str,
        *,
        by: str,
        lost: bool = False,
        signer: Signer | None = None,
        command_id: str = "",
        viewer: Viewer = TABLE,
    ) -> Position:
        """Binds one's seat to a key, or to another; the host says where one is lost."""
        found, mine = self.remote.at_head(place), self.remote.credential(parse_place(place).match)
        body = NewKey(key, lost=lost)
        before = self.remote.known(found.match).keys.get(seat)
        whose = (mine.signs if mine else "") or by
        if before and not lost:
            change = changed(found.line.ahead[0], seat, before, key, whose, signer or self.signer, lost=False)
            body = NewKey(key, change.signed.hex(), change.proof.hex())
        path = f"/v1/games/{quote(found.match)}/seats/{quote(seat)}/key"
        self._sent("PUT", found.match, path, _key(command_id), body)
        self.remote.look(found.match, now=True)
        return self.position(found.place, viewer)

    def enrol(self, match: str, *_: Any, **__: Any) -> NoReturn:
        """Raises `GameError`."""
        raise _not_there("who takes part is changed otherwise", ["invite", "leave"])

    def adopt(self, *_: Any, **__: Any) -> NoReturn:
        """Raises `GameError`."""
        raise _not_there("nothing can be imported", ["zim --store sqlite:///PATH import FILE"])

    def import_(self, *_: Any, **__: Any) -> NoReturn:
        """Raises `GameError`."""
        raise _not_there("nothing can be imported", ["zim --store sqlite:///PATH import FILE"])

    # On the way.

    def _expected(self, found: OpenLine, expected: str | None, by: str, viewer: Viewer) -> str:
        """The whole digest of the head that was seen, `*` for any. Raises `ConflictError` where it was never there."""
        if not expected:
            return "*"
        seen = next((each for each in reversed(found.line.commits) if each.hex().startswith(expected)), None)
        if seen is None or len(expected) < 4:
            check_head(found, Request(by, viewer, expected, ONCE))
        return (seen or found.line.head).hex()

    def _write(
        self, method: str, found: OpenLine, what: str, command_id: str, body: msgspec.Struct, head: str
    ) -> Answered:
        path = f"/v1/games/{quote(found.match)}/lines/{quote(found.name)}/{what}"
        return self._sent(method, found.match, path, _key(command_id), body, head)

    def _sent(
        self, method: str, match: str, path: str, key: str, body: msgspec.Struct | None, head: str | None = None
    ) -> Answered:
        try:
            return self.connection.write(method, path, self.remote.token(match), key, body, head)
        except UnreachableError as error:
            why = f"{error.why}; what was read can be looked at, but nothing can be changed"
            hints = (f"the same with --id {key}: it is done once",)
            raise UnreachableError(f"offline: {error.what}", why, hints) from None
        except ConflictError:
            self.remote.look(match, now=True)
            raise

    def _answer(self, sent: Answered) -> PositionAnswer:
        return decoded(sent.content, PositionAnswer, self.connection.server)

    def _arrived(self, match: str, line: str, digest: str, viewer: Viewer) -> Position:
        """The position that a change has led to, which is read here as any other."""
        self.remote.look(match, line, now=True)
        return self.position(f"{match}/{line}@{digest}", viewer)


def _new_game(
    kind: str,
    options: Mapping[str, str],
    name: str,
    served: Sequence[MemberEvent],
    bots: Mapping[Seat, str],
    agreed: Sequence[ProceedingsEvent],
) -> NewGame:
    """A game to begin, as it is asked of a server."""
    takebacks: Takebacks = next((each.how for each in agreed if isinstance(each, TakebacksAgreed)), "ask")
    helps = all(each.helps for each in agreed if isinstance(each, HelpAgreed))
    public = any(each.public for each in served if isinstance(each, GameHosted))
    terms = {key: text for each in served if isinstance(each, TermsSet) for key, text in written(each).items()}
    return NewGame(kind, dict(options), name, public, takebacks, helps, dict(bots), Terms(**terms))


def _key(command_id: str) -> str:
    """The key of a request: the id that was given, as far as it is one on the network; else a random one.

    >>> _key("c1"), _key("try it")
    ('c1', 'id-a8b81981ee4e0dc497dac3211b694d1f')
    """
    if not command_id:
        return secrets.token_hex(16)
    if len(command_id) <= MOST_KEY and KEY.issuperset(command_id):
        return command_id
    return f"id-{sha256(command_id.encode()).hexdigest()[:32]}"


def _not_there(what: str, hints: Sequence[str] = ()) -> GameError:
    return GameError(f"{what} on a server", "it does not offer that", hints)


def open_remote(url: str, folders: Folders, **more: Any) -> RemoteService:
    """The service at a URL. Raises `StoreError` for one that is none."""
    return RemoteService(Connection(server_of(url)), folders, **more)
