"""Hints say what to type where Zim was installed as it was: by pip, uv, as a tool of uv, by pipx, or in a checkout."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from event_store import extras
from event_store.extras import absent_distributions, broken_import, import_failure, lacking_extra
from zimcli.output.errors import problem_of
from zimcli.shell import installation
from zimcli.shell.installation import install_hint

EXTRA_HINT = "pip install 'great-zim[png]'"
UPGRADE_HINT = "pip install --upgrade 'great-zim>=9.1'"
REQUIREMENTS = {"png": ("resvg-py>=0.5", "textual-image>=0.12"), "sign": ("cryptography>=42",)}


@pytest.fixture
def prefix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The environment of an installed copy, which has the extra `sign`."""
    (folder := tmp_path / "great-zim").mkdir()
    monkeypatch.setattr(sys, "prefix", str(folder))
    monkeypatch.setattr(installation, "origin", lambda: {"url": "file:///tmp/great_zim-0.1.0-py3-none-any.whl"})
    monkeypatch.setattr(installation, "find_spec", lambda name: None)
    for module in (extras, installation):
        monkeypatch.setattr(module, "requirements_of", lambda extra: REQUIREMENTS.get(extra, ()))
        monkeypatch.setattr(module, "absent_distributions", lambda extra: [] if extra == "sign" else ["its library"])
    return folder


def test_pip_is_that_of_the_running_python(prefix: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert install_hint(EXTRA_HINT) == f"uv pip install --python {sys.executable} 'great-zim[png]'"
    assert install_hint("pip check") == f"uv pip check --python {sys.executable}"
    monkeypatch.setattr(installation, "find_spec", lambda name: True)
    assert install_hint(EXTRA_HINT) == f"{sys.executable} -m {EXTRA_HINT}"
    assert install_hint(UPGRADE_HINT) == f"{sys.executable} -m {UPGRADE_HINT}"


def test_a_tool_of_uv_is_installed_anew_with_the_extras_that_it_has(prefix: Path) -> None:
    (prefix / "uv-receipt.toml").touch()
    wheel = "file:///tmp/great_zim-0.1.0-py3-none-any.whl"
    assert install_hint(EXTRA_HINT) == f"uv tool install 'great-zim[png,sign] @ {wheel}'"
    assert install_hint(UPGRADE_HINT) == "uv tool upgrade great-zim"


def test_pipx_injects_what_an_extra_requires(prefix: Path) -> None:
    (prefix / "pipx_metadata.json").touch()
    assert install_hint(EXTRA_HINT) == "pipx inject great-zim 'resvg-py>=0.5' 'textual-image>=0.12'"
    assert install_hint(UPGRADE_HINT) == "pipx upgrade great-zim"


def test_a_checkout_is_upgraded_by_git_and_an_unpacked_archive_is_not(
    prefix: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkout = {"url": (tmp_path / "my zim").as_uri(), "dir_info": {"editable": True}}
    monkeypatch.setattr(installation, "origin", lambda: checkout)
    assert install_hint(UPGRADE_HINT).endswith(UPGRADE_HINT.removeprefix("pip install "))
    (tmp_path / "my zim/.git").mkdir(parents=True)
    assert install_hint(UPGRADE_HINT) == f"git -C '{tmp_path}/my zim' pull"
    assert "great-zim[png]" in install_hint(EXTRA_HINT)


@pytest.mark.parametrize("hint", ["zim --help", "tell the host: pip install --upgrade great-zim", "pipes"])
def test_other_hints_stay(prefix: Path, hint: str) -> None:
    assert install_hint(hint) == hint


def test_an_extra_that_is_installed_is_not_called_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (absent_distributions("remote"), lacking_extra("remote")) == ([], None)
    failure = import_failure("remote", ModuleNotFoundError("No module named 'h11'", name="h11"))
    assert failure.why == "a module can't be imported: No module named 'h11'"
    assert failure.hints == ("pip install --force-reinstall h11", "pip check")
    lines = ['absent-one>=1; extra == "remote"', 'click>=8; extra == "remote"']
    monkeypatch.setattr(metadata, "requires", lambda name: lines)
    failure = import_failure("remote", ModuleNotFoundError("No module named 'absent_one'", name="absent_one"))
    assert failure == ("the extra `remote` is not installed: it lacks absent-one", ("pip install 'great-zim[remote]'",))


def test_requirements_of_other_systems_are_not_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ["absent-one; sys_platform != 'win32' and extra == 'server'", "click>=8; extra == 'server'"]
    monkeypatch.setattr(metadata, "requires", lambda name: lines)
    assert absent_distributions("server") == ["absent-one"]
    monkeypatch.setattr(sys, "platform", "win32")
    assert absent_distributions("server") == []


def test_a_python_without_a_module_of_its_own_is_named() -> None:
    failure = broken_import(ModuleNotFoundError("No module named 'fcntl'", name="fcntl"))
    assert failure.why == f"this Python, {sys.version.split()[0]} for {sys.platform}, lacks the module fcntl"


@pytest.mark.parametrize(("name", "is_ours"), [("zimcore.absent", True), ("msgspec.absent", False)])
def test_a_failed_import_is_named_and_a_bug_only_if_the_module_is_ours(name: str, is_ours: bool) -> None:
    problem = problem_of(ModuleNotFoundError(f"No module named {name!r}", name=name))
    assert name in problem.why[0].text
    assert ("bug in zim" in problem.what) == is_ours
    assert is_ours or "--force-reinstall msgspec" in problem.hints[0]


@pytest.mark.parametrize(
    "reason",
    ["OSError: libz.so.9: no such file", "RuntimeError: boom", "ModuleNotFoundError: No module named 'absent'"],
)
@pytest.mark.parametrize(
    ("library", "words"),
    [
        ("click", ["games"]),
        ("msgspec", ["games"]),
        ("platformdirs", ["games"]),
        ("httpx", ["--store", "http://127.0.0.1:9", "games"]),
        ("litestar", ["--store", "memory:", "serve", "--listen", "127.0.0.1:0"]),
        ("resvg_py", ["--store", "sqlite:///games.db", "board", "k", "--png", "k.png"]),
    ],
)
def test_a_library_that_fails_when_it_is_imported_is_named_and_installed_again(
    tmp_path: Path, library: str, words: list[str], reason: str
) -> None:
    name, _, text = reason.partition(": ")
    environment = os.environ | {"PYTHONPATH": str(tmp_path), "ZIM_STORE": ""}

    def zim(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "zimcli", *words]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    assert zim("--store", "sqlite:///games.db", "new", "k").returncode == 0
    (tmp_path / f"{library}.py").write_text(f"raise {name}({text!r})\n")
    result = zim(*words)
    assert result.returncode
    assert text in result.stderr
    assert library in result.stderr or "a module can't be imported" in result.stderr
    hint = " ".join(re.findall(r"try: (.*)", result.stderr))
    assert re.search(rf"--force-reinstall.* '?{library}\b", hint) or name == "ModuleNotFoundError"
    assert "pip check" in hint or library in ("click", "msgspec")
    assert not re.search("Traceback|bug in zim|a file failed", result.stderr)
