"""Advice: squares, cards and raises with their effects, best first."""

import pytest

from tests.decider_kit import Facts
from tests.zimbabwe.facts import (
    adored_god,
    bidding,
    cattle,
    craftsman,
    hired_specialist,
    monument,
    technology,
    tile,
    turn_of,
)
from tests.zimbabwe.kit import Position, given
from zimcore.game import Advice
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe.advice.distances import Distances
from zimcore.games.zimbabwe.advice.raising import alternatives
from zimcore.games.zimbabwe.commands import PlaceCraftsman
from zimcore.games.zimbabwe.events import CattlePaid, GiftGiven, MythologiesCompared, RoundBegun
from zimcore.games.zimbabwe.previews import preview_craftsman

MAP = """
    C....W....C
    ...........
    .....~.....
    ...........
    W....C....W
"""


def advice_for(position: Position, beginning: str = "") -> list[Advice]:
    state = position.state
    advice = list(GAME.questions.advice(state, state.actor or "", beginning))
    for entry in advice:  # whatever is said is legal, and said in the words of the log
        assert not position.when(entry.text).refusals
        assert GAME.notation.format(GAME.notation.parse(entry.text, state)[1]) == entry.text
    return advice


def given_turn_of_kilwa(*facts: Facts) -> Position:
    return given(MAP, cattle(kilwa=9), monument("kilwa", "b2"), monument("zulu", "i2"), *facts, turn_of("kilwa"))


def test_a_craftsman_is_best_where_it_serves_others_and_claims_most() -> None:
    best_advice, *_, worst_advice = advice_for(given_turn_of_kilwa(), "craft potter")
    assert best_advice.brings == (
        "+1 VP, -2 cattle, +3 VR",
        "serves 1 monument (Zulu 1)",
        "claims 2 clay",
        "no other potter there",
    )
    assert best_advice.text.endswith("price 3")
    assert worst_advice.brings[1:3] == ("serves 1 monument (yours 1)", "claims 1 clay")


def test_a_rival_is_named_and_its_price_is_met() -> None:
    potter_advice = advice_for(given_turn_of_kilwa(craftsman("zulu", "potter", "j1-j2", price=2)), "craft potter")
    rival_texts = [advice.text for advice in potter_advice if "competes with Zulu at j1" in advice.brings]
    assert {text.rpartition(" ")[2] for text in rival_texts} == {"2"}
    assert len(potter_advice) > len(rival_texts) > 0


def test_distances_are_those_of_the_preview() -> None:
    state = given_turn_of_kilwa(monument("zulu", "f2"), craftsman("zulu", "wood_carver", "k4-k3")).state
    distances = Distances(state)
    for squares in (("a2", "a3"), ("d4", "e4"), ("j4", "j5"), ("h1", "h2")):
        zone = state.board.mask(squares)
        assert (
            distances.hubs_to_monuments(zone)
            == preview_craftsman(state, "kilwa", PlaceCraftsman("potter", squares)).hubs_by_monument
        )


def test_a_building_is_best_where_most_goods_are_within_reach() -> None:
    position = given_turn_of_kilwa(craftsman("zulu", "potter", "j1-j2"), craftsman("kilwa", "wood_carver", "j4-k4"))
    best_advice, *_ = advice_for(position, "build")
    assert best_advice.brings == ("+1 VP", "goods within reach: potter, wood_carver")


def test_gods_are_described_with_their_vr() -> None:
    effects_by_command = {advice.text: advice.brings for advice in advice_for(given_turn_of_kilwa(), "adore")}
    assert effects_by_command["adore engai"] == ("+5 VR", "2 cattle more in each revenue phase")
    assert "adore eshu" in effects_by_command
    assert advice_for(given_turn_of_kilwa(adored_god("kilwa", "eshu")), "adore") == []


