"""Feeds: the events of a line as they happen. All listeners who see the same share one list of encoded messages.

The id of a message says where the line is after it (`41.3.7`: revision 41, 3 changes of seats, 7 entries of the
discussion). So a client can continue from there on any process, at any later time. Messages are in the order of their
times, so that a message has the same id when it is sent again. One task for each list reads the store forward. A
subscriber is only the id of the last message it got: a slow one catches up in one write, and delays no other.

In other words: server-sent events, long polling.
"""

from __future__ import annotations

import asyncio
import logging
from bisect import bisect_right
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from heapq import merge
from itertools import islice
from typing import Literal, NamedTuple, TypeAlias
from weakref import WeakValueDictionary

import msgspec

from event_store import StoreError
from zimcore.commits import Position
from zimcore.documents.discussion import RequestsAnswer, TalkAnswer, VotesAnswer
from zimcore.documents.feed_messages import FEED_MESSAGES
from zimcore.documents.play import PlayAnswer
from zimcore.documents.positions import Answer, PositionAnswer, commit_document, label_answer, position_document
from zimcore.game import GameError
from zimcore.server.access import Visitor, authenticate, line_of, still_good, viewer_of
from zimcore.server.fair_queue import Payer
from zimcore.server.member_documents import seats_answer
from zimcore.server.payers import feed_payer
from zimcore.server.problem_responses import ProblemError, encode_document
from zimcore.server.silence_timer import SilenceTimer
from zimcore.server.workers import WorkerPool
from zimcore.service import SPECTATOR, GameService, Viewer
from zimcore.service.discussion import Discussion
from zimcore.service.memberships import Members, TermsSet
from zimcore.service.results import News

Form: TypeAlias = Literal["text/event-stream", "application/x-ndjson", "page"]
SSE: Form = "text/event-stream"
NDJSON: Form = "application/x-ndjson"
PAGE: Form = "page"
"""Server-sent events, too; a move comes drawn, as the page of a game shows it."""

MAX_KEPT_MESSAGES = 1000
"""The most messages in a list. A client further behind reconnects, and gets them from the store."""


LONGEST_CURSOR = 24
MAX_STARTING_FEEDS = 16
"""Feeds of one account that may start at once: fewer than the requests that may wait for a worker."""

log = logging.getLogger("zim.server")


class Cursor(NamedTuple):
    """The position of a feed: the revision of its line, how often a seat was taken or left, and the discussion so far.

    `heard` is the number of entries of the public discussion up to the last one that was sent: 0 for none.
    """

    revision: int
    changes: int
    heard: int

    def __str__(self) -> str:
        return f"{self.revision}.{self.changes}.{self.heard}"


class Change(NamedTuple):
    """Something to send: when it happened, the part of a cursor that it moves and to where, and the message about it.

    Without a document a later message says the same: only the cursor moves.
    """

    at: datetime
    part: Literal["revision", "changes", "heard"]
    number: int
    event: str
    document: msgspec.Struct | None


class Message(NamedTuple):
    """An encoded message, and the position of the feed after it."""

    cursor: Cursor
    content: bytes


class Poll(NamedTuple):
    """The result of one look into the store: new messages, who may listen (members and accounts), and when it was."""

    messages: list[Message]
    members: Members
    accounts: Members
    now: datetime


class Audience(NamedTuple):
    """The key of a feed: its line, viewer and form; and the `terms` that delay it, None for no delay."""

    place: str
    viewer: Viewer
    form: Form
    terms: TermsSet | None = None

    def service_for(self, service: GameService) -> GameService:
        """The service as this audience sees it: delayed by the terms, until the match is over."""
        is_delayed = self.terms and not service.position(self.place).outcome.over
        return service.delayed_service(self.terms) if is_delayed and self.terms else service


def check_cursor(text: str) -> None:
    """Raises `ProblemError` for a cursor that is none of ours; "" is none at all."""
    if text and parse_cursor(text) is None:
        why = "a cursor is the id of a message, as it came"
        raise ProblemError(
            400, f"not a cursor of a feed: {text!r}", why, ["after=ID, of the last message you received"]
        )


