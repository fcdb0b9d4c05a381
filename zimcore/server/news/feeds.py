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
from functools import cache
from heapq import merge
from itertools import islice
from typing import Any, Literal, NamedTuple, TypeAlias
from weakref import WeakValueDictionary

import msgspec

from event_store import StoreError
from zimcore import features
from zimcore.commits import Position
from zimcore.documents.discussion import Remark, TalkAnswer
from zimcore.documents.feed_messages import FEED_MESSAGES
from zimcore.documents.play import PlayAnswer
from zimcore.documents.positions import Answer, PositionAnswer, commit_document, label_answer, position_document
from zimcore.game import GameError
from zimcore.server.people.access import Visitor, authenticate, is_still_valid, place_of, viewer_of
from zimcore.server.people.member_documents import seats_answer
from zimcore.server.wire.problem_responses import ProblemError, encode_document
from zimcore.server.wire.silence_timer import SilenceTimer
from zimcore.server.work.fair_queue import Payer
from zimcore.server.work.payers import feed_payer
from zimcore.server.work.workers import WorkerPool
from zimcore.service import SPECTATOR, GameService, Viewer
from zimcore.service.actions import ActionCall
from zimcore.service.records.discussion import Discussion
from zimcore.service.records.memberships import Members, TermsSet
from zimcore.service.records.results import News

FeedFormat: TypeAlias = Literal["text/event-stream", "application/x-ndjson", "page"]
SSE: FeedFormat = "text/event-stream"
NDJSON: FeedFormat = "application/x-ndjson"
PAGE: FeedFormat = "page"
"""Server-sent events for the page of a game: each move comes with its drawing."""

DrawNews: TypeAlias = Callable[[GameService, Position, Viewer], msgspec.Struct]

MAX_KEPT_MESSAGES = 1000
"""The most messages in a list. A client further behind reconnects, and gets them from the store."""


MAX_CURSOR_LENGTH = 24
MAX_STARTING_FEEDS = 16
"""Feeds of one account that may start at once: fewer than the requests that may wait for a worker."""

log = logging.getLogger("zim.server")


class Cursor(NamedTuple):
    """The position of a feed: the revision of its line, how often a seat was taken or left, and the discussion so far.

    `discussion_entries` is the number of entries of the public discussion up to the last one that was sent: 0 for none.
    """

    revision: int
    seat_changes: int
    discussion_entries: int

    def __str__(self) -> str:
        return f"{self.revision}.{self.seat_changes}.{self.discussion_entries}"


class Change(NamedTuple):
    """Something to send: when it happened, the part of a cursor that it moves and to where, and the message about it.

    Without a document a later message says the same: only the cursor moves.
    """

    change_time: datetime
    cursor_field: Literal["revision", "seat_changes", "discussion_entries"]
    cursor_value: int
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
    polled_at: datetime


class Audience(NamedTuple):
    """The key of a feed: its line, viewer and form; and the `terms` that delay it, None for no delay.

    `draw_news` draws a move for the page of a game.
    """

    place: str
    viewer: Viewer
    feed_format: FeedFormat
    terms: TermsSet | None = None
    draw_news: DrawNews | None = None

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
    if len(parts) != 3 or len(text) > MAX_CURSOR_LENGTH or not all(part.isascii() and part.isdigit() for part in parts):
        return None
    return Cursor(*map(int, parts))


class FeedSource(NamedTuple):
    """Entries of a discussion that listeners are told: the event, and the items, oldest first.

    Each item has its `number` and its time, `at`. The answer about one is labelled with the command.
    """

    event: str
    items: Callable[[Discussion], Sequence[Any]]
    make_answer: Callable[[ActionCall, Any], Answer]
    command: str


def talk_answer(call: ActionCall, remark: Remark) -> TalkAnswer:
    """A list of that message."""
    return TalkAnswer(call.match, (remark,))


@cache
def feed_sources() -> Sequence[FeedSource]:
    """What the discussion of a game tells, with what features add."""
    talk = FeedSource("talk", lambda discussion: discussion.remarks, talk_answer, "talk")
    return [talk, *(module.FEED for module in features.modules("server"))]


