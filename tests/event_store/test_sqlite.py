from __future__ import annotations

import os
import resource
import signal
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from eventsourcing.persistence import OperationalError

from event_store import DamagedError, EventStore, StoreError
from event_store.backends import sqlite
from event_store.backends.sqlite import SQLiteRecorder
from event_store.backup import backup
from tests.event_store.contract import DurableContract
from tests.event_store.diary import note, open_diary

NOBODY_UID = 65534


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "games.zim"


class TestSQLite(DurableContract):
    @pytest.fixture
    def url(self, path: Path) -> str:
        return f"sqlite:///{path}"


def test_reading_a_missing_store_makes_no_file(path: Path) -> None:
    with open_diary(f"sqlite:///{path}") as store:
        assert list(store.read("a")) == []
    assert not path.exists()


def test_the_first_append_makes_the_file_and_its_folders(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "down" / "games.zim"
    with open_diary(f"sqlite:///{path}") as store:
        note(store, "a", -1, "one")
    assert [file.name for file in path.parent.iterdir()] == ["games.zim"]


def test_folders_are_synced_before_their_contents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each name is synced in the folder that it is in: first the outer ones, the file's own last."""
    synced_folders, original_fsync = list[str](), os.fsync

    def note_synced_folder(descriptor: int) -> None:
        synced_folders.append(os.readlink(f"/proc/self/fd/{descriptor}"))
        original_fsync(descriptor)

    monkeypatch.setattr(os, "fsync", note_synced_folder)
    with open_diary(f"sqlite:///{tmp_path}/deep/down/games.zim") as store:
        note(store, "a", -1, "one")
    assert synced_folders == [f"{tmp_path}", f"{tmp_path}/deep", f"{tmp_path}/deep/down"]


def test_a_path_may_be_relative_and_have_special_characters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    name = "100% of #my games.zim"
    with open_diary(f"sqlite:///{name}") as store:
        note(store, "a", -1, "one")
    assert (tmp_path / name).exists()


PRAGMA_VALUES = {"synchronous": 2, "journal_mode": "wal", "busy_timeout": 5000}
"""What SQLite answers for each pragma; `synchronous` 2 is FULL."""


def test_appended_rows_are_on_the_disk(path: Path) -> None:
    with open_diary(f"sqlite:///{path}") as store:
        note(store, "a", -1, "one")
        recorder: Any = store._backend.recorder
        with recorder.datastore.get_connection(commit=True) as connection:
            pragmas = [connection._sqlite_conn.execute(f"PRAGMA {name}").fetchone()[0] for name in PRAGMA_VALUES]
    assert dict(zip(PRAGMA_VALUES, pragmas, strict=True)) == PRAGMA_VALUES


def begin_stream(path: Path, stream: str) -> None:
    with open_diary(f"sqlite:///{path}") as store:
        note(store, stream, -1, "one")


def test_processes_that_create_a_store_at_once_do_not_collide(path: Path) -> None:
    processes = [get_context("fork").Process(target=begin_stream, args=(path, f"s{number}")) for number in range(6)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * 6
    with open_diary(f"sqlite:///{path}") as store:
        assert [len(list(store.read(f"s{number}"))) for number in range(6)] == [1] * 6
    assert [file.name for file in path.parent.iterdir()] == ["games.zim"]


def test_a_store_that_was_opened_for_reading_is_never_written(path: Path) -> None:
    begin_stream(path, "a")
    with open_diary(f"sqlite:///{path}?mode=ro") as store:
        assert len(list(store.read("a"))) == 1
        with pytest.raises(StoreError, match="readonly"):
            note(store, "a", 1, "two")


def test_a_missing_store_is_not_made_for_reading(path: Path) -> None:
    with open_diary(f"sqlite:///{path}?mode=ro") as store:
        assert list(store.read("a")) == []
        with pytest.raises(StoreError, match="unable to open"):
            note(store, "a", -1, "one")
    assert not path.exists()


def test_a_folder_that_can_not_be_written_to_is_named_as_such(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begin_stream(path, "a")
    with open_diary(f"sqlite:///{path}") as store:
        monkeypatch.setattr("os.access", lambda folder, mode: folder != str(path.parent))
        error = store._backend.as_store_error("write to", OperationalError("unable to open database file"))
    assert error.why == "the folder can't be written to, and an open store has two small files beside it"
    assert error.hints == ("zim --store sqlite:///PATH ...",)


def test_another_program_s_lock_is_waited_for_and_then_reported(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "LOCK_TIMEOUT", 1)
    begin_stream(path, "a")
    other_program = sqlite3.connect(path, isolation_level=None)
    other_program.execute("BEGIN IMMEDIATE")
    with open_diary(f"sqlite:///{path}") as store:
        assert len(list(store.read("a"))) == 1
        with pytest.raises(StoreError, match="locked") as error:
            note(store, "a", 1, "two")
        assert "try again" in error.value.hints[0]
        other_program.execute("COMMIT")
        note(store, "a", 1, "two")
    other_program.close()


def test_a_file_that_is_no_database_is_reported(path: Path) -> None:
    path.write_text("My favourite games. " * 100)
    with open_diary(f"sqlite:///{path}") as store:
        with pytest.raises(StoreError, match=f"can't read the store sqlite:///{path}: file is not a database"):
            list(store.read("a"))
        with pytest.raises(StoreError, match="not a database"):
            note(store, "a", -1, "one")
    assert path.read_text().startswith("My favourite games.")


def test_the_database_of_another_program_is_left_alone(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE recipes (name TEXT)")
    bytes_before = path.read_bytes()
    with open_diary(f"sqlite:///{path}") as store:
        with pytest.raises(StoreError, match="no such table"):
            list(store.read("a"))
        with pytest.raises(StoreError, match="no such table"):
            note(store, "a", -1, "one")
    assert path.read_bytes() == bytes_before


def test_an_empty_file_becomes_a_store(path: Path) -> None:
    path.touch()
    with open_diary(f"sqlite:///{path}") as store:
        assert list(store.read("a")) == []
        assert path.stat().st_size == 0
        note(store, "a", -1, "one")
        assert len(list(store.read("a"))) == 1


def test_a_folder_is_no_store(tmp_path: Path) -> None:
    with open_diary(f"sqlite:///{tmp_path}") as store, pytest.raises(StoreError, match="unable to open"):
        list(store.read("a"))


def test_a_file_can_t_be_a_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with open_diary(f"sqlite:///{tmp_path}/file/games.zim") as store, pytest.raises(StoreError, match="write to"):
        note(store, "a", -1, "one")


@pytest.mark.parametrize(
    ("url", "suggestion"),
    [
        ("games.zim", "games.zim"),
        ("/home/ann/games.zim", "/home/ann/games.zim"),
        ("sqlite:games.zim", "games.zim"),
        ("sqlite://games.zim", "games.zim"),
        ("sqlite:/home/ann/games.zim", "/home/ann/games.zim"),
        ("postgresql:games", "games.db"),
        ("", "games.db"),
    ],
)
def test_a_url_that_names_no_store_is_an_error_with_a_suggestion(url: str, suggestion: str) -> None:
    with pytest.raises(StoreError, match="can't open the store") as error:
        EventStore.open(url)
    assert error.value.hints == (f"sqlite:///{suggestion}", "postgresql://user@host/database", "memory:")


def test_a_page_that_was_overwritten_is_reported(path: Path) -> None:
    with open_diary(f"sqlite:///{path}") as store:
        for revision in range(-1, 199, 2):
            note(store, "a", revision, "x" * 100)
    intact_bytes = path.read_bytes()
    path.write_bytes(intact_bytes[:4096] + b"\x07" * (len(intact_bytes) - 4096))
    with open_diary(f"sqlite:///{path}") as store, pytest.raises(StoreError, match="malformed"):
        list(store.read("a"))


def outcome_in_process(task: Callable[[], None], *, as_nobody: bool = False) -> str:
    """The error of a task in its own process, or "done"; as the user `nobody`, since root may do anything."""
    context = get_context("fork")
    receiver, sender = context.Pipe(duplex=False)

    def run_task() -> None:
        if as_nobody and os.getuid() == 0:
            os.setgid(NOBODY_UID)
            os.setuid(NOBODY_UID)
        try:
            task()
            sender.send("done")
        except Exception as error:
            sender.send(f"{type(error).__name__}: {error}")

    process = context.Process(target=run_task)
    process.start()
    process.join()
    return str(receiver.recv())


@pytest.fixture
def read_only_store() -> Iterator[Path]:
    """A store that others may read, in a folder where they may write. (pytest's own folders are closed to others.)"""
    with TemporaryDirectory() as folder:
        path = Path(folder, "games.zim")
        begin_stream(path, "a")
        path.chmod(0o444)
        path.parent.chmod(0o777)
        yield path
        path.parent.chmod(0o777)


def read_only_entry(path: Path) -> None:
    with open_diary(f"sqlite:///{path}") as store:
        (_,) = store.read("a")


def append_second_entry(path: Path) -> None:
    with open_diary(f"sqlite:///{path}") as store:
        note(store, "a", 1, "two")


def test_a_read_only_file_can_be_read(read_only_store: Path) -> None:
    assert outcome_in_process(lambda: read_only_entry(read_only_store), as_nobody=True) == "done"
    outcome = outcome_in_process(lambda: append_second_entry(read_only_store), as_nobody=True)
    assert (
        outcome
        == f"StoreError: can't write to the store sqlite:///{read_only_store}: attempt to write a readonly database"
    )


@pytest.mark.parametrize("mode", ["", "?mode=ro"])
def test_a_file_in_a_read_only_folder_can_be_read(read_only_store: Path, mode: str) -> None:
    """Stands for a disk that is mounted read-only; mounting one needs root."""
    read_only_store.parent.chmod(0o555)

    def read_all() -> None:
        with open_diary(f"sqlite:///{read_only_store}{mode}") as store:
            (_,) = store.read("a")
            assert store.streams() == ["a"]
            assert len(list(store.all_entries())) == 1
            store.check_database()
            with TemporaryDirectory() as elsewhere:
                assert backup(store, Path(elsewhere, "copy.zim")) == 1
            with pytest.raises(StoreError, match="can't write to the store"):
                note(store, "a", 1, "two")

    assert outcome_in_process(read_all, as_nobody=True) == "done"


def test_a_file_with_a_log_is_never_read_without_it(read_only_store: Path) -> None:
    """The last move is only in the log: without it the answer would be wrong."""
    read_only_store.chmod(0o644)
    with open_diary(f"sqlite:///{read_only_store}") as store:
        note(store, "a", 1, "two")
        copy = read_only_store.with_name("copy.zim")
        for suffix in ("", "-wal"):
            Path(f"{copy}{suffix}").write_bytes(Path(f"{read_only_store}{suffix}").read_bytes())
    for file in read_only_store.parent.iterdir():
        file.chmod(0o444)
    read_only_store.parent.chmod(0o555)
    outcome = outcome_in_process(lambda: read_only_entry(copy), as_nobody=True)
    assert outcome.startswith("StoreError: can't read the store")


@pytest.mark.parametrize("make_link", [Path.symlink_to, Path.hardlink_to])
def test_a_log_is_found_beside_the_file_that_a_link_leads_to(
    read_only_store: Path, make_link: Callable[[Path, Path], None]
) -> None:
    """A writer was killed: the last move is only in its log, and the file is read-only now."""
    read_only_store.chmod(0o644)
    killed_store = read_only_store.with_name("killed.zim")
    with open_diary(f"sqlite:///{read_only_store}") as store:
        note(store, "a", 1, "two")
        for suffix in ("", "-wal"):
            Path(f"{killed_store}{suffix}").write_bytes(Path(f"{read_only_store}{suffix}").read_bytes())
    with TemporaryDirectory() as elsewhere:
        link = Path(elsewhere, "link.zim")
        make_link(link, killed_store)
        for folder in (read_only_store.parent, Path(elsewhere)):
            for file in folder.iterdir():
                file.chmod(0o444)
            folder.chmod(0o555)
        outcome = outcome_in_process(lambda: read_only_entry(link), as_nobody=True)
    assert outcome.startswith("StoreError: can't read the store")


def test_a_link_to_nothing_is_no_empty_store(path: Path) -> None:
    path.symlink_to(path.with_name("on-another-disk.zim"))
    with pytest.raises(StoreError, match=r"it is a link to .*/on-another-disk.zim, which is not there"):
        EventStore.open(f"sqlite:///{path}")


def test_a_tilde_is_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A shell leaves `~` alone in the middle of `sqlite:///~/games.db`; a folder of that name would hide the games."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    with open_diary("sqlite:///~/games.db") as store:
        note(store, "a", -1, "one")
    assert (tmp_path / "games.db").is_file()
    assert not (tmp_path / "~").exists()


def test_a_link_is_followed_once(path: Path) -> None:
    begin_stream(path, "a")
    link = path.with_name("link.zim")
    link.symlink_to(path)
    with open_diary(f"sqlite:///{link}") as store:
        (_,) = store.read("a")
        link.unlink()
        link.symlink_to(path.with_name("other.zim"))
        note(store, "a", 1, "two")
    with open_diary(f"sqlite:///{path}") as store:
        assert len(list(store.read("a"))) == 2


@pytest.mark.parametrize("mode", ["rw", "rwc", ""])
def test_an_unsupported_mode_is_reported(path: Path, mode: str) -> None:
    with pytest.raises(StoreError, match="only mode=ro is supported") as error:
        EventStore.open(f"sqlite:///{path}?mode={mode}")
    assert error.value.hints == (f"sqlite:///{path}",)


def test_a_write_during_a_read_without_log_is_noticed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begin_stream(path, "a")
    original_fetch_all = sqlite._fetch_all

    def write_and_fetch(*arguments: Any) -> Any:
        monkeypatch.setattr(sqlite, "_fetch_all", original_fetch_all)
        begin_stream(path, "b")
        return original_fetch_all(*arguments)

    with open_diary(f"sqlite:///{path}") as store:
        recorder: Any = store._backend.recorder

        def count_rows(connection: sqlite3.Connection) -> Any:
            return sqlite._fetch_all(connection, "SELECT count(*) FROM stored_events", ())

        original_error = OperationalError("no place for a log")
        assert recorder._read_without_log(count_rows, original_error) == [(2,)]
        monkeypatch.setattr(sqlite, "_fetch_all", write_and_fetch)
        with pytest.raises(OperationalError, match="no place for a log"):
            recorder._read_without_log(count_rows, original_error)


def test_a_store_on_a_full_disk_can_be_read(path: Path) -> None:
    begin_stream(path, "a")

    def read_without_space() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        read_only_entry(path)

    assert outcome_in_process(read_without_space) == "done"


def test_a_store_can_t_be_made_in_a_read_only_folder(read_only_store: Path) -> None:
    read_only_store.parent.chmod(0o555)
    outcome = outcome_in_process(lambda: begin_stream(read_only_store.with_name("other.zim"), "a"), as_nobody=True)
    assert outcome.startswith("StoreError: can't write to the store")
    assert "Permission denied" in outcome


def test_a_full_disk_is_reported_and_loses_nothing(path: Path) -> None:
    begin_stream(path, "a")

    def fill_disk() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
        with open_diary(f"sqlite:///{path}") as store:
            note(store, "a", 1, "x" * 1_000_000)

    assert outcome_in_process(fill_disk).startswith(f"StoreError: can't write to the store sqlite:///{path}: ")
    read_only_entry(path)


def test_a_page_of_rows_that_repeats_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Swapped pages of a file look like this."""
    with open_diary(f"sqlite:///{tmp_path}/games.zim") as store:
        note(store, "a", -1, "one")
        recorder: Any = store._backend.recorder
        page = recorder._fetch(sqlite.SELECT_PAGE, (0, 10))
        monkeypatch.setattr(recorder, "_fetch", lambda *_: page)
        with pytest.raises(DamagedError, match="their numbers do not increase"):
            list(store.rows())


def test_new_streams_at_the_end_of_the_index_are_looked_for_in_the_table_once(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scans, fetch, url = list[str](), SQLiteRecorder._fetch, f"sqlite:///{path}"

    def noting_fetch(recorder: SQLiteRecorder, statement: str, values: Sequence[Any]) -> Sequence[Any]:
        scans.extend([statement] if "NOT INDEXED" in statement else [])
        return fetch(recorder, statement, values)

    monkeypatch.setattr(SQLiteRecorder, "_fetch", noting_fetch)
    with open_diary(url) as store, open_diary(url) as other_store:
        for number in range(20):
            note(store, f"a{number:02}", -1, "one")
        assert len(scans) <= 3
        note(other_store, "b", -1, "one")
        for number in range(20):
            note(store, f"c{number:02}", -1, "one")
        assert len(scans) <= 4
        assert store.last_revision("b") == 1
