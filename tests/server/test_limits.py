"""A client over its limit gets an error and slows down no other client."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from litestar.types import Message
from msgspec.structs import replace

from tests.server.game_server import GENEROUS_SETTINGS, Client, GameServer, game_server, service_opener
from tests.server.test_pages import get_page
from tests.timeouts import PATIENCE
from zimcore.server.app import make_app
from zimcore.server.endpoints import line_handlers
from zimcore.server.pages.rendering import files_version
from zimcore.server.wire.limits import Buckets, ClientGoneError, RateLimits, limit_requests
from zimcore.server.wire.problem_responses import ProblemError
from zimcore.server.work import workers as workers_module
from zimcore.server.work.fair_queue import Payer
from zimcore.server.work.workers import Worker, WorkerPool
from zimcore.service import GameService

ANN = Payer("anna", "ann")


def test_a_bucket_gives_what_it_has_and_fills_again() -> None:
    now = [0.0]
    buckets = Buckets(2, 3, lambda: now[0])
    assert [buckets.take_request("ann") for _ in range(4)] == [0, 0, 0, 0.5]
    assert buckets.take_request("ben") == 0
    now[0] = 0.5
    assert [buckets.take_request("ann") for _ in range(2)] == [0, 0.5]
    now[0] = 100
    assert [buckets.take_request("ann") for _ in range(4)] == [0, 0, 0, 0.5]


def test_a_client_over_its_limit_waits_and_others_do_not(tmp_path: Path) -> None:
    limits = replace(GENEROUS_SETTINGS.limits, token_rate=0.001, token_burst=5)
    with game_server(tmp_path, "nim", {}, settings=replace(GENEROUS_SETTINGS, limits=limits)) as server:
        ann, ben = server.seats["ann"], server.seats["ben"]
        responses = [ann.get(server.main) for _ in range(6)]
        assert [response.status_code for response in responses] == [200] * 5 + [429]
        assert int(responses[-1].headers["retry-after"]) > 0
        assert responses[-1].headers["content-type"] == "application/problem+json"
        assert ben.get(server.main).status_code == 200
        response_to_large_body = ann("POST", f"{server.main}/moves", {"move": "x" * 70_000}, head="*")
        assert (response_to_large_body.status_code, response_to_large_body.headers["connection"]) == (429, "close"), (
            "a body without an end is not read"
        )
        assert "connection" not in responses[-1].headers


def test_static_files_do_not_count_for_the_limit_of_a_client(tmp_path: Path) -> None:
    limits = replace(GENEROUS_SETTINGS.limits, token_rate=0.001, token_burst=2, address_rate=0.001, address_burst=20)
    with game_server(tmp_path, "nim", {}, settings=replace(GENEROUS_SETTINGS, limits=limits)) as server:
        page_statuses = [server.http.get("/join").status_code for _ in range(3)]
        file_statuses = [server.http.get(f"/static/{files_version()}/page.js").status_code for _ in range(20)]
    assert page_statuses[-1] == 429
    assert (file_statuses[0], file_statuses[-1]) == (200, 429), "up to the limit of the address"


@pytest.mark.parametrize("path", ["/", "/leagues", "/rules/nim"])
def test_a_page_counts_as_one_request(tmp_path: Path, path: str) -> None:
    limits = replace(GENEROUS_SETTINGS.limits, max_open_requests=1)
    with game_server(tmp_path, "nim", {}, settings=replace(GENEROUS_SETTINGS, limits=limits)) as server:
        assert server.http.get(path, headers={"Accept": "text/html"}).status_code == 200


def test_an_answer_says_how_many_requests_are_left(tmp_path: Path) -> None:
    """Each token sees only its own requests: those of others could reveal hidden things."""
    limits = replace(GENEROUS_SETTINGS.limits, token_rate=0.001, token_burst=5)
    with game_server(tmp_path, "nim", {}, settings=replace(GENEROUS_SETTINGS, limits=limits)) as server:
        ann, ben = server.seats["ann"], server.seats["ben"]
        remaining_counts = [ann.get(server.main).headers["ratelimit"].partition(";t=")[0] for _ in range(2)]
        assert remaining_counts == ['"requests";r=4', '"requests";r=3']
        headers = ben.get(server.main).headers
        assert headers["ratelimit-policy"] == '"requests";q=5;w=5000'
        assert headers["ratelimit"].startswith('"requests";r=4;t=')
        assert "server-timing" not in headers


def test_players_at_one_address_do_not_wait_for_one_another(tmp_path: Path) -> None:
    limits = replace(GENEROUS_SETTINGS.limits, token_rate=0.001, token_burst=4)
    with game_server(tmp_path, "nim", {}, settings=replace(GENEROUS_SETTINGS, limits=limits)) as server:
        ann_token, ben_token = (server.seats[seat].token for seat in ("ann", "ben"))
        statuses = [get_page(server, "/join", ann_token).status_code for _ in range(5)]
        assert (statuses[0], statuses[-1]) == (200, 429)
        assert get_page(server, "/join", ben_token).status_code == 200
        assert get_page(server, "/join", ann_token, ben_token).status_code == 429, "the first cookie counts"


def test_many_tokens_of_one_address_share_its_limit(tmp_path: Path) -> None:
    limits = replace(GENEROUS_SETTINGS.limits, address_rate=0.001, address_burst=20)
    with game_server(
        tmp_path, "nim", {}, settings=replace(GENEROUS_SETTINGS, limits=limits), take_seats=False
    ) as server:
        statuses = {Client(server.http, f"zim_seat_{number:043}").get(server.main).status_code for number in range(30)}
        assert statuses == {404, 429}


def test_people_who_share_a_spectator_link_are_counted_by_address(tmp_path: Path) -> None:
    """One of them can't use up the requests and feeds of all; a seat's token is one client at every address."""
    limits = replace(GENEROUS_SETTINGS.limits, token_rate=0.001, token_burst=3)
    with game_server(tmp_path, "nim", {}, settings=replace(GENEROUS_SETTINGS, limits=limits)) as server:
        app, listening_clients = server.http.app, list[str]()
        app.state.dispatcher.feeds.is_closing = True
        listen = app.state.dispatcher.feeds.listen

        async def note_listener(game: str, line: str, token: str, address_key: str, *options: Any) -> Any:
            listening_clients.append(address_key)
            return await listen(game, line, token, address_key, *options)

        app.state.dispatcher.feeds.listen = note_listener

        def statuses(token: str, path: str) -> list[int]:
            async def ask() -> list[int]:
                answer_statuses = list[int]()
                for address in ("192.0.2.1",) * 4 + ("192.0.2.2", *("2001:db8::1", "2001:db8::2") * 2):
                    transport = httpx.ASGITransport(app, client=(address, 1))
                    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as http:
                        response = await http.get(path, headers={"Authorization": f"Bearer {token}"})
                        answer_statuses.append(response.status_code)
                return answer_statuses

            with server.http.portal() as portal:
                responses: list[int] = portal.call(ask)
                return responses

        spectator_token, seat_token = server.token("spectator").token, server.seats["ann"].token
        assert statuses(spectator_token, f"{server.main}/feed") == [200, 200, 200, 429, 200, 200, 200, 200, 429]
        assert len(set(listening_clients)) == 3, "an IPv6 network is one address"
        assert statuses(seat_token, f"{server.main}/feed") == [200] * 3 + [429] * 6


@pytest.mark.parametrize("size", [70_000, 5_000_000])
def test_a_body_that_is_too_large_is_not_read(nim_server: GameServer, size: int) -> None:
    response = nim_server.seats["ann"]("POST", f"{nim_server.main}/moves", {"move": "x" * size}, head="*")
    assert (response.status_code, response.json()["kind"]) == (413, "too-large")


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"{", b"[]", b"null", b'"x"', b'{"move": 1}', b'{"move": ""}', b'{"move": "take 1", "more": 1}'),
        *(b'{"move": "\xff"}', b"[" * 60_000, b'{"move": "take 1"}garbage', b'{"move": "' + b"x" * 501 + b'"}'),
        *(b'{"move": "\\ud800"}', b'{"move": "\\u0000"}', b'{"move": "take 1\\nend"}', b'{"move": "\xe2\x80\xae"}'),
        *(b'{"move": NaN}', b'{"move": 1e999}', b'{"seat": "ann"}'),
    ],
)
def test_an_invalid_body_is_an_error(nim_server: GameServer, body: bytes) -> None:
    headers = {"Authorization": f"Bearer {nim_server.seats['ann'].token}", "Idempotency-Key": "k", "If-Match": "*"}
    headers["Content-Type"] = "application/json"
    response = nim_server.http.post(f"{nim_server.main}/moves", content=body, headers=headers)
    assert response.status_code in (400, 422), response.text
    assert response.headers["content-type"] == "application/problem+json"
    assert response.text.isprintable()
    assert nim_server.service.head("k").commit.number == 0


def test_a_slow_body_is_dropped() -> None:
    messages = list[Message]()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        messages.append(await receive())
        messages.append(await receive())

    async def receive_slowly() -> Any:
        if not messages:
            return {"type": "http.request", "body": b"{", "more_body": True}
        await asyncio.sleep(3600)
        raise AssertionError("nothing came")

    async def send_request() -> None:
        limited_app = limit_requests(RateLimits(body_seconds=0.05))(app)
        await limited_app({"type": "http", "path": "/", "headers": [], "state": {}}, receive_slowly, receive_slowly)  # type: ignore[arg-type]

    asyncio.run(send_request())
    assert [message["type"] for message in messages] == ["http.request", "http.disconnect"]


@pytest.mark.parametrize(
    ("fault", "status", "kind", "closes_connection"),
    [("slow", 408, "too-slow", True), ("cut off", 499, "closed", False), ("too large", 413, "too-large", True)],
)
def test_a_body_without_its_end_is_a_client_error(
    tmp_path: Path, fault: str, status: int, kind: str, closes_connection: bool
) -> None:
    """This holds without a token too. A slow or large body closes the connection."""
    app = make_app(
        service_opener(tmp_path),
        replace(GENEROUS_SETTINGS, limits=replace(GENEROUS_SETTINGS.limits, body_seconds=0.05)),
    )
    headers = [(b"content-type", b"application/json"), (b"idempotency-key", b"k"), (b"transfer-encoding", b"chunked")]
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "query_string": b"",
        "path": "/v1/tokens",
        "raw_path": b"/v1/tokens",
        "root_path": "",
        "client": ("192.0.2.1", 1),
        "headers": [(b"host", b"localhost"), *(headers if fault != "cut off" else headers[:2])],
    }
    size = 70_000 if fault == "too large" else 1
    parts = [{"type": "http.request", "body": b"{" * size, "more_body": True}, {"type": "http.disconnect"}]
    responses = list[Message]()

    async def receive() -> Any:
        if fault == "slow" and len(parts) == 1:
            await asyncio.sleep(3600)
        return parts.pop(0)

    async def send(message: Message) -> None:
        responses.append(message)

    async def send_request() -> None:
        async with app.lifespan():
            await app(scope, receive, send)  # type: ignore[arg-type]

    asyncio.run(send_request())
    start_message, *body_messages = responses
    assert start_message["type"] == "http.response.start"
    assert (start_message["status"], dict(start_message["headers"]).get(b"connection")) == (
        status,
        b"close" if closes_connection else None,
    )
    assert (
        json.loads(b"".join(each["body"] for each in body_messages if each["type"] == "http.response.body"))["kind"]
        == kind
    )


def test_a_client_that_reads_nothing_is_dropped() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.body", "body": b"x" * 100, "more_body": True})

    async def wait_long(_: Any) -> None:
        await asyncio.sleep(3600)

    async def send_request() -> None:
        limited_app = limit_requests(RateLimits(stall_seconds=0.05))(app)
        with pytest.raises(ClientGoneError):
            await limited_app({"type": "http", "path": "/", "headers": []}, wait_long, wait_long)  # type: ignore[arg-type]

    asyncio.run(send_request())


def test_refusals_beyond_a_burst_are_delayed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refusals of invalid tokens are counted by address, others by token; a conflict is never delayed."""
    delays, next_answer = list[float](), {"status": 422}

    async def note_delay(seconds: float) -> None:
        delays.append(seconds)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "headers": [], **next_answer})

    async def do_nothing(_: Any = None) -> Any:
        return None

    limits = RateLimits(refused_rate=2, refused_burst=2)
    limited_app = limit_requests(limits, lambda: 0.0)(app)

    def send_request(token: str, host: str = "192.0.2.1") -> None:
        headers = [(b"authorization", b"Bearer " + token.encode())]
        scope = {"type": "http", "headers": headers, "client": (host, 1), "path": "/"}
        asyncio.run(limited_app(scope, do_nothing, do_nothing))  # type: ignore[arg-type]

    monkeypatch.setattr(asyncio, "sleep", note_delay)
    for _ in range(10):
        send_request("ann")
    assert delays == [0, 0, 0.5, 1, 1.5, 2, 2, 2, 2, 2], "never longer than MAX_HELD"
    send_request("ben")
    assert delays.pop() == 0
    for status in (412, 304, 200):
        next_answer["status"] = status
        send_request("ann")
    assert len(delays) == 10
    next_answer["status"] = 401
    for token in ("made", "up", "again"):
        send_request(token, "192.0.2.2")
    assert delays[-3:] == [0, 0, 0.5]


