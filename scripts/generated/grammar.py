"""Prints the tables of the parser of expressions, made from their grammar by lark.

python scripts/generated/grammar.py > zimcore/history/expression_tables.json
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from lark import Lark
from lark.grammar import Rule
from lark.parsers.lalr_analysis import Shift

HISTORY = Path(__file__).parents[2] / "zimcore" / "history"


def build_parser() -> Lark:
    """Lark's own parser of the grammar."""
    return Lark((HISTORY / "expression.lark").read_text("utf-8"), parser="lalr", propagate_positions=True)


def make_tables(parser: Lark) -> dict[str, Any]:
    """The tables of a parser: see `Tables` in zimcore/history/expression.py."""
    frontend: Any = parser.parser
    table = frontend.parser._parse_table
    start_state, rules, states = table.start_states["start"], list[list[Any]](), list[dict[str, int]]()
    numbers = {start_state: 0}  # in the order in which the states are met, since the order of lark depends on hashes
    pending_states = [start_state]
    for state in pending_states:
        states.append({})
        for symbol, (action, target) in sorted(table.states[state].items()):
            if action is Shift:
                if target not in numbers:
                    numbers[target] = len(numbers)
                    pending_states.append(target)
                states[-1][symbol] = numbers[target]
            else:
                if (row := rule_row(target)) not in rules:
                    rules.append(row)
                states[-1][symbol] = -1 - rules.index(row)
    return {
        "terminals": [
            [each.name, each.pattern.to_regexp()]
            for each in sorted(
                parser.terminals,
                key=lambda each: (-each.priority, -each.pattern.max_width, -len(each.pattern.value), each.name),
            )
        ],
        "ignored": sorted(parser.ignore_tokens),
        "rules": rules,
        "states": states,
        "end": numbers[table.end_states["start"]],
    }


def rule_row(rule: Rule) -> list[Any]:
    """A row: what the rule makes, its length, the node's kind, which parts it keeps, and if it gives way to one part.

    A part of a rule that lark made itself is replaced by its own parts; such rules begin with `_`.
    """
    kept_parts = [
        index
        for index, symbol in enumerate(rule.expansion)
        if rule.options.keep_all_tokens or not getattr(symbol, "filter_out", False)
    ]
    gives_way = bool(rule.options.expand1 and not rule.alias)
    return [str(rule.origin.name), len(rule.expansion), str(rule.alias or rule.origin.name), kept_parts, gives_way]


def encode_tables(tables: dict[str, Any]) -> str:
    """The tables as JSON, a row or a state on each line."""
    parts = [
        f'"{name}": [\n' + ",\n".join(json.dumps(row) for row in value) + "\n]"
        if isinstance(value, list)
        else f'"{name}": {json.dumps(value)}'
        for name, value in tables.items()
    ]
    return "{" + ",\n".join(parts) + "}\n"


if __name__ == "__main__":
    print(encode_tables(make_tables(build_parser())), end="")
