"""Feeds: first the position, then every message once and in order, from any message, to those who may see it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.server.game_server import GENEROUS_SETTINGS, GameServer, game_server, service_opener
from zimcore.documents.query_parameters import PageQuery
from zimcore.features.takebacks.actions import requests
from zimcore.server.news import feeds as feeds_module
from zimcore.server.news.feeds import Feeds
from zimcore.server.wire.problem_responses import ProblemError
from zimcore.server.work.fair_queue import Payer
from zimcore.server.work.workers import MAX_WAITING, WorkerPool

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
            message["event"] == "commit" and message["data"]["position"]["number"] == number
            for message in self.messages
        ):
            await self.receive()
        return self.messages

    @property
    def messages(self) -> list[Any]:
        return [message for write in self.writes for message in write if message["event"] != "beat"]

    @property
    def move_numbers(self) -> list[int]:
        return [each["data"]["position"]["number"] for each in self.messages if each["event"] == "commit"]


@contextmanager
def server_with_feeds(
    folder: Path, clock_step: int = 1, **settings: Any
) -> Iterator[tuple[GameServer, Callable[..., Coroutine[Any, Any, None]]]]:
    """A game of Nim with a heap of 200, and a function that runs what listens to it."""
    with game_server(folder, "nim", {"stones": "200"}, clock_step=clock_step) as server:

        async def run_with_feeds(listen: Callable[[Feeds], Awaitable[None]]) -> None:
            workers = WorkerPool(service_opener(folder), 1, 1)
            feeds = Feeds(
                workers,
                **{"beat_seconds": 5.0, "poll_seconds": 0.02, "max_listeners": 50, "max_per_client": 40, **settings},
            )
            try:
                await listen(feeds)
            finally:
                feeds.close()
                workers.close()

        yield server, run_with_feeds


async def feed_client(
    feeds: Feeds, server: GameServer, seat: str = "ann", last_id: str = "", line: str = "main"
) -> FeedClient:
    token = server.seats[seat].token if seat else ""
    return FeedClient(await feeds.listen(server.game, line, token, seat, NDJSON, last_id, Payer("", seat)))  # type: ignore[arg-type]


def test_a_feed_sends_the_position_and_then_each_change(tmp_path: Path) -> None:
    with server_with_feeds(tmp_path) as (server, run_with_feeds):

        async def listen_and_check(feeds: Feeds) -> None:
            ann = await feed_client(feeds, server)
            (standing_message,) = await ann.receive()
            assert (standing_message["event"], standing_message["data"]["position"]["number"]) == ("standing", 0)
            server.play("take 1")
            (move,) = await ann.receive()
            assert (move["event"], move["data"]["played"][0]["text"]) == ("commit", "take 1")
            assert server.seats["ann"]("PUT", f"{server.main}/head", {"steps": -1}, head="*").status_code == 200
            (head_message,) = await ann.receive()
            assert (head_message["event"], head_message["data"]["position"]["number"]) == ("head", 0)
            assert server.seats["ben"]("DELETE", f"{server.path}/seats/ben").status_code == 200
            departure_message, seats_message = await ann.receive()
            assert [each["seat"] for each in departure_message["data"]["departures"]] == ["ben"]
            assert (seats_message["event"], [seat["by"] for seat in seats_message["data"]["seats"]]) == (
                "seats",
                ["ann-player", ""],
            )

        asyncio.run(run_with_feeds(listen_and_check))


def test_a_listener_who_reconnects_a_hundred_times_gets_each_message_once(tmp_path: Path) -> None:
    """Every fifth time another process answers, which knows nothing of the earlier connection."""
    with server_with_feeds(tmp_path) as (server, run_with_feeds):
        last_id, moves = "", list[int]()

        async def note_first_id(feeds: Feeds) -> None:
            nonlocal last_id
            last_id = (await (await feed_client(feeds, server)).receive())[-1]["id"]

        async def listen_and_check(feeds: Feeds) -> None:
            nonlocal last_id
            for moves_before in (0, 1, 2, 1, 0):
                for _ in range(moves_before):
                    server.play("take 1")
                ann = await feed_client(feeds, server, last_id=last_id)
                if not moves_before:
                    await asyncio.to_thread(server.play, "take 1")
                while not ann.move_numbers:
                    await ann.receive()
                moves.extend(ann.move_numbers)
                last_id = ann.messages[-1]["id"]
                await ann.stream.aclose()  # type: ignore[attr-defined]

        asyncio.run(run_with_feeds(note_first_id))
        for _ in range(20):
            asyncio.run(run_with_feeds(listen_and_check))
        assert moves == list(range(1, 121))


@pytest.mark.parametrize("cursor", ["xyz", "1.2", "1.2.3.4", "-1.0.0", "1.0.x", "0.0.0 x", "1" * 25])
def test_an_invalid_cursor_is_refused(nim_server: GameServer, cursor: str) -> None:
    nim_server.http.app.state.dispatcher.feeds.is_closing = True
    ann = nim_server.seats["ann"]
    for answer in (
        ann.get(f"{nim_server.main}/feed?after={cursor}"),
        ann.get(f"{nim_server.main}/feed", **{"Last-Event-ID": cursor}),
    ):
        assert answer.status_code == 400, cursor
        assert "cursor" in answer.json()["title"] or len(cursor) > 24


@pytest.mark.parametrize("cursor", ["999999.0.0", "0.99.0", "0.0.99", "xyz", "٠.٠.٠"])
def test_a_cursor_past_the_end_is_answered_by_a_reset(tmp_path: Path, cursor: str) -> None:
    """After a backup is restored, a client may have a cursor that the store has not reached yet.

    A page is never refused its feed: a browser would not try again. What is no cursor counts as one past the end.
    """
    with server_with_feeds(tmp_path) as (server, run_with_feeds):

        async def listen_and_check(feeds: Feeds) -> None:
            ann = await feed_client(feeds, server, last_id=cursor)
            reset_message, standing_message = await ann.receive()
            assert (reset_message["event"], reset_message["data"]) == ("reset", None)
            assert (standing_message["event"], standing_message["id"]) == ("standing", reset_message["id"])
            server.play("take 1")
            await ann.until(1)
            second_client = await feed_client(feeds, server, last_id=standing_message["id"])
            assert [each["event"] for each in await second_client.receive()] == ["commit"]

        asyncio.run(run_with_feeds(listen_and_check))


def test_a_slow_listener_catches_up_in_one_write(tmp_path: Path) -> None:
    with server_with_feeds(tmp_path) as (server, run_with_feeds):

        async def listen_and_check(feeds: Feeds) -> None:
            ann, ben = await feed_client(feeds, server), await feed_client(feeds, server, "ben")
            await ann.receive()
            await ben.receive()
            reading_task = asyncio.ensure_future(ben.until(9))
            await asyncio.sleep(0)
            for _ in range(9):
                await asyncio.to_thread(server.play, "take 1")
            await reading_task
            assert ben.move_numbers == list(range(1, 10))
            assert len(await ann.receive()) == 9

        asyncio.run(run_with_feeds(listen_and_check))


def test_a_listener_too_far_behind_reconnects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds_module, "MAX_KEPT_MESSAGES", 3)
    with server_with_feeds(tmp_path) as (server, run_with_feeds):

        async def listen_and_check(feeds: Feeds) -> None:
            ann = await feed_client(feeds, server)
            await ann.receive()
            ben = await feed_client(feeds, server)  # he sees the same, so his feed keeps the shared list alive
            await ben.receive()
            for number in range(1, 7):
                await asyncio.to_thread(server.play, "take 1")
                await ben.until(number)
            (end_message,) = await ann.receive()
            assert end_message["event"] == "end"
            second_client = await feed_client(feeds, server, last_id=end_message["id"])
            await second_client.until(6)
            assert second_client.move_numbers == [1, 2, 3, 4, 5, 6]

        asyncio.run(run_with_feeds(listen_and_check))


def test_a_revoked_token_receives_no_more_messages(tmp_path: Path) -> None:
    with server_with_feeds(tmp_path) as (server, run_with_feeds):

        async def listen_and_check(feeds: Feeds) -> None:
            ben = await feed_client(feeds, server, "ben")
            await ben.receive()
            assert server.host("DELETE", f"{server.path}/seats/ben").status_code == 200
            server.play("take 1")
            (end_message,) = await ben.receive()
            assert end_message["event"] == "end"
            with pytest.raises(StopAsyncIteration):
                await ben.receive()
            with pytest.raises(ProblemError):
                await feed_client(feeds, server, "ben")

        asyncio.run(run_with_feeds(listen_and_check))


def test_a_private_line_has_a_feed_for_its_seat_only(tmp_path: Path) -> None:
    with server_with_feeds(tmp_path) as (server, run_with_feeds):
        ann = server.seats["ann"]
        assert ann("POST", f"{server.path}/lines", {"name": "x"}).status_code == 201

        async def listen_and_check(feeds: Feeds) -> None:
            own_client = await feed_client(feeds, server, line="ann--x")
            assert [each["event"] for each in await own_client.receive()] == ["standing"]
            with pytest.raises(ProblemError) as error:
                await feed_client(feeds, server, "ben", line="ann--x")
            assert error.value.details.status == 404
            assert ann("PUT", f"{server.path}/lines/ann--x/name", {"name": "y"}, head="*").status_code == 200
            assert [each["event"] for each in await own_client.receive()] == ["end"], "it has another name now"

        asyncio.run(run_with_feeds(listen_and_check))


def test_a_silent_feed_sends_beats(tmp_path: Path) -> None:
    with server_with_feeds(tmp_path, beat_seconds=0.05) as (server, run_with_feeds):

        async def listen_and_check(feeds: Feeds) -> None:
            ann = await feed_client(feeds, server)
            await ann.receive()
            assert [message["event"] for _ in range(3) for message in await ann.receive()] == ["beat"] * 3

        asyncio.run(run_with_feeds(listen_and_check))


def test_too_many_feeds_are_refused_and_those_that_end_make_room(tmp_path: Path) -> None:
    with server_with_feeds(tmp_path, max_per_client=2) as (server, run_with_feeds):

        async def listen_and_check(feeds: Feeds) -> None:
            clients = [await feed_client(feeds, server) for _ in range(2)]
            for client in clients:
                await client.receive()
            with pytest.raises(ProblemError) as error:
                await feed_client(feeds, server)
            assert (error.value.details.status, error.value.headers) == (429, {"Retry-After": "10"})
            await clients[0].stream.aclose()  # type: ignore[attr-defined]
            assert feeds.listener_count == 1
            await (await feed_client(feeds, server)).receive()
            for client in clients[1:]:
                await client.stream.aclose()  # type: ignore[attr-defined]

        asyncio.run(run_with_feeds(listen_and_check))


def test_many_feeds_opened_at_once_are_all_served(tmp_path: Path) -> None:
    """More feeds than requests may wait for a worker: none is refused."""
    feed_count = MAX_WAITING + 50
    with server_with_feeds(tmp_path, max_listeners=feed_count, max_per_client=feed_count) as (server, run_with_feeds):

        async def listen_and_check(feeds: Feeds) -> None:
            clients = await asyncio.gather(*(feed_client(feeds, server) for _ in range(feed_count)))
            assert {write[0]["event"] for write in await asyncio.gather(*(each.receive() for each in clients))} == {
                "standing"
            }
            assert feeds.listener_count == feed_count

        asyncio.run(run_with_feeds(listen_and_check))


def test_when_the_server_ends_every_listener_is_notified(tmp_path: Path) -> None:
    with server_with_feeds(tmp_path) as (server, run_with_feeds):

        async def listen_and_check(feeds: Feeds) -> None:
            ann = await feed_client(feeds, server)
            await ann.receive()
            feeds.close()
            assert [each["event"] for each in await ann.receive()] == ["end"]

        asyncio.run(run_with_feeds(listen_and_check))


def test_both_formats_of_a_feed_have_the_same_messages(nim_server: GameServer) -> None:
    nim_server.play("take 1")
    nim_server.http.app.state.dispatcher.feeds.is_closing = True
    events = nim_server.seats["ann"].get(f"{nim_server.main}/feed?after=0.0.0")
    assert events.headers["content-type"].startswith("text/event-stream")
    lines = nim_server.seats["ann"].get(f"{nim_server.main}/feed", **{"Last-Event-ID": "0.0.0", "Accept": NDJSON})
    assert lines.headers["content-type"].startswith(NDJSON)
    event_stream = [
        dict(line.split(": ", 1) for line in block.splitlines()) for block in events.text.split("\n\n") if block
    ]
    messages = [json.loads(line) for line in lines.text.splitlines()]
    assert [each["event"] for each in event_stream] == [each["event"] for each in messages]
    assert [each["id"] for each in event_stream[:-1]] == [each["id"] for each in messages[:-1]]
    assert [json.loads(each["data"]) for each in event_stream[:-1]] == [each["data"] for each in messages[:-1]]


def test_a_poll_finds_changes_by_other_processes(tmp_path: Path) -> None:
    """At the machine, or on another process."""
    assert GENEROUS_SETTINGS.poll_seconds < 1
    with server_with_feeds(tmp_path) as (server, run_with_feeds):

        async def listen_and_check(feeds: Feeds) -> None:
            ann = await feed_client(feeds, server)
            await ann.receive()
            server.service.play("k", "take 2", by="hanna")
            (move,) = await ann.receive()
            assert move["data"]["played"][0]["by"] == "hanna"

        asyncio.run(run_with_feeds(listen_and_check))


# Feeds that are cut off.


def do_next_change(server: GameServer, number: int) -> None:
    """Makes a change: the kinds of changes take turns, beginning with a move."""
    ann, ben = server.seats["ann"], server.seats["ben"]
    request_infos = server.service.query(requests, PageQuery(), server.game).requests
    request_count = len(request_infos)
    match number % 5:
        case 0:
            server.play("take 1")
        case 1:
            assert ben("POST", f"{server.path}/talk", {"text": f"remark {number}"}).status_code == 201
        case 2:
            new_terms = {"pace": f"{number + 1}d"}
            assert server.host("PUT", f"{server.path}/terms", new_terms).status_code == 200
        case 3:
            seat = server.service.position(server.game).commit.seat
            assert server.seats[seat]("POST", f"{server.path}/requests", {"steps": 1}).status_code == 201
        case 4:
            seat = next(
                each.seat
                for each in server.service.query(requests, PageQuery(), server.game).requests
                if each.status == "open"
            )
            answering_client = ben if seat == "ann" else ann
            # if granted, the head moves in the same append
            decision = {"status": "granted" if number % 2 else "declined"}
            assert answering_client("PUT", f"{server.path}/requests/{request_count}", decision).status_code == 200


@pytest.mark.parametrize("batch_size", [1, 3, 20])
def test_a_feed_cut_at_any_message_continues_without_gap_or_repetition(tmp_path: Path, batch_size: int) -> None:
    """Messages received live and after a reconnection are the same, with the same ids."""
    with server_with_feeds(tmp_path, poll_seconds=3600.0) as (server, run_with_feeds):
        live_messages = list[Any]()

        async def listen_and_check(feeds: Feeds) -> None:
            ann = await feed_client(feeds, server)
            live_messages.extend(await ann.receive())
            for number in range(20):
                await asyncio.to_thread(do_next_change, server, number)
                if (number + 1) % batch_size == 0 or number == 19:
                    feeds.wake_feeds(server.game)
                    live_messages.extend(await ann.receive())
            ids = [each["id"] for each in live_messages]
            assert len(set(ids)) == len(ids)
            for index, last_id in enumerate(ids[:-1]):
                second_client = await feed_client(feeds, server, last_id=last_id)
                later_messages = ids_and_events(await second_client.receive())
                assert later_messages == ids_and_events(live_messages[index + 1 :]), last_id
                await second_client.stream.aclose()  # type: ignore[attr-defined]

        asyncio.run(run_with_feeds(listen_and_check))


def test_clocks_that_go_back_cause_no_gap_and_no_repetition(tmp_path: Path) -> None:
    """As with two processes whose clocks differ: a message out of order at worst ends a feed."""
    with server_with_feeds(tmp_path, clock_step=-1, poll_seconds=3600.0) as (server, run_with_feeds):

        async def listen_and_check(feeds: Feeds) -> None:
            ann = await feed_client(feeds, server)
            await ann.receive()
            do_next_change(server, 1)
            ben = await feed_client(feeds, server, "ben", last_id=ann.messages[-1]["id"])
            assert [each["event"] for each in await ben.receive()] == ["talk"]
            do_next_change(server, 0)
            feeds.wake_feeds(server.game)
            assert [each["event"] for each in await ann.receive()] == ["commit", "talk"]
            (end_message,) = await ben.receive()
            assert (end_message["event"], end_message["id"]) == ("end", ben.messages[0]["id"])
            second_client = await feed_client(feeds, server, "ben", last_id=end_message["id"])
            assert [each["event"] for each in await second_client.receive()] == ["commit"]
            do_next_change(server, 1)
            feeds.wake_feeds(server.game)
            for client in (ann, second_client):
                assert [message["event"] for message in await client.receive()] == ["talk"]

        asyncio.run(run_with_feeds(listen_and_check))


def ids_and_events(messages: list[Any]) -> list[tuple[str, str]]:
    """The ids and events of messages; of those about seats only the last, as it has the state of all seats."""
    seats_messages = [each for each in messages if each["event"] == "seats"]
    return [(each["id"], each["event"]) for each in messages if each["event"] != "seats" or each is seats_messages[-1]]
