"""Several services on one store, and stores that can't be read or written."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from event_store import Entry
from tests.service.table import play, service_on, texts
from zimcore.game import Refused
from zimcore.service import ConflictError, DamagedError, GameService, StoreError, UnknownError


@pytest.fixture
def ann(url: str) -> Iterator[GameService]:
    service = service_on(url, who="ann")
    service.new("nim", {"seed": "7"}, name="nim", by="ann")
    with service.store:
        yield service


@pytest.fixture
def ben(url: str) -> Iterator[GameService]:
    """Another service on the same store."""
    service = service_on(url, who="ben")
    with service.store:
        yield service


def overtaken(service: GameService, faster: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> None:
    """Another writer is faster once: after the service has decided, before it has appended."""
    append, adopt = service.store.append, service.store.adopt

    def go_first() -> None:
        monkeypatch.setattr(service.store, "append", append)
        monkeypatch.setattr(service.store, "adopt", adopt)
        faster()

    def slow_append(*args: object, **fields: object) -> Entry:
        go_first()
        return append(*args, **fields)  # type: ignore[arg-type]

    def slow_adopt(entries: Sequence[Entry]) -> None:
        go_first()
        adopt(entries)

    monkeypatch.setattr(service.store, "append", slow_append)
    monkeypatch.setattr(service.store, "adopt", slow_adopt)


def test_each_reads_what_the_other_has_played(ann: GameService, ben: GameService) -> None:
    play(ann, "take 1")
    play(ben, "take 2")
    assert play(ann, "take 3").state.stones == 4
    ben.undo("nim", by="ben")
    assert ann.position("nim").state.stones == 7


def test_of_two_who_play_at_once_one_gets_a_conflict(
    ann: GameService, ben: GameService, monkeypatch: pytest.MonkeyPatch
) -> None:
    overtaken(ann, lambda: play(ben, "take 1"), monkeypatch)
    with pytest.raises(ConflictError, match="nim/main has moved on: ann has brought it to revision 6"):
        ann.play("nim", "take 3", by="ann")
    assert texts(ann) == texts(ben) == ["0 set up 10", "1 take 1"]
    assert play(ann, "take 3").state.stones == 6


def test_an_undo_can_be_too_late_too(ann: GameService, ben: GameService, monkeypatch: pytest.MonkeyPatch) -> None:
    play(ann, "take 1")
    overtaken(ann, lambda: play(ben, "take 2"), monkeypatch)
    with pytest.raises(ConflictError):
        ann.undo("nim", by="ann")
    assert ann.position("nim").commit.number == 2


def test_a_retry_that_overtook_itself_gets_its_commit(
    ann: GameService, ben: GameService, monkeypatch: pytest.MonkeyPatch
) -> None:
    commits = []
    overtaken(ann, lambda: commits.append(ben.play("nim", "take 1", by="ann", command_id="c1")), monkeypatch)
    again = ann.play("nim", "take 1", by="ann", command_id="c1")
    assert not isinstance(again, Refused)
    assert [again.commit] == [position.commit for position in commits if not isinstance(position, Refused)]
    assert texts(ann) == ["0 set up 10", "1 take 1"]


def test_what_is_played_while_news_are_read_is_news_the_next_time(
    ann: GameService, ben: GameService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another player moves between the look at the line and the reading of its entries."""
    before, read = ann.revision("nim"), ann.store.read
    play(ben, "take 1")

    def slow(*args: object, **fields: object) -> Iterator[Entry]:
        monkeypatch.setattr(ann.store, "read", read)
        play(ben, "take 2")
        return read(*args, **fields)  # type: ignore[arg-type]

    monkeypatch.setattr(ann.store, "read", slow)
    first = ann.news("nim", before)
    assert [each.position.commit.text for each in first] == ["take 1"]
    assert [each.position.commit.text for each in ann.news("nim", first[-1].revision)] == ["take 2"]


def test_a_list_is_made_while_others_fork(ann: GameService, ben: GameService, monkeypatch: pytest.MonkeyPatch) -> None:
    """While each line is folded, another player forks the game: the names change during the listing."""
    ben.fork("nim", "first", by="ben")
    line, numbers = ann._lines.line, iter(range(9))

    def slow(*words: str) -> object:
        ben.fork("nim", f"fork-{next(numbers)}", by="ben")
        return line(*words)

    monkeypatch.setattr("zimcore.service.line_projections.read_projection", lambda *_: None)
    monkeypatch.setattr(ann._lines, "line", slow)
    assert [info.name for info in ann.lines("nim")] == ["main", "first"]
    assert [info.name for info in ann.games()] == ["nim"]
    assert next(numbers) == 3


def test_who_loses_the_race_for_a_free_name_takes_the_next(
    ann: GameService, ben: GameService, monkeypatch: pytest.MonkeyPatch
) -> None:
    overtaken(ann, lambda: ben.new("nim", {}, by="ben"), monkeypatch)
    assert ann.new("nim", {}, by="ann").match == "nim-2"
    assert [info.name for info in ben.games()] == ["nim", "nim-1", "nim-2"]


def test_losing_the_race_for_a_given_name_is_an_error(
    ann: GameService, ben: GameService, monkeypatch: pytest.MonkeyPatch
) -> None:
    overtaken(ann, lambda: ben.new("nim", {}, name="mine", by="ben"), monkeypatch)
    with pytest.raises(UnknownError, match="there is a game called 'mine' already") as error:
        ann.new("nim", {}, name="mine", by="ann")
    assert error.value.hints == ("mine-1",)


