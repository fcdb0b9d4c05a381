"""Renders messages as lines, for the table and the prompt."""

from __future__ import annotations

from zimcli.render.spans import Line
from zimcore.documents.discussion import Remark


def remark_line(remark: Remark) -> Line:
    """A message with its author: `ann (zulu): well played`. A private note is marked as one."""
    note_mark = ", a note" * remark.own
    about_note = f"  about {remark.about[:8]}" if remark.about else ""
    return [
        (f"{person_label(remark.by, remark.seat)}{note_mark}: ", "bold"),
        (remark.text, "italic" if remark.own else ""),
        (about_note, "dim"),
    ]


def seat_line(seat: str, player_before: str, player_now: str) -> Line:
    """Who has taken or left a seat."""
    if player_now:
        return [(f"{player_now} has joined, and plays {seat}", "bold yellow")]
    return [(f"{player_before} has left {seat}", "bold yellow")]


def person_label(by: str, seat: str) -> str:
    """A person with their seat."""
    return f"{by} ({seat})" if seat and seat != by else by
