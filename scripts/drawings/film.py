"""Makes an animation of the table, from a real session: film.py FILE.webp.

Zim runs in a pseudo-terminal. Each screen that stays long enough to be read becomes a frame.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from PIL import Image

from scripts.drawings.screens import QUIET_READINGS, fill_store, rows_as_svg, wait_until_quiet
from tests.cli.screen import Terminal
from zimcore.picture.png import to_png
from zimcore.service import open_service

COLUMNS, ROWS = 100, 30
SCALE = 0.8
LETTERS_PER_FRAME = 3
"""Letters typed between two frames."""
TYPED_MS, READ_MS = 250, 2500
"""How long a frame lasts after typing, and how long one to be read (ms)."""


class Take(NamedTuple):
    """What to type, what the screen then shows, and how long that stays (ms)."""

    keys: str
    shown_text: str
    duration: int = READ_MS


TAKES = (
    Take("", " >"),
    Take("craft sculptor ", "craft sculptor"),
    Take("\t", "craft sculptor "),
    Take("\r", "@94"),
    Take("undo", "undo", TYPED_MS),
    Take("\r", "@93"),
    Take("fork what-if", "fork what-if", TYPED_MS),
    Take("\r", "what-if @93"),
    Take("why zulu.vr", "why zulu.vr", TYPED_MS),
    Take("\r", "zulu.vr is", 2 * READ_MS),
    Take("\x1b", " >"),
)


def main(file: Path) -> None:
    """Writes the animation."""
    with tempfile.TemporaryDirectory() as home:
        frames = list(session_frames(Path(home)))
    first_picture, *other_pictures = (picture for picture, _ in frames)
    times = [time for _, time in frames]
    first_picture.save(
        file, save_all=True, append_images=other_pictures, duration=times, loop=0, lossless=True, quality=100, method=6
    )
    print(f"{file}: {len(frames)} pictures, {sum(times) / 1000:.0f} s, {file.stat().st_size:,} bytes")


def session_frames(home: Path) -> Iterator[tuple[Image.Image, int]]:
    """The frames of the session, each with its duration (ms)."""
    store = f"sqlite:///{home / 'games.db'}"
    fill_store(open_service(store))
    words = ("-m", "zimcli", "--store", store, "play", "demo")
    terminal = Terminal(home, *words, lines=ROWS, columns=COLUMNS, COLORTERM="truecolor", ZIM_BY="anna")
    try:
        for keys, shown_text, duration in TAKES:
            *typed_parts, last_part = [
                keys[start : start + LETTERS_PER_FRAME] for start in range(0, len(keys), LETTERS_PER_FRAME)
            ] or [""]
            for typed_part in typed_parts:
                terminal.type_keys(typed_part)
                wait_until_quiet(terminal, 2)
                yield screen_picture(terminal), TYPED_MS
            terminal.type_keys(last_part)
            terminal.wait_for_text(shown_text)
            wait_until_quiet(terminal, QUIET_READINGS)
            yield screen_picture(terminal), duration
    finally:
        terminal.child.close(force=True)


def screen_picture(terminal: Terminal) -> Image.Image:
    """The current screen, in the colours of a dark terminal."""
    return Image.open(BytesIO(to_png(rows_as_svg(terminal.screen, ROWS, "dark"), SCALE))).convert("RGB")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
