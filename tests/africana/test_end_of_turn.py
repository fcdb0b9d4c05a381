"""A-EOT: the limits at the end of a turn, and the refill of the expeditions."""

import pytest

from tests.africana.kit import BOX, Position, given, hand, joins, owns, pile, silver, turn_of, with_fields
from zimcore.games.africana.commands import Discard
from zimcore.games.africana.events import AdventuresDiscarded, CardsDiscarded, ExpeditionLaid, TurnBegun, TurnEnded
from zimcore.games.africana.secrets import conceal

FULL_HAND_POSITION = given(hand(italy="gray gray gray violet"), pile("orange", "magenta"))
"""Five cards in the hand, with the joker; drawing makes seven."""


@pytest.mark.rule(accepts="A-EOT-01 AMB-15")
def test_a_eot_01_the_excess_over_5_goes_by_choice() -> None:
    answer = FULL_HAND_POSITION.when("draw", "discard gray violet")
    answer.then(CardsDiscarded("italy", ("gray", "violet")), TurnEnded("italy"), TurnBegun("france"))
    assert answer.state.hands["italy"] == ("gray", "gray", "joker", "magenta", "orange")
    texts = list(FULL_HAND_POSITION.game.rules.legal(FULL_HAND_POSITION.when("draw").state, "italy").texts())
    assert len(texts) == len(set(texts)) == 11
    assert all(text.startswith("discard ") for text in texts)


@pytest.mark.rule(refuses="A-EOT-01")
def test_a_eot_01_exactly_the_excess_of_the_own_hand_is_discarded() -> None:
    FULL_HAND_POSITION.when("draw", "discard gray").refused(
        "A-EOT-01", because="2 cards have to go, of 7 where 5 may stay, not 1"
    )
    FULL_HAND_POSITION.when("draw", "discard gray gray gray").refused("A-EOT-01")
    FULL_HAND_POSITION.when("draw", "discard turquoise gray").refused("A-EOT-01", because="italy has no turquoise")
    FULL_HAND_POSITION.when("draw", "discard orange_assistant joker joker joker").refused(
        "A-EOT-01", because="italy has no orange_assistant and only 1 joker, not 3"
    )


@pytest.mark.rule(accepts="A-EOT-02 A-EOT-03")
def test_a_eot_03_travel_cards_are_discarded_and_jokers_leave_the_game() -> None:
    state = FULL_HAND_POSITION.when("draw", "discard joker orange").state
    assert state.discards == ("orange",)
    assert state.removed[-1] == "joker"


@pytest.mark.rule(accepts="A-EOT-03 AMB-11")
def test_a_eot_03_discarded_assistants_leave_the_game_and_their_penalty_stays() -> None:
    position = given(owns("italy", "S11"), hand(italy="gray gray gray gray gray"))
    state = position.when("end S11", "end", "discard magenta_assistant gray").state
    assert state.removed[-1] == "magenta_assistant"
    assert state.finished["italy"] == ("S11",)


@pytest.mark.rule(accepts="A-EOT-04")
def test_a_eot_04_the_excess_over_3_unfinished_adventures_leaves_the_game() -> None:
    position = given(silver(italy=20)).after("buy left").after("buy left").after("buy left").after("buy left")
    answer = position.when("end")
    assert answer.state.turn.over
    adventures = answer.state.unfinished["italy"]
    answer = position.when("end", f"discard {adventures[1]}")
    answer.then_among(AdventuresDiscarded("italy", (adventures[1],)), TurnEnded("italy"))
    assert answer.state.removed[-1] == adventures[1]
    assert answer.state.unfinished["italy"] == (adventures[0], adventures[2], adventures[3])


@pytest.mark.rule(refuses="A-EOT-04")
def test_a_eot_04_exactly_the_excess_of_the_own_adventures_is_discarded() -> None:
    position = given(silver(italy=5), owns("italy", "N01", "N02", "N03")).after("buy left").after("end")
    position.when(Discard()).refused("A-EOT-04", because="1 adventure has to go")
    position.when("discard N01 N02").refused("A-EOT-04")
    position.when("discard N09").refused("A-EOT-04", because="italy has no unfinished adventure N09")
    position.when("discard N01 N01").refused("A-EOT-04", because="only 1 unfinished adventure N01, not 2")
    position.when("discard joker").refused("A-EOT-01", "A-EOT-04")


