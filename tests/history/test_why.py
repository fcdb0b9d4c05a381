"""`why`: for every figure, the changes add up to the value."""

from __future__ import annotations

import pytest

from tests.cli.conftest import open_reproducible_service
from tests.cli.herd import GAME as HERD
from zimcore.games.zimbabwe.state import State
from zimcore.history import ExpressionError, why
from zimcore.service import Commit, EventStore, GameService, Position, game


@pytest.fixture(scope="module")
def demo() -> tuple[Position, list[Commit]]:
    """The first 120 moves of the demo."""
    zimbabwe = game("zimbabwe")
    service = GameService(EventStore.open("memory:"))
    first_line, *moves = [line for line in zimbabwe.texts.demo().splitlines() if line and not line.startswith("#")]
    options = dict(word.split("=", 1) for word in first_line.split()[2:])
    service.new("zimbabwe", options, name="demo", by="ann")
    for move in moves[:120]:
        service.play("demo", move, by="ann")
    return service.position("demo"), list(service.log("demo"))


@pytest.mark.parametrize("name", ["vp", "vr", "cattle", "on_cards", "margin", "income", "monuments", "craftsmen"])
def test_the_changes_of_a_figure_add_up_to_it(demo: tuple[Position, list[Commit]], name: str) -> None:
    position, commits = demo
    for seat in ("kilwa", "mutapa", "zulu", "lozi"):
        explanation = why(position.game, commits, f"{seat}.{name}")
        assert (
            explanation.value
            == position.figures[seat][name]
            == sum(posting.change or 0 for posting in explanation.changes)
        )


def test_each_posting_goes_on_from_the_one_before(demo: tuple[Position, list[Commit]]) -> None:
    position, commits = demo
    explanation = why(position.game, commits, "zulu.cattle").changes[::-1]
    assert [posting.after for posting in explanation[:-1]] == [posting.before for posting in explanation[1:]]
    assert [posting.commit.number for posting in explanation] == sorted(
        posting.commit.number for posting in explanation
    )


def test_only_payments_move_cattle(demo: tuple[Position, list[Commit]]) -> None:
    position, commits = demo
    tags = {type(posting.event).__name__ for posting in why(position.game, commits, "zulu.cattle").changes}
    assert tags == {"CattlePaid"}


def test_a_card_of_a_later_round_has_a_ledger_too(demo: tuple[Position, list[Commit]]) -> None:
    position, commits = demo
    assert why(position.game, commits, "lozi.potter.cattle").changes
    assert why(position.game, commits, "lozi.potter.price").changes[-1].after == 2


def test_a_square_has_its_history(demo: tuple[Position, list[Commit]]) -> None:
    position, commits = demo
    explanation = why(position.game, commits, "G9")
    assert isinstance(position.state, State)
    level = position.state.monuments["g9"].level
    assert explanation.value == f"zulu's monument {level}"
    assert explanation.changes[-2].after == "zulu's monument 1"


@pytest.mark.parametrize("subject", ["z9", "kilwa", "kilwa.cows", "frobnicate", "kilwa.vp ="])
def test_an_unknown_subject_is_an_error(subject: str) -> None:
    service = open_reproducible_service(EventStore.open("memory:"))
    service.new("herd", {}, name="k", by="ann")
    with pytest.raises(ExpressionError):
        why(HERD, service.log("k"), subject)
