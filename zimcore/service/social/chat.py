"""Chat: messages about a game, and private notes."""

from __future__ import annotations

from collections.abc import Sequence

from zimcore.documents.discussion import Remark
from zimcore.game import GameError, Seat
from zimcore.service.lines.line_repository import LineRepository
from zimcore.service.records.discussion import MAX_REMARKS, Discussion, DiscussionEvent, Said, check_text
from zimcore.service.records.places import parse_place
from zimcore.service.writing.writer import Writer, WriteRequest


def say(writer: Writer, repository: LineRepository, place: str, text: str, owner: str, request: WriteRequest) -> Remark:
    """Stores a message for all, or the private note of an `owner`, if any. Raises `GameError` for an invalid text."""
    check_text(text)
    parsed_place, author, seat = parse_place(place), request.by, request.viewer.seat or ""
    discussion = repository.discussion(parsed_place.match, owner)
    if not discussion.earlier_entry(author, request.key):
        commit_digest = repository.find(place)[1] if parsed_place.position else b""

        def make_events(current_discussion: Discussion) -> Sequence[DiscussionEvent]:
            if len(current_discussion.remarks) >= MAX_REMARKS:
                raise GameError("the chat is full", f"{MAX_REMARKS:,} messages are the limit")
            return [Said(text, seat, commit_digest)]

        writer.append_from_fold(
            lambda: repository.discussion(parsed_place.match, owner), make_events, author, request.key
        )
        discussion = repository.discussion(parsed_place.match, owner)
    stored_entry = discussion.earlier_entry(author, request.key)  # by now there is one, if the request has a key
    same_remarks = (each for each in reversed(discussion.remarks) if _is_same_remark(each, author, seat, text))
    return (
        next(each for each in discussion.remarks if each.number == stored_entry.revision)
        if stored_entry
        else next(same_remarks)
    )


def _is_same_remark(remark: Remark, author: str, seat: Seat, text: str) -> bool:
    return (remark.by, remark.seat, remark.text) == (author, seat, text)
