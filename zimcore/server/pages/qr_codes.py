"""Links as QR codes, to open on a phone."""

from __future__ import annotations

import segno
from markupsafe import Markup


def qr_code(link: str) -> Markup:
    """A link as a QR code: the shapes of an SVG of one unit a module, with a border of four of them.

    >>> qr_code("https://zim.example/join#zim_link_5f3a_" + 43 * "x").startswith("<svg")
    True
    """
    code = segno.make(link, error="m", micro=False)
    drawing = code.svg_inline(border=4, omitsize=True, svgclass="qr", lineclass=None, light="#fff", dark="#000")
    return Markup(drawing)  # noqa: S704 - it is drawn by segno, from nothing but squares
