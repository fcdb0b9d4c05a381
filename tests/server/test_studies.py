"""Long questions are answered in processes of their own: the same answers, to the same people."""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from litestar.testing import TestClient
from litestar.types import Message
from msgspec.structs import replace

from tests.server.asking import READS, path_of
from tests.server.game_server import GENEROUS, Client, GameServer, game_server
from tests.waiting import PATIENCE
from zimcore.documents import endpoints
from zimcore.server import accounts
from zimcore.server.access import Visitor
from zimcore.server.app import MODULES, make_app
from zimcore.server.fair_queue import Payer
from zimcore.server.problem_responses import ProblemError
from zimcore.server.replies import Reply
from zimcore.server.routing import handlers_of
from zimcore.server.studies import Studies, StudyProcess
from zimcore.server.study_process import Answered, Question, Result, Unavailable
from zimcore.service import EVERYTHING, GameService, open_service
from zimcore.service.memberships import GameHosted

ANN, BEN, FOE = Payer("anna", "ann"), Payer("ben", "ben"), Payer("foe", "bot")
LONG = ("why", "compare", "bisect", "plan", "hint", "story", "verify", "certificate", "position")
PAGES = ("compare?a=@0&b=@1", "chances", "replay", "steps", "board.svg", "board.png", "?", "?at=0", "?why=ann.vp")


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[GameServer, GameServer]]:
    """A server whose workers answer everything, and one with a process for long questions, over one store."""
    url = f"sqlite:///{tmp_path_factory.mktemp('studies')}/games.db"
    service = open_service(url)
    service.store.create()
    service.new("africana", {"players": "2", "seed": "7"}, name="k", by="hanna", served=[GameHosted("hanna")])
    token = accounts.give(service, "hanna").token
    with ExitStack() as stack:
        stack.enter_context(service.store)
        results = list[GameServer]()
        for studies in (0, 1):
            app = make_app(lambda: open_service(url), replace(GENEROUS, studies=studies), url)
            http = stack.enter_context(TestClient(app, raise_server_exceptions=False))
            results.append(GameServer(http, service, "k", Client(http, token), {}))
        plain, apart = results
        plain.seats = {seat: plain.sit(seat) for seat in service.position("k").seats}
        seat = service.head("k").to_move[0]
        move = plain.seats[seat].ok(f"{plain.main}/legal?most=1")["legal"][0]
        assert plain.seats[seat]("POST", f"{plain.main}/moves", {"move": move}, head="*").status_code == 201
        apart.seats = {seat: Client(apart.http, each.token) for seat, each in plain.seats.items()}
        yield plain, apart


def by_workers(server: GameServer, ask: Callable[[], Any]) -> tuple[Any, list[str]]:
    """The answers, and the kinds of workers that gave them."""
    workers, kinds = server.http.app.state.dispatcher.workers, list[str]()
    run = workers.run

    async def note_kind(kind: str, *arguments: Any) -> Any:
        kinds.append(kind)
        return await run(kind, *arguments)

    workers.run = note_kind
    try:
        return ask(), kinds
    finally:
        workers.run = run


@pytest.mark.parametrize(
    "path",
    [
        *("why?what=table", "compare?other=@start", "bisect?expression=round>1", "plan", "story", "certificate"),
        *("verify", "hint?nodes=1", "legal?at=0", "moves?facts=true", "moves?every=true", "?at=start"),
        *("compare?other=nowhere", "why?what=nonsense.of", "bisect?expression=(", "legal?at=99"),
    ],
)
def test_a_process_answers_what_a_worker_would(servers: tuple[GameServer, GameServer], path: str) -> None:
    """To a player, to the host, to a stranger, and to a token of no one; refusals too."""
    plain, apart = servers
    seat = next(iter(plain.seats))
    address = f"{plain.main}/{path}" if not path.startswith("?") else plain.main + path
    for token in (plain.seats[seat].token, plain.host.token, "", "zim_seat_" + "x" * 43):
        expected = Client(plain.http, token).get(address)
        answer, kinds = by_workers(apart, lambda token=token: Client(apart.http, token).get(address))  # type: ignore[misc]
        assert (answer.status_code, answer.text) == (expected.status_code, expected.text)
        assert dict(answer.headers) == dict(expected.headers)
        assert "questions" not in kinds


def test_every_long_endpoint_goes_to_a_process_and_no_short_one(servers: tuple[GameServer, GameServer]) -> None:
    _, apart = servers
    apart.seats = {**apart.seats, "ben": next(iter(apart.seats.values()))}
    for row in READS:
        if row is endpoints.FEED:
            continue
        _, kinds = by_workers(apart, lambda row=row: apart.host.get(path_of(row, apart, seat="x", token="x")))  # type: ignore[misc]
        assert ("questions" not in kinds) == (row.name in LONG), row.name


