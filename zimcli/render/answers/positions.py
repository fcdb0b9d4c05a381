"""Where a line stands now."""

from __future__ import annotations

from collections.abc import Iterator

from zimcli.render.answers import Renderers
from zimcli.render.moves import place_line
from zimcli.render.spans import Block, Screen
from zimcore.documents.positions import PositionAnswer


def position(answer: PositionAnswer, _: Screen) -> Iterator[Block]:
    """The place, and what is to be done there."""
    yield place_line(answer.position)


RENDERERS: Renderers = {PositionAnswer: position}
