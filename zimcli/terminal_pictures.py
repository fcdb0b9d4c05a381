"""Pictures in a terminal: how it draws them, which it is asked, and what is written for it to draw one.

Kitty's protocol and iTerm2's take a PNG as it is; sixels and half blocks are made by a library. A terminal is asked
only where its environment hints at pictures, or where a user wants one: others would print what they don't know.

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

HINTS: Mapping[str, str] = {
    "TERM": "kitty|ghostty|foot|mlterm|contour|wezterm|yaft",
    "TERM_PROGRAM": "iTerm|WezTerm|ghostty|mintty|kitty|konsole|rio|vscode",
    "LC_TERMINAL": "iTerm2",
    "KITTY_WINDOW_ID": ".",
    "KONSOLE_VERSION": ".",
    "WT_SESSION": ".",
}
"""What the environment says in a terminal that may draw pictures: variables, and patterns of their values."""
PRINTS_QUESTIONS = "Apple_Terminal"
"""A terminal that prints what it is asked."""
QUESTIONS = "\x1b_Gi=4211,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b[>q\x1b[c"
"""Whether it knows kitty's protocol, what it is called, and its attributes: all terminals answer the last."""
WITHIN = 1.0
"""Seconds for the answers."""
CHUNK = 4096
"""Characters of data in one of kitty's sequences, at most."""


def may_draw(environ: Mapping[str, str]) -> bool:
    """Whether a terminal of such an environment is worth to be asked.

    >>> may_draw({"TERM": "xterm-kitty"}), may_draw({"TERM": "xterm-256color"})
    (True, False)
    """
    return any(re.search(pattern, environ.get(name, ""), re.IGNORECASE) for name, pattern in HINTS.items())


def protocol_in(answers: str) -> Protocol:
    r"""How a terminal draws pictures, by what it has answered.

    >>> protocol_in("\x1b_Gi=4211;OK\x1b\\\x1b[?62c"), protocol_in("\x1bP>|iTerm2 3.5\x1b\\\x1b[?62;4c")
    ('kitty', 'iterm2')
    >>> protocol_in("\x1b[?62;4;22c"), protocol_in("\x1b[?62;22c"), protocol_in("")
    ('sixel', 'blocks', 'blocks')
    """
    if "\x1b_Gi=4211;OK" in answers:
        return "kitty"
    if re.search(r"\x1bP>\|(iTerm2|WezTerm)", answers):
        return "iterm2"
    attributes = re.search(r"\x1b\[\?([\d;]+)c", answers)
    return "sixel" if attributes and "4" in attributes[1].split(";")[1:] else "blocks"


def ask() -> Protocol:
    """How this terminal draws pictures: `blocks` where it does not say."""
    import termios

    if not (sys.stdin.isatty() and sys.stdout.isatty()) or os.environ.get("TERM_PROGRAM") == PRINTS_QUESTIONS:
        return "blocks"
    try:
        with unbuffered(sys.stdin.fileno()) as source:
            sys.stdout.write(QUESTIONS)
            sys.stdout.flush()
            return protocol_in(read_answers(source))
    except (termios.error, OSError):
        return "blocks"


def read_answers(source: int) -> str:
    """What comes until the last answer is there, or the time is up."""
    came, until = b"", time.monotonic() + WITHIN
    while not re.search(rb"\x1b\[\?[\d;]*c", came):
        ready, _, _ = select.select([source], [], [], max(until - time.monotonic(), 0))
        if not ready or not (read := os.read(source, 1024)):
            break
        came += read
    return came.decode("latin-1")


@contextmanager
def unbuffered(source: int) -> Iterator[int]:
    """A terminal that gives each character as it comes, and shows none."""
    import termios
    import tty

    before = termios.tcgetattr(source)
    try:
        tty.setcbreak(source, termios.TCSANOW)
        yield source
    finally:
        termios.tcsetattr(source, termios.TCSADRAIN, before)


def drawn(png: bytes, protocol: Protocol, columns: int) -> str | RenderableType:
    """What is written for a picture so many columns wide: a text, or what the library of text in colour prints.

    Raises `GameError` where the library for it is not installed.
    """
    if protocol == "kitty":
        return kitty(png, columns)
    if protocol == "iterm2":
        data = b64encode(png).decode()
        return f"\x1b]1337;File=inline=1;size={len(png)};width={columns};preserveAspectRatio=1:{data}\a\n"
    try:
        from textual_image.renderable import halfcell, sixel
    except ImportError:
        why, hints = "the library that makes one is not installed", ["pip install 'great-zim[png]'"]
        raise GameError("no picture", why, hints) from None
    kind = sixel if protocol == "sixel" else halfcell
    made: RenderableType = kind.Image(io.BytesIO(png), width=columns)
    return made


def kitty(png: bytes, columns: int) -> str:
    r"""A PNG in kitty's protocol, in chunks; the terminal finds the rows by itself.

    >>> kitty(b"abc", 80)
    '\x1b_Ga=T,f=100,q=2,c=80,m=0;YWJj\x1b\\\n'
    """
    data = b64encode(png).decode()
    chunks = [data[at : at + CHUNK] for at in range(0, len(data), CHUNK)]
    heads = [f"a=T,f=100,q=2,c={columns},", *[""] * (len(chunks) - 1)]
    pieces = zip(heads, chunks, range(len(chunks) - 1, -1, -1), strict=True)
    return "".join(f"\x1b_G{head}m={min(left, 1)};{chunk}\x1b\\" for head, chunk, left in pieces) + "\n"
