"""Benchmarks the table in a pseudo-terminal: the delay from a key until the letter, and the next words, are on the
screen; and from Enter until the position after the move is.

The peer is a full-screen prompt-toolkit program with only an input line, measured in turn at the same size. The typed
text is the moves of the demo's game, letter by letter, while the game is played.
"""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

import pyte

from scripts.shared.measure import demo_moves, expect_at_most
from tests.cli.screen import Terminal
from tests.timeouts import PATIENCE
from zimcore.candidates import Candidates
from zimcore.commits import Position
from zimcore.games.zimbabwe import GAME
from zimcore.service import open_service

SIZES = ((80, 24), (120, 40))
MEASURED_EVERY = 6
"""One of so many moves is measured, the others are only played."""
QUIET_SECONDS = 0.04
"""Seconds without output after which a key counts as handled."""

BARE_PROGRAM = """
from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.layout import BufferControl, HSplit, Layout, Window
buffer = Buffer(multiline=False)
line = Window(BufferControl(buffer), height=1)
Application(layout=Layout(HSplit([Window(), line]), line), full_screen=True).run()
"""


class TimedTerminal(Terminal):
    """A program in a pseudo-terminal, with timed output."""

    def __init__(self, words: list[str], folder: Path, columns: int, rows: int) -> None:
        super().__init__(folder, *words, lines=rows, columns=columns, COLORTERM="truecolor")
        self.byte_stream = pyte.ByteStream(self.screen)
        self.read_output(1.5)

    def read_output(self, quiet_seconds: float = QUIET_SECONDS) -> bool:
        """Reads output until there has been none for a while."""
        chunks = list[bytes]()
        while select.select([self.child.child_fd], [], [], quiet_seconds)[0]:
            chunks.append(os.read(self.child.child_fd, 1 << 16))
        self.byte_stream.feed(b"".join(chunks))
        return bool(chunks)

    @property
    def text(self) -> str:
        """The text of the screen, with its blanks, because a word is typed together with the blank after it."""
        return "\n".join(self.screen.display)

    def press_key(self, key: str, *conditions: Callable[[str], bool]) -> list[float | None]:
        """Seconds from a key until each condition is true of the screen; None for those that were true before."""
        times: list[float | None] = [None] * len(conditions)
        unmet_indexes = {index for index, is_met in enumerate(conditions) if not is_met(self.text)}
        chunks, pressed_at = list[tuple[bytes, float]](), time.perf_counter()
        os.write(self.child.child_fd, key.encode())
        while True:
            if select.select([self.child.child_fd], [], [], QUIET_SECONDS)[0]:
                chunks.append((os.read(self.child.child_fd, 1 << 16), time.perf_counter()))
                continue
            # Check only in a pause, so that reading the screen does not distort the measurement.
            for chunk, arrived_at in chunks:
                self.byte_stream.feed(chunk)
                for index in [index for index in unmet_indexes if conditions[index](self.text)]:
                    times[index] = arrived_at - pressed_at
                    unmet_indexes.discard(index)
            chunks.clear()
            if not unmet_indexes:
                return times
            if time.perf_counter() - pressed_at > PATIENCE:
                raise SystemExit(f"nothing came of {key!r}:\n{self.text}")


def bench(folder: Path) -> None:
    """Measures both sizes."""
    for columns, rows in SIZES:
        echo_times, menu_times, entry_times, bare_times = key_times(folder / f"{columns}", columns, rows)
        details = f"{median(echo_times) * 1e3:.1f} ms, bare echo {median(bare_times) * 1e3:.1f} ms"
        expect_at_most(
            f"key to echo at {columns}x{rows}, times a bare one", details, median(echo_times) / median(bare_times), 5
        )
        details = f"{median(menu_times) * 1e3:.1f} ms, bare echo {median(bare_times) * 1e3:.1f} ms"
        title = f"key to new candidates at {columns}x{rows}, times"
        expect_at_most(title, details, median(menu_times) / median(bare_times), 10)
        details = f"{median(entry_times) * 1e3:.1f} ms, bare echo {median(bare_times) * 1e3:.1f} ms"
        expect_at_most(
            f"Enter to the new screen at {columns}x{rows}, times", details, median(entry_times) / median(bare_times), 28
        )


def key_times(folder: Path, columns: int, rows: int) -> tuple[list[float], list[float], list[float], list[float]]:
    """Seconds to the echo, to new words and from Enter to the position after a move at the table, and to the echo of
    the peer, alternating by moves.
    """
    folder.mkdir(parents=True)
    store, (options, moves) = f"sqlite:///{folder / 'games.db'}", demo_moves()
    service = open_service(store)
    position = service.new(GAME.name, options, name="demo", by="bench")
    table = TimedTerminal(["-m", "zimcli", "--store", store, "play", "demo"], folder, columns, rows)
    bare_terminal = TimedTerminal(["-c", BARE_PROGRAM], folder, columns, rows)
    echo_times, menu_times, entry_times, bare_times = list[float](), list[float](), list[float](), list[float]()
    for number, move in enumerate(moves, 1):
        if number % MEASURED_EVERY == 0 and len(move) < columns - 4:
            table.read_output(0.1)  # wait for the index of the position, as it is ready after a look at the board
            type_at_table(table, position, move, echo_times, menu_times)
            for letter in move:
                bare_times += [
                    echo_time
                    for echo_time in bare_terminal.press_key(letter, *letter_conditions(bare_terminal.text, letter))
                    if echo_time
                ]
            bare_terminal.press_key("\x15", lambda text: not text.strip())
            entry_times += [
                entry_time for entry_time in table.press_key("\r", partial(screen_shows, f"@{number} ")) if entry_time
            ]
        else:
            os.write(table.child.child_fd, move.encode() + b"\r")
            table.wait_until(partial(screen_shows, f"@{number} "))
        position = service.position("demo")
    for terminal in (table, bare_terminal):
        terminal.child.close(force=True)
    service.store.close()
    return echo_times, menu_times, entry_times, bare_times


def letter_conditions(text_before: str, letter: str) -> list[Callable[[str], bool]]:
    """Conditions that a letter is visible; none for a blank."""
    return [] if letter == " " else [lambda text: text != text_before]


def type_at_table(
    table: TimedTerminal, position: Position, move: str, echo_times: list[float], menu_times: list[float]
) -> None:
    """Types a move, and measures each key."""
    candidates, text = Candidates(position.legal().texts()), ""
    for letter in move:
        words_before = words_after(candidates, text)
        text += letter
        expected_words = words_after(candidates, text)
        conditions = [partial(screen_shows, f"> {text}")]
        if expected_words and expected_words != words_before:
            conditions.append(partial(menu_offers, expected_words))
        times = table.press_key(letter, *conditions)
        echo_times += [echo_time for echo_time in times[:1] if echo_time]
        menu_times += [menu_time for menu_time in times[1:] if menu_time]


def words_after(candidates: Candidates, text: str) -> set[str]:
    """The words of the game that the menu has to offer."""
    return {candidate.word for candidate in candidates.next_words(text)}


def menu_offers(expected_words: set[str], text: str) -> bool:
    """Whether the menu above the line starts with one of these words."""
    rows = text.splitlines()
    prompt_index = max(index for index, row in enumerate(rows) if row.startswith(" >"))
    words = [row.split()[0] for row in rows[max(prompt_index - 4, 0) : prompt_index] if row.split()]
    return bool(expected_words.intersection(words))


def screen_shows(words: str, text: str) -> bool:
    """Whether words are on the screen."""
    return words in text
