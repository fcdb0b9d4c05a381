"""Games that are put away: archived, deleted, and deleted for good, on every kind of store."""

from __future__ import annotations

import io
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from event_store import EventStore
from tests.service.table import play, service_on, texts
from zimcore.game import GameError
from zimcore.service import ConflictError, GameService, StoreError, TakenError, UnknownError, maintenance, witness
from zimcore.service.importing import lines_of
from zimcore.service.names import CATALOGUE
from zimcore.service.visibility import SPECTATOR


@pytest.fixture(params=["memory:", "sqlite", "postgresql"])
def service(request: pytest.FixtureRequest, url: str) -> Iterator[GameService]:
    """Two games; `nim` with two lines, on one of which a move was undone."""
    server: str = request.getfixturevalue("postgres_store") if request.param == "postgresql" else ""
    service = service_on({"memory:": "memory:", "sqlite": url}.get(request.param, server))
    with service.store:
        begin(service)
        yield service


@pytest.fixture
def service_on_file(url: str) -> Iterator[GameService]:
    """The same in a file."""
    service = service_on(url)
    with service.store:
        begin(service)
        yield service


def begin(service: GameService) -> None:
    for name in ("nim", "other"):
        service.new("nim", {"seed": "7"}, name=name, by="ann")
    play(service, "take 1", "take 2")
    service.fork("nim@1", "what-if", by="ann")
    service.switch("nim/main", by="ann")
    service.undo("nim/main", by="ann")


def listed_names(service: GameService) -> list[str]:
    return [info.name for info in service.games() if not info.archived]


def rows(service: GameService) -> list[tuple[str, int]]:
    return [(stream, row[0]) for stream, row in service.store.rows()]


def in_another(service: GameService, url: str) -> GameService:
    """The whole store in a new one, by a file."""
    remote_service = service_on(url, who="there")
    remote_service.import_(lines_of(io.BytesIO(b"".join(service.export()))), by="ben")
    return remote_service


def test_an_archived_game_is_not_listed_and_is_played_on(service: GameService) -> None:
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


def test_undo_op_takes_an_archived_game_out_again(service: GameService) -> None:
    service.archive("nim", by="ann")
    service.take_back("nim", by="ann", command_id="c1")
    assert listed_names(service) == ["nim", "other"]
    service.take_back("nim", by="ann", command_id="c1")
    assert listed_names(service) == ["nim", "other"], "asked again it is not done again"
    service.take_back("nim", by="ann")
    assert listed_names(service) == ["other"]
    with pytest.raises(TakenError):
        service.take_back("other", by="ann", command_id="c1", operation="ffff")


def test_a_deleted_game_has_no_name_and_all_its_bytes(service: GameService) -> None:
    before, log = rows(service), texts(service, "nim/main", all_=True)
    service.delete("nim", by="ann")
    assert [row for row in rows(service) if row[0] != CATALOGUE] == [row for row in before if row[0] != CATALOGUE]
    assert (listed_names(service), service.deleted_games()) == (["other"], ["nim"])
    for ask in (service.position, service.log, service.operations, service.verify, service.certificate):
        with pytest.raises(UnknownError, match="nim was deleted: its moves are still in the store") as error:
            ask("nim")
        assert error.value.hints == ("delete nim --back",)
    with pytest.raises(UnknownError, match="nim is the name of a game that was deleted"):
        service.new("nim", {}, name="nim", by="ann")
    service.restore("nim", by="ann")
    assert texts(service, "nim/main", all_=True) == log
    assert service.current_line("nim", by="ann") == "nim"


def test_what_was_archived_comes_back_archived(service: GameService) -> None:
    for do in (service.archive, service.delete, service.restore):
        do("nim", by="ann")
    assert (listed_names(service), service.game_names()) == (["other"], ["other", "nim"])
    with pytest.raises(GameError, match="this can't be taken back so"):
        service.take_back("nim", by="ann")


def test_a_game_without_a_name_gets_none_that_can_be_restored(service: GameService) -> None:
    assert service.new("nim", {}, by="ann").match == "nim-1"
    service.delete("nim-1", by="ann")
    assert service.new("nim", {}, by="ann").match == "nim-2"
    certificate = service.certificate("nim")
    service.delete("nim", by="ann")
    assert service.adopt(certificate, by="ann").match == "nim-3"
    with pytest.raises(UnknownError, match="the name of a game that was deleted"):
        service.adopt(certificate, "nim", by="ann")


@pytest.mark.parametrize("what", ["archive", "restore", "delete"])
def test_asked_again_it_is_not_done_again(service: GameService, what: str) -> None:
    if what == "restore":
        service.archive("nim", by="ann")
    act = getattr(service, what)
    act("nim", by="ann", command_id="c1")
    before = rows(service)
    act("nim", by="ann", command_id="c1")
    for name, by in (("nim", "ben"), ("other", "ann")):
        with pytest.raises(TakenError):
            act(name, by=by, command_id="c1")
    with pytest.raises(UnknownError):
        act("nim", by="ann", command_id="c2")
    assert rows(service) == before


