"""scripts/zim installs once, also if interrupted, and then starts without further checks.

What is installed comes from a stand-in for uv here; tests/test_installing.py installs in earnest.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

import pytest

ROOT = Path(__file__).parent.parent
Done: TypeAlias = subprocess.CompletedProcess[str]

UV = """#!/bin/sh
echo "$*" >>"{log}"
sleep "${{TAKES:-0}}"
[ -z "${{BROKEN-}}" ] || {{ echo "no route to the registry"; exit 1; }}
printf '#!/bin/sh\\necho "zim $*"\\n' >"${{5%python}}zim"
chmod +x "${{5%python}}zim"
"""


def hears_ctrl_c() -> None:
    """Before a program starts: what runs in the background of a shell ignores SIGINT, and passes that on."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Checkout:
    """A checkout with an empty project, and a PATH with Python, what every system has, and the stand-in for uv."""

    def __init__(self, folder: Path) -> None:
        self.root, self.log, self.bin = folder / "check out", folder / "log", folder / "bin"
        for name in ("zimcli", "zimcore", "event_store", "scripts"):
            (self.root / name).mkdir(parents=True)
        for name in ("zim", "venv.sh", "requirements-run.txt", "requirements-test.txt"):
            shutil.copy(ROOT / "scripts" / name, self.root / "scripts")
        shutil.copy(ROOT / "pyproject.toml", self.root)
        self.bin.mkdir()
        self.program("uv", UV.format(log=self.log))
        (self.bin / "python3").symlink_to(sys.executable)

    def program(self, name: str, script: str) -> None:
        (self.bin / name).write_text(script)
        (self.bin / name).chmod(0o755)

    def environment(self, **settings: str) -> dict[str, str]:
        return os.environ | {"PATH": f"{self.bin}:/usr/bin:/bin"} | settings

    def start(self, *words: str, **settings: str) -> subprocess.Popen[str]:
        command = ["/bin/sh", str(self.root / "scripts/zim"), *words]
        pipe, environment = subprocess.PIPE, self.environment(**settings)
        return subprocess.Popen(
            command,
            stdout=pipe,
            stderr=pipe,
            text=True,
            env=environment,
            start_new_session=True,
            preexec_fn=hears_ctrl_c,
        )

    def zim(self, *words: str, **settings: str) -> Done:
        process = self.start(*words, **settings)
        stdout, stderr = process.communicate()
        return subprocess.CompletedProcess(words, process.returncode, stdout, stderr)

    def prepare(self, of: str) -> None:
        script = f'root=$1; . "$root/scripts/venv.sh"; prepare {of}'
        subprocess.run(["/bin/sh", "-c", script, "sh", self.root], check=True, env=self.environment())

    @property
    def installations(self) -> int:
        """How often all of it was installed. (Two calls each: what is pinned, and the project.)"""
        return self.log.read_text().count("--editable") if self.log.exists() else 0

    def plants(self) -> Path:
        """A file in the environment, which is gone when that is made anew."""
        planted = self.root / ".venv/planted"
        planted.touch()
        return planted


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def test_what_is_pinned_comes_with_hashes_and_the_project_without_anything_else(checkout: Checkout) -> None:
    first = checkout.zim("log", "kilwa 7")
    assert (first.returncode, first.stdout) == (0, "zim log kilwa 7\n")
    assert "zim: installing into " in first.stderr
    pinned, project = checkout.log.read_text().splitlines()
    assert pinned.endswith(f"--require-hashes --requirement {checkout.root}/scripts/requirements-run.txt")
    assert project.endswith(f"--no-deps --no-build-isolation --editable {checkout.root}")


def test_after_that_no_process_is_started_but_zim(checkout: Checkout) -> None:
    checkout.zim()
    again = checkout.zim("games", PATH="/nowhere")
    assert (again.returncode, again.stdout, again.stderr) == (0, "zim games\n", "")
    assert checkout.installations == 1


@pytest.mark.parametrize("name", ["pyproject.toml", "scripts/requirements-run.txt"])
@pytest.mark.parametrize("later", [-1000, 1000])
def test_another_version_is_installed_in_the_same_place(checkout: Checkout, name: str, later: int) -> None:
    checkout.zim()
    planted, file = checkout.plants(), checkout.root / name
    os.utime(file, (0, file.stat().st_mtime + later))
    assert checkout.zim("games").stdout == "zim games\n"
    assert (checkout.installations, planted.exists()) == (2, True)


