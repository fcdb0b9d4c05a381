"""A-END and A-SCORE: the end of the game, and the points."""

from itertools import product

import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st

from tests.africana.kit import BOX, Position, given, hand, has_finished, owns, silver, turn_of, with_fields
from zimcore.games.africana.events import EndTriggered, ExpeditionLaid, GameEnded, PlayerScored, RoundBegun, TurnBegun
from zimcore.games.africana.scoring import collections_value, score_player

COLLECTIONS = BOX.scoring.collections
VALUE_BY_COUNTS = {
    "1": 0, "11": 2, "2": 6, "111": 2, "21": 6, "3": 12, "1111": 10, "211": 8, "22": 12, "31": 12, "4": 12, "11111": 10,
    "2111": 10, "221": 12, "311": 14, "32": 18, "41": 14, "21111": 16, "2211": 14, "222": 18, "3111": 16, "33": 24,
    "411": 14, "22111": 16, "31111": 22, "4111": 22, "3311": 26, "44": 26, "22211": 20, "44444": 70,
}  # fmt: skip


def score_of(position: Position, seat: str = "italy") -> PlayerScored:
    return score_player(position.state, seat)


def artifact_cards(kinds: dict[str, int]) -> list[str]:
    """Cards with so many artifacts of each kind."""
    return [
        card
        for kind, count in kinds.items()
        for card in [adventure.id for adventure in BOX.adventures if adventure.artifact == kind][:count]
    ]


@pytest.mark.rule(accepts="A-END-01")
def test_a_end_01_the_end_is_triggered_when_the_stack_leaves_a_space_empty() -> None:
    position = with_fields(given(), spaces=("", "A02", "", "A04", "A05"), stack=("C01",))
    position.when("end").then_among(ExpeditionLaid("C01", 1), EndTriggered())
    position_with_last_card = with_fields(given(), spaces=("", "A02", "A03", "A04", "A05"), stack=("C01",))
    assert position_with_last_card.when("end").then_no(EndTriggered).state.stack == ()
    with_fields(position_with_last_card, spaces=("A01", "A02", "A03", "A04", "A05"), stack=()).when("end").then_no(
        EndTriggered
    )


@pytest.mark.rule(accepts="A-EOT-09 AMB-10")
def test_a_eot_09_a_short_stack_is_laid_out_from_the_left() -> None:
    position = with_fields(given(), spaces=("", "A02", "", "", "A05"), stack=("C02", "C01"))
    answer = position.when("end").then_among(ExpeditionLaid("C01", 1), ExpeditionLaid("C02", 3), EndTriggered())
    assert answer.state.spaces == ("C01", "A02", "C02", "", "A05")


@pytest.mark.rule(accepts="A-END-02 A-END-03 AMB-19")
def test_a_end_02_the_round_is_completed_so_all_seats_have_equally_many_turns() -> None:
    short_stack_fields = {"spaces": ("", "A02", "A03", "A04", "A05"), "stack": ()}
    first_answer = (
        with_fields(given(players=3), **short_stack_fields).when("end").then_among(EndTriggered(), TurnBegun("france"))
    )
    second_answer = Position(first_answer.state).when("draw")
    second_answer.then_among(TurnBegun("germany")).then_no(EndTriggered, GameEnded)
    Position(second_answer.state).when("draw").then_no(RoundBegun, TurnBegun).then_among(
        GameEnded(("france", "germany"))
    )
    last_answer = with_fields(given(turn_of("germany"), players=3), **short_stack_fields).when("end")
    last_answer.then_among(EndTriggered(), GameEnded(("italy", "france", "germany"))).then_no(RoundBegun)


@pytest.mark.rule(accepts="A-SCORE-01")
def test_a_score_01_printed_points_of_expeditions_and_artifacts() -> None:
    score = score_of(given(has_finished("italy", "A01", "S04")))
    assert (score.expeditions, score.artifacts) == (3, 4)


