"""The geometry of squares, lakes, range and hubs, on sets of squares stored as integers.

A *set of squares* is an int in which bit n is square number n. Between two rows is a guard column that is never on the
board, so that a step to the left or right can't wrap into the next row. On a board 5 squares wide the numbers are

     0  1  2  3  4  (5)         ( ) guard column
     6  7  8  9 10 (11)
    12 13 14 15 16 (17)  ...

so a few shifts give all neighbours of a set in all eight directions: `m<<1 | m>>1` sideways, then the three together up
and down by 6. A mask of the existing squares removes guards, voids and what fell off the edges.

    >>> board = Board.from_rows(["..~~.", ".....", "....."])
    >>> board.names(board.reach(board.square["a1"], 1))
    ('a1', 'b1', 'a2', 'b2')

A lake costs one step to enter, however large it is (R-RNG-01): a step that touches it adds all of it.

    >>> board.names(board.reach(board.square["b2"], 1))
    ('a1', 'b1', 'c1', 'd1', 'a2', 'b2', 'c2', 'a3', 'b3', 'c3')
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, reduce
from operator import or_
from typing import NamedTuple, TypeAlias

Squares: TypeAlias = int
"""A set of squares."""
MAX_CACHED_BALLS = 10_000
"""The most balls that a board caches, so that a long analysis does not fill the memory."""
NO_BALL = (0, -1)
"""A ball that never matches: no set of blocked squares is -1."""


def bits(squares: Squares) -> Iterator[Squares]:
    """Yields each square of a set as a set of its own, in board order (row by row)."""
    while squares:
        lowest_bit = squares & -squares
        yield lowest_bit
        squares ^= lowest_bit


def nth_square(squares: Squares, index: int) -> Squares:
    """The square at an index of a set, in board order.

    >>> [nth_square(0b10110, index) for index in range(3)] == [0b10, 0b100, 0b10000]
    True
    """
    binary_digits = f"{squares:b}"
    higher_bits = binary_digits.rsplit("1", index + 1)[0]
    return 1 << len(binary_digits) - len(higher_bits) - 1


class RectanglePlaces(NamedTuple):
    """The places of a rectangle of a size: the set of its possible top left squares."""

    corners: Squares
    width: int = 1
    height: int = 1


def square_name(column: int, row: int) -> str:
    """The name of a square from its column and row, which count from 0: `square_name(0, 0)` is `a1`."""
    return f"{chr(ord('a') + column)}{row + 1}"


def parse_map(rows: Sequence[str], letter: str) -> Squares:
    """The squares with a letter on a drawn map, which has a text for each row.

    >>> parse_map(["~.", ".~~"], "~") == 1 << 0 | 1 << 5 | 1 << 6
    True
    """
    width = max(map(len, rows), default=0)
    padded_rows = "".join(row.ljust(width + 1) for row in rows)
    return int("0" + padded_rows[::-1].translate(defaultdict(lambda: "0", {ord(letter): "1"})), 2)


@lru_cache(maxsize=16)
def _squares(width: int, height: int, existing_squares: Squares) -> tuple[dict[str, Squares], dict[Squares, str]]:
    """The squares of a board by name, and the names by square; boards with the same outline share them."""
    name_bit_pairs = ((square_name(x, y), 1 << y * (width + 1) + x) for y in range(height) for x in range(width))
    bit_by_name = {name: bit for name, bit in name_bit_pairs if bit & existing_squares}
    return bit_by_name, {bit: name for name, bit in bit_by_name.items()}


@lru_cache(maxsize=64)
def _rectangles(
    width: int, height: int, existing_squares: Squares, columns: int, rows: int
) -> dict[Squares, tuple[str, ...]]:
    """The names of the squares of every rectangle of a size, by its top left square; "" for squares off the board."""
    name_by_bit = _squares(width, height, existing_squares)[1]
    offsets = [x + y * (width + 1) for y in range(rows) for x in range(columns)]
    return {
        corner: tuple([name_by_bit.get(corner << offset, "") for offset in offsets]) for corner in (1, *name_by_bit)
    }


@lru_cache(maxsize=1000)
def _names(width: int, height: int, existing_squares: Squares, squares: Squares) -> tuple[str, ...]:
    """The names of a set of squares; cached, since every position needs those of its water and resources."""
    return tuple(map(_squares(width, height, existing_squares)[1].__getitem__, bits(squares)))


class Board:
    """The ground of a map: the squares that exist, and those of water. It never changes; more water is a new board.

    Copies and pickles leave out its caches.
    """

    __slots__ = ("_balls", "existing_squares", "height", "lakes", "name", "square", "stride", "water", "width")

    def __init__(self, width: int, height: int, existing_squares: Squares, water: Squares) -> None:
        self.width, self.height, self.stride = width, height, width + 1
        self.existing_squares, self.water = existing_squares, water
        self.square, self.name = _squares(width, height, existing_squares)
        self.lakes = self._split_lakes(water)
        self._balls: dict[tuple[Squares, int, bool], tuple[Squares, Squares]] = {}

    def __reduce__(self) -> tuple[type[Board], tuple[int, int, Squares, Squares]]:
        return Board, (self.width, self.height, self.existing_squares, self.water)

    @classmethod
    def from_rows(cls, rows: Sequence[str]) -> Board:
        """A board from a drawing with a text for each row: `~` is water, a blank is no square, all else is land."""
        width, height = max(map(len, rows), default=0), len(rows)
        all_bits = (1 << (width + 1) * height) - 1
        return cls(width, height, all_bits & ~parse_map(rows, " "), parse_map(rows, "~"))

    def with_water(self, squares: Iterable[str]) -> Board:
        """The board with more water, which joins lakes that it touches by an edge (R-GEO-02)."""
        return Board(self.width, self.height, self.existing_squares, self.water | self.mask(squares))

    def mask(self, names: Iterable[str]) -> Squares:
        """The set of the squares with these names. Raises `KeyError` for a name off the board."""
        return reduce(or_, map(self.square.__getitem__, names), 0)

    def names(self, squares: Squares) -> tuple[str, ...]:
        """The names of a set of squares, in board order."""
        return _names(self.width, self.height, self.existing_squares, squares)

    def rectangle_mask(self, top_left: Squares, width: int, height: int) -> Squares:
        """The squares of a rectangle, even those off the board."""
        return sum([top_left << x + y * self.stride for y in range(height) for x in range(width)])

    def corners_inside(self, squares: Squares, width: int, height: int) -> Squares:
        """The top left squares of the rectangles of a size that lie on a set."""
        row_starts = squares
        for x in range(1, width):
            row_starts &= squares >> x
        corners = row_starts
        for y in range(1, height):
            corners &= row_starts >> y * self.stride
        return corners

    def corners_touching(self, squares: Squares, width: int, height: int) -> Squares:
        """The top left squares of the rectangles of a size that touch a set."""
        row_starts = squares
        for x in range(1, width):
            row_starts |= squares >> x
        corners = row_starts
        for y in range(1, height):
            corners |= row_starts >> y * self.stride
        return corners

    def rectangle(self, corner: Squares, width: int, height: int) -> tuple[str, ...]:
        """The names of the squares of a rectangle, row by row, from its top left square."""
        return _rectangles(self.width, self.height, self.existing_squares, width, height)[corner]

    def rectangles(self, corners: Squares, width: int, height: int) -> Iterator[tuple[str, ...]]:
        """The names of rectangles of a size, for each top left square."""
        return map(
            _rectangles(self.width, self.height, self.existing_squares, width, height).__getitem__, bits(corners)
        )

    def with_neighbours(self, squares: Squares) -> Squares:
        """A set with its neighbours in eight directions (R-GEO-01)."""
        row = squares | squares << 1 | squares >> 1
        return (row | row << self.stride | row >> self.stride) & self.existing_squares

    def _split_lakes(self, water: Squares) -> tuple[Squares, ...]:
        """Splits water into lakes, which are connected by edges (R-GEO-02)."""
        lakes = []
        while water:
            lake, grown_lake = 0, water & -water
            while grown_lake != lake:
                lake = grown_lake
                grown_lake = (lake | lake << 1 | lake >> 1 | lake << self.stride | lake >> self.stride) & water
            lakes.append(lake)
            water ^= lake
        return tuple(lakes)

    def _with_whole_lakes(self, squares: Squares) -> Squares:
        """A set with all squares of each lake that it touches."""
        for lake in self.lakes:
            if squares & lake:
                squares |= lake
        return squares

    def reach(self, zone: Squares, steps: int, blocked_squares: Squares = 0) -> Squares:
        """All squares within `steps` of a zone (R-RNG-01), the zone included.

        A step may enter one of the `blocked_squares` but not leave it, except squares of the zone itself: with the
        monuments blocked this is the ball B* of R-HUB-01.
        """
        stride, water, unblocked_squares = self.stride, self.water, ~blocked_squares
        frontier = self._with_whole_lakes(zone) if zone & water else zone
        unreached_squares = self.existing_squares & ~frontier
        for _ in range(steps):
            row = frontier | frontier << 1 | frontier >> 1
            frontier = (row | row << stride | row >> stride) & unreached_squares
            if frontier & water:
                frontier = self._with_whole_lakes(frontier)
            unreached_squares ^= frontier
            frontier &= unblocked_squares
        return self.existing_squares ^ unreached_squares

    def ball(self, zone: Squares, steps: int, blocked_squares: Squares = 0) -> Squares:
        """`reach` with a cache: pieces stay on the board, so that positions of a match ask for the same balls.

        A cached ball is valid while the blocked squares inside it are the same.
        """
        key = (zone, steps, not blocked_squares)
        ball, blocked_squares_inside = self._balls.get(key, NO_BALL)
        if ball & blocked_squares != blocked_squares_inside:
            if len(self._balls) >= MAX_CACHED_BALLS:
                self._balls.clear()
            ball = self.reach(zone, steps, blocked_squares)
            self._balls[key] = (ball, ball & blocked_squares)
        return ball

    def hub_rings(self, zone: Squares, steps: int, monuments: Squares) -> Iterator[Squares]:
        """Yields the squares reached from a zone with 0 hubs, 1 hub, 2 hubs ... (R-HUB-01), until no hub leads on."""
        hubs_used = 0
        while zone:
            reached_squares = self.ball(zone, steps, monuments)
            yield reached_squares
            zone = reached_squares & monuments & ~hubs_used
            hubs_used |= zone

    def hubs(self, zone: Squares, target: Squares, steps: int, monuments: Squares) -> int | None:
        """The fewest hubs between a zone and a target (R-HUB-06); None if no chain leads there."""
        for hubs, ring in enumerate(self.hub_rings(zone, steps, monuments)):
            if ring & target:
                return hubs
        return None
