"""Renders the discussion of a game, and standing orders."""

from __future__ import annotations

from collections.abc import Iterator

from zimcli.render.answers import Renderers
from zimcli.render.remarks import remark_line, request_lines, vote_line
from zimcli.render.spans import Block, Note, Screen, Sheet
from zimcore.documents.discussion import OrdersAnswer, RequestsAnswer, TalkAnswer, VotesAnswer
from zimcore.game import Table


def talk_blocks(answer: TalkAnswer, _: Screen) -> Iterator[Block]:
    """One message per line, with its time."""
    for remark in answer.talk:
        yield [(f"{remark.at:%Y-%m-%d %H:%M}  ", "dim"), *remark_line(remark)]
    if not answer.talk:
        yield Note("nothing was said yet: say TEXT")


def requests_blocks(answer: RequestsAnswer, _: Screen) -> Iterator[Block]:
    """Each request; an open one with the moves it would undo."""
    for request in answer.requests:
        yield from request_lines(request)
    if not answer.requests:
        yield Note("there are no requests: takeback")


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


def votes_blocks(answer: VotesAnswer, screen: Screen) -> Iterator[Block]:
    """All votes, the seats out of time, and the seats that have yet to vote."""
    for vote in answer.votes:
        yield [(f"{vote.at:%Y-%m-%d %H:%M}  ", "dim"), *vote_line(vote)]
    for late_seat in answer.late:
        vote_texts = "".join(f", {seat} votes {what}" for seat, what in late_seat.votes.items())
        voters_text = f"; {' and '.join(late_seat.waiting)} may vote: wait, bot or end" if late_seat.waiting else ""
        yield [(f"{late_seat.seat} is out of time", "bold"), (f"{vote_texts}{voters_text}", "")]
    if answer.ended:
        yield Note("the match was ended")
    elif not answer.late:
        yield Note("no seat is out of time")


RENDERERS: Renderers = {
    TalkAnswer: talk_blocks,
    RequestsAnswer: requests_blocks,
    OrdersAnswer: orders_blocks,
    VotesAnswer: votes_blocks,
}