def test_a_seat_has_a_limited_number_of_private_lines(nim_server: GameServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_handlers, "MAX_LINES", 2)
    ann, ben = nim_server.seats["ann"], nim_server.seats["ben"]
    statuses = [
        ann("POST", f"{nim_server.path}/lines", {"name": name}, key=name).status_code for name in ("a", "b", "c", "b")
    ]
    assert statuses == [201, 201, 409, 201], "the last request is a retry"
    assert ben("POST", f"{nim_server.path}/lines", {"name": "c"}).status_code == 201


def test_a_slow_question_stops_no_move(tmp_path: Path) -> None:
    """Moves have a worker of their own, so a question does not block them even in the same game."""
    workers, is_started, release_event = (
        WorkerPool(service_opener(tmp_path), 1, 1),
        threading.Event(),
        threading.Event(),
    )

    def answer_slowly(_: GameService) -> str:
        is_started.set()
        assert release_event.wait(60)
        return "slow"

    async def ask_and_check() -> list[str]:
        question = asyncio.ensure_future(workers.run("questions", "k", answer_slowly, ANN))
        await asyncio.to_thread(is_started.wait)
        responses = [await workers.run("moves", "k", lambda _: "move", ANN)]
        release_event.set()
        return [*responses, await question]

    try:
        assert asyncio.run(ask_and_check()) == ["move", "slow"]
    finally:
        release_event.set()
        workers.close()


