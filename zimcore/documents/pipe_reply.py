"""The reply of `zim pipe` to a request."""

from __future__ import annotations

from typing import Any

from zimcore.documents.positions import Document
from zimcore.documents.problems import Problem


class Reply(Document, frozen=True, omit_defaults=True, kw_only=True):
    """The reply to the request with that id, which is what the request had there: null where it had none.

    `code` is the exit code that the command would have had in the shell. `answer` is the document that it would have
    printed; those that run other lines (`run`, `demo`, `tutorial`) have `answers`, one for each. `error` is there
    unless `code` is 0, also beside an answer: of moves up to one that is refused there are both.
    """

    id: Any
    code: int
    answer: Any = None
    answers: tuple[Any, ...] | None = None
    error: Problem | None = None
