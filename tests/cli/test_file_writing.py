"""Files are written whole or not at all, and existing files stay unchanged."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from zimcli.files import write_file


def test_a_file_gets_its_name_when_it_is_complete(tmp_path: Path) -> None:
    def failing_chunks() -> Iterator[bytes]:
        yield b"half of it"
        raise ValueError("no more")

    path = tmp_path / "game.cert"
    write_file(str(path), [b"one", b"two"])
    with pytest.raises(ValueError, match="no more"):
        write_file(str(path), failing_chunks())
    assert path.read_bytes() == b"onetwo"
    assert os.listdir(tmp_path) == ["game.cert"]


def test_a_link_is_followed_and_the_mode_is_kept(tmp_path: Path) -> None:
    target, link = tmp_path / "real", tmp_path / "link"
    target.touch(mode=0o600)
    link.symlink_to(target)
    write_file(str(link), [b"new"])
    assert link.is_symlink()
    assert (target.read_bytes(), target.stat().st_mode & 0o777) == (b"new", 0o600)


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader_command = [sys.executable, "-c", "import sys; print(open(sys.argv[1]).read())", str(pipe)]
    with subprocess.Popen(reader_command, stdout=subprocess.PIPE, text=True) as reader:
        write_file(str(pipe), [b"one", b"two"])
        assert reader.communicate()[0] == "onetwo\n"
    assert pipe.is_fifo()


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="this system has no /dev/full")
def test_a_full_device_is_named_in_the_error_and_stays_a_device() -> None:
    with pytest.raises(OSError, match="No space left") as error:
        write_file("/dev/full", [b"one"])
    assert error.value.filename == "/dev/full"
    assert Path("/dev/full").is_char_device()


def test_writing_to_a_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        write_file(str(tmp_path), [b"one"])
