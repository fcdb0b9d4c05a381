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

from tests.server.endpoint_requests import READING_ENDPOINTS, path_of
from tests.server.game_server import GENEROUS_SETTINGS, Client, GameServer, game_server
from tests.timeouts import PATIENCE
from zimcore.documents import endpoints
from zimcore.server.app import HANDLER_MODULES, make_app
from zimcore.server.endpoints.routing import handlers_of
from zimcore.server.people import accounts
from zimcore.server.people.access import Visitor
from zimcore.server.wire.problem_responses import ProblemError
from zimcore.server.wire.replies import Reply
from zimcore.server.work.fair_queue import Payer
from zimcore.server.work.studies import Studies, StudyProcess
from zimcore.server.work.study_process import Question, StudyReply, StudyResult, StudyUnavailable
from zimcore.service import EVERYTHING, GameService, open_service
from zimcore.service.records.memberships import GameHosted

ANN, BEN, FLOODER = Payer("anna", "ann"), Payer("ben", "ben"), Payer("foe", "bot")
LONG_ENDPOINTS = ("why", "compare", "bisect", "plan", "hint", "story", "verify", "certificate", "position")
PAGES = ("compare?a=@0&b=@1", "chances", "replay", "steps", "board.svg", "board.png", "?", "?at=0", "?why=ann.vp")


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[GameServer, GameServer]]:
    """A server whose workers answer everything, and one with a process for long questions, over one store."""
    url = f"sqlite:///{tmp_path_factory.mktemp('studies')}/games.db"
    service = open_service(url)
    service.store.create()
    service.new("africana", {"players": "2", "seed": "7"}, name="k", by="hanna", served=[GameHosted("hanna")])
    token = accounts.create_token(service, "hanna").token
    with ExitStack() as stack:
        stack.enter_context(service.store)
        servers_so_far = list[GameServer]()
        for study_count in (0, 1):
            app = make_app(lambda: open_service(url), replace(GENEROUS_SETTINGS, study_processes=study_count), url)
            http = stack.enter_context(TestClient(app, raise_server_exceptions=False))
            servers_so_far.append(GameServer(http, service, "k", Client(http, token), {}))
        worker_server, study_server = servers_so_far
        worker_server.seats = {seat: worker_server.sit(seat) for seat in service.position("k").seats}
        seat = service.head("k").to_move[0]
        move = worker_server.seats[seat].get_json(f"{worker_server.main}/legal?most=1")["legal"][0]
        assert (
            worker_server.seats[seat]("POST", f"{worker_server.main}/moves", {"move": move}, head="*").status_code
            == 201
        )
        study_server.seats = {seat: Client(study_server.http, each.token) for seat, each in worker_server.seats.items()}
        yield worker_server, study_server


def answer_and_worker_kinds(server: GameServer, ask: Callable[[], Any]) -> tuple[Any, list[str]]:
    """The answers, and the kinds of workers that gave them."""
    workers, worker_kinds = server.http.app.state.dispatcher.workers, list[str]()
    run_job = workers.run

    async def note_kind(kind: str, *arguments: Any) -> Any:
        worker_kinds.append(kind)
        return await run_job(kind, *arguments)

    workers.run = note_kind
    try:
        return ask(), worker_kinds
    finally:
        workers.run = run_job


@pytest.mark.parametrize(
    "path",
    [
        *("why?what=table", "compare?other=@start", "bisect?expression=round>1", "plan", "story", "certificate"),
        *("verify", "hint?nodes=1", "legal?at=0", "moves?facts=true", "moves?every=true", "?at=start"),
        *("compare?other=nowhere", "why?what=nonsense.of", "bisect?expression=(", "legal?at=99"),
    ],
)
def test_a_process_answers_what_a_worker_would(servers: tuple[GameServer, GameServer], path: str) -> None:
    """The answers are equal for a player, the host, no token and an unknown token, refusals too."""
    worker_server, study_server = servers
    seat = next(iter(worker_server.seats))
    address = f"{worker_server.main}/{path}" if not path.startswith("?") else worker_server.main + path
    for token in (worker_server.seats[seat].token, worker_server.host.token, "", "zim_seat_" + "x" * 43):
        worker_response = Client(worker_server.http, token).get(address)
        response, worker_kinds = answer_and_worker_kinds(
            study_server, partial(Client(study_server.http, token).get, address)
        )
        assert (response.status_code, response.text) == (worker_response.status_code, worker_response.text)
        assert dict(response.headers) == dict(worker_response.headers)
        assert "questions" not in worker_kinds