def test_who_has_what_tests_need_has_all_that_players_need(checkout: Checkout) -> None:
    checkout.zim()
    checkout.prepare("test")
    assert checkout.installations == 2
    checkout.prepare("test")
    assert checkout.zim("games").stderr == ""
    assert checkout.installations == 2


def test_two_at_once_install_once(checkout: Checkout) -> None:
    both = [checkout.start("games", TAKES="0.3") for _ in range(2)]
    assert [process.communicate()[0] for process in both] == ["zim games\n"] * 2
    assert checkout.installations == 1


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_what_was_interrupted_is_made_anew(checkout: Checkout, number: signal.Signals) -> None:
    checkout.zim()
    planted = checkout.plants()
    os.utime(checkout.root / "pyproject.toml", (0, 0))
    process = checkout.start("games", TAKES="60")
    while process.poll() is None and checkout.log.read_text().count("\n") < 3:
        time.sleep(0.01)
    assert interrupt(process, number) == ""
    assert process.returncode != 0
    assert planted.exists()
    assert checkout.zim("games").stdout == "zim games\n"
    assert not planted.exists()


def interrupt(process: subprocess.Popen[str], number: signal.Signals) -> str:
    """Signals all that was started until it is gone, as who presses Ctrl+C again; what it has printed.

    A shell that has forked and not started the other program yet takes a SIGINT for itself, and that goes on.
    """
    while True:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=0.5)[0]


def test_a_checkout_that_was_moved_is_installed_anew(checkout: Checkout) -> None:
    checkout.zim()
    planted = checkout.plants()
    checkout.root = checkout.root.rename(checkout.root.with_name("elsewhere"))
    assert checkout.zim("games").stdout == "zim games\n"
    assert (checkout.installations, planted.exists()) == (2, False)


def test_a_python_that_is_gone_is_noticed(checkout: Checkout) -> None:
    checkout.zim()
    (checkout.root / ".venv/bin/python").unlink()
    assert checkout.zim("games").stdout == "zim games\n"
    assert checkout.installations == 2


def test_an_installation_that_fails_says_why_and_the_next_one_can_succeed(checkout: Checkout) -> None:
    failed = checkout.zim("games", BROKEN="yes")
    assert (failed.returncode, failed.stdout) == (1, "")
    reason = failed.stderr.index("no route to the registry")
    assert 0 < reason < failed.stderr.index("zim: the installation failed; the reason is above.")
    assert "Then type the same again." in failed.stderr
    assert checkout.zim("games").stdout == "zim games\n"


@pytest.mark.parametrize(
    ("python", "version"),
    [("", "no python3"), ("#!/bin/sh\n[ $1 = --version ] && echo Python 3.9.2\n", "Python 3.9.2")],
)
def test_a_python_that_is_too_old_is_reported(checkout: Checkout, python: str, version: str) -> None:
    (checkout.bin / "python3").unlink()
    if python:
        checkout.program("python3", python)
    result = checkout.zim("games", PATH=str(checkout.bin))
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == (
        f"zim needs Python 3.11 or newer and found {version}.\nInstall one, as python3 or python3.11 on the PATH.\n"
    )


def test_without_uv_pip_does_the_same(checkout: Checkout) -> None:
    """The environment gets pip, which is asked for just that: where there is no network it says so."""
    (checkout.bin / "uv").unlink()
    failed = checkout.zim("games", PIP_NO_INDEX="yes", PIP_FIND_LINKS="", PATH=f"{checkout.bin}:{only_tools(checkout)}")
    assert (failed.returncode, failed.stdout) == (1, "")
    assert "ERROR: No matching distribution found for " in failed.stderr
    assert "zim: the installation failed; the reason is above." in failed.stderr


def only_tools(checkout: Checkout) -> Path:
    """A folder with what the installation uses of the system, and no uv."""
    folder = checkout.bin.with_name("tools")
    folder.mkdir()
    for name in ("cp", "mkdir", "mv", "rm"):
        (folder / name).symlink_to(str(shutil.which(name)))
    return folder
