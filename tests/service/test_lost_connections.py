"""A connection that breaks in the middle of a commit neither loses nor doubles a command, whenever that is."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.postgres import PostgresAdmin
from tests.service.nim_service import log_texts, play, service_on
from zimcore.game import Refused
from zimcore.service import GameService, StoreError


@pytest.fixture
def postgres(postgres_store: str) -> Iterator[PostgresAdmin]:
    postgres = PostgresAdmin(postgres_store)
    yield postgres
    postgres.admin_connection.close()


@pytest.fixture
def service(postgres: PostgresAdmin) -> Iterator[GameService]:
    service = service_on(postgres.store_url)
    with service.store:
        service.new("nim", {"stones": "2000", "seed": "7"}, name="nim", by="ann")
        yield service


def recorder_of(service: GameService) -> Any:
    return service.store._backend.recorder


def test_a_broken_connection_is_made_again(service: GameService, postgres: PostgresAdmin) -> None:
    assert postgres.break_connections() == 1
    play(service, "take 1")
    assert log_texts(service) == ["0 set up 2000", "1 take 1"]


def test_a_write_with_a_lost_answer_is_stored_once(
    service: GameService, postgres: PostgresAdmin, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The commit is stored, then the connection breaks: only its command id says that it was ours."""
    recorder = recorder_of(service)
    original_execute = recorder._execute

    def execute_and_lose_the_answer(run_statements: Callable[[Any], object]) -> object:
        monkeypatch.setattr(recorder, "_execute", original_execute)

        def execute_and_break(connection: Any) -> object:
            run_statements(connection)
            postgres.break_connections()
            return connection.execute("SELECT 1")

        return original_execute(execute_and_break)

    position = service.position("nim")
    original_insert = recorder.insert_rows

    def insert_rows(rows: Any, projections: Any) -> None:
        monkeypatch.setattr(recorder, "_execute", execute_and_lose_the_answer)
        original_insert(rows, projections)

    monkeypatch.setattr(recorder, "insert_rows", insert_rows)
    first_answer = service.play("nim", "take 1", by="ann", expected=position.commit.digest, command_id="c1")
    assert not isinstance(first_answer, Refused)
    assert (first_answer.commit.number, first_answer.state.stones) == (1, 1999)
    monkeypatch.undo()
    assert log_texts(service) == ["0 set up 2000", "1 take 1"]
    second_answer = service.play("nim", "take 1", by="ann", expected=position.commit.digest, command_id="c1")
    assert not isinstance(second_answer, Refused)
    assert second_answer.commit == first_answer.commit


def test_a_connection_that_breaks_while_it_waits_stores_once(service: GameService, postgres: PostgresAdmin) -> None:
    with ThreadPoolExecutor(1) as pool:
        with postgres.hold_writers():
            pending_answer = pool.submit(lambda: play(service, "take 1"))
            postgres.wait_for_locks(count=1)
            postgres.break_connections()
        assert pending_answer.result().commit.number == 1
    assert log_texts(service) == ["0 set up 2000", "1 take 1"]


def test_connections_that_break_at_any_moment_lose_and_double_nothing(
    service: GameService, postgres: PostgresAdmin
) -> None:
    rng, broken_count, move_number = random.Random(4), 0, 0

    def break_connections_after(seconds: float) -> int:
        time.sleep(seconds)
        return postgres.break_connections()

    with ThreadPoolExecutor(1) as pool:
        while broken_count < 100:
            move_number += 1
            pending_broken_count = pool.submit(break_connections_after, rng.uniform(0, 0.004))
            position = service.play("nim", "take 1", by="ann", command_id=f"c{move_number}")
            assert not isinstance(position, Refused)
            assert position.commit.number == move_number
            broken_count += pending_broken_count.result()
    assert len(log_texts(service)) == move_number + 1
    assert service.verify("nim").fault is None


def test_a_database_that_stays_away_is_reported_and_a_retry_plays_once(
    service: GameService, postgres: PostgresAdmin, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = recorder_of(service)
    monkeypatch.setattr("event_store.backends.postgres.RETRY_DELAYS", (0.0, 0.0))
    conninfo = recorder.pool.conninfo
    postgres.break_connections()
    recorder.pool.conninfo = "host=127.0.0.1 port=9"
    with pytest.raises(StoreError, match="Connection refused"):
        service.play("nim", "take 1", by="ann", command_id="c1")
    recorder.pool.conninfo = conninfo
    for _ in range(2):
        assert not isinstance(service.play("nim", "take 1", by="ann", command_id="c1"), Refused)
    assert log_texts(service) == ["0 set up 2000", "1 take 1"]
