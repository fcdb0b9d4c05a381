"""Chat: messages about a game, and private notes."""

from __future__ import annotations

from collections.abc import Sequence

from zimcore.documents.discussion import Remark
from zimcore.game import GameError, Seat
from zimcore.service.discussion import MAX_REMARKS, Discussion, DiscussionEvent, Said, check_text
from zimcore.service.line_repository import LineRepository
from zimcore.service.places import parse_place
from zimcore.service.writer import Writer, WriteRequest


def say(writer: Writer, lines: LineRepository, place: str, text: str, whose: str, request: WriteRequest) -> Remark:
    """Stores a message for all, or a private note of the person `whose`. Raises `GameError` for an invalid text."""
    check_text(text)
    parsed_place, by, seat = parse_place(place), request.by, request.viewer.seat or ""
    discussion = lines.discussion(parsed_place.match, whose)
    if not discussion.earlier_entry(by, request.key):
        digest = lines.find(place)[1] if parsed_place.at else b""

        def choose(current: Discussion) -> Sequence[DiscussionEvent]:
            if len(current.talk) >= MAX_REMARKS:
                raise GameError("the chat is full", f"{MAX_REMARKS:,} messages are the limit")
            return [Said(text, seat, digest)]

        writer.append_chosen(lambda: lines.discussion(parsed_place.match, whose), choose, by, request.key)
        discussion = lines.discussion(parsed_place.match, whose)
    earlier = discussion.earlier_entry(by, request.key)
    same = (each for each in reversed(discussion.talk) if _is_same(each, by, seat, text))
    return next(each for each in discussion.talk if each.number == earlier.revision) if earlier else next(same)


def _is_same(each: Remark, by: str, seat: Seat, text: str) -> bool:
    return (each.by, each.seat, each.text) == (by, seat, text)
