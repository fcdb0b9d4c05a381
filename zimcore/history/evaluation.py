"""Evaluates an expression in a position, by a walk over the nodes that `expression` has parsed."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from math import inf
from typing import Any, NamedTuple, TypeAlias

from zimcore.game import GameError

Values: TypeAlias = Mapping[str, Any]
"""The values of a position by name: `{"round": 4, "zulu": {"vp": 7}}`. `PositionValues` (position_values.py) also reads
squares (`square`) and other positions (`at`)."""

CONSTANTS = {"true": True, "false": False, "none": None, "nobody": None}

ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
}
ORDER_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
AGGREGATES: dict[str, Callable[[Iterable[Any]], Any]] = {"min": min, "max": max, "sum": sum}
FUNCTIONS: Mapping[str, str] = {
    "min(vp)": "the least that any seat has; min(a, b) of numbers, min(list) of a list",
    "max(vp)": "the most that any seat has; max(a, b) of numbers, max(list) of a list",
    "sum(vp)": "what all seats have together; sum(a, b) of numbers, sum(list) of a list",
    "abs(a)": "a number without its sign",
    "rank(zulu)": "the place of a seat, 1 for the first; rank(zulu, cattle) by another figure",
    "leader()": "the seat with the most, nobody if several have it; leader(cattle) by another figure",
    "count(list)": "how many a list has",
}
"""Each function with an example call, and what it returns."""
ARGUMENT_COUNTS: Mapping[str, tuple[int, float]] = {
    "min": (1, inf),
    "max": (1, inf),
    "sum": (1, inf),
    "abs": (1, 1),
    "rank": (1, 2),
    "leader": (0, 1),
    "count": (1, 1),
}
"""The least and the most arguments of each function."""


class ExpressionError(GameError):
    """An expression that can't be parsed, or that names something that the position does not have."""


def _elements(value: Any) -> Sequence[Any]:
    """The elements of a list; of another value, itself."""
    return value if isinstance(value, (list, tuple)) else [value]


class BareWord(str):
    """A bare word: a name without a value, such as `eshu`, or the name of a seat."""

    __slots__ = ()


class Node(NamedTuple):
    """A node of the syntax tree: its kind, its parts, and its source text.

    The parts are nodes, operators included (`not a` has two, `a and b` three). Names, numbers, texts and operators have
    strings instead, and a call begins with its name.
    """

    kind: str
    parts: tuple[Any, ...]
    text: str