@pytest.mark.parametrize("page", PAGES)
def test_a_process_makes_pages(servers: tuple[GameServer, GameServer], page: str) -> None:
    plain, apart = servers
    token = next(iter(plain.seats.values())).token
    cookie = {"Cookie": f"zim-x={token}", "Accept": "text/html", "Accept-Encoding": "gzip"}
    path = f"/games/k{page}" if page.startswith("?") else f"/games/k/{page}"
    answer, kinds = by_workers(apart, lambda: apart.http.get(path, headers=cookie))
    expected = plain.http.get(path, headers=cookie)
    assert answer.status_code == expected.status_code
    assert answer.headers["content-type"] == expected.headers["content-type"]
    assert without_keys(answer.text) == without_keys(expected.text)
    assert kinds == ["questions"], "only to look which of the browser's tokens are good"


def without_keys(page: str) -> list[str]:
    """The lines of a page but for the keys of its forms, which are random."""
    return [line for line in page.splitlines() if 'name="key"' not in line and "data-key" not in line]


def test_a_game_that_only_the_server_knows_is_answered_by_a_worker(tmp_path: Path) -> None:
    with game_server(tmp_path, "nim", {}) as server:
        dispatcher = server.http.app.state.dispatcher
        dispatcher.studies = Studies(f"sqlite:///{tmp_path}/games.zim", 1, 60)
        server.play("take 1")
        answer, kinds = by_workers(server, lambda: server.seats["ann"].get(f"{server.main}/story"))
        assert (answer.status_code, kinds) == (200, ["questions"])
        with server.http.portal() as portal:
            portal.call(dispatcher.studies.close)


def test_who_asks_long_questions_is_known_to_the_workers(servers: tuple[GameServer, GameServer]) -> None:
    plain, apart = servers
    spectator = Client(apart.http, plain.token("spectator").token)
    assert spectator.get(f"{apart.main}/story").status_code == 200
    payers = apart.http.app.state.dispatcher.payers
    assert payers.find(spectator.token, "") == Payer("hanna", "k/watching")


def test_the_figures_tell_of_long_questions(servers: tuple[GameServer, GameServer]) -> None:
    plain, apart = servers
    for path in ("", "/compare?other=@start"):
        assert apart.host.get(apart.main + path).status_code == 200
    figures = dict(line.rsplit(" ", 1) for line in apart.http.get("/metrics").text.splitlines() if line[0] != "#")
    assert figures["zim_studies_waiting"] == "0.0"
    assert float(figures['zim_worker_seconds_total{kind="studies"}']) > 0
    assert float(figures['zim_worker_seconds_total{kind="questions"}']) > 0
    assert 'zim_worker_seconds_total{kind="studies"} 0.0' in plain.http.get("/metrics").text


def test_every_handler_is_found_again_in_another_process() -> None:
    handlers = [each for module in MODULES for each in handlers_of(module)]
    assert pickle.loads(pickle.dumps(handlers)) == handlers


def note(_: GameService, __: Visitor, *, file: Path, text: str) -> Reply:
    """Work that can be counted, and its process."""
    with file.open("a") as open_:
        open_.write(text + "\n")
    return Reply(str(os.getpid()).encode())


def sleep(_: GameService, __: Visitor, *, file: Path | None = None) -> Reply:
    """Work without an end; it makes the file when it begins."""
    if file:
        file.touch()
    time.sleep(3600)
    raise AssertionError


def with_process(folder: Path, ask: Callable[[Studies], Coroutine[Any, Any, None]]) -> None:
    """Lets questions come to one real process about a public game."""
    url = f"sqlite:///{folder}/games.db"
    with (service := open_service(url)).store:
        service.store.create()
        hosted = [GameHosted("hanna", public=True)]
        service.new("africana", {"players": "2", "seed": "7"}, name="k", by="hanna", served=hosted)

    async def within() -> None:
        studies = Studies(url, 1, 60)
        try:
            await ask(studies)
        finally:
            await studies.close()
        assert studies.processes == []

    asyncio.run(within())


