"""The cheapest way to raise monuments, against trying everything on small boards."""

from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement, pairwise, product
from typing import NamedTuple, TypeAlias

from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st

from tests.decider_kit import Facts
from tests.zimbabwe.facts import adored_god, cattle, craftsman, monument, turn_of, used_markers
from tests.zimbabwe.kit import Position, given
from zimcore.game import Accepted
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe.commands import Good, Raise, Ritual, Square, Supply
from zimcore.games.zimbabwe.components import CONSTANTS, CRAFTSMEN
from zimcore.games.zimbabwe.events import STOCK, CattlePaid, MonumentRaised
from zimcore.games.zimbabwe.planner import best_raises, cheapest_plan, plans
from zimcore.games.zimbabwe.rules.rituals import raise_cost
from zimcore.games.zimbabwe.state import Craftsman, State


class Price(NamedTuple):
    """The price of a raise: cattle paid now (`cost`), those that don't come to own cards (`net`), and used markers."""

    cost: int
    net: int
    markers: int


def possible_supplies(state: State, maker: Craftsman) -> list[Supply]:
    """A craftsman with each resource of its kind on the board."""
    resources = state.board.names(state.resources[CRAFTSMEN[maker.type].resource])
    return [Supply(maker.type, maker.at, resource) for resource in resources]


def possible_goods(state: State) -> Iterator[Good]:
    """Everything that could be written down as a good."""
    for maker in state.craftsmen:
        primary_type = CRAFTSMEN[maker.type].needs
        primary_supplies = (
            [None]
            if primary_type is None
            else [
                supply
                for primary in state.craftsmen_of_type(primary_type)
                for supply in possible_supplies(state, primary)
            ]
        )
        yield from (Good(*supply_pair) for supply_pair in product(possible_supplies(state, maker), primary_supplies))


def price_by_brute_force(state: State, monuments: tuple[Square, ...]) -> Price | None:
    """The price of the cheapest legal raise of these monuments, found by trying all; None if there is none."""
    legal_commands, seat = GAME.rules.legal(state, state.actor or ""), state.turn.seat
    rituals = [
        [
            Ritual(monument, ritual_goods)
            for ritual_goods in combinations_with_replacement(
                list(possible_goods(state)), state.monuments[monument].level
            )
            if Raise((Ritual(monument, ritual_goods),)) in legal_commands
        ]
        for monument in monuments
    ]
    legal_raises = [command for command in map(Raise, product(*rituals)) if command in legal_commands]
    least_cost = min((raise_cost(state, seat, command) for command in legal_raises), default=None)
    return min(
        (price_of_raise(state, command) for command in legal_raises if raise_cost(state, seat, command) == least_cost),
        default=None,
    )


def price_of_raise(state: State, command: Raise) -> Price:
    """What a raise costs: the difference between the positions before and after it."""
    seat, outcome = state.turn.seat, GAME.rules.decide(state, state.turn.seat, command)
    assert isinstance(outcome, Accepted)
    state_after = outcome.state
    cattle_totals = [
        sum(position_state.cattle[account] for account in (seat, *position_state.card_accounts_of(seat)))
        for position_state in (state, state_after)
    ]
    markers = sum(state_after.used_markers.values()) - sum(state.used_markers.values())
    return Price(state.cattle[seat] - state_after.cattle[seat], cattle_totals[0] - cattle_totals[1], markers)


CRAFTSMAN_PLACES = {
    "potter": ["a1-b1", "h3-h2"],
    "vessel_maker": ["f1"],
    "ivory_carver": ["c1", "f3"],
    "wood_carver": ["a3-b3", "d3-d4"],
}
"""Where craftsmen may stand: the first of a type is Zulu's, the second Kilwa's."""
MONUMENT_SQUARES = ["d2", "e1", "h1", "h4", "b2"]
MAPS = ["C.......WC ..I....... I....C..I. ..C..W....", "C.......~C ..I..~~... I....C..I. ..C..~...."]
MAX_CATTLE = 60
VP_GAINED_AT_LEVEL = [higher_vp - lower_vp for lower_vp, higher_vp in pairwise(CONSTANTS.level_vp)]
"""What the next level brings, by level."""


@st.composite
def positions_with_monuments(draw: st.DrawFn) -> tuple[Position, tuple[Square, ...]]:
    """A few craftsmen of two players, a few monuments, one or two of them Kilwa's."""
    facts: list[Facts] = [cattle(kilwa=MAX_CATTLE)]
    for type_ in draw(st.sets(st.sampled_from(sorted(CRAFTSMAN_PLACES)), min_size=1, max_size=3)):
        for card_number, squares in enumerate(CRAFTSMAN_PLACES[type_], 1):
            if card_number == 1 or draw(st.booleans()):
                price = draw(st.integers(1, 3))
                facts.append(
                    craftsman(["zulu", "kilwa"][card_number - 1], type_, squares, price=price, card=card_number)
                )
    owners = [*draw(st.sampled_from([["kilwa"], ["kilwa", "kilwa"]])), *draw(st.sampled_from([[], ["zulu"]]))]
    owned_monuments = list(zip(owners, draw(st.permutations(MONUMENT_SQUARES)), strict=False))
    facts += [monument(owner, square, draw(st.sampled_from([1, 1, 2]))) for owner, square in owned_monuments]
    god = draw(st.sampled_from(["", "tsui_goab", "atete", "anansi", "eshu", "qamata"]))
    used_resources = draw(st.sampled_from([[], ["a1"], ["c2", "f3"]]))
    facts += [adored_god("kilwa", god) if god else [], turn_of("kilwa"), used_markers(*used_resources)]
    own_monuments = tuple(square for owner, square in owned_monuments if owner == "kilwa")
    return given(draw(st.sampled_from(MAPS)), facts), own_monuments


