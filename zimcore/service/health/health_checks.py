"""Runs the checks of `zim doctor`, each within a limited time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from threading import Thread
from typing import NamedTuple, TypeAlias

from event_store import EventStoreError
from zimcore.documents.health import HealthFinding, Level
from zimcore.game import GameError

CHECK_SECONDS = 10.0
"""Seconds that a check may take."""

Findings: TypeAlias = Iterable[HealthFinding]


class Check(NamedTuple):
    """A check: its name, and a function that yields its findings. If it `is_required` and fails, no later check is run.

    It may take `max_seconds`.
    """

    name: str
    run: Callable[[], Findings]
    is_required: bool = False
    max_seconds: float = CHECK_SECONDS


def make_finding(check: str, level: Level, what: str, why: str, *hints: str) -> HealthFinding:
    """A finding of the check with this name; `hints` are commands that help."""
    return HealthFinding(check, level, what, why, hints)


def run_checks(checks: Sequence[Check]) -> Iterator[HealthFinding]:
    """Runs checks one after the other. Yields their findings, and what could not be checked."""
    for number, check in enumerate(checks, 1):
        findings = _run_in_time(check)
        yield from findings
        if check.is_required and any(each.level != "remark" for each in findings):
            if unchecked_names := [each.name for each in checks[number:]]:
                why = f"without {check.name} nothing more can be examined"
                yield make_finding(check.name, "unchecked", f"not checked: {', '.join(unchecked_names)}", why)
            return


def _run_in_time(check: Check) -> Sequence[HealthFinding]:
    """The findings of a check. An error of the store or of the system is a problem, a timeout is "unchecked".

    The thread is a daemon, so that a check that never returns does not keep the process alive.
    """
    findings, unexpected_errors = list[HealthFinding](), list[Exception]()

    def run_check() -> None:
        try:
            findings.extend(check.run())
        except (EventStoreError, GameError) as error:
            findings.append(make_finding(check.name, "problem", error.what, error.why, *error.hints))
        except OSError as error:
            what = f"{error.filename} can't be read" if error.filename else "the system refuses"
            findings.append(make_finding(check.name, "problem", what, error.strerror or str(error)))
        except Exception as error:  # raised again below, in the thread that asked
            unexpected_errors.append(error)

    thread = Thread(target=run_check, name=f"doctor {check.name}", daemon=True)
    thread.start()
    thread.join(check.max_seconds)
    if thread.is_alive():
        return [
            make_finding(
                check.name, "unchecked", f"{check.name} was not checked", f"it took over {check.max_seconds:g} seconds"
            )
        ]
    if unexpected_errors:
        raise unexpected_errors[0]
    return findings
