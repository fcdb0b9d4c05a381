"""Several services on one store, and stores that can't be read or written."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from event_store import Entry
from tests.service.nim_service import log_texts, play, service_on
from zimcore.game import Refused
from zimcore.service import ConflictError, DamagedError, GameService, StoreError, UnknownError, open_service
from zimcore.service.care import maintenance
from zimcore.service.records.names import CATALOGUE


@pytest.fixture
def ann_service(url: str) -> Iterator[GameService]:
    service = service_on(url, id_prefix="ann")
    service.new("nim", {"seed": "7"}, name="nim", by="ann")
    with service.store:
        yield service


@pytest.fixture
def ben_service(url: str) -> Iterator[GameService]:
    """Another service on the same store."""
    service = service_on(url, id_prefix="ben")
    with service.store:
        yield service


def let_another_write_first(service: GameService, write: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls `write` once, after the service has decided its next write and before it appends it."""
    original_append, original_adopt = service.store.append, service.store.adopt

    def write_first() -> None:
        monkeypatch.setattr(service.store, "append", original_append)
        monkeypatch.setattr(service.store, "adopt", original_adopt)
        write()

    def slow_append(*args: object, **kwargs: object) -> Entry:
        write_first()
        return original_append(*args, **kwargs)  # type: ignore[arg-type]

    def slow_adopt(entries: Sequence[Entry]) -> None:
        write_first()
        original_adopt(entries)

    monkeypatch.setattr(service.store, "append", slow_append)
    monkeypatch.setattr(service.store, "adopt", slow_adopt)


def test_services_on_one_store_read_each_other_s_moves(ann_service: GameService, ben_service: GameService) -> None:
    play(ann_service, "take 1")
    play(ben_service, "take 2")
    assert play(ann_service, "take 3").state.stones == 4
    ben_service.undo("nim", by="ben")
    assert ann_service.position("nim").state.stones == 7


