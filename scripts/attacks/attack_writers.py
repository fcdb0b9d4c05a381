"""Attacks on writers: they are killed at random moments, or cut off from the server, in each kind of operation.

A writer that was cut off retries with the same command id. In the end, every line and every operation of the game must
be as if nothing had happened: nothing is lost, and nothing is done twice.
"""

from __future__ import annotations

import multiprocessing
import random
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import cache
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from event_store import EventStore
from scripts.attacks.attack_target import (
    ERRORS,
    GAME_NAMES,
    Breach,
    NotTried,
    ReportOutcome,
    Target,
    check_store,
    open_store_file,
)
from tests.conftest import POSTGRES_URL
from tests.postgres import PostgresAdmin, temporary_schema, why_unusable
from tests.service.nim_service import NIM_ONLY
from zimcore.game import Refused
from zimcore.service import GameService, Position, StoreError, UnknownError
from zimcore.service.records.results import Replay

PUBLIC_KEY = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
"""A public key (RFC 8032, section 7.1). Nothing is signed with it here."""


class Request(NamedTuple):
    """A request to the service: an operation, the place in a game, and further arguments."""

    operation: str
    place: str = ""
    arguments: tuple[Any, ...] = ()

    def send(self, service: GameService, game: str, number: int) -> str:
        """Sends the request, with an id made of the game and its number. Returns the digest of the new position."""
        place, name_option = game + self.place, {"name": game} if self.operation == "new" else {}
        arguments = (
            ("nim", *self.arguments)
            if self.operation == "new"
            else (place, *(_with_game(game, argument) for argument in self.arguments))
        )
        answer = getattr(service, self.operation)(*arguments, by="ann", command_id=f"{game}-{number}", **name_option)
        if isinstance(answer, Refused):
            raise Breach(f"{game}: {self.operation} is refused: {answer}")
        if isinstance(answer, Replay) and not answer.stored:
            raise Breach(f"{game}: {self.operation} has conflicts: {answer.conflicts}")
        position: Position | None = answer.position if isinstance(answer, Replay) else answer
        return position.commit.digest if position else ""


def _with_game(game: str, argument: Any) -> Any:
    return argument.format(game=game) if isinstance(argument, str) else argument


REQUESTS = (
    Request("new", "", ({"stones": "50", "seed": "7"},)),
    Request("play", "/main", ("take 1",)),
    Request("play", "/main", ("take 2",)),
    Request("play", "/main", ("take 1",)),
    Request("undo", "/main", (2,)),
    Request("redo", "/main", (2,)),
    Request("fork", "@2", ("what-if",)),
    Request("rename", "/what-if", ("better",)),
    Request("play", "/better", ("take 3",)),
    Request("switch", "/main"),
    Request("amend", "/main@2", ("take 3",)),
    Request("pick", "/better", ("{game}/main@2..2",)),
    Request("goto", "/main@start"),
    Request("play", "/main", ("take 3",)),
    Request("take_back", "/main"),
    Request("switch", "/main"),
    Request("forget", "/amend-2"),
    Request("bind", "/main", ("ann", PUBLIC_KEY)),
    Request("archive", ""),
    Request("restore", ""),
)
"""A game with every kind of operation."""
SAME_ANSWER_OPERATIONS = {"new", "play", "undo", "redo", "goto", "fork", "amend", "pick"}
"""Operations whose retry returns the first answer. The others return the current state of the line."""


def open_game(url: str) -> GameService:
    """A service with the game that is played here."""
    return GameService(EventStore.open(url), games=NIM_ONLY)


def game_content(service: GameService, game: str) -> list[object]:
    """Everything in a game except digests and times."""
    lines = service.lines(f"{game}/main", by="ann")
    moves = [
        [f"{commit.number} {commit.text}" for commit in service.log(f"{game}/{line.name}", all_=True)] for line in lines
    ]
    line_rows = [(line.name, line.head, line.status, line.current, line.parent, line.forked_at) for line in lines]
    operations = service.operations(f"{game}/main")
    operation_rows = [
        (operation.what, operation.source.removeprefix(game), operation.target, operation.by)
        for operation in operations
    ]
    return [line_rows, moves, sorted(operation_rows)]


@cache
def undisturbed_content() -> list[object]:
    """The story of the game if nothing happens to its writer."""
    with (service := open_game("memory:")).store:
        for number, request in enumerate(REQUESTS):
            request.send(service, "g", number)
        return game_content(service, "g")


def check_game_is_whole(service: GameService, game: str) -> None:
    """Raises `Breach` unless the game equals the undisturbed one, and verifies."""
    if (actual_content := game_content(service, game)) != undisturbed_content():
        raise Breach(f"{game} is {actual_content}, not {undisturbed_content()}")
    for line in service.lines(game):
        if fault := service.verify(f"{game}/{line.name}").fault:
            raise Breach(f"{game}/{line.name}: {fault}")


