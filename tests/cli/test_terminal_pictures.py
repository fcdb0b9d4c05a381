"""Pictures in a terminal: a terminal that answers the query gets a picture, which the test decodes from the output."""

from __future__ import annotations

import fcntl
import io
import os
import re
import struct
import subprocess
import sys
import termios
from base64 import b64decode
from pathlib import Path

import pexpect
import pytest
from PIL import Image, ImageChops, ImageStat

from tests.timeouts import PATIENCE
from zimcore.service import open_service

TERMINAL_QUERY = "\x1b[c"
REMOVED_VARIABLES = {
    "KITTY_WINDOW_ID",
    "KONSOLE_VERSION",
    "WT_SESSION",
    "TERM_PROGRAM",
    "LC_TERMINAL",
    "NO_COLOR",
    "COLUMNS",
    "LINES",
}
KITTY_VARIABLES = {"TERM": "xterm-kitty"}
COLUMNS, ROWS, CELL_WIDTH, CELL_HEIGHT = 100, 30, 8, 16


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    store = f"sqlite:///{tmp_path_factory.mktemp('pictures') / 'games.db'}"
    service = open_service(store)
    service.new("africana", {"players": "2", "seed": "7"}, name="k", by="anna")
    service.new("zimbabwe", {"players": "2", "seed": "7"}, name="z", by="anna")
    service.store.close()
    return store


def environment(**overrides: str) -> dict[str, str]:
    variables = {name: value for name, value in os.environ.items() if name not in REMOVED_VARIABLES}
    return {**variables, "TERM": "xterm-256color", "COLORTERM": "truecolor", **overrides}


def terminal_output(store: str, *words: str, answers: str | None, **overrides: str) -> str:
    """The output of a command in a terminal that replies to the query with `answers`."""
    command = ["-m", "zimcli", "--store", store, *words]
    child: pexpect.spawn[str] = pexpect.spawn(
        sys.executable,
        command,
        env=environment(**overrides),
        encoding="latin-1",
        dimensions=(ROWS, COLUMNS),
        maxread=1 << 20,
        searchwindowsize=200,  # search only the end of a picture each time more of it comes
    )
    child.delaybeforesend = None
    window_size = struct.pack("HHHH", ROWS, COLUMNS, COLUMNS * CELL_WIDTH, ROWS * CELL_HEIGHT)
    fcntl.ioctl(child.child_fd, termios.TIOCSWINSZ, window_size)
    expected_index = child.expect_exact([TERMINAL_QUERY, pexpect.EOF], timeout=PATIENCE)
    text = (child.before or "") + (TERMINAL_QUERY if expected_index == 0 else "")
    if expected_index == 0:
        child.send(answers or "")
        child.expect(pexpect.EOF, timeout=PATIENCE)
        text += child.before or ""
    child.close()
    assert child.exitstatus == 0, text
    return text


def board_picture(store: str, game: str, folder: Path) -> bytes:
    file = folder / f"{game}.png"
    words = [sys.executable, "-m", "zimcli", "--store", store, "board", game, "--png", str(file)]
    subprocess.run(words, check=True, capture_output=True)
    return file.read_bytes()


def looks_like(image: Image.Image, png: bytes) -> bool:
    """Whether two pictures look alike, scaled to 40x40 points."""
    size = (40, 40)
    other_image = Image.open(io.BytesIO(png)).convert("RGB").resize(size)
    difference = ImageStat.Stat(ImageChops.difference(image.convert("RGB").resize(size), other_image))
    return sum(difference.mean) / 3 < 8


@pytest.mark.parametrize("words", [("board", "z"), ("board", "k"), ("show", "z")])
def test_kitty_gets_the_png_in_chunks(store: str, tmp_path: Path, words: tuple[str, str]) -> None:
    text = terminal_output(store, *words, answers="\x1b_Gi=4211;OK\x1b\\\x1b[?62;c", **KITTY_VARIABLES)
    chunks = re.findall(r"\x1b_G((?:a=T|m=)[^;]*);([^\x1b]*)\x1b\\", text)
    assert chunks[0][0].startswith(f"a=T,f=100,q=2,c={COLUMNS - 1},")
    assert [chunk_header[-3:] for chunk_header, _ in chunks] == ["m=1"] * (len(chunks) - 1) + ["m=0"]
    assert max(len(chunk_data) for _, chunk_data in chunks) <= 4096
    assert b64decode("".join(chunk_data for _, chunk_data in chunks)) == board_picture(store, words[1], tmp_path)
    assert ("Standings" in text) == (words[0] == "show")


