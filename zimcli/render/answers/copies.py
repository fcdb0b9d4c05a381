"""Copies of lines, which are for programs: a person is told how much there is."""

from __future__ import annotations

from collections.abc import Iterator

from zimcli.render.answers import Renderers
from zimcli.render.spans import Block, Screen
from zimcore.documents.copies import CopyAnswer


def copy(answer: CopyAnswer, _: Screen) -> Iterator[Block]:
    """Where the line stands, and how many entries came."""
    what = "all of it" if answer.whole else "without what is hidden"
    yield [(f"{answer.game}/{answer.line}: {len(answer.entries)} entries up to {answer.revision}, {what}", "")]


RENDERERS: Renderers = {CopyAnswer: copy}