@pytest.mark.parametrize("what", ["archive", "delete"])
def test_what_is_expected_is_the_head_of_its_line(service: GameService, what: str) -> None:
    act, head = getattr(service, what), service.position("nim/main").commit.digest
    before = rows(service)
    with pytest.raises(ConflictError, match="nim/main has moved on"):
        act("nim", by="ann", expected="0" * 8, command_id="c1")
    assert rows(service) == before
    for _ in range(2):
        act("nim", by="ann", expected=head, command_id="c1")


@pytest.mark.parametrize("place", ["nim/what-if", "nim@1"])
def test_a_game_is_put_away_whole(service: GameService, place: str) -> None:
    for act in (service.archive, service.delete, service.restore, service.remove):
        with pytest.raises(GameError, match="only a whole game can be archived"):
            act(place, by="ann")


def test_a_spectator_puts_nothing_away(service: GameService) -> None:
    for act in (service.archive, service.delete, service.restore, service.remove):
        with pytest.raises(GameError, match="not for a spectator"):
            act("nim", by="ann", viewer=SPECTATOR)


@pytest.mark.parametrize("what", ["archive", "delete"])
def test_archived_and_deleted_games_are_still_verified(service: GameService, what: str, tmp_path: Path) -> None:
    noted = service.witness()
    getattr(service, what)("nim", by="ann")
    called = {"archive": "nim", "delete": "nim (deleted)"}[what]
    assert {(audit.game, audit.line, audit.fault) for audit in service.verify_all()} == {
        (called, "main", None),
        (called, "what-if", None),
        ("other", "main", None),
    }
    assert not service.losses(noted)
    assert not service.check()
    assert f"{called}/what-if" in {head.name for head in service.witness().heads}
    saved = f"sqlite:///{tmp_path}/saved.zim"
    assert not maintenance.save(service.store, saved).lost
    new = service_on(saved)
    assert (listed_names(new), new.deleted_games()) == (listed_names(service), service.deleted_games())
    assert not new.check()


@pytest.mark.parametrize("what", ["archive", "delete"])
def test_a_whole_store_is_carried_elsewhere_with_what_was_put_away(
    service: GameService, what: str, tmp_path: Path
) -> None:
    getattr(service, what)("nim", by="ann")
    there = in_another(service, f"sqlite:///{tmp_path}/there.zim")
    assert list(there.export()) == list(service.export())
    there.restore("nim", by="ben")
    assert texts(there, "nim/main") == ["0 set up 10", "1 take 1"]


def test_a_deleted_game_that_was_altered_is_found(service_on_file: GameService, url: str) -> None:
    stream = service_on_file.operations("nim") and service_on_file._lines.names("nim").lines["main"]
    service_on_file.delete("nim", by="ann")
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)) as file:
        file.execute(
            "UPDATE stored_events SET state = x'c1' WHERE originator_id = ? AND originator_version = 2", [stream]
        )
    assert [audit.game for audit in service_on(url).verify_all() if audit.fault] == ["nim (deleted)"] * 2


def test_of_what_is_deleted_for_good_nothing_is_left(service_on_file: GameService, url: str) -> None:
    path, secret = Path(url.removeprefix("sqlite:///")), b"what-if"
    before = {stream for stream, _ in rows(service_on_file)}
    service_on_file.rename("nim/what-if", "renamed", by="ann")
    assert secret in path.read_bytes() + path.with_name(f"{path.name}-wal").read_bytes()
    service_on_file.remove("nim", by="ann")
    left = {stream for stream, _ in rows(service_on_file)}
    assert len(before) - len(left) == 3
    assert secret not in b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert (listed_names(service_on_file), service_on_file.deleted_games()) == (["other"], [])
    with pytest.raises(UnknownError, match="no game called 'nim': ann has deleted it for good on 2024-05-01"):
        service_on_file.position("nim")
    assert not service_on_file.check()
    assert [audit.game for audit in service_on_file.verify_all()] == ["other"]
    assert texts(service_on_file, "other") == ["0 set up 10"]
    assert service_on_file.new("nim", {}, name="nim", by="ann").match == "nim"


def test_what_was_deleted_goes_for_good_too(service_on_file: GameService) -> None:
    assert (service_on_file.contents("nim").lines, service_on_file.contents("nim").moves) == (2, 2)
    service_on_file.delete("nim", by="ann")
    assert service_on_file.contents("nim").moves == 2
    service_on_file.remove("nim", by="ann", command_id="c1")
    service_on_file.remove("nim", by="ann", command_id="c1")
    assert service_on_file.deleted_games() == []