def test_every_long_endpoint_goes_to_a_process_and_no_short_one(servers: tuple[GameServer, GameServer]) -> None:
    _, study_server = servers
    study_server.seats = {**study_server.seats, "ben": next(iter(study_server.seats.values()))}
    for row in READING_ENDPOINTS:
        if row is endpoints.FEED:
            continue
        path = path_of(row, study_server, seat="x", token="x")
        _, worker_kinds = answer_and_worker_kinds(study_server, partial(study_server.host.get, path))
        assert ("questions" not in worker_kinds) == (row.name in LONG_ENDPOINTS), row.name


@pytest.mark.parametrize("page", PAGES)
def test_a_process_renders_pages(servers: tuple[GameServer, GameServer], page: str) -> None:
    worker_server, study_server = servers
    token = next(iter(worker_server.seats.values())).token
    cookie = {"Cookie": f"zim-x={token}", "Accept": "text/html", "Accept-Encoding": "gzip"}
    path = f"/games/k{page}" if page.startswith("?") else f"/games/k/{page}"
    response, worker_kinds = answer_and_worker_kinds(study_server, lambda: study_server.http.get(path, headers=cookie))
    worker_response = worker_server.http.get(path, headers=cookie)
    assert response.status_code == worker_response.status_code
    assert response.headers["content-type"] == worker_response.headers["content-type"]
    assert without_keys(response.text) == without_keys(worker_response.text)
    assert worker_kinds == ["questions"], "only to find the valid tokens of the browser"


def without_keys(page: str) -> list[str]:
    """The lines of a page but for the keys of its forms, which are random."""
    return [line for line in page.splitlines() if 'name="key"' not in line and "data-key" not in line]


def test_a_game_unknown_to_the_process_is_answered_by_a_worker(tmp_path: Path) -> None:
    with game_server(tmp_path, "nim", {}) as server:
        dispatcher = server.http.app.state.dispatcher
        dispatcher.studies = Studies(f"sqlite:///{tmp_path}/games.zim", 1, 60)
        server.play("take 1")
        response, worker_kinds = answer_and_worker_kinds(
            server, lambda: server.seats["ann"].get(f"{server.main}/story")
        )
        assert (response.status_code, worker_kinds) == (200, ["questions"])
        with server.http.portal() as portal:
            portal.call(dispatcher.studies.close)


def test_a_long_question_makes_its_payer_known(servers: tuple[GameServer, GameServer]) -> None:
    worker_server, study_server = servers
    spectator = Client(study_server.http, worker_server.token("spectator").token)
    assert spectator.get(f"{study_server.main}/story").status_code == 200
    payers = study_server.http.app.state.dispatcher.payers
    assert payers.find(spectator.token, "") == Payer("hanna", "k/watching")


def test_the_metrics_count_long_questions(servers: tuple[GameServer, GameServer]) -> None:
    worker_server, study_server = servers
    for path in ("", "/compare?other=@start"):
        assert study_server.host.get(study_server.main + path).status_code == 200
    value_by_metric = dict(
        line.rsplit(" ", 1) for line in study_server.http.get("/metrics").text.splitlines() if line[0] != "#"
    )
    assert value_by_metric["zim_studies_waiting"] == "0.0"
    assert float(value_by_metric['zim_worker_seconds_total{kind="studies"}']) > 0
    assert float(value_by_metric['zim_worker_seconds_total{kind="questions"}']) > 0
    assert 'zim_worker_seconds_total{kind="studies"} 0.0' in worker_server.http.get("/metrics").text


def test_every_handler_can_be_pickled() -> None:
    handlers = [handler for module in HANDLER_MODULES for handler in handlers_of(module)]
    assert pickle.loads(pickle.dumps(handlers)) == handlers


