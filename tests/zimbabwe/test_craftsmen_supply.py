"""R-CRA-06 to R-CRA-09: what a new craftsman needs within range, resources and other craftsmen."""

import pytest

from tests.zimbabwe.facts import cattle, craftsman, monument, technology, turn_of, used_markers
from tests.zimbabwe.kit import given
from zimcore.games.zimbabwe.events import (
    CraftsmanPlaced,
    VPScored,
)
from zimcore.games.zimbabwe.rules.craftsmen import footprints

RICH_TURN = [*cattle(kilwa=20), *turn_of("kilwa")]
CLAY_AT_BOTH_ENDS = "C......... .......... .........C"
"""A clay at each end, too far apart for one potter."""


@pytest.mark.rule(accepts="R-CRA-06")
def test_r_cra_06_a_resource_that_no_other_potter_has_in_range_is_enough() -> None:
    two_clays = "C....C.... .......... .........."
    potter = craftsman("zulu", "potter", "a3-b3")
    given(two_clays, potter, RICH_TURN).when("craft potter c1-d1 price 1").then_among(
        CraftsmanPlaced("kilwa", "potter", ("c1", "d1"))
    )


@pytest.mark.rule(refuses="R-CRA-06")
def test_r_cra_06_only_the_potter_that_has_it_is_named() -> None:
    two_clays = "C............C .............. .............."
    position = given(two_clays, craftsman("zulu", "potter", "a3-b3"), craftsman("zulu", "potter", "m3-n3"), RICH_TURN)
    expected_reason = "all clay within 3 steps of b1-c1 is within range of the potter at a3"
    refusal = position.when("craft potter b1-c1 price 1").refused("R-CRA-06", because=expected_reason)
    assert "m3" not in str(refusal.refusals)


@pytest.mark.rule(refuses="R-CRA-06")
def test_r_cra_06_a_resource_in_range_of_another_potter_is_not_enough() -> None:
    for owner in ("kilwa", "zulu"):
        position = given(
            CLAY_AT_BOTH_ENDS,
            craftsman(owner, "potter", "a3-b3"),
            technology("kilwa", "potter", card_number=2),
            RICH_TURN,
        )
        position.when("craft potter b1-c1").refused("R-CRA-06", because="is within range of the potter at a3")


@pytest.mark.rule(refuses="R-CRA-06")
def test_r_cra_06_a_resource_out_of_range_or_of_another_kind_is_not_enough() -> None:
    given(CLAY_AT_BOTH_ENDS, RICH_TURN).when("craft potter e1-f1 price 1").refused(
        "R-CRA-06", because="no clay within 3 steps of e1-f1"
    )
    given("W..", RICH_TURN).when("craft potter b1-c1 price 1").refused("R-CRA-06")


@pytest.mark.rule(accepts="R-CRA-06")
def test_r_cra_06_used_markers_and_other_types_play_no_part() -> None:
    facts = [
        craftsman("zulu", "potter", "i1-i2"),
        craftsman("zulu", "vessel_maker", "b2"),
        RICH_TURN,
        used_markers("a1"),
    ]
    given(CLAY_AT_BOTH_ENDS, *facts).when("craft potter b1-c1 price 1").then_among(VPScored("kilwa", 1, "potter"))


@pytest.mark.rule(accepts="R-CRA-06", refuses="R-CRA-06")
def test_r_cra_06_eshu_counts_on_both_sides() -> None:
    """With a range of 6, Zulu's potter claims the clay on a1 too."""
    position = given("C......... .........C", craftsman("zulu", "potter", "f1-f2"), RICH_TURN)
    position.when("craft potter b1-c1 price 1").then_among(VPScored("kilwa", 1, "potter"))
    position.when("adore eshu", "craft potter b1-c1 price 1").refused("R-CRA-06", because="within 6 steps")


VESSELS = "C.........C C.........C"


@pytest.mark.rule(accepts="R-CRA-07")
@pytest.mark.parametrize("owner", ["kilwa", "zulu"])
def test_r_cra_07_a_secondary_craftsman_reaches_a_primary_of_anyone(owner: str) -> None:
    position = given(VESSELS, craftsman(owner, "potter", "b1-b2"), RICH_TURN)
    position.when("craft vessel_maker e1 price 1").refused("R-CRA-06")
    position.when("craft vessel_maker c1 price 1").then_among(VPScored("kilwa", 2, "vessel_maker"))