def parse_cursor(text: str) -> Cursor | None:
    """Parses the id of a message; None if it is not one of ours."""
    parts = text.split(".")
    if len(parts) != 3 or len(text) > LONGEST_CURSOR or not all(each.isascii() and each.isdigit() for each in parts):
        return None
    return Cursor(*map(int, parts))


class Feed:
    """The messages of a line for one audience, and the task that reads on. It lives while it has listeners.

    If it is silent for `beat` seconds it wakes its listeners, which then send a heartbeat: one timer serves all.
    """

    def __init__(self, audience: Audience, cursor: Cursor, payer: Payer, beat: float) -> None:
        self.audience = audience
        self.cursor = cursor
        self.payer = payer
        self.messages: deque[Message] = deque(maxlen=MAX_KEPT_MESSAGES)
        self.forgotten = cursor  # messages up to here are not in the list
        self.members = self.accounts = Members()  # as of the last look into the store
        self.now: datetime | None = None
        self.listeners = 0
        self.over = False
        self.woken = asyncio.Event()
        self.hint = asyncio.Event()
        self.task: asyncio.Task[None] | None = None
        self._silence = SilenceTimer(beat, self.wake)
        self._silence.restart()

    def take_in(self, look: Poll) -> None:
        """Adds what a look into the store found; wakes the listeners if messages, members or accounts are new."""
        for message in look.messages:
            if len(self.messages) == MAX_KEPT_MESSAGES:
                self.forgotten = self.messages[0].cursor
            self.messages.append(message)
            self.cursor = message.cursor
        has_changed = bool(look.messages) or (look.members, look.accounts) != (self.members, self.accounts)
        self.members, self.accounts, self.now = look.members, look.accounts, look.now
        if has_changed:
            self.wake()

    def may_listen(self, visitor: Visitor) -> bool:
        """Whether a visitor's token is still valid, as of the last look into the store."""
        return self.now is None or still_good(visitor, self.members, self.accounts, self.now)

    def wake(self) -> None:
        """Wakes all listeners."""
        # A new event replaces the one they wait for, so that there is no need to count who has woken up.
        self.woken.set()
        self.woken = asyncio.Event()
        self._silence.restart()

    def close(self) -> None:
        """Ends its task and its timer."""
        self._silence.cancel()
        if self.task:
            self.task.cancel()

    def after(self, cursor: Cursor) -> list[Message] | None:
        """The messages after a cursor. None if they can't follow it: they are not kept, or came in another order.

        Such a listener reconnects, and gets them from the store. The order differs only if clocks do.
        """
        index = bisect_right(self.messages, cursor, key=lambda message: message.cursor)
        before = self.messages[index - 1].cursor if index else self.forgotten
        if before != cursor and (index < len(self.messages) or cursor < before):
            return None
        return [*islice(self.messages, index, None)]


