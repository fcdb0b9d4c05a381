"""Selects the hints of an error that help on a page. Other hints are for a terminal or a program."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from zimcore.documents.problems import ProblemDetails
from zimcore.game import OptionError
from zimcore.server.wire.problem_responses import ProblemError, problem_of

API_STATUSES = (401, 404, 428)
"""Status codes whose hints say what to send to the API; a page has links instead."""


def with_fitting_hints(problem: ProblemDetails, fits: Callable[[str], object]) -> ProblemDetails:
    """A problem with only those hints that fit the place where it is shown."""
    return replace(problem, hints=tuple(filter(fits, problem.hints)))


def page_problem(error: Exception) -> ProblemDetails:
    """The problem of an exception, for a page without a command line."""
    problem = problem_of(error)
    are_hints_for_people = isinstance(error, ProblemError | OptionError) and problem.status not in API_STATUSES
    return with_fitting_hints(problem, lambda _: are_hints_for_people)