def test_advice_on_the_herd_and_the_shaman_names_their_effects() -> None:
    position = given_turn_of_kilwa(craftsman("kilwa", "potter", "a2-a3"), hired_specialist("kilwa", "shaman"))
    herd_advice = advice_for(position, "hire herd")
    assert [advice.text for advice in herd_advice] == ["hire herd 2", "hire herd 4", "hire herd 6"]
    assert herd_advice[0].brings[1].startswith("-2 cattle onto the card")
    best_advice, *_ = advice_for(position, "use shaman")
    assert best_advice.text.startswith("use shaman clay")
    assert best_advice.brings == ("-2 cattle onto the card", "another clay for your potter at a2")


def test_advice_on_a_raise_names_the_paid_seats_and_those_left_without() -> None:
    position = given_turn_of_kilwa(craftsman("zulu", "potter", "a2-a3", price=2))
    (raise_advice,) = advice_for(position, "raise")
    assert raise_advice.text == "raise b2 potter@a2/a1"
    assert raise_advice.brings == (
        "+2 VP, -2 cattle",
        "pays Zulu 2",
        "takes the last clay in reach of Zulu's potter at a2",
    )


LEFT_WITHOUT_CLAY = "takes the last clay in reach of Zulu's potter at a2"


@pytest.mark.parametrize(("god", "is_left_without_clay"), [("atete", False), ("eshu", False), ("anansi", True)])
def test_a_later_player_is_left_without_by_its_own_range_and_limit(god: str, is_left_without_clay: bool) -> None:
    """Atete's adorer could use the clay once more, and Eshu's the potter with a clay that is 6 steps away."""
    position = given(
        """
        C.....C.....
        ............
        ............
        """,
        cattle(kilwa=9),
        craftsman("zulu", "potter", "a2-a3", price=2),
        monument("kilwa", "c2"),
        adored_god("zulu", god),
        turn_of("kilwa"),
    )
    (raise_advice,) = advice_for(position, "raise")
    assert (LEFT_WITHOUT_CLAY in raise_advice.brings) == is_left_without_clay


@pytest.mark.parametrize("god", ["eshu", "atete"])
def test_a_later_player_is_left_without_whatever_the_god_of_the_raiser(god: str) -> None:
    """Zulu has range 3 and may use a clay once, whatever Kilwa's god allows."""
    position = given(
        """
        C.....C.....
        ............
        ............
        """,
        cattle(kilwa=9),
        craftsman("zulu", "potter", "a2-a3", price=2),
        monument("kilwa", "c2"),
        adored_god("kilwa", god),
        turn_of("kilwa"),
    )
    assert (
        LEFT_WITHOUT_CLAY
        in next(advice for advice in advice_for(position, "raise") if advice.text.endswith("/a1")).brings
    )


def test_advice_in_the_last_turn_mentions_no_later_player() -> None:
    position = given_turn_of_kilwa(craftsman("zulu", "potter", "a2-a3", price=2)).after(turn_of("kilwa", "zulu kilwa"))
    (raise_advice,) = advice_for(position, "raise")
    assert raise_advice.brings == ("+2 VP, -2 cattle", "pays Zulu 2")


def test_ways_to_raise_differ_in_who_is_paid_or_left_without() -> None:
    potters = [craftsman("zulu", "potter", "a2-a3", price=2), tile("zulu", "potter", "e3-e4")]
    wood_carver = craftsman("kilwa", "wood_carver", "c3-c4", price=2)
    position = given_turn_of_kilwa(potters, wood_carver)
    plans = alternatives(position.state, "kilwa", ["b2"])
    assert [plan.cost for plan in plans] == sorted(plan.cost for plan in plans)
    assert {tuple(plan.payments) for plan in plans} == {("zulu",), ("kilwa",)}
    assert len({(tuple(plan.payments.items()), plan.drained_craftsmen) for plan in plans}) == len(plans) > 1
    advice = advice_for(position, "raise b2")
    assert [entry.text for entry in advice] == [GAME.notation.format(plan.command) for plan in plans]
    *_, table = GAME.questions.ask(position.state, "plan", ["b2"])
    assert (table.title, len(table.rows)) == ("Other ways", len(plans) - 1)


