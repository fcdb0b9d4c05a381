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

from tests.server.game_server import GENEROUS, Client, GameServer, game_server, opener
from tests.server.test_pages import get_page
from zimcore.server import line_handlers
from zimcore.server import workers as module
from zimcore.server.app import make_app
from zimcore.server.fair_queue import Payer
from zimcore.server.limits import Buckets, RateLimits, limit_requests
from zimcore.server.pages.rendering import version
from zimcore.server.problem_responses import ProblemError
from zimcore.server.workers import Worker, WorkerPool
from zimcore.service import GameService

ANN = Payer("anna", "ann")


def test_a_bucket_gives_what_it_has_and_fills_again() -> None:
    now = [0.0]
    buckets = Buckets(2, 3, lambda: now[0])
    assert [buckets.seconds_to_wait("ann") for _ in range(4)] == [0, 0, 0, 0.5]
    assert buckets.seconds_to_wait("ben") == 0
    now[0] = 0.5
    assert [buckets.seconds_to_wait("ann") for _ in range(2)] == [0, 0.5]
    now[0] = 100
    assert [buckets.seconds_to_wait("ann") for _ in range(4)] == [0, 0, 0, 0.5]


def test_who_asks_too_often_waits_and_others_do_not(tmp_path: Path) -> None:
    limits = replace(GENEROUS.limits, token_rate=0.001, token_burst=5)
    with game_server(tmp_path, "nim", {}, settings=replace(GENEROUS, limits=limits)) as server:
        ann, ben = server.seats["ann"], server.seats["ben"]
        answers = [ann.get(server.main) for _ in range(6)]
        assert [answer.status_code for answer in answers] == [200] * 5 + [429]
        assert int(answers[-1].headers["retry-after"]) > 0
        assert answers[-1].headers["content-type"] == "application/problem+json"
        assert ben.get(server.main).status_code == 200
        much = ann("POST", f"{server.main}/moves", {"move": "x" * 70_000}, head="*")
        assert (much.status_code, much.headers["connection"]) == (429, "close"), "a body without an end is not read"
        assert "connection" not in answers[-1].headers


def test_the_files_of_a_page_come_whatever_else_was_asked(tmp_path: Path) -> None:
    limits = replace(GENEROUS.limits, token_rate=0.001, token_burst=2, address_rate=0.001, address_burst=20)
    with game_server(tmp_path, "nim", {}, settings=replace(GENEROUS, limits=limits)) as server:
        pages = [server.http.get("/join").status_code for _ in range(3)]
        files = [server.http.get(f"/static/{version()}/page.js").status_code for _ in range(20)]
    assert pages[-1] == 429
    assert (files[0], files[-1]) == (200, 429), "up to the limit of the address"


@pytest.mark.parametrize("path", ["/", "/leagues", "/rules/nim"])
def test_a_page_counts_as_one_request(tmp_path: Path, path: str) -> None:
    limits = replace(GENEROUS.limits, at_once=1)
    with game_server(tmp_path, "nim", {}, settings=replace(GENEROUS, limits=limits)) as server:
        assert server.http.get(path, headers={"Accept": "text/html"}).status_code == 200


def test_an_answer_says_how_many_requests_are_left(tmp_path: Path) -> None:
    """Each token sees only its own requests: those of others could reveal hidden things."""
    limits = replace(GENEROUS.limits, token_rate=0.001, token_burst=5)
    with game_server(tmp_path, "nim", {}, settings=replace(GENEROUS, limits=limits)) as server:
        ann, ben = server.seats["ann"], server.seats["ben"]
        left = [ann.get(server.main).headers["ratelimit"].partition(";t=")[0] for _ in range(2)]
        assert left == ['"requests";r=4', '"requests";r=3']
        headers = ben.get(server.main).headers
        assert headers["ratelimit-policy"] == '"requests";q=5;w=5000'
        assert headers["ratelimit"].startswith('"requests";r=4;t=')
        assert "server-timing" not in headers