def test_a_full_worker_refuses_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers_module, "MAX_WAITING", 2)
    worker, release_event = Worker(service_opener(tmp_path), "busy"), threading.Event()

    async def ask_and_check() -> None:
        waiting_jobs = [asyncio.ensure_future(worker.run(lambda _: release_event.wait(60), ANN, 60)) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(ProblemError) as error:
            await worker.run(lambda _: None, ANN, 60)
        assert (error.value.details.status, error.value.headers) == (503, {"Retry-After": "1"})
        release_event.set()
        await asyncio.gather(*waiting_jobs)
        assert await worker.run(lambda _: "again", ANN, 60) == "again"

    try:
        asyncio.run(ask_and_check())
    finally:
        release_event.set()
        worker.close()


def test_no_account_fills_a_worker_alone(tmp_path: Path) -> None:
    settings = replace(GENEROUS_SETTINGS, limits=replace(GENEROUS_SETTINGS.limits, max_open_requests=1))
    with game_server(tmp_path, "nim", {}, settings=settings) as server:
        workers, release_event = server.http.app.state.dispatcher.workers, threading.Event()
        workers._workers["questions"][0]._pool.submit(release_event.wait, 60)
        responses = list[int]()
        ann, ben = server.seats["ann"], server.seats["ben"]
        waiting_thread = threading.Thread(target=lambda: responses.append(ann.get(server.main).status_code))
        waiting_thread.start()
        while not workers.waiting_count:
            time.sleep(0.01)
        assert ann.get(server.main).status_code == 429
        assert ann("POST", f"{server.main}/moves", {"move": "take 1"}, head="*").status_code == 429
        release_event.set()
        waiting_thread.join()
        assert responses == [200]
        assert ben.get(server.main).status_code == 200


def test_a_client_that_timed_out_may_ask_again(tmp_path: Path) -> None:
    """The request is completed anyway, and its key returns the answer."""
    worker, release_event, finished_work = Worker(service_opener(tmp_path), "slow"), threading.Event(), list[str]()

    def work_slowly(_: GameService) -> None:
        release_event.wait(60)
        finished_work.append("done")

    async def ask_and_check() -> None:
        with pytest.raises(ProblemError, match="the server is busy"):
            await worker.run(work_slowly, ANN, 0.01)
        assert worker.waiting_count == 1
        release_event.set()
        await worker.run(lambda _: None, ANN, 60)

    try:
        asyncio.run(ask_and_check())
        assert finished_work == ["done"]
    finally:
        worker.close()


def test_no_request_runs_on_the_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread of the HTTP server decides no rules and reads no store."""
    thread_names = set[str]()

    def note_thread(service: GameService, *arguments: Any, **settings: Any) -> Any:
        thread_names.add(threading.current_thread().name)
        return original_position(service, *arguments, **settings)

    original_position = GameService.position
    monkeypatch.setattr(GameService, "position", note_thread)
    with game_server(tmp_path, "nim", {}) as server:
        thread_names.clear()
        for path in ("", "/moves", "/legal", "/story"):
            assert server.seats["ann"].get(server.main + path).status_code == 200
    assert {name.partition("-")[0] for name in thread_names} <= {"moves", "questions"}
    assert thread_names


def test_a_server_that_ended_leaves_no_thread(tmp_path: Path) -> None:
    threads_before = threading.active_count()
    for number in range(5):
        folder = tmp_path / str(number)
        folder.mkdir()
        with game_server(folder, "nim", {}) as server:
            server.play("take 1")
    deadline = time.monotonic() + PATIENCE
    while threading.active_count() > threads_before and time.monotonic() < deadline:
        time.sleep(0.05)
    assert threading.active_count() <= threads_before
    assert make_app(service_opener(tmp_path), GENEROUS_SETTINGS)
