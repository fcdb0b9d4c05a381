"""The value of an expression in a position: a walk over the few kinds of nodes that `expression` allows."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from zimcore.game import GameError

Values: TypeAlias = Mapping[str, Any]
"""What a position is described by: `{"round": 4, "zulu": {"vp": 7}}`."""

CONSTANTS = {"true": True, "false": False, "none": None, "nobody": None}

ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
ORDER: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
SUMS: dict[str, Callable[[Iterable[Any]], Any]] = {"min": min, "max": max, "sum": sum}


class ExpressionError(GameError):
    """An expression that cannot be read, or that asks for what a position does not have."""


class Word(str):
    """A bare word: a name that is no value, such as `eshu`, or that stands for a seat."""

    __slots__ = ()


class Evaluation:
    """One evaluation of an expression: the values of a position, and the text for messages."""

    def __init__(self, text: str, values: Values) -> None:
        self.text = text
        self.values = values

    def of(self, node: ast.expr) -> Any:
        """What a node comes to: a value, or a word. Raises `ExpressionError`."""
        match node:
            case ast.Constant(value=value):
                return self._constant(value)
            case ast.Name(id=name):
                return self._name(name)
            case ast.Attribute():
                return self._lookup(node)
            case ast.BoolOp(op=op, values=parts):
                return self._evaluate_logic(op, parts)
            case ast.UnaryOp(op=op, operand=operand):
                return self._unary(op, self.of(operand))
            case ast.BinOp(left=left, op=op, right=right):
                return self._arithmetic(op, self.of(left), self.of(right))
            case ast.Compare(left=left, ops=ops, comparators=others):
                return self._evaluate_comparison(self.of(left), ops, others)
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
                return self._call_function(name, args)
        raise self._error(f"not allowed in an expression: {ast.unparse(node)}")

    def _constant(self, value: object) -> object:
        if isinstance(value, (bool, int, float, str, type(None))):
            return value
        raise self._error(f"not a number or a word: {value!r}")

    def _name(self, name: str) -> Any:
        value = self.values.get(name, CONSTANTS.get(name.lower(), Word(name)))
        return Word(name) if isinstance(value, Mapping) else value

    def _lookup(self, node: ast.Attribute) -> Any:
        path = ast.unparse(node)
        value: Any = self.values
        for step in path.split("."):
            if not isinstance(value, Mapping) or step not in value:
                raise self._unknown(path)
            value = value[step]
        return Word(path.rpartition(".")[2]) if isinstance(value, Mapping) else value

    def _evaluate_logic(self, op: ast.boolop, parts: Sequence[ast.expr]) -> bool:
        every = isinstance(op, ast.And)
        answers = (bool(self.plain(self.of(part))) for part in parts)
        return all(answers) if every else any(answers)

    def _unary(self, op: ast.unaryop, value: Any) -> Any:
        if isinstance(op, ast.Not):
            return not self.plain(value)
        return -self._number(value) if isinstance(op, ast.USub) else self._number(value)

    def _arithmetic(self, op: ast.operator, left: Any, right: Any) -> float:
        a, b = self._number(left), self._number(right)
        if b == 0 and isinstance(op, (ast.FloorDiv, ast.Mod)):
            raise self._error("cannot divide by 0")
        try:
            found: float = ARITHMETIC[type(op)](a, b)
        except OverflowError:
            raise self._error("too large a number") from None
        return found

    def _evaluate_comparison(self, left: Any, ops: Sequence[ast.cmpop], others: Sequence[ast.expr]) -> bool:
        for op, other in zip(ops, others, strict=True):
            right = self.of(other)
            if not self._holds(op, left, right):
                return False
            left = right
        return True

    def _holds(self, op: ast.cmpop, left: Any, right: Any) -> bool:
        if is_hidden(left) or is_hidden(right):  # two things that can't be seen are not equal for that
            raise self._error("this depends on hidden information", "you can't see it")
        if isinstance(op, (ast.In, ast.NotIn)):
            return (left in self._several(right)) is isinstance(op, ast.In)
        if isinstance(op, (ast.Eq, ast.NotEq)):
            self._comparable(left, right)
            return (left == right) is isinstance(op, ast.Eq)
        return ORDER[type(op)](self._number(left), self._number(right))

    def _comparable(self, left: Any, right: Any) -> None:
        """A word is only compared with a word that is a value: `rond == 4` is a slip of the pen, not untrue."""
        words = [side for side in (left, right) if isinstance(side, Word)]
        if words and isinstance(left, (Word, int, float)) and isinstance(right, (Word, int, float)):
            raise self._unknown(next((word for word in words if word not in self.values), words[0]))

    def _call_function(self, name: str, args: Sequence[ast.expr]) -> Any:
        if name == "leader":
            return self._leader([self.of(arg) for arg in args])
        if name not in SUMS or not args:
            raise self._error(f"no such function: {name}()", hints=("min(a, b)", "max(a, b)", "sum(a, b)", "leader()"))
        return SUMS[name]([self._number(self.of(arg)) for arg in args])

    def _leader(self, args: Sequence[Any]) -> str | None:
        """The seat with the most of something, by default of what the game counts by; nobody if several have it."""
        first = (name for own in self.values.values() if isinstance(own, Mapping) for name in own)
        what = str(args[0]) if args else next(first, "score")
        scores = {seat: own[what] for seat, own in self.values.items() if isinstance(own, Mapping) and what in own}
        if not scores:
            raise self._unknown(what)
        best = [seat for seat, score in scores.items() if score == max(scores.values())]
        return best[0] if len(best) == 1 else None

    def _number(self, value: Any) -> float:
        if isinstance(value, (int, float)):
            return value
        raise self._unknown(value) if isinstance(value, Word) else self._error(f"not a number: {_value_text(value)}")

    def _several(self, value: Any) -> Sequence[Any]:
        if isinstance(value, (list, tuple)):
            return value
        raise self._unknown(value) if isinstance(value, Word) else self._error(f"not a list: {_value_text(value)}")

    def plain(self, value: Any) -> Any:
        """The value, if it is no word."""
        if isinstance(value, Word):
            raise self._unknown(value)
        return value

    def _unknown(self, name: str) -> ExpressionError:
        inside = self.values.get(name.split(".")[0])
        if isinstance(inside, Mapping):
            known = [f"{name.split('.')[0]}.{key}" for key in inside]
        else:
            known = [f"{key}." if isinstance(value, Mapping) else key for key, value in self.values.items()]
        return self._error(f"no such name here: {name}", "known: " + ", ".join(known))

    def _error(self, what: str, why: str = "", hints: Sequence[str] = ()) -> ExpressionError:
        return ExpressionError(what, why or f"in: {self.text}", hints)


def _value_text(value: object) -> str:
    return "nothing" if value is None else str(value)


def is_hidden(value: object) -> bool:
    """Whether a figure, or something in it, can't be seen: it is shown as `?`.

    >>> is_hidden(["gray", "?"]), is_hidden("gray")
    (True, False)
    """
    return any(map(is_hidden, value)) if isinstance(value, (list, tuple)) else str(value) == "?"
