"""Statistics add up to the position that the game ended in."""

from hypothesis import given, settings

from tests.zimbabwe.facts import adored_god, cattle, craftsman, hired_specialist, monument, turn_of
from tests.zimbabwe.kit import given as position_after
from tests.zimbabwe.random_play import Recipe, beginning_events, play, recipes
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe.components import CONSTANTS
from zimcore.games.zimbabwe.questions.statistics import (
    Sums,
    earnings_by_card,
    earnings_by_craftsman,
    sum_gains,
    sum_spending,
    vp_by_round,
    vp_by_source,
)


def total_of(sums: Sums, seat: str) -> int:
    return sum(amount for (key_seat, _), amount in sums.items() if key_seat == seat)


@settings(max_examples=15)
@given(recipes())
def test_the_sums_of_a_game_are_its_position(recipe: Recipe) -> None:
    moves = list(play(recipe, 150))
    events = [*beginning_events(recipe), *(event for move in moves for event in move.outcome.events)]
    state = moves[-1].outcome.state
    for seat in state.seats:
        assert total_of(vp_by_round(events), seat) == total_of(vp_by_source(events), seat) == state.vp[seat]
        starting_cattle = CONSTANTS.start_cattle + recipe.gift
        gained_cattle = sum(
            amount for (key_seat, reason), amount in sum_gains(events).items() if key_seat == seat and reason != "given"
        )
        assert starting_cattle + gained_cattle - total_of(sum_spending(events), seat) == state.cattle[seat]
    assert all(len(table.heads) == len(row) for table in GAME.questions.statistics(events) for row in table.rows)


def test_statistics_follow_the_reasons_of_payments() -> None:
    makers = [
        craftsman("zulu", "potter", "b1-c1", price=2),
        hired_specialist("kilwa", "builder"),
        adored_god("zulu", "qamata"),
    ]
    monuments = [monument("kilwa", "i1"), monument("zulu", "f1")]
    position = position_after("C............ .........C...", cattle(kilwa=9), makers, monuments, turn_of("kilwa"))
    raise_events = position.when("raise i1").events
    assert sum_spending(raise_events) == {("kilwa", "goods of others"): 2, ("kilwa", "hubs"): 1}
    assert earnings_by_craftsman(raise_events) == {("others", "b1"): 2}
    assert earnings_by_card(raise_events) == {("zulu/potter", "gained"): 2, ("zulu/qamata", "gained"): 1}
    assert vp_by_source(raise_events) == {("kilwa", "raising"): 2}

    hire_events = position.when("use builder").events
    craft_events = position.when("use builder", "craft potter k1-l1 price 1").events
    assert sum_spending([*hire_events, *craft_events]) == {("kilwa", "specialists"): 2, ("kilwa", "craftsmen"): 2}
    assert earnings_by_card([*hire_events, *craft_events]) == {("kilwa/builder", "own"): 4}
    assert vp_by_source(craft_events) == {("kilwa", "potter"): 1}


def test_statistics_of_no_events_are_empty() -> None:
    assert [table.rows for table in GAME.questions.statistics([])] == [()] * 6