def test_players_at_one_address_do_not_wait_for_one_another(tmp_path: Path) -> None:
    limits = replace(GENEROUS.limits, token_rate=0.001, token_burst=4)
    with game_server(tmp_path, "nim", {}, settings=replace(GENEROUS, limits=limits)) as server:
        ann, ben = (server.seats[seat].token for seat in ("ann", "ben"))
        statuses = [get_page(server, "/join", ann).status_code for _ in range(5)]
        assert (statuses[0], statuses[-1]) == (200, 429)
        assert get_page(server, "/join", ben).status_code == 200
        assert get_page(server, "/join", ann, ben).status_code == 429, "the first cookie counts"


def test_many_tokens_do_not_make_an_address_many(tmp_path: Path) -> None:
    limits = replace(GENEROUS.limits, address_rate=0.001, address_burst=20)
    with game_server(tmp_path, "nim", {}, settings=replace(GENEROUS, limits=limits), sit=False) as server:
        statuses = {Client(server.http, f"zim_seat_{at:043}").get(server.main).status_code for at in range(30)}
        assert statuses == {404, 429}


def test_people_who_share_a_spectator_link_are_counted_by_address(tmp_path: Path) -> None:
    """One of them can't use up the requests and feeds of all; a seat's token is one client at every address."""
    limits = replace(GENEROUS.limits, token_rate=0.001, token_burst=3)
    with game_server(tmp_path, "nim", {}, settings=replace(GENEROUS, limits=limits)) as server:
        app, listeners = server.http.app, list[str]()
        app.state.dispatcher.feeds.closing = True
        listen = app.state.dispatcher.feeds.listen

        async def note_listener(game: str, line: str, token: str, who: str, *options: Any) -> Any:
            listeners.append(who)
            return await listen(game, line, token, who, *options)

        app.state.dispatcher.feeds.listen = note_listener

        def statuses(token: str, path: str) -> list[int]:
            async def ask() -> list[int]:
                codes = list[int]()
                for address in ("192.0.2.1",) * 4 + ("192.0.2.2", *("2001:db8::1", "2001:db8::2") * 2):
                    transport = httpx.ASGITransport(app, client=(address, 1))
                    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as http:
                        answer = await http.get(path, headers={"Authorization": f"Bearer {token}"})
                        codes.append(answer.status_code)
                return codes

            with server.http.portal() as portal:
                answers: list[int] = portal.call(ask)
                return answers

        spectator, seat = server.token("spectator").token, server.seats["ann"].token
        assert statuses(spectator, f"{server.main}/feed") == [200, 200, 200, 429, 200, 200, 200, 200, 429]
        assert len(set(listeners)) == 3, "an IPv6 network is one address"
        assert statuses(seat, f"{server.main}/feed") == [200] * 3 + [429] * 6


@pytest.mark.parametrize("size", [70_000, 5_000_000])
def test_a_body_that_is_too_large_is_not_read(nim: GameServer, size: int) -> None:
    answer = nim.seats["ann"]("POST", f"{nim.main}/moves", {"move": "x" * size}, head="*")
    assert (answer.status_code, answer.json()["kind"]) == (413, "too-large")


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"{", b"[]", b"null", b'"x"', b'{"move": 1}', b'{"move": ""}', b'{"move": "take 1", "more": 1}'),
        *(b'{"move": "\xff"}', b"[" * 60_000, b'{"move": "take 1"}garbage', b'{"move": "' + b"x" * 501 + b'"}'),
        *(b'{"move": "\\ud800"}', b'{"move": "\\u0000"}', b'{"move": "take 1\\nend"}', b'{"move": "\xe2\x80\xae"}'),
        *(b'{"move": NaN}', b'{"move": 1e999}', b'{"seat": "ann"}'),
    ],
)
def test_a_body_that_makes_no_sense_is_an_error(nim: GameServer, body: bytes) -> None:
    headers = {"Authorization": f"Bearer {nim.seats['ann'].token}", "Idempotency-Key": "k", "If-Match": "*"}
    headers["Content-Type"] = "application/json"
    answer = nim.http.post(f"{nim.main}/moves", content=body, headers=headers)
    assert answer.status_code in (400, 422), answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.text.isprintable()
    assert nim.service.head("k").commit.number == 0


