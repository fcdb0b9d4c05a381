"""Renders copies of lines. They are for programs; people see only how much there is."""

from __future__ import annotations

from collections.abc import Iterator

from zimcli.render.answers import Renderers
from zimcli.render.spans import Block, Screen
from zimcore.documents.copies import CopyAnswer


def copy(answer: CopyAnswer, _: Screen) -> Iterator[Block]:
    """The line with its revision, and the number of entries."""
    extent = "all of it" if answer.whole else "without what is hidden"
    yield [(f"{answer.game}/{answer.line}: {len(answer.entries)} entries up to {answer.revision}, {extent}", "")]


RENDERERS: Renderers = {CopyAnswer: copy}
