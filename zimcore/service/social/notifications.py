"""Notifications: how a seat's player wants to be notified, which notifications are due, and which were sent.

All of that is in the player's private stream. A notification is stored as sent before it is sent: it may be lost if
the process dies in between, but it never comes twice.

In other words: webhook.
"""

from __future__ import annotations

from collections.abc import Sequence

from event_store import ConflictError
from zimcore import features
from zimcore.game import Seat
from zimcore.service.lines.line_repository import LineRepository, LoadedLine
from zimcore.service.records.discussion import Discussion, DiscussionEvent, NoticeSent, NoticesWanted
from zimcore.service.writing.writer import Writer, WriteRequest


def set_wanted_notices(
    writer: Writer,
    repository: LineRepository,
    match: str,
    owner: str,
    notices_wanted: NoticesWanted,
    request: WriteRequest,
) -> NoticesWanted | None:
    """Stores how a player wants to be notified, and returns what is stored now."""

    def make_events(newest_discussion: Discussion) -> Sequence[DiscussionEvent]:
        newest_discussion.check_follows(notices_wanted)
        return [notices_wanted]

    writer.append_from_fold(lambda: repository.discussion(match, owner), make_events, request.by, request.key)
    return repository.discussion(match, owner).wanted_notices


def take_due_texts(writer: Writer, repository: LineRepository, match: str, seat: Seat, owner: str) -> Sequence[str]:
    """The texts of the notifications that are due for a player. From now on they count as sent."""
    while True:
        discussion = repository.discussion(match, owner)
        if discussion.wanted_notices is None or not discussion.wanted_notices.kind:
            return []
        unsent_texts = {
            key: text
            for key, text in _current_notices(repository, match, seat).items()
            if key not in discussion.sent_notices
        }
        if not unsent_texts:
            return []
        try:
            writer.append_entry(discussion.stream, discussion.revision, [NoticeSent(tuple(unsent_texts))], "server")
            return [*unsent_texts.values()]
        except ConflictError:
            continue  # another process sends them, or the player has just changed their settings


def _current_notices(repository: LineRepository, match: str, seat: Seat) -> dict[str, str]:
    """Everything a seat can be notified of now: texts by key."""
    if not repository.names(match).lines:
        return {}
    loaded_line, texts_by_key = repository.line(match), dict[str, str]()
    game, head = loaded_line.game, loaded_line.line.head
    state = loaded_line.states.state_at(head)
    number = loaded_line.line.commit_numbers[head]
    if game.evolution.outcome(state).over:
        texts_by_key["end"] = f"{match} is over: {game.display.status(state)}"
    elif repository.names(match).members.ended:
        texts_by_key["end"] = f"{match} was ended early"
    elif seat in game.evolution.to_move(state):
        texts_by_key[f"turn {_turn_start(loaded_line, seat).hex()}"] = (
            f"it is your turn in {match} ({seat}, move {number + 1})"
        )
    for module in features.modules("actions"):
        texts_by_key |= module.notice_texts(repository, match, seat) if hasattr(module, "notice_texts") else {}
    return texts_by_key


def _turn_start(loaded_line: LoadedLine, seat: Seat) -> bytes:
    """The commit that gave a seat its current turn, which may have several commands, with moves of others between."""
    digest, evolution = loaded_line.line.head, loaded_line.game.evolution
    while parent := loaded_line.line.commits[digest].parent:
        if seat not in evolution.to_move(loaded_line.states.state_at(parent)):
            break
        digest = parent
    return digest
