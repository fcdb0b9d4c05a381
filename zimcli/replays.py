"""What `amend` and `pick` have in common: the options for conflicts, and the answer."""

from __future__ import annotations

from collections.abc import Callable
from shlex import join
from typing import Any, TypeVar

import click

from zimcli.errors import answer_is_no
from zimcli.problems import FailedError
from zimcore.documents.history import RewriteAnswer
from zimcore.service import Replay
from zimcore.service.rewriting import Keep, rewrite_answer

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def replay_options(function: Decorated) -> Decorated:
    """`--skip`, `--stop` and `--dry-run`."""
    for decorate in (
        click.option("--dry-run", is_flag=True, help="Show what would come of it, and keep nothing."),
        click.option("--stop", "keep", flag_value="stop", help="Keep what stands until the first that does not."),
        click.option("--skip", "keep", flag_value="skip", help="Leave out what no longer stands."),
        click.option("--all", "keep", flag_value="all", default="all", hidden=True),
    ):
        function = decorate(function)
    return function


def rewritten(replay: Replay, keep: Keep, *typed: str) -> RewriteAnswer:
    """The answer: what was played again, and the conflicts; a failure if nothing is stored because of them.

    The words that were typed are those to type again, with a decision.
    """
    answer = rewrite_answer(replay)
    if answer.conflicts and (keep == "all" or not answer.played):
        first = answer.conflicts[0].commit
        what = f"@{first.number} {first.seat}: {first.text} no longer stands, and nothing is kept"
        hints = [f"{join(typed)} {decision}" for decision in ("--skip", "--stop")]
        raise FailedError(answer, answer_is_no("conflict", what, [], hints))
    return answer
