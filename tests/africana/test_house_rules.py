"""House rules: each option plays the other reading of one rule, and changes nothing else."""

import pytest

from tests.africana.kit import explorers_at, given, hand, joins, owns, pile, silver, with_fields
from tests.house_rules import begin_match, check_house_rule_flips
from zimcore.game import Event, OptionError
from zimcore.games.africana import GAME
from zimcore.games.africana.commands import EndExpedition
from zimcore.games.africana.events import (
    BANK,
    CardsDiscarded,
    CardsDrawn,
    EndTriggered,
    ExpeditionEnded,
    ExpeditionJoined,
    ExpeditionLaid,
    ExplorerMoved,
    HouseRulesChosen,
    PileShuffled,
    SilverPaid,
    TableCleared,
)
from zimcore.games.africana.house import HOUSE_RULES
from zimcore.games.africana.planner import ways_this_turn


def house_rules(**rules: str) -> list[Event]:
    """This table plays by these house rules."""
    return [HouseRulesChosen(rules)]


@pytest.mark.parametrize("option", HOUSE_RULES)
def test_each_house_rule_is_an_option_of_the_set_up(option: str) -> None:
    rule = HOUSE_RULES[option]
    assert begin_match(GAME, **{option: rule.usual}).events == begin_match(GAME).events
    [set_up_event, next_event, *_] = begin_match(GAME, **{option: rule.other}).events
    if option == "score":
        assert getattr(set_up_event, option) == "hidden"
    else:
        assert next_event == HouseRulesChosen({option: rule.other})
    with pytest.raises(OptionError, match=f"{option} is {rule.usual} or {rule.other}"):
        begin_match(GAME, **{option: "maybe"})


@pytest.mark.parametrize("option", HOUSE_RULES)
def test_a_set_up_is_flipped_and_flipped_back(option: str) -> None:
    check_house_rule_flips(GAME, HOUSE_RULES[option], option, {}, {"bonus": "first", "refill": "none"})


AT_THE_TARGET = [*explorers_at(italy="mozambique"), *joins("italy", "A01")]


@pytest.mark.rule(refuses="AMB-01", accepts="AMB-01")
def test_amb_01_by_house_rule_nothing_is_ended_before_a_first_step() -> None:
    position = given(house_rules(ending="after-a-step"), AT_THE_TARGET, owns("italy", "N01"))
    position.when("end A01").refused("AMB-01", because="before the first step")
    position.when("end N01").refused("AMB-01", "A-ADV-01")
    assert ways_this_turn(position.state, "italy")["mozambique"].commands == ()
    assert ways_this_turn(given(AT_THE_TARGET).state, "italy")["mozambique"].commands == (EndExpedition("A01"),)
    position_after_step = with_fields(position, hands={**position.state.hands, "italy": ("joker",)}, table=("gray",))
    position_after_step.when("end A01").then_among(ExpeditionEnded("italy", "A01", 1))


@pytest.mark.rule(refuses="AMB-02", accepts="AMB-02")
def test_amb_02_by_house_rule_ending_is_compulsory() -> None:
    given(AT_THE_TARGET).when("end").then_among()
    position = given(house_rules(must_end="compulsory"), AT_THE_TARGET)
    position.when("end").refused("AMB-02", because="A01 can be ended here, so it must be")
    place = next(iter(position.state.map.neighbours["mozambique"]))
    position.when(f"move {place} joker").refused("AMB-02")
    position.when("end A01", f"move {place} joker").then_among(ExplorerMoved("italy", "mozambique", place, "joker"))
    position.when("draw").then_among()