class Feed:
    """The messages of a line for one audience, and the task that reads on. It lives while it has listeners.

    If it is silent for `beat_seconds` it wakes its listeners, which then send a heartbeat: one timer serves all.
    """

    def __init__(self, audience: Audience, cursor: Cursor, payer: Payer, beat_seconds: float) -> None:
        self.audience = audience
        self.cursor = cursor
        self.payer = payer
        self.messages: deque[Message] = deque(maxlen=MAX_KEPT_MESSAGES)
        self.dropped_until = cursor  # messages up to here are not in the list
        self.members = self.accounts = Members()  # as of the last look into the store
        self.polled_at: datetime | None = None
        self.listener_count = 0
        self.is_over = False
        self.wake_event = asyncio.Event()
        self.look_event = asyncio.Event()
        self.task: asyncio.Task[None] | None = None
        self._silence = SilenceTimer(beat_seconds, self.wake)
        self._silence.restart()

    def add_messages(self, poll: Poll) -> None:
        """Adds what a look into the store found; wakes the listeners if messages, members or accounts are new."""
        for message in poll.messages:
            if len(self.messages) == MAX_KEPT_MESSAGES:
                self.dropped_until = self.messages[0].cursor
            self.messages.append(message)
            self.cursor = message.cursor
        has_changed = bool(poll.messages) or (poll.members, poll.accounts) != (self.members, self.accounts)
        self.members, self.accounts, self.polled_at = poll.members, poll.accounts, poll.polled_at
        if has_changed:
            self.wake()

    def may_listen(self, visitor: Visitor) -> bool:
        """Whether a visitor's token is still valid, as of the last look into the store."""
        return self.polled_at is None or is_still_valid(visitor, self.members, self.accounts, self.polled_at)

    def wake(self) -> None:
        """Wakes all listeners."""
        # A new event replaces the one they wait for, so that there is no need to count who has woken up.
        self.wake_event.set()
        self.wake_event = asyncio.Event()
        self._silence.restart()

    def close(self) -> None:
        """Ends its task and its timer."""
        self._silence.cancel()
        if self.task:
            self.task.cancel()

    def messages_after(self, cursor: Cursor) -> list[Message] | None:
        """The messages after a cursor. None if they can't follow it: they are not kept, or came in another order.

        Such a listener reconnects, and gets them from the store. The order differs only if clocks do.
        """
        index = bisect_right(self.messages, cursor, key=lambda message: message.cursor)
        previous_cursor = self.messages[index - 1].cursor if index else self.dropped_until
        if previous_cursor != cursor and (index < len(self.messages) or cursor < previous_cursor):
            return None
        return [*islice(self.messages, index, None)]


