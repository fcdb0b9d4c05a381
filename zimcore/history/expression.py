"""A small and safe language of expressions over a position: `zulu.vp > kilwa.vp and round >= 4`.

Names with dots, numbers, words, comparisons (chained, `in`), `and` `or` `not`, `+ - * // %`, lists, functions, and
values at other positions (`zulu.vp@r3`). The grammar is in `expression.lark`, from which `scripts/generated/grammar.py`
makes the tables of the parser (`expression_tables.json`), so that none are built here; no Python code is ever executed.
Names are those of `zimcore.game.figures`, and of squares; any other name is a word, so `zulu.god == eshu` needs no
quotes.

>>> values = {"round": 4, "winner": None, "kilwa": {"vp": 3, "god": "gu"}, "zulu": {"vp": 7, "god": "eshu"}}
>>> parse("zulu.vp == 7 and zulu.god == eshu").holds(values)
True
>>> parse("leader() == kilwa").holds(values)
False
>>> parse("max(kilwa.vp, zulu.vp) * 2").value(values), parse("max(vp)").value(values)
(14, 7)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from zimcore.history.evaluation import CONSTANTS, FUNCTIONS, BareWord, Evaluation, ExpressionError, Node, Values

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


class Rule(msgspec.Struct, frozen=True, array_like=True):
    """A rule of the grammar: `symbol` stands for `size` symbols, of which `kept_parts` become the parts of a node.

    A rule that `gives_way` makes no node if it keeps one part. Nor does a rule for a repetition (its symbol begins with
    `_`): its parts become parts of the node above it.
    """

    symbol: str
    size: int
    kind: str
    kept_parts: tuple[int, ...]
    gives_way: bool


class Tables(msgspec.Struct, frozen=True):
    """The tables of an LALR(1) parser.

    `terminals` are names and regular expressions, in the order in which they are tried; `ignored` ones are skipped. For
    each of the `states`, of which the first is the start, the next symbol leads to another state (its index) or shows
    that a rule is complete (-1 for the first one, -2 for the second). A text that leads to the state `end` is complete.
    """

    terminals: tuple[tuple[str, str], ...]
    ignored: tuple[str, ...]
    rules: tuple[Rule, ...]
    states: tuple[dict[str, int], ...]
    end: int


class _Symbol(NamedTuple):
    """A symbol on the parser's stack: the parts that it gives to the node above, and where it begins and ends."""

    parts: Sequence[Node]
    start: int
    end: int


TEXT_END = "$END"
LEAF_KINDS = ("number", "text", "name", "operator")
"""The kinds of nodes whose parts are strings."""


def parse(text: str) -> Expression:
    """Parses an expression. Raises `ExpressionError`."""
    if len(text) > MAX_CHARACTERS:
        raise ExpressionError("the expression is too long", f"{len(text)} characters, at most {MAX_CHARACTERS}")
    tree = _parse_tree(text, _read_tables())
    if sum(1 for _ in _iter_nodes(tree)) > MAX_NODES:
        raise ExpressionError(f"the expression is too long: {text[:40]}...", f"at most {MAX_NODES} parts")
    return Expression(text, tree)


@cache
def _read_tables() -> Tables:
    # Plain data of known types: a file that was altered can give wrong trees or an error, but runs nothing.
    return msgspec.json.decode((Path(__file__).parent / "expression_tables.json").read_bytes(), type=Tables)


def _parse_tree(text: str, tables: Tables) -> Node:
    """The syntax tree of a text. Raises `ExpressionError`."""
    states, symbols, position = [0], list[_Symbol](), 0
    while True:
        name, start, end = _next_token(text, position, tables, states[-1])
        while (action := tables.states[states[-1]].get(name)) is not None and action < 0:
            rule = tables.rules[-1 - action]
            symbols[-rule.size :] = [_complete_rule(rule, symbols[-rule.size :], text)]
            del states[-rule.size :]
            states.append(tables.states[states[-1]][rule.symbol])
            if name == TEXT_END and states[-1] == tables.end:
                return symbols[-1].parts[0]
        if action is None:
            raise ExpressionError(f"not an expression: {text}", _syntax_error_text(text, start), HELP_HINTS)
        states.append(action)
        symbols.append(_Symbol([Node("token", (text[start:end],), text[start:end])], start, end))
        position = end


def _next_token(text: str, position: int, tables: Tables, state: int) -> tuple[str, int, int]:
    """The name of the next token that the state allows ("" for none), and where it begins and ends."""
    possible_names = {*tables.states[state], *tables.ignored}
    patterns = [(name, pattern) for name, pattern in tables.terminals if name in possible_names]
    while position < len(text):
        matches = ((name, re.compile(pattern).match(text, position)) for name, pattern in patterns)
        name, token = next(((name, match) for name, match in matches if match), ("", None))
        if token is None:
            return "", position, position
        if name not in tables.ignored:
            return name, position, token.end()
        position = token.end()
    return TEXT_END, position, position


def _complete_rule(rule: Rule, symbols: Sequence[_Symbol], text: str) -> _Symbol:
    """The symbol that a rule stands for."""
    parts = [part for index in rule.kept_parts for part in symbols[index].parts]
    start, end = symbols[0].start, symbols[-1].end
    if not (rule.symbol.startswith("_") or (rule.gives_way and len(parts) == 1)):
        string_count = len(parts) if rule.kind in LEAF_KINDS else 1 if rule.kind == "call" else 0
        strings = (part.text for part in parts[:string_count])
        parts = [Node(rule.kind, (*strings, *parts[string_count:]), text[start:end])]
    return _Symbol(parts, start, end)


def _iter_nodes(node: Node) -> Iterator[Node]:
    yield node
    for child in node.parts:
        if isinstance(child, Node):
            yield from _iter_nodes(child)


def _syntax_error_text(text: str, error_index: int) -> str:
    """What is wrong in a text that is not an expression, and where."""
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