def test_the_slower_of_two_moves_at_once_is_a_conflict(
    ann_service: GameService, ben_service: GameService, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_another_write_first(ann_service, lambda: play(ben_service, "take 1"), monkeypatch)
    with pytest.raises(ConflictError, match="nim/main has moved on: ann has brought it to revision 6"):
        ann_service.play("nim", "take 3", by="ann")
    assert log_texts(ann_service) == log_texts(ben_service) == ["0 set up 10", "1 take 1"]
    assert play(ann_service, "take 3").state.stones == 6


def test_an_undo_after_another_move_is_a_conflict(
    ann_service: GameService, ben_service: GameService, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(ann_service, "take 1")
    let_another_write_first(ann_service, lambda: play(ben_service, "take 2"), monkeypatch)
    with pytest.raises(ConflictError):
        ann_service.undo("nim", by="ann")
    assert ann_service.position("nim").commit.number == 2


def test_a_retry_that_was_stored_first_gets_its_commit(
    ann_service: GameService, ben_service: GameService, monkeypatch: pytest.MonkeyPatch
) -> None:
    positions = []
    let_another_write_first(
        ann_service, lambda: positions.append(ben_service.play("nim", "take 1", by="ann", command_id="c1")), monkeypatch
    )
    answer = ann_service.play("nim", "take 1", by="ann", command_id="c1")
    assert not isinstance(answer, Refused)
    assert [answer.commit] == [position.commit for position in positions if not isinstance(position, Refused)]
    assert log_texts(ann_service) == ["0 set up 10", "1 take 1"]


def test_a_move_played_while_news_are_read_is_in_the_next_news(
    ann_service: GameService, ben_service: GameService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another player moves between the look at the line and the reading of its entries."""
    revision_before, original_read = ann_service.revision("nim"), ann_service.store.read
    play(ben_service, "take 1")

    def play_and_read(*args: object, **kwargs: object) -> Iterator[Entry]:
        if args[0] == CATALOGUE:
            return original_read(*args, **kwargs)  # type: ignore[arg-type]
        monkeypatch.setattr(ann_service.store, "read", original_read)
        play(ben_service, "take 2")
        return original_read(*args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(ann_service.store, "read", play_and_read)
    first_news = ann_service.news("nim", revision_before)
    assert [each.position.commit.text for each in first_news] == ["take 1"]
    assert [each.position.commit.text for each in ann_service.news("nim", first_news[-1].revision)] == ["take 2"]


def test_a_list_is_made_while_others_fork(
    ann_service: GameService, ben_service: GameService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While each line is folded, another player forks the game: the names change during the listing."""
    ben_service.fork("nim", "first", by="ben")
    load_line, fork_numbers = ann_service._repository.line, iter(range(9))

    def fork_and_load(*names: str) -> object:
        ben_service.fork("nim", f"fork-{next(fork_numbers)}", by="ben")
        return load_line(*names)

    monkeypatch.setattr("zimcore.service.lines.line_projections.decode_projection", lambda *_: None)
    monkeypatch.setattr(ann_service._repository, "line", fork_and_load)
    assert [info.name for info in ann_service.lines("nim")] == ["main", "first"]
    assert [info.name for info in ann_service.games()] == ["nim"]
    assert next(fork_numbers) == 3


def test_losing_the_race_for_a_free_name_takes_the_next(
    ann_service: GameService, ben_service: GameService, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_another_write_first(ann_service, lambda: ben_service.new("nim", {}, by="ben"), monkeypatch)
    assert ann_service.new("nim", {}, by="ann").match == "nim-2"
    assert [info.name for info in ben_service.games()] == ["nim", "nim-1", "nim-2"]


def test_losing_the_race_for_a_given_name_is_an_error(
    ann_service: GameService, ben_service: GameService, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_another_write_first(ann_service, lambda: ben_service.new("nim", {}, name="mine", by="ben"), monkeypatch)
    with pytest.raises(UnknownError, match="there is a game called 'mine' already") as error:
        ann_service.new("nim", {}, name="mine", by="ann")
    assert error.value.hints == ("mine-1",)


def test_losing_the_race_for_a_line_s_name_is_an_error(
    ann_service: GameService, ben_service: GameService, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_another_write_first(ann_service, lambda: ben_service.fork("nim", "what-if", by="ben"), monkeypatch)
    with pytest.raises(UnknownError, match="there is a line called 'what-if' already"):
        ann_service.fork("nim", "what-if", by="ann")
    assert [info.name for info in ann_service.lines("nim")] == ["main", "what-if"]


def test_an_interrupted_new_game_stores_nothing(ann_service: GameService, monkeypatch: pytest.MonkeyPatch) -> None:
    streams_before, original_insert = ann_service.store.streams(), ann_service.store._backend.insert_rows

    def fail(*_: object) -> bool:
        raise StoreError("the lights went out")

    monkeypatch.setattr(ann_service.store._backend, "insert_rows", fail)
    with pytest.raises(StoreError):
        ann_service.new("nim", {}, name="broken", by="ann")
    monkeypatch.setattr(ann_service.store._backend, "insert_rows", original_insert)
    assert ann_service.store.streams() == streams_before
    assert ann_service.new("nim", {}, name="broken", by="ann").match == "broken"


def test_a_missing_store_has_no_games_and_is_not_made(url: str, tmp_path: Path) -> None:
    service = service_on(url)
    assert service.games() == []
    with pytest.raises(UnknownError, match="there is no game called 'nim'"):
        service.position("nim")
    assert list(tmp_path.iterdir()) == []


def test_a_read_only_store_can_be_read(ann_service: GameService, url: str) -> None:
    play(ann_service, "take 1")
    reader = service_on(f"{url}?mode=ro")
    assert log_texts(reader) == ["0 set up 10", "1 take 1"]
    assert reader.verify("nim").fault is None
    with pytest.raises(StoreError, match="readonly"):
        reader.play("nim", "take 1", by="ann")
    assert log_texts(ann_service) == ["0 set up 10", "1 take 1"]


def test_a_file_that_is_no_store_is_reported(url: str, tmp_path: Path) -> None:
    (tmp_path / "games.zim").write_text("no store " * 1000)
    service = service_on(url)
    for ask in (service.games, lambda: service.position("nim"), lambda: service.new("nim", {}, by="ann")):
        with pytest.raises(StoreError, match="file is not a database"):
            ask()


def run_sql(tmp_path: Path, statement: str) -> None:
    with closing(sqlite3.connect(tmp_path / "games.zim", isolation_level=None)) as database:
        database.execute(statement)


def test_a_damaged_game_is_reported_and_does_not_hide_the_others(
    ann_service: GameService, url: str, tmp_path: Path
) -> None:
    ann_service.new("nim", {}, name="whole", by="ann")
    stream = ann_service._repository.line("nim").line.stream
    run_sql(tmp_path, f"DELETE FROM stored_events WHERE originator_id = '{stream}' AND originator_version = 1")
    service = service_on(url)
    with pytest.raises(DamagedError, match=f"stream {stream} is damaged at revision 1: the row is missing"):
        service.position("nim")
    damaged_game, intact_game = service.games()
    assert (damaged_game.name, "the row is missing" in damaged_game.status) == ("nim", True)
    assert intact_game.status == "round 1 · Ann to act"


@pytest.mark.usefixtures("ann_service")
def test_a_game_without_its_streams_is_reported(url: str, tmp_path: Path) -> None:
    run_sql(tmp_path, "DELETE FROM stored_events WHERE topic != 'names.game_named.1' AND originator_id != 'games'")
    with pytest.raises(DamagedError, match="it ends at revision -1, and had 1"):
        service_on(url).position("nim")
    run_sql(tmp_path, "DELETE FROM projections")
    with pytest.raises(DamagedError, match="the game nim is damaged: its lines have no names"):
        service_on(url).position("nim")


def test_a_line_without_its_stream_is_reported(ann_service: GameService, url: str, tmp_path: Path) -> None:
    stream = ann_service._repository.line("nim").line.stream
    run_sql(tmp_path, f"DELETE FROM stored_events WHERE originator_id = '{stream}'")
    with pytest.raises(DamagedError, match="it ends at revision -1, and had 3"):
        service_on(url).position("nim")
    run_sql(tmp_path, f"DELETE FROM projections WHERE stream = '{stream}'")
    with pytest.raises(DamagedError, match=r"the line nim/main is damaged: stream .* has no commits"):
        service_on(url).position("nim")
    fault = service_on(url).verify("nim").fault
    assert fault
    assert (fault.kind, fault.where) == ("damaged", "nim/main@start")


def test_an_end_that_was_cut_off_is_reported(ann_service: GameService, url: str, tmp_path: Path) -> None:
    """A second place of the file stores where each stream ends. Only a witness shows the loss of both."""
    stream, last_digest = ann_service._repository.line("nim").line.stream, play(ann_service, "take 1").commit.digest
    run_sql(tmp_path, f"DELETE FROM stored_events WHERE originator_id = '{stream}' AND originator_version > 3")
    with pytest.raises(DamagedError, match="it ends at revision 3, and had"):
        service_on(url).position("nim")
    assert "it ends at revision 3, and had" in str(service_on(url).verify("nim").fault)
    run_sql(tmp_path, "UPDATE projections SET revision = revision + 1")  # damage of this second place hides no move
    assert service_on(url).position("nim").commit.digest != last_digest


def test_games_without_the_catalogue_are_no_empty_store(ann_service: GameService, url: str, tmp_path: Path) -> None:
    del ann_service
    run_sql(tmp_path, "DELETE FROM stored_events WHERE originator_id = 'games'")
    service = service_on(url)
    assert service.games() == []
    (reason,) = service.damaged_names()
    assert "it ends at revision -1, and had 1" in reason
    with pytest.raises(DamagedError, match="it ends at revision -1, and had 1"):
        service.position("nim")


@pytest.mark.usefixtures("ann_service")
def test_a_game_of_an_unknown_kind_is_listed(url: str) -> None:
    (game,) = service_on(url, {}).games()
    assert (game.name, game.kind) == ("nim", "nim")
    assert game.status == "there is no kind of game called 'nim'"


@pytest.mark.parametrize(
    ("store", "file", "message", "hint"),
    [
        ("sqlite:///{0}/games.zim", "{0}/none.db", "can't read {0}/none.db", ""),
        ("sqlite:///{0}/games.zim", "{0}", "can't read {0}", ""),
        ("sqlite:///{0}/games.zim", "{0}/games.zim", "games.zim is the store itself", "db check"),
        ("sqlite:///{0}/games.zim", "{0}/export", "it is no backup of a store in a file", "import {0}/export"),
        ("sqlite:///{0}/games.zim?mode=ro", "{0}/copy.db", "its URL says mode=ro", ""),
        ("memory:", "{0}/copy.db", "import an export into an empty database instead", "import FILE --any-size"),
        ("postgresql://ann:secret@h/none", "{0}/copy.db", "can't restore postgresql://ann@h/none: only a", "EMPTY"),
    ],
)
def test_what_can_t_be_restored_is_refused(tmp_path: Path, store: str, file: str, message: str, hint: str) -> None:
    with (service := open_service(f"sqlite:///{tmp_path}/games.zim")).store:
        service.new("zimbabwe", {"seed": "7"}, name="k", by="ann")
        maintenance.backup(service.store, tmp_path / "copy.db")
        (tmp_path / "export").write_bytes(b"".join(service.export()))
    content = (tmp_path / "games.zim").read_bytes()
    with pytest.raises(StoreError) as refusal:
        maintenance.restore(store.format(tmp_path), Path(file.format(tmp_path)))
    assert message.format(tmp_path) in str(refusal.value)
    assert hint.format(tmp_path) in " ".join(refusal.value.hints)
    assert (tmp_path / "games.zim").read_bytes() == content
    assert [*tmp_path.glob("*.old")] == []