class Feeds:
    """The open feeds of a process: at most `max_listeners`, and at most `max_per_client` for a token or address.

    A feed that is silent for `beat_seconds` sends a heartbeat. Every `poll_seconds` it looks into the store without a
    signal, as another process may have written.
    """

    def __init__(
        self, workers: WorkerPool, *, beat_seconds: float, poll_seconds: float, max_listeners: int, max_per_client: int
    ) -> None:
        self.workers = workers
        self.beat_seconds = beat_seconds
        self.poll_seconds = poll_seconds
        self.max_listeners = max_listeners
        self.max_per_client = max_per_client
        self.is_closing = False
        self._feeds: dict[Audience, Feed] = {}
        self._listeners_by_client: Counter[str] = Counter()
        self._listeners_by_token: Counter[str] = Counter()
        self._watchers_by_game: Counter[str] = Counter()  # listeners without a seat
        self.send_signal: Callable[[str], None] = lambda _: None  # hints to other processes, if the store can signal
        self.learn_payer: Callable[[str, Visitor], None] = lambda *_: None  # notes who pays for a token
        self.draw_news: DrawNews | None = None  # draws a move for a page: pages stand above feeds
        self._start_limits = WeakValueDictionary[str, asyncio.Semaphore]()  # by account

    @property
    def listener_count(self) -> int:
        """The number of listeners."""
        return self._listeners_by_client.total()

    def is_listening(self, token_id: str) -> bool:
        """Whether the player with a token id is listening now."""
        return self._listeners_by_token[token_id] > 0

    @property
    def listening_tokens(self) -> frozenset[str]:
        """The ids of the tokens that are listening now."""
        return frozenset(token_id for token_id, listener_count in self._listeners_by_token.items() if listener_count)

    def count_watchers(self, game: str) -> int:
        """The number of listeners to a game who have no seat there, in this process."""
        return self._watchers_by_game[game]

    def announce_change(self, game: str) -> None:
        """Says that a game may have changed: its feeds look at once, here and in other processes."""
        self.wake_feeds(game)
        self.send_signal(game)

    def wake_feeds(self, game: str) -> None:
        """Lets the feeds of a game look into the store at once, in this process."""
        for feed in self._feeds.values():
            if feed.audience.place.partition("/")[0] == game:
                feed.look_event.set()

    def close(self) -> None:
        """Ends all feeds: each tells its client to reconnect."""
        self.is_closing = True
        for feed in self._feeds.values():
            feed.look_event.set()
            feed.wake()

    async def listen(
        self, game: str, line: str, token: str, client: str, feed_format: FeedFormat, last_id: str, payer: Payer
    ) -> AsyncIterator[bytes]:
        """The messages for a listener: those after `last_id`, or else the current state of the line, then new ones.

        `client` is counted against the limit of open feeds; `payer` pays for the first look into the store.
        Raises `ProblemError` before the first message, if the token may not listen or too many feeds are open.
        """

        def open_audience(service: GameService) -> tuple[Visitor, Audience, list[Message]]:
            visitor = authenticate(service, game, token)
            self.learn_payer(token, visitor)
            place, viewer = place_of(visitor, line), viewer_of(service, visitor, line)
            # In a game without secrets all see the same. Else viewers who see the same share a feed, whatever they
            # may do.
            shared_viewer = (
                SPECTATOR if service.game(game).secrets is None else msgspec.structs.replace(viewer, own=False)
            )
            audience = Audience(
                place,
                shared_viewer,
                feed_format,
                visitor.members.terms if visitor.is_delayed else None,
                self.draw_news if feed_format == PAGE else None,
            )
            return visitor, audience, first_messages(audience.service_for(service), visitor, audience, last_id)

        # When a process dies, a thousand clients may reconnect at once. The workers would refuse most of them, so they
        # wait in line here.
        start_limit = self._start_limits.setdefault(payer.account, asyncio.Semaphore(MAX_STARTING_FEEDS))
        async with start_limit:
            if self._listeners_by_client[client] >= self.max_per_client or self.listener_count >= self.max_listeners:
                raise ProblemError(
                    429, "too many feeds are open", "", ["close one, or wait"], headers={"Retry-After": "10"}
                )
            visitor, audience, messages = await self.workers.run("questions", game, open_audience, payer)
        return self._messages(visitor, audience, messages, client)

    async def _messages(
        self, visitor: Visitor, audience: Audience, opening_messages: list[Message], client: str
    ) -> AsyncIterator[bytes]:
        cursor = opening_messages[-1].cursor
        feed = self._join(audience, cursor, feed_payer(visitor))
        self._listeners_by_client[client] += 1
        self._listeners_by_token[visitor.grant.id] += 1
        watched_games = Counter([] if visitor.seat else [visitor.game])
        self._watchers_by_game += watched_games
        try:
            yield join_messages(opening_messages)
            was_woken = False
            while True:
                # The event is taken before the list is read, so that no message in between is missed.
                wake_event = feed.wake_event
                new_messages = feed.messages_after(cursor)
                if new_messages is None or not feed.may_listen(visitor):
                    yield end_message(audience.feed_format, cursor)
                    return
                if self.is_closing or feed.is_over:
                    yield join_messages(new_messages) + end_message(audience.feed_format, cursor)
                    return
                if new_messages:
                    yield join_messages(new_messages)
                    cursor = new_messages[-1].cursor
                    was_woken = False
                elif was_woken:
                    yield heartbeat(audience.feed_format, cursor)
                    was_woken = False
                else:
                    await wake_event.wait()
                    was_woken = True
        finally:
            self._leave(feed, client)
            self._listeners_by_token -= Counter([visitor.grant.id])
            self._watchers_by_game -= watched_games

    def _join(self, audience: Audience, cursor: Cursor, payer: Payer) -> Feed:
        feed = self._feeds.get(audience)
        if feed is None or feed.is_over:
            feed = self._feeds[audience] = Feed(audience, cursor, payer, self.beat_seconds)
            feed.task = asyncio.create_task(self._follow(feed))
        feed.listener_count += 1
        return feed

    def _leave(self, feed: Feed, client: str) -> None:
        self._listeners_by_client[client] -= 1
        if not self._listeners_by_client[client]:
            del self._listeners_by_client[client]
        feed.listener_count -= 1
        if not feed.listener_count:
            if self._feeds.get(feed.audience) is feed:
                del self._feeds[feed.audience]
            feed.close()

    async def _follow(self, feed: Feed) -> None:
        """Reads the store forward for a feed, at each signal or after `poll_seconds`."""
        game = feed.audience.place.partition("/")[0]
        while not self.is_closing:
            with suppress(TimeoutError):
                async with asyncio.timeout(self.poll_seconds):
                    await feed.look_event.wait()
            feed.look_event.clear()
            try:
                poll = await self.workers.run("questions", game, _poll_from(feed.audience, feed.cursor), feed.payer)
            except (ProblemError, StoreError) as error:
                log.warning("a feed will look again: %s", type(error).__name__)
                await asyncio.sleep(self.poll_seconds)
                continue
            except Exception as error:
                # The line was renamed or removed: listeners reconnect, and get the error.
                if not isinstance(error, GameError):
                    log.error("a bug in a feed: %s", type(error).__name__, exc_info=error)
                feed.is_over = True
                feed.wake()
                return
            feed.add_messages(poll)


