"""A fresh Debian on this machine: debootstrap makes its root, and systemd boots it in a network of its own.

There only loopback is up, so the ports are those that the page prints, and nothing can be loaded: packages are fetched
before. All its processes and mounts end with it, and its folder is removed.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

DEBIAN_SUITE = "bookworm"
BASE_PACKAGES = ("systemd", "systemd-sysv", "dbus", "ca-certificates", "curl")
"""Packages of every Debian server that debootstrap's minimum lacks."""
NEEDED_PROGRAMS = ("debootstrap", "systemd-nspawn", "nsenter")
TIMEOUT_SECONDS = 120
SHELL_FOLDER = "/root/rehearsal"
"""The folder in which its shell types."""
SHELL_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class RehearsalNotPossible(Exception):  # noqa: N818 - not an error of zim
    """This machine can't boot another Debian."""


class CommandFailed(Exception):  # noqa: N818 - not an error of zim
    """A typed command has failed."""


def missing_requirement() -> str:
    """Why this machine can't boot another Debian; "" if it can."""
    if os.getuid() != 0:
        return "you are not root"
    return next((f"no {name} on this machine" for name in NEEDED_PROGRAMS if not shutil.which(name)), "")


class Machine:
    """A booted Debian. What you type has the environment that was exported before, as in one shell of root."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.leader = 0

    def file(self, path: str) -> Path:
        """A file of the machine, by its path on this one."""
        return self.root / path.lstrip("/")

    def command(self, text: str, folder: str = SHELL_FOLDER) -> Sequence[str]:
        """The words that run a text in its shell."""
        setup_line = f"cd {folder}; [ ! -e /root/exported ] || . /root/exported"
        words = ("nsenter", "-t", str(self.leader), "-m", "-u", "-i", "-n", "-p", "--root", "--wd")
        clean_environment = ("env", "-i", f"PATH={SHELL_PATH}", "HOME=/root", "LANG=C.UTF-8")
        script = f"{setup_line}\nset -e\n{text}\nexport -p > /root/exported"
        return (*words, *clean_environment, "setsid", "-w", "bash", "-c", script)  # no terminal: a prompt reads stdin

    def type(self, text: str, stdin: str = "", *, status: int = 0, folder: str = SHELL_FOLDER) -> str:
        """Types a text in its shell; returns what it prints. Raises `CommandFailed` unless it ends with this status."""
        process = subprocess.run(
            self.command(text, folder),
            input=stdin,
            text=True,
            capture_output=True,
            check=False,
            timeout=10 * TIMEOUT_SECONDS,
        )
        if process.returncode != status:
            raise CommandFailed(f"{text}\nhas ended with {process.returncode}:\n{process.stdout}{process.stderr}")
        return process.stdout + process.stderr

    def start(self, text: str, log_file: Path) -> subprocess.Popen[str]:
        """Begins a program, whose output goes to a file of this machine; its number is in `started` there."""
        command = self.command(f"echo $$ > started; exec {text}")
        with open(log_file, "w") as output:
            return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, text=True)

    def wait_for(self, text: str) -> None:
        """Types a text again and again until it succeeds."""
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while subprocess.run(self.command(text), capture_output=True, check=False).returncode:
            if time.monotonic() > deadline:
                raise CommandFailed(f"{text}\nhas not succeeded in {TIMEOUT_SECONDS} seconds")
            time.sleep(0.2)


def nspawn_command(root: Path, *words: str) -> Sequence[str]:
    """The words that begin a container in a root."""
    return ("systemd-nspawn", "--quiet", "-D", str(root), "--register=no", "--keep-unit", "--console=pipe", *words)


def run_in_root(root: Path, text: str, *words: str) -> bytes:
    """Runs a text in a root that is not booted, with the network of this machine; returns what it prints."""
    certificates = os.environ.get("SSL_CERT_FILE", "/etc/ssl/certs/ca-certificates.crt")
    shared_options = ("--resolv-conf=copy-host", f"--bind-ro={certificates}:/run/certificates.crt", *words)
    settings = ("--setenv=DEBIAN_FRONTEND=noninteractive", "--setenv=PIP_CERT=/run/certificates.crt")
    return run_program(nspawn_command(root, *shared_options, *settings, "bash", "-ec", text))


def run_program(words: Sequence[str], folder: Path | None = None) -> bytes:
    """Runs a program; returns what it prints. Raises `CommandFailed` with the end of its output if it fails."""
    process = subprocess.run(words, capture_output=True, check=False, cwd=folder, stdin=subprocess.DEVNULL)
    if process.returncode:
        raise CommandFailed(f"{' '.join(words)}\n{(process.stdout + process.stderr).decode(errors='replace')[-3000:]}")
    return process.stdout


def make_root(root: Path, packages: Sequence[str]) -> None:
    """Makes a Debian, with packages that are fetched, but not installed."""
    run_program(("debootstrap", "--variant=minbase", f"--include={','.join(BASE_PACKAGES)}", DEBIAN_SUITE, str(root)))
    (root / "etc/apt/apt.conf.d/90yes").write_text('APT::Get::Assume-Yes "true";\n')  # nobody is asked there
    run_in_root(root, f"apt-get -q update; apt-get -q install --download-only {' '.join(packages)}")


@contextmanager
def boot(root: Path) -> Iterator[Machine]:
    """A Debian that runs until the block ends. Raises `RehearsalNotPossible` if it does not boot."""
    machine = Machine(root)
    machine.file(SHELL_FOLDER).mkdir(exist_ok=True)
    with open(root.parent / "boot.log", "w") as log_file:
        process = subprocess.Popen(
            nspawn_command(root, "--boot", "--private-network", f"--machine=zim-{os.getpid()}"),
            stdin=subprocess.DEVNULL,
            stdout=log_file,
            stderr=log_file,
        )
    try:
        machine.leader = wait_for_leader(process)
        machine.wait_for("systemctl is-system-running --wait | grep -E 'running|degraded'")
        yield machine
    finally:
        process.send_signal(signal.SIGTERM)  # it shuts down in order
        try:
            process.wait(TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wait_for_leader(process: subprocess.Popen[bytes]) -> int:
    """The first process of a container, once it runs."""
    children, deadline = Path(f"/proc/{process.pid}/task/{process.pid}/children"), time.monotonic() + TIMEOUT_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        for child in children.read_text().split():
            try:
                if Path(f"/proc/{child}/comm").read_text() == "systemd\n":
                    return int(child)
            except OSError:
                pass
        time.sleep(0.1)
    raise RehearsalNotPossible("systemd does not boot in a container here")


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder for a root, which is removed in the end; nothing is mounted in it then."""
    with TemporaryDirectory(prefix="zim-rehearse-") as name:
        yield Path(name)
        mounted_lines = [line for line in Path("/proc/self/mounts").read_text().splitlines() if name in line]
        if mounted_lines:
            raise CommandFailed(f"still mounted: {mounted_lines}")
