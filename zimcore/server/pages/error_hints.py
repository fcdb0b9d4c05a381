"""What a page suggests where something is wrong: what can be done there. The rest is for a terminal, or a program."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from zimcore.documents.problems import ProblemDetails
from zimcore.game import OptionError
from zimcore.server.problem_responses import ProblemError, problem_of

FOR_PROGRAMS = (401, 404, 428)
"""Of these a resource says what to send; a page has links instead."""


def fitting_hints(problem: ProblemDetails, fits: Callable[[str], object]) -> ProblemDetails:
    """A problem with those of its hints that fit the place where it is shown."""
    return replace(problem, hints=tuple(filter(fits, problem.hints)))


def page_problem(error: Exception) -> ProblemDetails:
    """The problem that an exception means, where no command can be typed."""
    problem = problem_of(error)
    stays = isinstance(error, ProblemError | OptionError) and problem.status not in FOR_PROGRAMS
    return fitting_hints(problem, lambda _: stays)
