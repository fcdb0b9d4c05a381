"""How much time is left follows from the recorded times of the commits, and from nothing else."""

from __future__ import annotations

from datetime import datetime, timedelta

from event_store import EventStore
from tests.server.game_server import FIRST_TIME, GAMES_BY_KIND
from zimcore.service import GameService
from zimcore.service.lines.clocks import TurnStart, clocks_of_turns
from zimcore.service.records.memberships import GameHosted, TermsSet

ONE_HOUR = timedelta(hours=1)
PACE_AND_BANK = TermsSet(pace=3600, bank=7200)


def time_after(hours: float) -> datetime:
    return FIRST_TIME + hours * ONE_HOUR


def deadline_hours(
    turns: list[tuple[float, str]], paced_from: float = 0, terms: TermsSet = PACE_AND_BANK
) -> dict[str, float]:
    """The hour at which the time of each seat ends; seats by their first letters."""
    clocks_by_seat = clocks_of_turns(
        [TurnStart(time_after(hours), tuple(seats)) for hours, seats in turns], terms, time_after(paced_from)
    )
    return {seat: (clock.due - FIRST_TIME) / ONE_HOUR for seat, clock in clocks_by_seat.items()}


def test_a_turn_has_its_pace_and_the_bank() -> None:
    assert deadline_hours([(0, "a")]) == {"a": 3}


def test_a_quick_turn_leaves_the_bank_as_it_is() -> None:
    assert deadline_hours([(0, "a"), (0.5, "b"), (1, "a")]) == {"a": 4}


def test_time_beyond_the_pace_is_taken_from_the_bank_once() -> None:
    assert deadline_hours([(0, "a"), (2.5, "b"), (3, "a")]) == {"a": 4.5}
    assert deadline_hours([(0, "a"), (9, "b"), (10, "a")]) == {"a": 11}  # the bank is never negative


def test_several_commands_are_one_turn() -> None:
    assert deadline_hours([(0, "a"), (0.5, "a"), (0.75, "a")]) == {"a": 3}


def test_each_of_several_seats_to_move_has_a_clock() -> None:
    assert deadline_hours([(0, "ab"), (2, "b")]) == {"b": 3}
    assert deadline_hours([(0, "ab"), (2, "b"), (2.5, "ab")]) == {"a": 4.5, "b": 3}


def test_time_before_there_was_a_pace_does_not_count() -> None:
    assert deadline_hours([(0, "a"), (5, "b"), (6, "a")], paced_from=5.5) == {"a": 9}
    assert deadline_hours([(0, "a")], paced_from=5) == {"a": 8}


def test_no_seat_is_to_move_after_the_end() -> None:
    assert deadline_hours([(0, "a"), (1, "")]) == {}
    assert deadline_hours([]) == {}


def test_clocks_that_go_backwards_give_no_time() -> None:
    assert deadline_hours([(1, "a"), (0.5, "b"), (2, "a")]) == {"a": 5}


def deadlines(service: GameService) -> dict[str, datetime]:
    return {seat: clock.due for seat, clock in service.due("k").items()}


def test_a_pace_in_a_game_and_a_pause() -> None:
    now = FIRST_TIME
    service = GameService(EventStore.open("memory:"), lambda: now, games=GAMES_BY_KIND)
    service.new("nim", {"seed": "7"}, name="k", by="hanna", served=[GameHosted("hanna")])
    assert service.due("k") == {}
    service.change_members("k", lambda _: [PACE_AND_BANK], by="hanna")
    assert deadlines(service) == {"ann": time_after(3)}
    now = time_after(2)
    service.play("k", "take 1", by="ann")
    assert deadlines(service) == {"ben": time_after(5)}
    now = time_after(4)
    service.play("k", "take 1", by="ben")
    assert deadlines(service) == {"ann": time_after(6)}  # one hour of her bank is used
    service.change_members("k", lambda _: [TermsSet()], by="hanna")
    assert service.due("k") == {}
    now = time_after(100)
    service.change_members("k", lambda _: [PACE_AND_BANK], by="hanna")
    assert deadlines(service) == {"ann": time_after(103)}  # a pause does not count, and the bank is full again
