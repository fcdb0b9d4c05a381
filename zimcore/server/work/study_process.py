"""A process that answers long questions: it has a service of its own, on the same store, which it only reads.

It authenticates each visitor and runs the same work as a worker of the server, so each visitor gets the same answer. It
exchanges `frames` with the server: first the URL of the store, then pickled questions and results. What a game prints
goes to standard error.

In other words: read replica, process pool worker.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import NamedTuple, NoReturn, TypeAlias

from event_store import StoreError
from zimcore.bots.frames import take_standard_streams
from zimcore.documents.problems import ProblemDetails
from zimcore.game import GameError
from zimcore.server.people.access import Visitor, answer_visitor, authenticate
from zimcore.server.wire.problem_responses import problem_of
from zimcore.server.wire.replies import Reply
from zimcore.server.work.fair_queue import Payer
from zimcore.server.work.payers import payer_of
from zimcore.service import GameService, open_service

NICENESS = 5
"""The priority of the process: moves and short questions come first."""
MAX_MEMORY_BYTES = 4 << 30
"""Bytes of address space, so that one question can't take the memory of the machine."""

Work: TypeAlias = Callable[[GameService, Visitor], Reply]


class Question(NamedTuple):
    """A question about a game, by a visitor with a token ("" for none). Its `work` can be pickled."""

    game: str
    token: str
    work: Work


class StudyReply(NamedTuple):
    """The reply to a question, and who pays for the visitor's requests, if known."""

    reply: Reply
    payer: Payer | None


class StudyProblem(NamedTuple):
    """The problem of a question, and the headers of its response."""

    problem: ProblemDetails
    headers: Mapping[str, str]


class StudyUnavailable(NamedTuple):
    """The process can't answer, as it can't open the game or the store. A worker of the server answers then."""


StudyResult: TypeAlias = StudyReply | StudyProblem | StudyUnavailable


def read_only_url(address: str) -> str:
    """The URL that only reads a store, if it is SQLite; URLs of other stores stay the same.

    >>> read_only_url("sqlite:///games.db"), read_only_url("postgresql://db/zim")
    ('sqlite:///games.db?mode=ro', 'postgresql://db/zim')

    Only `?mode=` is a query; any other `?` belongs to the name of the file.

    >>> read_only_url("sqlite:///games.db?mode=ro"), read_only_url("sqlite:///what?.db")
    ('sqlite:///games.db?mode=ro', 'sqlite:///what?.db?mode=ro')
    """
    return f"{address}?mode=ro" if address.startswith("sqlite:") and "?mode=" not in address else address


def answer_question(service: GameService, question: Question) -> StudyResult:
    """The result of a question. A bug in its work is logged, and is a problem like any other."""
    try:
        service.game(question.game)
    except (GameError, StoreError):
        return StudyUnavailable()
    try:
        with service.store.snapshot_read():
            visitor = authenticate(service, question.game, question.token)
            return StudyReply(answer_visitor(service, visitor, question.work), payer_of(visitor))
    except StoreError:
        return StudyUnavailable()
    except Exception as error:
        return StudyProblem(problem_of(error), getattr(error, "headers", None) or {})


def limit_memory() -> None:
    """Limits the address space of this process, where the system can: not on Windows, nor on some versions of macOS."""
    if sys.platform != "win32":
        import resource

        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))


def main() -> NoReturn:
    """Answers questions until the input ends."""
    from zimcore.server.wire.monitoring import log_to

    frame_channel = take_standard_streams(NICENESS)
    limit_memory()
    log_to(sys.stderr)
    address = frame_channel.next_request().decode()
    service: GameService | None = None
    while True:
        question: Question = pickle.loads(frame_channel.next_request())  # noqa: S301 - from the server that began this process
        try:
            service = service or open_service(read_only_url(address))
            result = answer_question(service, question)
        except StoreError:
            result = StudyUnavailable()
        frame_channel.send_reply(pickle.dumps(result))
