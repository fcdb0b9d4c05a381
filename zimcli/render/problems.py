"""Renders a problem: what is wrong, why, and what to type next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from zimcli.render.spans import Block, Line
from zimcore.documents.problems import Problem

TRY = "  try: "


def problem_lines(problem: Problem) -> Iterator[Line]:
    """`refused: craft potter d4-d5`, the broken rules with their reasons, and `try: ...`; or `sure? end`."""
    kind_text = problem.kind if problem.kind.endswith("?") else f"{problem.kind}:"
    yield [(f"{kind_text} ", "bold red"), (problem.what, "bold")]
    for reason in problem.why:
        yield [("  ", ""), (f"{reason.code}  " if reason.code else "", "yellow"), (reason.text, "")]
    if problem.hints:
        yield [(TRY, "dim"), (" · ".join(problem.hints), "cyan")]
    for frame in problem.where:
        yield [(f"  at {frame}", "dim")]


def with_hints_first(blocks: Sequence[Block]) -> list[Block]:
    """The lines of a problem with the hints right after what is wrong, for where there is no room for all of them."""
    hints = [block for block in blocks if isinstance(block, list) and block[:1] == [(TRY, "dim")]]
    return [*blocks[:1], *hints, *(block for block in blocks[1:] if block not in hints)]
