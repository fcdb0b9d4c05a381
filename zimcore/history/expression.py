"""A small and safe language of expressions over a position: `zulu.vp > kilwa.vp and round >= 4`.

Names with dots, numbers, words, comparisons (chained, `in`), `and` `or` `not`, `+ - * // %`, `min` `max` `sum`
and `leader()`. The text is read by Python's own parser and only the nodes named here are walked: nothing is ever
run. Names are those of `zimcore.game.figures`; any other name is a word, so that `zulu.god == eshu` needs no quotes.

>>> values = {"round": 4, "winner": None, "kilwa": {"vp": 3, "god": "gu"}, "zulu": {"vp": 7, "god": "eshu"}}
>>> parse("zulu.vp == 7 and zulu.god == eshu").holds(values)
True
>>> parse("leader() == kilwa").holds(values)
False
>>> parse("max(kilwa.vp, zulu.vp) * 2").value(values)
14
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from zimcore.history.evaluation import ARITHMETIC, CONSTANTS, Evaluation, ExpressionError, Values, Word

MAX_CHARACTERS = 500
MAX_NODES = 200

SHAPES = (ast.Expression, ast.BoolOp, ast.UnaryOp, ast.BinOp, ast.Compare, ast.Call, ast.Attribute, ast.Name)
MARKS = (ast.Constant, ast.expr_context, ast.boolop, ast.cmpop, ast.Not, ast.USub, ast.UAdd, *ARITHMETIC)


class Expression:
    """A parsed expression, which can be evaluated in any number of positions."""

    def __init__(self, text: str, tree: ast.expr) -> None:
        self.text = text
        self.tree = tree

    def __repr__(self) -> str:
        return f"parse({self.text!r})"

    def value(self, values: Values) -> Any:
        """What it comes to in a position. Raises `ExpressionError`."""
        walk = Evaluation(self.text, values)
        return walk.plain(walk.of(self.tree))

    def holds(self, values: Values) -> bool:
        """Whether it is so in a position. Raises `ExpressionError`."""
        return bool(self.value(values))

    def figures(self, values: Values) -> Iterator[tuple[str, Any]]:
        """The names in it that have a value, each with its value: they show why it does not hold."""
        for node in ast.walk(self.tree):
            if isinstance(node, (ast.Name, ast.Attribute, ast.Call)) and _is_figure(ast.unparse(node)):
                with suppress(ExpressionError):
                    found = Evaluation(self.text, values).of(node)
                    if not isinstance(found, Word):
                        yield ast.unparse(node), found


def _is_figure(name: str) -> bool:
    return name.lower() not in CONSTANTS and ("(" not in name or name.startswith("leader("))


def parse(text: str) -> Expression:
    """The expression in a text. Raises `ExpressionError`."""
    if len(text) > MAX_CHARACTERS:
        raise ExpressionError("the expression is too long", f"{len(text)} characters, at most {MAX_CHARACTERS}")
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ExpressionError(f"not an expression: {text}", _syntax(text, error), EXAMPLES) from None
    _check(text, tree)
    return Expression(text, tree.body)


EXAMPLES = ("zulu.vp == 7", "zulu.vp > kilwa.vp and round >= 4", "leader() == kilwa")


def _syntax(text: str, error: Exception) -> str:
    if "=" in text.replace("==", "").replace("!=", "").replace("<=", "").replace(">=", ""):
        return "to compare, write =="
    return f"{error.msg} at {error.offset}" if isinstance(error, SyntaxError) else "it cannot be read"


def _check(text: str, tree: ast.Expression) -> None:
    for count, node in enumerate(ast.walk(tree)):
        if count >= MAX_NODES:
            raise ExpressionError(f"the expression is too long: {text[:40]}...", f"at most {MAX_NODES} parts")
        if not isinstance(node, SHAPES + MARKS) or isinstance(node, (ast.Is, ast.IsNot)):
            part = ast.unparse(node) if isinstance(node, ast.expr) else type(node).__name__.lower()
            raise ExpressionError(f"not allowed in an expression: {part}", "it may only compare and count", EXAMPLES)