def race_for_names(target: Target, tries: int, report: ReportOutcome) -> None:
    """Eight threads create games, fork and rename at once. No name may be lost or given twice."""
    path = target.copy()

    def use_names(worker_number: int) -> list[str]:
        names = []
        with open_store_file(path, "") as service:
            for number in range(tries // 8):
                names.append(service.new("zimbabwe", {"seed": "7"}, by="w").match)
                with suppress(*ERRORS):
                    service.fork("g0/main@2", f"fork-{number}", by=f"w{worker_number}")
                    service.rename(f"g0/fork-{number}", f"fork-{number}-{worker_number}", by=f"w{worker_number}")
        return names

    with ThreadPoolExecutor(8) as pool:
        all_names = [name for names in pool.map(use_names, range(8)) for name in names]
    with open_store_file(path, "") as service:
        if sorted(all_names) != sorted(set(service.game_names()) - set(GAME_NAMES)) or service.check():
            raise Breach("a name is lost, or given twice")
    for _ in all_names:
        report("each has its own name")


def kill_sqlite_writers(target: Target, tries: int, report: ReportOutcome) -> None:
    """Kills a process that writes to a file, at random moments of each operation."""
    kill_writers(f"sqlite:///{target.folder / 'killed.db'}", tries, report)


def kill_postgresql_writers(target: Target, tries: int, report: ReportOutcome) -> None:
    """Kills a process that writes to a server."""
    del target
    with postgresql_server() as database:

        def wait_until_gone() -> None:
            while database.count_connections():
                time.sleep(0.002)

        kill_writers(database.store_url, tries, report, wait_until_gone)


def kill_writers(
    url: str, tries: int, report: ReportOutcome, wait_until_gone: Callable[[], None] = lambda: None
) -> None:
    """Plays one game per try. `wait_until_gone` returns once the database has noticed that the writer is dead."""
    rng = random.Random(9)
    open_game(url).store.close()
    for number in range(tries):
        game = f"g{number}"
        answers = answers_until_killed(url, game, 7 * number % len(REQUESTS), rng)
        wait_until_gone()
        with (service := open_game(url)).store:
            rows_before = len(list(service.store.rows()))
            for index, answer in enumerate(answers):
                check_answer(service, game, index, answer, report)
            if len(list(service.store.rows())) != rows_before:
                raise Breach(f"{game}: what was acknowledged was not there")
            for index in range(len(answers), len(REQUESTS)):
                first_answer = REQUESTS[index].send(service, game, index)
                if index == len(answers):
                    is_stored = len(list(service.store.rows())) == rows_before
                    report(f"killed {'after' if is_stored else 'before'} it was stored and done once")
                    if REQUESTS[index].send(service, game, index) != first_answer:
                        raise Breach(f"{game}: {REQUESTS[index].operation} was done twice")
            check_game_is_whole(service, game)
    with (service := open_game(url)).store:
        check_store(service)


def check_answer(service: GameService, game: str, number: int, answer: str, report: ReportOutcome) -> None:
    """Checks that a retry gets the first answer, or an error that the line made then has been forgotten since."""
    request = REQUESTS[number]
    try:
        if request.send(service, game, number) != answer and request.operation in SAME_ANSWER_OPERATIONS:
            raise Breach(f"{game}: {request.operation} has another answer")
    except UnknownError as error:
        if request.operation != "amend" or "no longer has a name" not in str(error):
            raise Breach(f"{game}: {request.operation} has another answer: {error}") from error
    report("acknowledged and there once")


def answers_until_killed(url: str, game: str, request_number: int, rng: random.Random) -> Sequence[str]:
    """Starts a writer, and kills it while it handles the request of this number. Returns the answers it reported."""
    context = multiprocessing.get_context("fork")  # starting a new interpreter takes longer than the whole game
    pipe, writer_end = context.Pipe(duplex=False)
    writer = context.Process(target=send_requests, args=(url, game, writer_end))
    writer.start()
    writer_end.close()
    answers: list[str] = []
    started_at = time.perf_counter()
    with suppress(EOFError, OSError):  # the pipe is closed, perhaps in the middle of an answer
        pipe.recv()  # the writer has opened the store
        while len(answers) < request_number:
            started_at = time.perf_counter()
            answers.append(pipe.recv())
        time.sleep(rng.uniform(0, 0.004 if not request_number else 1.5 * (time.perf_counter() - started_at)))
        writer.kill()
        while True:
            answers.append(pipe.recv())
    writer.join()
    pipe.close()
    return answers


def send_requests(url: str, game: str, pipe: Connection) -> None:
    """The process that is killed: sends one request after another, and reports each answer."""
    service = open_game(url)
    service.store.create()
    pipe.send("ready")
    for number, request in enumerate(REQUESTS):
        pipe.send(request.send(service, game, number))


def end_store_sessions(target: Target, tries: int, report: ReportOutcome) -> None:
    """An administrator ends all sessions of the store on the server, at random moments of a request."""
    del target
    rng, session_count, game_number = random.Random(10), 0, 0
    with postgresql_server() as database:

        def end_sessions(delay: float) -> int:
            time.sleep(delay)
            return database.break_connections()

        with (service := open_game(database.store_url)).store, ThreadPoolExecutor(1) as pool:
            while session_count < tries:
                for number, request in enumerate(REQUESTS):
                    ended_sessions = pool.submit(end_sessions, rng.uniform(0, 0.02)) if session_count < tries else None
                    try:
                        request.send(service, f"g{game_number}", number)
                        outcome = "answered"
                    except StoreError:
                        outcome = "an error"
                    if ended_sessions and ended_sessions.result():
                        report(f"{outcome} and done once")
                        session_count += 1
                    request.send(
                        service, f"g{game_number}", number
                    )  # a retry, as after an error; it must change nothing if the first one succeeded
                check_game_is_whole(service, f"g{game_number}")
                game_number += 1
            check_store(service)


@contextmanager
def postgresql_server() -> Iterator[PostgresAdmin]:
    """An empty store on a server, in a schema that is dropped at the end."""
    if reason := why_unusable(POSTGRES_URL):
        raise NotTried(reason)
    with temporary_schema(POSTGRES_URL) as url:
        database = PostgresAdmin(url)
        with database.admin_connection, open_game(database.store_url).store as store:
            store.create()
            store.close()
            yield database
