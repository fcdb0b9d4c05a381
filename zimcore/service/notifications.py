"""Notifications: how a seat's player wants to be notified, which notifications are due, and which were sent.

All of that is in the player's private stream. A notification is stored as sent before it is sent: it may be lost if
the process dies in between, but it never comes twice.

In other words: webhook.
"""

from __future__ import annotations

from collections.abc import Sequence

from event_store import ConflictError
from zimcore.game import Seat
from zimcore.service import takeback_requests
from zimcore.service.discussion import Discussion, DiscussionEvent, NoticeSent, NoticesWanted
from zimcore.service.line_repository import LineRepository, LoadedLine
from zimcore.service.visibility import Viewer
from zimcore.service.writer import Writer, WriteRequest


def set_wanted_notices(
    writer: Writer, lines: LineRepository, match: str, whose: str, notices_wanted: NoticesWanted, request: WriteRequest
) -> NoticesWanted | None:
    """Stores how a player wants to be notified, and returns what is stored now."""

    def choose(known: Discussion) -> Sequence[DiscussionEvent]:
        known.check(notices_wanted)
        return [notices_wanted]

    writer.append_chosen(lambda: lines.discussion(match, whose), choose, request.by, request.key)
    return lines.discussion(match, whose).notices


def due(writer: Writer, lines: LineRepository, match: str, seat: Seat, whose: str) -> Sequence[str]:
    """The texts of the notifications that are due for a player. From now on they count as sent."""
    while True:
        known = lines.discussion(match, whose)
        if known.notices is None or not known.notices.kind:
            return []
        unsent = {
            mark: text for mark, text in _notices_now(lines, match, seat).items() if mark not in known.sent_notices
        }
        if not unsent:
            return []
        try:
            writer.entry(known.stream, known.revision, [NoticeSent(tuple(unsent))], "server")
            return [*unsent.values()]
        except ConflictError:
            continue  # another process sends them, or the player has just changed their settings


def _notices_now(lines: LineRepository, match: str, seat: Seat) -> dict[str, str]:
    """Everything a seat can be notified of now: texts by key."""
    if not lines.names(match).lines:
        return {}
    loaded, notices = lines.line(match), dict[str, str]()
    game, head = loaded.game, loaded.line.head
    state = loaded.states.state_at(head)
    number = loaded.line.numbers[head]
    if game.evolution.outcome(state).over:
        notices["end"] = f"{match} is over: {game.display.status(state)}"
    elif lines.names(match).members.ended:
        notices["end"] = f"{match} was ended early"
    elif seat in game.evolution.to_move(state):
        notices[f"turn {_turn_start(loaded, seat).hex()}"] = f"it is your turn in {match} ({seat}, move {number + 1})"
    for each in takeback_requests.infos(lines, match, Viewer(seat)):
        if each.status == "open" and seat in each.waiting:
            notices[f"request {each.number}"] = f"{each.by} asks in {match} to take moves back: requests {match}"
    return notices


def _turn_start(loaded_line: LoadedLine, seat: Seat) -> bytes:
    """The commit that gave a seat its current turn, which may have several commands, with moves of others between."""
    digest, evolution = loaded_line.line.head, loaded_line.game.evolution
    while parent := loaded_line.line.commits[digest].parent:
        if seat not in evolution.to_move(loaded_line.states.state_at(parent)):
            break
        digest = parent
    return digest
