"""A match in memory, without a store: moves are pushed and popped, as programs that search do it."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from random import Random

from zimcore.commits import Position
from zimcore.game import Command, NotationError, Refused, RefusedError, Seat, UnknownError
from zimcore.games.registry import game as load_game
from zimcore.service import Viewer
from zimcore.service.lines.visibility import position_for
from zimcore.service.records.deciding import command_text, read_command, try_command
from zimcore.service.records.scripts import NO_TIME, first_position
from zimcore.toolkit.words import numbered


def check_seat(position: Position, seat: Seat) -> None:
    """Raises `UnknownError` for a seat that the match does not have; "" is none."""
    if seat and seat not in position.seats:
        raise UnknownError(f"there is no seat {seat!r} in {position.match}", "", position.seats)


class LegalMoves:
    """The legal moves of a position, as text: iterate over them, count them with `len`, ask whether a text is `in`.

    >>> legal = Match("zimbabwe", players=2, seed=7).legal
    >>> "start f6" in legal, "start zz" in legal, len(legal) == len([*legal])
    (True, False, True)
    """

    def __init__(self, position: Position, seat: Seat) -> None:
        self.position, self.seat = position, seat
        self.commands = position.legal(seat)

    def __iter__(self) -> Iterator[str]:
        return map(self.position.game.notation.format, self.commands)

    def __len__(self) -> int:
        return self.commands.count()

    def __bool__(self) -> bool:
        return bool(self.commands)

    def count(self) -> int:
        """How many there are."""
        return len(self)

    def __contains__(self, move: object) -> bool:
        if not isinstance(move, str):
            return move in self.commands
        try:
            seat, command = read_command(self.position.game, self.position.state, move, self.seat)
        except NotationError:
            return False
        return command in self.position.legal(seat)

    def __repr__(self) -> str:
        return f"<{numbered(len(self), 'legal move')} of {self.seat}>"

    def sample(self, rng: Random) -> str:
        """A random legal move. Raises `IndexError` if there is none."""
        command = self.commands.sample(rng)
        if command is None:
            raise IndexError("no move is legal")
        return self.position.game.notation.format(command)


class Match:
    """A match in memory. `position` is where it stands, with its board, figures and tables; `moves` led there.

    The whole position is here, hidden cards too; `at(seat)` is what a seat knows. The options are those of `zim new`.
    Raises `UnknownError` for an unknown game, and `OptionError`.

    >>> match = Match("zimbabwe", players=2, seed=7)
    >>> match.push("start f6").commit.text, match.pop(), match.moves
    ('start f6', 'start f6', [])
    """

    def __init__(self, kind: str, **options: object) -> None:
        self.game = load_game(kind)
        self._positions = [first_position(self.game, {option: str(value) for option, value in options.items()})]

    @property
    def position(self) -> Position:
        """The position after the last move."""
        return self._positions[-1]

    @property
    def moves(self) -> list[str]:
        """The moves that were pushed, oldest first."""
        return [position.commit.text for position in self._positions[1:]]

    @property
    def legal(self) -> LegalMoves:
        """The legal moves of the seat to move; if several may act, of the first of them."""
        return self.legal_of(self.position.mover)

    def legal_of(self, seat: Seat) -> LegalMoves:
        """The legal moves of a seat."""
        return LegalMoves(self.position, seat)

    @property
    def is_over(self) -> bool:
        """Whether the match is over; `position.outcome` has the standings."""
        return self.position.outcome.over

    def at(self, seat: Seat) -> Position:
        """The position as a seat knows it. Raises `UnknownError` for no seat of it."""
        check_seat(self.position, seat)
        return position_for(self.position, Viewer(seat))

    def push(self, move: str | Command, seat: Seat = "") -> Position:
        """Plays a move, and returns the position after it. `seat` says who, where several may act.

        Raises `NotationError` for a text that is no move, and `RefusedError`, whose `refused` has every broken rule.
        """
        answer = try_command(self.position, move, NO_TIME, seat or None)
        if isinstance(answer, Refused):
            raise RefusedError(command_text(move, self.game), answer)
        self._positions.append(answer)
        return answer

    def pop(self) -> str:
        """Takes back the last move, and returns it. Raises `IndexError` at the start."""
        if len(self._positions) == 1:
            raise IndexError("no move was played")
        return self._positions.pop().commit.text

    def copy(self) -> Match:
        """The same match, to be played on by itself."""
        other = copy(self)
        other._positions = [*self._positions]
        return other

    def __str__(self) -> str:
        return str(self.position)

    def __repr__(self) -> str:
        return f"<{self.game.title} after {numbered(len(self._positions) - 1, 'move')}: {self.position.status}>"

    def _repr_svg_(self) -> str | None:
        return self.position._repr_svg_()
