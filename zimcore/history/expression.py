"""A small and safe language of expressions over a position: `zulu.vp > kilwa.vp and round >= 4`.

Names with dots, numbers, words, comparisons (chained, `in`), `and` `or` `not`, `+ - * // %`, lists, functions, and
values at other positions (`zulu.vp@r3`). The grammar is in `expression.lark`; no Python code is ever executed. Names
are those of `zimcore.game.figures`, and of squares; any other name is a word, so `zulu.god == eshu` needs no quotes.

>>> values = {"round": 4, "winner": None, "kilwa": {"vp": 3, "god": "gu"}, "zulu": {"vp": 7, "god": "eshu"}}
>>> parse("zulu.vp == 7 and zulu.god == eshu").holds(values)
True
>>> parse("leader() == kilwa").holds(values)
False
>>> parse("max(kilwa.vp, zulu.vp) * 2").value(values), parse("max(vp)").value(values)
(14, 7)
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zimcore.history.evaluation import CONSTANTS, FUNCTIONS, BareWord, Evaluation, ExpressionError, Node, Values

if TYPE_CHECKING:
    from lark import Lark
    from lark.exceptions import UnexpectedInput

MAX_CHARACTERS = 500
MAX_NODES = 200
HELP_HINTS = ("help expressions",)


class Expression:
    """A parsed expression, which can be evaluated in any number of positions."""

    def __init__(self, text: str, tree: Node) -> None:
        self.text = text
        self.tree = tree

    def __repr__(self) -> str:
        return f"parse({self.text!r})"

    def value(self, values: Values) -> Any:
        """The value of the expression in a position. Raises `ExpressionError`."""
        evaluation = Evaluation(self.text, values)
        return evaluation.require_value(evaluation.value_of(self.tree))

    def holds(self, values: Values) -> bool:
        """Whether the expression is true in a position. Raises `ExpressionError`."""
        return bool(self.value(values))

    def named_values(self, values: Values) -> Iterator[tuple[str, Any]]:
        """The names and calls in the expression that have a value, with it: they show why it is true or false."""
        for node in _iter_nodes(self.tree):
            if node.kind in ("name", "call") and str(node.parts[0]).lower() not in CONSTANTS:
                if node.kind == "call" and node.parts[0] not in ("leader", "rank"):
                    continue  # its parts are shown
                with suppress(ExpressionError):
                    value = Evaluation(self.text, values).value_of(node)
                    if not isinstance(value, BareWord):
                        yield node.text, value


def parse(text: str) -> Expression:
    """Parses an expression. Raises `ExpressionError`."""
    if len(text) > MAX_CHARACTERS:
        raise ExpressionError("the expression is too long", f"{len(text)} characters, at most {MAX_CHARACTERS}")
    from lark.exceptions import UnexpectedInput

    try:
        tree = _to_node(_parser().parse(text), text)
    except UnexpectedInput as error:
        raise ExpressionError(f"not an expression: {text}", _syntax_error_text(text, error), HELP_HINTS) from None
    if sum(1 for _ in _iter_nodes(tree)) > MAX_NODES:
        raise ExpressionError(f"the expression is too long: {text[:40]}...", f"at most {MAX_NODES} parts")
    return Expression(text, tree)


@cache
def _parser() -> Lark:
    from lark import Lark  # imported late: most commands evaluate no expression

    return Lark((Path(__file__).parent / "expression.lark").read_text("utf-8"), parser="lalr", propagate_positions=True)


def _to_node(tree: Any, text: str) -> Node:
    """Converts a node of Lark to a `Node`."""
    from lark import Token

    if tree is None or isinstance(tree, Token):
        return Node("token", (str(tree or ""),), str(tree or ""))
    source_text = "" if tree.meta.empty else text[tree.meta.start_pos : tree.meta.end_pos]
    if tree.data in ("number", "text", "name", "operator"):
        return Node(str(tree.data), tuple(str(child) for child in tree.children if child is not None), source_text)
    if tree.data == "call":
        name, *argument_trees = tree.children
        return Node(
            "call", (str(name), *(_to_node(child, text) for child in argument_trees if child is not None)), source_text
        )
    return Node(
        str(tree.data), tuple(_to_node(child, text) for child in tree.children if child is not None), source_text
    )


def _iter_nodes(node: Node) -> Iterator[Node]:
    yield node
    for child in node.parts:
        if isinstance(child, Node):
            yield from _iter_nodes(child)


def _syntax_error_text(text: str, error: UnexpectedInput) -> str:
    """What is wrong in a text that is not an expression, and where."""
    is_at_end = getattr(getattr(error, "token", None), "type", "") == "$END"
    error_index = len(text) if is_at_end else error.pos_in_stream or 0
    remainder = text[error_index:].strip()
    if remainder.startswith("="):
        return "to compare, write =="
    if text[max(error_index - 1, 0) : error_index + 1] == "**":
        return "there are no powers: * multiplies"
    if remainder.startswith("/"):
        return "to divide whole numbers, write //"
    if not remainder:
        return "it ends too early" if text.strip() else "it is empty"
    return f"it goes wrong at character {error_index + 1}: {remainder[:30]}"


__all__ = ["FUNCTIONS", "Expression", "ExpressionError", "parse"]
