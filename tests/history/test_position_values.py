"""The names in expressions: figures of seats, squares, chances, and other positions."""

from collections.abc import Callable
from typing import Any

import pytest

from zimcore.game import GameError, figures
from zimcore.games.zimbabwe import GAME
from zimcore.history import ExpressionError, parse
from zimcore.history.position_values import PositionValues


@pytest.fixture
def state() -> Any:
    option_words = "map=0.1,5.1,3.0,2.2 gods=xango,gu specialists=none order=kilwa,mutapa players=2"
    options = dict(word.split("=", 1) for word in option_words.split())
    start_state = GAME.rules.apply(GAME.evolution.initial(), "", GAME.rules.set_up(options, 1)).state
    _, command = GAME.notation.parse("start c6", start_state)
    return GAME.rules.apply(start_state, "kilwa", command).state


def test_values_are_the_figures_of_the_position(state: Any) -> None:
    values, all_figures = PositionValues(GAME, state), figures(GAME, state)
    assert (list(values), len(values)) == (list(all_figures), len(all_figures))
    assert dict(values) == all_figures


def test_a_square_has_the_values_of_its_piece(state: Any) -> None:
    values = PositionValues(GAME, state)
    assert parse("c6.owner == kilwa and c6.level == 1 and C6.role == monument and c6.kind == 1").holds(values)
    assert parse("a1.owner == nobody").holds(values)
    with pytest.raises(ExpressionError, match=r"known: c6\.role, c6\.kind, c6\.owner, c6\.marks, c6\.level"):
        parse("c6.colour").value(values)
    with pytest.raises(ExpressionError, match=r"no such name here: z99\.owner"):
        parse("z99.owner").value(values)


def test_a_board_is_drawn_only_where_a_square_is_asked_for(state: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail_if_drawn(_: Any) -> Any:
        raise AssertionError

    monkeypatch.setattr(GAME.display, "board", fail_if_drawn)
    assert parse("kilwa.vp == 1 and phase == setup").holds(PositionValues(GAME, state))


def test_expressions_read_chances_and_other_positions(state: Any) -> None:
    values_before = PositionValues(GAME, GAME.evolution.initial())

    def values_at(place: str) -> PositionValues:
        if place != "r1.kilwa":
            raise GameError(f"there is no position @{place}")
        return values_before

    chances: Callable[[Any, Any], dict[str, float]] = lambda game, state: {"kilwa": 0.6, "mutapa": 0.4}  # noqa: E731
    values = PositionValues(GAME, state, chances, values_at)
    assert parse("kilwa.chance - mutapa.chance > 0.1 and max(chance) == kilwa.chance").holds(values)
    assert parse("round@r1.kilwa == round and c6.level == 1").holds(values)
    with pytest.raises(ExpressionError, match=r"vp@r1\.kilwa"):
        parse("max(vp@r1.kilwa) == 1").value(values)
    with pytest.raises(GameError, match="there is no position @r9"):
        parse("round@r9").value(values)
    assert dict(parse("round@r1.kilwa > 4").named_values(values)) == {"round@r1.kilwa": values_before["round"]}
