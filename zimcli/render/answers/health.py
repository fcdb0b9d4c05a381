"""Renders what `zim doctor` found."""

from __future__ import annotations

from collections.abc import Iterator

from zimcli.render.answers import Renderers
from zimcli.render.spans import Block, Screen
from zimcli.shell.registry import ENTRIES_BY_NAME
from zimcore.documents.health import DoctorAnswer

STYLE_BY_LEVEL = {"problem": "bold red", "remark": "yellow", "unchecked": "yellow"}
"""The style of each level of a finding. Findings are listed in this order."""


def doctor_blocks(answer: DoctorAnswer, screen: Screen) -> Iterator[Block]:
    """A line that all is well, if it is; then the findings, each with its reason and what to type."""
    checks_text = ", ".join(answer.checks)
    if not answer.problems:
        yield [(f"✓ no problems with {answer.about}", "bold green"), (f"  ({checks_text})", "dim")]
    for finding in sorted(answer.findings, key=lambda finding: [*STYLE_BY_LEVEL].index(finding.level)):
        yield [
            (f"{finding.level}: ", STYLE_BY_LEVEL[finding.level]),
            (finding.what, "bold"),
            (f"  [{finding.check}]", "dim"),
        ]
        yield [(f"  {finding.why}", "")]
        for hint in finding.hints:
            program_prefix = "" if screen.in_session or hint.partition(" ")[0] not in ENTRIES_BY_NAME else "zim "
            yield [("  try: ", "dim"), (f"{program_prefix}{hint}", "cyan")]


RENDERERS: Renderers = {DoctorAnswer: doctor_blocks}
