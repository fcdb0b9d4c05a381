"""What ending a turn throws away."""

from tests.africana.kit import BOX, Position, explorers_at, given, hand, joins, owns
from zimcore.games.africana import GAME

ADVENTURE = BOX.adventures[0]
EXPEDITION = next(card for card in BOX.expeditions if card.id == "A01")


def waste_of(position: Position, text: str = "end") -> str:
    seat, command = GAME.notation.parse(text, position.state)
    return GAME.questions.waste(position.state, seat or position.state.actor or "", command)


def test_waste_names_a_turn_without_an_action() -> None:
    assert waste_of(given()) == "no action was taken, and you could draw cards"
    assert waste_of(given().after("turn left")) == ""
    assert waste_of(given(), "france: end") == ""


def test_waste_names_what_could_be_ended_or_joined_here() -> None:
    position = given(explorers_at(italy=ADVENTURE.target), owns("italy", ADVENTURE.id))
    assert waste_of(position) == f"you could still end {ADVENTURE.id}"
    assert "end A01" in waste_of(given(explorers_at(italy=EXPEDITION.target), joins("italy", "A01")))
    assert "join A01" in waste_of(given(explorers_at(italy=EXPEDITION.start)))


def test_waste_is_empty_after_a_step() -> None:
    assert waste_of(given(hand(italy="gray"), spaces="A02 A03 A04 A05 A06").after("move cairo gray")) == ""
