"""Renders the new position of a line."""

from __future__ import annotations

from collections.abc import Iterator

from zimcli.render.answers import Renderers
from zimcli.render.moves import move_lines, place_line, switched_line_note
from zimcli.render.spans import Block, Screen
from zimcore.documents.positions import PositionAnswer


def position_blocks(answer: PositionAnswer, screen: Screen) -> Iterator[Block]:
    """What programs have played, the place, and what to do there."""
    yield from move_lines(answer.answered, answer.position)
    yield place_line(answer.position)
    yield from switched_line_note(answer.position, answer.left, screen)


RENDERERS: Renderers = {PositionAnswer: position_blocks}