@pytest.mark.rule(refuses="R-CRA-07")
def test_r_cra_07_a_secondary_craftsman_without_a_primary_is_refused() -> None:
    line = "craft vessel_maker h1 price 1"
    given(VESSELS, RICH_TURN).when(line).refused("R-CRA-07", because="no potter is on the board")
    position = given(VESSELS, craftsman("zulu", "potter", "b1-b2"), RICH_TURN)
    position.when(line).refused("R-CRA-07", because="no potter can be reached from h1-i1-h2-i2")
    position.after(monument("zulu", "e1")).when(line).then_among(VPScored("kilwa", 2, "vessel_maker"))


@pytest.mark.rule(refuses="R-CRA-08")
def test_r_cra_08_a_primary_of_this_turn_does_not_serve_yet() -> None:
    potter_line, vessel_maker_line = "craft potter b1-b2 price 1", "craft vessel_maker c1 price 1"
    position = given(VESSELS, RICH_TURN)
    position.when(potter_line, vessel_maker_line).refused("R-CRA-08", because="first potter was placed in this turn")
    position.when(potter_line, "craft vessel_maker i1 price 1").refused("R-CRA-08", "R-CRA-07")
    # Craftsmen of other types that stood before do not help.
    other_craftsmen = (craftsman("zulu", "diamond_cutter", "h1"), craftsman("zulu", "wood_carver", "g1-g2"))
    other_position = given(VESSELS, *other_craftsmen, RICH_TURN)
    other_position.when(potter_line, vessel_maker_line).refused(
        "R-CRA-08", because="first potter was placed in this turn"
    )


@pytest.mark.rule(accepts="R-CRA-08")
def test_r_cra_08_a_primary_serves_the_next_player_or_if_another_stood_before() -> None:
    position = given(VESSELS, cattle(zulu=9), RICH_TURN)
    position.when("craft potter b1-b2 price 1", "end", "craft vessel_maker c1 price 1").then_among(
        VPScored("zulu", 2, "vessel_maker")
    )
    position_with_older_potter = given(VESSELS, craftsman("zulu", "potter", "j1-j2"), RICH_TURN)
    position_with_older_potter.when("craft potter b1-b2 price 1", "craft vessel_maker c1 price 1").then_among(
        VPScored("kilwa", 2, "vessel_maker")
    )


@pytest.mark.rule(accepts="R-CRA-09")
def test_r_cra_09_secondaries_may_share_a_primary_and_its_resource() -> None:
    facts = [craftsman("zulu", "wood_carver", "d1-d2"), technology("kilwa", "sculptor")]
    position = given("W......W. ......... .........", facts, RICH_TURN)
    position.when("craft sculptor b1", "craft sculptor f1").then_among(VPScored("kilwa", 2, "sculptor"))
    position_with_one_wood = given("W.... ..... .....", craftsman("zulu", "wood_carver", "b1-c1"), RICH_TURN)
    position_with_one_wood.when("craft sculptor b2 price 3").then_among(VPScored("kilwa", 2, "sculptor"))


def test_a_square_off_the_board_is_named_as_it_was_typed() -> None:
    """A tile of two squares lies across or down from the one that is named, but never beyond the letter z."""
    position = given("C....C.... .......... ..........", RICH_TURN)
    position.when("craft potter z9 price 1").refused("R-GEO-01", because="there is no square z9, z10 on this board")


@pytest.mark.rule(refuses="R-CRA-07")
def test_r_cra_07_the_first_square_is_no_nearer_than_others() -> None:
    """Squares are bits of one integer, of which a1 is the lowest."""
    facts = [craftsman("zulu", "wood_carver", "k1-k2"), technology("kilwa", "sculptor")]
    position = given("..W......W.. ............ ............", facts, RICH_TURN)
    position.when("craft sculptor a1-b1-a2-b2").refused("R-CRA-07")
    squares = {square for place in footprints(position.state, "sculptor") for square in place}
    assert "j3" in squares
    assert "a1" not in squares
