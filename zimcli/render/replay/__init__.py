"""A replay: one page that holds a whole game, to step through in any browser, without a network."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any

import msgspec

from zimcli.overlays import last_move
from zimcli.render.palette import owner_style
from zimcli.render.picture.ground import ground
from zimcli.render.picture.pieces import last, pieces
from zimcli.render.picture.svg import SIDE
from zimcore.game import Board, Played
from zimcore.service import Position

EDGE = 40
"""Units around the board, for the names of columns and rows."""


class Step(msgspec.Struct):
    """A position of the page: its drawing as numbers of parts, and what is told of it."""

    drawing: list[int]
    status: str
    seat: str
    colour: str
    text: str
    summary: str
    marks: Sequence[str]
    round: str
    facts: list[str]
    standings: list[dict[str, Any]]


class Parts:
    """The parts that drawings are made of, each kept once: a game looks much the same from move to move."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def number(self, part: str) -> int:
        """The number of a part."""
        return self.numbers.setdefault(part, len(self.numbers))


def replay_page(positions: Sequence[Position], tell: Callable[[int], None] = lambda _: None) -> str:
    """The page for these positions, the first to the last; `tell` is told how many are done."""
    parts = Parts()
    steps = []
    for number, position in enumerate(positions):
        steps.append(step(position, parts))
        tell(number + 1)
    first, end = positions[0], positions[-1]
    title = f"{first.game.title} · {first.match} {first.line}"
    game = {
        "title": title,
        "box": box(end.board or Board((), (), ())),
        "heads": end.tables[0].heads if end.tables else [],
        "parts": list(parts.numbers),
        "steps": steps,
    }
    data = msgspec.json.encode(game).decode().replace("</", "<\\/")
    page = Path(__file__).with_name("page.html").read_text("utf-8")
    return page.replace("{{title}}", escape(title)).replace("{{game}}", data)


def step(position: Position, parts: Parts) -> Step:
    """What the page knows of a position."""
    commit = position.commit
    mark = next((mark for mark in commit.marks if "." not in mark), "")
    return Step(
        drawing=[parts.number(part) for part in drawing(position)],
        status=position.status,
        seat=commit.seat,
        colour=owner_style(position.colours.get(commit.seat, ""))[1],
        text=commit.text,
        summary=commit.summary,
        marks=commit.marks,
        round=position.status.partition(" · ")[0] if mark else "",
        facts=[position.game.notation.describe(event) for event in commit.events if not isinstance(event, Played)],
        standings=list(standings(position)) if position.tables else [],
    )


def drawing(position: Position) -> Iterable[str]:
    """The parts of the board: the ground as one, each piece, the frame of the last move."""
    board = position.board
    if board:
        yield "".join(ground(board))
        yield from pieces(board, position.colours)
        yield from last(board, last_move(position, board))


def standings(position: Position) -> Iterator[dict[str, Any]]:
    """The rows of the first table, with the colours of their seats."""
    table = position.tables[0]
    for at, cells in enumerate(table.rows):
        seat = table.seats[at] if at < len(table.seats) else ""
        yield {"colour": owner_style(position.colours.get(seat, ""))[1] if seat else "", "cells": cells}


def box(board: Board) -> str:
    """The part of the plane that the board takes."""
    width, height = len(board.columns) * SIDE, len(board.rows) * SIDE
    return f"{-EDGE} {-EDGE} {width + 2 * EDGE} {height + 2 * EDGE}"
