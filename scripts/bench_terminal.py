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
from measure import at_most, demo_moves

from tests.cli.screen import Terminal
from tests.waiting import PATIENCE
from zimcore.candidates import Candidates
from zimcore.commits import Position
from zimcore.games.zimbabwe import GAME
from zimcore.service import open_service

SIZES = ((80, 24), (120, 40))
EVERY = 6
"""One of so many moves is measured, the others are only played."""
QUIET = 0.04
"""Seconds without output after which a key counts as handled."""

BARE = """
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
        self.bytes = pyte.ByteStream(self.screen)
        self.read_output(1.5)

    def read_output(self, quiet: float = QUIET) -> bool:
        """Reads output until there has been none for a while."""
        chunks = list[bytes]()
        while select.select([self.child.child_fd], [], [], quiet)[0]:
            chunks.append(os.read(self.child.child_fd, 1 << 16))
        self.bytes.feed(b"".join(chunks))
        return bool(chunks)

    @property
    def text(self) -> str:
        """The text of the screen, with its blanks, because a word is typed together with the blank after it."""
        return "\n".join(self.screen.display)

    def key(self, key: str, *conditions: Callable[[str], bool]) -> list[float | None]:
        """Seconds from a key until each condition is true of the screen; None for those that were true before."""
        times: list[float | None] = [None] * len(conditions)
        missing = {at for at, is_there in enumerate(conditions) if not is_there(self.text)}
        pieces, pressed_at = list[tuple[bytes, float]](), time.perf_counter()
        os.write(self.child.child_fd, key.encode())
        while True:
            if select.select([self.child.child_fd], [], [], QUIET)[0]:
                pieces.append((os.read(self.child.child_fd, 1 << 16), time.perf_counter()))
                continue
            # Check only in a pause, so that reading the screen does not distort the measurement.
            for piece, arrived_at in pieces:
                self.bytes.feed(piece)
                for at in [at for at in missing if conditions[at](self.text)]:
                    times[at] = arrived_at - pressed_at
                    missing.discard(at)
            pieces.clear()
            if not missing:
                return times
            if time.perf_counter() - pressed_at > PATIENCE:
                raise SystemExit(f"nothing came of {key!r}:\n{self.text}")


def bench(folder: Path) -> None:
    """Measures both sizes."""
    for columns, rows in SIZES:
        echo, new, entry_times, bare = key_times(folder / f"{columns}", columns, rows)
        times = f"{median(echo) * 1e3:.1f} ms, bare echo {median(bare) * 1e3:.1f} ms"
        at_most(f"key to echo at {columns}x{rows}, times a bare one", times, median(echo) / median(bare), 5)
        times = f"{median(new) * 1e3:.1f} ms, bare echo {median(bare) * 1e3:.1f} ms"
        title = f"key to new candidates at {columns}x{rows}, times"
        at_most(title, times, median(new) / median(bare), 20)
        times = f"{median(entry_times) * 1e3:.1f} ms, bare echo {median(bare) * 1e3:.1f} ms"
        at_most(f"Enter to the new screen at {columns}x{rows}, times", times, median(entry_times) / median(bare), 50)


def key_times(folder: Path, columns: int, rows: int) -> tuple[list[float], list[float], list[float], list[float]]:
    """Seconds to the echo, to new words and from Enter to the position after a move at the table, and to the echo of
    the peer, alternating by moves.
    """
    folder.mkdir(parents=True)
    store, (options, moves) = f"sqlite:///{folder / 'games.db'}", demo_moves()
    service = open_service(store)
    position = service.new(GAME.name, options, name="demo", by="bench")
    table = TimedTerminal(["-m", "zimcli", "--store", store, "play", "demo"], folder, columns, rows)
    peer = TimedTerminal(["-c", BARE], folder, columns, rows)
    echo, new, entry_times, bare = list[float](), list[float](), list[float](), list[float]()
    for number, move in enumerate(moves, 1):
        if number % EVERY == 0 and len(move) < columns - 4:
            table.read_output(0.1)  # wait for the index of the position, as it is ready after a look at the board
            typed_at_table(table, position, move, echo, new)
            for letter in move:
                bare += [each for each in peer.key(letter, *letter_conditions(peer.text, letter)) if each]
            peer.key("\x15", lambda text: not text.strip())
            entry_times += [each for each in table.key("\r", partial(shows, f"@{number} ")) if each]
        else:
            os.write(table.child.child_fd, move.encode() + b"\r")
            table.wait(partial(shows, f"@{number} "))
        position = service.position("demo")
    for each in (table, peer):
        each.child.close(force=True)
    service.store.close()
    return echo, new, entry_times, bare


def letter_conditions(before: str, letter: str) -> list[Callable[[str], bool]]:
    """Conditions that a letter is visible; none for a blank."""
    return [] if letter == " " else [lambda text: text != before]


def typed_at_table(table: TimedTerminal, position: Position, move: str, echo: list[float], new: list[float]) -> None:
    """Types a move, and measures each key."""
    candidates, text = Candidates(position.legal().texts()), ""
    for letter in move:
        before = words_after(candidates, text)
        text += letter
        expected = words_after(candidates, text)
        conditions = [partial(shows, f"> {text}")]
        if expected and expected != before:
            conditions.append(partial(offers, expected))
        times = table.key(letter, *conditions)
        echo += [each for each in times[:1] if each]
        new += [each for each in times[1:] if each]


def words_after(candidates: Candidates, text: str) -> set[str]:
    """The words of the game that the menu has to offer."""
    return {each.word for each in candidates.next(text)}


def offers(expected: set[str], text: str) -> bool:
    """Whether the menu above the line starts with one of these words."""
    rows = text.splitlines()
    line = max(at for at, row in enumerate(rows) if row.startswith(" >"))
    words = [row.split()[0] for row in rows[max(line - 4, 0) : line] if row.split()]
    return bool(expected.intersection(words))


def shows(words: str, text: str) -> bool:
    """Whether words are on the screen."""
    return words in text
