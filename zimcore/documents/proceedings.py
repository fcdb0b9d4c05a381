"""What is said and asked for around a game, as documents."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import msgspec

from zimcore.documents.positions import Answer, Document
from zimcore.documents.seats import Text, Wanted, Word
from zimcore.game import Seat


class Remark(Document, frozen=True):
    """What somebody said, at which seat ("" for one without), when; `about` is the digest of a position, or "".

    A note that one has made for oneself is `own`: nobody else sees it. `number` tells remarks of either kind apart.
    """

    number: int
    by: str
    seat: Seat
    at: datetime
    text: str
    about: str = ""
    own: bool = False


class TalkAnswer(Answer, frozen=True):
    """What was said around a game, first to last."""

    game: str
    talk: tuple[Remark, ...]


class NewRemark(Wanted, frozen=True):
    """Something to say, to all or as a note of one's `own`; about a position `at` a line, or about the game."""

    text: Text
    own: bool = False
    line: Word = "main"
    at: Annotated[str, msgspec.Meta(max_length=64)] = ""
