"""Games that are put away: archived, deleted, and deleted for good, on every kind of store."""

from __future__ import annotations

import io
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from event_store import EventStore
from tests.service.nim_service import log_texts, play, service_on
from zimcore.game import GameError
from zimcore.service import ConflictError, GameService, StoreError, TakenError, UnknownError
from zimcore.service.care import maintenance
from zimcore.service.lines.visibility import SPECTATOR
from zimcore.service.proofs import witness
from zimcore.service.proofs.importing import limited_lines
from zimcore.service.records.names import CATALOGUE


@pytest.fixture
def service(store_url: str) -> Iterator[GameService]:
    """Two games; `nim` with two lines, on one of which a move was undone."""
    service = service_on(store_url)
    with service.store:
        begin_games(service)
        yield service


@pytest.fixture
def service_on_file(url: str) -> Iterator[GameService]:
    """The same two games in a file."""
    service = service_on(url)
    with service.store:
        begin_games(service)
        yield service


def begin_games(service: GameService) -> None:
    for name in ("nim", "other"):
        service.new("nim", {"seed": "7"}, name=name, by="ann")
    play(service, "take 1", "take 2")
    service.fork("nim@1", "what-if", by="ann")
    service.switch("nim/main", by="ann")
    service.undo("nim/main", by="ann")


def listed_names(service: GameService) -> list[str]:
    return [info.name for info in service.games() if not info.archived]


def row_keys(service: GameService) -> list[tuple[str, int]]:
    return [(stream, row[0]) for stream, row in service.store.rows()]


def import_into(service: GameService, url: str) -> GameService:
    """A service on a new store that has imported the whole store from a file."""
    new_service = service_on(url, id_prefix="there")
    new_service.import_(limited_lines(io.BytesIO(b"".join(service.export()))), by="ben")
    return new_service


def test_an_archived_game_is_not_listed_and_can_be_played(service: GameService) -> None:
    service.archive("nim", by="ann")
    assert listed_names(service) == ["other"]
    assert service.game_names() == ["nim", "other"]
    assert service.game_names(archived=False) == ["other"]
    assert play(service, "take 1", place="nim/main").commit.number == 2
    service.restore("nim", by="ben")
    assert listed_names(service) == ["nim", "other"]
    assert [(each.what, each.by) for each in service.operations("nim") if each.source == "nim"] == [
        ("archive", "ann"),
        ("restore", "ben"),
    ]


def test_take_back_restores_an_archived_game(service: GameService) -> None:
    service.archive("nim", by="ann")
    service.take_back("nim", by="ann", command_id="c1")
    assert listed_names(service) == ["nim", "other"]
    service.take_back("nim", by="ann", command_id="c1")
    assert listed_names(service) == ["nim", "other"], "a retry changes nothing"
    service.take_back("nim", by="ann")
    assert listed_names(service) == ["other"]
    with pytest.raises(TakenError):
        service.take_back("other", by="ann", command_id="c1", operation="ffff")


def test_a_deleted_game_loses_its_name_and_keeps_its_bytes(service: GameService) -> None:
    rows_before, log_before = row_keys(service), log_texts(service, "nim/main", all_=True)
    service.delete("nim", by="ann")
    assert [row for row in row_keys(service) if row[0] != CATALOGUE] == [
        row for row in rows_before if row[0] != CATALOGUE
    ]
    assert (listed_names(service), service.deleted_games()) == (["other"], ["nim"])
    for question in (service.position, service.log, service.operations, service.verify, service.certificate):
        with pytest.raises(UnknownError, match="nim was deleted: its moves are still in the store") as error:
            question("nim")
        assert error.value.hints == ("delete nim --back",)
    with pytest.raises(UnknownError, match="'nim' is the name of a game that was deleted"):
        service.new("nim", {}, name="nim", by="ann")
    service.restore("nim", by="ann")
    assert log_texts(service, "nim/main", all_=True) == log_before
    assert service.current_line("nim", by="ann") == "nim"


def test_a_deleted_archived_game_is_restored_as_archived(service: GameService) -> None:
    for operation_method in (service.archive, service.delete, service.restore):
        operation_method("nim", by="ann")
    assert (listed_names(service), service.game_names()) == (["other"], ["other", "nim"])
    with pytest.raises(GameError, match="this can't be taken back: the game would lose its name"):
        service.take_back("nim", by="ann")


