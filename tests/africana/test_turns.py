"""A-TURN and A-DRAW: turn order, exactly one action, and drawing travel cards."""

import pytest

from tests.africana.kit import PILE, Position, given, hand, pile, turn_of, with_fields
from zimcore.games.africana import GAME
from zimcore.games.africana.commands import Discard, Draw, EndTurn
from zimcore.games.africana.events import (
    ActionChosen,
    ActionEnded,
    CardsDrawn,
    ExpeditionLaid,
    PileShuffled,
    Played,
    RoundBegun,
    TurnBegun,
    TurnEnded,
)
from zimcore.games.africana.secrets import conceal
from zimcore.games.africana.state import Book
from zimcore.toolkit.chance import chance, shuffle


@pytest.mark.rule(accepts="A-TURN-01")
def test_a_turn_01_turns_go_round_and_each_has_one_action() -> None:
    given().when("draw").then_among(ActionChosen("italy", "draw"), TurnEnded("italy"), TurnBegun("france"))
    given().when("draw", "draw").then_among(TurnEnded("france"), RoundBegun(2), TurnBegun("italy"))
    given(players=3).when("draw", "draw").then_among(TurnBegun("germany")).then_no(RoundBegun)


@pytest.mark.rule(refuses="A-TURN-01")
def test_a_turn_01_no_other_player_acts_and_no_action_follows_another() -> None:
    given().when("france: draw").refused("A-TURN-01", because="it is italy's turn, not france's")
    state_of_france = given(turn_of("france")).when("turn left").state
    assert [refusal.reason for refusal in Position(state_of_france).when("italy: draw").refusals] == [
        "it is france's turn, not italy's"
    ]
    state_above_limits = given(hand(italy="gray gray gray gray gray")).when("draw").state
    Position(state_above_limits).when("france: draw").refused("A-TURN-01", because="it is italy's turn, not france's")
    given().when("turn left", "draw").refused("A-TURN-01", because="is buying adventures")
    given(hand(italy="gray")).when("move cairo gray", "turn left").refused("A-TURN-01", because="moving the explorer")
    given(hand(italy="gray")).when("move cairo gray", "draw").refused("A-TURN-01")
    given().when("turn left", "move cairo joker").refused("A-TURN-01")
    Position(GAME.evolution.initial()).when(Draw()).refused("A-TURN-01", because="not set up yet")


@pytest.mark.rule(accepts="A-TURN-02 AMB-18")
def test_a_turn_02_moving_without_a_step_and_a_look_into_the_book_are_turns_too() -> None:
    given().when("end").then(
        ActionChosen("italy", "move"), ActionEnded("italy"), TurnEnded("italy"), TurnBegun("france")
    )
    given().when("turn left", "end").then(ActionEnded("italy"), TurnEnded("italy"), TurnBegun("france"))
    books = given().state.books | {"north": Book(())}
    with_fields(given(), books=books).when("end").then_among(TurnBegun("france"))


@pytest.mark.rule(accepts="A-TURN-03 AMB-14")
def test_a_turn_03_limits_come_before_the_refill_and_that_before_the_next_player() -> None:
    position = given(hand(italy="gray gray gray gray"))
    position_with_empty_space = with_fields(position, spaces=("", "A02", "A03", "A04", "A05"), stack=("A06",))
    answer = position_with_empty_space.when("draw").then_no(TurnEnded, ExpeditionLaid)
    assert answer.state.turn.over
    answer = position_with_empty_space.when("draw", "discard gray gray")
    answer.then_among(ExpeditionLaid("A06", 1), TurnEnded("italy"), TurnBegun("france"))


@pytest.mark.rule(refuses="A-TURN-03")
def test_a_turn_03_no_other_command_is_legal_before_the_limits_are_kept() -> None:
    position = given(hand(italy="gray gray gray gray"))
    for command in ("draw", "end", "turn left", "move cairo joker"):
        position.when("draw", command).refused("A-TURN-03", because="above the limits")


@pytest.mark.rule(accepts="A-DRAW-01")
def test_a_draw_01_two_cards_come_from_the_top_whatever_the_hand() -> None:
    given(pile("gray", "violet", "orange")).when("draw").then_among(CardsDrawn("italy", ("orange", "violet")))
    answer = given(hand(italy="gray gray gray gray"), pile("gray", "violet", "orange")).when("draw")
    assert len(answer.state.hands["italy"]) == 7