class Evaluation:
    """Evaluates one expression in one position; keeps its text for error messages."""

    def __init__(self, text: str, values: Values) -> None:
        self.text = text
        self.values = values

    def value_of(self, node: Node) -> Any:
        """The value of a node, or a `BareWord`. Raises `ExpressionError`."""
        match node.kind:
            case "number":
                return float(node.text) if "." in node.text else int(node.text)
            case "text":
                return node.parts[0][1:-1]
            case "name":
                return self._value_of_name(*node.parts)
            case "call":
                return self._call_function(node.parts[0], node.parts[1:])
            case "list":
                return tuple(map(self.value_of, node.parts))
            case "any" | "all":
                answers = (bool(self.require_value(self.value_of(part))) for part in node.parts[::2])
                return any(answers) if node.kind == "any" else all(answers)
            case "not_":
                return not self.require_value(self.value_of(node.parts[1]))
            case "minus":
                return -self._as_number(self.value_of(node.parts[1]))
            case "plus":
                return self._as_number(self.value_of(node.parts[1]))
            case "comparison":
                return self._evaluate_comparison(node.parts)
            case _:
                return self._calculate(node.parts)

    def _value_of_name(self, path: str, at_text: str = "") -> Any:
        """The value of a name, at another position with `at_text`: `@r3`."""
        if at_text:
            other_value = Evaluation(self.text, self._other_position(at_text[1:]))._value_of_name(path)
            if isinstance(other_value, BareWord):
                raise self._error(f"{path}{at_text}", "a position goes with a figure, such as zulu.vp@r3")
            return other_value
        first_name, *later_names = path.split(".")
        first_name = known_spelling(first_name, self.values)
        if not later_names and not isinstance(self.values.get(first_name), Mapping):
            return self.values.get(first_name, CONSTANTS.get(first_name.lower(), BareWord(first_name)))
        value: Any = self.values
        read_square = getattr(self.values, "square", None) if first_name not in self.values else None
        if read_square and (square_values := read_square(first_name.lower())) is not None:
            value = {first_name: square_values}
        for name in (first_name, *later_names):
            if not isinstance(value, Mapping) or known_spelling(name, value) not in value:
                raise self._unknown_name(path)
            value = value[known_spelling(name, value)]
        return BareWord((later_names or [first_name])[-1]) if isinstance(value, Mapping) else value

    def _other_position(self, position_text: str) -> Values:
        read_at = getattr(self.values, "at", None)
        if read_at is None:
            raise self._error(f"no other position can be asked for here: @{position_text}")
        other_values: Values = read_at(position_text)
        return other_values

    def _calculate(self, parts: Sequence[Any]) -> float:
        left_number = self._as_number(self.value_of(parts[0]))
        for operator_node, operand in zip(parts[1::2], parts[2::2], strict=True):
            right_number = self._as_number(self.value_of(operand))
            if right_number == 0 and operator_node.text in ("//", "%"):
                raise self._error("cannot divide by 0")
            try:
                left_number = ARITHMETIC[operator_node.text](left_number, right_number)
            except OverflowError:
                raise self._error("too large a number") from None
        return left_number

    def _evaluate_comparison(self, parts: Sequence[Any]) -> bool:
        left_value = self.value_of(parts[0])
        for operator_node, operand in zip(parts[1::2], parts[2::2], strict=True):
            right_value = self.value_of(operand)
            if not self._compare_values(" ".join(operator_node.text.split()), left_value, right_value):
                return False
            left_value = right_value
        return True

    def _compare_values(self, operator_text: str, left: Any, right: Any) -> bool:
        if is_hidden(left) or is_hidden(right):  # two hidden values are not known to be equal
            raise self._error("this depends on hidden information", "you can't see it")
        if operator_text in ("in", "not in"):
            return any(is_same(left, element) for element in self._as_list(right)) is (operator_text == "in")
        if operator_text in ("==", "!="):
            self._check_comparable(left, right)
            return is_same(left, right) is (operator_text == "==")
        return ORDER_OPERATORS[operator_text](self._as_number(left), self._as_number(right))

    def _check_comparable(self, left: Any, right: Any) -> None:
        """Raises `ExpressionError` for a word compared with a number or another word, or for one that names no seat
        compared with a seat: `rond == 4` is a typo, and not false.
        """
        words = [side for side in (left, right) if isinstance(side, BareWord)]
        if words and isinstance(left, (BareWord, int, float)) and isinstance(right, (BareWord, int, float)):
            raise self._unknown_name(next((word for word in words if word not in self.values), words[0]))
        seats = {name for name, figures in self.values.items() if isinstance(figures, Mapping)}
        sides = [*_elements(left), *_elements(right)]
        unknown_word = next((side for side in sides if isinstance(side, BareWord) and side not in seats), None)
        if unknown_word and any(isinstance(side, str) and side in seats for side in sides):
            raise self._unknown_name(unknown_word)
        if words and any(isinstance(side, (list, tuple)) for side in (left, right)):
            why, hint = f"a list is compared with a list, as in [{words[0]}]", f"{words[0]} in ..."
            raise self._error(f"{words[0]} is not a list", why, (hint,))

    def _call_function(self, name: str, argument_nodes: Sequence[Any]) -> Any:
        arguments, name = [self.value_of(node) for node in argument_nodes], known_spelling(name, ARGUMENT_COUNTS)
        if name not in ARGUMENT_COUNTS:
            raise self._error(f"no such function: {name}()", hints=tuple(FUNCTIONS))
        min_count, max_count = ARGUMENT_COUNTS[name]
        if not min_count <= len(arguments) <= max_count:
            usage = next(call for call in FUNCTIONS if call.startswith(f"{name}("))
            why = f"it is written {usage}, and has {len(arguments)} in: {self.text}"
            raise self._error(
                f"{name}() takes {_argument_count_text(min_count, max_count)}", why, ("help expressions",)
            )
        if name in AGGREGATES:
            figure_values = self._numbers_of(arguments[0]) if len(arguments) == 1 else None
            return AGGREGATES[name](figure_values or [self._as_number(argument) for argument in arguments])
        match name, arguments:
            case "leader", figure_arguments:
                return self._leader(self._figure(figure_arguments))
            case "rank", [str(seat), *figure_arguments]:
                return self._rank(seat, self._figure(figure_arguments))
            case "rank", _:
                seat, dot, figure = argument_nodes[0].text.partition("@")[0].partition(".")
                example = f"rank({seat}, {figure})" if dot and seat in self.values else "help expressions"
                raise self._error("rank() begins with a seat", hints=(example,))
            case "abs", [number]:
                return abs(self._as_number(number))
            case _:
                return len(self._as_list(arguments[0]))

    def _numbers_of(self, argument: Any) -> list[float] | None:
        """The elements of a list, or the values of a figure for all seats; None if the argument is neither."""
        if isinstance(argument, (list, tuple)):
            return [self._as_number(element) for element in argument]
        scores = self._value_by_seat(str(argument)) if isinstance(argument, BareWord) else {}
        return [self._as_number(score) for score in scores.values()] or None

    def _figure(self, arguments: Sequence[Any]) -> str:
        """The name of the figure in the arguments; by default the one that decides the game."""
        figure_names = (name for figures in self.values.values() if isinstance(figures, Mapping) for name in figures)
        return str(arguments[0]) if arguments else next(figure_names, "score")

    def _value_by_seat(self, figure: str) -> dict[str, Any]:
        """The value of a figure for each seat."""
        figures_by_seat = {
            seat: figures_of_seat
            for seat, figures_of_seat in self.values.items()
            if isinstance(figures_of_seat, Mapping)
        }
        return {
            seat: figures_of_seat[name]
            for seat, figures_of_seat in figures_by_seat.items()
            if (name := known_spelling(figure, figures_of_seat)) in figures_of_seat
        }

    def _leader(self, figure: str) -> str | None:
        """The seat with the highest value of a figure; None if several share it."""
        scores = {seat: self._as_number(score) for seat, score in self._value_by_seat(figure).items()}
        if not scores:
            raise self._unknown_name(figure)
        leaders = [seat for seat, score in scores.items() if score == max(scores.values())]
        return leaders[0] if len(leaders) == 1 else None

    def _rank(self, seat: str, figure: str) -> int:
        """The rank of a seat by a figure: 1 plus the number of seats with a higher value."""
        scores = {other_seat: self._as_number(score) for other_seat, score in self._value_by_seat(figure).items()}
        if seat not in scores:
            raise self._unknown_name(seat if scores else figure)
        return 1 + sum(score > scores[seat] for score in scores.values())

    def _as_number(self, value: Any) -> float:
        if isinstance(value, (int, float)):
            return value
        raise (
            self._unknown_name(value)
            if isinstance(value, BareWord)
            else self._error(f"not a number: {_value_text(value)}")
        )

    def _as_list(self, value: Any) -> Sequence[Any]:
        if isinstance(value, (list, tuple)):
            return value
        raise (
            self._unknown_name(value)
            if isinstance(value, BareWord)
            else self._error(f"not a list: {_value_text(value)}")
        )

    def require_value(self, value: Any) -> Any:
        """The value. Raises `ExpressionError` for a bare word."""
        if isinstance(value, BareWord):
            raise self._unknown_name(value)
        return value

    def _unknown_name(self, name: str) -> ExpressionError:
        first_name = known_spelling(name.split(".")[0], self.values)
        inner_values = self.values.get(first_name)
        if inner_values is None and hasattr(self.values, "square"):
            inner_values = self.values.square(first_name.lower())
        if isinstance(inner_values, Mapping):
            known_paths = [f"{first_name}.{key}" for key in inner_values]
        else:
            known_paths = [f"{key}." if isinstance(value, Mapping) else key for key, value in self.values.items()]
        return self._error(f"no such name here: {name}", "known: " + ", ".join(known_paths))

    def _error(self, problem: str, why: str = "", hints: Sequence[str] = ()) -> ExpressionError:
        return ExpressionError(problem, why or f"in: {self.text}", hints)


