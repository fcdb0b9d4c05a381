"""The examples that the rulebook works out, figure by figure, and variants of them."""

import pytest

from tests.zimbabwe.facts import adored_god, cattle, craftsman, monument, turn_of
from tests.zimbabwe.kit import Position, given
from zimcore.games.zimbabwe.events import (
    STOCK,
    CattlePaid,
    CraftsmanPlaced,
    GodAdored,
    GoodMade,
    MonumentRaised,
    OrderSet,
    Passed,
    PriceSet,
    RoundBegun,
    TechnologyTaken,
    VPScored,
    VRChanged,
)
from zimcore.games.zimbabwe.rules.generosity import minimum_gift

SEATS = "kilwa zulu mutapa"
BIDS = ("kilwa: bid 2", "zulu: bid 3", "mutapa: pass", "kilwa: bid 5", "zulu: pass")


def given_bidding(god: str = "", *, cattle_of_others: int = 9) -> Position:
    """Kilwa has VR 23 and 7 cattle; Zulu and Mutapa have VR 21 and `cattle_of_others` each, Zulu's marker below."""
    vr_facts = [VRChanged("kilwa", 3, "so far"), VRChanged("zulu", 1, "so far"), VRChanged("mutapa", 1, "so far")]
    god_facts = [GodAdored("kilwa", god)] if god else []
    position = given(
        "S.S.S", cattle(kilwa=7, zulu=cattle_of_others, mutapa=cattle_of_others), vr_facts, god_facts, seats=SEATS
    )
    plaques = ("shadipinyi", *position.state.queue) if god == "shadipinyi" else position.state.queue
    return position.after(RoundBegun(2, plaques))


def plaques_after(position: Position, bid_count: int) -> list[int]:
    """The cattle on the plaques after the first bids."""
    state = position.when(*BIDS[:bid_count]).state
    return [state.cattle.get(f"plaque/{plaque}", 0) for plaque in state.plaques]


def test_the_example_of_bidding() -> None:
    position = given_bidding()
    assert position.state.plaques == ("kilwa", "zulu", "mutapa")
    assert [plaques_after(position, bid_count) for bid_count in (1, 2, 4)] == [[1, 1, 0], [2, 2, 1], [4, 3, 3]]
    answer = position.when(*BIDS).then_among(
        CattlePaid("plaque/kilwa", "kilwa", 4, "plaque"),
        CattlePaid("plaque/zulu", "zulu", 3, "plaque"),
        CattlePaid("plaque/mutapa", "mutapa", 3, "plaque"),
        OrderSet(("kilwa", "zulu", "mutapa")),
    )
    assert [answer.state.cattle[seat] for seat in SEATS.split()] == [4, 9 - 3 + 3, 9 + 3]


@pytest.mark.parametrize(("bid_count", "least_gift"), [(1, 3), (2, 4), (3, 4), (4, 6)])
def test_the_least_gift_while_bidding(bid_count: int, least_gift: int) -> None:
    assert minimum_gift(given_bidding().state) == 1
    assert minimum_gift(given_bidding().when(*BIDS[:bid_count]).state) == least_gift


def test_bidding_where_the_others_have_3_cattle_and_have_to_pass() -> None:
    answer = given_bidding(cattle_of_others=3).when("kilwa: bid 2", "zulu: bid 3", "kilwa: bid 5")
    answer.then_among(Passed("zulu", forced=True), OrderSet(("kilwa", "zulu", "mutapa")))
    assert [answer.state.cattle[seat] for seat in SEATS.split()] == [4, 3, 6]


def test_the_example_of_bidding_with_shadipinyi() -> None:
    position = given_bidding("shadipinyi")
    assert position.state.plaques == ("shadipinyi", "kilwa", "zulu", "mutapa")
    assert plaques_after(position, 4) == [3, 3, 2, 2]
    answer = position.when(*BIDS).then_among(CattlePaid("plaque/shadipinyi", "kilwa", 3, "plaque"))
    assert answer.state.cattle["kilwa"] == 3 + 3


def test_the_example_of_bidding_with_elegua() -> None:
    position = given_bidding("elegua")
    cattle_at_hand = [7, *(position.when(*BIDS[:bid_count]).state.cattle["kilwa"] for bid_count in (1, 4))]
    assert [cattle_at_hand[0] - cattle_at_hand[1], cattle_at_hand[1] - cattle_at_hand[2]] == [0, 5], (
        "the first gift is free, the second is paid in full"
    )
    assert plaques_after(position, 4) == [4, 3, 3]


