"""Reads grow only with what was asked about: rows are counted, not timed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from event_store import Entry, EventStore
from tests.service.table import play, service_on
from zimcli.output import Output
from zimcli.session import Session
from zimcore.service import GameService
from zimcore.service.line_repository import LineRepository


@pytest.fixture
def entries(monkeypatch: pytest.MonkeyPatch) -> list[Entry]:
    """All entries that are read."""
    read_entries, read = list[Entry](), EventStore.read

    def count_entries(store: EventStore, *args: Any, **named: Any) -> Iterator[Entry]:
        for entry in read(store, *args, **named):
            read_entries.append(entry)
            yield entry

    monkeypatch.setattr(EventStore, "read", count_entries)
    return read_entries


def again(service: GameService, url: str) -> GameService:
    """The same store, opened without anything in memory."""
    service.store.close()
    return service_on(url, who="again")


def read_for_lines(folder: Path, forks: int, entries: list[Entry], monkeypatch: pytest.MonkeyPatch) -> int:
    """How much is read to list the lines of a game with forks of forks, each of the one before."""
    url = f"sqlite:///{folder}/{forks}.zim"
    service = service_on(url)
    service.new("nim", {"seed": "7"}, name="nim", by="ann")
    for number in range(forks):
        service.fork("nim", f"f{number}", by="ann")
    service = again(service, url)
    entries.clear()
    with service.store:
        assert len(service.lines("nim")) == forks + 1
    return len(entries)


def test_lines_of_forks_of_forks_cost_each_its_own(
    tmp_path: Path, entries: list[Entry], monkeypatch: pytest.MonkeyPatch
) -> None:
    few, more, many = (read_for_lines(tmp_path, forks, entries, monkeypatch) for forks in (5, 10, 20))
    assert (more - few, many - more) == (5, 10), "as many more as there are more lines"


def test_a_word_that_is_typed_opens_no_other_game(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    service = service_on(url)
    for number in range(6):
        service.new("nim", {"seed": "7"}, name=f"n{number}", by="ann")
        play(service, "take 1", place=f"n{number}")
    service = again(service, url)
    opened, line = list[str](), LineRepository.line

    def count_lines(lines: LineRepository, match: str, *args: Any) -> Any:
        opened.append(match)
        return line(lines, match, *args)

    monkeypatch.setattr(LineRepository, "line", count_lines)
    with service.store:
        session = Session(Output(quiet=True), service=service, by="ann")
        session.enter(service.position("n3"))
        assert not session.knows("take")
        assert session.knows("n5")
        session.execute("legal take")
        session.execute("take 2")
    assert set(opened) == {"n3"}


@pytest.mark.parametrize("backend", ["sqlite", "postgresql"])
def test_verify_of_a_game_reads_the_names_of_all_games_once(
    backend: str, url: str, entries: list[Entry], request: pytest.FixtureRequest
) -> None:
    url = str(request.getfixturevalue("postgres_store")) if backend == "postgresql" else url
    service, read = service_on(url), list[int]()
    for more in (5, 10, 20):
        for number in range(more):
            service.new("nim", {"seed": "7"}, name=f"g{more}-{number}", by="ann")
        with again(service, url).store as store:
            entries.clear()
            assert GameService(store, games=service.kinds).verify("g5-0").fault is None
            read.append(len(entries))
        service = service_on(url, who=f"after-{more}")
    assert (read[1] - read[0], read[2] - read[1]) == (10, 20), "an entry a game, and no more"
    service.store.close()
