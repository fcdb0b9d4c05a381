"""A hidden value refuses every operator: a program that calculates with it learns that it can't, and nothing else."""

from __future__ import annotations

import math
import operator
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from zimcore.game import HiddenError
from zimcore.toolkit.unknown import UNKNOWN

NOT_OPERATORS = {"is_", "is_not", "is_none", "is_not_none", "attrgetter", "itemgetter", "methodcaller", "call"}
"""What `operator` has besides operators: identity, functions that make getters, and a call."""
SEQUENCE_FUNCTIONS = {"concat", "iconcat"}
"""These raise `TypeError` for anything but a sequence."""
OPERATORS = {
    name: function
    for name, function in vars(operator).items()
    if callable(function) and not name.startswith("_") and name not in NOT_OPERATORS | SEQUENCE_FUNCTIONS
}
BINARY_OPERATORS = "add sub mul matmul truediv floordiv mod divmod pow lshift rshift and_ or_ xor lt le gt ge eq ne"


def is_refused(function: Callable[..., Any], *operands: Any) -> bool:
    try:
        function(*operands)
    except HiddenError:
        return True
    except TypeError:  # it takes another number of operands, or it was not refused
        return False
    return False


@pytest.mark.parametrize("name", OPERATORS)
def test_every_operator_is_refused(name: str) -> None:
    assert any(is_refused(OPERATORS[name], UNKNOWN, *operands) for operands in ((), (2,), (0, 1)))


@pytest.mark.parametrize("name", BINARY_OPERATORS.split())
def test_the_second_operand_refuses_as_well(name: str) -> None:
    function = divmod if name == "divmod" else getattr(operator, name)
    assert is_refused(function, 2, UNKNOWN)
    assert is_refused(function, 2.5, UNKNOWN)


@pytest.mark.parametrize("function", [round, divmod, float, int, complex, math.floor, math.ceil, math.trunc, math.sqrt])
def test_functions_that_calculate_are_refused(function: Callable[..., Any]) -> None:
    assert is_refused(function, *[UNKNOWN] * (2 if function is divmod else 1))


def test_a_hidden_value_has_no_attributes_and_says_that_it_is_hidden() -> None:
    with pytest.raises(HiddenError):
        _ = UNKNOWN.suit
    assert not hasattr(UNKNOWN, "suit")


def test_a_hidden_value_is_written_as_a_question_mark_and_stays_itself() -> None:
    assert (str(UNKNOWN), repr(UNKNOWN), f"{UNKNOWN}", f"{UNKNOWN:>3}") == ("?", "?", "?", "  ?")
    assert pickle.loads(pickle.dumps(UNKNOWN)) is UNKNOWN
    assert UNKNOWN == UNKNOWN
