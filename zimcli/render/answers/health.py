"""Renders what `zim doctor` found."""

from __future__ import annotations

from collections.abc import Iterator

from zimcli.registry import ENTRIES_BY_NAME
from zimcli.render.answers import Renderers
from zimcli.render.spans import Block, Screen
from zimcore.documents.health import DoctorAnswer

STYLES = {"problem": "bold red", "remark": "yellow", "unchecked": "yellow"}


def doctor(answer: DoctorAnswer, screen: Screen) -> Iterator[Block]:
    """The findings, each with its reason and what to type; first that all is well, if it is."""
    checks = ", ".join(answer.checks)
    if not answer.problems:
        yield [(f"✓ no problems with {answer.about}", "bold green"), (f"  ({checks})", "dim")]
    for each in sorted(answer.findings, key=lambda each: [*STYLES].index(each.level)):
        yield [(f"{each.level}: ", STYLES[each.level]), (each.what, "bold"), (f"  [{each.check}]", "dim")]
        yield [(f"  {each.why}", "")]
        for hint in each.hints:
            zim = "" if screen.in_session or hint.partition(" ")[0] not in ENTRIES_BY_NAME else "zim "
            yield [("  try: ", "dim"), (f"{zim}{hint}", "cyan")]


RENDERERS: Renderers = {DoctorAnswer: doctor}