def note_and_answer(_: GameService, __: Visitor, *, file: Path, text: str) -> Reply:
    """Work that writes a line to a file and answers with the id of its process."""
    with file.open("a") as notes:
        notes.write(text + "\n")
    return Reply(str(os.getpid()).encode())


def sleep_forever(_: GameService, __: Visitor, *, file: Path | None = None) -> Reply:
    """Work without an end; it makes the file when it begins."""
    if file:
        file.touch()
    time.sleep(3600)
    raise AssertionError


def run_with_process(folder: Path, ask_and_check: Callable[[Studies], Coroutine[Any, Any, None]]) -> None:
    """Calls `ask_and_check` with one real process for questions about a public game."""
    url = f"sqlite:///{folder}/games.db"
    with (service := open_service(url)).store:
        service.store.create()
        member_events = [GameHosted("hanna", public=True)]
        service.new("africana", {"players": "2", "seed": "7"}, name="k", by="hanna", served=member_events)

    async def ask_with_studies() -> None:
        studies = Studies(url, 1, 60)
        try:
            await ask_and_check(studies)
        finally:
            await studies.close()
        assert studies.process_ids == []

    asyncio.run(ask_with_studies())


def test_a_killed_or_hanging_process_is_restarted(tmp_path: Path) -> None:
    """One question at most is without an answer."""
    note_once = partial(note_and_answer, file=tmp_path / "notes", text="x")

    async def ask_number(studies: Studies) -> int:
        number = await studies.answer(Question("k", "", note_once), ANN)
        assert isinstance(number, StudyReply)
        return int(number.reply.content)

    async def ask_and_check(studies: Studies) -> None:
        first_process = await ask_number(studies)
        assert [first_process] == studies.process_ids
        os.kill(first_process, signal.SIGKILL)
        await studies._processes[0].process.wait()  # type: ignore[union-attr]
        second_process = await ask_number(studies)
        begun_file = tmp_path / "begun"
        lost_question = asyncio.ensure_future(
            studies.answer(Question("k", "", partial(sleep_forever, file=begun_file)), ANN)
        )
        while not begun_file.exists():
            await asyncio.sleep(0.01)
        os.kill(second_process, signal.SIGKILL)
        with pytest.raises(ProblemError) as problem:
            await lost_question
        assert (problem.value.details.status, problem.value.details.detail) == (
            503,
            "the process that looked for the answer is lost",
        )
        third_process = await ask_number(studies)
        studies.patience = 0.1
        with pytest.raises(ProblemError, match="the server is busy"):
            await studies.answer(Question("k", "", sleep_forever), ANN)
        studies.patience = 60
        assert len({first_process, second_process, third_process, await ask_number(studies)}) == 4
        with pytest.raises(ProcessLookupError):
            os.kill(third_process, 0)

    run_with_process(tmp_path, ask_and_check)


def test_a_process_ends_with_its_server_even_in_the_middle_of_an_answer(tmp_path: Path) -> None:
    async def ask_and_check(studies: Studies) -> None:
        begun_file = tmp_path / "begun"
        question = asyncio.ensure_future(
            studies.answer(Question("k", "", partial(sleep_forever, file=begun_file)), ANN)
        )
        while not begun_file.exists():
            await asyncio.sleep(0.01)
        process = studies._processes[0].process
        assert process
        assert process.stdin
        process.stdin.close()
        # It ends by itself, not by a signal (-9). 255: asyncio was not the first to see its end.
        assert await process.wait() in (0, 255)
        with pytest.raises(ProblemError):
            await question

    run_with_process(tmp_path, ask_and_check)


def test_a_process_never_writes_to_the_store(tmp_path: Path) -> None:
    async def ask_and_check(studies: Studies) -> None:
        assert await studies.answer(Question("k", "", fork_line), ANN) == StudyUnavailable()

    run_with_process(tmp_path, ask_and_check)
    with (service := open_service(f"sqlite:///{tmp_path}/games.db")).store:
        assert [each.name for each in service.lines("k")] == ["main"]


