"""What goes wrong, as data: one sentence of what, one of why, one of what to type next; and the exit code it means."""

from __future__ import annotations

import msgspec

DONE, NO, NOT_UNDERSTOOD, CONFLICT, STORE, INTERRUPTED, READER_GONE, BUG = 0, 1, 2, 3, 4, 130, 141, 255


class Reason(msgspec.Struct, frozen=True):
    """Why: a sentence, and the code of the rule that says so, if one does."""

    text: str
    code: str = ""


class Trouble(msgspec.Struct, frozen=True):
    """An error as it is shown; `where` is the line of a script, the innermost first."""

    kind: str
    what: str
    code: int
    why: tuple[Reason, ...] = ()
    hints: tuple[str, ...] = ()
    where: tuple[str, ...] = ()


class TroubleError(Exception):
    """Carries a trouble up to where it is shown."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble.what)
        self.trouble = trouble


class ReaderGoneError(Exception):
    """Nobody reads our output any more (`zim log | head`): to be quiet about."""
