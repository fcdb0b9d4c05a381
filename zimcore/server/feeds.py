"""Feeds: what happens on a line, as it happens. All who look with the same eyes share one list of encoded messages.

A message is named by where the line stands after it (`41.3.7`: revision 41, three changes of seats, and 7 entries of
what was said), so that a client goes on from there on any process, after any time. Of each list one task reads the
store forward; a subscriber is no more than the name of the last message that it was sent: a slow one catches up in one
write, and hurts nobody.

In other words: server-sent events, long polling.
"""

from __future__ import annotations

import asyncio
import logging
from bisect import bisect_right
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from datetime import datetime
from itertools import islice
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from event_store import StoreError
from zimcore.commits import Position
from zimcore.documents.discussion import RequestsAnswer, TalkAnswer, VotesAnswer
from zimcore.documents.play import PlayAnswer
from zimcore.documents.positions import Answer, PositionAnswer, commit_document, label_answer, position_document
from zimcore.documents.seats import FeedMessage
from zimcore.game import GameError
from zimcore.server.access import Visitor, authenticate, line_of, still_good, viewer_of
from zimcore.server.member_documents import seats_answer
from zimcore.server.problem_responses import ProblemError, encode_document
from zimcore.server.workers import WorkerPool
from zimcore.service import SPECTATOR, GameService, Viewer
from zimcore.service.memberships import Members, TermsSet
from zimcore.service.results import News

Form: TypeAlias = Literal["text/event-stream", "application/x-ndjson", "page"]
SSE: Form = "text/event-stream"
NDJSON: Form = "application/x-ndjson"
PAGE: Form = "page"
"""Events too; what was played comes drawn, as the page of a game shows it."""

MAX_KEPT_MESSAGES = 1000
"""Messages of a list. Who is further behind than that asks again, and gets them from the store."""


LONGEST_MARK = 24
MAX_STARTING_FEEDS = 16
"""Feeds that are begun at once: fewer than may wait for a worker."""

log = logging.getLogger("zim.server")


class Mark(NamedTuple):
    """Where a feed stands: the revision of its line, how often a seat was taken or left, and what was heard so far.

    That is a revision of the proceedings that all may read, counted from 1 here: 0 is before all of it.
    """

    revision: int
    changes: int
    heard: int

    def __str__(self) -> str:
        return f"{self.revision}.{self.changes}.{self.heard}"


class Message(NamedTuple):
    """A message, encoded."""

    mark: Mark
    content: bytes


class Poll(NamedTuple):
    """What a look into the store has found: messages, who may listen by then, and when that was."""

    messages: list[Message]
    members: Members
    accounts: Members
    now: datetime


class Audience(NamedTuple):
    """Whose feed of what it is; those who see the game late do so by its `terms`."""

    place: str
    viewer: Viewer
    form: Form
    terms: TermsSet | None = None

    def service_for(self, service: GameService) -> GameService:
        """The games as this audience sees them: everything, when the match is over."""
        late = self.terms and not service.position(self.place).outcome.over
        return service.delayed_service(self.terms) if late and self.terms else service


def parse_mark(text: str) -> Mark | None:
    """The mark in the name of a message; None for what is none, or was none of ours."""
    parts = text.split(".")
    if len(parts) != 3 or len(text) > LONGEST_MARK or not all(each.isascii() and each.isdigit() for each in parts):
        return None
    return Mark(*map(int, parts))


class Feed:
    """The list of messages of a line for some eyes, and the task that reads on. It lives while it has listeners."""

    def __init__(self, eyes: Audience, mark: Mark) -> None:
        self.eyes = eyes
        self.mark = mark
        self.messages: deque[Message] = deque(maxlen=MAX_KEPT_MESSAGES)
        self.forgotten = mark  # messages up to here are not in the list
        self.members = self.accounts = Members()  # as they were when the store was looked at last
        self.now: datetime | None = None
        self.listeners = 0
        self.over = False
        self.news = asyncio.Event()
        self.hint = asyncio.Event()
        self.task: asyncio.Task[None] | None = None

    def take_in(self, look: Poll) -> None:
        """Takes in what was found in the store, and wakes all who listen if that is anything to them."""
        for message in look.messages:
            if len(self.messages) == MAX_KEPT_MESSAGES:
                self.forgotten = self.messages[0].mark
            self.messages.append(message)
            self.mark = message.mark
        changed = bool(look.messages) or (look.members, look.accounts) != (self.members, self.accounts)
        self.members, self.accounts, self.now = look.members, look.accounts, look.now
        if changed:
            self.wake()

    def may_listen(self, visitor: Visitor) -> bool:
        """Whether a visitor may go on listening, as far as is known."""
        return self.now is None or still_good(visitor, self.members, self.accounts, self.now)

    def wake(self) -> None:
        """Lets all who listen look."""
        # Each waits for one event: a new one takes its place, so that nobody has to be counted.
        self.news.set()
        self.news = asyncio.Event()

    def after(self, mark: Mark) -> list[Message]:
        """The messages after one."""
        at = bisect_right(self.messages, mark, key=lambda message: message.mark)
        return [*islice(self.messages, at, None)]