def test_a_new_game_never_gets_the_name_of_a_deleted_one(service: GameService) -> None:
    assert service.new("nim", {}, by="ann").match == "nim-1"
    service.delete("nim-1", by="ann")
    assert service.new("nim", {}, by="ann").match == "nim-2"
    certificate = service.certificate("nim")
    service.delete("nim", by="ann")
    assert service.adopt(certificate, by="ann").match == "nim-3"
    with pytest.raises(UnknownError, match="the name of a game that was deleted"):
        service.adopt(certificate, "nim", by="ann")


@pytest.mark.parametrize("operation", ["archive", "restore", "delete"])
def test_a_retried_archive_restore_or_delete_is_done_once(service: GameService, operation: str) -> None:
    if operation == "restore":
        service.archive("nim", by="ann")
    operation_method = getattr(service, operation)
    operation_method("nim", by="ann", command_id="c1")
    rows_before = row_keys(service)
    operation_method("nim", by="ann", command_id="c1")
    for name, by in (("nim", "ben"), ("other", "ann")):
        with pytest.raises(TakenError):
            operation_method(name, by=by, command_id="c1")
    with pytest.raises(UnknownError):
        operation_method("nim", by="ann", command_id="c2")
    assert row_keys(service) == rows_before


@pytest.mark.parametrize("operation", ["archive", "delete"])
def test_archive_and_delete_check_the_expected_head(service: GameService, operation: str) -> None:
    operation_method, head = getattr(service, operation), service.position("nim/main").commit.digest
    rows_before = row_keys(service)
    with pytest.raises(ConflictError, match="nim/main has moved on"):
        operation_method("nim", by="ann", expected="0" * 8, command_id="c1")
    assert row_keys(service) == rows_before
    for _ in range(2):
        operation_method("nim", by="ann", expected=head, command_id="c1")


@pytest.mark.parametrize("place", ["nim/what-if", "nim@1"])
def test_only_a_whole_game_is_archived_or_deleted(service: GameService, place: str) -> None:
    for operation_method in (service.archive, service.delete, service.restore, service.remove):
        with pytest.raises(GameError, match="only a whole game can be archived"):
            operation_method(place, by="ann")


def test_a_spectator_archives_and_deletes_nothing(service: GameService) -> None:
    for operation_method in (service.archive, service.delete, service.restore, service.remove):
        with pytest.raises(GameError, match="not for a spectator"):
            operation_method("nim", by="ann", viewer=SPECTATOR)


@pytest.mark.parametrize("operation", ["archive", "delete"])
def test_archived_and_deleted_games_are_still_verified(service: GameService, operation: str, tmp_path: Path) -> None:
    witness_before = service.witness()
    getattr(service, operation)("nim", by="ann")
    listed_name = {"archive": "nim", "delete": "nim (deleted)"}[operation]
    assert {(audit.game, audit.line, audit.fault) for audit in service.verify_all()} == {
        (listed_name, "main", None),
        (listed_name, "what-if", None),
        ("other", "main", None),
    }
    assert not service.losses(witness_before)
    assert not service.check()
    assert f"{listed_name}/what-if" in {head.name for head in service.witness().heads}
    saved_url = f"sqlite:///{tmp_path}/saved.zim"
    assert not maintenance.save_intact_streams(service.store, saved_url).lost
    saved_service = service_on(saved_url)
    assert (listed_names(saved_service), saved_service.deleted_games()) == (
        listed_names(service),
        service.deleted_games(),
    )
    assert not saved_service.check()


@pytest.mark.parametrize("operation", ["archive", "delete"])
def test_an_export_has_archived_and_deleted_games(service: GameService, operation: str, tmp_path: Path) -> None:
    getattr(service, operation)("nim", by="ann")
    new_service = import_into(service, f"sqlite:///{tmp_path}/there.zim")
    assert list(new_service.export()) == list(service.export())
    new_service.restore("nim", by="ben")
    assert log_texts(new_service, "nim/main") == ["0 set up 10", "1 take 1"]