def _poll_from(audience: Audience, cursor: Cursor) -> Callable[[GameService], Poll]:
    """The work that looks into the store for the messages after a cursor."""
    game = audience.place.partition("/")[0]

    def poll(service: GameService) -> Poll:
        service.prefetch(game)
        # Members are read first, so that no message goes to a player who left before it.
        members, accounts = service.members(game), service.accounts()
        return Poll(
            messages_since(audience.service_for(service), audience, cursor, members), members, accounts, service.clock()
        )

    return poll


def first_messages(service: GameService, visitor: Visitor, audience: Audience, last_id: str) -> list[Message]:
    """The first messages for a listener: all after `last_id`, or else the current state of the line.

    If the feed can't go on after `last_id`, a reset comes first: the client has seen more than there is, for example
    from a store that was restored from a backup.
    """
    discussion = service.discussion(audience.place.partition("/")[0])
    current_cursor = Cursor(
        service.revision(audience.place), visitor.members.change_count, count_sent_entries(discussion)
    )
    cursor, newest_cursor = parse_cursor(last_id), current_cursor._replace(discussion_entries=discussion.revision + 1)
    if cursor and all(
        client_value <= newest_value for client_value, newest_value in zip(cursor, newest_cursor, strict=True)
    ):
        cursor = Cursor(*map(min, cursor, current_cursor))
        return messages_since(service, audience, cursor, visitor.members) or [Message(cursor, b"")]
    while True:
        position, revision = service.head(audience.place, audience.viewer), service.revision(audience.place)
        if revision == current_cursor.revision:  # else a move came in between: it would be sent twice, or never
            break
        current_cursor = current_cursor._replace(revision=revision)
    reset_messages = [encode_message(audience.feed_format, current_cursor, "reset")] if last_id else []
    return [*reset_messages, encode_message(audience.feed_format, current_cursor, "standing", head_answer(position))]


