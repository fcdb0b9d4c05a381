"""Finds who moved in a log whose lines have more than moves: the place whose words tell best what the rules say.

A place (a slot) is a word before or behind a move, the signs before it, the column that it stands in, or a word of a
line above it: a heading stands for all moves below it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from zimcore.game import Seat
from zimcore.transcripts.records import LogLine

NAME = re.compile(r"[^\W\d_][\w'’.-]*|\d+|[\u2190-\u2bff\U0001f000-\U0001faff\ufe0f\u200d]+")
"""What may stand for a player: a word, a number (`player 2`), or signs and pictures (🔴)."""
CELL_END = re.compile(r"[;|\t]|,(?!\s)")
"""What stands between the cells of a table, one of which may be that of a player."""
MAX_CONTEXT, MAX_WORDS, MAX_NEAR_LINES, MAX_KEPT_LINES = 160, 8, 4, 6
"""Characters beside a move, words there from either end, lines above it, and kinds of lines above that are kept."""
MIN_REPEATS = 3
"""A line that begins like so many others may be a heading, however far below it a move is."""
WRONG_COST, WORD_COST = 4, 2
"""What a name beside a move of another player counts against one that fits, and what each further name counts."""

MANY_OTHERS = 2
"""A word that stands beside so many other seats is no name."""
MIN_NAMED, MIN_SHARE = 8, 0.6
"""Fewer moves, or a smaller share of them, do not tell who has which name if that makes most lines illegal."""


class Found(NamedTuple):
    """A move on a line, what stands before and behind it, and the column and cell that it begins in."""

    line: LogLine
    before: str
    behind: str = ""
    column: int = 0
    cell: int = 0


class Heading(NamedTuple):
    """A line without a move."""

    text: str


class SlottedMove(NamedTuple):
    """A move with what stands in each place near it."""

    found: Found
    words: Mapping[str, str]


class NameSlot(NamedTuple):
    """The place that tells who moved, the seat of each word there, and how many of the moves judged say so."""

    place: str = ""
    seat_by_name: Mapping[str, Seat] = {}
    right: int = 0
    judged: int = 0

    @property
    def is_certain(self) -> bool:
        """Whether so many moves agree that the words can be nothing else."""
        return self.right >= max(MIN_NAMED, MIN_SHARE * self.judged)


def slotted_moves(rows: Sequence[Found | Heading]) -> list[SlottedMove]:
    """The moves with the words near them. A line is above all moves up to the next line of its kind."""
    kept_kinds = _repeated_kinds([row.text for row in rows if isinstance(row, Heading)])
    moves, kept, block, was_move = list[SlottedMove](), dict[str, str](), list[str](), True
    for row in rows:
        if isinstance(row, Heading):
            block = [row.text] if was_move else [*block, row.text]
            kept |= {kind: row.text for kind in _kinds(row.text) if kind in kept_kinds}
        else:
            near = {f"line {index + 1} above": text for index, text in enumerate(block[: -MAX_NEAR_LINES - 1 : -1])}
            lines = {**near, **({"line 1 of those above": block[0]} if block else {}), **kept}
            moves.append(SlottedMove(row, {**dict(_own_slots(row)), **dict(_line_slots(lines))}))
        was_move = isinstance(row, Found)
    below = _lines_below(rows)
    return [move._replace(words={**move.words, **dict(_line_slots(next(below)))}) for move in moves]


def _lines_below(rows: Sequence[Found | Heading]) -> Iterator[Mapping[str, str]]:
    """The lines below each move, up to the next one: a name may be signed there."""
    found, below, was_heading = list[Mapping[str, str]](), dict[str, str](), False
    for row in reversed(rows):
        if isinstance(row, Heading):
            texts = [row.text, *(below.values() if was_heading else ())][:MAX_NEAR_LINES]
            below = {f"line {index + 1} below": text for index, text in enumerate(texts)}
        else:
            found.append(below)
        was_heading = isinstance(row, Heading)
    return reversed(found)


def _repeated_kinds(texts: Sequence[str]) -> frozenset[str]:
    counts = Counter(kind for text in texts for kind in _kinds(text))
    return frozenset(kind for kind, count in counts.most_common(MAX_KEPT_LINES) if count >= MIN_REPEATS)


def _kinds(text: str) -> tuple[str, ...]:
    """What a line has in common with others: its first word, and what is left without its words.

    >>> _kinds("Author: Ann <a@b.org>"), _kinds("== Ann, 20:15 ==")
    (("the last line with 'Author:'", "the last line like 'a: a <a@a>'"), ("the last line like '== a, 9:9 =='",))
    """
    shape = f"the last line like '{_shape(text)}'"
    first_word = text.split()[0]
    return (f"the last line with '{first_word}'", shape) if re.match(r"\w+:?\s", text) else (shape,)


def _shape(text: str) -> str:
    return re.sub(r"\d+", "9", re.sub(r"[^\W\d_][\w'’.-]*", "a", text))


def _own_slots(move: Found) -> Iterator[tuple[str, str]]:
    """Each word beside a move, and where it stands; the signs before it; where it begins."""
    yield from _word_slots("", move.before)
    yield from _word_slots("behind: ", move.behind)
    yield "the signs before it", re.sub(r"\s", "", _shape(move.before)) or "none"
    yield "the column", f"column {move.column + 1}"
    yield "the cell", f"cell {move.cell + 1}"


def _line_slots(lines: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for where, text in lines.items():
        yield from _word_slots(f"{where}: ", text)


def _word_slots(where: str, text: str) -> Iterator[tuple[str, str]]:
    """Each word of a text by what is around it (with 9 for numbers), and by which word it is from either end."""
    words = [*NAME.finditer(text)]
    for index, word in enumerate(words):
        if index < MAX_WORDS or index >= len(words) - MAX_WORDS:
            around = f"{text[: word.start()]}*{text[word.end() :]}"
            yield where + re.sub(r"\d+", "9", " ".join(around.split())), word[0].lower()
            yield f"{where}word {index + 1}", word[0].lower()
            yield f"{where}word {index - len(words)}", word[0].lower()
            if "." in word[0]:
                yield f"{where}the end of word {index + 1}", word[0].lower().rpartition(".")[2]


def find_name_slot(
    moves: Sequence[SlottedMove], seats: Sequence[Seat], seat_by_word: Mapping[str, Seat] = {}
) -> NameSlot:
    """The place whose words tell best who moved, where `seats` are those that the rules say ("" for none).

    A place that has names of `seat_by_word` only, beside most moves, needs no rules.
    """
    words_by_slot = dict[str, list[str]]()
    for move in moves:
        for slot, word in move.words.items():
            words_by_slot.setdefault(slot, []).append(word)
    named = {
        slot: len(words)
        for slot, words in words_by_slot.items()
        if 2 * len(words) > len(moves) and {*words} <= {*seat_by_word} and (len({*words}) > 1 or len(moves) < MIN_NAMED)
    }
    if named:
        place = max(named, key=lambda slot: named[slot])
        seats_named = {word: seat_by_word[word] for word in dict.fromkeys(words_by_slot[place])}
        return NameSlot(place, seats_named, named[place], named[place])
    counts = dict[str, Counter[tuple[str, Seat]]]()
    for move, seat in zip(moves, seats, strict=True):
        for slot, word in move.words.items() if seat else ():
            counts.setdefault(slot, Counter())[word, seat] += 1
    best, best_score, seats_by_any = NameSlot(), 0.0, _seats_by_any_word(counts)
    for slot, pairs in counts.items():
        seats_by_word = dict[str, Counter[Seat]]()
        for (word, seat), count in pairs.items():
            seats_by_word.setdefault(word, Counter())[seat] += count
        names = {word: seats.most_common(1)[0] for word, seats in seats_by_word.items() if seats.total() > 1}
        right = sum(count for _, count in names.values())
        wrong = sum(pairs.values()) - right
        score: float = right - WRONG_COST * wrong - WORD_COST * len(seats_by_word)
        line = _line_of(slot)
        score -= sum(slot.startswith("the ") or len(seats_by_any[line, word]) > 1 for word in names) / 9
        if len({seat for seat, _ in names.values()}) > 1 and score > best_score:
            seat_by_name = {word: seat for word, (seat, _) in names.items()}
            best, best_score = NameSlot(slot, seat_by_name, right, sum(map(bool, seats))), score
    return best


def _seats_by_any_word(counts: Mapping[str, Counter[tuple[str, Seat]]]) -> Mapping[tuple[str, str], set[Seat]]:
    """The seats beside whose moves each word stands in any place of a line: a name stands beside those of one."""
    seats = dict[tuple[str, str], set[Seat]]()
    for slot, pairs in counts.items():
        for word, seat in pairs:
            seats.setdefault((_line_of(slot), word), set()).add(seat)
    return seats


def _line_of(slot: str) -> str:
    """The line that a place is in: `line 1 above`; "" for that of the move."""
    return slot.partition(": ")[0] if slot.startswith(("line ", "the last line ")) else ""


def with_seats(moves: Sequence[SlottedMove], slot: NameSlot, seat_by_word: Mapping[str, Seat]) -> list[LogLine]:
    """The moves with their players: as the place says, or the only name before a move.

    Where a line has several, a player is that of the move before, if none is named.
    """
    found_seats = [slot.seat_by_name.get(move.words.get(slot.place, ""), "") for move in moves]
    own_words = [{word for place, word in move.words.items() if place.startswith("word ")} for move in moves]
    seat_by_name = {**seat_by_word, **slot.seat_by_name}
    others = dict[str, set[Seat]]()  # the seats that each name stands beside without being theirs
    for found_seat, words in zip(found_seats, own_words, strict=True):
        named = {word: seat_by_name[word] for word in words if word in seat_by_name}
        for word, seat in named.items():
            others.setdefault(word, set()).update({*named.values(), *filter(None, [found_seat])} - {seat})
    seat_by_name = {word: seat for word, seat in seat_by_name.items() if len(others.get(word, ())) < MANY_OTHERS}
    lines = list[LogLine]()
    for move, found_seat, words in zip(moves, found_seats, own_words, strict=True):
        seats = {seat_by_name[word] for word in words if word in seat_by_name}
        seat = found_seat or ("".join(seats) if len(seats) == 1 else "")
        if not seat and lines and lines[-1].number == move.found.line.number:
            seat = lines[-1].seat
        lines.append(msgspec.structs.replace(move.found.line, seat=seat))
    return lines
