"""What a message of a feed is. `zimcore.documents.feed_messages` has all kinds."""

from __future__ import annotations

from zimcore.documents.positions import Document


class FeedMessage(Document, frozen=True, tag_field="event"):
    """A message of a feed. `event` is its kind, `data` depends on that.

    `id` is a cursor: pass it on as `after` or Last-Event-ID to get what comes after this message. Don't take it apart.
    A message that is sent again keeps its `id`, unless the clocks of a server's processes differ: then it may get
    another. Ignore kinds that you don't know.
    """

    id: str
