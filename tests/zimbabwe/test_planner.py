"""The cheapest way to raise monuments, against trying everything on small boards."""

from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement, product
from typing import TypeAlias

from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st

from tests.decider_kit import Facts
from tests.zimbabwe.facts import adores, cattle, craftsman, monument, turn_of, used
from tests.zimbabwe.game_test_kit import Position, given
from zimcore.zimbabwe import GAME
from zimcore.zimbabwe.commands import Good, Raise, Ritual, Square, Supply
from zimcore.zimbabwe.components import CRAFTSMEN
from zimcore.zimbabwe.events import STOCK, CattlePaid, MonumentRaised
from zimcore.zimbabwe.planner import cheapest, plans
from zimcore.zimbabwe.rules.rituals import cost
from zimcore.zimbabwe.state import Craftsman, State


def supplies(state: State, maker: Craftsman) -> list[Supply]:
    """A craftsman with each resource of its kind on the board."""
    resources = state.board.names(state.resources[CRAFTSMEN[maker.type].resource])
    return [Supply(maker.type, maker.at, resource) for resource in resources]


def goods(state: State) -> Iterator[Good]:
    """Everything that could be written down as a good."""
    for maker in state.craftsmen:
        needs = CRAFTSMEN[maker.type].needs
        primaries = [None] if needs is None else [each for p in state.of_type(needs) for each in supplies(state, p)]
        yield from (Good(*pair) for pair in product(supplies(state, maker), primaries))


def by_brute_force(state: State, monuments: tuple[Square, ...]) -> int | None:
    """The cost of the cheapest raise that the rules allow, among all that there are."""
    legal, seat = GAME.legal(state), state.turn.seat
    rituals = [
        [
            Ritual(monument, chosen)
            for chosen in combinations_with_replacement(list(goods(state)), state.monuments[monument].level)
            if Raise((Ritual(monument, chosen),)) in legal
        ]
        for monument in monuments
    ]
    whole = (Raise(chosen) for chosen in product(*rituals))
    return min((cost(state, seat, command) for command in whole if command in legal), default=None)


PLACES = {
    "potter": ["a1-b1", "h3-h2"],
    "vessel_maker": ["f1"],
    "ivory_carver": ["c1", "f3"],
    "wood_carver": ["a3-b3", "d3-d4"],
}
"""Where craftsmen may stand: the first of a type is Zulu's, the second Kilwa's."""
MONUMENTS = ["d2", "e1", "h1", "h4", "b2"]
MAPS = ["C.......WC ..I....... I....C..I. ..C..W....", "C.......~C ..I..~~... I....C..I. ..C..~...."]
RICH = 60


@st.composite
def positions(draw: st.DrawFn) -> tuple[Position, tuple[Square, ...]]:
    """A few craftsmen of two players, a few monuments, and one or two of Kilwa's that are to be raised."""
    facts: list[Facts] = [cattle(kilwa=RICH)]
    for type_ in draw(st.sets(st.sampled_from(sorted(PLACES)), min_size=1, max_size=3)):
        for card, squares in enumerate(PLACES[type_], 1):
            if card == 1 or draw(st.booleans()):
                price = draw(st.integers(1, 3))
                facts.append(craftsman(["zulu", "kilwa"][card - 1], type_, squares, price=price, card=card))
    owners = ["kilwa", *draw(st.lists(st.sampled_from(["kilwa", "zulu"]), min_size=1, max_size=3))]
    standing = list(zip(owners, draw(st.permutations(MONUMENTS)), strict=False))
    facts += [monument(owner, square, draw(st.sampled_from([1, 1, 2]))) for owner, square in standing]
    god = draw(st.sampled_from(["", "tsui_goab", "atete", "anansi", "eshu", "qamata"]))
    marked = draw(st.sampled_from([[], ["a1"], ["c2", "f3"]]))
    facts += [adores("kilwa", god) if god else [], turn_of("kilwa"), used(*marked)]
    own = tuple(square for owner, square in standing if owner == "kilwa")
    return given(draw(st.sampled_from(MAPS)), facts), own[:2]


Drawn: TypeAlias = tuple[Position, tuple[Square, ...]]


@settings(max_examples=100)
@for_all(positions())
def test_the_cheapest_plan_costs_what_trying_everything_finds(drawn: Drawn) -> None:
    position, monuments = drawn
    plan = cheapest(position.state, "kilwa", monuments)
    assert (plan.cost if plan else None) == by_brute_force(position.state, monuments)
    if plan:
        assert plan.proven
        before, after = position.state, position.when(plan.command).state
        assert before.cattle["kilwa"] - after.cattle["kilwa"] == plan.cost
        assert after.vp["kilwa"] - before.vp["kilwa"] == plan.vp
        assert sum(after.used.values()) - sum(before.used.values()) == plan.markers


@for_all(positions(), st.integers(0, 8))
def test_there_is_a_plan_for_each_set_that_can_be_paid(drawn: Drawn, cattle_left: int) -> None:
    position, monuments = drawn
    sets = [chosen for size in (1, 2) for chosen in combinations(monuments, size)]
    costs = {chosen: by_brute_force(position.state, chosen) for chosen in sets}
    poor = position.after(CattlePaid("kilwa", STOCK, RICH - cattle_left, "taken"))
    found = {plan.monuments: plan.cost for plan in plans(poor.state, "kilwa")}
    expected = {chosen: cost_ for chosen, cost_ in costs.items() if cost_ is not None and cost_ <= cattle_left}
    assert {chosen: found[chosen] for chosen in sets if chosen in found} == expected


def test_scarce_resources_make_a_plan_dearer() -> None:
    """Both monuments would take the potter's only clay, so that one of them has to take the dear ivory."""
    makers = [craftsman("zulu", "potter", "b1-c1", price=1), craftsman("zulu", "ivory_carver", "b3", price=3)]
    standing = [monument("kilwa", "e1"), monument("kilwa", "e3")]
    position = given("C..... ...... I..... ......", cattle(kilwa=9), makers, standing, turn_of("kilwa"))
    alone = [cheapest(position.state, "kilwa", [square]) for square in ("e1", "e3")]
    assert [plan and plan.cost for plan in alone] == [1, 1]
    both = cheapest(position.state, "kilwa", ["e1", "e3"])
    assert both
    assert both.cost == 4
    position.when("raise e1 e3").then_among(MonumentRaised("kilwa", "e3", 2))