class Feeds:
    """The open feeds of a process: at most `max_listeners`, and at most `max_per_client` for a token or address.

    A feed that is silent for `beat` seconds sends a heartbeat. Every `poll` seconds it looks into the store without a
    hint, as another process may have written.
    """

    def __init__(
        self, workers: WorkerPool, *, beat: float, poll: float, max_listeners: int, max_per_client: int
    ) -> None:
        self.workers = workers
        self.beat = beat
        self.poll = poll
        self.max_listeners = max_listeners
        self.max_per_client = max_per_client
        self.closing = False
        self._feeds: dict[Audience, Feed] = {}
        self._listeners_by_client: Counter[str] = Counter()
        self._listeners_by_token: Counter[str] = Counter()
        self._watchers_by_game: Counter[str] = Counter()  # listeners without a seat
        self.signal: Callable[[str], None] = lambda _: None  # hints to other processes, if the store can signal
        self.learn_payer: Callable[[str, Visitor], None] = lambda *_: None  # notes who pays for a token
        self._starting = WeakValueDictionary[str, asyncio.Semaphore]()  # by account

    @property
    def listener_count(self) -> int:
        """The number of listeners."""
        return self._listeners_by_client.total()

    def is_listening(self, token: str) -> bool:
        """Whether the player with a token id is listening now."""
        return self._listeners_by_token[token] > 0

    @property
    def listening(self) -> frozenset[str]:
        """The ids of the tokens that are listening now."""
        return frozenset(token for token, listeners in self._listeners_by_token.items() if listeners)

    def watchers(self, game: str) -> int:
        """The number of listeners to a game who have no seat there, in this process."""
        return self._watchers_by_game[game]

    def hint(self, game: str) -> None:
        """Says that a game may have changed: its feeds look at once, here and in other processes."""
        self.wake_feeds(game)
        self.signal(game)

    def wake_feeds(self, game: str) -> None:
        """Lets the feeds of a game look into the store at once, in this process."""
        for feed in self._feeds.values():
            if feed.audience.place.partition("/")[0] == game:
                feed.hint.set()

    def close(self) -> None:
        """Ends all feeds: each tells its client to reconnect."""
        self.closing = True
        for feed in self._feeds.values():
            feed.hint.set()
            feed.wake()

    async def listen(
        self, game: str, line: str, token: str, client: str, form: Form, last: str, payer: Payer
    ) -> AsyncIterator[bytes]:
        """The messages for a listener: those after the id `last`, or else the current state of the line, then new ones.

        `client` is counted against the limit of open feeds; `payer` pays for the first look into the store.
        Raises `ProblemError` before the first message, if the token may not listen or too many feeds are open.
        """

        def begin(service: GameService) -> tuple[Visitor, Audience, list[Message]]:
            visitor = authenticate(service, game, token)
            self.learn_payer(token, visitor)
            place, viewer = line_of(visitor, line), viewer_of(service, visitor, line)
            # In a game without secrets all see the same. Else viewers who see the same share a feed, whatever they
            # may do.
            shared_viewer = (
                SPECTATOR if service.game(game).secrets is None else msgspec.structs.replace(viewer, own=False)
            )
            audience = Audience(place, shared_viewer, form, visitor.members.terms if visitor.delayed else None)
            return visitor, audience, first_messages(audience.service_for(service), visitor, audience, last)

        # When a process dies, a thousand clients may reconnect at once. The workers would refuse most of them: here
        # they wait in line.
        starting = self._starting.setdefault(payer.account, asyncio.Semaphore(MAX_STARTING_FEEDS))
        async with starting:
            if self._listeners_by_client[client] >= self.max_per_client or self.listener_count >= self.max_listeners:
                raise ProblemError(
                    429, "too many feeds are open", "", ["close one, or wait"], headers={"Retry-After": "10"}
                )
            visitor, audience, messages = await self.workers.run("questions", game, begin, payer)
        return self._messages(visitor, audience, messages, client)

    async def _messages(
        self, visitor: Visitor, audience: Audience, messages: list[Message], client: str
    ) -> AsyncIterator[bytes]:
        cursor = messages[-1].cursor
        feed = self._join(audience, cursor, feed_payer(visitor))
        self._listeners_by_client[client] += 1
        self._listeners_by_token[visitor.grant.id] += 1
        watched = Counter([] if visitor.seat else [visitor.game])
        self._watchers_by_game += watched
        try:
            yield joined(messages)
            was_woken = False
            while True:
                # The event is taken before the list is read, so that no message in between is missed.
                woken = feed.woken
                new_messages = feed.after(cursor)
                if new_messages is None or not feed.may_listen(visitor):
                    yield end_message(audience.form, cursor)
                    return
                if self.closing or feed.over:
                    yield joined(new_messages) + end_message(audience.form, cursor)
                    return
                if new_messages:
                    yield joined(new_messages)
                    cursor = new_messages[-1].cursor
                    was_woken = False
                elif was_woken:
                    yield heartbeat(audience.form, cursor)
                    was_woken = False
                else:
                    await woken.wait()
                    was_woken = True
        finally:
            self._leave(feed, client)
            self._listeners_by_token -= Counter([visitor.grant.id])
            self._watchers_by_game -= watched

    def _join(self, audience: Audience, cursor: Cursor, payer: Payer) -> Feed:
        feed = self._feeds.get(audience)
        if feed is None or feed.over:
            feed = self._feeds[audience] = Feed(audience, cursor, payer, self.beat)
            feed.task = asyncio.create_task(self._follow(feed))
        feed.listeners += 1
        return feed

    def _leave(self, feed: Feed, client: str) -> None:
        self._listeners_by_client[client] -= 1
        if not self._listeners_by_client[client]:
            del self._listeners_by_client[client]
        feed.listeners -= 1
        if not feed.listeners:
            if self._feeds.get(feed.audience) is feed:
                del self._feeds[feed.audience]
            feed.close()

    async def _follow(self, feed: Feed) -> None:
        """Reads the store forward for a feed, at each hint or after `poll` seconds."""
        game = feed.audience.place.partition("/")[0]
        while not self.closing:
            with suppress(TimeoutError):
                async with asyncio.timeout(self.poll):
                    await feed.hint.wait()
            feed.hint.clear()
            try:
                look = await self.workers.run("questions", game, _look(feed.audience, feed.cursor), feed.payer)
            except (ProblemError, StoreError) as error:
                log.warning("a feed will look again: %s", type(error).__name__)
                await asyncio.sleep(self.poll)
                continue
            except Exception as error:
                # The line was renamed or removed: listeners reconnect, and get the error.
                if not isinstance(error, GameError):
                    log.error("a bug in a feed: %s", type(error).__name__, exc_info=error)
                feed.over = True
                feed.wake()
                return
            feed.take_in(look)


