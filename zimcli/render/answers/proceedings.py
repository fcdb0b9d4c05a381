"""What was said around a game."""

from __future__ import annotations

from collections.abc import Iterator

from zimcli.render.answers import Renderers
from zimcli.render.remarks import remark_line
from zimcli.render.spans import Block, Note, Screen
from zimcore.documents.proceedings import TalkAnswer


def talk(answer: TalkAnswer, _: Screen) -> Iterator[Block]:
    """Each remark in a line, with when it was said."""
    for remark in answer.talk:
        yield [(f"{remark.at:%Y-%m-%d %H:%M}  ", "dim"), *remark_line(remark)]
    if not answer.talk:
        yield Note("nothing was said yet: say TEXT")


RENDERERS: Renderers = {TalkAnswer: talk}
