"""What is written around a game: talk, and notes to oneself."""

from __future__ import annotations

from collections.abc import Sequence

from zimcore.documents.proceedings import Remark
from zimcore.game import GameError, Seat
from zimcore.service.open_lines import OpenLines
from zimcore.service.places import parse_place
from zimcore.service.proceedings import MOST, Proceedings, ProceedingsEvent, Said, check_text
from zimcore.service.writer import Request, Writer


def say(writer: Writer, lines: OpenLines, place: str, text: str, whose: str, request: Request) -> Remark:
    """Says something to all, or notes it for one person alone. Raises `GameError` for what can't be said."""
    check_text(text)
    named, by, seat = parse_place(place), request.by, request.viewer.seat or ""
    proceedings = lines.proceedings(named.match, whose)
    if not proceedings.made(by, request.asked):
        about = lines.find(place)[1] if named.at else b""

        def choose(now: Proceedings) -> Sequence[ProceedingsEvent]:
            if len(now.talk) >= MOST:
                raise GameError("nothing more can be said", f"{MOST:,} remarks are the most")
            return [Said(text, seat, about)]

        writer.names(lambda: lines.proceedings(named.match, whose), choose, by, request.asked)
        proceedings = lines.proceedings(named.match, whose)
    made = proceedings.made(by, request.asked)
    mine = (each for each in reversed(proceedings.talk) if _is_mine(each, by, seat, text))
    return next(each for each in proceedings.talk if each.number == made.revision) if made else next(mine)


def _is_mine(each: Remark, by: str, seat: Seat, text: str) -> bool:
    return (each.by, each.seat, each.text) == (by, seat, text)
