"""Renders the discussion of a game, and standing orders."""

from __future__ import annotations

from collections.abc import Iterator

from zimcli.render.answers import Renderers
from zimcli.render.remarks import remark_line
from zimcli.render.spans import Block, Note, Screen, Sheet
from zimcore.documents.discussion import OrdersAnswer, TalkAnswer
from zimcore.game import Table


def talk_blocks(answer: TalkAnswer, _: Screen) -> Iterator[Block]:
    """One message per line, with its time."""
    for remark in answer.talk:
        yield [(f"{remark.at:%Y-%m-%d %H:%M}  ", "dim"), *remark_line(remark)]
    if not answer.talk:
        yield Note("nothing was said yet: say TEXT")


def orders_blocks(answer: OrdersAnswer, _: Screen) -> Iterator[Block]:
    """Current orders, past orders, and what can be ordered."""
    order_rows = tuple((str(order.number), order.text, f"{order.at:%Y-%m-%d %H:%M}") for order in answer.orders)
    if order_rows:
        yield Sheet(Table(f"orders of {answer.seat}", ("number", "order", "since (UTC)"), order_rows))
    else:
        yield Note(f"{answer.seat} has no orders")
    if answer.ended:
        ended_rows = tuple(
            (str(order.number), order.text, f"{order.ended:%Y-%m-%d %H:%M}", order.why or "carried out")
            for order in answer.ended
        )
        yield Sheet(Table("no more", ("number", "order", "since (UTC)", "why"), ended_rows))
    if answer.known and not answer.ended:
        kind_rows = tuple(answer.known.items())
        yield Sheet(
            Table("standing orders of this game (you can also order any command)", ("order", "what it does"), kind_rows)
        )


RENDERERS: Renderers = {
    TalkAnswer: talk_blocks,
    OrdersAnswer: orders_blocks,
}
