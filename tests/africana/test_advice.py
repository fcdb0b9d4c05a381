"""Advice: endings at this place, useful routes, and purchases."""

import pytest

from tests.africana.kit import BOX, Position, explorers_at, given, hand, has_finished, joins, owns, silver
from zimcore.game import Advice
from zimcore.games.africana import GAME
from zimcore.games.africana.commands import EndAdventure
from zimcore.games.africana.events import HouseRulesChosen
from zimcore.games.africana.questions.advice import reward_texts

A01 = next(card for card in BOX.expeditions if card.id == "A01")


def advice_for(position: Position, beginning: str = "") -> list[Advice]:
    state = position.state
    advice = list(GAME.questions.advice(state, state.actor or "", beginning))
    for entry in advice:
        assert not position.when(entry.text).refusals
    return advice


def test_an_ending_at_this_place_comes_first() -> None:
    best_advice, *_ = advice_for(given(explorers_at(italy=A01.target), joins("italy", "A01")))
    assert best_advice == Advice("end A01", (f"ends A01: {A01.vp} VP, {A01.silver} silver",))


def test_a_route_is_described_by_its_first_step_and_what_it_ends() -> None:
    place = next(iter(given().state.map.neighbours[A01.target]))
    entries = advice_for(given(explorers_at(italy=place), joins("italy", "A01")), f"move {A01.target}")
    assert any(f"ends A01: {A01.vp} VP, {A01.silver} silver" in advice.brings for advice in entries)


def test_a_purchase_names_its_points_and_its_cost() -> None:
    entries = advice_for(given(silver(italy=20)), "buy")
    assert entries
    assert all(" VP, " in advice.brings[0] for advice in entries)
    assert all(advice.brings[1] == "-5 silver now" for advice in entries)
    # Under this house rule a bought card counts as a turned page, so after a turned page it costs 1 silver more.
    position_with_house_rule = given(HouseRulesChosen({"bought_page": "counts"}), silver(italy=20))
    assert {advice.brings[1] for advice in advice_for(position_with_house_rule, "buy")} == {"-5 silver now"}
    position_after_page = position_with_house_rule.after("turn north left")
    assert {advice.brings[1] for advice in advice_for(position_after_page, "buy")} == {"-6 silver now"}


def test_drawing_names_the_size_of_the_hand_and_duplicates_go_first() -> None:
    assert advice_for(given(), "draw") == [Advice("draw", ("1 card in hand, the limit is 5",))]
    position_over_limit = given(hand(italy="gray gray gray gray")).after("draw")
    best_advice, *_ = advice_for(position_over_limit)
    assert best_advice.text.startswith("discard gray"), best_advice.text


def test_a_hidden_hand_gets_no_advice_on_routes() -> None:
    assert GAME.secrets
    position = given(explorers_at(italy=A01.start), hand(italy="gray red"), owns("italy", BOX.adventures[0].id))
    concealed_state = GAME.secrets.conceal(position.state, "france")
    assert not any(advice.text.startswith("move") for advice in GAME.questions.advice(concealed_state, "italy"))
    assert GAME.questions.advice(position.state, "france") == ()


def ending_texts(finished_cards: str, *unfinished_cards: str) -> list[str]:
    """What advice says about ending adventures where Italy stands, when it has finished some already."""
    target = next(card.target for card in BOX.adventures if card.id == unfinished_cards[0])
    position = given(
        has_finished("italy", *finished_cards.split()), owns("italy", *unfinished_cards), explorers_at(italy=target)
    )
    return [advice.brings[0] for advice in advice_for(position, "end") if advice.text != "end"]


@pytest.mark.parametrize(
    ("finished_cards", "adventure", "expected_text"),
    [
        ("", "N12", "ends N12: 0 VP, a turquoise assistant"),
        ("N11", "N12", "ends N12: 0 VP, -5 VP for assistants, a turquoise assistant"),
        ("N11 N13 N14", "N12", "ends N12: 0 VP, a turquoise assistant"),
        ("", "N03", "ends N03: 4 VP, 4 silver"),
        ("N04", "N03", "ends N03: 4 VP, +6 VP for collections, 4 silver"),
        ("N01 N05 N07", "N03", "ends N03: 4 VP, +8 VP for collections, 4 silver"),
    ],
)
def test_ending_an_adventure_counts_the_penalty_and_the_collections(
    finished_cards: str, adventure: str, expected_text: str
) -> None:
    assert ending_texts(finished_cards, adventure) == [expected_text]


def test_articles_go_with_the_colours() -> None:
    orange_adventure = next(card for card in BOX.adventures if card.assistant == "orange")
    assert ending_texts("", orange_adventure.id) == [f"ends {orange_adventure.id}: 0 VP, an orange assistant"]


def test_on_a_route_the_second_of_two_adventures_counts_after_the_first() -> None:
    drum_cards = [card for card in BOX.adventures if card.artifact == "drum"][:2]
    state = given(owns("italy", *(card.id for card in drum_cards))).state
    first_text, second_text = reward_texts(state, "italy", [EndAdventure(card.id) for card in drum_cards])
    assert "collections" not in first_text
    assert "+6 VP for collections" in second_text