@pytest.mark.rule(refuses="AMB-03", accepts="AMB-03")
def test_amb_03_by_house_rule_an_expedition_of_this_turn_is_not_ended_in_it() -> None:
    facts = [*explorers_at(italy="aswan"), *hand(italy="gray")]
    position = given(house_rules(joined="earlier-turn"), facts).after("join A01")
    position_at_target = with_fields(position, places={**position.state.places, "italy": "mozambique"})
    position_at_target.when("end A01").refused("AMB-03", because="was joined this turn")
    usual_position = given(facts).after("join A01")
    with_fields(usual_position, places={**usual_position.state.places, "italy": "mozambique"}).when(
        "end A01"
    ).then_among(ExpeditionEnded("italy", "A01", 1))
    position_of_later_turn = given(house_rules(joined="earlier-turn"), joins("italy", "A01")).after(
        ["end", "france: end"]
    )
    later_position_at_target = with_fields(
        position_of_later_turn, places={**position_of_later_turn.state.places, "italy": "mozambique"}
    )
    later_position_at_target.when("end A01").then_among(ExpeditionEnded("italy", "A01", 1))


@pytest.mark.rule(accepts="AMB-05")
def test_amb_05_by_house_rule_another_page_is_free_after_each_purchase() -> None:
    lines = "turn north left", "buy north left", "turn north left"
    assert given(silver(italy=9)).when(*lines).state.silver["italy"] == 3
    answer = given(house_rules(free_page="purchase"), silver(italy=9)).when(*lines)
    assert answer.state.silver["italy"] == 4
    # It is free however many pages were paid for before.
    answer_after_paid_page = given(house_rules(free_page="purchase"), silver(italy=9)).when("turn north left", *lines)
    assert answer_after_paid_page.state.silver["italy"] == 3
    # So is the usual first one, which was not turned yet.
    answer_of_two_free_pages = given(house_rules(free_page="purchase"), silver(italy=6)).when(
        "buy north left", *["turn north left"] * 3
    )
    answer_of_two_free_pages.then_among(SilverPaid("italy", BANK, 1, "page"))
    assert answer_of_two_free_pages.state.silver["italy"] == 0


@pytest.mark.rule(accepts="A-BOOK-04", refuses="A-BOOK-05")
def test_a_book_04_by_house_rule_lifting_a_bought_card_turns_a_page() -> None:
    lines = "turn north left", "buy north left"
    answer_of_second_page = given(house_rules(bought_page="counts"), silver(italy=6)).when(*lines)
    answer_of_second_page.then_among(SilverPaid("italy", BANK, 1, "page"))
    assert (answer_of_second_page.state.silver["italy"], answer_of_second_page.state.turn.pages) == (0, 2)
    answer_of_first_page = given(house_rules(bought_page="counts"), silver(italy=6)).when("buy north left")
    assert answer_of_first_page.state.silver["italy"] == 1
    poor_position = given(house_rules(bought_page="counts"), silver(italy=5))
    poor_position.when(*lines).refused("A-BOOK-05", because="costs 5 silver, its page 1 (a house rule")


@pytest.mark.rule(accepts="AMB-07")
def test_amb_07_by_house_rule_the_discards_are_shuffled_when_the_last_card_is_drawn() -> None:
    facts = [*hand(france="gray"), pile("gray", "violet"), CardsDiscarded("france", ("gray",))]
    usual_answer = given(facts).when("draw")
    usual_answer.then_no(PileShuffled)
    answer = given(house_rules(reshuffle="at-once"), facts).when("draw")
    assert any(isinstance(event, PileShuffled) for event in answer.events)
    assert len(answer.state.pile) == len(usual_answer.state.discards)
    assert answer.state.discards == ()


