"""The real board at the terminal: overlays, and pictures of it."""

import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result
from syrupy.assertion import SnapshotAssertion

from zimcli.main import cli
from zimcore.service import game, open_service


def zim(store: str, *words: str) -> Result:
    return CliRunner().invoke(cli, ["--store", store, "--by", "anna", *words])


@pytest.fixture(scope="module")
def demo_store(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A store with the game of the demonstration, up to its first board."""
    store = f"sqlite:///{tmp_path_factory.mktemp('map') / 'games.db'}"
    lines = [
        line for line in game("zimbabwe").texts.demo().partition("\nboard")[0].splitlines() if line[:1] not in ("#", "")
    ]
    service = open_service(store)
    options = dict(word.split("=") for word in lines[0].split()[2:])
    service.new("zimbabwe", options, name="demo", by="anna")
    for line in lines[1:]:
        if not line.startswith("expect"):
            service.play("demo", line, by="anna")
    service.store.close()
    return store


@pytest.mark.parametrize(
    "board_options", ["--reach k9", "--hubs g7", "--owner", "--resources", "--legal bid"], ids=lambda words: words[2:]
)
def test_board_with_overlays(demo_store: str, snapshot: SnapshotAssertion, board_options: str) -> None:
    result = zim(demo_store, "board", "demo@r8", *board_options.split())
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == snapshot


@pytest.mark.parametrize("board_options", ["--reach", "--reach z9", "--owner d4", "--frob", "frob"])
def test_an_unknown_overlay_is_an_error(demo_store: str, board_options: str) -> None:
    result = zim(demo_store, "board", "demo", *board_options.split())
    assert result.exit_code == 2
    assert "try: zim board demo --" in result.stderr


def test_board_as_svg(demo_store: str, tmp_path: Path) -> None:
    file = tmp_path / "board.svg"
    assert zim(demo_store, "board", "demo", "--hubs", "g7", "--svg", str(file)).exit_code == 0
    svg_root = ElementTree.parse(file).getroot()
    assert svg_root.tag.endswith("svg")
    svg_text = " ".join(filter(None, (text.strip() for text in svg_root.itertext())))
    assert "The Great Zimbabwe" in svg_text
    assert "from g7: hubs on the way" in svg_text


def test_board_as_png(demo_store: str, tmp_path: Path, skip_or_fail: Callable[[str], NoReturn]) -> None:
    if not find_spec("resvg_py"):
        skip_or_fail("the extra great-zim[png] is not installed")
    file = tmp_path / "board.png"
    assert zim(demo_store, "board", "demo", "--png", str(file)).exit_code == 0
    assert file.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("pip_spec", "install_command"),
    [(True, "{python} -m pip install 'great-zim[png]'"), (None, "uv pip install --python {python} 'great-zim[png]'")],
)
def test_the_hint_installs_the_png_extra_for_the_running_python(
    demo_store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pip_spec: bool | None, install_command: str
) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    monkeypatch.setattr("event_store.extras.absent_distributions", lambda extra: ["resvg-py"])
    monkeypatch.setattr("zimcli.shell.installation.find_spec", lambda _: pip_spec)
    result = zim(demo_store, "board", "demo", "--png", str(tmp_path / "board.png"))
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"try: {install_command.format(python=sys.executable)}\n" in result.stderr
