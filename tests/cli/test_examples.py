"""The examples in the help of commands that need no server work as printed, after the commands they need."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.commands import run_command
from zimcli.shell.registry import ENTRIES, CommandEntry
from zimcore.service import game, open_service

MOVES_PLAYED = 56
"""Number of moves of the demonstration in the store: round 5 begins, and Kilwa is to bid."""
COMMANDS_BEFORE_EXAMPLE = {
    "bot": ["zim fork kilwa-7@r4 what-if", "zim switch kilwa-7/main"],
    "new": ["rm games.db"],
    "run": ["rm games.db"],
    "compare": ["zim fork kilwa-7@r4 what-if", "zim do kilwa-7 'bid 2'"],
    "pick": ["zim fork kilwa-7@r4 what-if"],
    "rename": ["zim fork kilwa-7@r4 what-if"],
    "forget": ["zim fork kilwa-7@r4 what-if", "zim switch kilwa-7/main"],
    "redo": ["zim undo kilwa-7"],
    "verify": [
        "zim export kilwa-7 --certificate kilwa-7.cert",
        "zim witness friday.witness",
        "zim witness --append games.witnesses",
    ],
    **{name: ["zim takeback kilwa-7 2 --as zulu"] for name in ("accept", "decline", "withdraw")},
    "import": ["zim export kilwa-7 --certificate kilwa-7.cert"],
    "practise": ["zim analyse kilwa-7@24 --nodes 40"],
    "sign": ["zim export kilwa-7 --certificate kilwa-7.cert", "zim key"],
}
"""The commands that an example needs before it."""
SERVER_EXAMPLES = {
    "db",
    "doctor",
    "host",
    "serve",
    "join",
    "seats",
    "invite",
    "deal",
    "leave",
    "terms",
    "order",
    "orders",
    "vote",
    "notices",
}
"""Commands whose examples need a server. They are not run here."""


@pytest.fixture(scope="module")
def store_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the game kilwa-7 in it."""
    file = tmp_path_factory.mktemp("examples") / "games.db"
    lines = [line for line in game("zimbabwe").texts.demo().splitlines() if line[:1] not in ("#", "")]
    service = open_service(f"sqlite:///{file}")
    service.new("zimbabwe", dict(word.split("=") for word in lines[0].split()[2:]), name="kilwa-7", by="anna")
    for line in [line for line in lines[1:] if not line.startswith("expect")][:MOVES_PLAYED]:
        service.play("kilwa-7", line, by="anna")
    service.store.close()
    return file


def example_of(entry: CommandEntry) -> str:
    example_text = (entry.load_command().help or "").partition("Example:")[2].replace("\b", "")
    return re.sub(r"\\\n\s*", " ", example_text).strip()


def split_command(line: str) -> list[str] | None:
    """The words of a plain command of zim; None for a line that needs a shell: pipes, files, other programs."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words = list(lexer)
    needs_shell = words[0] != "zim" or re.search(r"[$`*?]", line) or any({*word} <= {*"();<>|&"} for word in words)
    return None if needs_shell else words[1:]


def type_lines(lines: list[str]) -> subprocess.CompletedProcess[str]:
    """Types lines up to the first that fails: in this process where none needs a shell."""
    commands = [split_command(line) for line in lines]
    if None in commands:
        script = "\n".join(["set -e", *lines])
        return subprocess.run(["bash", "-c", script], input="", capture_output=True, text=True, check=False)
    output = ""
    for words in commands:
        process = run_command(*words or ())
        output += process.stdout + process.stderr
        if process.returncode:
            return subprocess.CompletedProcess(lines, process.returncode, output, "")
    return subprocess.CompletedProcess(lines, 0, output, "")


@pytest.mark.parametrize(
    "entry", [entry for entry in ENTRIES if entry.name not in SERVER_EXAMPLES], ids=lambda entry: entry.name
)
def test_the_example_works_as_printed(
    store_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entry: CommandEntry
) -> None:
    shutil.copy(store_file, tmp_path / "games.db")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("ZIM_STORE", "sqlite:///games.db")
    for name in ("TMPDIR", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    for line in COMMANDS_BEFORE_EXAMPLE.get(entry.name, []):
        process = type_lines([line])
        assert process.returncode == 0, process.stdout + process.stderr
    process = type_lines(example_of(entry).splitlines())
    assert process.returncode == 0, process.stdout + process.stderr
    assert process.stdout + process.stderr or entry.name in ("play", "expect")
