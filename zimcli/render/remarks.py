"""Renders messages, requests and votes as lines, for the table and the prompt."""

from __future__ import annotations

from collections.abc import Iterator

from zimcli.render.spans import Line
from zimcore.documents.discussion import Remark, RequestInfo, Vote


def remark_line(remark: Remark) -> Line:
    """A message with its author: `ann (zulu): well played`. A private note is marked as one."""
    note_mark = ", a note" * remark.own
    about_note = f"  about {remark.about[:8]}" if remark.about else ""
    return [
        (f"{person_label(remark.by, remark.seat)}{note_mark}: ", "bold"),
        (remark.text, "italic" if remark.own else ""),
        (about_note, "dim"),
    ]


def request_lines(request: RequestInfo) -> Iterator[Line]:
    """A request: its author, what it asks, the moves it would undo, and how to reply; or its outcome."""
    person, number, count = person_label(request.by, request.seat), request.number, len(request.gone)
    if request.status != "open":
        decliner_note = f" by {request.declined}" if request.declined else ""
        reason = f": {request.line or 'its line'} has moved on" if request.status == "lapsed" else ""
        yield [(f"request {number} of {person}: ", "bold"), (f"{request.status}{decliner_note}{reason}", "")]
        return
    request_text = (
        f"to play {request.move} at @{request.to + 1} instead" if request.move else f"to go back to @{request.to}"
    )
    yield [
        (f"request {number}: {person} asks {request_text}", "bold yellow"),
        (f" on {request.line}; this would take back:", ""),
    ]
    for move in request.gone[:MAX_MOVES]:
        yield [(f"  @{move.number} {move.seat}: {move.text}", "")]
    if count > MAX_MOVES:
        yield [(f"  and {count - MAX_MOVES} more", "dim")]
    if request.seen:
        moves = ", ".join(f"@{number}" for number in request.seen)
        yield [(f"  {person} has seen hidden cards since ({moves}) and will still know them", "yellow")]
    if request.waiting:
        yield [(f"waits for {' and '.join(request.waiting)}: accept {number} or decline {number}", "dim")]


def vote_line(vote: Vote) -> Line:
    """A vote about a seat that is out of time, and its result if it was carried."""
    result = f": {VOTE_RESULTS[vote.what].format(vote.about)}" if vote.carried else ""
    return [
        (f"{person_label(vote.by, vote.seat)} votes {VOTE_CHOICES[vote.what].format(vote.about)}", "bold yellow"),
        (result, ""),
    ]


def seat_line(seat: str, player_before: str, player_now: str) -> Line:
    """Who has taken or left a seat."""
    if player_now:
        return [(f"{player_now} has joined, and plays {seat}", "bold yellow")]
    return [(f"{player_before} has left {seat}", "bold yellow")]


VOTE_CHOICES = {"wait": "to wait for {}", "bot": "to give {} to a bot", "end": "to end the match, as {} is out of time"}
VOTE_RESULTS = {
    "wait": "{} has its pace once more",
    "bot": "a bot plays {} from here on",
    "end": "the match ends as it stands",
}
"""What each vote leads to when it is carried."""

MAX_MOVES = 8
"""The most moves to list of those that a request would undo."""


def person_label(by: str, seat: str) -> str:
    """A person with their seat."""
    return f"{by} ({seat})" if seat and seat != by else by
