"""Reads grow only with what was asked about: rows are counted, not timed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from event_store import Entry, EventStore
from tests.service.nim_service import play, service_on
from zimcli.output.output import Output
from zimcli.session.session import Session
from zimcore.service import GameService
from zimcore.service.lines.line_repository import LineRepository


@pytest.fixture
def entries_read(monkeypatch: pytest.MonkeyPatch) -> list[Entry]:
    """All entries that are read."""
    noted_entries, original_read = list[Entry](), EventStore.read

    def read_and_note(store: EventStore, *args: Any, **kwargs: Any) -> Iterator[Entry]:
        for entry in original_read(store, *args, **kwargs):
            noted_entries.append(entry)
            yield entry

    monkeypatch.setattr(EventStore, "read", read_and_note)
    return noted_entries


def reopen(service: GameService, url: str) -> GameService:
    """The same store, opened without anything in memory."""
    service.store.close()
    return service_on(url, id_prefix="again")


def count_entries_read(folder: Path, fork_count: int, entries_read: list[Entry]) -> int:
    """How many entries are read to list the lines of a game in which each fork is forked from the one before."""
    url = f"sqlite:///{folder}/{fork_count}.zim"
    service = service_on(url)
    service.new("nim", {"seed": "7"}, name="nim", by="ann")
    for number in range(fork_count):
        service.fork("nim", f"f{number}", by="ann")
    service = reopen(service, url)
    entries_read.clear()
    with service.store:
        assert len(service.lines("nim")) == fork_count + 1
    return len(entries_read)


def test_each_fork_costs_one_more_entry_to_list(tmp_path: Path, entries_read: list[Entry]) -> None:
    reads_for_5, reads_for_10, reads_for_20 = (
        count_entries_read(tmp_path, fork_count, entries_read) for fork_count in (5, 10, 20)
    )
    assert (reads_for_10 - reads_for_5, reads_for_20 - reads_for_10) == (5, 10), "one more entry for each fork"


@pytest.mark.parametrize("is_deep", [False, True])
@pytest.mark.parametrize(
    "operation",
    [
        lambda service: service.verify_all(),
        lambda service: service.log_of_lines("nim", service.line_names("nim")),
        lambda service: [service.position(f"nim/f{number}") for number in (11, 0, 6)],
    ],
    ids=["verify", "log", "show"],
)
def test_what_forks_share_is_read_once(
    entries_read: list[Entry], operation: Callable[[GameService], object], is_deep: bool
) -> None:
    """Given 12 forks at the end of a line, or each at the end of the fork before it."""
    read_counts = list[int]()
    for move_count in (10, 60):
        service = service_on("memory:")
        service.new("nim", {"seed": "7", "stones": "999"}, name="nim", by="ann")
        play(service, *["take 1"] * move_count)
        for number in range(12):
            service.fork(f"nim/f{number - 1}" if is_deep and number else "nim/main", f"f{number}", by="ann")
            play(service, "take 1", place=f"nim/f{number}")
        entries_read.clear()
        operation(GameService(service.store, games=service.kinds))
        read_counts.append(len(entries_read))
    assert read_counts[1] - read_counts[0] == 50, "each move of the past once"


def test_a_typed_word_opens_no_other_game(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    service = service_on(url)
    for number in range(6):
        service.new("nim", {"seed": "7"}, name=f"n{number}", by="ann")
        play(service, "take 1", place=f"n{number}")
    service = reopen(service, url)
    opened_games, original_line = list[str](), LineRepository.line

    def note_and_open(repository: LineRepository, match: str, *args: Any) -> Any:
        opened_games.append(match)
        return original_line(repository, match, *args)

    monkeypatch.setattr(LineRepository, "line", note_and_open)
    with service.store:
        session = Session(Output(quiet=True), service=service, by="ann")
        session.enter_position(service.position("n3"))
        assert not session.is_known_place("take")
        assert session.is_known_place("n5")
        session.run_line("legal take")
        session.run_line("take 2")
    assert set(opened_games) == {"n3"}


@pytest.mark.parametrize("backend", ["sqlite", "postgresql"])
def test_verify_of_a_game_reads_the_names_of_all_games_once(
    backend: str, url: str, entries_read: list[Entry], request: pytest.FixtureRequest
) -> None:
    url = str(request.getfixturevalue("postgres_store")) if backend == "postgresql" else url
    service, read_counts = service_on(url), list[int]()
    for game_count in (5, 10, 20):
        for number in range(game_count):
            service.new("nim", {"seed": "7"}, name=f"g{game_count}-{number}", by="ann")
        with reopen(service, url).store as store:
            entries_read.clear()
            assert GameService(store, games=service.kinds).verify("g5-0").fault is None
            read_counts.append(len(entries_read))
        service = service_on(url, id_prefix=f"after-{game_count}")
    assert (read_counts[1] - read_counts[0], read_counts[2] - read_counts[1]) == (10, 20), (
        "an entry a game, and no more"
    )
    service.store.close()
