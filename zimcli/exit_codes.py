"""Exit codes, and the exceptions that carry a problem to where it is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from zimcore.documents.positions import Answer
    from zimcore.documents.problems import Problem

DONE, NO, NOT_UNDERSTOOD, CONFLICT, STORE, INTERRUPTED, READER_GONE, BUG = 0, 1, 2, 3, 4, 130, 141, 255


AnyError = TypeVar("AnyError", bound=BaseException)


class ProblemError(Exception):
    """Carries a problem up to where it is shown."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.what)
        self.problem = problem


class UnsureError(ProblemError):
    """Something would be thrown away: it is done when the same is typed once more."""


class FailedError(Exception):
    """An answer that is a failure too (a fault that was found, moves up to one that is refused), and its error.

    The answer is shown first, then the error goes its way as any other.
    """

    def __init__(self, answer: Answer, error: BaseException) -> None:
        super().__init__(str(error))
        self.answer = answer
        self.error = error


def name_failed_command(error: AnyError, command: str, place: str) -> AnyError:
    """The error, which knows from here on what has failed; the innermost command knows best."""
    error.__dict__.setdefault("about", (command, place))
    return error


class ReaderGoneError(Exception):
    """The reader of our output is gone (`zim log | head`): not an error to be shown."""
