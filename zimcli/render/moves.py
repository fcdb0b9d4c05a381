"""Renders commands and places as lines: ` 12 r4 zulu bid 3 pays 3`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

from zimcli.render.palette import seat_style
from zimcli.render.spans import Line, Screen, Span
from zimcli.shell.program_name import program_name
from zimcore.documents.positions import CommitDocument, PositionDocument
from zimcore.game import Seat, Step
from zimcore.toolkit.player_names import with_name

if TYPE_CHECKING:
    from zimcore.documents.history import TurningPoint

Move: TypeAlias = "CommitDocument | TurningPoint"

DIGEST_DIGITS = 8
"""Characters of a short digest."""


def place_line(position: PositionDocument) -> Line:
    """`kilwa-7 main @23 · round 4 · Zulu to build`."""
    place_text = f"{position.game} {position.line} @{position.number}"
    return [(place_text, "bold"), (" · ", "dim"), (position.status, "")]


def switched_line_note(position: PositionDocument, line_name: str, screen: Screen) -> Iterator[Line]:
    """A note that another line is now the current one, and how to switch back."""
    if line_name:
        switch_command = (
            f"switch {line_name}" if screen.in_session else f"{program_name()} switch {position.game}/{line_name}"
        )
        yield [(f"{position.line} is the current line of {position.game} now; {switch_command} goes back", "dim")]


def turn_line(steps: Iterable[Step]) -> Line:
    """The steps of a turn, done and open: `✓ god: eshu ▸ action: none yet`."""
    parts = [(f"{'✓' if step.done else '▸'} {step.name}: {step.text}  ", "dim" if step.done else "") for step in steps]
    return [*parts[:-1], *((text.rstrip(), style) for text, style in parts[-1:])]


def deviation_lines(deviation: str) -> Iterator[Line]:
    """A note that a line has events that today's rules would not produce."""
    if deviation:
        yield [("as recorded, not as today's rules would give it: ", "bold yellow"), (deviation, "yellow")]


class Seats(Protocol):
    """The colours and names of seats: a position or its document."""

    @property
    def colours(self) -> Mapping[Seat, str]:
        """The colour of each seat."""
        ...

    @property
    def names(self) -> Mapping[Seat, str]:
        """The people who play the seats, if they have been named."""
        ...


def seat_span(seat: Seat, seats: Seats) -> Span:
    """A seat in its colour with its player, padded to the width of the widest; blank for no seat."""
    width = max([10, *(len(with_name(each, seats.names)) for each in seats.names)])
    return (f" {with_name(seat, seats.names):<{width}} ", seat_style(seat, seats.colours) if seat else "")


def move_line(move: Move, seats: Seats, gutter: Iterable[Span] = (), width: int = 0) -> Line:
    """One commit: its number, its seat, the command, its result, and the marks of the position."""
    text = move.text.ljust(width) if move.summary or move.marks else move.text
    line = [*gutter, (f"{move.number:>4} ", "dim"), seat_span(move.seat, seats), (f" {text}", "")]
    if move.summary:
        line.append((f"  {move.summary}", "italic dim"))
    return [*line, *((f"  @{mark}", "cyan") for mark in move.marks)]


def move_lines(
    commits: Sequence[CommitDocument],
    seats: Seats,
    gutters: Sequence[str] = (),
    heads_by_digest: Mapping[str, Sequence[str]] = {},
) -> Iterator[Line]:
    """Commits, first to last, each with a summary of its events, and after its gutter if there are any.

    `heads_by_digest` are the names of the lines that end at a commit, by its digest.
    """
    width = min(max((len(commit.text) for commit in commits), default=0), 40)
    gutter_width = max(map(len, gutters), default=0)
    for commit, gutter in zip(commits, gutters or [""] * len(commits), strict=True):
        names = [(f"  ({', '.join(marks)})", "bold")] if (marks := heads_by_digest.get(commit.digest)) else []
        yield move_line(commit, seats, [(gutter.ljust(gutter_width), "dim")] if gutters else [], width) + names
        yield from fact_lines(commit.facts or ())


def fact_lines(facts: Iterable[str]) -> Iterator[Line]:
    """The facts of a commit, one per line."""
    for fact in facts:
        yield [("        · ", "dim"), (fact, "")]
