"""A drawing as a PNG."""

from __future__ import annotations

from zimcore.game import GameError

SCALE = 1.25
"""Pixels for each unit of the drawing: most of the time goes into pixels, and a square still has 55 of them."""


def to_png(svg: str, scale: float = SCALE) -> bytes:
    """The bytes of a PNG. Raises `GameError` where the library for it is not installed."""
    try:
        import resvg_py
    except ImportError:
        why, hints = "the library that makes one is not installed", ["pip install 'great-zim[png]'"]
        raise GameError("no PNG", why, hints) from None
    drawn: bytes = resvg_py.svg_to_bytes(svg_string=svg, zoom=scale)
    return bytes(drawn)
