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

import pexpect
from PIL import Image

from scripts.drawings.screens import QUIET_READINGS, rows_as_svg, wait_until_quiet
from tests.cli.screen import Terminal
from zimcore.analysis.seated_programs import let_programs_move
from zimcore.picture.png import to_png
from zimcore.service import TABLE, GameService, open_service

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
    Take("", "accuracy", 2 * READ_MS),
    Take("1", "fork @"),
    Take("\r", "try-"),
    Take("\x1b[18~", " > bid"),
    Take("\r", "Kilwa to", 2 * READ_MS),
    Take("why zulu.vr", "why zulu.vr", TYPED_MS),
    Take("\r", "zulu.vr is", 2 * READ_MS),
    Take("\x1b", " >"),
)
"""A game that was lost: which turn lost it, the better one tried from there against the same program, and a why."""


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
    lose_a_game(open_service(store))
    words = ("-m", "zimcli", "--store", store)
    # The table then shows at once what was found.
    Terminal(home, *words, "analyse", "friday").child.expect(pexpect.EOF, timeout=None)
    terminal = Terminal(
        home, *words, "play", "friday", lines=ROWS, columns=COLUMNS, COLORTERM="truecolor", ZIM_BY="anna"
    )
    try:
        for keys, shown_text, duration in TAKES:
            step = len(keys) if keys.startswith("\x1b") else LETTERS_PER_FRAME  # one key is never cut
            parts = [keys[start : start + step] for start in range(0, len(keys), step or 1)]
            *typed_parts, last_part = parts or [""]
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


def lose_a_game(service: GameService) -> None:
    """Plays a game that Kilwa, whom a person plays from then on, loses to the program of Zulu."""
    options = {"players": "kilwa,zulu", "seed": "7"}
    bots = {"kilwa": "quick", "zulu": "strong"}
    service.new("zimbabwe", options, name="friday", by="anna", bots=bots)
    for _ in let_programs_move(service, "friday", TABLE):
        pass
    service.seat_bot("friday", "kilwa", "", by="anna")


def screen_picture(terminal: Terminal) -> Image.Image:
    """The current screen, in the colours of a dark terminal."""
    return Image.open(BytesIO(to_png(rows_as_svg(terminal.screen, ROWS, "dark"), SCALE))).convert("RGB")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
