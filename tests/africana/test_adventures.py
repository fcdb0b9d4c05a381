"""A-ADV: ending adventures."""

import pytest

from tests.africana.kit import explorers_at, given, owns
from zimcore.games.africana.events import BANK, ActionChosen, AdventureEnded, AssistantTaken, SilverPaid


@pytest.mark.rule(accepts="A-ADV-01 A-ADV-02 AMB-01")
def test_a_adv_01_the_owner_ends_an_adventure_at_its_target_and_is_paid() -> None:
    answer = given(owns("italy", "S04"), explorers_at(italy="napoli")).when("end S04")
    answer.then(ActionChosen("italy", "move"), AdventureEnded("italy", "S04"), SilverPaid(BANK, "italy", 4, "S04"))
    assert (answer.state.unfinished["italy"], answer.state.finished["italy"]) == ((), ("S04",))


@pytest.mark.rule(accepts="A-ADV-01")
def test_a_adv_01_several_adventures_with_the_same_target_end_together() -> None:
    answer = given(owns("italy", "S04", "S11")).when("end S04", "end S11")
    assert answer.state.finished["italy"] == ("S04", "S11")


@pytest.mark.rule(refuses="A-ADV-01")
def test_a_adv_01_only_the_owner_at_the_target_ends_an_adventure() -> None:
    given(owns("france", "S04")).when("end S04").refused("A-ADV-01", because="italy has no unfinished adventure S04")
    given(owns("italy", "S03")).when("end S03").refused("A-ADV-01", because="S03 ends at Khartoum")
    given(owns("italy", "S04")).when("end S04", "end S04").refused("A-ADV-01")


@pytest.mark.rule(accepts="A-ADV-03")
def test_a_adv_03_an_assistant_comes_into_the_hand_and_its_adventure_under_the_company_card() -> None:
    answer = given(owns("italy", "S11")).when("end S11")
    answer.then(ActionChosen("italy", "move"), AdventureEnded("italy", "S11"), AssistantTaken("italy", "magenta"))
    assert answer.state.hands["italy"] == ("joker", "magenta_assistant")
    assert answer.state.supply["magenta"] == 1
    assert answer.state.silver["italy"] == 0
