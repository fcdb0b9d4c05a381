"""Commits and places as lines: `  12  r4  zulu  bid 3   pays 3`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from zimcli.render.palette import seat_style
from zimcli.render.spans import Line, Span
from zimcore.game import Game, Played, Seat
from zimcore.service import Commit, Position

SHORT = 8
"""Characters of a digest that name it."""


def place_line(position: Position) -> Line:
    """`kilwa-7 main @23 · round 4 · Zulu to build`."""
    where = f"{position.match} {position.line} @{position.commit.number}"
    return [(where, "bold"), (" · ", "dim"), (position.status, "")]


def move_line(commit: Commit, colours: Mapping[Seat, str], gutter: Iterable[Span] = (), width: int = 0) -> Line:
    """One commit: its number, who played it, the command, what it came to and what it begins."""
    text = commit.text.ljust(width) if commit.summary or commit.marks else commit.text
    seat = (f" {commit.seat:<10} ", seat_style(commit.seat, colours) if commit.seat else "")
    line = [*gutter, (f"{commit.number:>4} ", "dim"), seat, (f" {text}", "")]
    if commit.summary:
        line.append((f"  {commit.summary}", "italic dim"))
    return [*line, *((f"  @{mark}", "cyan") for mark in commit.marks)]


def move_lines(
    commits: Iterable[Commit],
    game: Game,
    colours: Mapping[Seat, str],
    *,
    facts: bool = False,
    gutters: Sequence[str] = (),
) -> Iterator[Line]:
    """Commits, first to last; with their facts; each behind its gutter, if there are any."""
    commits = list(commits)
    width = min(max((len(commit.text) for commit in commits), default=0), 40)
    broad = max(map(len, gutters), default=0)
    for commit, gutter in zip(commits, gutters or [""] * len(commits), strict=True):
        yield move_line(commit, colours, [(gutter.ljust(broad), "dim")] if gutters else [], width)
        if facts:
            yield from fact_lines(commit, game)


def fact_lines(commit: Commit, game: Game) -> Iterator[Line]:
    """What a commit made happen, one line a fact."""
    for event in commit.events:
        if not isinstance(event, Played):
            yield [("        · ", "dim"), (game.notation.describe(event), "")]