def test_a_process_that_is_lost_or_hangs_is_begun_anew(tmp_path: Path) -> None:
    """One question at most is without an answer."""
    work = partial(note, file=tmp_path / "notes", text="x")

    async def ask_number(studies: Studies) -> int:
        number = await studies.ask(Question("k", "", work), ANN)
        assert isinstance(number, Answered)
        return int(number.reply.content)

    async def ask(studies: Studies) -> None:
        first = await ask_number(studies)
        assert [first] == studies.processes
        os.kill(first, signal.SIGKILL)
        await studies._all[0].process.wait()  # type: ignore[union-attr]
        second = await ask_number(studies)
        lost = asyncio.ensure_future(studies.ask(Question("k", "", sleep), ANN))
        await asyncio.sleep(0.05)
        os.kill(second, signal.SIGKILL)
        with pytest.raises(ProblemError) as problem:
            await lost
        assert (problem.value.details.status, problem.value.details.detail) == (
            503,
            "the process that looked for the answer is lost",
        )
        third = await ask_number(studies)
        studies.patience = 0.1
        with pytest.raises(ProblemError, match="the server is busy"):
            await studies.ask(Question("k", "", sleep), ANN)
        studies.patience = 60
        assert len({first, second, third, await ask_number(studies)}) == 4
        with pytest.raises(ProcessLookupError):
            os.kill(third, 0)

    with_process(tmp_path, ask)


def test_a_process_ends_with_its_server_even_in_the_middle_of_an_answer(tmp_path: Path) -> None:
    async def ask(studies: Studies) -> None:
        begun = tmp_path / "begun"
        asking = asyncio.ensure_future(studies.ask(Question("k", "", partial(sleep, file=begun)), ANN))
        while not begun.exists():
            await asyncio.sleep(0.01)
        process = studies._all[0].process
        assert process
        assert process.stdin
        process.stdin.close()
        # It ends by itself, not by a signal (-9). 255: asyncio was not the first to see its end.
        assert await process.wait() in (0, 255)
        with pytest.raises(ProblemError):
            await asking

    with_process(tmp_path, ask)


def test_a_process_never_writes_to_the_store(tmp_path: Path) -> None:
    async def ask(studies: Studies) -> None:
        assert await studies.ask(Question("k", "", write), ANN) == Unavailable()

    with_process(tmp_path, ask)
    with (service := open_service(f"sqlite:///{tmp_path}/games.db")).store:
        assert [each.name for each in service.lines("k")] == ["main"]


class Scripted:
    """A process that answers when the test says so; it records its questions."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked = list[str]()
        self.ended = list[str]()
        self.answers = dict[str, asyncio.Future[Result]]()

        async def ask(_: StudyProcess, question: bytes, __: float) -> Result:
            game = pickle.loads(question).game
            self.asked.append(game)
            self.answers[game] = asyncio.get_running_loop().create_future()
            try:
                return await self.answers[game]
            except asyncio.CancelledError:
                self.ended.append(game)
                raise

        monkeypatch.setattr(StudyProcess, "ask", ask)

    async def answer(self, game: str) -> None:
        self.answers[game].set_result(Answered(Reply(game.encode()), None))
        for _ in range(5):
            await asyncio.sleep(0)


async def turns() -> None:
    """Lets the loop do what is to be done now."""
    for _ in range(10):
        await asyncio.sleep(0.001)


async def asks(studies: Studies, game: str, payer: Payer) -> asyncio.Future[Answered | Unavailable]:
    """A question that waits; it is named by its game."""
    task = asyncio.ensure_future(studies.ask(Question(game, "", sleep), payer))
    for _ in range(5):
        await asyncio.sleep(0)
    return task


def test_accounts_take_turns_with_one_question_each(monkeypatch: pytest.MonkeyPatch) -> None:
    async def ask() -> None:
        process, studies = Scripted(monkeypatch), Studies("memory:", 2, 60)
        flood = [await asks(studies, f"foe-{number}", FOE) for number in range(3)]
        assert process.asked == ["foe-0"], "the second process stays free for others"
        mine = await asks(studies, "ann-0", ANN)
        also = await asks(studies, "ben-0", BEN)
        assert process.asked == ["foe-0", "ann-0"]
        await process.answer("foe-0")
        assert process.asked == ["foe-0", "ann-0", "ben-0"], "ben has used less than the flood"
        assert studies.waiting == 4
        for game in ("ann-0", "ben-0", "foe-1", "foe-2"):
            await process.answer(game)
        assert len(await asyncio.gather(*flood, mine, also)) == 5
        assert process.asked[-2:] == ["foe-1", "foe-2"]
        assert studies.waiting == 0

    asyncio.run(ask())


def test_a_question_in_flight_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    async def ask() -> None:
        process, studies = Scripted(monkeypatch), Studies("memory:", 2, 60)
        same = [await asks(studies, "k", payer) for payer in (ANN, BEN, ANN)]
        assert process.asked == ["k"]
        await process.answer("k")
        assert [answer.reply.content for answer in await asyncio.gather(*same)] == [b"k"] * 3  # type: ignore[union-attr]
        later = await asks(studies, "k", ANN)
        assert process.asked == ["k", "k"], "an answer is not kept"
        await process.answer("k")
        await later

    asyncio.run(ask())


def test_a_question_that_all_have_given_up_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    async def ask() -> None:
        process, studies = Scripted(monkeypatch), Studies("memory:", 1, 60)
        first, is_truncated, other = [await asks(studies, game, ANN) for game in ("a", "b", "c")]
        is_truncated.cancel()
        await asyncio.sleep(0)
        await process.answer("a")
        assert process.asked == ["a", "c"]
        await process.answer("c")
        await asyncio.gather(first, other)

    asyncio.run(ask())


def test_a_question_that_all_have_given_up_while_it_runs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zimcore.server.studies.GRACE", 0)

    async def ask() -> None:
        process, studies = Scripted(monkeypatch), Studies("memory:", 1, 60)
        stays, goes = await asks(studies, "long", ANN), await asks(studies, "long", BEN)
        following = await asks(studies, "short", ANN)
        goes.cancel()
        await turns()
        assert (process.asked, process.ended) == (["long"], []), "one client still waits"
        stays.cancel()
        await turns()
        assert (process.asked, process.ended) == (["long", "short"], ["long"])
        second_answer = await asks(studies, "long", BEN)
        await process.answer("short")
        await process.answer("long")
        assert [each.reply.content for each in await asyncio.gather(following, second_answer)] == [b"short", b"long"]  # type: ignore[union-attr]
        assert studies.waiting == 0

    asyncio.run(ask())


def test_a_question_that_is_asked_again_at_once_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that is loaded again, for example: a new process would take longer than the rest of the answer."""
    monkeypatch.setattr("zimcore.server.studies.GRACE", 0.01)

    async def ask() -> None:
        process, studies = Scripted(monkeypatch), Studies("memory:", 1, 60)
        (await asks(studies, "k", ANN)).cancel()
        second_answer = await asks(studies, "k", ANN)
        await asyncio.sleep(0.02)
        assert (process.asked, process.ended) == (["k"], [])
        await process.answer("k")
        await second_answer

    asyncio.run(ask())