class ScriptedProcess:
    """A process that answers when the test says so; it records its questions."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked_games = list[str]()
        self.ended_games = list[str]()
        self.answers = dict[str, asyncio.Future[StudyResult]]()

        async def ask(_: StudyProcess, question: bytes, __: float) -> StudyResult:
            game = pickle.loads(question).game
            self.asked_games.append(game)
            self.answers[game] = asyncio.get_running_loop().create_future()
            try:
                return await self.answers[game]
            except asyncio.CancelledError:
                self.ended_games.append(game)
                raise

        monkeypatch.setattr(StudyProcess, "ask", ask)

    async def answer(self, game: str) -> None:
        self.answers[game].set_result(StudyReply(Reply(game.encode()), None))
        for _ in range(5):
            await asyncio.sleep(0)


async def run_loop_turns() -> None:
    """Lets the loop run all tasks that are ready."""
    for _ in range(10):
        await asyncio.sleep(0.001)


async def begin_asking(studies: Studies, game: str, payer: Payer) -> asyncio.Future[StudyReply | StudyUnavailable]:
    """Begins to ask a question, named by its game."""
    task = asyncio.ensure_future(studies.answer(Question(game, "", sleep_forever), payer))
    for _ in range(5):
        await asyncio.sleep(0)
    return task


def test_accounts_take_turns_with_one_question_each(monkeypatch: pytest.MonkeyPatch) -> None:
    async def ask_and_check() -> None:
        process, studies = ScriptedProcess(monkeypatch), Studies("memory:", 2, 60)
        flood = [await begin_asking(studies, f"foe-{number}", FLOODER) for number in range(3)]
        assert process.asked_games == ["foe-0"], "the second process stays free for others"
        question_of_ann = await begin_asking(studies, "ann-0", ANN)
        question_of_ben = await begin_asking(studies, "ben-0", BEN)
        assert process.asked_games == ["foe-0", "ann-0"]
        await process.answer("foe-0")
        assert process.asked_games == ["foe-0", "ann-0", "ben-0"], "ben has used less than the flood"
        assert studies.waiting_count == 4
        for game in ("ann-0", "ben-0", "foe-1", "foe-2"):
            await process.answer(game)
        assert len(await asyncio.gather(*flood, question_of_ann, question_of_ben)) == 5
        assert process.asked_games[-2:] == ["foe-1", "foe-2"]
        assert studies.waiting_count == 0

    asyncio.run(ask_and_check())


def test_a_question_in_flight_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    async def ask_and_check() -> None:
        process, studies = ScriptedProcess(monkeypatch), Studies("memory:", 2, 60)
        equal_questions = [await begin_asking(studies, "k", payer) for payer in (ANN, BEN, ANN)]
        assert process.asked_games == ["k"]
        await process.answer("k")
        assert [result.reply.content for result in await asyncio.gather(*equal_questions)] == [b"k"] * 3  # type: ignore[union-attr]
        later_question = await begin_asking(studies, "k", ANN)
        assert process.asked_games == ["k", "k"], "an answer is not kept"
        await process.answer("k")
        await later_question

    asyncio.run(ask_and_check())


def test_a_waiting_question_without_clients_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    async def ask_and_check() -> None:
        process, studies = ScriptedProcess(monkeypatch), Studies("memory:", 1, 60)
        running_question, dropped_question, waiting_question = [
            await begin_asking(studies, game, ANN) for game in ("a", "b", "c")
        ]
        dropped_question.cancel()
        await asyncio.sleep(0)
        await process.answer("a")
        assert process.asked_games == ["a", "c"]
        await process.answer("c")
        await asyncio.gather(running_question, waiting_question)

    asyncio.run(ask_and_check())


def test_a_running_question_without_clients_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zimcore.server.work.studies.GIVE_UP_SECONDS", 0)

    async def ask_and_check() -> None:
        process, studies = ScriptedProcess(monkeypatch), Studies("memory:", 1, 60)
        first_client, second_client = await begin_asking(studies, "long", ANN), await begin_asking(studies, "long", BEN)
        short_question = await begin_asking(studies, "short", ANN)
        second_client.cancel()
        await run_loop_turns()
        assert (process.asked_games, process.ended_games) == (["long"], []), "one client still waits"
        first_client.cancel()
        await run_loop_turns()
        assert (process.asked_games, process.ended_games) == (["long", "short"], ["long"])
        repeated_question = await begin_asking(studies, "long", BEN)
        await process.answer("short")
        await process.answer("long")
        results = await asyncio.gather(short_question, repeated_question)
        assert [each.reply.content for each in results] == [b"short", b"long"]  # type: ignore[union-attr]
        assert studies.waiting_count == 0

    asyncio.run(ask_and_check())


def test_a_question_repeated_at_once_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that is loaded again, for example: a new process would take longer than the rest of the answer."""
    monkeypatch.setattr("zimcore.server.work.studies.GIVE_UP_SECONDS", 0.01)

    async def ask_and_check() -> None:
        process, studies = ScriptedProcess(monkeypatch), Studies("memory:", 1, 60)
        (await begin_asking(studies, "k", ANN)).cancel()
        repeated_question = await begin_asking(studies, "k", ANN)
        await asyncio.sleep(0.02)
        assert (process.asked_games, process.ended_games) == (["k"], [])
        await process.answer("k")
        await repeated_question

    asyncio.run(ask_and_check())