def messages_since(service: GameService, audience: Audience, cursor: Cursor, members: Members) -> list[Message]:
    """The messages after a cursor, as an audience may see them, in the order in which they happened."""
    messages = list[Message]()
    changes = (
        line_changes(service, audience, cursor.revision),
        seat_changes(service, audience.place.partition("/")[0], cursor.seat_changes, members),
        discussion_changes(service, audience.place.partition("/")[0], cursor.discussion_entries - 1),
    )
    for change in merge(*changes, key=lambda change: change.change_time):
        cursor = cursor._replace(**{change.cursor_field: change.cursor_value})
        if change.document:
            messages.append(encode_message(audience.feed_format, cursor, change.event, change.document))
    return messages


def line_changes(service: GameService, audience: Audience, after_revision: int) -> Iterator[Change]:
    """The commits and moves of the head after a revision, in order."""
    for news in service.news(audience.place, after_revision, audience.viewer):
        document = message_document(service, audience, news)
        yield Change(news.at, "revision", news.revision, message_kind(news), document)


def seat_changes(service: GameService, game: str, known_changes: int, members: Members) -> Iterator[Change]:
    """Changes of seats and terms after the first `known_changes`. Only the last has a message: the state of all."""
    for change_number, change_time in enumerate(members.change_times[known_changes:], known_changes + 1):
        is_last = change_number == members.change_count
        answer = label_answer(seats_answer(service, game, members), "seats") if is_last else None
        yield Change(change_time, "seat_changes", change_number, "seats", answer)


def discussion_changes(service: GameService, game: str, after_revision: int) -> Iterator[Change]:
    """What is new in the discussion after a revision, in order."""
    call = service.call(game, SPECTATOR)
    discussion, changes = service.discussion(game), list[tuple[int, datetime, str, Answer]]()
    for source in feed_sources():
        for item in source.items(discussion):
            if item.number > after_revision:
                answer = label_answer(source.make_answer(call, item), source.command)
                changes.append((item.number, item.at, source.event, answer))
    for number, change_time, event, answer in sorted(changes, key=lambda numbered_change: numbered_change[0]):
        yield Change(change_time, "discussion_entries", number + 1, event, answer)


def count_sent_entries(discussion: Discussion) -> int:
    """The number of entries of a discussion up to the last one that a message is about; 0 for none."""
    last_numbers: Iterator[int] = (items[-1].number for source in feed_sources() if (items := source.items(discussion)))
    return 1 + max(last_numbers, default=-1)


def message_kind(news: News) -> Literal["commit", "head"]:
    """The name of a message about news of a line: a commit, or a move of the head."""
    return "commit" if news.is_commit else "head"


def message_document(service: GameService, audience: Audience, news: News) -> msgspec.Struct:
    """The document of a message about news: an answer, or for a page the step to draw."""
    if audience.draw_news and news.is_commit:
        return audience.draw_news(service, news.position, audience.viewer)
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


def encode_message(
    feed_format: FeedFormat, cursor: Cursor, event: str, document: msgspec.Struct | None = None
) -> Message:
    """Encodes a message, as a server-sent event or as a line of JSON."""
    if feed_format != NDJSON:
        document_text = encode_document(document) if document else b"{}"
        return Message(
            cursor, b"id: %s\nevent: %s\ndata: %s\n\n" % (str(cursor).encode(), event.encode(), document_text)
        )
    message_type, fields = FEED_MESSAGES[event], {} if document is None else {"data": document}
    return Message(cursor, encode_document(message_type(id=str(cursor), **fields)) + b"\n")


def join_messages(messages: Sequence[Message]) -> bytes:
    """The bytes of messages in order."""
    return b"".join(message.content for message in messages)


def heartbeat(feed_format: FeedFormat, cursor: Cursor) -> bytes:
    """The message that shows that a silent feed is alive."""
    return b": beat\n\n" if feed_format != NDJSON else encode_message(feed_format, cursor, "beat").content


def end_message(feed_format: FeedFormat, cursor: Cursor) -> bytes:
    """The last message of a feed: clients reconnect from its cursor."""
    return (
        b"event: end\nretry: 1000\ndata: {}\n\n"
        if feed_format != NDJSON
        else encode_message(feed_format, cursor, "end").content
    )