def _look(audience: Audience, cursor: Cursor) -> Callable[[GameService], Poll]:
    game = audience.place.partition("/")[0]

    def look(service: GameService) -> Poll:
        service.prefetch(game)
        # Members are read first, so that no message goes to a player who left before it.
        members, accounts = service.members(game), service.accounts()
        return Poll(
            messages_since(audience.service_for(service), audience, cursor, members), members, accounts, service.clock()
        )

    return look


def first_messages(service: GameService, visitor: Visitor, audience: Audience, last: str) -> list[Message]:
    """The first messages for a listener: all after the id `last`, or else the current state of the line.

    If the feed can't go on after `last`, a reset comes first: the client has seen more than there is, for example from
    a store that was restored from a backup.
    """
    discussion = service.discussion(audience.place.partition("/")[0])
    current_cursor = Cursor(service.revision(audience.place), visitor.members.changes, last_sent(discussion))
    cursor, limit = parse_cursor(last), current_cursor._replace(heard=discussion.revision + 1)
    if cursor and all(before <= now for before, now in zip(cursor, limit, strict=True)):
        cursor = Cursor(*map(min, cursor, current_cursor))
        return messages_since(service, audience, cursor, visitor.members) or [Message(cursor, b"")]
    while True:
        position, revision = service.head(audience.place, audience.viewer), service.revision(audience.place)
        if revision == current_cursor.revision:  # else a move came in between: it would be sent twice, or never
            break
        current_cursor = current_cursor._replace(revision=revision)
    reset = [message(audience.form, current_cursor, "reset")] if last else []
    return [*reset, message(audience.form, current_cursor, "standing", head_answer(position))]


def messages_since(service: GameService, audience: Audience, cursor: Cursor, members: Members) -> list[Message]:
    """The messages after a cursor, as an audience may see them, in the order in which they happened."""
    messages = list[Message]()
    changes = (
        line_changes(service, audience, cursor.revision),
        seat_changes(service, audience.place.partition("/")[0], cursor.changes, members),
        discussion_changes(service, audience.place.partition("/")[0], cursor.heard - 1),
    )
    for change in merge(*changes, key=lambda change: change.at):
        cursor = cursor._replace(**{change.part: change.number})
        if change.document:
            messages.append(message(audience.form, cursor, change.event, change.document))
    return messages


