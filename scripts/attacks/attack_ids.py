"""Attacks the ids of commands: no request may get the answer of another author or of another request.

A request that is sent again must get its first answer and change nothing, even if its author has gone to another line.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from scripts.attacks.attack_target import ERRORS, Breach, ReportOutcome, Target
from tests.cli.conftest import make_zim
from tests.service.nim_service import play, service_on
from tests.service.test_idempotency import OPERATIONS, request_pairs, stored_rows
from zimcore.features.takebacks.actions import ask
from zimcore.features.takebacks.documents import NewRequest
from zimcore.service import GameService, Position, Viewer
from zimcore.service.records.results import Replay

Request = Callable[..., Any]
ANN = Viewer("ann")
CURRENT_ANSWER_OPERATIONS = {"switch", "forget", "take_back"}
"""Operations whose retry is answered with the head that the line has now."""


def other_request_pairs(service: GameService) -> dict[str, tuple[Request, Request]]:
    """As `request_pairs`: for each operation that has no position as its answer, a request and a similar one."""
    return {
        "say": (partial(service.say, "nim", "well played"), partial(service.say, "nim", "oh no")),
        "say about": (partial(service.say, "nim@2", "well played"), partial(service.say, "nim@1", "well played")),
        "ask": (
            partial(service.change, ask, NewRequest(1), "nim", viewer=ANN),
            partial(service.change, ask, NewRequest(2), "nim", viewer=ANN),
        ),
        "tag": (partial(service.tag, "nim@2", "opening"), partial(service.tag, "nim@1", "opening")),
        "archive": (partial(service.archive, "nim"), partial(service.delete, "nim")),
    }


OTHER_OPERATIONS = [*other_request_pairs(service_on("memory:"))]


def reuse_ids(target: Target, tries: int, report: ReportOutcome) -> None:
    """Sends a request of each operation again, later, in another name, and with other words, always with one id."""
    del target
    operations = [*OPERATIONS, *OTHER_OPERATIONS]
    for number in range(tries):
        operation, reuse = operations[number % len(operations)], REUSES[number // len(operations) % len(REUSES)]
        with nim_service() as service:
            request, other_request = {**request_pairs(service), **other_request_pairs(service)}[operation]
            first_answer = answer_content(request(by="ann", command_id="c1"))
            report(reuse(service, operation, request, other_request, first_answer))
    for line in SHELL_LINES[:tries]:
        with nim_service() as service:
            report(type_again(service, line))


SHELL_LINES = (
    *("do nim 'take 1'", "undo nim", "say nim well", "fork nim@2 line", "rename nim better"),
    "amend nim@2 'take 3'",
)
"""Lines about the current line of a game; each gets an id."""


def type_again(service: GameService, line: str) -> str:
    """Types a line with an id in the shell, twice. In between another line becomes the current one."""
    zim = make_zim(service)
    zim("switch", "nim/main")
    for is_retry in (False, True):
        rows_before = stored_rows(service)
        result = zim(*shlex.split(line), "--id", "c1")
        if result.exit_code:
            raise Breach(f"zim {line} --id c1: {'sent again ' * is_retry}it is an error: {result.stderr}")
        if is_retry and stored_rows(service) != rows_before:
            raise Breach(f"zim {line} --id c1: sent again it is done again")
        zim("switch", "nim/undone")
    return "the same answer in the shell"


@contextmanager
def nim_service() -> Iterator[GameService]:
    """A store in memory with the game that the requests are about."""
    with (service := service_on("memory:")).store:
        service.new("nim", {"seed": "7"}, name="nim", by="ann")
        play(service, "take 1", "take 2", "take 1", place="nim/main")
        service.fork("nim@1", "what-if", by="ann")
        service.fork("nim@1", "undone", by="ann")
        play(service, "take 1", "take 1", place="nim/undone")
        service.undo("nim/undone", 2, by="ann")
        service.switch("nim/main", by="ann")
        yield service


def answer_content(answer: Any) -> object:
    """What an answer tells its author."""
    position = answer.position if isinstance(answer, Replay) else answer
    return (position.place, position.commit.digest) if isinstance(position, Position) else answer


def send_again(
    service: GameService, operation: str, request: Request, other_request: Request, first_answer: object
) -> str:
    """Sends the request once more, after its author has moved to another line."""
    del other_request
    if operation not in {"forget", "archive"}:
        service.switch("nim/undone", by="ann")
    rows_before = stored_rows(service)
    try:
        answer = answer_content(request(by="ann", command_id="c1"))
    except ERRORS as error:
        raise Breach(f"{operation}: sent again it is an error: {error}") from error
    if operation not in CURRENT_ANSWER_OPERATIONS and answer != first_answer:
        raise Breach(f"{operation}: sent again it is answered {answer}, not {first_answer}")
    if stored_rows(service) != rows_before:
        raise Breach(f"{operation}: sent again it is done again")
    return "the same answer"


def steal_answer(
    service: GameService, operation: str, request: Request, other_request: Request, first_answer: object
) -> str:
    """Sends the same request in another name."""
    del other_request, first_answer
    return check_refused(service, f"{operation}: in another name", partial(request, by="ben", command_id="c1"))


def ask_for_another(
    service: GameService, operation: str, request: Request, other_request: Request, first_answer: object
) -> str:
    """Sends another request with the id."""
    del request, first_answer
    return check_refused(service, f"{operation}: another request", partial(other_request, by="ann", command_id="c1"))


REUSES = (steal_answer, ask_for_another, send_again)


def check_refused(service: GameService, what: str, send: Callable[[], Any]) -> str:
    """Raises `Breach` unless a request is refused and stores nothing."""
    rows_before = stored_rows(service)
    try:
        answer = answer_content(send())
    except ERRORS:
        answer = None
    else:
        raise Breach(f"{what}: it is answered {answer}")
    if stored_rows(service) != rows_before:
        raise Breach(f"{what}: it is refused, and stored")
    return "refused"
