"""Renders copies of lines. They are for programs; people see only how much there is."""

from __future__ import annotations

from collections.abc import Iterator

from zimcli.render.answers import Renderers
from zimcli.render.spans import Block, Screen
from zimcore.documents.copies import CopyAnswer
from zimcore.toolkit.words import numbered


def copy_blocks(answer: CopyAnswer, _: Screen) -> Iterator[Block]:
    """The line with its revision, and the number of entries."""
    extent = "all of it" if answer.whole else "without what is hidden"
    entries = numbered(len(answer.entries), "entry")
    yield [(f"{answer.game}/{answer.line}: {entries} up to {answer.revision}, {extent}", "")]


RENDERERS: Renderers = {CopyAnswer: copy_blocks}
