"""The numbers that the site writes for cards, craftsmen, squares and kinds of entries."""

from __future__ import annotations

from enum import IntEnum
from typing import Any, TypeVar

import msgspec

from zimcore.game import NotationError
from zimcore.games.zimbabwe.board import square_name
from zimcore.games.zimbabwe.recordings.saved_games import Entry

SITE = "onlineboardgamers.com"
EMPIRES = ("lozi", "zulu", "kilwa", "mapungubwe", "mutapa")
"""The empire of each colour: black, green, red, white, yellow."""
GODS = (
    *("shadipinyi", "elegua", "dziva", "eshu", "gu", "obatala", "atete", "tsui_goab", "anansi", "qamata", "engai"),
    "xango",
)
FAN_GODS = (
    *("Agwu Nsi", "Aja", "Aje Shaluga", "Alajire", "Anyanwu", "Ekwensu", "Ogun", "Ovia", "Oya", "Simbi", "Tiurakh"),
    *("Yemoja", "Ala", "Ajaka", "Aje Shaluga Old", "Igwekala", "Nyami Nyami", "Olokun", "Orisha Aje"),
)
"""Gods of fan expansions, which this game does not have; their numbers follow those of `GODS`."""
SPECIALISTS = ("herd", "nomads", "rain_ceremony", "shaman", "builder")
CRAFTSMEN = (*("wood_carver", "potter", "ivory_carver", "diamond_cutter", "sculptor", "vessel_maker", "throne_maker"),)
RESOURCES = ("wood", "clay", "ivory", "diamonds")
FIRST_RESOURCE = len(CRAFTSMEN)
"""The number of the tile of wood; those of the other resources follow."""


class Kind(IntEnum):
    """The kinds of entries."""

    BEGIN = 0
    FIRST_MONUMENT = 1
    BID = 2
    BIDDING_OVER = 3
    GOD = 4
    SPECIALIST = 5
    BUILD = 6
    RAISE = 7
    CRAFTSMAN = 8
    PRICES = 9
    SPECIALIST_PAID = 10
    HERD = 11
    WATER = 12
    RESOURCE = 13
    REVENUES = 14
    COMPARISON = 15
    TURN = 16
    END = 17
    REWIND = 18
    RESIGNED = 19
    KICKED_OUT = 20
    FAN_GOD = 30
    FAN_GOD_TOO = 31


DataT = TypeVar("DataT")


def read_data(entry: Entry, data_type: type[DataT]) -> DataT:
    """The data of an entry. Raises `NotationError` if it has another form."""
    try:
        return msgspec.convert(entry.data, data_type)
    except msgspec.ValidationError as error:
        raise NotationError("it can't be read", str(error)) from error


def numbers_of(entry: Entry, count: int) -> tuple[int, ...]:
    """The whole numbers in an entry, at least `count`. Raises `NotationError`."""
    numbers = read_data(entry, tuple[int, ...])
    if len(numbers) < count:
        raise NotationError("it can't be read", f"it has {len(numbers)} numbers instead of {count}")
    return numbers


def name_of(names: tuple[str, ...], number: Any, what: str) -> str:
    """The name for a number of the site. Raises `NotationError` for one that this game does not have."""
    if isinstance(number, int) and 0 <= number < len(names):
        return names[number]
    raise NotationError(f"it names a {what} that this game does not have", f"{what} {number}")


def god_name(number: int) -> str:
    """The name of a god. Raises `NotationError` for gods of fan expansions, by name."""
    if len(GODS) <= number < len(GODS) + len(FAN_GODS):
        name = FAN_GODS[number - len(GODS)]
        raise NotationError(f"it is played with {name}", "a god of a fan expansion, which Zim does not have")
    return name_of(GODS, number, "god")


def square_at(index: int, width: int) -> str:
    """The square with an index, which counts row by row. Raises `NotationError` for one off the board.

    >>> square_at(3, 12), square_at(36, 12)
    ('d1', 'a4')
    """
    if not (isinstance(index, int) and 0 <= index < width * width):
        raise NotationError("it names a square that is not on the board", f"square {index}")
    return square_name(index % width, index // width)


def rectangle_at(index: int, width: int, columns: int, rows: int) -> tuple[str, ...]:
    """The squares of a tile, row by row, from its top left one. Raises `NotationError` for one off the board.

    >>> rectangle_at(12, 12, 2, 1)
    ('a2', 'b2')
    """
    if not 0 <= index < width * width or index % width + columns > width:
        raise NotationError("it names a square that is not on the board", f"square {index}")
    return tuple(square_at(index + x + y * width, width) for y in range(rows) for x in range(columns))
