"""The messages of a feed: one struct for each kind; `event` names the kind."""

from __future__ import annotations

from zimcore import features
from zimcore.documents.discussion import TalkAnswer
from zimcore.documents.feed_message import FeedMessage
from zimcore.documents.play import PlayAnswer
from zimcore.documents.positions import Document, PositionAnswer
from zimcore.documents.seats import SeatsAnswer


class StandingMessage(FeedMessage, frozen=True, tag="standing"):
    """The position at the head of the line: the first message of a feed without `after`."""

    data: PositionAnswer


class CommitMessage(FeedMessage, frozen=True, tag="commit"):
    """A command was played: its commit, and the position after it."""

    data: PlayAnswer


class HeadMessage(FeedMessage, frozen=True, tag="head"):
    """The head has moved, by an undo, a redo or a takeback: the position where it is now."""

    data: PositionAnswer


class SeatsMessage(FeedMessage, frozen=True, tag="seats"):
    """Seats or terms have changed: all of them, as they are now."""

    data: SeatsAnswer


class TalkMessage(FeedMessage, frozen=True, tag="talk"):
    """A new message of the chat."""

    data: TalkAnswer


class ResetMessage(FeedMessage, frozen=True, tag="reset"):
    """The feed can't go on from the cursor in `after`: the line is shorter now.

    Forget what you have of the line; a `standing` message follows.
    """

    data: None = None


class BeatMessage(FeedMessage, frozen=True, tag="beat"):
    """Nothing has happened for some seconds: the connection is alive."""

    data: None = None


class EndMessage(FeedMessage, frozen=True, tag="end"):
    """The last message of this connection: the server stops, it has dropped messages, or the token is not valid any
    more. To go on, connect again with its `id` as `after`.
    """

    data: None = None


FEED_MESSAGES: dict[str, type[FeedMessage]] = {
    str(message.__struct_config__.tag): message
    for message in (
        *(StandingMessage, CommitMessage, HeadMessage, SeatsMessage, TalkMessage),
        *(message for module in features.modules("documents") for message in module.MESSAGES),
        *(ResetMessage, BeatMessage, EndMessage),
    )
}
"""All kinds, by `event`."""


class FeedEvent(Document, frozen=True):
    """A message of a feed of any kind, read without its data: enough for a client that fetches the entries itself."""

    id: str
    event: str
