"""An error as a document (RFC 9457).

In other words: problem details.
"""

from __future__ import annotations

from zimcore.documents.positions import CommitDocument, Document


class Reason(Document, frozen=True):
    """A reason for an error: a sentence, and the code of the broken rule, if it is about a rule."""

    text: str
    code: str = ""


class Problem(Document, frozen=True):
    """An error: what is wrong (or the command that was refused), why, what to type next (`hints`), and the exit code.

    `where` lists the lines of scripts that led to it, innermost first. `command` is the command that failed, `place`
    the place that it was about, if known.
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
    """An error on stderr."""

    error: Problem


class Progress(Document, frozen=True):
    """The progress of a task: how much is `done`, and `of` how much, if known."""

    what: str
    done: int
    of: int | None


class ProgressDocument(Document, frozen=True):
    """Progress on stderr, for a program that asked for it."""

    progress: Progress


class NoteDocument(Document, frozen=True):
    """A note on stderr, in addition to an answer."""

    note: str


class ProblemDetails(Document, frozen=True, omit_defaults=True, kw_only=True):
    """An error of a request to a server, as `application/problem+json` (RFC 9457).

    `title` says what is wrong, `detail` why, in one sentence. `kind` is one of a few kinds of problems, `why` lists
    every broken rule, `hints` say what to do next. If the head has moved on, `head` is its digest and `since` the moves
    that led there.
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
