"""Styles of logs: what a log calls its seats and its words, and the columns or keys in which its moves are."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import msgspec

from zimcore.game import NotationError, Seat

FIELDS = {
    "move": ("text", "move", "command", "action", "verb", "played"),
    "object": ("target", "object", "details"),
    "seat": ("seat", "player", "name", "colour", "color"),
    "result": ("summary", "result"),
}
"""The names of columns in a header, and of keys in JSON, by what they hold."""
COUNTER_COLUMNS = ("number", "no", "nr", "#", "round", "turn")
"""Columns that number moves: a header has one of them, or one for the seat."""
LIST_KEYS = ("commits", "moves", "log", "turns", "actions", "history")
"""Keys of JSON that hold a list of moves."""
SEPARATORS = "\t;|,"
"""What may separate columns. In Markdown a row also begins and ends with a bar, and dashes follow the header."""
COLUMN = re.compile(r"[^\W\d][^\d:=]*|#")
"""The name of a column."""
MAX_ROW_LENGTH = 100_000
"""Characters of a row."""
MAX_LINES_BEFORE = 20
"""Lines in which a header is looked for."""
SETUP_PATTERN = re.compile(r"\s*(?:0\s+)?(?:zim\s+)?new\s", re.IGNORECASE)
"""Begins a set-up, which is always in Zim's own words."""
NUMBERING_PATTERN = r"\s*(?:@?\d+[.)]?\s+|[-*•]\s+)?"


class LogStyle(msgspec.Struct, frozen=True, dict=True):
    """What a log calls seats, and our words for its words; those with "" are left out. Keys are in small letters.

    `columns` says what the columns of a table, or the keys of JSON, hold: one of `FIELDS`, or "" for nothing.
    """

    seats: Mapping[str, Seat] = {}
    words: Mapping[str, str] = {}
    columns: Mapping[str, str] = {}

    def columns_for(self, field: str) -> list[str]:
        """The columns that hold a field, those of the style first.

        >>> LogStyle(columns={"zug": "move", "move": ""}).columns_for("move")[:3]
        ['zug', 'text', 'command']
        """
        own_columns = [name for name, held_field in self.columns.items() if held_field == field]
        return own_columns + [name for name in FIELDS[field] if name not in self.columns]

    def translate(self, line: str) -> str:
        """A line in our words, and with our name of the seat that it begins with. A set-up stays as it is.

        >>> style = LogStyle({"red": "kilwa"}, {"baut": "build", "auf": ""})
        >>> style.translate("3. Red: baut auf m5"), style.our_seat("Red"), style.our_seat("zulu")
        ('3. kilwa: build m5', 'kilwa', 'zulu')
        """
        if SETUP_PATTERN.match(line):
            return line
        if self._foreign_word_pattern:
            line = self._foreign_word_pattern.sub(
                lambda match: f"{our_word}{match[2]}" if (our_word := self.our_word(match[1])) else "", line
            )
        if self._seat_pattern:
            line = self._seat_pattern.sub(lambda match: match[1] + self.our_seat(match[2]), line)
        return line

    @cached_property
    def _foreign_word_pattern(self) -> re.Pattern[str] | None:
        """Matches a word of the log, and the blank after it: otherwise two blanks would stay, which begin a column."""
        return re.compile(rf"({_any_of(self.words)})( ?)", re.IGNORECASE) if self.words else None

    @cached_property
    def _seat_pattern(self) -> re.Pattern[str] | None:
        """Matches the number and the seat that a line begins with."""
        return re.compile(f"^({NUMBERING_PATTERN})({_any_of(self.seats)})", re.IGNORECASE) if self.seats else None

    def our_word(self, word: str) -> str:
        """Our word for one of the log."""
        return self.words.get(word.lower(), word)

    def our_seat(self, name: str) -> str:
        """Our name of a seat that stands beside a move."""
        return self.seats.get(name.lower(), name)


PLAIN_STYLE = LogStyle()
"""The style of a log that calls everything as we do."""


def _any_of(texts: Mapping[str, str]) -> str:
    """A pattern of whole words, the longest first."""
    return rf"(?<!\w)(?:{'|'.join(sorted(map(re.escape, texts), key=len, reverse=True))})(?!\w)"