def test_the_example_of_craftsmen() -> None:
    """Kilwa places a second ivory carver and a sculptor, whose technology is new."""
    facts = [craftsman("kilwa", "ivory_carver", "b1"), craftsman("zulu", "wood_carver", "g3-g4")]
    position = given("I.......I. ......W... .......... ..........", facts, cattle(kilwa=6), turn_of("kilwa"))
    ivory_answer = position.when("craft ivory_carver h2").then_among(
        CattlePaid("kilwa", STOCK, 2, "ivory_carver"), VPScored("kilwa", 1, "ivory_carver")
    )
    ivory_answer.then_no(VRChanged)
    both_answer = position.when("craft ivory_carver h2", "craft sculptor e1 price 2").then(
        TechnologyTaken("kilwa", "sculptor", 1, 3),
        VRChanged("kilwa", 3, "sculptor"),
        PriceSet("kilwa", "sculptor", 2),
        CattlePaid("kilwa", STOCK, 4, "sculptor"),
        CraftsmanPlaced("kilwa", "sculptor", ("e1", "f1", "e2", "f2")),
        VPScored("kilwa", 2, "sculptor"),
    )
    state_before, state_after = position.state, both_answer.state
    assert state_after.cattle[STOCK] - state_before.cattle[STOCK] == 6
    assert state_after.vp["kilwa"] - state_before.vp["kilwa"] == 3
    assert state_after.vr["kilwa"] - state_before.vr["kilwa"] == 3
    assert state_after.technologies["kilwa/ivory_carver"].price == 1


EXAMPLE_MAP = """
    W.............
    ............I.
    ......~~~~....
    ..............
    ..............
    .............I
    ..............
    W.............
    ..............
"""

MAKERS = [
    *craftsman("kilwa", "sculptor", "c2", price=2),
    *craftsman("zulu", "wood_carver", "c7-c8", price=1),
    *craftsman("kilwa", "ivory_carver", "k4", price=1),
]


def given_monuments_to_raise(map_: str = EXAMPLE_MAP) -> Position:
    """It is Zulu's turn, with monuments on i5 (level 2) and f5 (level 1)."""
    monuments = [monument("zulu", "i5", level=2), monument("zulu", "f5")]
    return given(map_, cattle(zulu=7), MAKERS, monuments, turn_of("zulu"))


def count_hubs(position: Position, start: str, target: str) -> int | None:
    """The hubs between two pieces, named by one of their squares."""
    state = position.state

    def zone(square: str) -> int:
        maker = state.craftsman_at(square)
        return maker.zone if maker else state.board.square[square]

    return state.board.hubs(zone(start), zone(target), state.range_in_steps, state.monument_squares)


@pytest.mark.parametrize(
    ("start", "target", "expected_hubs"),
    [("i5", "k4", 0), ("i5", "c2", 1), ("c2", "c7", 1), ("f5", "k4", 0), ("f5", "c2", 0)],
)
def test_hubs_on_the_board_of_the_example(start: str, target: str, expected_hubs: int) -> None:
    position = given_monuments_to_raise()
    assert count_hubs(position, start, target) == expected_hubs
    position_with_eshu = position.after(adored_god("zulu", "eshu"))
    assert count_hubs(position_with_eshu, start, target) == 0, "with Eshu none is needed"


def test_without_the_lake_a_hub_is_needed() -> None:
    assert count_hubs(given_monuments_to_raise(EXAMPLE_MAP.replace("~", ".")), "f5", "k4") == 1


def test_resources_in_range_on_the_board_of_the_example() -> None:
    state = given_monuments_to_raise().state
    kind_by_maker = {"k4": "ivory", "c2": "wood", "c7": "wood"}
    resources_by_maker = {
        maker.at: state.resources_near(maker.zone, kind_by_maker[maker.at]) for maker in state.craftsmen
    }
    names_by_maker = {square: state.board.names(squares) for square, squares in resources_by_maker.items()}
    assert names_by_maker == {"k4": ("m2", "n6"), "c2": ("a1",), "c7": ("a8",)}


def test_the_example_of_raising() -> None:
    line = "raise i5 ivory_carver@k4/m2 sculptor@c2/a1(wood_carver@c7/a8); f5 ivory_carver@k4/n6"
    answer = (
        given_monuments_to_raise()
        .when(line)
        .then_among(
            CattlePaid("zulu", "kilwa/ivory_carver", 1, "ivory_carver"),
            CattlePaid("zulu", STOCK, 1, "hubs"),
            CattlePaid("zulu", "kilwa/sculptor", 2, "sculptor"),
            CattlePaid("zulu", STOCK, 1, "hubs"),
            CattlePaid("zulu", "zulu/wood_carver", 1, "wood_carver"),
            MonumentRaised("zulu", "i5", 3),
            VPScored("zulu", 4, "monument i5"),
            CattlePaid("zulu", "kilwa/ivory_carver", 1, "ivory_carver"),
            GoodMade("zulu", "ivory_carver", "k4", "n6"),
            MonumentRaised("zulu", "f5", 2),
            VPScored("zulu", 2, "monument f5"),
        )
    )
    balances = answer.state.cattle
    assert balances["zulu"] == 0
    assert (balances["kilwa/ivory_carver"], balances["kilwa/sculptor"], balances["zulu/wood_carver"]) == (2, 2, 1)
    assert answer.state.used_markers == {"m2": 1, "a1": 1, "a8": 1, "n6": 1}


@pytest.mark.parametrize(("short_line", "cost"), [("raise i5", 6), ("raise f5", 1), ("raise i5 f5", 7)])
def test_the_short_raise_finds_what_the_example_pays(short_line: str, cost: int) -> None:
    assert 7 - given_monuments_to_raise().when(short_line).state.cattle["zulu"] == cost
