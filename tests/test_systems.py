"""Zim runs where Python lacks the modules of POSIX: it is imported, plays and keeps a game without them.

Windows itself is not here. A process says that it is on Windows, and has none of these modules and functions; the
libraries are imported before, as theirs are another question. The types for Windows are checked by mypy
(`scripts/test --ci`), and `scripts/bounds` looks for all distributions.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from event_store.locks import lock_bytes, wait_for_lock
from tests.project_files import ROOT
from zimcore.bots.frames import read_frames, to_frame

POSIX_MODULES = ("fcntl", "grp", "pty", "pwd", "resource", "termios", "tty")
POSIX_FUNCTIONS = ("chown", "fork", "getuid", "nice", "pread", "sched_getaffinity")
PACKAGES_FOR_POSIX_ONLY = ("zimcore.envs", "zimcore.bots.cluster")
"""Their libraries have no wheels for Windows, or are not tried there."""

PROGRAM = """
import os, sys
from importlib import import_module, util
from pathlib import Path
from types import SimpleNamespace

names = sys.argv[1].split(",")
OURS = ("event_store", "zimcore", "zimcli")
for name in ("platformdirs", *names):  # loads the libraries that they need
    import_module(name)
for name in [name for name in sys.modules if name.partition(".")[0] in OURS]:
    del sys.modules[name]

sys.platform = "win32"
for module in sys.argv[2].split(","):
    sys.modules[module] = None
for function in sys.argv[3].split(","):
    delattr(os, function)
locked = []
sys.modules["msvcrt"] = SimpleNamespace(LK_NBLCK=2, locking=lambda *words: locked.append(words))

for name in names:
    import_module(name)

from click.testing import CliRunner
from zimcli.main import cli

def zim(*words):
    result = CliRunner().invoke(cli, ["--store", f"sqlite:///{sys.argv[4]}/games.db", *words])
    assert result.exit_code == 0, (words, result.output, result.exception)
    return result.stdout

zim("new", "k", "players=2", "seed=7", "bots=mutapa:quick")
zim("hint", "k", "--as", "kilwa")
zim("db", "check")
zim("backup", sys.argv[4] + "/copy.db")
zim("db", "restore", sys.argv[4] + "/copy.db")
assert locked, "the restored store is locked by the C library"
print(zim("verify", "k"))
"""


def our_modules() -> list[str]:
    """The modules of our packages, but for those that need POSIX."""
    paths = [path for package in ("event_store", "zimcore", "zimcli") for path in (ROOT / package).rglob("*.py")]
    modules = {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for path in paths}
    return sorted(
        name for name in modules if not name.endswith("__main__") and not name.startswith(PACKAGES_FOR_POSIX_ONLY)
    )


def run_program(program: str, modules: tuple[str, ...], folder: Path) -> subprocess.CompletedProcess[str]:
    arguments = [",".join(our_modules()), ",".join(modules), ",".join(POSIX_FUNCTIONS), str(folder)]
    return subprocess.run(
        [sys.executable, "-c", program, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )


def test_a_game_is_played_and_kept_without_posix(tmp_path: Path) -> None:
    result = run_program(PROGRAM, POSIX_MODULES, tmp_path)
    assert result.returncode == 0, result.stderr
    assert "k/main is as it was played" in result.stdout


def test_a_module_that_is_missing_is_found(tmp_path: Path) -> None:
    result = run_program(PROGRAM, (*POSIX_MODULES, "sqlite3"), tmp_path)
    assert result.returncode == 1
    assert "sqlite3" in result.stderr


LOCKING_PROGRAM = """
import os, sys
from event_store.locks import lock_bytes, wait_for_lock
descriptor = os.open(sys.argv[1], os.O_RDWR)
wait_for_lock(descriptor)
lock_bytes(descriptor, 100, 10)
print("locked", flush=True)
sys.stdin.read()
"""


def test_a_lock_keeps_another_process_out_until_that_ends(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    command = [sys.executable, "-c", LOCKING_PROGRAM, str(tmp_path / "file")]
    descriptor = os.open(tmp_path / "file", os.O_RDWR)
    try:
        with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            assert process.stdout
            assert process.stdin
            process.stdout.readline()
            with pytest.raises(BlockingIOError):
                lock_bytes(descriptor, 105, 10)
            lock_bytes(descriptor, 110, 10)
            process.stdin.close()
            wait_for_lock(descriptor)
        lock_bytes(descriptor, 105, 10)
    finally:
        os.close(descriptor)


@pytest.mark.parametrize("ending", [b"", b"\0", b"\0\0\0\5four"])
def test_frames_are_read_until_the_stream_breaks_off(ending: bytes) -> None:
    stream = io.BytesIO(to_frame(b"one") + to_frame(b"") + ending)
    assert list(read_frames(stream)) == [b"one", b""]