def parse_pairs(text: str, pair_kind: str) -> dict[str, str]:
    """Pairs with a comma or a new line between them; `#` begins a comment. `NotationError` names the `pair_kind`.

    >>> parse_pairs("Red=kilwa, M = mutapa", "--seats")
    {'red': 'kilwa', 'm': 'mutapa'}
    """
    pairs = dict[str, str]()
    for pair in re.split(r"[,\n]", re.sub(r"(?m)(?:^|\s)#.*", "", text)):
        name, sign, meaning = (part.strip() for part in pair.partition("="))
        if pair.strip() and not (name and sign):
            raise NotationError(f"{pair_kind}: {pair.strip()}", "a pair is written THEIRS=OURS", ["help audit"])
        if name:
            pairs[name.lower()] = meaning.lower()
    return pairs


def move_fields(row: Mapping[str, Any], style: LogStyle = PLAIN_STYLE) -> tuple[str, str, str]:
    """The seat, the move and its result in an object; "" where it has none.

    >>> move_fields({"player": "Red", "action": "build", "target": ["m5", "m6"]})
    ('Red', 'build m5 m6', '')
    """
    values = {key.strip().lower(): value for key, value in row.items()}
    move, object_text, seat, result = (
        next((text for name in style.columns_for(field) if (text := _plain_text(values.get(name)))), "")
        for field in ("move", "object", "seat", "result")
    )
    return seat, f"{move} {object_text}".strip() if move else "", result.removeprefix("'")


def _plain_text(value: Any) -> str:
    """A text, or several in a list; "" for everything else."""
    texts = value if isinstance(value, list) else [value]
    return " ".join(text.strip() for text in texts if isinstance(text, str))


def find_header(lines: Sequence[str], style: LogStyle = PLAIN_STYLE) -> tuple[int, str] | None:
    """The index of the header of a table, and the sign between its columns; None for a log that is no table."""
    for index, line in enumerate(lines[:MAX_LINES_BEFORE]):
        for separator in SEPARATORS:
            names = row_cells(line, separator)
            other_columns = (*style.columns_for("seat"), *COUNTER_COLUMNS, *style.columns)
            if len(names) > 1 and _has_any(names, style.columns_for("move")) and _has_any(names, other_columns):
                return index, separator
    return None


def row_cells(line: str, separator: str) -> list[str]:
    """The texts in a row, in small letters; none in a line that is too long for a table."""
    if len(line) > MAX_ROW_LENGTH:
        return []
    return [
        name.strip().lower() for name in next(csv.reader([_without_bars(line, separator)], delimiter=separator), [])
    ]


def _without_bars(line: str, separator: str) -> str:
    """A row without the bars at its ends; "" for a row of bars and dashes."""
    if separator != "|":
        return line
    return line.strip().strip("|") if {*line} - {*"|-: "} else ""


def find_unknown_header(lines: Sequence[str]) -> tuple[int, str] | None:
    """The index of a line that looks like a header, and the sign between its columns; None if there is none.

    The words of a header all differ and have no digit; none of them is in the rows below it. There are at least three
    such rows, each with at least as many columns.

    >>> find_unknown_header(["new players=3", "Zug;Wer", "bid 3;Red", "pass;Blue", "pass;Red"])
    (1, ';')
    >>> find_unknown_header(["Red;pass", "Blue;bid 3", "Red;pass", "Blue;end"])
    """
    for index, line in enumerate(lines[:MAX_LINES_BEFORE]):
        for separator in SEPARATORS:
            names = row_cells(line, separator)
            if len({*names}) < max(len(names), 2) or not all(COLUMN.fullmatch(name) for name in names):
                continue
            rows = [row for row in (row_cells(row, separator) for row in lines[index + 1 :]) if row]
            if len(rows) > 2 and all(len(row) >= len(names) and not {*names} & {*row} for row in rows):
                return index, separator
    return None


def _rows_of(reader: Any, header_index: int) -> Iterator[list[str]]:
    try:
        yield from reader
    except csv.Error as error:
        raise NotationError(f"line {header_index + 1 + reader.line_num} of the log", str(error)) from None


def _has_any(names: Sequence[str], columns: Sequence[str]) -> bool:
    return not set(names).isdisjoint(columns)


def raw_rows(lines: Sequence[str], header_index: int, separator: str) -> Iterator[tuple[int, dict[str, str]]]:
    """The number of each row below a header, and its texts by their columns. Surplus texts go to the last column."""
    names = row_cells(lines[header_index], separator)
    reader = csv.reader(
        (f"{_without_bars(line, separator)}\n" for line in lines[header_index + 1 :]), delimiter=separator
    )
    for row in _rows_of(reader, header_index):
        row_texts = [*row[: len(names) - 1], separator.join(row[len(names) - 1 :])]
        yield header_index + 1 + reader.line_num, dict(zip(names, row_texts, strict=False))
