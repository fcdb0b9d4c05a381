"""The parts of a turn: what each says, and which are still open (A-TURN-01, A-TURN-03)."""

import pytest

from tests.africana.kit import Position, given, hand
from zimcore.game import AmbiguousError
from zimcore.games.africana import GAME
from zimcore.games.africana.commands import EndExpedition


def shown_parts(position: Position) -> list[str]:
    """The parts, those that are still open in brackets."""
    steps = GAME.display.turn(position.state)
    return [text if step.done else f"({text})" for step in steps for text in (f"{step.name}: {step.text}",)]


def test_a_turn_has_one_action() -> None:
    assert shown_parts(given()) == ["(action: none yet: draw, move, turn or buy)"]
    assert shown_parts(given().after("turn left")) == ["action: at the book"]
    assert shown_parts(given(hand(italy="gray")).after("move cairo gray")) == ["action: moving"]


def test_the_limits_are_open_after_an_action_that_exceeds_them() -> None:
    position = given(hand(italy="gray gray gray gray")).after("draw")
    assert shown_parts(position) == ["action: drawing, over", "(limits: cards or adventures to discard)"]


def test_before_set_up_there_is_no_turn() -> None:
    assert shown_parts(Position(GAME.evolution.initial())) == []


def test_a_single_letter_ends_no_turn() -> None:
    with pytest.raises(AmbiguousError) as error:
        GAME.notation.parse("e", given().state)
    assert error.value.hints == ("end",)
    assert GAME.notation.parse("e a01", given().state) == (None, EndExpedition("A01"))
