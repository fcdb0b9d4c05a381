"""Converts SVG to PNG."""

from __future__ import annotations

from pathlib import Path

from zimcore.game import GameError

SCALE = 1.25
"""Pixels for each unit of the drawing: a square is 55 pixels wide. A larger scale takes longer."""
FONTS_FOLDER = Path(__file__).parent / "fonts"
"""Our fonts: a bare machine or a container has none, and pictures would lack letters."""
SERIF = "DejaVu Serif"


def to_png(svg: str, scale: float = SCALE) -> bytes:
    """The bytes of a PNG. Raises `GameError` without the extra `png`."""
    try:
        import resvg_py
    except ImportError as error:
        from event_store.extras import import_failure

        raise GameError("can't make a PNG", *import_failure("png", error)) from error
    fonts = [str(font) for font in sorted(FONTS_FOLDER.glob("*.ttf"))]
    image: bytes = resvg_py.svg_to_bytes(
        svg_string=svg, zoom=scale, font_files=fonts, font_family=SERIF, serif_family=SERIF
    )
    return bytes(image)
