"""Renders the new position of a line."""

from __future__ import annotations

from collections.abc import Iterator

from zimcli.render.answers import Renderers
from zimcli.render.moves import left_lines, place_line
from zimcli.render.spans import Block, Screen
from zimcore.documents.positions import PositionAnswer


def position_blocks(answer: PositionAnswer, screen: Screen) -> Iterator[Block]:
    """The place, and what to do there."""
    yield place_line(answer.position)
    yield from left_lines(answer.position, answer.left, screen)


RENDERERS: Renderers = {PositionAnswer: position_blocks}
