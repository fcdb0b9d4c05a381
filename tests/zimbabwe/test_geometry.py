"""R-GEO: squares, lakes and empty land. R-RNG: how far things reach."""

import pytest

from tests.zimbabwe.facts import adored_god, cattle, craftsman, hired_specialist, monument, turn_of
from tests.zimbabwe.kit import given, map_rows
from zimcore.game import Accepted
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe.board import Board
from zimcore.games.zimbabwe.commands import SetUp, Use
from zimcore.games.zimbabwe.events import CraftsmanPlaced, GoodMade, VRChanged, WaterPlaced
from zimcore.games.zimbabwe.rules.craftsmen import footprints


def distance(map_: str, start: str, target: str) -> int | None:
    """Steps from one square to another, at most 9."""
    board = Board.from_rows(map_rows(map_))
    return next((steps for steps in range(10) if board.reach(board.square[start], steps) & board.square[target]), None)


@pytest.mark.rule(accepts="R-GEO-01")
def test_r_geo_01_neighbours_touch_by_edge_or_corner() -> None:
    board = Board.from_rows(map_rows("..... ..... ....."))
    assert board.names(board.with_neighbours(board.square["c2"])) == (
        "b1",
        "c1",
        "d1",
        "b2",
        "c2",
        "d2",
        "b3",
        "c3",
        "d3",
    )
    assert board.names(board.with_neighbours(board.square["e1"])) == ("d1", "e1", "d2", "e2")


@pytest.mark.rule(accepts="R-GEO-01")
def test_r_geo_01_nothing_passes_through_a_void() -> None:
    assert distance("._.", "a1", "c1") is None
    assert distance("._. ...", "a1", "c1") == 2


@pytest.mark.rule(refuses="R-GEO-01")
@pytest.mark.parametrize(
    "line",
    [
        "build d9",
        "build b1",
        "hire rain_ceremony a2-a3",
        "hire shaman wood z1",
        "craft potter a1-b1 price 1",
        Use("herd", 2, squares=("b1",)),
    ],
)
def test_r_geo_01_voids_and_squares_off_the_board_do_not_exist(line: str | Use) -> None:
    position = given("._.S ...S", cattle(kilwa=5), hired_specialist("kilwa", "herd"), turn_of("kilwa"))
    position.when(line).refused("R-GEO-01", because="no square")


@pytest.mark.rule(refuses="R-GEO-01")
def test_r_geo_01_first_monuments_stand_on_the_board_too() -> None:
    given("S..S").when("start a2").refused("R-GEO-01", because="no square a2")


@pytest.mark.rule(accepts="R-GEO-02")
def test_r_geo_02_water_that_touches_by_a_corner_is_two_lakes() -> None:
    board = Board.from_rows(map_rows("~~... ..~~. ....~"))
    assert [board.names(lake) for lake in board.lakes] == [("a1", "b1"), ("c2", "d2"), ("e3",)]


@pytest.mark.rule(accepts="R-GEO-02")
def test_r_geo_02_placed_water_joins_lakes_at_once() -> None:
    position = given("~....~ .....~ S....S", cattle(kilwa=3), turn_of("kilwa"))
    answer = position.when("hire rain_ceremony b1-c1").then_among(WaterPlaced("kilwa", ("b1", "c1")))
    board = answer.state.board
    assert [board.names(lake) for lake in board.lakes] == [("a1", "b1", "c1"), ("f1", "f2")]


@pytest.mark.rule(accepts="R-GEO-03")
def test_r_geo_03_empty_land_has_nothing_on_it_and_start_areas_never_are() -> None:
    state = given(
        "S.~CW S..ID .....", monument("kilwa", "a1"), monument("zulu", "b2"), craftsman("zulu", "potter", "a3-b3")
    ).state
    assert state.board.names(state.empty_land) == ("b1", "c2", "c3", "d3", "e3")


@pytest.mark.rule(accepts="R-GEO-04")
def test_r_geo_04_footprints_and_ranges_cross_the_seams_between_tiles() -> None:
    setup_outcome = GAME.rules.decide(GAME.evolution.initial(), "", SetUp(1, (("map", "0,1,2,3"), ("players", "2"))))
    assert isinstance(setup_outcome, Accepted)
    state = GAME.evolution.copy(setup_outcome.state)
    for fact in turn_of("kilwa"):
        GAME.evolution.evolve(state, fact)
    assert state.board.square["g3"] & state.board.reach(state.board.square["f3"], 1)
    assert ("f3", "g3") in footprints(state, "wood_carver")


@pytest.mark.rule(accepts="R-RNG-01")
@pytest.mark.parametrize(
    ("map_", "target", "steps"),
    [(".....", "e1", 4), (".~...", "b1", 1), (".~~~.", "d1", 1), (".~~~.", "e1", 2), ("...../...../.....", "c3", 2)],
)
def test_r_rng_01_a_lake_costs_one_step_to_enter_whatever_its_size(map_: str, target: str, steps: int) -> None:
    assert distance(map_, "a1", target) == steps


@pytest.mark.rule(accepts="R-RNG-02")
def test_r_rng_02_steps_pass_over_everything_but_water_and_voids_alike() -> None:
    assert distance(".SCWID.", "a1", "g1") == 6
    facts = [cattle(kilwa=2), craftsman("zulu", "wood_carver", "c1-d1"), turn_of("kilwa")]
    given("....C", facts).when("craft potter a1-b1 price 1").then_among(
        CraftsmanPlaced("kilwa", "potter", ("a1", "b1"))
    )