@pytest.mark.rule(accepts="A-SCORE-02 A-SCORE-03 A-SCORE-04 AMB-16")
@pytest.mark.parametrize("counts", VALUE_BY_COUNTS)
def test_a_score_04_the_best_partition_counts(counts: str) -> None:
    assert collections_value(tuple(map(int, counts)), COLLECTIONS) == VALUE_BY_COUNTS[counts]


@pytest.mark.rule(accepts="A-SCORE-04")
@for_all(st.lists(st.integers(0, 4), min_size=5, max_size=5))
def test_a_score_04_agrees_with_counting_how_many_of_each_collection(counts: list[int]) -> None:
    """Pairs and triples kind by kind; what is left makes as many sets of different ones as it can."""
    best_value = 0
    for leftovers in product(*(range(count + 1) for count in counts)):
        identical_values = [
            {0: 0, 1: None, 2: 6, 3: 12, 4: 12}[count - leftover]
            for count, leftover in zip(counts, leftovers, strict=True)
        ]
        if None not in identical_values:
            best_value = max(
                best_value,
                sum(filter(None, identical_values)) + best_value_of_different(tuple(sorted(leftovers, reverse=True))),
            )
    assert collections_value(tuple(counts), COLLECTIONS) == best_value


def best_value_of_different(counts: tuple[int, ...]) -> int:
    """The best value by sets of 4 and of 2 different ones, taken from the largest heaps."""
    best_value = 0
    for size, vp in ((4, 10), (2, 2)):
        if len(counts) >= size and counts[size - 1]:
            remaining_counts = [*(count - 1 for count in counts[:size]), *counts[size:]]
            best_value = max(best_value, vp + best_value_of_different(tuple(sorted(remaining_counts, reverse=True))))
    return best_value


@pytest.mark.rule(accepts="A-SCORE-02")
def test_a_score_02_collections_are_made_of_finished_artifacts() -> None:
    cards = artifact_cards({"mask": 3, "drum": 1})
    assert score_of(given(has_finished("italy", *cards))).collections == 12


@pytest.mark.rule(accepts="A-SCORE-05")
@pytest.mark.parametrize(("count", "penalty"), [(0, 0), (1, 0), (2, -5), (3, -10), (5, -10)])
def test_a_score_05_finished_assistant_adventures_cost_points(count: int, penalty: int) -> None:
    cards = [card.id for card in BOX.adventures if card.assistant][:count]
    assert score_of(given(has_finished("italy", *cards))).assistants == penalty
    assert score_of(given(owns("italy", *cards))).assistants == 0


@pytest.mark.rule(accepts="A-SCORE-06")
@pytest.mark.parametrize(("money", "card_count", "expected_points"), [(9, 1, (0, 0)), (10, 2, (1, 1)), (29, 5, (2, 2))])
def test_a_score_06_money_and_travel_cards_count(money: int, card_count: int, expected_points: tuple[int, int]) -> None:
    score = score_of(given(silver(italy=money), hand(italy=" ".join(["gray"] * card_count))))
    assert (score.silver, score.travel_cards) == expected_points


@pytest.mark.rule(accepts="A-SCORE-06 A-SCORE-07")
def test_a_score_07_unfinished_artifacts_are_worth_1_and_nothing_else() -> None:
    score = score_of(given(owns("italy", "N01", "N02", "N11")))
    assert (score.unfinished, score.artifacts, score.collections, score.vp) == (2, 0, 0, 2)


@pytest.mark.rule(accepts="A-SCORE-08 AMB-12")
def test_a_score_08_most_points_then_most_silver_then_shared() -> None:
    ending_position = with_fields(given(turn_of("france")), ending=True)
    ending_position.after(silver(italy=10)).when("end").then_among(GameEnded(("italy",)))
    ending_position.after(silver(italy=3, france=4)).when("end").then_among(GameEnded(("france",)))
    ending_position.after(silver(italy=4, france=4)).when("end").then_among(GameEnded(("italy", "france")))
    ending_position.after(has_finished("italy", "A03")).after(silver(france=9)).when("end").then_among(
        PlayerScored("italy", 1, 0, 0, 0, 0, 0, 0), GameEnded(("italy",))
    )
