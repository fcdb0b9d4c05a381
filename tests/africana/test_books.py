"""A-BOOK: turning pages and buying adventures."""

import pytest

from tests.africana.kit import BOOKS, Position, explorers_at, given, owns, silver, with_fields
from zimcore.games.africana.commands import Buy, TurnPage
from zimcore.games.africana.events import BANK, ActionChosen, AdventureBought, PageTurned, SilverPaid
from zimcore.games.africana.state import Book

*_, SECOND_CARD, TOP_CARD = BOOKS["north"]


def given_with_silver(**amounts: int) -> Position:
    return given(silver(**amounts))


@pytest.mark.rule(accepts="A-BOOK-01 AMB-06")
def test_a_book_01_the_book_is_that_of_the_half_where_the_explorer_stands() -> None:
    given(silver(italy=5)).when("buy left").then_among(AdventureBought("italy", "north", "left", TOP_CARD, SECOND_CARD))
    position_in_south = given(silver(italy=5), explorers_at(italy="luanda"))
    position_in_south.when("buy left").then_among(AdventureBought("italy", "south", "left", *BOOKS["south"][:-3:-1]))
    two_sided_position = with_fields(given_with_silver(italy=5), books={"north": Book((TOP_CARD,), (SECOND_CARD,))})
    answer = two_sided_position.when("buy right").then_among(AdventureBought("italy", "north", "right", SECOND_CARD))
    assert answer.state.books["north"] == Book((TOP_CARD,), ())
    two_sided_position.when("buy left").then_among(AdventureBought("italy", "north", "left", TOP_CARD))


@pytest.mark.rule(refuses="A-BOOK-01")
def test_a_book_01_the_book_of_the_other_half_is_refused() -> None:
    given_with_silver(italy=5).when("buy south left").refused("A-BOOK-01", because="Napoli, in the north")
    given_with_silver(italy=5).when("turn south left").refused("A-BOOK-01")
    given(silver(italy=5), explorers_at(italy="luanda")).when("buy north left").refused(
        "A-BOOK-01", because="in the south"
    )


@pytest.mark.rule(accepts="A-BOOK-02")
def test_a_book_02_an_adventure_costs_5_silver_paid_to_the_bank() -> None:
    answer = given_with_silver(italy=7).when("buy left")
    answer.then(
        ActionChosen("italy", "books"),
        SilverPaid("italy", BANK, 5, TOP_CARD),
        AdventureBought("italy", "north", "left", TOP_CARD, SECOND_CARD),
    )
    assert answer.state.unfinished["italy"] == (TOP_CARD,)
    assert answer.state.silver["italy"] == 2


@pytest.mark.rule(refuses="A-BOOK-02")
def test_a_book_02_a_book_has_two_halves() -> None:
    given_with_silver(italy=5).when(Buy("north", "middle")).refused("A-BOOK-02", because="left or right")
    given_with_silver(italy=5).when(TurnPage("west", "left")).refused("A-BOOK-02")


@pytest.mark.rule(accepts="A-BOOK-03 AMB-05")
def test_a_book_03_the_first_page_is_free_and_each_further_one_costs_1() -> None:
    position = given_with_silver(italy=2)
    answer = position.when("turn left").then(
        ActionChosen("italy", "books"), PageTurned("italy", "north", "left", TOP_CARD, SECOND_CARD)
    )
    assert answer.state.books["north"].right == (TOP_CARD,)
    position.when("turn left", "turn left").then_among(SilverPaid("italy", BANK, 1, "page"))
    answer = position.when("turn left", "turn left", "turn right").then_among(
        PageTurned("italy", "north", "right", SECOND_CARD, TOP_CARD)
    )
    assert answer.state.books["north"] == Book(BOOKS["north"][:-1], (TOP_CARD,), len(BOOKS["north"]) - 3)
    assert answer.state.silver["italy"] == 0


@pytest.mark.rule(refuses="A-BOOK-03")
def test_a_book_03_without_silver_only_one_page_is_turned() -> None:
    given().when("turn left", "turn left").refused("A-BOOK-03", because="costs 1 silver and italy has 0")


@pytest.mark.rule(accepts="A-BOOK-04")
def test_a_book_04_buying_shows_the_card_below_and_turns_no_page() -> None:
    answer = given_with_silver(italy=5).when("buy left", "turn left")
    assert answer.state.silver["italy"] == 0
    assert given_with_silver(italy=5).when("buy left").state.books["north"].unseen == len(BOOKS["north"]) - 2


@pytest.mark.rule(accepts="A-BOOK-05")
def test_a_book_05_pages_and_purchases_follow_in_any_order() -> None:
    position = given_with_silver(italy=11)
    assert position.when("turn left", "buy left", "turn left", "buy right").state.silver["italy"] == 0
    assert position.when("buy left", "buy left", "turn left", "turn left").state.silver["italy"] == 0


@pytest.mark.rule(refuses="A-BOOK-05")
def test_a_book_05_each_payment_is_made_at_once() -> None:
    given_with_silver(italy=4).when("buy left").refused("A-BOOK-05", because="costs 5 silver and italy has 4")
    given_with_silver(italy=5).when("turn left", "turn left", "buy left").refused("A-BOOK-05")


@pytest.mark.rule(accepts="A-BOOK-06")
def test_a_book_06_a_turned_page_names_the_card_below() -> None:
    (page_turned,) = (event for event in given().when("turn left").events if isinstance(event, PageTurned))
    assert page_turned.shows == SECOND_CARD


@pytest.mark.rule(accepts="A-BOOK-07", refuses="A-BOOK-07")
def test_a_book_07_an_empty_half_offers_nothing() -> None:
    given_with_silver(italy=5).when("buy right").refused(
        "A-BOOK-07", because="the right half of the north book is empty"
    )
    given().when("turn right").refused("A-BOOK-07")
    position_without_book = with_fields(given_with_silver(italy=5), books={"north": Book(())})
    assert not list(
        position_without_book.game.rules.legal(
            position_without_book.state, position_without_book.state.actor or ""
        ).texts("buy")
    )
    assert not list(
        position_without_book.game.rules.legal(
            position_without_book.state, position_without_book.state.actor or ""
        ).texts("turn")
    )
    one_card_position = with_fields(given_with_silver(italy=5), books={"north": Book((TOP_CARD,))})
    one_card_position.when("buy left").then_among(AdventureBought("italy", "north", "left", TOP_CARD))


@pytest.mark.rule(refuses="A-BOOK-01 A-BOOK-05 A-BOOK-07")
def test_a_refusal_names_everything_that_is_broken() -> None:
    given().when("buy south right").refused("A-BOOK-01", "A-BOOK-05", "A-BOOK-07")


@pytest.mark.rule(accepts="A-BOOK-08")
def test_a_book_08_the_book_stays_as_it_was_left() -> None:
    position = given(explorers_at(france="lagos")).after("turn left").after("end")
    assert position.state.books["north"].right == (TOP_CARD,)
    position.when("france: turn right").then_among(PageTurned("france", "north", "right", TOP_CARD))


@pytest.mark.rule(accepts="A-BOOK-09")
def test_a_book_09_more_than_3_adventures_are_allowed_during_the_turn() -> None:
    answer = given(silver(italy=20)).when("buy left", "buy left", "buy left", "buy left")
    assert len(answer.state.unfinished["italy"]) == 4


@pytest.mark.rule(accepts="A-BOOK-10")
def test_a_book_10_no_purchase_is_compulsory() -> None:
    assert given().when("turn left", "end").state.turn.seat == "france"
    assert given(owns("italy", "N01")).when("end").state.turn.seat == "france"
