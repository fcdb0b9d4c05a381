"""Turns at a worker: the account that used least goes first, whatever others have queued."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.server.game_server import game_server, opener
from zimcore.server import workers as module
from zimcore.server.access import WATCHER, Visitor
from zimcore.server.fair_queue import FairQueue, Payer, Shares
from zimcore.server.payers import Payers, account_of, payer_of
from zimcore.server.problem_responses import ProblemError
from zimcore.server.workers import Worker
from zimcore.service.memberships import Grant, Members

FOE, ANN, BEN = Payer("foe", "bot"), Payer("anna", "ann"), Payer("anna", "ben")
MANY = 10**6

payers = st.builds(Payer, st.sampled_from("abc"), st.sampled_from("xyz"))
steps = st.lists(st.one_of(payers, st.floats(0.001, 1)), max_size=60)
"""What happens at a worker: a job arrives, or the next one runs for so many seconds."""


def run_jobs(queue: FairQueue[int], steps: list[Payer | float], most: int = MANY) -> list[tuple[Payer, int]]:
    """Lets jobs arrive, numbered, and run. Returns them in the order in which they ran."""
    jobs = list[tuple[Payer, int]]()
    for number, step in enumerate(steps):
        if isinstance(step, Payer):
            queue.add(step, number, most)
        elif next_item := queue.next():
            jobs.append(next_item)
            queue.charge(next_item[0], step)
    return jobs


@given(steps)
def test_something_runs_whenever_something_waits(steps: list[Payer | float]) -> None:
    queue, waiting = FairQueue[int](), 0
    for step in steps:
        jobs = run_jobs(queue, [step])
        waiting += isinstance(step, Payer) - len(jobs)
        assert bool(jobs) or isinstance(step, Payer) or not waiting
        assert len(queue) == waiting


@given(steps)
def test_every_job_runs_once_and_those_of_an_asker_in_their_order(steps: list[Payer | float]) -> None:
    jobs = [(step, number) for number, step in enumerate(steps) if isinstance(step, Payer)]
    order = run_jobs(FairQueue(), [*steps, *[0.1] * len(steps)])
    assert sorted(order) == sorted(jobs)
    for payer in {each for each, _ in jobs}:
        assert [job for job in order if job[0] == payer] == [job for job in jobs if job[0] == payer]


@given(steps)
def test_a_newcomer_waits_for_one_job_of_each_other_account_at_most(steps: list[Payer | float]) -> None:
    queue = FairQueue[int]()
    run_jobs(queue, steps)
    queue.add(Payer("new", ""), -1, MANY)
    before = Counter[str]()
    while (next_item := queue.next()) and next_item[1] != -1:
        before[next_item[0].account] += 1
        queue.charge(next_item[0], 0.1)
    assert max(before.values(), default=0) <= 1


def test_a_newcomer_waits_for_the_running_job_only() -> None:
    queue = FairQueue[int]()
    run_jobs(queue, [FOE] * 100)
    running = queue.next()
    assert running
    queue.add(ANN, -1, MANY)
    queue.charge(running[0], 0.1)
    assert queue.next() == (ANN, -1)


@given(st.lists(st.floats(0.01, 1), min_size=50, max_size=50))
def test_two_accounts_get_the_same_time_whatever_their_jobs_take(seconds: list[float]) -> None:
    queue, used = FairQueue[int](), dict.fromkeys(("foe", "anna"), 0.0)
    for number in range(200):
        queue.add((FOE, ANN, BEN)[number % 3], number, MANY)
    for each in seconds:
        job = queue.next()
        assert job
        took = each if job[0].account == "foe" else 0.01
        queue.charge(job[0], took)
        used[job[0].account] += took
    assert abs(used["foe"] - used["anna"]) <= 1, "one job of the longest kind"


def test_the_askers_of_an_account_share_its_time() -> None:
    queue = FairQueue[int]()
    jobs = run_jobs(queue, [*[ANN] * 10, *[BEN] * 10, 0.5, *[0.2] * 4])
    assert [payer.asker for payer, _ in jobs] == ["ann", "ben", "ben", "ben", "ann"]


def test_idle_time_is_not_saved_up() -> None:
    queue = FairQueue[int]()
    run_jobs(queue, [FOE] * 100 + [0.1] * 50)
    jobs = run_jobs(queue, [ANN] * 5 + [0.1] * 6)
    assert [payer for payer, _ in jobs].count(FOE) >= 2, "the newcomer does not make up for all that it did not ask"


@given(steps, st.integers(1, 8))
def test_who_waits_most_is_refused_never_another(steps: list[Payer | float], most: int) -> None:
    queue, waiting = FairQueue[tuple[Payer, int]](), list[tuple[Payer, int]]()
    for number, step in enumerate(steps):
        if not isinstance(step, Payer):
            if next_item := queue.next():
                waiting.remove(next_item[1])
                queue.charge(next_item[0], step)
            continue
        waiting.append((step, number))
        refused = queue.add(step, (step, number), most)
        assert bool(refused) == (len(waiting) > most)
        if refused:
            accounts = Counter(payer.account for payer, _ in waiting)
            assert accounts[refused[0].account] == max(accounts.values())
            assert refused == max(job for job in waiting if job[0] == refused[0]), "its last one"
            waiting.remove(refused)
    assert len(queue) == len(waiting)


def test_accounts_can_be_passed_over() -> None:
    queue = FairQueue[int]()
    run_jobs(queue, [FOE, ANN])
    assert queue.next({"foe"}) == (ANN, 1)
    assert queue.next({"foe"}) is None
    assert queue.next() == (FOE, 0)


def test_what_is_remembered_does_not_grow() -> None:
    shares = Shares()
    for number in range(10_000):
        user = shares.least([str(number)])
        assert user
        shares.charge(user, 0.1)
        shares.least(["other"])
        shares.charge("other", 0.2)
    assert len(shares._used) <= 2001


def test_the_host_pays_for_every_token_of_a_game() -> None:
    members = Members(host="anna")
    seat, spectator = Grant("5f", "seat", b""), Grant("6f", "spectator", b"")
    ann, watching = Visitor("k", members, seat), Visitor("k", members, spectator)
    assert [payer_of(each) for each in (ann, watching)] == [Payer("anna", "5f"), Payer("anna", "k/watching")]
    assert payer_of(Visitor("", Members(), Grant("7f", "host", b"", "anna"))) == Payer("anna", "host")
    assert payer_of(Visitor("k", members, WATCHER)) is None
    assert account_of(Visitor("k", Members(), seat)) == "/k"


def test_a_payer_is_known_after_the_first_request() -> None:
    known, visitor = Payers(2), Visitor("k", Members(host="anna"), Grant("5f", "seat", b""))
    assert known.find("zim_a", "192.0.2.1") == known.find("", "192.0.2.1") == Payer("", "192.0.2.1")
    for token in ("zim_a", "zim_b", "zim_a", "zim_c"):
        known.learn(token, visitor)
    assert known.find("zim_a", "192.0.2.1") == Payer("anna", "5f")
    assert known.find("zim_b", "192.0.2.1").account == "", "the least recently used is forgotten"


def test_a_request_says_whose_turn_it_takes(tmp_path: Path) -> None:
    """Seats, spectators and feeds: none comes in as a stranger after its first request."""
    with game_server(tmp_path, "nim", {}) as server:
        dispatcher = server.http.app.state.dispatcher
        asked, run = list[Payer](), dispatcher.workers.run

        async def note_payer(kind: Any, game: str, work: Any, payer: Payer) -> Any:
            asked.append(payer)
            return await run(kind, game, work, payer)

        dispatcher.workers.run = note_payer
        spectator = server.token("spectator")
        asked.clear()
        dispatcher.feeds.closing = True
        for path in (server.main, server.main, f"{server.main}/feed"):
            assert spectator.get(path).status_code == 200
        server.play("take 1", "take 1", "take 1")
        watching, ann = Payer("hanna", "k/watching"), dispatcher.payers.find(server.seats["ann"].token, "")
        assert asked[:3] == [Payer("", "testclient"), watching, watching]
        assert asked[-1] == ann
        assert ann.account == "hanna"
        assert server.nobody.get(server.main).status_code == 401
        assert asked[-1] == Payer("", "testclient")


def start_job(worker: Worker, payer: Payer, work: Callable[[], object]) -> asyncio.Future[object]:
    """A job that waits at a worker."""
    return asyncio.ensure_future(worker.run(lambda _: work(), payer, 60))


def at_a_worker(folder: Path, ask: Callable[[Worker, threading.Event], Coroutine[Any, Any, None]]) -> None:
    """Lets jobs come to a worker; it is busy until the event is set."""
    worker, go_on = Worker(opener(folder), "turns"), threading.Event()
    try:
        asyncio.run(ask(worker, go_on))
    finally:
        go_on.set()
        worker.close()


def test_a_flood_of_another_account_is_not_waited_for(tmp_path: Path) -> None:
    order = list[str]()

    async def ask(worker: Worker, go_on: threading.Event) -> None:
        flood = [start_job(worker, FOE, lambda: go_on.wait(60))]
        flood += [start_job(worker, FOE, lambda: order.append("foe")) for _ in range(40)]
        await asyncio.sleep(0)
        mine = [start_job(worker, ANN, partial(order.append, at)) for at in ("1", "2")]
        await asyncio.sleep(0)
        go_on.set()
        await asyncio.gather(*flood, *mine)

    at_a_worker(tmp_path, ask)
    assert order[0] == "1"
    assert order.index("2") < 10
    assert len(order) == 42


def test_a_full_worker_refuses_the_flood_and_not_the_newcomer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_WAITING", 5)

    async def ask(worker: Worker, go_on: threading.Event) -> None:
        flood = [asyncio.ensure_future(worker.run(lambda _: go_on.wait(60), FOE, 60)) for _ in range(5)]
        await asyncio.sleep(0)
        mine = asyncio.ensure_future(worker.run(lambda _: "mine", ANN, 60))
        with pytest.raises(ProblemError) as error:
            await flood[-1]
        assert error.value.details.status == 503
        go_on.set()
        assert await mine == "mine"
        assert await asyncio.gather(*flood[:-1]) == [True] * 4

    at_a_worker(tmp_path, ask)


def test_a_job_that_was_given_up_before_its_turn_is_not_run(tmp_path: Path) -> None:
    order = list[str]()

    async def ask(worker: Worker, go_on: threading.Event) -> None:
        first = asyncio.ensure_future(worker.run(lambda _: go_on.wait(60), FOE, 60))
        await asyncio.sleep(0)
        with pytest.raises(ProblemError, match="the server is busy"):
            await worker.run(lambda _: order.append("late"), FOE, 0.01)
        go_on.set()
        await first
        assert await worker.run(lambda _: "next", FOE, 60) == "next"

    at_a_worker(tmp_path, ask)
    assert order == []


def test_a_worker_rests_only_while_no_other_account_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest has no end here, so that only the job of another account can end it."""
    monkeypatch.setattr(module, "SHORT", -1)
    rests = list[float]()

    async def ask(worker: Worker, go_on: threading.Event) -> None:
        def wait_for(so: Callable[[], bool], seconds: float) -> bool:
            rests.append(seconds)
            return original(so, 60)

        original, worker._changed.wait_for = worker._changed.wait_for, wait_for  # type: ignore[method-assign, assignment]
        jobs = [start_job(worker, FOE, lambda: go_on.wait(60)), start_job(worker, FOE, lambda: None)]
        await asyncio.sleep(0)
        go_on.set()
        while not rests:
            await asyncio.sleep(0.001)
        assert await worker.run(lambda _: "at once", ANN, 60) == "at once"
        await asyncio.gather(*jobs)

    at_a_worker(tmp_path, ask)
    assert rests == [pytest.approx(0, abs=module.MAX_REST)]
