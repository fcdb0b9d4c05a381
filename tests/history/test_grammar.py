"""The parser of expressions agrees with lark, which made its tables from the grammar."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lark import Lark, Token
from lark.exceptions import UnexpectedInput

from zimcore.history import expression
from zimcore.history.evaluation import ExpressionError, Node
from zimcore.history.expression import parse

HISTORY = Path(expression.__file__).parent
LARK = Lark(
    (HISTORY / "expression.lark").read_text("utf-8"),
    parser="lalr",
    propagate_positions=True,
)
WORDS = ["or", "and", "not", "in", "==", "<=", ">", "+", "-", "*", "//", "%", "(", ")", "[", "]", ",", " ", "  "]
WORDS += ["zulu.vp", "max", "max(", "nothing", "inner", "@r3", "@", "4", "0.5", "'a b'", '"', ".", "é", "**", "=", "\n"]


def lark_tree(text: str) -> Node | int:
    """The tree that lark's own parser makes of a text, or where it finds an error."""
    try:
        return node_of(LARK.parse(text), text)
    except UnexpectedInput as error:
        is_at_end = getattr(getattr(error, "token", None), "type", "") == "$END"
        return len(text) if is_at_end else error.pos_in_stream or 0


def node_of(tree: Any, text: str) -> Node:
    if isinstance(tree, Token):
        return Node("token", (str(tree),), str(tree))
    source_text, children = text[tree.meta.start_pos : tree.meta.end_pos], list(filter(None, tree.children))
    if tree.data in ("number", "text", "name", "operator"):
        return Node(str(tree.data), tuple(map(str, children)), source_text)
    names = [str(children.pop(0))] if tree.data == "call" else []
    return Node(str(tree.data), (*names, *(node_of(child, text) for child in children)), source_text)


@given(st.lists(st.sampled_from(WORDS), max_size=12).map("".join))
def test_a_text_has_the_tree_that_lark_makes(text: str) -> None:
    answer = lark_tree(text)
    if isinstance(answer, Node):
        assert parse(text).tree == answer
    else:
        with pytest.raises(ExpressionError, match=re.escape(expression._syntax_error_text(text, answer))):
            parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "not (zulu.vp > kilwa.vp) and max(vp) == 3",
        "( zulu.vp@r3 + 2 ) * -(3) in [ 1, (2, 3), f( ) ] or a not in []",
        "a < b <= c or not not b and x",
    ],
)
def test_an_example_has_the_tree_that_lark_makes(text: str) -> None:
    assert parse(text).tree == lark_tree(text)


def test_the_tables_are_those_of_the_grammar() -> None:
    process = subprocess.run(
        [sys.executable, "-m", "scripts.generated.grammar"], capture_output=True, text=True, check=True
    )
    tables_file = HISTORY / "expression_tables.json"
    assert process.stdout == tables_file.read_text("utf-8"), "python scripts/generated/grammar.py > " + str(tables_file)


def test_parsing_imports_no_parser_generator_and_builds_no_tables() -> None:
    code = "import sys; from zimcore.history import parse; parse('zulu.vp > 1'); sys.exit('lark' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