def test_a_closed_connection_ends_its_question(nim_server: GameServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Through the whole application: the question is ended, and the turn is free for the next one."""
    monkeypatch.setattr("zimcore.server.work.studies.GIVE_UP_SECONDS", 0)
    app, path = nim_server.http.app, f"{nim_server.main}/story"
    messages = list[Message]()

    async def ask_and_check(process: ScriptedProcess, *, stays: bool) -> None:
        is_closed, is_sent = asyncio.Event(), False

        async def receive() -> Any:
            nonlocal is_sent
            if is_sent:
                await is_closed.wait()
                return {"type": "http.disconnect"}
            is_sent = True
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Message) -> None:
            messages.append(message)

        headers = [(b"host", b"localhost"), (b"authorization", f"Bearer {nim_server.host.token}".encode())]
        scope = {"type": "http", "method": "GET", "path": path, "raw_path": path.encode(), "query_string": b""}
        connection = {"headers": headers, "client": ("127.0.0.1", 1), "server": ("localhost", 80), "scheme": "http"}
        request = asyncio.create_task(app({**scope, **connection, "state": {}, "http_version": "1.1"}, receive, send))
        while not process.answers or next(iter(process.answers.values())).done():
            await asyncio.sleep(0)
        if stays:
            await process.answer("k")
        else:
            is_closed.set()
        async with asyncio.timeout(PATIENCE):
            await request

    async def ask_twice() -> None:
        process = ScriptedProcess(monkeypatch)
        studies = app.state.dispatcher.studies = Studies("memory:", 1, 60)
        for client_stays in (False, True):
            await ask_and_check(process, stays=client_stays)
            await run_loop_turns()
            assert (process.ended_games, studies.waiting_count) == (["k"], 0)
        app.state.dispatcher.studies = None

    with nim_server.http.portal() as portal:
        portal.call(ask_twice)
    assert [each["status"] for each in messages if each["type"] == "http.response.start"] == [499, 200]


def test_the_account_with_most_questions_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zimcore.server.work.studies.MAX_WAITING", 3)

    async def ask_and_check() -> None:
        process, studies = ScriptedProcess(monkeypatch), Studies("memory:", 1, 60)
        flood = [await begin_asking(studies, f"foe-{number}", FLOODER) for number in range(4)]
        question_of_ann = await begin_asking(studies, "ann-0", ANN)
        with pytest.raises(ProblemError, match="the server is busy") as error:
            await flood[-1]
        assert error.value.headers["Retry-After"] == "1"
        await process.answer("foe-0")
        await process.answer("ann-0")
        await question_of_ann
        for question in flood:
            question.cancel()
        await studies.close()

    asyncio.run(ask_and_check())


def fork_line(service: GameService, _: Visitor) -> Reply:
    """Work that must be refused: it writes."""
    service.fork("k", "stolen", by="foe", viewer=EVERYTHING)
    return Reply(b"")