def known_spelling(name: str, names: Collection[str]) -> str:
    """A name as it is known, whatever capitals it is typed with: `Kilwa.VP` is `kilwa.vp`.

    >>> known_spelling("Kilwa", ["kilwa"]), known_spelling("Lozi", ["kilwa"])
    ('kilwa', 'Lozi')
    """
    return name.lower() if name not in names and name.lower() in names else name


def is_same(left: object, right: object) -> bool:
    """Whether two values are equal; capitals count for nothing, and lists are equal element by element.

    >>> is_same("Eshu", "eshu"), is_same(3, "3"), is_same(["gu", 2], ("Gu", 2)), is_same([], ["gu"])
    (True, False, True, False)
    """
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        return len(left) == len(right) and all(map(is_same, left, right))
    return left.lower() == right.lower() if isinstance(left, str) and isinstance(right, str) else left == right


def _argument_count_text(min_count: int, max_count: float) -> str:
    """How many arguments a function takes: `1 argument`, `1 or 2 arguments`."""
    if max_count == inf:
        return f"at least {min_count} argument"
    return f"{min_count} argument" if min_count == max_count == 1 else f"{min_count} or {max_count} arguments"


def _value_text(value: object) -> str:
    return "nothing" if value is None else str(value)


def is_hidden(value: object) -> bool:
    """Whether a value, or part of it, is hidden: it is shown as `?`.

    >>> is_hidden(["gray", "?"]), is_hidden("gray")
    (True, False)
    """
    return any(map(is_hidden, value)) if isinstance(value, (list, tuple)) else str(value) == "?"
