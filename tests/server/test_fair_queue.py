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

from tests.server.game_server import game_server, service_opener
from zimcore.server.people.access import TOKENLESS_SPECTATOR, Visitor
from zimcore.server.wire.problem_responses import ProblemError
from zimcore.server.work import workers as workers_module
from zimcore.server.work.fair_queue import FairQueue, Payer, UsedTimes
from zimcore.server.work.payers import Payers, account_of, payer_of
from zimcore.server.work.workers import Worker
from zimcore.service.records.memberships import Grant, Members

FLOODER, ANN, BEN = Payer("foe", "bot"), Payer("anna", "ann"), Payer("anna", "ben")
NO_LIMIT = 10**6

any_payer = st.builds(Payer, st.sampled_from("abc"), st.sampled_from("xyz"))
queue_steps = st.lists(st.one_of(any_payer, st.floats(0.001, 1)), max_size=60)
"""Steps of a worker: a job arrives, or the next one runs for a number of seconds."""


def run_jobs(queue: FairQueue[int], steps: list[Payer | float], limit: int = NO_LIMIT) -> list[tuple[Payer, int]]:
    """Lets jobs arrive, numbered, and run. Returns them in the order in which they ran."""
    finished_jobs = list[tuple[Payer, int]]()
    for number, step in enumerate(steps):
        if isinstance(step, Payer):
            queue.add(step, number, limit)
        elif next_job := queue.next():
            finished_jobs.append(next_job)
            queue.charge(next_job[0], step)
    return finished_jobs


@given(queue_steps)
def test_a_waiting_job_is_always_run(steps: list[Payer | float]) -> None:
    queue, waiting_count = FairQueue[int](), 0
    for step in steps:
        finished_jobs = run_jobs(queue, [step])
        waiting_count += isinstance(step, Payer) - len(finished_jobs)
        assert bool(finished_jobs) or isinstance(step, Payer) or not waiting_count
        assert len(queue) == waiting_count


@given(queue_steps)
def test_every_job_runs_once_and_in_the_order_of_its_asker(steps: list[Payer | float]) -> None:
    jobs = [(step, number) for number, step in enumerate(steps) if isinstance(step, Payer)]
    run_order = run_jobs(FairQueue(), [*steps, *[0.1] * len(steps)])
    assert sorted(run_order) == sorted(jobs)
    for payer in {each for each, _ in jobs}:
        assert [job for job in run_order if job[0] == payer] == [job for job in jobs if job[0] == payer]


@given(queue_steps)
def test_a_newcomer_waits_for_one_job_of_each_other_account_at_most(steps: list[Payer | float]) -> None:
    queue = FairQueue[int]()
    run_jobs(queue, steps)
    queue.add(Payer("new", ""), -1, NO_LIMIT)
    jobs_before = Counter[str]()
    while (next_job := queue.next()) and next_job[1] != -1:
        jobs_before[next_job[0].account] += 1
        queue.charge(next_job[0], 0.1)
    assert max(jobs_before.values(), default=0) <= 1


def test_a_newcomer_waits_for_the_running_job_only() -> None:
    queue = FairQueue[int]()
    run_jobs(queue, [FLOODER] * 100)
    running_job = queue.next()
    assert running_job
    queue.add(ANN, -1, NO_LIMIT)
    queue.charge(running_job[0], 0.1)
    assert queue.next() == (ANN, -1)


@given(st.lists(st.floats(0.01, 1), min_size=50, max_size=50))
def test_two_accounts_get_the_same_time_whatever_their_jobs_take(seconds: list[float]) -> None:
    queue, used_seconds = FairQueue[int](), dict.fromkeys(("foe", "anna"), 0.0)
    for number in range(200):
        queue.add((FLOODER, ANN, BEN)[number % 3], number, NO_LIMIT)
    for foe_duration in seconds:
        job = queue.next()
        assert job
        duration = foe_duration if job[0].account == "foe" else 0.01
        queue.charge(job[0], duration)
        used_seconds[job[0].account] += duration
    assert abs(used_seconds["foe"] - used_seconds["anna"]) <= 1, "one job of the longest kind"


def test_the_askers_of_an_account_share_its_time() -> None:
    queue = FairQueue[int]()
    jobs = run_jobs(queue, [*[ANN] * 10, *[BEN] * 10, 0.5, *[0.2] * 4])
    assert [payer.asker for payer, _ in jobs] == ["ann", "ben", "ben", "ben", "ann"]


