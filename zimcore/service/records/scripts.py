"""Plays scripts that come with games, up to a position. Stores nothing."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from zimcore.commits import Commit, Position
from zimcore.game import Example, Game, Refused, RefusedError
from zimcore.service.records.deciding import set_up, try_command

NO_TIME = datetime.fromtimestamp(0, UTC)
"""The time of each move: a match in memory has no clock."""
END_OF_MATCH = "expect"
"""The word of the line that ends the moves of a demo: it checks who has won."""


def first_position(game: Game, options: Mapping[str, str], match: str = "memory") -> Position:
    """A match before its first move. Raises `OptionError`."""
    first_commit = set_up(game, options)
    commit = Commit(
        number=0,
        digest="",
        parent="",
        state=first_commit.digest.hex(),
        by="",
        at=NO_TIME,
        events=first_commit.events,
        marks=(),
        game=game,
    )
    return Position(match, "main", commit, first_commit.state, game)


def moves_of_script(script: str) -> tuple[str, tuple[str, ...]]:
    r"""The line of a script that begins its match, and the moves after it: the lines that name a seat.

    >>> moves_of_script("# A demo\nnew demo players=2\nkilwa: bid 1\nboard\nexpect winner == kilwa\nkilwa: end")
    ('new demo players=2', ('kilwa: bid 1',))
    """
    lines = [line for line in script.splitlines() if line and not line.startswith("#")]
    length = next((index for index, line in enumerate(lines) if line.split()[0] == END_OF_MATCH), len(lines))
    return lines[0], tuple(line for line in lines[1:length] if line.split()[0].endswith(":"))


def options_of(begin_line: str) -> Mapping[str, str]:
    """The options of the line that begins a match.

    >>> options_of("new demo --game nim players=2 seed=7")
    {'players': '2', 'seed': '7'}
    """
    return dict(word.split("=", 1) for word in begin_line.split()[2:] if "=" in word)


def positions_of_script(game: Game, script: str, move: int | None = None) -> tuple[Position, Position]:
    """The positions at the beginning of a script's match and after so many of its moves; None means all of them."""
    begin_line, moves = moves_of_script(script)
    start = position = first_position(game, options_of(begin_line), begin_line.split()[1])
    for line in moves[:move]:
        answer = try_command(position, line, NO_TIME)
        if isinstance(answer, Refused):
            raise RefusedError(line, answer)
        position = answer
    return start, position


def example_positions(game: Game, example: Example) -> tuple[Position, Position]:
    """The positions at the beginning of an example's match and where its line is tried."""
    return positions_of_script(game, example.script, example.move)
