"""How much time is left follows from the recorded times of the commits, and from nothing else."""

from __future__ import annotations

from datetime import datetime, timedelta

from event_store import EventStore
from tests.server.game_server import BEGIN, KINDS
from zimcore.service import GameService
from zimcore.service.clocks import TurnStart, clocks
from zimcore.service.memberships import GameHosted, TermsSet

HOUR = timedelta(hours=1)
PACED = TermsSet(pace=3600, bank=7200)


def at(hours: float) -> datetime:
    return BEGIN + hours * HOUR


def hours_left(turns: list[tuple[float, str]], paced: float = 0, terms: TermsSet = PACED) -> dict[str, float]:
    """Until which hour each has time; seats by their first letters."""
    left = clocks([TurnStart(at(hours), tuple(seats)) for hours, seats in turns], terms, at(paced))
    return {seat: (until.due - BEGIN) / HOUR for seat, until in left.items()}


def test_a_turn_has_its_pace_and_the_bank() -> None:
    assert hours_left([(0, "a")]) == {"a": 3}


def test_a_quick_turn_leaves_the_bank_as_it_is() -> None:
    assert hours_left([(0, "a"), (0.5, "b"), (1, "a")]) == {"a": 4}


def test_what_is_beyond_the_pace_comes_out_of_the_bank_once() -> None:
    assert hours_left([(0, "a"), (2.5, "b"), (3, "a")]) == {"a": 4.5}
    assert hours_left([(0, "a"), (9, "b"), (10, "a")]) == {"a": 11}  # it is never below nothing


def test_several_commands_are_one_turn() -> None:
    assert hours_left([(0, "a"), (0.5, "a"), (0.75, "a")]) == {"a": 3}


def test_of_several_who_may_act_each_has_a_clock() -> None:
    assert hours_left([(0, "ab"), (2, "b")]) == {"b": 3}
    assert hours_left([(0, "ab"), (2, "b"), (2.5, "ab")]) == {"a": 4.5, "b": 3}


def test_nothing_counts_before_there_was_a_pace() -> None:
    assert hours_left([(0, "a"), (5, "b"), (6, "a")], paced=5.5) == {"a": 9}
    assert hours_left([(0, "a")], paced=5) == {"a": 8}


def test_no_seat_is_to_move_after_the_end() -> None:
    assert hours_left([(0, "a"), (1, "")]) == {}
    assert hours_left([]) == {}


def test_clocks_that_go_backwards_give_no_time() -> None:
    assert hours_left([(1, "a"), (0.5, "b"), (2, "a")]) == {"a": 5}


def times(service: GameService) -> dict[str, datetime]:
    return {seat: clock.due for seat, clock in service.due("k").items()}


def test_a_pace_in_a_game_and_a_pause() -> None:
    now = BEGIN
    service = GameService(EventStore.open("memory:"), lambda: now, games=KINDS)
    service.new("nim", {"seed": "7"}, name="k", by="hanna", served=[GameHosted("hanna")])
    assert service.due("k") == {}
    service.enrol("k", lambda _: [PACED], by="hanna")
    assert times(service) == {"ann": at(3)}
    now = at(2)
    service.play("k", "take 1", by="ann")
    assert times(service) == {"ben": at(5)}
    now = at(4)
    service.play("k", "take 1", by="ben")
    assert times(service) == {"ann": at(6)}  # one hour of her bank is used
    service.enrol("k", lambda _: [TermsSet()], by="hanna")
    assert service.due("k") == {}
    now = at(100)
    service.enrol("k", lambda _: [PACED], by="hanna")
    assert times(service) == {"ann": at(103)}  # what was paused counts for nothing, and the bank is full again