def line_changes(service: GameService, audience: Audience, after: int) -> Iterator[Change]:
    """The commits and moves of the head after a revision, in order."""
    for news in service.news(audience.place, after, audience.viewer):
        document = message_document(service, audience, news)
        yield Change(news.at, "revision", news.revision, message_kind(news), document)


def seat_changes(service: GameService, game: str, after: int, members: Members) -> Iterator[Change]:
    """The changes of seats and terms, without the first `after`. Only the last has a message, with the state of all."""
    for number, at in enumerate(members.changed[after:], after + 1):
        is_last = number == members.changes
        answer = label_answer(seats_answer(service, game, members), "seats") if is_last else None
        yield Change(at, "changes", number, "seats", answer)


def discussion_changes(service: GameService, game: str, after: int) -> Iterator[Change]:
    """The remarks, votes and requests after a revision, in order."""
    discussion_, changes = service.discussion(game), list[tuple[int, datetime, str, Answer]]()
    for remark in discussion_.talk:
        if remark.number > after:
            changes.append((remark.number, remark.at, "talk", label_answer(TalkAnswer(game, (remark,)), "talk")))
    for vote in discussion_.votes:
        if vote.number > after:
            votes = VotesAnswer(game, (), (vote,), ended=service.members(game).ended)
            changes.append((vote.number, vote.at, "vote", label_answer(votes, "vote")))
    for revision, (_, at) in discussion_.changed.items():
        if revision > after:
            request = service.requests_at(game, revision)
            changes.append((revision, at, "request", label_answer(RequestsAnswer(game, (request,)), "requests")))
    for number, at, event, answer in sorted(changes, key=lambda each: each[0]):
        yield Change(at, "heard", number + 1, event, answer)


def last_sent(discussion: Discussion) -> int:
    """The number of entries of a discussion up to the last one that a message is about; 0 for none."""
    last = (each[-1].number for each in (discussion.talk, discussion.votes) if each)
    return 1 + max(*last, *discussion.changed, -1, -1)


def message_kind(news: News) -> Literal["commit", "head"]:
    """The name of a message about news of a line: a commit, or a move of the head."""
    return "commit" if news.is_commit else "head"


def message_document(service: GameService, audience: Audience, news: News) -> msgspec.Struct:
    """The document of a message about news: an answer, or for a page the step to draw."""
    if audience.form == PAGE and news.is_commit:
        from zimcore.server.pages.steps import news_of

        return news_of(service, news.position, audience.viewer)
    return news_answer(news)


def news_answer(news: News) -> Answer:
    """News of a line as an answer."""
    position = news.position
    if not news.is_commit:
        return head_answer(position)
    turn = tuple(position.game.display.turn(position.state))
    commits = (commit_document(position.commit, position.game),)
    return label_answer(PlayAnswer(commits, position_document(position), turn), "do")


def head_answer(position: Position) -> Answer:
    """The position at the head of a line, as an answer."""
    return label_answer(PositionAnswer(position_document(position)), "goto")


def message(form: Form, cursor: Cursor, event: str, data: msgspec.Struct | None = None) -> Message:
    """Encodes a message, as a server-sent event or as a line of JSON."""
    if form != NDJSON:
        text = encode_document(data) if data else b"{}"
        return Message(cursor, b"id: %s\nevent: %s\ndata: %s\n\n" % (str(cursor).encode(), event.encode(), text))
    kind, fields = FEED_MESSAGES[event], {} if data is None else {"data": data}
    return Message(cursor, encode_document(kind(id=str(cursor), **fields)) + b"\n")


def joined(messages: Sequence[Message]) -> bytes:
    """The bytes of messages in order."""
    return b"".join(message.content for message in messages)


def heartbeat(form: Form, cursor: Cursor) -> bytes:
    """The message that shows that a silent feed is alive."""
    return b": beat\n\n" if form != NDJSON else message(form, cursor, "beat").content


def end_message(form: Form, cursor: Cursor) -> bytes:
    """The last message of a feed: clients reconnect from its cursor."""
    return b"event: end\nretry: 1000\ndata: {}\n\n" if form != NDJSON else message(form, cursor, "end").content