class Feeds:
    """The open feeds of a process: `most` of all, and of `each` token or address.

    After `beat` seconds a silent feed shows that it is alive; every `poll` seconds the store is looked at though nobody
    here has written, as others may have.
    """

    def __init__(self, workers: WorkerPool, *, beat: float, poll: float, most: int, each: int) -> None:
        self.workers = workers
        self.beat = beat
        self.poll = poll
        self.most = most
        self.each = each
        self.closing = False
        self._feeds: dict[Audience, Feed] = {}
        self._open: Counter[str] = Counter()
        self._looking: Counter[str] = Counter()
        self.tell: Callable[[str], None] = lambda _: None  # other processes, where that is possible
        self._beginning = asyncio.Semaphore(MAX_STARTING_FEEDS)

    @property
    def open(self) -> int:
        """How many listen."""
        return self._open.total()

    def looks(self, token: str) -> bool:
        """Whether a player listens now, by the id of their token."""
        return self._looking[token] > 0

    def hint(self, game: str) -> None:
        """Says that something may have happened in a game: its feeds look at once, here and in other processes."""
        self.look(game)
        self.tell(game)

    def look(self, game: str) -> None:
        """Lets the feeds of a game look at once."""
        for feed in self._feeds.values():
            if feed.eyes.place.partition("/")[0] == game:
                feed.hint.set()

    def close(self) -> None:
        """Ends all feeds: each tells its client to come again."""
        self.closing = True
        for feed in self._feeds.values():
            feed.hint.set()
            feed.wake()

    async def listen(self, game: str, line: str, token: str, who: str, form: Form, last: str) -> AsyncIterator[bytes]:
        """The messages for a listener, from the one after `last` on, or from the current state of the line.

        Raises `ProblemError` before the first of them: for who may not, or where too many listen.
        """

        def begin(service: GameService) -> tuple[Visitor, Audience, list[Message]]:
            visitor = authenticate(service, game, token)
            place, viewer = line_of(visitor, line), viewer_of(service, visitor, line)
            # Where nothing is hidden all see the same. Else only what one sees counts, not what one may do.
            sees = SPECTATOR if service.game(game).secrets is None else msgspec.structs.replace(viewer, own=False)
            eyes = Audience(place, sees, form, visitor.members.terms if visitor.late else None)
            return visitor, eyes, first_messages(eyes.service_for(service), visitor, eyes, parse_mark(last))

        # Where a process has died a thousand come at once. A worker would send most of them away: here they wait in
        # line.
        async with self._beginning:
            if self._open[who] >= self.each or self.open >= self.most:
                raise ProblemError(
                    429, "too many feeds are open", "", ["close one, or wait"], headers={"Retry-After": "10"}
                )
            visitor, eyes, messages = await self.workers.run("questions", game, begin)
        return self._messages(visitor, eyes, messages, who)

    async def _messages(
        self, visitor: Visitor, eyes: Audience, messages: list[Message], who: str
    ) -> AsyncIterator[bytes]:
        mark = messages[-1].mark
        feed = self._join(eyes, mark)
        self._open[who] += 1
        self._looking[visitor.grant.id] += 1
        try:
            while True:
                if messages:
                    yield b"".join(message.content for message in messages)
                    mark = messages[-1].mark
                # The event is taken before the list is looked at: what comes in between is not missed.
                news = feed.news
                messages = feed.after(mark)
                if not feed.may_listen(visitor) or mark < feed.forgotten:
                    yield end_message(eyes.form, mark)
                    return
                if self.closing or feed.over:
                    yield b"".join(message.content for message in messages) + end_message(eyes.form, mark)
                    return
                if messages:
                    continue
                try:
                    async with asyncio.timeout(self.beat):
                        await news.wait()
                except TimeoutError:
                    yield heartbeat(eyes.form, mark)
        finally:
            self._leave(feed, who)
            self._looking -= Counter([visitor.grant.id])

    def _join(self, eyes: Audience, mark: Mark) -> Feed:
        feed = self._feeds.get(eyes)
        if feed is None or feed.over:
            feed = self._feeds[eyes] = Feed(eyes, mark)
            feed.task = asyncio.create_task(self._follow(feed))
        feed.listeners += 1
        return feed

    def _leave(self, feed: Feed, who: str) -> None:
        self._open[who] -= 1
        if not self._open[who]:
            del self._open[who]
        feed.listeners -= 1
        if not feed.listeners:
            if self._feeds.get(feed.eyes) is feed:
                del self._feeds[feed.eyes]
            if feed.task:
                feed.task.cancel()

    async def _follow(self, feed: Feed) -> None:
        """Reads the store forward for a feed, on a hint or after a while."""
        game = feed.eyes.place.partition("/")[0]
        while not self.closing:
            with suppress(TimeoutError):
                async with asyncio.timeout(self.poll):
                    await feed.hint.wait()
            feed.hint.clear()
            try:
                found = await self.workers.run("questions", game, _look(feed.eyes, feed.mark))
            except (ProblemError, StoreError) as error:
                log.warning("a feed will look again: %s", type(error).__name__)
                await asyncio.sleep(self.poll)
                continue
            except Exception as error:
                # The line has another name now, or none: who listens comes again, and is told.
                if not isinstance(error, GameError):
                    log.error("a bug in a feed: %s", type(error).__name__, exc_info=error)
                feed.over = True
                feed.wake()
                return
            feed.take_in(found)


