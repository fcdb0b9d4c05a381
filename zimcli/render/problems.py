"""Renders a problem: what is wrong, why, and what to type next."""

from __future__ import annotations

from collections.abc import Iterator

from zimcli.render.spans import Line
from zimcore.documents.problems import Problem


def problem_lines(problem: Problem) -> Iterator[Line]:
    """`refused: craft potter d4-d5`, the broken rules with their reasons, and `try: ...`; or `sure? end`."""
    kind_text = problem.kind if problem.kind.endswith("?") else f"{problem.kind}:"
    yield [(f"{kind_text} ", "bold red"), (problem.what, "bold")]
    for reason in problem.why:
        yield [("  ", ""), (f"{reason.code}  " if reason.code else "", "yellow"), (reason.text, "")]
    if problem.hints:
        yield [("  try: ", "dim"), (" · ".join(problem.hints), "cyan")]
    for frame in problem.where:
        yield [(f"  at {frame}", "dim")]
