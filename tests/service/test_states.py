"""A position at any point in time takes as much as any other, however long the game: events are counted, not time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.nim import GAME
from tests.service.table import play, service_on
from zimcore.game import Event
from zimcore.service import GameService
from zimcore.service.snapshots import SNAPSHOT_INTERVAL

MOST_EVENTS = 3
"""Of a commit of Nim: played, taken, the next round."""
Count = Callable[[Callable[[], object]], int]


@pytest.fixture
def count(monkeypatch: pytest.MonkeyPatch) -> Count:
    """How many events are evolved while something is done."""
    evolved = 0
    evolve = GAME.evolution.evolve

    def counting(state: Any, event: Event) -> None:
        nonlocal evolved
        evolved += 1
        evolve(state, event)

    monkeypatch.setattr(GAME.evolution, "evolve", counting)

    def count_evolved(act: Callable[[], object]) -> int:
        before = evolved
        act()
        return evolved - before

    return count_evolved


def long_game(moves: int) -> GameService:
    service = service_on("memory:")
    service.new("nim", {"stones": "9000"}, name="nim", by="ann")
    play(service, *["take 1"] * moves)
    return service


@pytest.fixture(params=[100, 2000])
def moves(request: pytest.FixtureRequest) -> int:
    return int(request.param)


def test_a_position_is_near_to_one_that_is_kept(count: Count, moves: int) -> None:
    service = long_game(moves)
    costs = [count(lambda number=number: service.position(f"nim@{number}")) for number in range(0, moves, 7)]  # type: ignore[misc]
    assert 0 < max(costs) <= SNAPSHOT_INTERVAL * MOST_EVENTS


def test_to_step_and_to_play_on_takes_the_same_anywhere(count: Count, moves: int) -> None:
    service = long_game(moves)
    acts = (
        lambda: service.undo("nim", by="ann"),
        lambda: service.redo("nim", by="ann"),
        lambda: service.goto("nim@30", by="ann"),
        lambda: service.goto("nim@end", by="ann"),
        lambda: service.play("nim", "take 1", by="ann"),
        lambda: service.try_("nim", ["take 1"]),
    )
    assert all(count(act) <= SNAPSHOT_INTERVAL * MOST_EVENTS for act in acts)


def test_a_fork_has_the_states_of_its_past(count: Count, moves: int) -> None:
    service = long_game(moves)
    assert count(lambda: service.fork(f"nim@{moves - 30}", "late", by="ann")) <= SNAPSHOT_INTERVAL * MOST_EVENTS
    assert count(lambda: service.fork("nim/late@3", "fork-of-a-fork", by="ann")) <= SNAPSHOT_INTERVAL * MOST_EVENTS
    assert count(lambda: service.position("nim/main")) == 0


def test_an_amendment_takes_what_it_plays_again(count: Count, moves: int) -> None:
    service = long_game(moves)
    place = f"nim@{moves - 1}"
    assert count(lambda: service.amend(place, "take 2", by="ann")) <= 2 * SNAPSHOT_INTERVAL * MOST_EVENTS


def test_what_is_kept_is_thrown_away_and_made_again_at_will() -> None:
    service = long_game(120)
    position_before = service.position("nim@77").state
    service._lines._open.clear()
    assert service.position("nim@77").state == position_before
    assert len(service._lines.line("nim").states.cache.states) == 77 // SNAPSHOT_INTERVAL + 1


def test_a_state_is_a_copy_of_one_s_own() -> None:
    service = long_game(60)
    service.position("nim@50").state.stones = 0
    assert service.position("nim@50").state.stones == 8950