@pytest.mark.rule(accepts="A-RECOL-02", refuses="A-RECOL-02")
def test_a_recol_02_by_house_rule_any_card_can_be_recoloured() -> None:
    facts = [*explorers_at(italy="jidda"), *hand(italy="gray"), *silver(italy=5)]
    [text] = GAME.rules.legal(given(facts).state, "italy").texts("move aswan gray")
    given(facts).when(f"{text} recoloured").refused("A-RECOL-02", because="as it is")
    answer = given(house_rules(recolouring="any"), facts).when(f"{text} recoloured")
    assert answer.state.silver["italy"] == 0
    position_with_violet = given(house_rules(recolouring="any"), hand(italy="violet"), silver(italy=5))
    assert position_with_violet.when("move tripoli violet recoloured").state.silver["italy"] == 0
    # Only travel and assistant cards have a colour.
    position_with_joker = given(house_rules(recolouring="any"), facts, *hand(italy="joker"))
    position_with_joker.when(text.replace("gray", "joker") + " recoloured").refused(
        "A-RECOL-02", because="a joker pays"
    )


@pytest.mark.rule(accepts="A-RECOL-01")
def test_a_recol_01_by_house_rule_a_recoloured_assistant_leaves_the_game() -> None:
    facts = [*hand(italy="gray_assistant magenta_assistant"), *silver(italy=10)]
    moves = "move tripoli gray_assistant recoloured", "end"
    answer = given(facts).when(*moves)
    assert set(answer.state.hands["italy"]) >= {"gray_assistant", "magenta_assistant"}
    answer = given(house_rules(recoloured_assistants="leave"), facts).when(*moves)
    answer.then_among(TableCleared("italy", (), ("gray_assistant",)), CardsDiscarded("italy", ("gray_assistant",)))
    assert "gray_assistant" not in answer.state.hands["italy"]
    assert answer.state.removed[-1] == "gray_assistant"
    assert answer.state.recoloured_assistants == ()


@pytest.mark.rule(accepts="AMB-10 A-EOT-09")
def test_amb_10_by_house_rule_nothing_is_laid_out_where_the_stack_is_too_short() -> None:
    facts = [ExpeditionEnded("france", "A01", 1), ExpeditionEnded("france", "A02", 2)]
    usual_position = given(facts)
    with_fields(usual_position, stack=("C30",)).when("end").then_among(ExpeditionLaid("C30", 1), EndTriggered())
    answer_of_short_stack = with_fields(given(house_rules(refill="none"), facts), stack=("C30",)).when("end")
    answer_of_short_stack.then_no(ExpeditionLaid)
    answer_of_short_stack.then_among(EndTriggered())
    answer_of_long_stack = with_fields(given(house_rules(refill="none"), facts), stack=("C29", "C30")).when("end")
    answer_of_long_stack.then_among(ExpeditionLaid("C30", 1), ExpeditionLaid("C29", 2))


@pytest.mark.rule(accepts="AMB-15", refuses="A-EOT-01")
def test_amb_15_by_house_rule_more_than_the_excess_may_go() -> None:
    hand_facts = hand(italy="gray gray violet orange")
    given(hand_facts, pile("gray", "gray")).when("draw", "discard gray gray gray").refused("A-EOT-01")
    position = given(house_rules(discards="more"), hand_facts, pile("gray", "gray"))
    position.when("draw", "discard gray gray gray").then_among(CardsDiscarded("italy", ("gray",) * 3))
    position.when("draw", "discard gray").refused("A-EOT-01", because="at least 2 cards have to go")


@pytest.mark.rule(accepts="AMB-17")
def test_amb_17_by_house_rule_only_the_first_gets_the_bonus() -> None:
    first_position = given(house_rules(bonus="first"), explorers_at(italy="aswan"))
    first_position.when("join A01").then_among(SilverPaid(BANK, "italy", 1, "joining bonus"))
    second_answer = first_position.after(joins("france", "A01")).when("join A01")
    second_answer.then_among(ExpeditionJoined("italy", "A01", 1)).then_no(SilverPaid, CardsDrawn)


@pytest.mark.rule(accepts="A-COMP-09")
def test_a_comp_09_the_rules_name_the_board_a_reconstruction() -> None:
    rule = next(rule for rule in GAME.texts.rules() if rule.code == "A-COMP-09")
    assert rule.source == "addition"
    assert "reconstruction" in rule.text
    assert "components=FILE" in rule.text
