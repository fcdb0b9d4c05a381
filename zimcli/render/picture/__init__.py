"""The board as a picture to put on a wall, drawn in SVG. All of it is our own drawing."""

from __future__ import annotations

import sys

from zimcli.render.picture.page import picture

__all__ = ["picture", "to_png"]

SCALE = 2
"""Pixels of a PNG for each unit of the drawing."""


def to_png(svg: str) -> bytes:
    """A drawing as the bytes of a PNG. Raises `GameError` where the library for it is not installed."""
    from zimcore.game import GameError

    try:
        import resvg_py
    except ImportError:
        hints = [f"{sys.executable} -m pip install 'zim[png]'"]
        raise GameError("no PNG", "the library that makes one is not installed", hints) from None
    drawn: bytes = resvg_py.svg_to_bytes(svg_string=svg, zoom=SCALE)
    return bytes(drawn)
