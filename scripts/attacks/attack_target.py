"""What all attacks share: the store under attack, everything that can be read from it, and how they report results."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import NamedTuple, TypeAlias

from event_store import EventStoreError, StoreError
from event_store.backup import backup
from zimcore.documents.query_parameters import PageQuery
from zimcore.features.takebacks.actions import requests
from zimcore.game import GameError, UnknownError
from zimcore.service import EVERYTHING, Audit, GameService, Position, open_service
from zimcore.service.care import maintenance
from zimcore.service.proofs import certificates

ROOT = Path(__file__).parents[2]

ERRORS = (EventStoreError, GameError)

ReportOutcome = Callable[[str], None]
"""Called with the result of a try."""
TRUE_ANSWER, ERROR_ANSWER = "true answer", "error"


class Breach(Exception):  # noqa: N818 - not an error of zim
    """An attack succeeded."""


class NotTried(Exception):  # noqa: N818 - not an error of zim
    """This machine lacks a program that the attack needs."""


@contextmanager
def user_in(folder: Path) -> Iterator[None]:
    """Makes a folder the current one, and that of a user's data: no key or setting of yours is read or written."""
    variables = {name: str(folder / name) for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")}
    earlier_folder, earlier_values = os.getcwd(), {name: os.environ.get(name) for name in variables}
    os.chdir(folder)
    os.environ.update(variables)
    try:
        yield
    finally:
        os.chdir(earlier_folder)
        for name, value in earlier_values.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value


@contextmanager
def open_store_file(path: Path, mode: str = "?mode=ro") -> Iterator[GameService]:
    """A service on a file, read-only by default."""
    with (service := open_service(f"sqlite:///{path}{mode}")).store:
        yield service


def read_games(service: GameService) -> list[object]:
    """What all games of a store have: lines, moves with their digests, operations, chat. Errors are raised."""
    answers: list[object] = []
    for game in service.game_names():
        for line in service.lines(game, by="ann"):
            place = f"{game}/{line.name}"
            moves = [(commit.number, commit.digest, commit.text, commit.by) for commit in service.log(place, all_=True)]
            answers += [game, line, moves, service.position(place).status]
        operations = [(operation.id, operation.what, operation.by) for operation in service.operations(f"{game}/main")]
        answers += [operations, service.talk(game, by="ann")]
    return [*answers, *service.deleted_games()]


def read_names(service: GameService) -> object:
    """The names of all games; an error if some are missing."""
    damaged_names = service.damaged_names()
    return StoreError(damaged_names[0]) if damaged_names else service.game_names()


def read_list_row(service: GameService, game: str) -> object:
    """A game as `zim games` lists it; an error if it is damaged or reported missing."""
    for row in service.games():
        if row.name == game:
            return row if row.seats else StoreError(row.status)
    names = read_names(service)
    return names if isinstance(names, Exception) else f"not there, but {names}"


def read_lines(service: GameService, game: str) -> object:
    """The lines of a game as `zim lines` lists them."""
    lines = service.lines(game)
    return next((StoreError(line.status) for line in lines if not line.digest), lines)


def position_content(position: Position) -> object:
    """A position as its status and its canonical state."""
    return position.status, position.game.evolution.canonical(position.state)


def audit_result(audits: Iterable[Audit]) -> object:
    """The audits of lines; an error if one has a fault."""
    audit_list = [*audits]
    return next((StoreError(audit.fault.what) for audit in audit_list if audit.fault), audit_list)


def check_result(service: GameService) -> object:
    """The result of `zim db check`; an error if it finds a fault."""
    faults = service.check()
    return StoreError(faults[0].what) if faults else "whole"


def salvage_result(service: GameService) -> object:
    """The result of `zim db salvage` into a new store; an error if something is lost."""
    salvage = maintenance.save_intact_streams(service.store, "memory:")
    return StoreError(f"{len(salvage.lost)} are lost") if salvage.lost else (sorted(salvage.streams), salvage.games)


Query: TypeAlias = Callable[[GameService, str], object]
"""Reads something from the store, a game or a line. It reports damage by raising or returning an error."""
STORE_QUERIES: Mapping[str, Query] = {
    "names": lambda service, _: read_names(service),
    "verify --all": lambda service, _: audit_result(service.verify_all()),
    "check": lambda service, _: check_result(service),
    "witness": lambda service, _: [(head.stream, head.entries, head.digest) for head in service.witness().heads],
    "export": lambda service, _: [*service.export(EVERYTHING)],
    "salvage": lambda service, _: salvage_result(service),
}
GAME_QUERIES: Mapping[str, Query] = {
    "games": read_list_row,
    "lines": read_lines,
    "talk": lambda service, game: service.talk(game, by="ann"),
    "requests": lambda service, game: service.query(requests, PageQuery(), game).requests,
    "operations": lambda service, game: service.operations(game),
}
LINE_QUERIES: Mapping[str, Query] = {
    "log": lambda service, line: service.log(line, all_=True),
    "show": lambda service, line: position_content(service.position(line)),
    "legal": lambda service, line: [*service.position(line).legal().texts()],
    "verify": lambda service, line: audit_result([service.verify(line)]),
    "certificate": lambda service, line: certificates.to_bytes(service.certificate(line)),
}
GAME_NAMES, LINE_NAMES = ("g0", "g1", "g2"), ("main", "what-if")
ALL_QUERIES = (
    ("", STORE_QUERIES),
    *((name, GAME_QUERIES) for name in GAME_NAMES),
    *((f"{game}/{line}", LINE_QUERIES) for game, line in product(GAME_NAMES, LINE_NAMES)),
)
"""Everything that is read from the store under attack."""


def answer_all_queries(path: Path) -> Iterator[tuple[str, str | Exception]]:
    """Yields the answer to each of `ALL_QUERIES`, or the error. "Not there" is an answer, not an error."""
    for subject, queries in ALL_QUERIES:
        with open_store_file(path) as service:
            for name, query in queries.items():
                try:
                    answer = query(service, subject)
                except UnknownError as error:
                    answer = f"not there: {error}"
                except ERRORS as error:
                    answer = error
                except Exception as error:
                    raise Breach(f"{name} {subject}: a bug: {error!r}") from error
                yield f"{name} {subject}", answer if isinstance(answer, Exception) else repr(answer)


class Target(NamedTuple):
    """The store under attack, a copy from when it had half its content, the true answers, and a folder for copies."""

    folder: Path
    store_file: Path
    older_file: Path
    true_answers: Mapping[str, str | Exception]

    def copy(self, content: bytes | None = None) -> Path:
        """A fresh copy of the file, or a file with other content in its place."""
        path = self.folder / "attacked.db"
        for file in self.folder.glob("attacked.db*"):
            file.unlink()
        path.write_bytes(self.store_file.read_bytes() if content is None else content)
        return path

    def new_folder(self, name: str) -> Path:
        """An empty folder that had no name before: a store that is still open must not be found there."""
        return Path(tempfile.mkdtemp(prefix=f"{name}-", dir=self.folder))

    def compare_answers(self, path: Path, report: ReportOutcome) -> None:
        """Reads a store. Raises `Breach` unless every answer is true or an error."""
        for query_text, answer in answer_all_queries(path):
            if not isinstance(answer, Exception) and answer != self.true_answers[query_text]:
                raise Breach(f"{query_text}: {answer} is not {self.true_answers[query_text]}")
            report(ERROR_ANSWER if isinstance(answer, Exception) else TRUE_ANSWER)


def create_target(folder: Path) -> Target:
    """Creates a store of three games, each with a fork, chat, and a move that was undone."""
    store_file, older_file = folder / "whole.db", folder / "older.db"
    with open_store_file(store_file, "") as service:
        for name in GAME_NAMES:
            service.new("zimbabwe", {"players": "3", "seed": "7"}, name=name, by="ann")
            for text in ("start g7", "start j7", "start l9", "bid 2", "pass"):
                service.play(name, text, by="ann")
        backup(service.store, older_file)
        for name in GAME_NAMES:
            service.play(name, "pass", by="ann")
            service.undo(name, by="ann")
            service.fork(f"{name}@3", "what-if", by="ann")
            service.say(f"{name}@4", "well bid", by="ann")
    true_answers = dict(answer_all_queries(store_file))
    if failing_queries := [query for query, answer in true_answers.items() if isinstance(answer, Exception)]:
        raise Breach(f"{failing_queries} can't be read from a store that nobody has touched")
    return Target(folder, store_file, older_file, true_answers)


def check_store(service: GameService) -> None:
    """Raises `Breach` if `db check` finds a fault."""
    if faults := service.check():
        raise Breach(f"db check finds {faults}")