def test_a_body_that_does_not_come_is_not_waited_for() -> None:
    messages = list[Message]()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        messages.append(await receive())
        messages.append(await receive())

    async def slow() -> Any:
        if not messages:
            return {"type": "http.request", "body": b"{", "more_body": True}
        await asyncio.sleep(3600)
        raise AssertionError("nothing came")

    async def ask() -> None:
        wrapped = limit_requests(RateLimits(body_within=0.05))(app)
        await wrapped({"type": "http", "path": "/", "headers": [], "state": {}}, slow, slow)  # type: ignore[arg-type]

    asyncio.run(ask())
    assert [message["type"] for message in messages] == ["http.request", "http.disconnect"]


@pytest.mark.parametrize(
    ("sent", "status", "kind", "closed"),
    [("slow", 408, "too-slow", True), ("cut off", 499, "closed", False), ("too large", 413, "too-large", True)],
)
def test_a_body_without_its_end_is_no_bug(tmp_path: Path, sent: str, status: int, kind: str, closed: bool) -> None:
    """For someone without a token, too. After a slow one and a large one no other request comes on the connection."""
    app = make_app(opener(tmp_path), replace(GENEROUS, limits=replace(GENEROUS.limits, body_within=0.05)))
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
        "headers": [(b"host", b"localhost"), *(headers if sent != "cut off" else headers[:2])],
    }
    size = 70_000 if sent == "too large" else 1
    parts = [{"type": "http.request", "body": b"{" * size, "more_body": True}, {"type": "http.disconnect"}]
    answers = list[Message]()

    async def receive() -> Any:
        if sent == "slow" and len(parts) == 1:
            await asyncio.sleep(3600)
        return parts.pop(0)

    async def send(message: Message) -> None:
        answers.append(message)

    async def ask() -> None:
        async with app.lifespan():
            await app(scope, receive, send)  # type: ignore[arg-type]

    asyncio.run(ask())
    begin, *rest = answers
    assert begin["type"] == "http.response.start"
    assert (begin["status"], dict(begin["headers"]).get(b"connection")) == (status, b"close" if closed else None)
    assert json.loads(b"".join(each["body"] for each in rest if each["type"] == "http.response.body"))["kind"] == kind


def test_a_client_that_takes_nothing_is_left() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.body", "body": b"x" * 100, "more_body": True})

    async def wait_long(_: Any) -> None:
        await asyncio.sleep(3600)

    async def ask() -> None:
        wrapped = limit_requests(RateLimits(stalled_after=0.05))(app)
        with pytest.raises(TimeoutError):
            await wrapped({"type": "http", "path": "/", "headers": []}, wait_long, wait_long)  # type: ignore[arg-type]

    asyncio.run(ask())


