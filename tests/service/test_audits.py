"""The audit of a whole store: every line of every game, in several processes where there are many."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import msgspec
import pytest

from tests import nim
from tests.service.nim_service import play, service_on
from zimcore.service import GameService
from zimcore.service.proofs import audit as audit_module
from zimcore.service.records.names import GameNamed, LineForgotten

ROW_CONDITION = "originator_id = ? AND originator_version = ?"
FROM_ROW = f"FROM stored_events WHERE {ROW_CONDITION}"


@pytest.fixture
def service_with_six_games(url: str) -> GameService:
    """A store with six games, of which each has two lines."""
    service = service_on(url)
    for number in range(6):
        service.new("nim", {"seed": "7"}, name=f"g{number}", by="ann")
        play(service, "take 1", place=f"g{number}")
        service.fork(f"g{number}@0", "what-if", by="ann")
    return service


@pytest.fixture(params=[audit_module.GAMES_PER_PROCESS, 2], ids=["in this process", "in others"])
def processes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Audits run in this process, or in others."""
    monkeypatch.setattr(audit_module, "GAMES_PER_PROCESS", request.param)
    monkeypatch.setattr(audit_module, "_cpu_count", lambda: 2)


@pytest.mark.usefixtures("processes")
def test_every_line_of_every_game_is_verified(service_with_six_games: GameService) -> None:
    reports: list[tuple[int, int]] = []
    audits = service_with_six_games.verify_all(lambda done, total: reports.append((done, total)))
    assert [(audit.game, audit.line) for audit in audits] == [
        (f"g{number}", line) for number in range(6) for line in ("main", "what-if")
    ]
    assert {audit.commits for audit in audits} == {1, 2}
    assert not any(audit.fault for audit in audits)
    assert reports == [(number, 6) for number in range(7)]


@pytest.mark.usefixtures("processes")
def test_a_fault_is_reported_for_its_line_only(service_with_six_games: GameService, tmp_path: Path) -> None:
    stream = service_with_six_games._repository.line("g3", "main").line.stream
    alter(tmp_path, stream, 4, b"ann", b"eve")
    faults = {
        f"{audit.game}/{audit.line}": audit.fault.kind for audit in service_with_six_games.verify_all() if audit.fault
    }
    assert faults == {"g3/main": "altered"}


def test_an_altered_name_is_reported_and_all_lines_are_checked(
    service_with_six_games: GameService, tmp_path: Path
) -> None:
    line_streams = {service_with_six_games._repository.line("g3", line).line.stream for line in ("main", "what-if")}
    alter(tmp_path, "games", 6, b"g3", b"g6")
    names_audit, *line_audits = service_on(f"sqlite:///{tmp_path}/games.zim").verify_all()
    assert names_audit.fault
    assert (names_audit.game, names_audit.fault.kind) == ("", "altered")
    assert [audit.fault.what for audit in line_audits if audit.fault] == [
        "the list of games has no game of these lines"
    ]
    named_audits, unnamed_audits = line_audits[:10], line_audits[10:]
    assert [audit.game for audit in named_audits] == [f"g{index // 2}" for index in range(12) if index // 2 != 3]
    assert [audit.game for audit in unnamed_audits] == [""] * 3
    assert line_streams < {audit.stream for audit in unnamed_audits}, (
        "the lines that no name leads to, and the names of the lost game"
    )


def test_lines_without_a_name_are_verified(service: GameService, monkeypatch: pytest.MonkeyPatch) -> None:
    play(service, "take 1")
    service.fork("nim@0", "forgotten", by="ann")
    play(service, "take 3")
    service.switch("nim/main", by="ann")
    service.forget("nim/forgotten", by="ann")
    line = service._repository.line("nim").line
    entry = next(entry for entry in service.store.read(line.stream) if entry.is_commit)
    nameless_entry = msgspec.structs.replace(entry, stream="nameless")
    service.store.adopt([nameless_entry, service.store.seal_binding_entry([nameless_entry], "ann", entry.seal.at)])
    assert [(audit.game, audit.line, audit.stream) for audit in service.verify_all()] == [
        ("nim", "main", line.stream),
        ("nim", "forgotten", "id7"),
        ("", "", "nameless"),
    ]
    monkeypatch.setattr(nim, "MAX_TAKEN", 2)
    strict_service = GameService(service.store, games=service.kinds)
    (fault,) = strict_service.check()
    assert (fault.stream, fault.what[:28]) == ("id7", "rules changed: nim/forgotten")
    faults = {audit.stream: audit.fault.what for audit in strict_service.verify_all() if audit.fault}
    assert faults == {"id7": "refused today: MOVE 1 to 2 of 10 stones, not 3"}


def test_a_missing_kind_of_game_is_reported(service_with_six_games: GameService, url: str) -> None:
    audits = service_on(url, {}).verify_all()
    assert len(audits) == 12
    assert audits[0].fault
    assert audits[0].fault.what == "there is no kind of game called 'nim'"
    assert service_with_six_games.verify_all()[0].fault is None


def alter(folder: Path, stream: str, revision: int, old_bytes: bytes, new_bytes: bytes) -> None:
    """Changes what is stored in a row."""
    with sqlite3.connect(folder / "games.zim") as database:
        row_key = (stream, revision)
        (content,) = database.execute(f"SELECT state {FROM_ROW}", row_key).fetchone()
        assert old_bytes in content
        database.execute(
            f"UPDATE stored_events SET state = ? WHERE {ROW_CONDITION}",
            (content.replace(old_bytes, new_bytes), *row_key),
        )


def test_impossible_names_are_reported(service: GameService) -> None:
    """An export by a stranger could contain such names."""
    names = service._repository.names("nim")
    service._writer.append_entry(names.stream, names.revision, [LineForgotten("never")], "eve")
    (audit,) = [audit for audit in GameService(service.store, games=service.kinds).verify_all() if audit.game]
    assert audit.fault
    assert audit.fault.what.endswith("is damaged at revision 3: there is no line called 'never'")
    catalogue = service._repository.catalogue()
    second_naming = GameNamed("nim", "nim", "elsewhere")
    service._writer.append_entry(catalogue.stream, catalogue.revision, [second_naming], "eve")
    assert "there is a game called 'nim' already" in str(service.verify_all()[0].fault)
    assert [fault.stream for fault in service.check()] == ["games", names.stream]


def test_an_empty_store_has_no_audits(url: str) -> None:
    assert service_on(url).verify_all() == []
