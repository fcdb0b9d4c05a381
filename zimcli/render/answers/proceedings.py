"""What was said and asked for around a game, and ordered ahead."""

from __future__ import annotations

from collections.abc import Iterator

from zimcli.render.answers import Renderers
from zimcli.render.remarks import remark_line, request_lines
from zimcli.render.spans import Block, Note, Screen, Sheet
from zimcore.documents.proceedings import OrdersAnswer, RequestsAnswer, TalkAnswer
from zimcore.game import Table


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


def orders(answer: OrdersAnswer, _: Screen) -> Iterator[Block]:
    """What holds, what held once, and what can be ordered."""
    holding = tuple((str(each.number), each.text, f"{each.at:%Y-%m-%d %H:%M}") for each in answer.orders)
    if holding:
        yield Sheet(Table(f"orders of {answer.seat}", ("number", "order", "since (UTC)"), holding))
    else:
        yield Note(f"{answer.seat} has no orders")
    if answer.ended:
        rows = tuple(
            (str(each.number), each.text, f"{each.ended:%Y-%m-%d %H:%M}", each.why or "carried out")
            for each in answer.ended
        )
        yield Sheet(Table("no more", ("number", "order", "since (UTC)", "why"), rows))
    if answer.known and not answer.ended:
        what = tuple(answer.known.items())
        yield Sheet(Table("what can be ordered, beside any commands", ("order", "what it does"), what))


RENDERERS: Renderers = {TalkAnswer: talk, RequestsAnswer: requests, OrdersAnswer: orders}
