"""An error on the screen: what, why, and what to type next."""

from __future__ import annotations

from collections.abc import Iterator

from zimcli.render.spans import Line
from zimcli.trouble import Trouble


def trouble_lines(trouble: Trouble) -> Iterator[Line]:
    """`refused: craft potter d4-d5`, the rules it breaks with their reasons, and `try: ...`."""
    yield [(f"{trouble.kind}: ", "bold red"), (trouble.what, "bold")]
    for reason in trouble.why:
        yield [("  ", ""), (f"{reason.code}  " if reason.code else "", "yellow"), (reason.text, "")]
    if trouble.hints:
        yield [("  try: ", "dim"), (" · ".join(trouble.hints), "cyan")]
    for where in trouble.where:
        yield [(f"  at {where}", "dim")]