@pytest.mark.rule(accepts="A-DRAW-02 AMB-07")
def test_a_draw_02_the_discard_pile_becomes_the_pile_when_a_card_is_needed() -> None:
    position = with_fields(given(pile("orange")), discards=("gray", "violet", "gray"))
    answer = position.when("draw")
    event_types = [type(event) for event in answer.events if isinstance(event, CardsDrawn | PileShuffled)]
    assert event_types == [CardsDrawn, PileShuffled, CardsDrawn]
    (reshuffle,) = (event for event in answer.events if isinstance(event, PileShuffled))
    assert (sorted(reshuffle.pile), reshuffle.number) == (["gray", "gray", "violet"], 2)
    answer_without_shuffle = (
        with_fields(given(pile("orange", "gray")), discards=("violet",)).when("draw").then_no(PileShuffled)
    )
    assert answer_without_shuffle.state.pile == ()
    assert answer_without_shuffle.state.discards == ("violet",)


@pytest.mark.rule(accepts="A-DRAW-02")
@pytest.mark.parametrize("shuffles", [0, 1, 2, 3])
def test_a_draw_02_each_shuffle_follows_from_the_seed_and_its_number(shuffles: int) -> None:
    cards = PILE[::7]
    position = with_fields(given(), pile=(), discards=cards, shuffles=shuffles)
    (reshuffle,) = (event for event in position.when("draw").events if isinstance(event, PileShuffled))
    expected_pile = shuffle(cards, chance(0, f"shuffle {shuffles + 1}"))
    assert reshuffle == PileShuffled(expected_pile, shuffles + 1)
    answer_of_hidden_draw = Position(conceal(position.state, "italy")).when("draw")
    answer_of_hidden_draw.then_among(PileShuffled(("?",) * len(cards), shuffles + 1), CardsDrawn("italy", ("?", "?")))


@pytest.mark.rule(accepts="A-DRAW-02")
def test_a_draw_02_cards_on_the_table_are_not_shuffled_in() -> None:
    position = with_fields(given(hand(italy="gray")), pile=(), discards=("violet",), spaces=("", "A10", "", "", ""))
    position = with_fields(position, places={"italy": "mozambique", "france": "cape_town"})
    answer = position.when("move port_natal joker", "join A10")
    answer.then_among(PileShuffled(("violet",), 1), CardsDrawn("italy", ("violet",)))
    assert answer.state.table == ("joker",)


@pytest.mark.rule(accepts="A-DRAW-03")
def test_a_draw_03_with_empty_piles_fewer_cards_are_drawn() -> None:
    with_fields(given(pile("orange")), discards=()).when("draw").then_among(CardsDrawn("italy", ("orange",)))
    with_fields(given(), pile=(), discards=()).when("draw").then_no(CardsDrawn).then_among(TurnEnded("italy"))
    max_cards_in_hands = 4 * 5 + 10
    assert len(PILE) - max_cards_in_hands >= 0


@pytest.mark.rule(accepts="A-END-03", refuses="A-END-02")
def test_a_end_02_after_the_end_nothing_can_be_done() -> None:
    position = with_fields(given(turn_of("france")), ending=True)
    last_turn = position.when("draw")
    assert last_turn.state.phase == "over"
    for command in (Draw(), EndTurn(), Discard(("gray",))):
        Position(last_turn.state).when(command).refused("A-END-02", because="the game is over")
    for seat in ("italy", "france"):
        Position(last_turn.state).when(f"{seat}: draw").refused("A-END-02", because="the game is over")


def test_a_log_says_that_a_player_stays_at_home_only_after_a_turn_without_a_move() -> None:
    def entry_of_last(position: Position, *commands: str) -> str:
        *earlier, last = commands
        state = position.when(*earlier).state if earlier else position.state
        answer = Position(state).when(last)
        return GAME.notation.describe_turn([Played("italy", EndTurn()), *answer.events])

    assert entry_of_last(given(), "end") == "stays at home"
    assert entry_of_last(given(hand(italy="gray")), "move cairo gray", "end") == "ends the turn"


def test_no_two_moves_are_independent() -> None:
    """Players act in turn."""
    state = given().state
    assert not GAME.rules.are_independent(state, Played("italy", EndTurn()), Played("france", EndTurn()))