def test_a_deleted_game_that_was_altered_is_found(service_on_file: GameService, url: str) -> None:
    stream = service_on_file.operations("nim") and service_on_file._repository.names("nim").lines["main"]
    service_on_file.delete("nim", by="ann")
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)) as database:
        database.execute(
            "UPDATE stored_events SET state = x'c1' WHERE originator_id = ? AND originator_version = 2", [stream]
        )
    assert [audit.game for audit in service_on(url).verify_all() if audit.fault] == ["nim (deleted)"] * 2


def test_a_removed_game_leaves_no_bytes(service_on_file: GameService, url: str) -> None:
    path, removed_name = Path(url.removeprefix("sqlite:///")), b"what-if"
    streams_before = {stream for stream, _ in row_keys(service_on_file)}
    service_on_file.rename("nim/what-if", "renamed", by="ann")
    assert removed_name in path.read_bytes() + path.with_name(f"{path.name}-wal").read_bytes()
    service_on_file.remove("nim", by="ann")
    remaining_streams = {stream for stream, _ in row_keys(service_on_file)}
    assert len(streams_before) - len(remaining_streams) == 3
    assert removed_name not in b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert (listed_names(service_on_file), service_on_file.deleted_games()) == (["other"], [])
    with pytest.raises(UnknownError, match="no game called 'nim': ann deleted it for good on 2024-05-01"):
        service_on_file.position("nim")
    assert not service_on_file.check()
    assert [audit.game for audit in service_on_file.verify_all()] == ["other"]
    assert log_texts(service_on_file, "other") == ["0 set up 10"]
    assert service_on_file.new("nim", {}, name="nim", by="ann").match == "nim"


def test_a_deleted_game_can_be_removed(service_on_file: GameService) -> None:
    assert (service_on_file.contents("nim").line_count, service_on_file.contents("nim").move_count) == (2, 2)
    service_on_file.delete("nim", by="ann")
    assert service_on_file.contents("nim").move_count == 2
    service_on_file.remove("nim", by="ann", command_id="c1")
    service_on_file.remove("nim", by="ann", command_id="c1")
    assert service_on_file.deleted_games() == []


def test_remove_takes_an_unnamed_fork_of_a_crash_too(
    service_on_file: GameService, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(type(service_on_file._writer), "append_from_fold", crash)
        with pytest.raises(KeyboardInterrupt):
            service_on_file.fork("nim/what-if@1", "lost", by="ann")
    service_on_file.remove("nim", by="ann")
    assert not service_on_file.check()
    assert len({stream for stream, _ in row_keys(service_on_file)}) == 3


def test_a_witness_reports_a_removed_game_as_deleted(service_on_file: GameService) -> None:
    witness_before = service_on_file.witness()
    service_on_file.remove("nim", by="ann")
    losses = service_on_file.losses(witness_before)
    assert {loss.kind for loss in losses} == {witness.DELETED}
    assert len(losses) == 3
    assert losses[0].what == "nim: ann deleted it for good on 2024-05-01"


def test_a_removed_game_is_not_imported_again(service_on_file: GameService) -> None:
    export = list(service_on_file.export())
    service_on_file.remove("nim", by="ann")
    remaining_rows = row_keys(service_on_file)
    service_on_file.import_(iter(export), by="ben")
    assert row_keys(service_on_file) == remaining_rows


def test_a_store_with_a_removed_game_can_be_exported(service_on_file: GameService, tmp_path: Path) -> None:
    service_on_file.remove("nim", by="ann")
    new_service = import_into(service_on_file, f"sqlite:///{tmp_path}/there.zim")
    assert list(new_service.export()) == list(service_on_file.export())
    assert not new_service.check()


def test_an_open_line_of_a_removed_game_can_t_be_played_on(service_on_file: GameService, url: str) -> None:
    other_service = service_on(url, id_prefix="ben")
    with other_service.store:
        play(other_service, "take 1", place="nim/main")
        service_on_file.remove("nim", by="ann")
        remaining_rows = row_keys(service_on_file)
        with pytest.raises(UnknownError, match="for good"):
            other_service.play("nim/main", "take 1", by="ben")
        assert row_keys(service_on_file) == remaining_rows


def test_nothing_is_played_in_a_game_that_somebody_else_has_deleted(service_on_file: GameService, url: str) -> None:
    other_service = service_on(url, id_prefix="ben")
    with other_service.store:
        play(other_service, "take 1", place="nim/main")
        service_on_file.delete("nim", by="ann")
        with pytest.raises(UnknownError, match="nim was deleted"):
            other_service.play("nim/main", "take 1", by="ben")
        service_on_file.restore("nim", by="ann")
        other_service.play("nim/main", "take 1", by="ben")


def test_remove_reports_bytes_that_a_reader_keeps_in_the_log(service_on_file: GameService, url: str) -> None:
    path = Path(url.removeprefix("sqlite:///"))
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM stored_events").fetchone()
        with pytest.raises(StoreError, match="what was removed is still in the write-ahead log") as error:
            service_on_file.remove("nim", by="ann")
        assert error.value.hints == ("another program is writing to it: try again",)
        reader.execute("COMMIT")
    service_on_file.remove("nim", by="ann")
    assert b"what-if" not in b"".join(file.read_bytes() for file in path.parent.iterdir())


def test_a_damaged_game_can_be_removed(service_on_file: GameService, url: str) -> None:
    stream = service_on_file._repository.names("nim").lines["main"]
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)) as database:
        database.execute(
            "UPDATE stored_events SET state = x'c1' WHERE originator_id = ? AND originator_version = 2", [stream]
        )
    service = service_on(url)
    service.remove("nim", by="ann")
    assert not service.check()


