"""Tokens of who may begin games, or sit down to one."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from zimcli.render.answers import Renderers
from zimcli.render.spans import Block, Note, Screen, Sheet
from zimcore.documents.seats import GameAnswer, SeatInfo, SeatsAnswer, TokenAnswer, TokensAnswer
from zimcore.game import Table
from zimcore.service.terms import format_duration


def token(answer: TokenAnswer, _: Screen) -> Iterator[Block]:
    """A token, which is shown this once."""
    yield [(answer.token, "bold")]
    about = answer.about
    until = f", until {about.until:%Y-%m-%d %H:%M} UTC" if about.until else ""
    yield Note(f"it is shown this once: {about.id} is the {about.role} token of {about.name}{until}")


def tokens(answer: TokensAnswer, _: Screen) -> Iterator[Block]:
    """A list of tokens."""
    rows = tuple(
        (
            each.id,
            each.name,
            each.role,
            " ".join(each.scopes),
            f"{each.given:%Y-%m-%d}" if each.given else "",
            f"{each.until:%Y-%m-%d %H:%M}" if each.until else "",
        )
        for each in answer.tokens
    )
    heads = ("id", "name", "role", "for", "since", "until (UTC)")
    yield Sheet(Table("", heads, rows)) if rows else Note("there are no tokens: serve token NAME")


def seats(answer: SeatsAnswer, screen: Screen) -> Iterator[Block]:
    """Who sits where, and whether it is dealt."""
    yield from sitting(answer.host, answer.seats)
    if not answer.dealt:
        free = next((each.seat for each in answer.seats if not each.by), "")
        then = f"invite {answer.game} {free}" if free else f"deal {answer.game}"
        yield Note(
            f"{answer.game} is not dealt yet: it is when all sit; try: {'' if screen.in_session else 'zim '}{then}"
        )
    for key, text in answer.terms.items():
        yield Note(TERMS.get(key, f"{key}: {{}}").format(f"{text} moves" if text.isdecimal() else text))


TERMS = {
    "delay": "spectators see it {} late",
    "pace": "a turn is to take no more than {}",
    "bank": "beyond that each seat has {}, once",
}
"""What each of the terms says."""


def game(answer: GameAnswer, _: Screen) -> Iterator[Block]:
    """How a game stands, and who sits where."""
    yield [(answer.game.name, "bold"), (f"  {answer.game.status}", "")]
    yield from sitting(answer.host, answer.seats)


def sitting(host: str, seats: tuple[SeatInfo, ...]) -> Iterator[Block]:
    """The host, and the seats."""
    yield [(f"hosted by {host}", "")]
    owners = tuple(each.seat for each in seats)
    rows = tuple((each.seat, each.by + " (a program)" * each.bot, each.key[:16]) for each in seats)
    if not any(each.due for each in seats):
        yield Sheet(Table("", ("seat", "who", "key"), rows, owners))
        return
    timed = tuple((*row, time_left(each)) for row, each in zip(rows, seats, strict=True))
    yield Sheet(Table("", ("seat", "who", "key", "time"), timed, owners))


def time_left(seat: SeatInfo) -> str:
    """How much time a seat has that is to move, or since when it has none."""
    if seat.due is None:
        return ""
    left = (seat.due - datetime.now(UTC)).total_seconds()
    said = format_duration(abs(left)) if abs(left) >= 1 else "now"
    return f"{said} left" if left > 0 else f"out of time since {said}"


RENDERERS: Renderers = {TokenAnswer: token, TokensAnswer: tokens, SeatsAnswer: seats, GameAnswer: game}
