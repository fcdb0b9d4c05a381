"""A reader that has gone, or a full disk: the exit code says so, no traceback is shown, what was done stays done."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO

import click
import pytest

from zimcli.__main__ import PatientStream
from zimcli.main import cli
from zimcli.shell.exit_codes import READER_GONE, STORE_FAILURE
from zimcli.shell.registry import ENTRIES_BY_NAME

FULL_DEVICE = Path("/dev/full")
HELP_LINES = ("--help", "--version", "help", *(f"{name} --help" for name in ENTRIES_BY_NAME))
ANSWER_LINES = (
    *("games", "show g", "log g", "legal g", "board g", "rules", "doctor", "lines g", "completion bash"),
    *("--json games", "--json show g", "--json legal g", "--format csv log g", "--format jsonl games"),
    *("--color always board g", "export --jsonl -", "export g --certificate -", "verify g", "config"),
)
"""Command lines of each kind of output: text, documents, rows, colours, files written to stdout."""
PROCESS_LINES = ("--version", "--help", "show --help", "games", "nosuch", "show nogame", "--json show nogame")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A store with one game."""
    url = f"sqlite:///{tmp_path_factory.mktemp('cut')}/games.db"
    assert exit_code("--store", url, "--quiet", "new", "g") == 0
    return url


@pytest.fixture
def gone_reader() -> Iterator[TextIO]:
    """A pipe whose reader has closed it."""
    reader, writer = os.pipe()
    os.close(reader)
    yield from opened(writer)


@pytest.fixture
def full_disk() -> Iterator[TextIO]:
    """A device that is always full."""
    if not FULL_DEVICE.exists():
        pytest.skip("there is no /dev/full")
    yield from opened(os.open(FULL_DEVICE, os.O_WRONLY))


def opened(descriptor: int) -> Iterator[TextIO]:
    """The stream of a descriptor. Its text can never be written, so it is pointed elsewhere before it is closed."""
    with open(descriptor, "w") as stream:
        yield stream
        os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)


def exit_code(*words: str) -> object:
    """The exit code of a command line, run in this process."""
    with pytest.raises(SystemExit) as ended:
        cli.main(list(words))
    return ended.value.code


@pytest.mark.parametrize("line", [*HELP_LINES, *ANSWER_LINES])
def test_a_reader_that_has_gone_ends_each_command_with_its_own_exit_code(
    line: str, store: str, gone_reader: TextIO, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdout", gone_reader)
    assert exit_code("--store", store, *line.split()) == READER_GONE
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("line", [*HELP_LINES, *ANSWER_LINES])
def test_a_full_disk_at_stdout_is_told_by_each_command(
    line: str, store: str, full_disk: TextIO, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdout", full_disk)
    assert exit_code("--store", store, *line.split()) == STORE_FAILURE
    assert "the disk is full" in capsys.readouterr().err


def test_the_lines_tried_show_each_format() -> None:
    kinds = {word for line in ANSWER_LINES for word in line.split() if word.startswith("-")}
    assert kinds >= {"--json", "--format", "--color", "--jsonl"}
    assert isinstance(cli, click.Group)
    assert set(cli.commands) <= set(ENTRIES_BY_NAME)


@pytest.mark.parametrize("line", PROCESS_LINES)
def test_a_process_keeps_its_exit_code_whatever_happens_to_its_output(line: str, store: str, tmp_path: Path) -> None:
    usual = run(line, store, subprocess.DEVNULL, subprocess.DEVNULL)
    with FULL_DEVICE.open("w") as full:
        assert run(line, store, subprocess.DEVNULL, full.fileno()) == usual
        errors = tmp_path / "errors"
        with errors.open("w") as file:
            at_full_stdout = run(line, store, full.fileno(), file.fileno())
    assert at_full_stdout == (usual or STORE_FAILURE)
    assert "Traceback" not in errors.read_text()
    assert errors.read_text()
    reader, writer = os.pipe()
    os.close(reader)
    assert run(line, store, subprocess.DEVNULL, writer) == usual
    with errors.open("w") as file:
        assert run(line, store, writer, file.fileno()) == (usual or READER_GONE)
    os.close(writer)
    assert "Traceback" not in errors.read_text()


def test_completion_for_a_reader_that_has_gone_shows_no_traceback(store: str, tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    errors = tmp_path / "errors"
    with errors.open("w") as file:
        words = {"_ZIM_COMPLETE": "bash_complete", "COMP_WORDS": "zim sh", "COMP_CWORD": "1"}
        assert run("", store, writer, file.fileno(), **words) == READER_GONE
    os.close(writer)
    assert errors.read_text() == ""


def run(line: str, store: str, stdout: int, stderr: int, **variables: str) -> int:
    """The exit code of a process of its own."""
    environment = {**os.environ, "ZIM_STORE": store, **variables}
    words = [sys.executable, "-c", "from zimcli.__main__ import main; main()", *line.split()]
    return subprocess.run(words, stdout=stdout, stderr=stderr, env=environment, check=False).returncode


@pytest.mark.parametrize("write", [lambda stream: stream.write("text\n"), lambda stream: print("text", file=stream)])
def test_a_patient_stream_loses_what_cannot_be_written(write: Callable[[TextIO], object]) -> None:
    for descriptor in (os.open(os.devnull, os.O_WRONLY), os.open(FULL_DEVICE, os.O_WRONLY)):
        stream = PatientStream(open(descriptor, "wb"), line_buffering=True)  # noqa: SIM115
        write(stream)
        stream.flush()
        os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
        stream.close()