@pytest.mark.rule(accepts="R-RNG-03")
def test_r_rng_03_starting_next_to_a_lake_gives_no_discount() -> None:
    assert distance("..~~~..", "a1", "g1") == 4
    assert distance("..~~~..", "b1", "f1") == 2


@pytest.mark.rule(accepts="R-RNG-04")
def test_r_rng_04_a_step_between_lakes_that_touch_by_a_corner_costs_1() -> None:
    assert distance("~~.. ..~~", "a1", "d2") == 1
    assert distance(".~~.. ...~~ .....", "a1", "e2") == 2


@pytest.mark.rule(accepts="R-RNG-05")
@pytest.mark.parametrize(
    ("squares", "steps", "size"),
    [("j10", 3, 49), ("j10 j11", 3, 56), ("j10 k10 j11 k11", 3, 64), ("j10", 6, 169)],
)
def test_r_rng_05_a_tile_reaches_from_its_nearest_square(squares: str, steps: int, size: int) -> None:
    board = Board.from_rows(["." * 20] * 20)
    assert board.reach(board.mask(squares.split()), steps).bit_count() == size


@pytest.mark.rule(accepts="R-RNG-05")
def test_r_rng_05_a_tile_is_reached_at_its_nearest_square() -> None:
    board = Board.from_rows(["." * 8] * 2)
    maker_zone = board.mask(["d1", "e1", "d2", "e2"])
    assert board.hubs(board.square["a1"], maker_zone, 3, 0) == 0
    assert board.hubs(board.square["h2"], maker_zone, 3, 0) == 0
    assert board.hubs(board.square["a1"], board.mask(["e1", "f1", "e2", "f2"]), 3, 0) is None


FAR_CLAY = "S.......S ........C ........."


@pytest.mark.rule(accepts="R-RNG-06")
def test_r_rng_06_the_range_is_6_from_the_moment_eshu_is_taken() -> None:
    position = given(FAR_CLAY, cattle(kilwa=2), turn_of("kilwa"))
    position.when("craft potter c3-d3 price 1").refused("R-CRA-06", because="within 3 steps")
    position.when("adore eshu", "craft potter c3-d3 price 1").then_among(
        CraftsmanPlaced("kilwa", "potter", ("c3", "d3"))
    )


@pytest.mark.rule(accepts="R-RNG-06")
@pytest.mark.parametrize(("columns_between", "is_reached"), [(6, True), (7, False)])
def test_r_rng_06_eshus_range_is_6_to_resources_and_craftsmen_of_a_raise(
    columns_between: int, is_reached: bool
) -> None:
    """A clay, a potter `columns_between` steps from it, and a monument as far from the potter."""
    potter_column, clay_square = chr(ord("b") + columns_between - 1), "a1"
    monument_column = chr(ord(potter_column) + 6)
    facts = [
        cattle(kilwa=9),
        craftsman("zulu", "potter", f"{potter_column}1-{potter_column}2"),
        monument("kilwa", f"{monument_column}1"),
    ]
    position = given("C" + "." * 14 + " " + "." * 15, facts, turn_of("kilwa"))
    line = f"raise {monument_column}1 potter@{potter_column}1/{clay_square}"
    position.when(line).refused("R-RAI-05")
    answer = position.when("adore eshu", line)
    if is_reached:
        answer.then_among(GoodMade("kilwa", "potter", f"{potter_column}1", clay_square)).then_no(VRChanged)
    else:
        answer.refused("R-RAI-05", because=f"the potter at {potter_column}1 has no clay on a1 within 6 steps")


@pytest.mark.rule(accepts="R-RNG-06", refuses="R-CRA-06")
def test_r_rng_06_eshus_range_is_6_for_claims_of_other_craftsmen() -> None:
    position = given(FAR_CLAY, cattle(kilwa=2), craftsman("zulu", "potter", "c3-d3"), turn_of("kilwa"))
    position.when("craft potter g3-h3 price 1").then_among(CraftsmanPlaced("kilwa", "potter", ("g3", "h3")))
    position.when("adore eshu", "craft potter g3-h3 price 1").refused("R-CRA-06", because="of the potter at c3")


@pytest.mark.rule(accepts="R-RNG-06")
def test_r_rng_06_the_range_stays_3_in_the_turns_of_others() -> None:
    position = given(FAR_CLAY, cattle(kilwa=2), adored_god("zulu", "eshu"), turn_of("kilwa"))
    position.when("craft potter c3-d3 price 1").refused("R-CRA-06")


@pytest.mark.rule(accepts="R-RNG-07")
def test_r_rng_07_monuments_do_not_block_the_way_to_a_resource() -> None:
    position = given("...S. ..CS.", cattle(kilwa=2), monument("zulu", "b1"), monument("zulu", "b2"), turn_of("kilwa"))
    position.when("craft potter a1-a2 price 1").then_among(CraftsmanPlaced("kilwa", "potter", ("a1", "a2")))


@pytest.mark.rule(accepts="R-RNG-08")
def test_r_rng_08_distance_is_symmetric() -> None:
    map_ = "..~~..~. .W.~~._~ ~...._.."
    squares = Board.from_rows(map_rows(map_)).square
    assert all(
        distance(map_, start, target) == distance(map_, target, start) for start in squares for target in squares
    )
