"""A terminal for tests: `zim` in a pseudo-terminal, and the text on its screen."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

import pexpect
import pyte

from tests.timeouts import PATIENCE

ROOT = Path(__file__).parent.parent.parent


class AnsweringScreen(pyte.Screen):
    """A screen that answers where its cursor is, as terminals do, and keeps the lines that scroll off its top."""

    child: pexpect.spawn[str] | None = None

    def __init__(self, columns: int, lines: int) -> None:
        super().__init__(columns, lines)
        self.scrolled_lines: list[str] = []

    def write_process_input(self, data: str) -> None:
        if self.child:
            self.child.send(data)

    def index(self) -> None:
        if self.margins is None and self.cursor.y == self.lines - 1:
            self.scrolled_lines.append("".join(self.buffer[0][column].data for column in range(self.columns)))
        super().index()


def join_lines(lines: Iterable[str]) -> str:
    return "\n".join(line.rstrip() for line in lines).rstrip()


class Terminal:
    """A program in a pseudo-terminal with the given size."""

    def __init__(self, home: Path, *words: str, lines: int = 24, columns: int = 100, **extra_environment: str) -> None:
        self.screen = AnsweringScreen(columns, lines)
        self.stream = pyte.Stream(self.screen)
        folders = {name: str(home) for name in ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME")}
        environment = os.environ | folders | {"TERM": "xterm-256color", "PAGER": "cat"} | extra_environment
        self.child: pexpect.spawn[str] = pexpect.spawn(
            sys.executable, list(words), env=environment, encoding="utf-8", dimensions=(lines, columns), cwd=str(ROOT)
        )
        self.child.delaybeforesend = None  # pexpect would wait 50 ms before each key
        self.screen.child = self.child
        self.raw_output = ""

    @property
    def text(self) -> str:
        """The text on the screen."""
        return join_lines(self.screen.display)

    @property
    def output_since_key(self) -> str:
        """The text since the last key: the lines that have scrolled off the top, then the text on the screen."""
        return join_lines([*self.screen.scrolled_lines, *self.screen.display])

    def type_keys(self, keys: str) -> None:
        self.screen.scrolled_lines.clear()
        self.child.send(keys)

    def click(self, column: int, row: int) -> None:
        """Presses and releases the left button at a column and row, both counted from 0."""
        self.type_keys(f"\x1b[<0;{column + 1};{row + 1}M\x1b[<0;{column + 1};{row + 1}m")

    def resize(self, lines: int, columns: int) -> None:
        self.child.setwinsize(lines, columns)
        self.screen.resize(lines, columns)

    def wait_until(self, condition: Callable[[str], bool]) -> str:
        """Reads until a condition is true of the screen; returns its text. Raises `AssertionError` with the screen."""
        deadline = time.monotonic() + PATIENCE
        while True:
            if self.is_drawn() and condition(text := self.text):
                return text
            assert time.monotonic() < deadline, self.text
            self.read_output()

    def is_drawn(self) -> bool:
        """Whether the screen is worth checking now: making its text takes longer than reading output."""
        return True

    def wait_for_text(self, words: str) -> str:
        """Reads until these words are on the screen; returns its text."""
        return self.wait_until(lambda text: words in text)

    def wait_for_output(self, words: str) -> str:
        """Reads until these words were printed since the last key; returns all of that, scrolled off or not."""
        self.wait_until(lambda _: words in self.output_since_key)
        return self.output_since_key

    def wait_for_silence(self) -> str:
        """Reads until the program has printed nothing for 0.3 seconds and waits; returns the text on the screen."""
        deadline = time.monotonic() + PATIENCE
        while self.read_output() or self.is_working():
            assert time.monotonic() < deadline, self.text
        return self.text

    def is_working(self) -> bool:
        """Whether the program runs, or would if there were a free processor. False on systems that do not say."""
        states = (
            file.read_text().rpartition(") ")[2][0] for file in Path(f"/proc/{self.child.pid}/task").glob("*/stat")
        )
        with suppress(OSError):  # a thread, or the program, has just ended
            return any(state in "RD" for state in states)
        return False

    def type_until(self, words: str, keys: str) -> str:
        """Types these keys again and again, each time after a silence, until these words are on the screen."""
        deadline = time.monotonic() + PATIENCE
        while words not in self.wait_for_silence():
            assert time.monotonic() < deadline, self.text
            self.type_keys(keys)
        return self.text

    def read_output(self) -> bool:
        try:
            output = self.child.read_nonblocking(65536, timeout=0.3)
            self.raw_output += output
            self.stream.feed(output)
        except (pexpect.TIMEOUT, pexpect.EOF):
            return False
        return True

    def wait_for_end(self) -> int | None:
        """Waits until the program ends; returns its exit code."""
        self.child.expect(pexpect.EOF, timeout=PATIENCE)
        self.raw_output += self.child.before or ""
        self.child.close()
        return self.child.exitstatus