def test_refusals_beyond_a_burst_are_held_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of invalid tokens by address, others by token; a write that another one overtook never."""
    held, answer = list[float](), {"status": 422}

    async def wait(seconds: float) -> None:
        held.append(seconds)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "headers": [], **answer})

    async def take(_: Any = None) -> Any:
        return None

    limits = RateLimits(refused_rate=2, refused_burst=2)
    wrapped = limit_requests(limits, lambda: 0.0)(app)

    def ask(token: str, host: str = "192.0.2.1") -> None:
        headers = [(b"authorization", b"Bearer " + token.encode())]
        scope = {"type": "http", "headers": headers, "client": (host, 1), "path": "/"}
        asyncio.run(wrapped(scope, take, take))  # type: ignore[arg-type]

    monkeypatch.setattr(asyncio, "sleep", wait)
    for _ in range(10):
        ask("ann")
    assert held == [0, 0, 0.5, 1, 1.5, 2, 2, 2, 2, 2], "never longer than MAX_HELD"
    ask("ben")
    assert held.pop() == 0
    for status in (412, 304, 200):
        answer["status"] = status
        ask("ann")
    assert len(held) == 10
    answer["status"] = 401
    for token in ("made", "up", "again"):
        ask(token, "192.0.2.2")
    assert held[-3:] == [0, 0, 0.5]


def test_a_seat_has_only_so_many_lines_of_its_own(nim: GameServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_handlers, "MAX_LINES", 2)
    ann, ben = nim.seats["ann"], nim.seats["ben"]
    statuses = [ann("POST", f"{nim.path}/lines", {"name": name}, key=name).status_code for name in ("a", "b", "c", "b")]
    assert statuses == [201, 201, 409, 201], "the last one asked for again what it has"
    assert ben("POST", f"{nim.path}/lines", {"name": "c"}).status_code == 201


def test_a_slow_question_stops_no_move(tmp_path: Path) -> None:
    """Not even in the same game: moves have a worker of their own."""
    workers, started, go_on = WorkerPool(opener(tmp_path), 1, 1), threading.Event(), threading.Event()

    def slow(_: GameService) -> str:
        started.set()
        assert go_on.wait(60)
        return "slow"

    async def ask() -> list[str]:
        question = asyncio.ensure_future(workers.run("questions", "k", slow, ANN))
        await asyncio.to_thread(started.wait)
        answers = [await workers.run("moves", "k", lambda _: "move", ANN)]
        go_on.set()
        return [*answers, await question]

    try:
        assert asyncio.run(ask()) == ["move", "slow"]
    finally:
        go_on.set()
        workers.close()


def test_a_lane_that_is_too_busy_says_so_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_WAITING", 2)
    worker, go_on = Worker(opener(tmp_path), "busy"), threading.Event()

    async def ask() -> None:
        waiting = [asyncio.ensure_future(worker.run(lambda _: go_on.wait(60), ANN, 60)) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(ProblemError) as error:
            await worker.run(lambda _: None, ANN, 60)
        assert (error.value.details.status, error.value.headers) == (503, {"Retry-After": "1"})
        go_on.set()
        await asyncio.gather(*waiting)
        assert await worker.run(lambda _: "again", ANN, 60) == "again"

    try:
        asyncio.run(ask())
    finally:
        go_on.set()
        worker.close()


def test_no_account_fills_a_worker_alone(tmp_path: Path) -> None:
    settings = replace(GENEROUS, limits=replace(GENEROUS.limits, at_once=1))
    with game_server(tmp_path, "nim", {}, settings=settings) as server:
        workers, go_on = server.http.app.state.dispatcher.workers, threading.Event()
        workers._workers["questions"][0]._pool.submit(go_on.wait, 60)
        answers = list[int]()
        ann, ben = server.seats["ann"], server.seats["ben"]
        waiting = threading.Thread(target=lambda: answers.append(ann.get(server.main).status_code))
        waiting.start()
        while not workers.waiting:
            time.sleep(0.01)
        assert ann.get(server.main).status_code == 429
        assert ann("POST", f"{server.main}/moves", {"move": "take 1"}, head="*").status_code == 429
        go_on.set()
        waiting.join()
        assert answers == [200]
        assert ben.get(server.main).status_code == 200


def test_who_loses_patience_may_ask_again(tmp_path: Path) -> None:
    """The request is completed anyway, and its key returns the answer."""
    worker, go_on, finished = Worker(opener(tmp_path), "slow"), threading.Event(), list[str]()

    def work(_: GameService) -> None:
        go_on.wait(60)
        finished.append("done")

    async def ask() -> None:
        with pytest.raises(ProblemError, match="the server is busy"):
            await worker.run(work, ANN, 0.01)
        assert worker.waiting == 1
        go_on.set()
        await worker.run(lambda _: None, ANN, 60)

    try:
        asyncio.run(ask())
        assert finished == ["done"]
    finally:
        worker.close()


def test_what_a_client_asks_never_runs_on_the_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread that speaks HTTP decides no rule, and reads no store."""
    threads = set[str]()

    def note_thread(service: GameService, *arguments: Any, **settings: Any) -> Any:
        threads.add(threading.current_thread().name)
        return original(service, *arguments, **settings)

    original = GameService.position
    monkeypatch.setattr(GameService, "position", note_thread)
    with game_server(tmp_path, "nim", {}) as server:
        threads.clear()
        for path in ("", "/moves", "/legal", "/story"):
            assert server.seats["ann"].get(server.main + path).status_code == 200
    assert {name.partition("-")[0] for name in threads} <= {"moves", "questions"}
    assert threads


def test_starting_and_ending_leaves_no_thread(tmp_path: Path) -> None:
    before = threading.active_count()
    for at in range(5):
        folder = tmp_path / str(at)
        folder.mkdir()
        with game_server(folder, "nim", {}) as server:
            server.play("take 1")
    for _ in range(100):
        if threading.active_count() <= before:
            break
        time.sleep(0.05)
    assert threading.active_count() <= before
    assert make_app(opener(tmp_path), GENEROUS)