def test_iterm2_gets_the_png(store: str, tmp_path: Path) -> None:
    text = terminal_output(
        store, "board", "z", answers="\x1bP>|iTerm2 3.5.2\x1b\\\x1b[?62;4c", TERM_PROGRAM="iTerm.app"
    )
    picture_match = re.search(r"\x1b\]1337;File=inline=1;size=(\d+);width=99;preserveAspectRatio=1:([^\a]*)\a", text)
    assert picture_match
    png = b64decode(picture_match[2])
    assert len(png) == int(picture_match[1])
    assert png == board_picture(store, "z", tmp_path)


def test_sixels_decode_into_the_picture(store: str, tmp_path: Path) -> None:
    text = terminal_output(store, "board", "z", "--picture", answers="\x1b[?62;4;22c")
    picture_match = re.search(r"\x1bP[\d;]*q(.*?)\x1b\\", text, re.DOTALL)
    assert picture_match
    image = decode_sixels(picture_match[1])
    assert image.width == (COLUMNS - 1) * CELL_WIDTH
    assert looks_like(image, board_picture(store, "z", tmp_path))


def test_half_blocks_are_the_picture_where_nothing_else_is_understood(store: str, tmp_path: Path) -> None:
    text = terminal_output(store, "board", "z", "--picture", answers="\x1b[?62;22c").encode("latin-1").decode()
    half_block_lines = [
        re.findall(r"\x1b\[38;2;(\d+);(\d+);(\d+);48;2;(\d+);(\d+);(\d+)m(▀+)", line)
        for line in text.splitlines()
        if "▀" in line
    ]
    pixel_rows = [
        [
            (int(block_run[index]), int(block_run[index + 1]), int(block_run[index + 2]))
            for block_run in line
            for _ in range(len(block_run[6]))
        ]
        for line in half_block_lines
        for index in (0, 3)
    ]
    image = Image.new("RGB", (len(pixel_rows[0]), len(pixel_rows)))
    for row_number, pixel_row in enumerate(pixel_rows):
        for column, colour in enumerate(pixel_row):
            image.putpixel((column, row_number), colour)
    assert image.width == COLUMNS - 1
    assert looks_like(image, board_picture(store, "z", tmp_path))


def test_a_picture_of_another_game_does_not_look_like_it(store: str, tmp_path: Path) -> None:
    other_image = Image.open(io.BytesIO(board_picture(store, "k", tmp_path)))
    assert not looks_like(other_image, board_picture(store, "z", tmp_path))


def test_a_terminal_that_gives_no_hint_is_not_asked(store: str) -> None:
    text = terminal_output(store, "board", "z", answers=None)
    assert TERMINAL_QUERY not in text
    assert "\x1b_G" not in text
    assert "start area" in text


@pytest.mark.parametrize("answers", ["", "\x1b[?62;22c"])
def test_a_terminal_without_pictures_gets_the_board_in_characters(store: str, answers: str) -> None:
    text = terminal_output(store, "board", "z", answers=answers, **KITTY_VARIABLES)
    assert TERMINAL_QUERY in text
    assert "start area" in text


@pytest.mark.parametrize("words", [("board", "z"), ("show", "z"), ("board", "z", "--no-picture")])
def test_a_pipe_never_gets_a_picture(store: str, words: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", "zimcli", "--store", store, *words]
    process = subprocess.run(command, env=environment(**KITTY_VARIABLES), capture_output=True, text=True, check=True)
    assert "\x1b" not in process.stdout
    picture_process = subprocess.run(
        [*command, "--picture"], env=environment(**KITTY_VARIABLES), capture_output=True, text=True
    )
    assert (picture_process.returncode, picture_process.stdout) == (2, "")
    assert "this is no terminal" in picture_process.stderr


def decode_sixels(sixel_text: str) -> Image.Image:
    """Decodes a picture from sixels: colours in percent, runs, bands of six rows."""
    raster_match = re.match(r'"\d+;\d+;(\d+);(\d+)', sixel_text)
    assert raster_match
    image = Image.new("RGB", (int(raster_match[1]), int(raster_match[2])))
    palette: dict[int, tuple[int, int, int]] = {}
    left_column = top_row = colour_number = 0
    for token in re.finditer(
        r"#(\d+);2;(\d+);(\d+);(\d+)|#(\d+)|!(\d+)([?-~])|([?-~])|([$-])", sixel_text[raster_match.end() :]
    ):
        if token[1]:
            red, green, blue = (int(token[index]) * 255 // 100 for index in (2, 3, 4))
            palette[int(token[1])] = red, green, blue
        elif token[5]:
            colour_number = int(token[5])
        elif token[9]:
            left_column, top_row = 0, top_row + 6 * (token[9] == "-")
        else:
            row_bits = ord(token[7] or token[8]) - 63
            end_column = left_column + int(token[6] or 1)
            for column in range(left_column, min(end_column, image.width)):
                for row in range(6):
                    if row_bits >> row & 1 and top_row + row < image.height:
                        image.putpixel((column, top_row + row), palette[colour_number])
            left_column = end_column
    return image