@pytest.mark.rule(accepts="A-EOT-05")
def test_a_eot_05_limits_are_those_of_the_active_player_and_finished_cards_never_count() -> None:
    position = given(hand(france="gray gray gray gray gray gray"), owns("france", "N01", "N02", "N03", "N04"))
    assert position.when("draw").state.turn.seat == "france"
    finished_position = with_fields(
        given(), finished={"italy": tuple(card.id for card in BOX.adventures), "france": ()}
    )
    assert finished_position.when("end").state.turn.seat == "france"


@pytest.mark.rule(accepts="A-EOT-06", refuses="A-EOT-06")
def test_a_eot_06_no_player_discards_below_the_limit() -> None:
    given(hand(italy="gray")).when("discard gray").refused("A-EOT-06", because="action is not over")
    assert not list(Position.game.rules.legal(given().state, "italy").texts("discard"))
    given().when("draw").then_no(CardsDiscarded)


@pytest.mark.rule(accepts="A-EOT-07 A-EOT-08")
def test_a_eot_07_empty_spaces_are_filled_from_the_left_and_nothing_slides() -> None:
    position = with_fields(given(), spaces=("", "A02", "", "A04", "A05"))
    answer = position.when("end")
    answer.then_among(ExpeditionLaid("A10", 1), ExpeditionLaid("A09", 3), TurnEnded("italy"))
    assert answer.state.spaces == ("A10", "A02", "A09", "A04", "A05")
    assert given(joins("italy", "A02")).when("end").state.markers == {"A02": ("italy",)}


@pytest.mark.rule(accepts="A-EOT-01 A-EOT-04")
def test_a_eot_01_exactly_at_the_limits_nothing_has_to_go() -> None:
    three_adventures = owns("italy", "S01", "S02", "S03")
    FULL_HAND_POSITION.after(three_adventures).when("end").then_among(TurnEnded("italy"), TurnBegun("france"))
    position_with_five = given(three_adventures, owns("italy", "S04", "S05"))
    position_with_five.when("end", "discard S01").refused(
        "A-EOT-04", because="2 adventures have to go, of 5 where 3 may stay, not 1"
    )
    position_with_five.when("end", "discard S01 S05").then(
        AdventuresDiscarded("italy", ("S01", "S05")), TurnEnded("italy"), TurnBegun("france")
    )


@pytest.mark.rule(refuses="A-EOT-01")
def test_a_eot_01_hidden_cards_cannot_be_chosen() -> None:
    visible_state = conceal(FULL_HAND_POSITION.when("draw").state, "france")
    assert list(FULL_HAND_POSITION.game.rules.legal(visible_state, "italy").texts()) == []
    FULL_HAND_POSITION.when("draw", Discard(("?", "?"))).refused("A-EOT-01", because="name the cards to discard")
    answer = Position(visible_state).when("italy: discard gray violet")
    answer.refused("A-EOT-01", because="whether italy has gray and violet is hidden")
    assert all(refusal.hidden for refusal in answer.refusals if "is hidden" in refusal.reason)
    # A joker is never hidden: without one, no answer depends on what can't be seen.
    without_joker = with_fields(Position(visible_state), hands=visible_state.hands | {"italy": ("?",) * 7})
    without_joker.when("italy: discard gray joker").refused(
        "A-EOT-01", because="italy can't have all of gray and joker"
    )
    # One may hold as many cards that are not seen as were named, and no more.
    hidden_count = visible_state.hands["italy"].count("?")
    exact_answer = Position(visible_state).when("italy: discard " + " ".join(["gray"] * hidden_count))
    exact_answer.refused("A-EOT-01", because="is hidden")
    excessive_answer = Position(visible_state).when("italy: discard " + " ".join(["gray"] * (hidden_count + 1)))
    excessive_answer.refused("A-EOT-01", because="italy can't have all of gray, gray")


@pytest.mark.rule(refuses="A-TURN-01")
def test_a_turn_01_only_the_player_whose_action_is_over_has_to_discard() -> None:
    position = given(turn_of("france"), hand(france="gray gray gray violet"), pile("orange", "magenta"))
    position.when("france: draw", "italy: draw").refused("A-TURN-01")
