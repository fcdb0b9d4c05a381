"""What is worth a look: what can be ended here, ways that lead somewhere, and what is for sale."""

from tests.africana.kit import BOX, Position, at, given, hand, joined, owns, silver
from zimcore.game import Advice
from zimcore.games.africana import GAME

A01 = next(card for card in BOX.expeditions if card.id == "A01")


def advised(position: Position, beginning: str = "") -> list[Advice]:
    state = position.state
    found = list(GAME.questions.advice(state, state.actor or "", beginning))
    for each in found:
        assert not position.when(each.text).refusals
    return found


def test_what_can_be_ended_here_comes_first() -> None:
    first, *_ = advised(given(at(italy=A01.target), joined("italy", "A01")))
    assert first == Advice("end A01", (f"ends A01: {A01.vp} VP, {A01.silver} silver",))


def test_a_way_is_told_by_its_first_step_and_what_it_ends() -> None:
    place = next(iter(given().state.map.neighbours[A01.target]))
    found = advised(given(at(italy=place), joined("italy", "A01")), f"move {A01.target}")
    assert any(f"ends A01: {A01.vp} VP, {A01.silver} silver" in each.brings for each in found)


def test_what_lies_on_top_of_a_book_is_named() -> None:
    found = advised(given(silver(italy=20)), "buy")
    assert found
    assert all(" VP, " in each.brings[0] for each in found)


def test_drawing_says_how_many_cards_one_has_and_duplicates_are_discarded_first() -> None:
    assert advised(given(), "draw") == [Advice("draw", ("1 cards in hand, the limit is 5",))]
    over = given(hand(italy="gray gray gray gray")).after("draw")
    best, *_ = advised(over)
    assert best.text.startswith("discard gray gray") or "gray" in best.text


def test_nothing_is_said_of_ways_where_the_hand_is_hidden() -> None:
    assert GAME.secrets
    position = given(at(italy=A01.start), hand(italy="gray red"), owns("italy", BOX.adventures[0].id))
    known = GAME.secrets.conceal(position.state, "france")
    assert not any(each.text.startswith("move") for each in GAME.questions.advice(known, "italy"))
    assert GAME.questions.advice(position.state, "france") == ()