PositionAndMonuments: TypeAlias = tuple[Position, tuple[Square, ...]]


@settings(max_examples=100)
@for_all(positions_with_monuments())
def test_the_cheapest_plan_costs_what_trying_everything_finds(position_and_monuments: PositionAndMonuments) -> None:
    position, monuments = position_and_monuments
    plan = cheapest_plan(position.state, "kilwa", monuments)
    assert (Price(plan.cost, plan.net, plan.markers) if plan else None) == price_by_brute_force(
        position.state, monuments
    )
    if plan:
        assert plan.is_proven
        state_after = position.when(plan.command).state
        assert state_after.vp["kilwa"] - position.state.vp["kilwa"] == plan.vp


@for_all(positions_with_monuments(), st.integers(0, 8))
def test_there_is_a_plan_for_each_set_that_can_be_paid(
    position_and_monuments: PositionAndMonuments, cattle_left: int
) -> None:
    position, monuments = position_and_monuments
    poorer_state, expected_prices = affordable_sets(position, monuments, cattle_left)
    price_by_set = {plan.monuments: Price(plan.cost, plan.net, plan.markers) for plan in plans(poorer_state, "kilwa")}
    assert price_by_set == expected_prices


@for_all(positions_with_monuments(), st.integers(0, 12))
def test_the_best_sets_are_those_that_no_other_beats(
    position_and_monuments: PositionAndMonuments, cattle_left: int
) -> None:
    position, monuments = position_and_monuments
    poorer_state, expected_prices = affordable_sets(position, monuments, cattle_left)
    figures_of_sets = {
        (
            sum(VP_GAINED_AT_LEVEL[poorer_state.monuments[monument_square].level] for monument_square in monument_set),
            *expected_prices[monument_set],
        )
        for monument_set in expected_prices
    }
    best_sets = best_raises(poorer_state, "kilwa")
    assert best_sets.is_proven
    figures_of_plans = [(plan.vp, plan.cost, plan.markers) for plan in best_sets.plans]
    assert figures_of_plans == sorted(figures_of_plans, key=lambda figures: (-figures[0], *figures[1:]))
    beaten_figures = [
        (vp, cost, markers)
        for vp, cost, _, markers in figures_of_sets
        if any(
            other_figures[0] >= vp
            and other_figures[1] <= cost
            and other_figures[3] <= markers
            and (other_figures[0], other_figures[1], other_figures[3]) != (vp, cost, markers)
            for other_figures in figures_of_sets
        )
    ]
    assert set(figures_of_plans) == {(vp, cost, markers) for vp, cost, _, markers in figures_of_sets} - set(
        beaten_figures
    )


def affordable_sets(
    position: Position, monuments: tuple[Square, ...], cattle_left: int
) -> tuple[State, dict[tuple[Square, ...], Price]]:
    """The position with fewer cattle, and the lowest price of each set that can be paid with them."""
    poorer_state = position.after(CattlePaid("kilwa", STOCK, MAX_CATTLE - cattle_left, "taken")).state
    monument_sets = [monument_set for size in (1, 2) for monument_set in combinations(monuments, size)]
    price_by_set = {monument_set: price_by_brute_force(position.state, monument_set) for monument_set in monument_sets}
    return poorer_state, {
        monument_set: price for monument_set, price in price_by_set.items() if price and price.cost <= cattle_left
    }


def test_scarce_resources_make_a_plan_dearer() -> None:
    """Both monuments would take the potter's only clay, so that one of them has to take the dear ivory."""
    makers = [craftsman("zulu", "potter", "b1-c1", price=1), craftsman("zulu", "ivory_carver", "b3", price=3)]
    monuments = [monument("kilwa", "e1"), monument("kilwa", "e3")]
    position = given("C..... ...... I..... ......", cattle(kilwa=9), makers, monuments, turn_of("kilwa"))
    single_plans = [cheapest_plan(position.state, "kilwa", [square]) for square in ("e1", "e3")]
    assert [plan and plan.cost for plan in single_plans] == [1, 1]
    joint_plan = cheapest_plan(position.state, "kilwa", ["e1", "e3"])
    assert joint_plan
    assert joint_plan.cost == 4
    position.when("raise e1 e3").then_among(MonumentRaised("kilwa", "e3", 2))
