"""Pictures in a terminal: finds out which protocol the terminal supports, and encodes pictures for it.

The protocols of Kitty and iTerm2 take a PNG; a library makes sixels and half blocks. Zim queries the terminal only if
the environment hints at support, or the user wants a picture: other terminals would print the query.

In other words: terminal graphics, inline images.
"""

from __future__ import annotations

import io
import os
import re
import select
import sys
import time
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal, TypeAlias

from zimcore.game import GameError

if TYPE_CHECKING:
    from rich.console import RenderableType

Protocol: TypeAlias = Literal["kitty", "iterm2", "sixel", "blocks"]

PATTERN_BY_VARIABLE: Mapping[str, str] = {
    "TERM": "kitty|ghostty|foot|mlterm|contour|wezterm|yaft",
    "TERM_PROGRAM": "iTerm|WezTerm|ghostty|mintty|kitty|konsole|rio|vscode",
    "LC_TERMINAL": "iTerm2",
    "KITTY_WINDOW_ID": ".",
    "KONSOLE_VERSION": ".",
    "WT_SESSION": ".",
}
"""Environment variables of terminals that may draw pictures, with patterns of their values."""
UNSUITABLE_TERMINAL = "Apple_Terminal"
"""A terminal that prints queries instead of answering them."""
QUERY_SEQUENCES = "\x1b_Gi=4211,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b[>q\x1b[c"
"""Queries: kitty's protocol, the terminal's name, and its attributes. Every terminal answers the last one."""
ANSWER_SECONDS = 1.0
"""Seconds to wait for the answers."""
CHUNK_SIZE = 4096
"""The most characters of data in one sequence of kitty's protocol."""


def may_draw(environ: Mapping[str, str]) -> bool:
    """Whether to query a terminal with this environment.

    >>> may_draw({"TERM": "xterm-kitty"}), may_draw({"TERM": "xterm-256color"})
    (True, False)
    """
    return any(
        re.search(pattern, environ.get(name, ""), re.IGNORECASE) for name, pattern in PATTERN_BY_VARIABLE.items()
    )


def parse_protocol(answers: str) -> Protocol:
    r"""The protocol that a terminal supports, by its answers to the queries.

    >>> parse_protocol("\x1b_Gi=4211;OK\x1b\\\x1b[?62c"), parse_protocol("\x1bP>|iTerm2 3.5\x1b\\\x1b[?62;4c")
    ('kitty', 'iterm2')
    >>> parse_protocol("\x1b[?62;4;22c"), parse_protocol("\x1b[?62;22c"), parse_protocol("")
    ('sixel', 'blocks', 'blocks')
    """
    if "\x1b_Gi=4211;OK" in answers:
        return "kitty"
    if re.search(r"\x1bP>\|(iTerm2|WezTerm)", answers):
        return "iterm2"
    attributes = re.search(r"\x1b\[\?([\d;]+)c", answers)
    return "sixel" if attributes and "4" in attributes[1].split(";")[1:] else "blocks"


def query_protocol() -> Protocol:
    """Queries this terminal for its protocol: `blocks` if it does not answer."""
    if sys.platform == "win32":
        return "blocks"
    import termios

    if not (sys.stdin.isatty() and sys.stdout.isatty()) or os.environ.get("TERM_PROGRAM") == UNSUITABLE_TERMINAL:
        return "blocks"
    try:
        with unbuffered_terminal(sys.stdin.fileno()) as descriptor:
            sys.stdout.write(QUERY_SEQUENCES)
            sys.stdout.flush()
            return parse_protocol(read_answers(descriptor))
    except (termios.error, OSError):
        return "blocks"


def read_answers(descriptor: int) -> str:
    """Reads until the last answer has arrived, or the time is up."""
    answer, deadline = b"", time.monotonic() + ANSWER_SECONDS
    while not re.search(rb"\x1b\[\?[\d;]*c", answer):
        ready, _, _ = select.select([descriptor], [], [], max(deadline - time.monotonic(), 0))
        if not ready or not (received := os.read(descriptor, 1024)):
            break
        answer += received
    return answer.decode("latin-1")


@contextmanager
def unbuffered_terminal(descriptor: int) -> Iterator[int]:
    """Sets a terminal to pass on each character at once, without echo. Raises `OSError` on Windows."""
    if sys.platform == "win32":
        raise OSError("Windows has no such terminals")
    import termios
    import tty

    attributes_before = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor, termios.TCSANOW)
        yield descriptor
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, attributes_before)


def picture_for(png: bytes, protocol: Protocol, columns: int) -> str | RenderableType:
    """A picture `columns` wide, as text to write or as an object for rich to print.

    Raises `GameError` if the library for sixels and half blocks is not installed.
    """
    if protocol == "kitty":
        return kitty_text(png, columns)
    if protocol == "iterm2":
        png_base64 = b64encode(png).decode()
        return f"\x1b]1337;File=inline=1;size={len(png)};width={columns};preserveAspectRatio=1:{png_base64}\a\n"
    try:
        from textual_image.renderable import halfcell, sixel
    except ImportError as error:
        from event_store.extras import import_failure

        raise GameError("no picture", *import_failure("png", error)) from error
    library = sixel if protocol == "sixel" else halfcell
    picture: RenderableType = library.Image(io.BytesIO(png), width=columns)
    return picture


def kitty_text(png: bytes, columns: int) -> str:
    r"""A PNG in kitty's protocol, in chunks. The terminal works out the number of rows.

    >>> kitty_text(b"abc", 80)
    '\x1b_Ga=T,f=100,q=2,c=80,m=0;YWJj\x1b\\\n'
    """
    png_base64 = b64encode(png).decode()
    chunks = [png_base64[start : start + CHUNK_SIZE] for start in range(0, len(png_base64), CHUNK_SIZE)]
    heads = [f"a=T,f=100,q=2,c={columns},", *[""] * (len(chunks) - 1)]
    pieces = zip(heads, chunks, range(len(chunks) - 1, -1, -1), strict=True)
    return "".join(f"\x1b_G{head}m={min(chunks_left, 1)};{chunk}\x1b\\" for head, chunk, chunks_left in pieces) + "\n"