def test_a_fork_that_a_crash_has_left_goes_along(service_on_file: GameService, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr(type(service_on_file._writer), "append_chosen", crash)
        with pytest.raises(KeyboardInterrupt):
            service_on_file.fork("nim/what-if@1", "lost", by="ann")
    service_on_file.remove("nim", by="ann")
    assert not service_on_file.check()
    assert len({stream for stream, _ in rows(service_on_file)}) == 3


def test_a_witness_tells_that_it_was_deleted_and_not_dropped(service_on_file: GameService) -> None:
    noted = service_on_file.witness()
    service_on_file.remove("nim", by="ann")
    losses = service_on_file.losses(noted)
    assert {loss.kind for loss in losses} == {witness.DELETED}
    assert len(losses) == 3
    assert losses[0].what == "nim: ann has deleted it for good on 2024-05-01"


def test_what_was_deleted_for_good_is_not_imported_again(service_on_file: GameService) -> None:
    exported = list(service_on_file.export())
    service_on_file.remove("nim", by="ann")
    left = rows(service_on_file)
    service_on_file.import_(iter(exported), by="ben")
    assert rows(service_on_file) == left


def test_a_store_with_a_game_that_was_deleted_for_good_is_carried_elsewhere(
    service_on_file: GameService, tmp_path: Path
) -> None:
    service_on_file.remove("nim", by="ann")
    there = in_another(service_on_file, f"sqlite:///{tmp_path}/there.zim")
    assert list(there.export()) == list(service_on_file.export())
    assert not there.check()


def test_an_open_line_of_a_removed_game_can_t_be_played_on(service_on_file: GameService, url: str) -> None:
    second_service = service_on(url, who="ben")
    with second_service.store:
        play(second_service, "take 1", place="nim/main")
        service_on_file.remove("nim", by="ann")
        left = rows(service_on_file)
        with pytest.raises(ConflictError):
            second_service.play("nim/main", "take 1", by="ben")
        assert rows(service_on_file) == left


def test_while_others_read_the_file_its_bytes_are_reported_as_present(service_on_file: GameService, url: str) -> None:
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


def test_a_damaged_game_can_be_deleted_for_good(service_on_file: GameService, url: str) -> None:
    stream = service_on_file._lines.names("nim").lines["main"]
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)) as file:
        file.execute(
            "UPDATE stored_events SET state = x'c1' WHERE originator_id = ? AND originator_version = 2", [stream]
        )
    service = service_on(url)
    service.remove("nim", by="ann")
    assert not service.check()


@pytest.mark.parametrize("kept", ["memory:", "postgresql"])
def test_only_from_a_file_is_anything_removed(request: pytest.FixtureRequest, kept: str) -> None:
    url: str = kept if kept == "memory:" else request.getfixturevalue("postgres_store")
    service = service_on(url)
    with service.store:
        begin(service)
        before = rows(service)
        with pytest.raises(GameError, match="only from a file of your own"):
            service.remove("nim", by="ann")
        assert rows(service) == before


def test_a_store_that_may_only_be_read_loses_nothing(service_on_file: GameService, url: str) -> None:
    before = rows(service_on_file)
    service_on_file.store.close()
    with pytest.raises(StoreError):
        service_on(f"{url}?mode=ro").remove("nim", by="ann")
    with EventStore.open(url) as store:
        assert [(stream, row[0]) for stream, row in store.rows()] == before


def test_a_note_that_was_dropped_from_the_catalogue_is_missed(service_on_file: GameService, url: str) -> None:
    service_on_file.remove("nim", by="ann")
    noted = service_on_file.witness()
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)) as file:
        file.execute("DELETE FROM stored_events WHERE originator_id = 'games' AND originator_version > 3")
    assert [(loss.kind, loss.name) for loss in service_on(url).losses(noted)] == [("cut off", "the names of all games")]


FORMS: list[Callable[[GameService], None]] = [
    lambda service: service.archive("nim", by="ann"),
    lambda service: service.delete("nim", by="ann"),
    lambda service: service.restore("nim", by="ann"),
]


@pytest.mark.parametrize("act", FORMS[1:])
def test_a_catalogue_that_lost_what_it_says_of_a_game_hides_no_other(
    service_on_file: GameService, url: str, act: Callable[[GameService], None], tmp_path: Path
) -> None:
    for form in FORMS[: FORMS.index(act) + 1]:
        form(service_on_file)
    revision = 4 + 2 * FORMS.index(act)
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)) as file:
        file.execute(
            "UPDATE stored_events SET state = x'c1' WHERE originator_id = 'games' AND originator_version = ?",
            [revision],
        )
    service = service_on(url)
    assert "other" in [info.name for info in service.games()]
    assert service.position("other").commit.number == 0
    new = f"sqlite:///{tmp_path}/new.zim"
    assert maintenance.save(service.store, new).lost == (CATALOGUE,)
    assert "other" in [info.name for info in service_on(new).games()]
    assert not service_on(new).check()
