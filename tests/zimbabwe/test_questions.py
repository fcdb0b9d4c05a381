"""Questions of the terminal, answered in tables."""

from collections.abc import Iterator

import pytest

from tests.zimbabwe.facts import bidding, cattle, craftsman, monument, turn_of
from tests.zimbabwe.game_test_kit import given
from zimcore.game import NotationError, Table
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe.state import State


def acting(kilwa: int = 9) -> State:
    standing = [craftsman("zulu", "potter", "b1-c1", price=2), monument("kilwa", "e1"), monument("kilwa", "h1", 2)]
    return given("C.......... ...........", cattle(kilwa=kilwa), standing, turn_of("kilwa")).state


def asked(state: State, question: str) -> list[Table]:
    name, *words = question.split()
    return list(GAME.questions.ask(state, name, words))


def rows(state: State, question: str) -> list[tuple[str, ...]]:
    return [row for table in asked(state, question) for row in table.rows]


def test_a_plan_lists_its_purchases() -> None:
    purchases, command = asked(acting(), "plan e1")
    assert purchases.title == "e1: 2 cattle, 2 of them for good, for 2 VP"
    assert purchases.rows == (("zulu", "potter", "b1", "a1", "0", "2", "e1"),)
    assert purchases.seats == ("zulu",)
    assert command.rows == (("raise e1 potter@b1/a1",),)


def test_a_plan_that_can_not_be_paid_says_what_is_short() -> None:
    assert asked(acting(kilwa=0), "plan e1")[0].title.endswith("; 2 cattle short")


def test_a_plan_that_there_is_not_says_why() -> None:
    assert rows(acting(), "plan h1") == [("h1 needs 2 different goods, of potter only",)]


def test_plans_worth_raising_and_why_there_are_none() -> None:
    assert rows(acting(), "plan") == [("2", "2", "2", "1", "raise e1 potter@b1/a1")]
    assert asked(acting(kilwa=0), "plan")[0].title == "Nothing can be raised by kilwa"
    assert rows(acting(kilwa=0), "plan")[0] == ("the cheapest plan costs 2 cattle and kilwa has 0",)


def test_a_plan_of_another_player_is_as_in_the_own_turn() -> None:
    state = acting()
    assert asked(state, "plan zulu")[0].title == "Nothing can be raised by zulu"
    assert asked(state, "plan kil e1") == asked(state, "plan e1")
    assert state.turn.seat == "kilwa"


@pytest.mark.parametrize(
    "question", ["plan b2", "plan e1 e1", "plan nobody", "reach", "reach z9", "reach a1 b1", "why"]
)
def test_what_is_no_question(question: str) -> None:
    with pytest.raises(NotationError):
        asked(acting(), question)


def test_nobody_plans_before_set_up() -> None:
    with pytest.raises(NotationError, match="nobody's turn"):
        asked(GAME.evolution.initial(), "plan")
    assert asked(GAME.evolution.initial(), "preview") == []


def test_reach_has_steps_and_hubs() -> None:
    assert rows(acting(), "reach e1")[:2] == [
        ("clay", "a1", "0", "4", "no", "yes"),
        ("zulu", "potter", "b1", "2", "0", "0"),
    ]


def test_a_preview_of_all_bids() -> None:
    state = given("S..S", cattle(kilwa=2), bidding("kilwa", "zulu")).state
    bids, revenues, ranking = asked(state, "preview")
    assert [row[0] for row in bids.rows] == ["pass", "1", "2"]
    assert bids.rows[2] == ("2", "0", "0", "1", "1", "1", "kilwa, zulu")
    assert rows(state, "preview bid 2") == [bids.rows[2]]
    assert rows(state, "preview pass") == [bids.rows[0]]
    assert rows(state, "preview bid 3") == []
    assert revenues.rows[-1] == ("zulu", "in all", "0", "0")
    assert ranking.rows[0] == ("kilwa", "0", "20", "-20")


def test_previews_of_a_turn() -> None:
    state = acting()
    assert dict(pairs(asked(state, "preview craft potter f1-g1 price 1"))) == {
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
    assert [table.title for table in asked(state, "preview end")] == [
        "Revenues, if the round ended now",
        "Ranking, if the round ended now",
    ]
    assert asked(state, "preview build a2") == []
    assert asked(state, "preview craft potter z1-z2") == []


def pairs(tables: list[Table]) -> Iterator[tuple[str, str]]:
    return ((what, text) for table in tables for what, text in table.rows)


def test_a_ranking_says_who_reached_the_own_vr() -> None:
    state = given("S..S", monument("kilwa", "a1", 5), turn_of("kilwa")).state
    assert asked(state, "preview")[-1].title == "Ranking, if the round ended now: kilwa has reached their VR"
