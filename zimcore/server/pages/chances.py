"""What a program thinks of a match that is over: everybody's chance after each move, and what an analysis found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
from litestar import Response, get

from zimcore.analysis.chances import chances as chances_at
from zimcore.analysis.match import known
from zimcore.commits import Commit, Position
from zimcore.documents.analysis import MARKS
from zimcore.game import GameError
from zimcore.server.access import Visitor, line_of, viewer_of
from zimcore.server.desk import Asked, Reply, desk_of
from zimcore.server.pages import browser
from zimcore.server.pages.games import As, OnLine, first_line
from zimcore.server.pages.rendering import json
from zimcore.server.pages.steps import way
from zimcore.server.parameters import Game
from zimcore.server.problems import ProblemError
from zimcore.service import GameService, Viewer

MOST_JUDGED = 100
"""Lines whose chances are kept."""
MOST_TURNING, TURNS = 6, 8
"""Moves that are named as turning points, and by how much (percent) somebody's chance has to change for that."""


class Better(msgspec.Struct, frozen=True):
    """A turn that gave something away: the numbers of its first and last move, its mark, what is said of it.

    `line` is where the better turn was played, "" where nobody has kept it as a line.
    """

    first: int
    last: int
    mark: str
    said: str
    line: str = ""


class Chances(msgspec.Struct, frozen=True):
    """By seat, in their order, its chance to win after each move in percent; and the moves that changed most of it.

    `better` is what an analysis has found, where one is kept.
    """

    chances: Sequence[Sequence[int]] = ()
    turning: Sequence[int] = ()
    better: Sequence[Better] = ()


@get("/games/{game:str}/chances")
async def chances(request: Asked, game: Game, as_: As = "", line: OnLine = "") -> Response[Any]:
    """Every seat's chance to win after each move of a line, as a program sees it, once the match is over."""
    await browser.acting(request, game, as_)
    folder: Path | None = request.app.state.analyses

    def work(service: GameService, visitor: Visitor) -> Reply:
        on = line or first_line(visitor)
        place, viewer = line_of(visitor, on), viewer_of(service, visitor, on)
        match = service.position(f"{game}/{first_line(visitor)}")
        if not match.outcome.over:
            why = "they would help one of those who play"
            raise ProblemError(409, "chances are told when the match is over", why, kind="not-possible")
        position = service.position(place, viewer)
        if position.game.chances is None:
            return json(request, Chances())
        commits = service.log(place, viewer=viewer)
        found = judged(position, commits, viewer)
        if folder:
            lines = {each.name for each in service.lines(game, viewer) if visitor.sees(each.name)}
            found = msgspec.structs.replace(found, better=[*better(folder, position, commits, lines)])
        return json(request, found)

    return await desk_of(request).read(request, game, work)


def better(folder: Path, position: Position, commits: Sequence[Commit], lines: set[str]) -> Iterator[Better]:
    """The turns of which an analysis that is kept there says that they gave something away."""
    for found in known(folder, position.game, commits):
        turn, line = found.decision, f"better-{found.decision.first}"
        if word := found.judged.word:
            yield Better(turn.first, turn.last, MARKS[word], found.judged.said, line if line in lines else "")


# By the digest of the last position, and who looks: a few milliseconds for each position take long together.
_judged: dict[tuple[str, str | None], Chances] = {}


def judged(position: Position, commits: Sequence[Commit], viewer: Viewer) -> Chances:
    """The chances on the way to a position; none where much is hidden, of which nothing is known."""
    key = (position.commit.digest, viewer.seat if position.game.secrets else None)
    if key not in _judged:
        try:
            _judged[key] = told(way(position, commits))
        except GameError:
            _judged[key] = Chances()
        for old in [*_judged][:-MOST_JUDGED]:
            _judged.pop(old, None)
    return _judged[key]


def told(positions: Iterable[Position]) -> Chances:
    """The chances at these positions, from the first on."""
    found = [[round(100 * each.mean) for each in chances_at(at.game, at.state).values()] for at in positions]
    swings = [max(abs(a - b) for a, b in zip(*each, strict=True)) for each in pairwise(found)]
    numbers = sorted(range(1, len(found)), key=lambda number: -swings[number - 1])[:MOST_TURNING]
    turning = [number for number in numbers if swings[number - 1] >= TURNS]
    return Chances([*zip(*found, strict=True)], sorted(turning))
