"""Completion in real shells: the requests of click's scripts, and their result in bash."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from zimcore.service import open_service


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    store = f"sqlite:///{tmp_path / 'games.db'}"
    service = open_service(store)
    service.new("zimbabwe", {"players": "2", "seed": "1"}, name="kilwa-7", by="anna")
    service.play("kilwa-7", "start f4", by="anna")
    service.play("kilwa-7", "start a3", by="anna")
    service.fork("kilwa-7@start", "what-if", by="anna")
    service.switch("kilwa-7/main", by="anna")
    service.store.close()
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return os.environ | {"PATH": path, "ZIM_STORE": store, "NO_COLOR": "1"}


def completions(environment: dict[str, str], line: str) -> list[str]:
    words = line.split(" ")
    completion_environment = environment | {
        "_ZIM_COMPLETE": "bash_complete",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - 1),
    }
    process = subprocess.run(["zim"], env=completion_environment, capture_output=True, text=True, check=True)
    return [word.partition(",")[2] for word in process.stdout.splitlines() if word]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("zim unde", []),
        ("zim und", ["undo"]),
        ("zim log k", ["kilwa-7"]),
        ("zim log kilwa-7/", ["kilwa-7/main", "kilwa-7/what-if"]),
        ("zim board kilwa-7@r", ["kilwa-7@r1"]),
        ("zim do kilwa-7 ", [r"bid\\ 1", r"bid\\ 2", r"bid\\ 3", "pass"]),
        ("zim legal kilwa-7 bid ", ["1", "2", "3"]),
        ("zim legal kilwa-7/what-if st", ["start"]),
        ("zim rules R-MON-01", ["R-MON-01"]),
        ("zim log nobody@", []),
        ("zim completion b", ["bash"]),
        ("zim compare kilwa-7/main kilwa-7/w", ["kilwa-7/what-if"]),
        ("zim verify kil", ["kilwa-7"]),
        ("zim why kilwa-7 kilwa.v", ["kilwa.vp", "kilwa.vr"]),
        ("zim board kilwa-7 --r", ["--reach", "--resources"]),
        ("zim help hub", ["hubs"]),
        ("zim help bis", ["bisect"]),
    ],
)
def test_completions_of_a_line(environment: dict[str, str], line: str, words: list[str]) -> None:
    assert completions(environment, line) == words


def test_aliases_and_tags_are_offered(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "zim").mkdir()
    (tmp_path / "zim" / "config.toml").write_text("[aliases]\nunder = 'log --last 5'\n")
    environment |= {"XDG_CONFIG_HOME": str(tmp_path)}
    subprocess.run(["zim", "tag", "kilwa-7@1", "peak"], env=environment, check=True, capture_output=True)
    assert completions(environment, "zim und") == ["undo", "under"]
    assert completions(environment, "zim under k") == ["kilwa-7"], "an alias completes as the command it stands for"
    assert completions(environment, "zim log kilwa-7@p") == ["kilwa-7@peak"]
    (tmp_path / "zim" / "config.toml").write_text("[aliases\n")
    assert completions(environment, "zim und") == ["undo"], "settings that can't be read offer nothing"


def test_completion_after_an_unknown_command_is_no_error(environment: dict[str, str]) -> None:
    completion_environment = environment | {
        "_ZIM_COMPLETE": "bash_complete",
        "COMP_WORDS": "zim foo ",
        "COMP_CWORD": "2",
    }
    process = subprocess.run(["zim"], env=completion_environment, capture_output=True, text=True, check=True)
    assert process.stderr == ""


def test_bash_completes(environment: dict[str, str]) -> None:
    shell_script = 'eval "$(zim completion bash)"; COMP_WORDS=(zim do kilwa-7 bid); COMP_CWORD=3; _zim_completion zim'
    process = subprocess.run(
        ["/bin/bash", "-c", f'{shell_script}; printf "%s\\n" "${{COMPREPLY[@]}}"'],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert process.stdout.splitlines() == ["bid\\ 1", "bid\\ 2", "bid\\ 3"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_script_has_valid_syntax(
    environment: dict[str, str], shell: str, find_program: Callable[..., str]
) -> None:
    completion_process = subprocess.run(
        ["zim", "completion", shell], env=environment, capture_output=True, text=True, check=True
    )
    assert "_ZIM_COMPLETE" in completion_process.stdout
    subprocess.run([find_program(shell), "-n", "/dev/stdin"], input=completion_process.stdout, text=True, check=True)
