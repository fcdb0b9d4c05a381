"""The table in a pseudo-terminal: games to sit down at, and other players."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.screen import Terminal
from zimcore.games.zimbabwe import GAME
from zimcore.service import open_service

FRAME_END = "\x1b[?25h"
"""The sequence that shows the cursor again, which ends each frame."""


class WholeFrameTerminal(Terminal):
    """A terminal that is checked only between two frames. The table thinks only if a test asks for it."""

    def __init__(self, home: Path, *words: str, thinking: bool = False, **options: Any) -> None:
        config_file = home / "zim" / "config.toml"
        config_file.parent.mkdir(exist_ok=True)
        settings_text = config_file.read_text() if config_file.exists() else ""
        if "thinking" not in settings_text:
            config_file.write_text(f"thinking = {str(thinking).lower()}\n{settings_text}")
        super().__init__(home, *words, **options)

    def is_drawn(self) -> bool:
        return self.raw_output[-100:].rstrip("\a").endswith(FRAME_END)  # only the end: stripping copies the text


OpenTable = Callable[..., Terminal]


def parse_zimbabwe_demo() -> tuple[dict[str, str], list[str]]:
    """The options and the moves of the demonstration of The Great Zimbabwe."""
    lines = [line for line in GAME.texts.demo().partition("\nboard")[0].splitlines() if line[:1] not in ("#", "")]
    options = dict(word.split("=") for word in lines[0].split()[2:])
    return options, [line for line in lines[1:] if not line.startswith("expect")]


@pytest.fixture(scope="session")
def prepared_store_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with three games, to be copied: each of its moves waits for the disk."""
    file = tmp_path_factory.mktemp("prepared") / "games.db"
    service = open_service(f"sqlite:///{file}")
    options, moves = parse_zimbabwe_demo()
    service.new("zimbabwe", options, name="demo", by="anna")
    for move in moves[:104]:
        service.play("demo", move, by="anna")
    service.new("africana", {"players": "2", "seed": "7"}, name="k", by="anna")
    service.new("zimbabwe", {"players": "2", "seed": "1"}, name="kilwa-7", by="anna")
    for move in ("start f4", "start a3", "bid 1", "pass"):
        service.play("kilwa-7", move, by="anna")
    service.store.close()
    return file


@pytest.fixture
def store(prepared_store_file: Path, tmp_path: Path) -> str:
    """`kilwa-7` at the first turn, for two; `demo` after 104 moves; `k`, a game of Africana."""
    file = shutil.copy(prepared_store_file, tmp_path / "games.db")
    return f"sqlite:///{file}"


@pytest.fixture
def open_table(store: str, tmp_path: Path) -> Iterator[OpenTable]:
    """A function that sits down at a game."""
    terminals: list[Terminal] = []

    def open_terminal(
        game: str = "kilwa-7",
        *words: str,
        lines: int = 24,
        columns: int = 80,
        thinking: bool = False,
        **environment: str,
    ) -> Terminal:
        command = ("-m", "zimcli", "--store", store, *words, "play", game)
        if environment.get("TERM") == "dumb":
            terminal = Terminal(tmp_path, *command, lines=lines, columns=columns, **environment)
        else:
            terminal = WholeFrameTerminal(
                tmp_path, *command, lines=lines, columns=columns, thinking=thinking, **environment
            )
        terminals.append(terminal)
        terminal.wait_for_text(" >")
        return terminal

    yield open_terminal
    for terminal in terminals:
        terminal.child.close(force=True)


def count_moves(store: str, game: str = "kilwa-7") -> int:
    """How many moves were played in a game."""
    service = open_service(store)
    with service.store:
        return service.position(game).commit.number
