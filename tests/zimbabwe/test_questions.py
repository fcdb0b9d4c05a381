"""Questions of the terminal, answered in tables."""

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from tests.zimbabwe.facts import bidding, cattle, craftsman, monument, turn_of
from tests.zimbabwe.kit import Position, given
from zimcore.game import Accepted, GameError, NotationError, Table
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe.state import State


def state_of_turn(cattle_of_kilwa: int = 9) -> State:
    facts = [craftsman("zulu", "potter", "b1-c1", price=2), monument("kilwa", "e1"), monument("kilwa", "h1", 2)]
    return given("C.......... ...........", cattle(kilwa=cattle_of_kilwa), facts, turn_of("kilwa")).state


def ask(state: State, question: str) -> list[Table]:
    question_name, *words = question.split()
    return list(GAME.questions.ask(state, question_name, words))


def rows(state: State, question: str) -> list[tuple[str, ...]]:
    return [row for table in ask(state, question) for row in table.rows]


def test_a_plan_lists_its_purchases() -> None:
    purchases_table, command_table = ask(state_of_turn(), "plan e1")
    assert purchases_table.title == "e1: 2 cattle, 2 of them for good, for 2 VP"
    assert purchases_table.rows == (("zulu", "potter", "b1", "a1", "0", "2", "e1"),)
    assert purchases_table.seats == ("zulu",)
    assert command_table.rows == (("raise e1 potter@b1/a1",),)


def test_a_plan_that_cannot_be_paid_names_the_missing_cattle() -> None:
    assert ask(state_of_turn(cattle_of_kilwa=0), "plan e1")[0].title.endswith("; 2 cattle short")


def test_an_impossible_plan_says_why() -> None:
    assert rows(state_of_turn(), "plan h1") == [
        ("h1 needs 2 different goods, and only those of the potter are available",)
    ]


def test_a_plan_without_monuments_lists_the_best_raises() -> None:
    assert rows(state_of_turn(), "plan") == [("2", "2", "2", "1", "raise e1 potter@b1/a1")]
    assert ask(state_of_turn(cattle_of_kilwa=0), "plan")[0].title == "kilwa can't raise anything"
    assert rows(state_of_turn(cattle_of_kilwa=0), "plan")[0] == ("the cheapest plan costs 2 cattle and kilwa has 0",)


def test_a_plan_for_another_player_supposes_that_it_is_their_turn() -> None:
    state = state_of_turn()
    assert ask(state, "plan zulu")[0].title == "zulu can't raise anything"
    assert ask(state, "plan kil e1") == ask(state, "plan e1")
    assert state.turn.seat == "kilwa"


@pytest.mark.parametrize(
    "question", ["plan b2", "plan e1 e1", "plan nobody", "reach", "reach z9", "reach a1 b1", "why"]
)
def test_a_wrong_question_is_refused(question: str) -> None:
    with pytest.raises(NotationError):
        ask(state_of_turn(), question)


def test_a_plan_before_the_set_up_and_after_the_end_asks_for_a_player() -> None:
    with pytest.raises(GameError, match="nobody is to act now: name the player"):
        ask(GAME.evolution.initial(), "plan")
    finished_state = replace(state_of_turn(), phase="over")
    with pytest.raises(GameError, match="the game is over: name the player") as error:
        ask(finished_state, "plan")
    assert ask(finished_state, error.value.hints[0])
    assert ask(GAME.evolution.initial(), "preview") == []


def test_reach_has_steps_and_hubs() -> None:
    assert rows(state_of_turn(), "reach e1")[:2] == [
        ("clay", "a1", "0", "4", "no", "yes"),
        ("zulu", "potter", "b1", "2", "0", "0"),
    ]


def test_a_preview_while_bidding_has_all_bids() -> None:
    state = given("S..S", cattle(kilwa=2), bidding("kilwa", "zulu")).state
    bids_table, revenues_table, ranking_table = ask(state, "preview")
    assert [row[0] for row in bids_table.rows] == ["pass", "1", "2"]
    assert bids_table.rows[2] == ("2", "0", "0", "1", "1", "1", "kilwa, zulu")
    assert rows(state, "preview bid 2") == [bids_table.rows[2]]
    assert rows(state, "preview pass") == [bids_table.rows[0]]
    assert rows(state, "preview bid 3") == []
    assert revenues_table.rows[-1] == ("zulu", "in all", "0", "0")
    assert ranking_table.rows[0] == ("kilwa", "0", "20", "-20")


def test_previews_of_a_turn() -> None:
    state = state_of_turn()
    assert dict(rows_as_pairs(ask(state, "preview craft potter f1-g1 price 1")[1:])) == {
        "cost": "2 cattle",
        "VP": "+1",
        "VR": "+4, for card 2 of the potter",
        "claims": "-",
        "shares": "-",
        "serves": "kilwa e1 over 0 hubs, kilwa h1 over 0 hubs",
        "works with": "-",
        "makes obsolete": "-",
    }
    assert rows(state, "preview raise e1") == [("zulu", "potter", "b1", "a1", "0", "2", "e1")]
    assert [table.title for table in ask(state, "preview end")] == [
        "Revenues, if the round ended now",
        "Ranking, if the round ended now",
    ]
    assert ask(state, "preview build a2") == []
    assert ask(state, "preview craft potter z1-z2") == []


