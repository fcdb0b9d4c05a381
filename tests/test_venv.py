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
CompletedProcess: TypeAlias = subprocess.CompletedProcess[str]

UV_STAND_IN = """#!/bin/sh
echo "$*" >>"{log}"
sleep "${{TAKES:-0}}"
[ -z "${{BROKEN-}}" ] || {{ echo "no route to the registry"; exit 1; }}
printf '#!/bin/sh\\necho "zim $*"\\n' >"${{5%python}}zim"
chmod +x "${{5%python}}zim"
cd "${{5%bin/python}}"lib/python3*/site-packages && echo "{root}" >_great_zim.pth
"""


def restore_ctrl_c() -> None:
    """Before a program starts: what runs in the background of a shell ignores SIGINT, and passes that on."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Checkout:
    """A checkout with an empty project, and a PATH with Python, what every system has, and the stand-in for uv."""

    def __init__(self, folder: Path) -> None:
        self.root, self.log, self.bin = folder / "chéck out", folder / "log", folder / "bin"
        for name in ("zimcli", "zimcore", "event_store", "scripts"):
            (self.root / name).mkdir(parents=True)
        for name in ("zim", "venv.sh", "requirements-run.txt", "requirements-test.txt"):
            shutil.copy(ROOT / "scripts" / name, self.root / "scripts")
        shutil.copy(ROOT / "pyproject.toml", self.root)
        self.bin.mkdir()
        self.add_program("uv", UV_STAND_IN.format(log=self.log, root=self.root))
        (self.bin / "python3").symlink_to(sys.executable)

    def add_program(self, name: str, script: str) -> None:
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
            preexec_fn=restore_ctrl_c,
        )

    def zim(self, *words: str, **settings: str) -> CompletedProcess:
        process = self.start(*words, **settings)
        stdout, stderr = process.communicate()
        return subprocess.CompletedProcess(words, process.returncode, stdout, stderr)

    def prepare(self, purpose: str) -> None:
        script = f'root=$1; . "$root/scripts/venv.sh"; prepare {purpose}'
        subprocess.run(["/bin/sh", "-c", script, "sh", self.root], check=True, env=self.environment())

    @property
    def installations(self) -> int:
        """How many times Zim was installed. (Two calls each time: the pinned packages, and the project.)"""
        return self.log.read_text().count("--editable") if self.log.exists() else 0

    def plant_file(self) -> Path:
        """Creates a file in the environment, which is gone if the environment is made again."""
        planted_file = self.root / ".venv/planted"
        planted_file.touch()
        return planted_file


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def test_pinned_packages_come_with_hashes_and_the_project_alone(checkout: Checkout) -> None:
    first_run = checkout.zim("log", "kilwa 7")
    assert (first_run.returncode, first_run.stdout) == (0, "zim log kilwa 7\n")
    assert "zim: installing into " in first_run.stderr
    pinned_call, project_call = checkout.log.read_text().splitlines()
    assert pinned_call.endswith(f"--require-hashes --requirement {checkout.root}/scripts/requirements-run.txt")
    assert project_call.endswith(f"--no-deps --no-build-isolation --editable {checkout.root}")


def test_an_installed_zim_starts_no_other_process(checkout: Checkout) -> None:
    checkout.zim()
    second_run = checkout.zim("games", PATH="/nowhere")
    assert (second_run.returncode, second_run.stdout, second_run.stderr) == (0, "zim games\n", "")
    assert checkout.installations == 1


@pytest.mark.parametrize("name", ["pyproject.toml", "scripts/requirements-run.txt"])
@pytest.mark.parametrize("seconds", [-1000, 1000])
def test_another_version_is_installed_in_the_same_place(checkout: Checkout, name: str, seconds: int) -> None:
    checkout.zim()
    planted_file, file = checkout.plant_file(), checkout.root / name
    os.utime(file, (0, file.stat().st_mtime + seconds))
    assert checkout.zim("games").stdout == "zim games\n"
    assert (checkout.installations, planted_file.exists()) == (2, True)


def test_an_environment_for_tests_has_all_that_players_need(checkout: Checkout) -> None:
    checkout.zim()
    checkout.prepare("test")
    assert checkout.installations == 2
    checkout.prepare("test")
    assert checkout.zim("games").stderr == ""
    assert checkout.installations == 2


def test_two_concurrent_starts_install_once(checkout: Checkout) -> None:
    processes = [checkout.start("games", TAKES="0.3") for _ in range(2)]
    assert [process.communicate()[0] for process in processes] == ["zim games\n"] * 2
    assert checkout.installations == 1


@pytest.mark.parametrize("signal_number", [signal.SIGKILL, signal.SIGINT])
def test_an_interrupted_installation_is_repeated(checkout: Checkout, signal_number: signal.Signals) -> None:
    checkout.zim()
    planted_file = checkout.plant_file()
    os.utime(checkout.root / "pyproject.toml", (0, 0))
    process = checkout.start("games", TAKES="60")
    while process.poll() is None and checkout.log.read_text().count("\n") < 3:
        time.sleep(0.01)
    assert interrupt(process, signal_number) == ""
    assert process.returncode != 0
    assert planted_file.exists()
    assert checkout.zim("games").stdout == "zim games\n"
    assert not planted_file.exists()


def interrupt(process: subprocess.Popen[str], signal_number: signal.Signals) -> str:
    """Sends a signal to all that was started until it is gone, as if Ctrl+C were pressed again; returns its output.

    A shell that has forked and not started the other program yet takes a SIGINT for itself, and that goes on.
    """
    while True:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal_number)
        with suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=0.5)[0]


def test_a_checkout_that_was_moved_is_installed_anew(checkout: Checkout) -> None:
    checkout.zim()
    planted_file = checkout.plant_file()
    checkout.root = checkout.root.rename(checkout.root.with_name("elsewhere"))
    assert checkout.zim("games").stdout == "zim games\n"
    assert (checkout.installations, planted_file.exists()) == (2, False)


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_a_checkout_in_a_folder_that_is_not_ascii_is_imported_in_every_locale(checkout: Checkout, locale: str) -> None:
    checkout.zim()
    command = [str(checkout.root / ".venv/bin/python"), "-c", "import zimcli; print(*zimcli.__path__)"]
    result = subprocess.run(command, cwd="/", env=checkout.environment(LC_ALL=locale), capture_output=True, check=False)
    assert result.stdout.decode() == f"{checkout.root / 'zimcli'}\n", result.stderr.decode()


def test_a_python_that_is_gone_is_noticed(checkout: Checkout) -> None:
    checkout.zim()
    (checkout.root / ".venv/bin/python").unlink()
    assert checkout.zim("games").stdout == "zim games\n"
    assert checkout.installations == 2


def test_an_installation_that_fails_says_why_and_the_next_one_can_succeed(checkout: Checkout) -> None:
    failed_run = checkout.zim("games", BROKEN="yes")
    assert (failed_run.returncode, failed_run.stdout) == (1, "")
    reason_index = failed_run.stderr.index("no route to the registry")
    assert 0 < reason_index < failed_run.stderr.index("zim: the installation failed; the reason is above.")
    assert "Then type the same again." in failed_run.stderr
    assert checkout.zim("games").stdout == "zim games\n"


@pytest.mark.parametrize(
    ("python", "version"),
    [("", "no python3"), ("#!/bin/sh\n[ $1 = --version ] && echo Python 3.9.2\n", "Python 3.9.2")],
)
def test_a_python_that_is_too_old_is_reported(checkout: Checkout, python: str, version: str) -> None:
    (checkout.bin / "python3").unlink()
    if python:
        checkout.add_program("python3", python)
    result = checkout.zim("games", PATH=str(checkout.bin))
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == (
        f"zim needs Python 3.11 or newer and found {version}.\nInstall one, as python3 or python3.11 on the PATH.\n"
    )


@pytest.mark.parametrize("had_uv", [False, True], ids=["from the first run on", "after uv is gone"])
def test_without_uv_pip_does_the_same(checkout: Checkout, had_uv: bool) -> None:
    """Without a network pip fails with its usual message, so pip was called."""
    if had_uv:
        checkout.zim("games")
        with (checkout.root / "pyproject.toml").open("a") as file:
            file.write("# changed\n")
    (checkout.bin / "uv").unlink()
    failed_run = checkout.zim(
        "games", PIP_NO_INDEX="yes", PIP_FIND_LINKS="", PATH=f"{checkout.bin}:{folder_of_tools(checkout)}"
    )
    assert (failed_run.returncode, failed_run.stdout) == (1, "")
    assert "ERROR: No matching distribution found for " in failed_run.stderr
    assert "zim: the installation failed; the reason is above." in failed_run.stderr


def folder_of_tools(checkout: Checkout) -> Path:
    """A folder with the system programs that the installation uses, without uv."""
    folder = checkout.bin.with_name("tools")
    folder.mkdir()
    for name in ("cp", "mkdir", "mv", "rm"):
        (folder / name).symlink_to(str(shutil.which(name)))
    return folder
