"""The audit of a whole store: every line of every game, in several processes where there are many."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests.service.table import play, service_on
from zimcore.service import GameService
from zimcore.service import audit as module

KEY = "originator_id = ? AND originator_version = ?"
ROW = f"FROM stored_events WHERE {KEY}"


@pytest.fixture
def many(url: str) -> GameService:
    """A store with six games, of which each has two lines."""
    service = service_on(url)
    for number in range(6):
        service.new("nim", {"seed": "7"}, name=f"g{number}", by="ann")
        play(service, "take 1", place=f"g{number}")
        service.fork(f"g{number}@0", "what-if", by="ann")
    return service


@pytest.fixture(params=[module.FEW, 2], ids=["in this process", "in others"])
def few(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FEW", request.param)
    monkeypatch.setattr(module, "_cores", lambda: 2)


@pytest.mark.usefixtures("few")
def test_every_line_of_every_game_is_verified(many: GameService) -> None:
    told: list[tuple[int, int]] = []
    audits = many.verify_all(lambda done, of: told.append((done, of)))
    assert [(audit.game, audit.line) for audit in audits] == [
        (f"g{number}", line) for number in range(6) for line in ("main", "what-if")
    ]
    assert {audit.commits for audit in audits} == {1, 2}
    assert not any(audit.fault for audit in audits)
    assert told == [(done, 6) for done in range(7)]


@pytest.mark.usefixtures("few")
def test_a_fault_is_its_line_s_only(many: GameService, tmp_path: Path) -> None:
    stream = many._lines.line("g3", "main").line.stream
    alter(tmp_path, stream, 4, b"ann", b"eve")
    faults = {f"{audit.game}/{audit.line}": audit.fault.kind for audit in many.verify_all() if audit.fault}
    assert faults == {"g3/main": "altered"}


@pytest.mark.usefixtures("many")
def test_altered_names_are_told_and_the_games_before_are_gone_over(tmp_path: Path) -> None:
    alter(tmp_path, "games", 10, b"g5", b"g6")
    names, *rest = service_on(f"sqlite:///{tmp_path}/games.zim").verify_all()
    assert names.fault
    assert (names.game, names.fault.kind) == ("", "altered")
    assert [audit.game for audit in rest if not audit.fault] == [f"g{n // 2}" for n in range(10)]


def test_a_kind_of_game_that_is_not_there_is_told(many: GameService, url: str) -> None:
    audits = service_on(url, {}).verify_all()
    assert len(audits) == 6
    assert audits[0].fault
    assert audits[0].fault.what == "there is no kind of game called 'nim'"
    assert many.verify_all()[0].fault is None


def alter(folder: Path, stream: str, revision: int, old: bytes, new: bytes) -> None:
    """Changes what is stored in a row."""
    with sqlite3.connect(folder / "games.zim") as database:
        where = (stream, revision)
        (was,) = database.execute(f"SELECT state {ROW}", where).fetchone()
        assert old in was
        database.execute(f"UPDATE stored_events SET state = ? WHERE {KEY}", (was.replace(old, new), *where))


def test_an_empty_store_is_as_it_was(url: str) -> None:
    assert service_on(url).verify_all() == []
