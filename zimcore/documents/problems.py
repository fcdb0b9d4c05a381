"""An error as a document (RFC 9457).

In other words: problem details.
"""

from __future__ import annotations

from zimcore.documents.positions import CommitDocument, Document


class Reason(Document, frozen=True):
    """Why: a sentence, and the code of the rule that says so, if one does."""

    text: str
    code: str = ""


class Problem(Document, frozen=True):
    """What went wrong: one sentence of what, one of why, one of what to type next, and the exit code it means.

    `where` is the line of a script, the innermost first. `command` is what has failed, about which `place`, where that
    is known.
    """

    kind: str
    what: str
    code: int
    why: tuple[Reason, ...] = ()
    hints: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    command: str = ""
    place: str = ""


class ErrorDocument(Document, frozen=True):
    """What went wrong; it goes to stderr."""

    error: Problem


class Progress(Document, frozen=True):
    """How far a task has come: how much is done, and of how much, if that is known."""

    what: str
    done: int
    of: int | None


class ProgressDocument(Document, frozen=True):
    """How far a task has come, where that is wanted; it goes to stderr."""

    progress: Progress


class NoteDocument(Document, frozen=True):
    """A note in addition to an answer; it goes to stderr."""

    note: str


class ProblemDetails(Document, frozen=True, omit_defaults=True, kw_only=True):
    """What went wrong with a request to a server, as `application/problem+json` (RFC 9457).

    `title` is what was wrong and `detail` why, in one sentence; `kind` says which of the few kinds of problems it is,
    `why` has every rule that was broken, `hints` what to do next. Where a head has moved on, `head` is its digest and
    `since` what was played on the way there.
    """

    type: str
    title: str
    status: int
    kind: str
    detail: str = ""
    why: tuple[Reason, ...] = ()
    hints: tuple[str, ...] = ()
    head: str = ""
    since: tuple[CommitDocument, ...] = ()
