"""Any position is reached as fast as any other, however long the game. Events are counted, not time."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from tests.nim import GAME
from tests.service.nim_service import play, service_on
from zimcore.game import Event
from zimcore.service import GameService
from zimcore.service.records.snapshots import SNAPSHOT_INTERVAL

MAX_EVENTS_PER_MOVE = 3
"""The most events of a commit of Nim: played, taken, the next round."""
CountEvents = Callable[[Callable[[], object]], int]


@pytest.fixture
def count_events(monkeypatch: pytest.MonkeyPatch) -> CountEvents:
    """A function that counts the events evolved during a call."""
    evolved_count = 0
    evolve = GAME.evolution.evolve

    def count_and_evolve(state: Any, event: Event) -> None:
        nonlocal evolved_count
        evolved_count += 1
        evolve(state, event)

    monkeypatch.setattr(GAME.evolution, "evolve", count_and_evolve)

    def count_evolved(act: Callable[[], object]) -> int:
        count_before = evolved_count
        act()
        return evolved_count - count_before

    return count_evolved


def long_game(move_count: int) -> GameService:
    service = service_on("memory:")
    service.new("nim", {"stones": "9000"}, name="nim", by="ann")
    play(service, *["take 1"] * move_count)
    return service


@pytest.fixture(params=[100, 2000])
def move_count(request: pytest.FixtureRequest) -> int:
    return int(request.param)


def test_any_position_is_near_a_snapshot(count_events: CountEvents, move_count: int) -> None:
    service = long_game(move_count)
    places = [f"nim@{number}" for number in range(0, move_count, 7)]
    costs = [count_events(partial(service.position, place)) for place in places]
    assert 0 < max(costs) <= SNAPSHOT_INTERVAL * MAX_EVENTS_PER_MOVE


def test_steps_and_moves_cost_the_same_anywhere(count_events: CountEvents, move_count: int) -> None:
    service = long_game(move_count)
    actions = (
        lambda: service.undo("nim", by="ann"),
        lambda: service.redo("nim", by="ann"),
        lambda: service.goto("nim@30", by="ann"),
        lambda: service.goto("nim@end", by="ann"),
        lambda: service.play("nim", "take 1", by="ann"),
        lambda: service.try_("nim", ["take 1"]),
    )
    assert all(count_events(action) <= SNAPSHOT_INTERVAL * MAX_EVENTS_PER_MOVE for action in actions)


def test_a_fork_uses_the_snapshots_of_its_parent(count_events: CountEvents, move_count: int) -> None:
    service = long_game(move_count)
    assert (
        count_events(lambda: service.fork(f"nim@{move_count - 30}", "late", by="ann"))
        <= SNAPSHOT_INTERVAL * MAX_EVENTS_PER_MOVE
    )
    assert (
        count_events(lambda: service.fork("nim/late@3", "fork-of-a-fork", by="ann"))
        <= SNAPSHOT_INTERVAL * MAX_EVENTS_PER_MOVE
    )
    assert count_events(lambda: service.position("nim/main")) == 0


def test_an_amendment_costs_only_the_replayed_moves(count_events: CountEvents, move_count: int) -> None:
    service = long_game(move_count)
    place = f"nim@{move_count - 1}"
    assert count_events(lambda: service.amend(place, "take 2", by="ann")) <= 2 * SNAPSHOT_INTERVAL * MAX_EVENTS_PER_MOVE


def test_dropped_snapshots_are_made_again() -> None:
    service = long_game(120)
    state_before = service.position("nim@77").state
    service._repository._cached_lines.clear()
    assert service.position("nim@77").state == state_before
    assert len(service._repository.line("nim").states.cache.states) == 77 // SNAPSHOT_INTERVAL + 1


def test_each_position_has_a_copy_of_its_state() -> None:
    service = long_game(60)
    service.position("nim@50").state.stones = 0
    assert service.position("nim@50").state.stones == 8950