def test_idle_time_is_not_saved_up() -> None:
    queue = FairQueue[int]()
    run_jobs(queue, [FLOODER] * 100 + [0.1] * 50)
    jobs = run_jobs(queue, [ANN] * 5 + [0.1] * 6)
    assert [payer for payer, _ in jobs].count(FLOODER) >= 2, "the newcomer does not make up for all that it did not ask"


@given(queue_steps, st.integers(1, 8))
def test_the_account_with_most_jobs_is_refused(steps: list[Payer | float], limit: int) -> None:
    queue, waiting_jobs = FairQueue[tuple[Payer, int]](), list[tuple[Payer, int]]()
    for number, step in enumerate(steps):
        if not isinstance(step, Payer):
            if next_job := queue.next():
                waiting_jobs.remove(next_job[1])
                queue.charge(next_job[0], step)
            continue
        waiting_jobs.append((step, number))
        refused_job = queue.add(step, (step, number), limit)
        assert bool(refused_job) == (len(waiting_jobs) > limit)
        if refused_job:
            job_counts = Counter(payer.account for payer, _ in waiting_jobs)
            assert job_counts[refused_job[0].account] == max(job_counts.values())
            assert refused_job == max(job for job in waiting_jobs if job[0] == refused_job[0]), "its last one"
            waiting_jobs.remove(refused_job)
    assert len(queue) == len(waiting_jobs)


def test_next_can_skip_accounts() -> None:
    queue = FairQueue[int]()
    run_jobs(queue, [FLOODER, ANN])
    assert queue.next({"foe"}) == (ANN, 1)
    assert queue.next({"foe"}) is None
    assert queue.next() == (FLOODER, 0)


def test_used_times_keep_a_limited_number_of_accounts() -> None:
    used_times = UsedTimes()
    for number in range(10_000):
        user = used_times.least_served([str(number)])
        assert user
        used_times.charge(user, 0.1)
        used_times.least_served(["other"])
        used_times.charge("other", 0.2)
    assert len(used_times._used_seconds) <= 2001


def test_the_host_pays_for_every_token_of_a_game() -> None:
    members = Members(host="anna")
    seat, spectator = Grant("5f", "seat", b""), Grant("6f", "spectator", b"")
    ann, spectator_visitor = Visitor("k", members, seat), Visitor("k", members, spectator)
    assert [payer_of(each) for each in (ann, spectator_visitor)] == [Payer("anna", "5f"), Payer("anna", "k/watching")]
    assert payer_of(Visitor("", Members(), Grant("7f", "host", b"", "anna"))) == Payer("anna", "host")
    assert payer_of(Visitor("k", members, TOKENLESS_SPECTATOR)) is None
    assert account_of(Visitor("k", Members(), seat)) == "/k"


def test_a_payer_is_known_after_the_first_request() -> None:
    payers, visitor = Payers(2), Visitor("k", Members(host="anna"), Grant("5f", "seat", b""))
    assert payers.find("zim_a", "192.0.2.1") == payers.find("", "192.0.2.1") == Payer("", "192.0.2.1")
    for token in ("zim_a", "zim_b", "zim_a", "zim_c"):
        payers.remember_visitor(token, visitor)
    assert payers.find("zim_a", "192.0.2.1") == Payer("anna", "5f")
    assert payers.find("zim_b", "192.0.2.1").account == "", "the least recently used is forgotten"


def test_a_request_has_its_payer(tmp_path: Path) -> None:
    """Seats, spectators and feeds have a known payer after their first request."""
    with game_server(tmp_path, "nim", {}) as server:
        dispatcher = server.http.app.state.dispatcher
        noted_payers, run_job = list[Payer](), dispatcher.workers.run

        async def note_payer(kind: Any, game: str, work: Any, payer: Payer) -> Any:
            noted_payers.append(payer)
            return await run_job(kind, game, work, payer)

        dispatcher.workers.run = note_payer
        spectator = server.token("spectator")
        noted_payers.clear()
        dispatcher.feeds.is_closing = True
        for path in (server.main, f"{server.main}/legal", f"{server.main}/feed"):
            assert spectator.get(path).status_code == 200
        server.play("take 1", "take 1", "take 1")
        spectator_payer, ann_payer = Payer("hanna", "k/watching"), dispatcher.payers.find(server.seats["ann"].token, "")
        assert noted_payers[:3] == [Payer("", "testclient"), spectator_payer, spectator_payer]
        assert noted_payers[-1] == ann_payer
        assert ann_payer.account == "hanna"
        assert server.nobody.get(server.main).status_code == 401
        assert noted_payers[-1] == Payer("", "testclient")


