"""Projections of lines are written with moves, rebuilt if they are behind, and checked against their lines."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.nim import GAME
from tests.service.nim_service import play, service_on
from zimcore.service import GameService
from zimcore.service.lines import line_projections
from zimcore.service.records.names import LineNamed


def begin_two_games(url: str) -> GameService:
    service = service_on(url)
    for name in ("g0", "g1"):
        service.new("nim", {"seed": "7"}, name=name, by="ann")
        play(service, "take 1", "take 2", place=name)
    service.undo("g0", by="ann")
    service.fork("g1@1", "what-if", by="ann")
    return service


def test_lists_from_projections_agree_with_the_lines(store_url: str) -> None:
    service = begin_two_games(store_url)
    games = service.games()
    lines = {name: service.lines(name) for name in ("g0", "g1")}
    assert [(info.name, info.line, info.lines, info.head, info.status) for info in games] == [
        ("g0", "main", 1, 1, "round 1 · Ben to act"),
        ("g1", "main", 2, 2, "round 2 · Ann to act"),
    ]
    assert [(line.name, line.parent, line.forked_at) for line in lines["g1"]] == [
        ("main", "", None),
        ("what-if", "main", 1),
    ]
    for name, infos in lines.items():
        for info in infos:
            position = service.position(f"{name}/{info.name}")
            assert (info.digest, info.status) == (position.commit.digest, position.status)
    assert service.games() == games
    assert not any(audit.fault for audit in service.verify_all())
    delete_projections(service)
    assert service.games() == games, "the projections are made again"
    assert {name: service.lines(name) for name in lines} == lines


@pytest.mark.parametrize("store_url", ["sqlite", "postgresql"], indirect=True)
@pytest.mark.parametrize("method", ["projections", "read_streams", "read"])
def test_a_list_is_made_while_others_fork(store_url: str, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another line begins whenever something is read for the list."""
    service, other_service = begin_two_games(store_url), service_on(store_url, id_prefix="other")
    original_read, fork_numbers = getattr(service.store, method), iter(range(1, 6))

    def fork_and_read(*args: Any, **kwargs: Any) -> Any:
        if number := next(fork_numbers, 0):
            other_service.fork("g1@1", f"fork-{number}", by="ben")
        return original_read(*args, **kwargs)

    monkeypatch.setattr(service.store, method, fork_and_read)
    with service.store, other_service.store:
        for _ in range(3):
            line_names = [info.name for info in service.lines("g1")]
            assert line_names[:2] == ["main", "what-if"]
            assert [info.name for info in service.games()] == ["g0", "g1"]
        assert [info.name for info in service.lines("g1")] == [info.name for info in other_service.lines("g1")]


def delete_projections(service: GameService) -> None:
    """Deletes all projections, as in a database from before there were any."""
    recorder: Any = service.store._backend.recorder
    if hasattr(recorder, "_projections_by_stream"):
        recorder._projections_by_stream.clear()
    elif hasattr(recorder, "path"):
        with closing(sqlite3.connect(recorder.path, isolation_level=None)) as database:
            database.execute("DROP TABLE projections")
        recorder._has_projections_table = False
    else:
        statement = f"DELETE FROM {recorder.datastore.schema}.projections"
        recorder._retry_on_broken_connection(lambda connection: connection.execute(statement))


def test_a_list_folds_no_line(store_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    service = begin_two_games(store_url)
    service.games()
    monkeypatch.setattr(service._repository, "line", None)
    assert len(service.games()) == 2
    assert len(service.lines("g1")) == 2


def test_a_new_version_of_the_rules_makes_new_projections(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    begin_two_games(url).games()
    monkeypatch.setattr(GAME, "version", "4")
    new_service = service_on(url)
    loaded_line = new_service._repository.line("g0")
    projection = new_service.store.projections([loaded_line.line.stream])[loaded_line.line.stream]
    assert line_projections.decode_projection(projection, loaded_line.game) is None
    assert [info.head for info in new_service.games()] == [1, 2]


def test_a_forged_projection_is_found(url: str) -> None:
    """The digest is valid: only folding the line shows that the projection is wrong."""
    service = begin_two_games(url)
    line = service._repository.line("g0").line
    projection = line_projections._projection_decoder.decode(
        service.store.projections([line.stream])[line.stream].content
    )
    content = msgspec.msgpack.encode(msgspec.structs.replace(projection, status="zulu has won"))
    replace_projection(service, line.stream, line.revision, line.last_digest, content)
    assert service.games()[0].status == "zulu has won"
    fault = service.verify("g0").fault
    assert fault
    assert (fault.kind, fault.where) == ("altered", "g0/main, as it is listed")
    assert [audit.game for audit in service.verify_all() if audit.fault] == ["g0"]


def test_forged_names_in_a_snapshot_are_found(url: str) -> None:
    service = begin_two_games(url)
    names = service._repository.names("g0")
    names.evolve(LineNamed("never", "nowhere"), "ann", datetime(2024, 5, 1, tzinfo=UTC))
    replace_projection(service, names.stream, names.revision, names.digest, line_projections.encode_names(names))
    assert [audit.game for audit in service_on(url).verify_all() if audit.fault] == ["g0"]


def replace_projection(service: GameService, stream: str, revision: int, digest: bytes, content: bytes) -> None:
    with closing(sqlite3.connect(service.store._backend.recorder.path, isolation_level=None)) as database:  # type: ignore[attr-defined]
        database.execute("DELETE FROM projections WHERE stream = ?", (stream,))
    service.store.store_projections([(stream, revision, digest, content)])


def test_a_flipped_bit_in_a_projection_is_not_served(url: str, tmp_path: Path) -> None:
    service = begin_two_games(url)
    games = service.games()
    service.store.close()
    with closing(sqlite3.connect(tmp_path / "games.zim", isolation_level=None)) as database:
        projections = database.execute("SELECT stream, content FROM projections").fetchall()
        for stream, content in projections:
            for bit in range(0, len(content) * 8, 37):
                flipped_content = bytearray(content)
                flipped_content[bit // 8] ^= 1 << bit % 8
                database.execute(
                    "UPDATE projections SET content = ? WHERE stream = ?", (bytes(flipped_content), stream)
                )
                assert service_on(f"{url}?mode=ro").games() == games
            database.execute("UPDATE projections SET content = ? WHERE stream = ?", (content, stream))


def test_a_game_is_listed_with_its_first_line(store_url: str) -> None:
    service = begin_two_games(store_url)
    service.fork("g0@1", "a-line", by="ben")
    for _ in range(2):  # the second time from a snapshot of the names
        assert [info.line for info in service.games(by="cid")] == ["main", "main"]
