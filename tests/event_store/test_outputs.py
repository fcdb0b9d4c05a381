"""Files are written whole or not at all, over an existing file only if that is meant, and never over a store."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from event_store import outputs
from event_store.outputs import (
    Access,
    ExistingFileError,
    OutputError,
    StoreFileError,
    check_is_no_store,
    check_output,
    write_file,
)
from event_store.store_files import SIDE_SUFFIXES
from tests.event_store.diary import note, open_diary


def test_a_file_gets_its_name_when_it_is_complete(tmp_path: Path) -> None:
    def failing_chunks() -> Iterator[bytes]:
        yield b"half of it"
        raise ValueError("no more")

    path = tmp_path / "game.cert"
    write_file(path, [b"one", b"two"])
    with pytest.raises(ValueError, match="no more"):
        write_file(path, failing_chunks(), replace=True)
    assert path.read_bytes() == b"onetwo"
    assert os.listdir(tmp_path) == ["game.cert"]


def test_an_existing_file_is_replaced_only_if_that_is_meant(tmp_path: Path) -> None:
    path = tmp_path / "game.cert"
    path.write_text("mine")
    with pytest.raises(ExistingFileError, match=f"can't write {path}: the file already exists"):
        write_file(path, [b"new"])
    assert path.read_text() == "mine"
    write_file(path, [b"new"], replace=True)
    assert path.read_text() == "new"


def test_a_file_that_appears_meanwhile_stays(tmp_path: Path) -> None:
    path = tmp_path / "game.cert"

    def chunks() -> Iterator[bytes]:
        yield b"ours"
        path.write_text("theirs")

    with pytest.raises(ExistingFileError):
        write_file(path, chunks())
    assert (path.read_text(), os.listdir(tmp_path)) == ("theirs", ["game.cert"])


def test_a_file_that_appears_at_the_last_moment_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "game.cert"
    path.write_text("theirs")
    monkeypatch.setattr(outputs, "check_output", lambda *_, **__: None)
    with pytest.raises(ExistingFileError):
        write_file(path, [b"ours"])
    assert (path.read_text(), os.listdir(tmp_path)) == ("theirs", ["game.cert"])


def test_a_store_that_appears_meanwhile_stays(tmp_path: Path) -> None:
    path = tmp_path / "game.cert"

    def chunks() -> Iterator[bytes]:
        yield b"ours"
        with open_diary(f"sqlite:///{path}") as store:
            note(store, "a", -1, "the word of the day")

    with pytest.raises(StoreFileError):
        write_file(path, chunks(), replace=True)
    assert path.read_bytes().startswith(b"SQLite format 3")


def test_what_lies_in_the_place_of_a_temporary_file_stays(tmp_path: Path) -> None:
    """Another user could put a link there."""
    kept_file = tmp_path / "kept"
    kept_file.write_text("mine")
    for name in ("game.cert.unfinished", "game.cert.new", ".new-file-"):
        (tmp_path / name).symlink_to(kept_file)
    write_file(tmp_path / "game.cert", [b"new"])
    assert kept_file.read_text() == "mine"


def test_a_link_is_followed_and_the_mode_is_kept(tmp_path: Path) -> None:
    target, link = tmp_path / "real", tmp_path / "link"
    target.touch(mode=0o640)
    link.symlink_to(target)
    write_file(link, [b"new"], replace=True)
    assert link.is_symlink()
    assert (target.read_bytes(), stat.S_IMODE(target.stat().st_mode)) == (b"new", 0o640)


@pytest.mark.parametrize(
    ("access", "umask", "new_mode", "replaced_mode"),
    [
        ("public", 0o022, 0o644, 0o640),
        ("public", 0o007, 0o660, 0o640),
        ("private", 0o022, 0o600, 0o640),
        ("secret", 0, 0o600, 0o600),
    ],
)
def test_a_new_file_is_for_its_owner_alone_unless_it_is_public(
    tmp_path: Path, access: Access, umask: int, new_mode: int, replaced_mode: int
) -> None:
    new, replaced = tmp_path / "new", tmp_path / "replaced"
    replaced.touch()
    replaced.chmod(0o640)
    previous_umask = os.umask(umask)
    try:
        write_file(new, [b"new"], access=access)
        write_file(replaced, [b"new"], access=access, replace=True)
    finally:
        os.umask(previous_umask)
    assert [stat.S_IMODE(path.stat().st_mode) for path in (new, replaced)] == [new_mode, replaced_mode]


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader_command = [sys.executable, "-c", "import sys; print(open(sys.argv[1]).read())", str(pipe)]
    with subprocess.Popen(reader_command, stdout=subprocess.PIPE, text=True) as reader:
        write_file(pipe, [b"one", b"two"])
        assert reader.communicate()[0] == "onetwo\n"
    assert pipe.is_fifo()


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="this system has no /dev/full")
def test_a_full_device_is_named_in_the_error_and_stays_a_device() -> None:
    with pytest.raises(OSError, match="No space left") as error:
        write_file("/dev/full", [b"one"])
    assert error.value.filename == "/dev/full"
    assert Path("/dev/full").is_char_device()


def test_a_full_disk_leaves_nothing_and_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(outputs, "flush", refuse)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OSError, match="No space left") as error:
        write_file("game.cert", [b"one"])
    assert (error.value.filename, outputs.failure_reason(error.value)) == (
        str(tmp_path / "game.cert"),
        "the disk is full",
    )
    assert os.listdir(tmp_path) == []


def test_a_missing_folder_is_an_error_with_the_name_of_the_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as error:
        write_file(tmp_path / "no" / "game.cert", [b"one"])
    assert error.value.filename == str(tmp_path / "no" / "game.cert")


def test_writing_to_a_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="it is a folder"):
        write_file(tmp_path, [b"one"], replace=True)


@pytest.mark.parametrize("is_open", [True, False])
def test_a_store_is_never_written_by_any_name(tmp_path: Path, is_open: bool) -> None:
    store_file = tmp_path / "games.zim"
    (tmp_path / "folder").mkdir()
    with open_diary(f"sqlite:///{store_file}") as store:
        note(store, "a", -1, "the word of the day")
        side_files = [Path(f"{store_file}{suffix}") for suffix in SIDE_SUFFIXES]
        for number, path in enumerate([store_file, *side_files]):
            (tmp_path / f"link-{number}").symlink_to(path)
            if path.exists():
                (tmp_path / f"hard-link-{number}").hardlink_to(path)
        if not is_open:
            store.close()
        descriptor = os.open(store_file, os.O_RDONLY)
        names = [store_file, *side_files, *tmp_path.glob("*link-?"), tmp_path / "folder" / ".." / "games.zim"]
        names += [Path(f"/proc/self/fd/{descriptor}")] * Path("/proc/self/fd").is_dir()
        try:
            for name in names:
                if name == tmp_path / "hard-link-2" and not is_open:
                    continue  # nothing shows what a hard link to shared memory belongs to, once the store has closed
                with pytest.raises(StoreFileError):
                    check_output(name, replace=True)
        finally:
            os.close(descriptor)


def test_a_file_that_may_be_a_store_must_not_be_a_second_name_of_an_open_one(tmp_path: Path) -> None:
    """SQLite would keep a second write-ahead log, beside the other name."""
    store_file, second_name = tmp_path / "games.zim", tmp_path / "second.zim"
    with open_diary(f"sqlite:///{store_file}") as store:
        note(store, "a", -1, "the word of the day")
        second_name.hardlink_to(store_file)
        for path in (second_name, tmp_path / "games.zim-wal", tmp_path / "games.zim-journal"):
            with pytest.raises(StoreFileError):
                check_is_no_store(path, may_be_store=True)
        check_is_no_store(tmp_path / "other.zim", may_be_store=True)


@pytest.mark.parametrize("destroyed_size", [16, 100, 1000])
def test_a_store_whose_header_is_destroyed_is_not_replaced(tmp_path: Path, destroyed_size: int) -> None:
    path = tmp_path / "games.db"
    with open_diary(f"sqlite:///{path}") as diary:
        note(diary, "one", -1, "text")
    with path.open("r+b") as file:
        file.write(bytes(destroyed_size))
    with pytest.raises(StoreFileError):
        write_file(path, [b"new"], replace=True)
    export = tmp_path / "text"
    export.write_text("stored_events")
    write_file(export, [b"new"], replace=True)
    assert export.read_text() == "new"


def test_a_database_of_another_program_is_not_replaced_either(tmp_path: Path) -> None:
    (tmp_path / "places.sqlite").write_bytes(b"SQLite format 3\0" + bytes(84))
    with pytest.raises(StoreFileError):
        check_output(tmp_path / "places.sqlite", replace=True)
    (tmp_path / "short").write_bytes(b"SQLite")
    check_output(tmp_path / "short", replace=True)