@pytest.mark.parametrize("backend", ["memory:", "postgresql"])
def test_games_are_removed_from_files_only(request: pytest.FixtureRequest, backend: str) -> None:
    url: str = backend if backend == "memory:" else request.getfixturevalue("postgres_store")
    service = service_on(url)
    with service.store:
        begin_games(service)
        rows_before = row_keys(service)
        with pytest.raises(GameError, match="only from a file of your own"):
            service.remove("nim", by="ann")
        assert row_keys(service) == rows_before


def test_a_read_only_store_removes_nothing(service_on_file: GameService, url: str) -> None:
    rows_before = row_keys(service_on_file)
    service_on_file.store.close()
    with pytest.raises(StoreError):
        service_on(f"{url}?mode=ro").remove("nim", by="ann")
    with EventStore.open(url) as store:
        assert [(stream, row[0]) for stream, row in store.rows()] == rows_before


def test_a_witness_notices_a_missing_note_of_a_removed_game(service_on_file: GameService, url: str) -> None:
    service_on_file.remove("nim", by="ann")
    witness_before = service_on_file.witness()
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)) as database:
        database.execute("DELETE FROM stored_events WHERE originator_id = 'games' AND originator_version > 3")
    assert [(loss.kind, loss.name) for loss in service_on(url).losses(witness_before)] == [
        ("cut off", "the names of all games")
    ]


OPERATIONS: list[Callable[[GameService], None]] = [
    lambda service: service.archive("nim", by="ann"),
    lambda service: service.delete("nim", by="ann"),
    lambda service: service.restore("nim", by="ann"),
]


@pytest.mark.parametrize("last_operation", OPERATIONS[1:])
def test_a_damaged_event_of_a_game_in_the_catalogue_hides_no_other_game(
    service_on_file: GameService, url: str, last_operation: Callable[[GameService], None], tmp_path: Path
) -> None:
    for operation in OPERATIONS[: OPERATIONS.index(last_operation) + 1]:
        operation(service_on_file)
    revision = 4 + 2 * OPERATIONS.index(last_operation)
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)) as database:
        database.execute(
            "UPDATE stored_events SET state = x'c1' WHERE originator_id = 'games' AND originator_version = ?",
            [revision],
        )
    service = service_on(url)
    assert "other" in [info.name for info in service.games()]
    assert service.position("other").commit.number == 0
    new_url = f"sqlite:///{tmp_path}/new.zim"
    assert maintenance.save_intact_streams(service.store, new_url).lost == (CATALOGUE,)
    assert "other" in [info.name for info in service_on(new_url).games()]
    assert not service_on(new_url).check()
