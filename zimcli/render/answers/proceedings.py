"""What was said and asked for around a game."""

from __future__ import annotations

from collections.abc import Iterator

from zimcli.render.answers import Renderers
from zimcli.render.remarks import remark_line, request_lines
from zimcli.render.spans import Block, Note, Screen
from zimcore.documents.proceedings import RequestsAnswer, TalkAnswer


def talk(answer: TalkAnswer, _: Screen) -> Iterator[Block]:
    """Each remark in a line, with when it was said."""
    for remark in answer.talk:
        yield [(f"{remark.at:%Y-%m-%d %H:%M}  ", "dim"), *remark_line(remark)]
    if not answer.talk:
        yield Note("nothing was said yet: say TEXT")


def requests(answer: RequestsAnswer, _: Screen) -> Iterator[Block]:
    """Each request, the open ones with what they would come to."""
    for request in answer.requests:
        yield from request_lines(request)
    if not answer.requests:
        yield Note("nobody has asked for anything: takeback")


RENDERERS: Renderers = {TalkAnswer: talk, RequestsAnswer: requests}