def start_job(worker: Worker, payer: Payer, work: Callable[[], object]) -> asyncio.Future[object]:
    """A job that waits at a worker."""
    return asyncio.ensure_future(worker.run(lambda _: work(), payer, 60))


def run_at_busy_worker(
    folder: Path, ask_and_check: Callable[[Worker, threading.Event], Coroutine[Any, Any, None]]
) -> None:
    """Calls `ask_and_check` with a worker and an event: the event releases the jobs that keep the worker busy."""
    worker, release_event = Worker(service_opener(folder), "turns"), threading.Event()
    try:
        asyncio.run(ask_and_check(worker, release_event))
    finally:
        release_event.set()
        worker.close()


def test_an_account_does_not_wait_for_the_flood_of_another(tmp_path: Path) -> None:
    finished_labels = list[str]()

    async def ask_and_check(worker: Worker, release_event: threading.Event) -> None:
        flood = [start_job(worker, FLOODER, lambda: release_event.wait(60))]
        flood += [start_job(worker, FLOODER, lambda: finished_labels.append("foe")) for _ in range(40)]
        await asyncio.sleep(0)
        own_jobs = [start_job(worker, ANN, partial(finished_labels.append, label)) for label in ("1", "2")]
        await asyncio.sleep(0)
        release_event.set()
        await asyncio.gather(*flood, *own_jobs)

    run_at_busy_worker(tmp_path, ask_and_check)
    assert finished_labels[0] == "1"
    assert finished_labels.index("2") < 10
    assert len(finished_labels) == 42


def test_a_full_worker_refuses_the_flood_and_not_the_newcomer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers_module, "MAX_WAITING", 5)

    async def ask_and_check(worker: Worker, release_event: threading.Event) -> None:
        flood = [asyncio.ensure_future(worker.run(lambda _: release_event.wait(60), FLOODER, 60)) for _ in range(5)]
        await asyncio.sleep(0)
        own_job = asyncio.ensure_future(worker.run(lambda _: "mine", ANN, 60))
        with pytest.raises(ProblemError) as error:
            await flood[-1]
        assert error.value.details.status == 503
        release_event.set()
        assert await own_job == "mine"
        assert await asyncio.gather(*flood[:-1]) == [True] * 4

    run_at_busy_worker(tmp_path, ask_and_check)


def test_a_cancelled_job_is_not_run(tmp_path: Path) -> None:
    finished_jobs = list[str]()

    async def ask_and_check(worker: Worker, release_event: threading.Event) -> None:
        running_job = asyncio.ensure_future(worker.run(lambda _: release_event.wait(60), FLOODER, 60))
        await asyncio.sleep(0)
        with pytest.raises(ProblemError, match="the server is busy"):
            await worker.run(lambda _: finished_jobs.append("late"), FLOODER, 0.01)
        release_event.set()
        await running_job
        assert await worker.run(lambda _: "next", FLOODER, 60) == "next"

    run_at_busy_worker(tmp_path, ask_and_check)
    assert finished_jobs == []


def test_a_worker_rests_only_while_no_other_account_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest has no end here, so that only the job of another account can end it."""
    monkeypatch.setattr(workers_module, "REST_AFTER_SECONDS", -1)
    rests = list[float]()

    async def ask_and_check(worker: Worker, release_event: threading.Event) -> None:
        def wait_for(condition: Callable[[], bool], seconds: float) -> bool:
            rests.append(seconds)
            return original_wait_for(condition, 60)

        original_wait_for, worker._jobs_changed.wait_for = worker._jobs_changed.wait_for, wait_for  # type: ignore[method-assign, assignment]
        jobs = [start_job(worker, FLOODER, lambda: release_event.wait(60)), start_job(worker, FLOODER, lambda: None)]
        await asyncio.sleep(0)
        release_event.set()
        while not rests:
            await asyncio.sleep(0.001)
        assert await worker.run(lambda _: "at once", ANN, 60) == "at once"
        await asyncio.gather(*jobs)

    run_at_busy_worker(tmp_path, ask_and_check)
    assert rests == [pytest.approx(0, abs=workers_module.MAX_REST_SECONDS)]
