"""A remark in a line, at the table and at the prompt alike."""

from __future__ import annotations

from zimcli.render.spans import Line
from zimcore.documents.proceedings import Remark


def remark_line(remark: Remark) -> Line:
    """Who said what: `ann (zulu): well played`, and of a note that it is one."""
    seat = f" ({remark.seat})" if remark.seat and remark.seat != remark.by else ""
    whose = " to yourself" * remark.own
    about = f"  about {remark.about[:8]}" if remark.about else ""
    return [(f"{remark.by}{seat}{whose}: ", "bold"), (remark.text, "italic" if remark.own else ""), (about, "dim")]
