"""Draws pictures of real screens: zim in a pseudo-terminal, as SVG in light and dark: screens.py FOLDER.

pyte reads the screen, and rich writes it as SVG, in the fonts of the machine that shows it.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from io import StringIO
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from pyte.screens import Char, Screen
from rich.console import Console
from rich.style import Style
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from scripts.shared.measure import demo_moves
from tests.cli.screen import Terminal
from zimcore.service import GameService, open_service

NORMAL_COLOURS = (
    (40, 40, 40),
    (179, 38, 30),
    (34, 125, 43),
    (122, 86, 0),
    (36, 86, 166),
    (109, 63, 156),
    (11, 90, 117),
)
BRIGHT_COLOURS = (
    (125, 120, 110),
    (226, 87, 76),
    (88, 176, 92),
    (242, 194, 48),
    (96, 150, 226),
    (176, 132, 214),
    (82, 178, 205),
)
THEMES = {
    "light": TerminalTheme(
        (253, 250, 243), (29, 26, 22), [*NORMAL_COLOURS, (230, 224, 210)], [*BRIGHT_COLOURS, (255, 255, 255)]
    ),
    "dark": TerminalTheme(
        (28, 24, 20), (239, 230, 211), [*BRIGHT_COLOURS, (214, 205, 188)], [*BRIGHT_COLOURS, (255, 255, 255)]
    ),
}
"""The terminal colours of each theme: the default, and the sixteen named colours."""
COLOUR_NAMES = {"brown": "yellow", "brightbrown": "bright_yellow"}
"""Colours that pyte and rich name differently."""
SVG_TEMPLATE = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: {char_height}px }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal"><rect width="{terminal_width}" height="{terminal_height}"/></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""
"""The SVG template of rich, without web fonts and without a title."""

QUIET_READINGS = 8
"""Readings without new output after which a screen is final."""


class Scene(NamedTuple):
    """A screen to draw: where to sit down, what to type, and what the screen then shows."""

    name: str
    words: str
    keys: str
    shown_text: str
    columns: int = 120
    lines: int = 40


SCENES = (
    Scene("table", "play demo", "craft sculptor ", "craft sculptor"),
    Scene("table-africana", "play k --open", "move ", "move"),
)


def main(folder: Path) -> None:
    """Draws all scenes into the folder."""
    for scene in SCENES:
        for theme in THEMES:
            with tempfile.TemporaryDirectory() as home:
                file = folder / f"{scene.name}-{theme}.svg"
                file.write_text(draw_scene(scene, theme, Path(home)), "utf-8")
                print(file)


def draw_scene(scene: Scene, theme: str, home: Path) -> str:
    """The SVG of a scene."""
    store = f"sqlite:///{home / 'games.db'}"
    fill_store(open_service(store))
    (home / "zim").mkdir()
    (home / "zim" / "config.toml").write_text(f'theme = "{theme}"\n', "utf-8")
    words = ("-m", "zimcli", "--store", store, *scene.words.split())
    terminal = Terminal(home, *words, lines=scene.lines, columns=scene.columns, COLORTERM="truecolor", ZIM_BY="anna")
    try:
        terminal.wait_for_text(" >")
        terminal.type_keys(scene.keys)
        terminal.wait_for_text(scene.shown_text)
        wait_until_quiet(terminal, QUIET_READINGS)
        return screen_svg(terminal.screen, theme)
    finally:
        terminal.child.close(force=True)


def wait_until_quiet(terminal: Terminal, readings: int) -> None:
    """Reads until so many readings in a row brought nothing new."""
    quiet_readings = 0
    while quiet_readings < readings:
        quiet_readings = 0 if terminal.read_output() else quiet_readings + 1


def fill_store(service: GameService) -> None:
    """Creates two games to sit down at: the demo, where a sculptor can be placed, and Africana."""
    options, moves = demo_moves()
    service.new("zimbabwe", options, name="demo", by="anna")
    for move in moves[:93]:
        service.play("demo", move, by="anna")
    service.new("africana", {"players": "2", "seed": "7"}, name="k", by="anna")
    service.store.close()


def screen_svg(screen: Screen, theme: str) -> str:
    """A screen as SVG, without the empty rows at its bottom."""
    row_count = max((number for number, row in enumerate(screen.display, 1) if row.strip()), default=1)
    return rows_as_svg(screen, row_count, theme)


def rows_as_svg(screen: Screen, row_count: int, theme: str) -> str:
    """The upper rows of a screen, as SVG."""
    console = Console(record=True, width=screen.columns, file=StringIO(), force_terminal=True, color_system="truecolor")
    for row in range(row_count):
        cells = [screen.buffer[row][column] for column in range(screen.columns)]
        console.print(Text.assemble(*styled_spans(cells)), no_wrap=True, highlight=False)
    return console.export_svg(title="", theme=THEMES[theme], code_format=SVG_TEMPLATE, unique_id="zim")


def styled_spans(cells: Sequence[Char]) -> Iterator[tuple[str, Style]]:
    """A row of the screen as texts with their styles. The cell after a wide character is empty."""
    for blank_cell, equal_cells in groupby(cells, key=lambda cell: cell._replace(data="")):
        style = Style(
            color=colour(blank_cell.fg),
            bgcolor=colour(blank_cell.bg),
            bold=blank_cell.bold,
            italic=blank_cell.italics,
            underline=blank_cell.underscore,
            reverse=blank_cell.reverse,
        )
        yield "".join(cell.data for cell in equal_cells), style


def colour(name: str) -> str | None:
    """The colour in rich's notation; None for the terminal's default."""
    if name == "default":
        return None
    if len(name) == 6 and set(name) <= set("0123456789abcdef"):
        return f"#{name}"
    name = COLOUR_NAMES.get(name, name)
    return f"bright_{name[6:]}" if name.startswith("bright") and "_" not in name else name


if __name__ == "__main__":
    main(Path(sys.argv[1]))
