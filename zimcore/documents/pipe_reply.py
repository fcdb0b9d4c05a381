"""The reply of `zim pipe` to a request."""

from __future__ import annotations

from typing import Any

from zimcore.documents.positions import Document
from zimcore.documents.problems import Problem


class Reply(Document, frozen=True, omit_defaults=True, kw_only=True):
    """The reply to the request with this id: null if the request had none.

    `code` is the exit code of the command in the shell. `answer` is the document that it would have printed; commands
    that run other lines (`run`, `demo`, `tutorial`) have `answers`, one for each. `error` is there unless `code` is 0.
    It may come with an answer: for several moves, the answer has those before the refused one. `notes` are what the
    shell would have said beside the answer.
    """

    id: Any
    code: int
    answer: Any = None
    answers: tuple[Any, ...] | None = None
    error: Problem | None = None
    notes: tuple[str, ...] = ()
