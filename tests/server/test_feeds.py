"""Feeds: first the position, then every message once and in order, from any message, to those who may see it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.server.game_server import GENEROUS, GameServer, game_server, opener
from zimcore.server import feeds as module
from zimcore.server.fair_queue import Payer
from zimcore.server.feeds import Feeds
from zimcore.server.problem_responses import ProblemError
from zimcore.server.workers import MAX_WAITING, WorkerPool

NDJSON = "application/x-ndjson"


class FeedClient:
    """A client of a feed, and all that was sent to it."""

    def __init__(self, stream: AsyncIterator[bytes]) -> None:
        self.stream = stream
        self.writes = list[list[Any]]()

    async def receive(self) -> list[Any]:
        """The next write: one message or several."""
        async with asyncio.timeout(120):  # a busy machine may let it wait
            content = await anext(self.stream)
        self.writes.append([json.loads(line) for line in content.splitlines()])
        return self.writes[-1]

    async def until(self, number: int) -> list[Any]:
        """Reads until a move of that number has come."""
        while not any(
            each["event"] == "commit" and each["data"]["position"]["number"] == number for each in self.messages
        ):
            await self.receive()
        return self.messages

    @property
    def messages(self) -> list[Any]:
        return [message for write in self.writes for message in write if message["event"] != "beat"]

    @property
    def moves(self) -> list[int]:
        return [each["data"]["position"]["number"] for each in self.messages if each["event"] == "commit"]


@contextmanager
def listening(
    folder: Path, tick: int = 1, **settings: Any
) -> Iterator[tuple[GameServer, Callable[..., Coroutine[Any, Any, None]]]]:
    """A game of Nim with a heap of 200, and a function that runs what listens to it."""
    with game_server(folder, "nim", {"stones": "200"}, tick=tick) as server:

        async def run(listen: Callable[[Feeds], Awaitable[None]]) -> None:
            workers = WorkerPool(opener(folder), 1, 1)
            feeds = Feeds(workers, **{"beat": 5.0, "poll": 0.02, "most": 50, "each": 40, **settings})
            try:
                await listen(feeds)
            finally:
                feeds.close()
                workers.close()

        yield server, run


async def feed_client(
    feeds: Feeds, server: GameServer, seat: str = "ann", last: str = "", line: str = "main"
) -> FeedClient:
    token = server.seats[seat].token if seat else ""
    return FeedClient(await feeds.listen(server.game, line, token, seat, NDJSON, last, Payer("", seat)))  # type: ignore[arg-type]


def test_first_where_it_stands_then_what_happens(tmp_path: Path) -> None:
    with listening(tmp_path) as (listener, loop_):

        async def listen_and_check(feeds: Feeds) -> None:
            ann = await feed_client(feeds, listener)
            (standing,) = await ann.receive()
            assert (standing["event"], standing["data"]["position"]["number"]) == ("standing", 0)
            listener.play("take 1")
            (move,) = await ann.receive()
            assert (move["event"], move["data"]["played"][0]["text"]) == ("commit", "take 1")
            assert listener.seats["ann"]("PUT", f"{listener.main}/head", {"steps": -1}, head="*").status_code == 200
            (back,) = await ann.receive()
            assert (back["event"], back["data"]["position"]["number"]) == ("head", 0)
            assert listener.seats["ben"]("DELETE", f"{listener.path}/seats/ben").status_code == 200
            (left,) = await ann.receive()
            assert (left["event"], [seat["by"] for seat in left["data"]["seats"]]) == ("seats", ["ann-player", ""])

        asyncio.run(loop_(listen_and_check))


def test_a_listener_who_reconnects_a_hundred_times_gets_each_message_once(tmp_path: Path) -> None:
    """Every fifth time another process answers, which knows nothing of the earlier connection."""
    with listening(tmp_path) as (listener, loop_):
        last, moves = "", list[int]()

        async def begin(feeds: Feeds) -> None:
            nonlocal last
            last = (await (await feed_client(feeds, listener)).receive())[-1]["id"]

        async def listen_and_check(feeds: Feeds) -> None:
            nonlocal last
            for before in (0, 1, 2, 1, 0):
                for _ in range(before):
                    listener.play("take 1")
                ann = await feed_client(feeds, listener, last=last)
                if not before:
                    await asyncio.to_thread(listener.play, "take 1")
                while not ann.moves:
                    await ann.receive()
                moves.extend(ann.moves)
                last = ann.messages[-1]["id"]
                await ann.stream.aclose()  # type: ignore[attr-defined]

        asyncio.run(loop_(begin))
        for _ in range(20):
            asyncio.run(loop_(listen_and_check))
        assert moves == list(range(1, 121))


@pytest.mark.parametrize("cursor", ["xyz", "1.2", "1.2.3.4", "-1.0.0", "1.0.x", "0.0.0 x", "1" * 25])
def test_what_is_no_cursor_is_refused(nim: GameServer, cursor: str) -> None:
    nim.http.app.state.dispatcher.feeds.closing = True
    ann = nim.seats["ann"]
    for answer in (
        ann.get(f"{nim.main}/feed?after={cursor}"),
        ann.get(f"{nim.main}/feed", **{"Last-Event-ID": cursor}),
    ):
        assert answer.status_code == 400, cursor
        assert "cursor" in answer.json()["title"] or len(cursor) > 24


@pytest.mark.parametrize("past", ["999999.0.0", "0.99.0", "0.0.99", "xyz", "٠.٠.٠"])
def test_a_cursor_past_the_end_is_answered_by_a_reset(tmp_path: Path, past: str) -> None:
    """As after a backup was restored: else what comes next would be taken for what comes after it.

    A page is never refused its feed: a browser would not try again. What is no cursor counts as one past the end.
    """
    with listening(tmp_path) as (listener, loop_):

        async def listen_and_check(feeds: Feeds) -> None:
            ann = await feed_client(feeds, listener, last=past)
            reset, standing = await ann.receive()
            assert (reset["event"], reset["data"]) == ("reset", None)
            assert (standing["event"], standing["id"]) == ("standing", reset["id"])
            listener.play("take 1")
            await ann.until(1)
            second_answer = await feed_client(feeds, listener, last=standing["id"])
            assert [each["event"] for each in await second_answer.receive()] == ["commit"]

        asyncio.run(loop_(listen_and_check))


def test_a_slow_one_catches_up_in_one_write(tmp_path: Path) -> None:
    with listening(tmp_path) as (listener, loop_):

        async def listen_and_check(feeds: Feeds) -> None:
            ann, ben = await feed_client(feeds, listener), await feed_client(feeds, listener, "ben")
            await ann.receive()
            await ben.receive()
            waiting = asyncio.ensure_future(ben.until(9))
            await asyncio.sleep(0)
            for _ in range(9):
                await asyncio.to_thread(listener.play, "take 1")
            await waiting
            assert ben.moves == list(range(1, 10))
            assert len(await ann.receive()) == 9

        asyncio.run(loop_(listen_and_check))


def test_who_is_further_behind_than_is_kept_comes_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_KEPT_MESSAGES", 3)
    with listening(tmp_path) as (listener, loop_):

        async def listen_and_check(feeds: Feeds) -> None:
            ann = await feed_client(feeds, listener)
            await ann.receive()
            ben = await feed_client(feeds, listener)  # the same eyes: he keeps the list going
            await ben.receive()
            for number in range(1, 7):
                await asyncio.to_thread(listener.play, "take 1")
                await ben.until(number)
            (end,) = await ann.receive()
            assert end["event"] == "end"
            second_answer = await feed_client(feeds, listener, last=end["id"])
            await second_answer.until(6)
            assert second_answer.moves == [1, 2, 3, 4, 5, 6]

        asyncio.run(loop_(listen_and_check))


def test_a_token_that_is_revoked_hears_nothing_more(tmp_path: Path) -> None:
    with listening(tmp_path) as (listener, loop_):

        async def listen_and_check(feeds: Feeds) -> None:
            ben = await feed_client(feeds, listener, "ben")
            await ben.receive()
            assert listener.host("DELETE", f"{listener.path}/seats/ben").status_code == 200
            listener.play("take 1")
            (end,) = await ben.receive()
            assert end["event"] == "end"
            with pytest.raises(StopAsyncIteration):
                await ben.receive()
            with pytest.raises(ProblemError):
                await feed_client(feeds, listener, "ben")

        asyncio.run(loop_(listen_and_check))


def test_a_line_of_ones_own_has_a_feed_for_oneself(tmp_path: Path) -> None:
    with listening(tmp_path) as (listener, loop_):
        ann = listener.seats["ann"]
        assert ann("POST", f"{listener.path}/lines", {"name": "x"}).status_code == 201

        async def listen_and_check(feeds: Feeds) -> None:
            own = await feed_client(feeds, listener, line="ann--x")
            assert [each["event"] for each in await own.receive()] == ["standing"]
            with pytest.raises(ProblemError) as error:
                await feed_client(feeds, listener, "ben", line="ann--x")
            assert error.value.details.status == 404
            assert ann("PUT", f"{listener.path}/lines/ann--x/name", {"name": "y"}, head="*").status_code == 200
            assert [each["event"] for each in await own.receive()] == ["end"], "it has another name now"

        asyncio.run(loop_(listen_and_check))


def test_silence_has_a_beat(tmp_path: Path) -> None:
    with listening(tmp_path, beat=0.05) as (listener, loop_):

        async def listen_and_check(feeds: Feeds) -> None:
            ann = await feed_client(feeds, listener)
            await ann.receive()
            assert [each["event"] for _ in range(3) for each in await ann.receive()] == ["beat"] * 3

        asyncio.run(loop_(listen_and_check))


def test_too_many_feeds_are_refused_and_those_that_end_make_room(tmp_path: Path) -> None:
    with listening(tmp_path, each=2) as (listener, loop_):

        async def listen_and_check(feeds: Feeds) -> None:
            clients = [await feed_client(feeds, listener) for _ in range(2)]
            for each in clients:
                await each.receive()
            with pytest.raises(ProblemError) as error:
                await feed_client(feeds, listener)
            assert (error.value.details.status, error.value.headers) == (429, {"Retry-After": "10"})
            await clients[0].stream.aclose()  # type: ignore[attr-defined]
            assert feeds.open == 1
            await (await feed_client(feeds, listener)).receive()
            for each in clients[1:]:
                await each.stream.aclose()  # type: ignore[attr-defined]

        asyncio.run(loop_(listen_and_check))


def test_a_crowd_that_comes_at_once_waits_in_line(tmp_path: Path) -> None:
    """More feeds than requests may wait for a worker: none is refused."""
    crowd = MAX_WAITING + 50
    with listening(tmp_path, most=crowd, each=crowd) as (listener, loop_):

        async def listen_and_check(feeds: Feeds) -> None:
            clients = await asyncio.gather(*(feed_client(feeds, listener) for _ in range(crowd)))
            assert {write[0]["event"] for write in await asyncio.gather(*(each.receive() for each in clients))} == {
                "standing"
            }
            assert feeds.open == crowd

        asyncio.run(loop_(listen_and_check))


def test_when_the_server_ends_every_listener_is_notified(tmp_path: Path) -> None:
    with listening(tmp_path) as (listener, loop_):

        async def listen_and_check(feeds: Feeds) -> None:
            ann = await feed_client(feeds, listener)
            await ann.receive()
            feeds.close()
            assert [each["event"] for each in await ann.receive()] == ["end"]

        asyncio.run(loop_(listen_and_check))


def test_the_two_forms_say_the_same(nim: GameServer) -> None:
    nim.play("take 1")
    nim.http.app.state.dispatcher.feeds.closing = True
    events = nim.seats["ann"].get(f"{nim.main}/feed?after=0.0.0")
    assert events.headers["content-type"].startswith("text/event-stream")
    lines = nim.seats["ann"].get(f"{nim.main}/feed", **{"Last-Event-ID": "0.0.0", "Accept": NDJSON})
    assert lines.headers["content-type"].startswith(NDJSON)
    results = [dict(line.split(": ", 1) for line in block.splitlines()) for block in events.text.split("\n\n") if block]
    messages = [json.loads(line) for line in lines.text.splitlines()]
    assert [each["event"] for each in results] == [each["event"] for each in messages]
    assert [each["id"] for each in results[:-1]] == [each["id"] for each in messages[:-1]]
    assert [json.loads(each["data"]) for each in results[:-1]] == [each["data"] for each in messages[:-1]]


def test_a_poll_finds_what_others_have_written(tmp_path: Path) -> None:
    """At the machine, or on another process."""
    assert GENEROUS.poll < 1
    with listening(tmp_path) as (listener, loop_):

        async def listen_and_check(feeds: Feeds) -> None:
            ann = await feed_client(feeds, listener)
            await ann.receive()
            listener.service.play("k", "take 2", by="hanna")
            (move,) = await ann.receive()
            assert move["data"]["played"][0]["by"] == "hanna"

        asyncio.run(loop_(listen_and_check))


# Where a feed is cut.


def happen(server: GameServer, what: int) -> None:
    """Something of each kind happens, one after the other; the kinds begin anew with every move."""
    ann, ben = server.seats["ann"], server.seats["ben"]
    count = len(server.service.requests(server.game))
    match what % 5:
        case 0:
            server.play("take 1")
        case 1:
            assert ben("POST", f"{server.path}/talk", {"text": f"remark {what}"}).status_code == 201
        case 2:
            pace = {"pace": f"{what + 1}d"}
            assert server.host("PUT", f"{server.path}/terms", pace).status_code == 200
        case 3:
            seat = server.service.position(server.game).commit.seat
            assert server.seats[seat]("POST", f"{server.path}/requests", {"steps": 1}).status_code == 201
        case 4:
            seat = next(each.seat for each in server.service.requests(server.game) if each.status == "open")
            other = ben if seat == "ann" else ann
            answer = {"status": "granted" if what % 2 else "declined"}  # if granted, the head moves in the same append
            assert other("PUT", f"{server.path}/requests/{count}", answer).status_code == 200


@pytest.mark.parametrize("together", [1, 3, 20])
def test_a_feed_that_is_cut_at_any_message_goes_on_without_gap_or_double(tmp_path: Path, together: int) -> None:
    """However many came at once, live and sent again: the same messages with the same ids."""
    with listening(tmp_path, poll=3600.0) as (listener, loop_):
        live = list[Any]()

        async def listen_and_check(feeds: Feeds) -> None:
            ann = await feed_client(feeds, listener)
            live.extend(await ann.receive())
            for what in range(20):
                await asyncio.to_thread(happen, listener, what)
                if (what + 1) % together == 0 or what == 19:
                    feeds.wake_feeds(listener.game)
                    live.extend(await ann.receive())
            ids = [each["id"] for each in live]
            assert len(set(ids)) == len(ids)
            for at, last in enumerate(ids[:-1]):
                second_answer = await feed_client(feeds, listener, last=last)
                sent = again_of(await second_answer.receive())
                assert sent == again_of(live[at + 1 :]), last
                await second_answer.stream.aclose()  # type: ignore[attr-defined]

        asyncio.run(loop_(listen_and_check))


def test_clocks_that_go_back_cause_neither_gap_nor_double(tmp_path: Path) -> None:
    """As with two processes whose clocks differ: a message out of order at worst ends a feed."""
    with listening(tmp_path, tick=-1, poll=3600.0) as (listener, loop_):

        async def listen_and_check(feeds: Feeds) -> None:
            ann = await feed_client(feeds, listener)
            await ann.receive()
            happen(listener, 1)
            ben = await feed_client(feeds, listener, "ben", last=ann.messages[-1]["id"])
            assert [each["event"] for each in await ben.receive()] == ["talk"]
            happen(listener, 0)
            feeds.wake_feeds(listener.game)
            assert [each["event"] for each in await ann.receive()] == ["commit", "talk"]
            (end,) = await ben.receive()
            assert (end["event"], end["id"]) == ("end", ben.messages[0]["id"])
            second_answer = await feed_client(feeds, listener, "ben", last=end["id"])
            assert [each["event"] for each in await second_answer.receive()] == ["commit"]
            happen(listener, 1)
            feeds.wake_feeds(listener.game)
            for each in (ann, second_answer):
                assert [message["event"] for message in await each.receive()] == ["talk"]

        asyncio.run(loop_(listen_and_check))


def again_of(messages: list[Any]) -> list[tuple[str, str]]:
    """The ids and kinds of messages; of those about seats only the last, as it says how all of them are."""
    seats = [each for each in messages if each["event"] == "seats"]
    return [(each["id"], each["event"]) for each in messages if each["event"] != "seats" or each is seats[-1]]
