"""Exit codes, and exceptions that carry a problem up to the place that shows it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from zimcore.documents.positions import Answer
    from zimcore.documents.problems import Problem

SUCCESS, NEGATIVE_ANSWER, NOT_UNDERSTOOD, CONFLICT, STORE_FAILURE, INTERRUPTED, READER_GONE, BUG = (
    0,
    1,
    2,
    3,
    4,
    130,
    141,
    255,
)


AnyError = TypeVar("AnyError", bound=BaseException)


class ProblemError(Exception):
    """Carries a problem up to the place that shows it."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.what)
        self.problem = problem


class UnsureError(ProblemError):
    """A command would waste something. Typing the same command again confirms it."""


class FailedError(Exception):
    """An answer that is also a failure, with its error: faults that were found, or moves up to one that was refused.

    The answer is shown first; then the error is handled like any other.
    """

    def __init__(self, answer: Answer, error: BaseException) -> None:
        super().__init__(str(error))
        self.answer = answer
        self.error = error


def name_failed_command(error: AnyError, command: str, place: str) -> AnyError:
    """Records the command and the place on the error, unless an inner command already did. Returns the error."""
    error.__dict__.setdefault("about", (command, place))
    return error


def name_typed_words(error: BaseException, words: Sequence[str]) -> None:
    """Records the words of the command on the error, unless an inner command already did: hints repeat them."""
    error.__dict__.setdefault("typed_words", words)


class ReaderGoneError(Exception):
    """The reader of our output has closed it (`zim log | head`). This is not shown as an error."""