def _look(eyes: Audience, mark: Mark) -> Callable[[GameService], Poll]:
    game = eyes.place.partition("/")[0]

    def look(service: GameService) -> Poll:
        service.prefetch(game)
        # Who takes part is read first: a message is sent to nobody who had gone before it.
        members, accounts = service.members(game), service.accounts()
        return Poll(messages_since(eyes.service_for(service), eyes, mark, members), members, accounts, service.clock())

    return look


def first_messages(service: GameService, visitor: Visitor, eyes: Audience, last: Mark | None) -> list[Message]:
    """The first messages of a listener: all after the last one they had, or else the current state of the line."""
    heard = service.discussion(eyes.place.partition("/")[0]).revision + 1
    here = Mark(service.revision(eyes.place), visitor.members.changes, heard)
    if last and all(before <= now for before, now in zip(last, here, strict=True)):
        return messages_since(service, eyes, last, visitor.members) or [Message(last, b"")]
    while True:
        position, revision = service.head(eyes.place, eyes.viewer), service.revision(eyes.place)
        if revision == here.revision:  # else somebody has played in between: it would be told once more, or never
            break
        here = here._replace(revision=revision)
    return [message(eyes.form, here, "standing", line_position(position))]


def messages_since(service: GameService, eyes: Audience, mark: Mark, members: Members) -> list[Message]:
    """What has happened after a message, encoded, as those eyes may see it."""
    game, news = eyes.place.partition("/")[0], service.news(eyes.place, mark.revision, eyes.viewer)
    found = [
        message(
            eyes.form, mark._replace(revision=each.revision), message_kind(each), message_document(service, eyes, each)
        )
        for each in news
    ]
    now = mark._replace(revision=news[-1].revision if news else mark.revision, changes=members.changes)
    if members.changes != mark.changes:
        found.append(message(eyes.form, now, "seats", label_answer(seats_answer(service, game, members), "seats")))
    for at, event, data in discussion_since(service, game, mark.heard - 1):
        found.append(message(eyes.form, now._replace(heard=at + 1), event, data))
    return found


def discussion_since(service: GameService, game: str, after: int) -> list[tuple[int, str, Answer]]:
    """What was said and asked for after a revision: the revision of each, what its message is called, the answer."""
    known, found = service.discussion(game), list[tuple[int, str, Answer]]()
    for remark in known.talk:
        if remark.number > after:
            found.append((remark.number, "talk", label_answer(TalkAnswer(game, (remark,)), "talk")))
    for vote in known.votes:
        if vote.number > after:
            told = VotesAnswer(game, (), (vote,), ended=service.members(game).ended)
            found.append((vote.number, "vote", label_answer(told, "vote")))
    for revision in known.changed:
        if revision > after:
            asked = service.requests_at(game, revision)
            found.append((revision, "request", label_answer(RequestsAnswer(game, (asked,)), "requests")))
    return sorted(found, key=lambda each: each[0])


def message_kind(news: News) -> Literal["commit", "head"]:
    """What the message is called that tells of it."""
    return "commit" if news.is_commit else "head"


def message_document(service: GameService, eyes: Audience, news: News) -> msgspec.Struct:
    """What happened, as an answer; for a page as what it draws."""
    if eyes.form == PAGE and news.is_commit:
        from zimcore.server.pages.steps import news_of

        return news_of(service, news.position, eyes.viewer)
    return news_answer(news)


def news_answer(news: News) -> Answer:
    """What happened, as an answer."""
    position = news.position
    if not news.is_commit:
        return line_position(position)
    turn = tuple(position.game.display.turn(position.state))
    played = (commit_document(position.commit, position.game),)
    return label_answer(PlayAnswer(played, position_document(position), turn), "do")


def line_position(position: Position) -> Answer:
    """Where a line stands."""
    return label_answer(PositionAnswer(position_document(position)), "goto")


def message(form: Form, mark: Mark, event: str, data: msgspec.Struct) -> Message:
    """A message, encoded."""
    if form != NDJSON:
        return Message(
            mark, b"id: %s\nevent: %s\ndata: %s\n\n" % (str(mark).encode(), event.encode(), encode_document(data))
        )
    return Message(mark, encode_document(FeedMessage(str(mark), event, data)) + b"\n")  # type: ignore[arg-type]


def heartbeat(form: Form, mark: Mark) -> bytes:
    """A sign of life."""
    return b": beat\n\n" if form != NDJSON else encode_document(FeedMessage(str(mark), "beat")) + b"\n"


def end_message(form: Form, mark: Mark) -> bytes:
    """The last message: clients reconnect from there."""
    if form != NDJSON:
        return b"event: end\nretry: 1000\ndata: {}\n\n"
    return encode_document(FeedMessage(str(mark), "end")) + b"\n"