def test_losing_the_race_for_a_line_s_name_is_an_error(
    ann: GameService, ben: GameService, monkeypatch: pytest.MonkeyPatch
) -> None:
    overtaken(ann, lambda: ben.fork("nim", "what-if", by="ben"), monkeypatch)
    with pytest.raises(UnknownError, match="there is a line called 'what-if' already"):
        ann.fork("nim", "what-if", by="ann")
    assert [info.name for info in ann.lines("nim")] == ["main", "what-if"]


def test_of_a_game_whose_creation_broke_off_nothing_is_stored(
    ann: GameService, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, insert = ann.store.streams(), ann.store._backend.insert

    def dies(*_: object) -> bool:
        raise StoreError("the lights went out")

    monkeypatch.setattr(ann.store._backend, "insert", dies)
    with pytest.raises(StoreError):
        ann.new("nim", {}, name="broken", by="ann")
    monkeypatch.setattr(ann.store._backend, "insert", insert)
    assert ann.store.streams() == before
    assert ann.new("nim", {}, name="broken", by="ann").match == "broken"


def test_a_store_that_is_not_there_has_no_games_and_is_not_made(url: str, tmp_path: Path) -> None:
    service = service_on(url)
    assert service.games() == []
    with pytest.raises(UnknownError, match="there is no game called 'nim'"):
        service.position("nim")
    assert list(tmp_path.iterdir()) == []


def test_a_store_that_can_only_be_read_is_read(ann: GameService, url: str) -> None:
    play(ann, "take 1")
    reader = service_on(f"{url}?mode=ro")
    assert texts(reader) == ["0 set up 10", "1 take 1"]
    assert reader.verify("nim").fault is None
    with pytest.raises(StoreError, match="readonly"):
        reader.play("nim", "take 1", by="ann")
    assert texts(ann) == ["0 set up 10", "1 take 1"]


def test_a_file_that_is_no_store_is_reported(url: str, tmp_path: Path) -> None:
    (tmp_path / "games.zim").write_text("no store " * 1000)
    service = service_on(url)
    for ask in (service.games, lambda: service.position("nim"), lambda: service.new("nim", {}, by="ann")):
        with pytest.raises(StoreError, match="file is not a database"):
            ask()


def damage(tmp_path: Path, statement: str) -> None:
    with closing(sqlite3.connect(tmp_path / "games.zim", isolation_level=None)) as database:
        database.execute(statement)


def test_a_damaged_game_is_reported_and_does_not_hide_the_others(ann: GameService, url: str, tmp_path: Path) -> None:
    ann.new("nim", {}, name="whole", by="ann")
    stream = ann._lines.line("nim").line.stream
    damage(tmp_path, f"DELETE FROM stored_events WHERE originator_id = '{stream}' AND originator_version = 1")
    service = service_on(url)
    with pytest.raises(DamagedError, match=f"stream {stream} is damaged at revision 1: the row is missing"):
        service.position("nim")
    damaged, whole = service.games()
    assert (damaged.name, "the row is missing" in damaged.status) == ("nim", True)
    assert whole.status == "round 1 · Ann to act"


@pytest.mark.usefixtures("ann")
def test_a_game_without_its_streams_is_reported(url: str, tmp_path: Path) -> None:
    damage(tmp_path, "DELETE FROM stored_events WHERE topic != 'names.game_named.1' AND originator_id != 'games'")
    with pytest.raises(DamagedError, match="it ends at revision -1, and had 1"):
        service_on(url).position("nim")
    damage(tmp_path, "DELETE FROM projections")
    with pytest.raises(DamagedError, match="the game nim is damaged: its lines have no names"):
        service_on(url).position("nim")


def test_a_line_without_its_stream_is_reported(ann: GameService, url: str, tmp_path: Path) -> None:
    stream = ann._lines.line("nim").line.stream
    damage(tmp_path, f"DELETE FROM stored_events WHERE originator_id = '{stream}'")
    with pytest.raises(DamagedError, match="it ends at revision -1, and had 3"):
        service_on(url).position("nim")
    damage(tmp_path, f"DELETE FROM projections WHERE stream = '{stream}'")
    with pytest.raises(DamagedError, match=r"the line nim/main is damaged: stream .* has no commits"):
        service_on(url).position("nim")
    fault = service_on(url).verify("nim").fault
    assert fault
    assert (fault.kind, fault.where) == ("damaged", "nim/main@start")


def test_an_end_that_was_cut_off_is_reported(ann: GameService, url: str, tmp_path: Path) -> None:
    """Where each stream ends is known in a second place of the file. Who removes that too is found by a witness."""
    stream, last = ann._lines.line("nim").line.stream, play(ann, "take 1").commit.digest
    damage(tmp_path, f"DELETE FROM stored_events WHERE originator_id = '{stream}' AND originator_version > 3")
    with pytest.raises(DamagedError, match="it ends at revision 3, and had"):
        service_on(url).position("nim")
    assert "it ends at revision 3, and had" in str(service_on(url).verify("nim").fault)
    damage(tmp_path, "UPDATE projections SET revision = revision + 1")  # what is damaged there hides nothing
    assert service_on(url).position("nim").commit.digest != last


def test_games_without_the_catalogue_are_no_empty_store(ann: GameService, url: str, tmp_path: Path) -> None:
    del ann
    damage(tmp_path, "DELETE FROM stored_events WHERE originator_id = 'games'")
    service = service_on(url)
    assert service.games() == []
    (why,) = service.damaged_names()
    assert "it ends at revision -1, and had 1" in why
    with pytest.raises(DamagedError, match="it ends at revision -1, and had 1"):
        service.position("nim")


@pytest.mark.usefixtures("ann")
def test_a_game_of_a_kind_that_is_not_there_is_listed(url: str) -> None:
    (game,) = service_on(url, {}).games()
    assert (game.name, game.kind) == ("nim", "nim")
    assert game.status == "there is no kind of game called 'nim'"