def test_a_client_that_closes_the_connection_gives_its_question_up(
    nim: GameServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Through the whole application: the question is ended, and the turn is free for the next one."""
    monkeypatch.setattr("zimcore.server.studies.GRACE", 0)
    app, path = nim.http.app, f"{nim.main}/story"
    sent = list[Message]()

    async def ask(process: Scripted, *, stays: bool) -> None:
        closed, was_told = asyncio.Event(), False

        async def receive() -> Any:
            nonlocal was_told
            if was_told:
                await closed.wait()
                return {"type": "http.disconnect"}
            was_told = True
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Message) -> None:
            sent.append(message)

        headers = [(b"host", b"localhost"), (b"authorization", f"Bearer {nim.host.token}".encode())]
        scope = {"type": "http", "method": "GET", "path": path, "raw_path": path.encode(), "query_string": b""}
        more = {"headers": headers, "client": ("127.0.0.1", 1), "server": ("localhost", 80), "scheme": "http"}
        running = asyncio.create_task(app({**scope, **more, "state": {}, "http_version": "1.1"}, receive, send))
        while not process.answers or next(iter(process.answers.values())).done():
            await asyncio.sleep(0)
        if stays:
            await process.answer("k")
        else:
            closed.set()
        async with asyncio.timeout(PATIENCE):
            await running

    async def within() -> None:
        process = Scripted(monkeypatch)
        studies = app.state.dispatcher.studies = Studies("memory:", 1, 60)
        for stays in (False, True):
            await ask(process, stays=stays)
            await turns()
            assert (process.ended, studies.waiting) == (["k"], 0)
        app.state.dispatcher.studies = None

    with nim.http.portal() as portal:
        portal.call(within)
    assert [each["status"] for each in sent if each["type"] == "http.response.start"] == [499, 200]


def test_too_many_questions_are_refused_to_who_asks_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zimcore.server.studies.MAX_WAITING", 3)

    async def ask() -> None:
        process, studies = Scripted(monkeypatch), Studies("memory:", 1, 60)
        flood = [await asks(studies, f"foe-{number}", FOE) for number in range(4)]
        mine = await asks(studies, "ann-0", ANN)
        with pytest.raises(ProblemError, match="the server is busy") as error:
            await flood[-1]
        assert error.value.headers["Retry-After"] == "1"
        await process.answer("foe-0")
        await process.answer("ann-0")
        await mine
        for each in flood:
            each.cancel()
        await studies.close()

    asyncio.run(ask())


def write(service: GameService, _: Visitor) -> Reply:
    """Work that must be refused: it writes."""
    service.fork("k", "stolen", by="foe", viewer=EVERYTHING)
    return Reply(b"")