def test_advice_on_bids_names_the_turn_that_they_give() -> None:
    lowest_bid, pass_advice, *_ = advice_for(given(MAP, cattle(kilwa=3, zulu=3), bidding("zulu", "kilwa")))
    assert (lowest_bid.text, pass_advice.text) == ("bid 1", "pass")
    assert lowest_bid.brings[0] == "turn 1 of 2 if all others pass"


@pytest.mark.parametrize("beginning", ["", "c", "craft p", "raise b2", "hire", "nonsense"])
def test_a_seat_that_is_not_to_move_gets_no_advice(beginning: str) -> None:
    assert GAME.questions.advice(given_turn_of_kilwa().state, "zulu", beginning) == []
    assert GAME.questions.advice(GAME.evolution.initial(), "kilwa", beginning) == []


def test_without_a_beginning_each_kind_has_its_best() -> None:
    verbs = [
        advice.text.split()[0]
        for advice in advice_for(given_turn_of_kilwa(craftsman("zulu", "potter", "a2-a3", price=2)))
    ]
    assert verbs == sorted(verbs, key=["raise", "craft", "build", "use", "adore", "hire", "price"].index)
    assert {"raise", "craft", "build", "adore", "hire"} <= set(verbs)


def test_advice_on_prices_comes_to_an_end() -> None:
    for price, expected_texts in ((1, ["price potter 3"]), (3, [])):
        position = given_turn_of_kilwa(adored_god("kilwa", "dziva"), *technology("kilwa", "potter", price=price))
        assert not position.when("price potter 2").refusals, "a god lets prices fall too"
        assert [advice.text for advice in advice_for(position) if advice.text.startswith("price")] == expected_texts


def test_hindsight_counts_what_was_played() -> None:
    events = [
        RoundBegun(1, ("kilwa", "zulu")),
        GiftGiven("kilwa", 2),
        GiftGiven("zulu", 3),
        GiftGiven("kilwa", 5),
        CattlePaid("kilwa", "zulu/potter", 3, "potter"),
        CattlePaid("kilwa", "kilwa/potter", 3, "potter"),
        CattlePaid("zulu", "stock", 2, "hubs"),
        MythologiesCompared(()),
    ]
    hindsight_by_command = GAME.questions.hindsight(events, "kilwa")
    assert hindsight_by_command["adore engai"] == "would have brought 2 cattle so far"
    assert hindsight_by_command["adore elegua"] == "would have brought 2 cattle so far"
    assert hindsight_by_command["adore qamata"] == "would have brought 2 cattle so far"
    assert sum(text.startswith("would have brought") for text in hindsight_by_command.values()) == len(
        hindsight_by_command
    )
    assert "adore eshu" not in hindsight_by_command


def squares_by_kind(position: Position, text: str) -> dict[str, set[str]]:
    """The squares that the board marks for a command, by the kind of their sign."""
    state = position.state
    consequences = GAME.questions.consequences(state, state.actor or "", GAME.notation.parse(text, state)[1])
    return {kind: {each.square for each in consequences if each.kind == kind} for kind in CONSEQUENCES}


CONSEQUENCES = ("gains", "serves", "shares", "loses")


def test_the_board_shows_what_a_craftsman_claims_shares_and_serves() -> None:
    position = given_turn_of_kilwa()
    best_advice = advice_for(position, "craft potter")[0]
    signs = squares_by_kind(position, best_advice.text)
    assert f"claims {len(signs['gains'])} clay" in best_advice.brings
    assert signs["serves"] == {"i2"}
    rival_position = given_turn_of_kilwa(craftsman("zulu", "potter", "j1-j2", price=2))
    shared = squares_by_kind(rival_position, "craft potter i1-h1 price 3")
    assert shared["shares"], "the other potter has it within reach already"
    assert squares_by_kind(position, "end") == {kind: set() for kind in CONSEQUENCES}


def test_the_board_shows_which_goods_could_raise_a_new_monument() -> None:
    position = given_turn_of_kilwa(craftsman("zulu", "potter", "e1-f1", price=2))
    consequences = GAME.questions.consequences(
        position.state, "kilwa", GAME.notation.parse("build e3", position.state)[1]
    )
    assert [(each.kind, each.square, each.start) for each in consequences] == [("serves", "e3", "e1")]