def rows_as_pairs(tables: list[Table]) -> Iterator[tuple[str, str]]:
    return ((name, text) for table in tables for name, text in table.rows)


def test_a_ranking_says_who_has_reached_their_vr() -> None:
    state = given("S..S", monument("kilwa", "a1", 5), turn_of("kilwa")).state
    assert ask(state, "preview")[-1].title == "Ranking, if the round ended now: kilwa has reached their VR"


def state_of_new_match(**options: str) -> State:
    """The state of a match after its set-up with these options."""
    command = GAME.rules.set_up({"gods": "all", **options}, 1)
    outcome = GAME.rules.decide(GAME.evolution.initial(), "", command)
    assert isinstance(outcome, Accepted)
    state: State = outcome.state
    return state


def test_cards_show_the_vr_that_the_match_charges() -> None:
    state = state_of_new_match(vr="eshu:5,herd:4")
    assert rows(state, "cards eshu")[0][:2] == ("eshu", "+5")
    assert rows(state, "cards herd")[0][:2] == ("herd", "+4")
    assert [rows(GAME.evolution.initial(), f"cards {name}")[0][1] for name in ("eshu", "herd")] == ["+4", "+6"]


def test_the_card_of_elegua_speaks_of_the_first_gift_of_its_adorer() -> None:
    assert (
        rows(state_of_new_match(), "cards elegua")[0][2]
        == "the stock pays up to 3 cattle of your own first gift in each round"
    )


@pytest.mark.parametrize(
    ("god", "option", "expected_default_text", "expected_optional_text"),
    [
        ("xango", "absolute", "wins when the victory is tied", "wins against all others who have reached their VR"),
        ("dziva", "turn-start", "right after choosing too", "at the start of the turn"),
        ("qamata", "always", "payments for hubs go to this card", "even before a player has it"),
        ("shadipinyi", "always", "a second plaque, in front of all others", "it lies there from the first round"),
    ],
)
def test_cards_say_what_a_god_does_under_the_options_of_the_match(
    god: str, option: str, expected_default_text: str, expected_optional_text: str
) -> None:
    default_text, optional_text = (
        rows(state, f"cards {god}")[0][2] for state in (state_of_new_match(), state_of_new_match(**{god: option}))
    )
    assert expected_default_text in default_text
    assert expected_optional_text not in default_text
    assert expected_optional_text in optional_text


def refusals_of(state: State, line: str) -> list[tuple[str, str]]:
    """What the rules say against a command."""
    answer = Position(state).when(line)
    return [(refusal.code, refusal.reason) for refusal in answer.refusals]


@pytest.mark.parametrize(
    ("cattle_of_kilwa", "line", "codes"),
    [
        (1, "craft potter a1-b1 price 1", {"R-CRA-04", "R-CRA-05", "R-CRA-06"}),
        (9, "raise e1 potter@b1/c2", {"R-RAI-05"}),
        (0, "raise e1", {"R-RAI-10"}),
        (9, "zulu: craft potter f1-g1", {"R-TURN-01", "R-CRA-05", "R-CRA-06"}),
    ],
)
def test_the_preview_of_an_illegal_command_names_the_broken_rules_first(
    cattle_of_kilwa: int, line: str, codes: set[str]
) -> None:
    state = state_of_turn(cattle_of_kilwa=cattle_of_kilwa)
    first_table, *_ = ask(state, f"preview {line}")
    assert (first_table.title, first_table.heads) == ("Not legal now", ("rule", "why"))
    assert list(first_table.rows) == refusals_of(state, line)
    assert {code for code, _ in first_table.rows} == codes


def test_the_preview_of_a_raise_without_any_goods_shows_no_figures() -> None:
    assert ask(state_of_turn(), "preview raise h1") == []
    assert [table.title for table in ask(state_of_turn(), "preview raise e1")] == ["2 cattle"]


def test_an_overlay_shows_the_hubs_to_come_with_eshu() -> None:
    """From e1 with range 6 as soon as Eshu is adored, which the overlay knows before (R-RNG-01)."""
    before = state_of_turn()
    adored = replace(before, adores={"kilwa": "eshu"})
    assert GAME.display.overlay(before, "hubs_as_eshu", ["e1"]) != GAME.display.overlay(before, "hubs", ["e1"])
    as_eshu = GAME.display.overlay(adored, "hubs_as_eshu", ["e1"])
    assert as_eshu.squares == GAME.display.overlay(adored, "hubs", ["e1"]).squares
    assert as_eshu.title == "from e1 as Eshu: hubs on the way"
