"""Readings of a line of a log at a position: as notation, as people write moves down, or as part of a legal move."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from contextvars import ContextVar
from functools import cached_property, lru_cache, partial
from itertools import islice
from typing import Any, NamedTuple

from zimcore.game import AmbiguousError, Command, Game, GameError, NotationError, Seat
from zimcore.toolkit.player_names import seats_by_word
from zimcore.transcripts.records import LogLine
from zimcore.transcripts.typos import imperative, near_words

FILLERS = {"a", "an", "the", "at", "on", "in", "to", "for", "with", "and", "of"}
"""Words without meaning in a log; so is the money of the game."""
NUMBERS = {
    word: str(number)
    for number, word in enumerate(["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"])
}
"""Numbers that people write as words."""
SQUARE = r"[a-z][1-9]\d?"
TOKEN = re.compile(r"[a-z0-9_]+")
MAX_LISTED, MAX_READINGS = 4_000, 12
"""The most legal commands that a line is compared with, and the most readings of a line."""
LISTED: ContextVar[int] = ContextVar("LISTED", default=0)
"""How many commands were listed so far, which is most of the effort of reading; a long one counts as many."""
PLAIN_LENGTH, PLANNED_SHARE = 40, 16
"""A command with more characters has to be planned, which takes longer by the square of what it has more."""
MAX_CACHED, MAX_POSITIONS = 50_000, 32
"""The most commands whose words are kept, and positions whose legal commands are."""


class LineReading(NamedTuple):
    """One meaning of a line: the seat that moves, and its command."""

    seat: Seat
    command: Command


class LegalCommands:
    """The legal commands of a seat or, if it is "", of all seats to move. Listed when they are first needed.

    With a `verb` only those that begin with it: to list the others may take long.
    """

    def __init__(self, game: Game, state: Any, seat: Seat, verb: str = "") -> None:
        self.game = game
        self.state = state
        self.seat = seat
        self.verb = verb

    @cached_property
    def texts(self) -> list[tuple[Seat, str, str]]:
        """The seat of each command, its text, and its words between blanks: ` craft potter d4 d5 `."""
        game, listed = self.game, list[tuple[Seat, str, str]]()
        for mover in [self.seat] if self.seat else game.evolution.to_move(self.state):
            texts = islice(game.rules.legal(self.state, mover).texts(self.verb), MAX_LISTED)
            listed += [(mover, text, _words_of(text)) for text in texts]
        LISTED.set(
            LISTED.get() + sum(1 + max(0, len(text) - PLAIN_LENGTH) ** 2 // PLANNED_SHARE for _, text, _ in listed)
        )
        return listed

    @cached_property
    def tokens(self) -> frozenset[str]:
        """The words of all commands."""
        return frozenset(token for *_, words in self.texts for token in words.split())

    def has_word(self, word: str) -> bool:
        """Whether a word is in a command, or three letters of it or more begin one."""
        return word in self.tokens or (len(word) > 2 and any(token.startswith(word) for token in self.tokens))


class Position:
    """A game and a state of it, which is equal only to itself: to compare states costs more than to list commands."""

    def __init__(self, game: Game, state: Any) -> None:
        self.game = game
        self.state = state

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self.game is other.game and self.state is other.state

    def __hash__(self) -> int:
        return hash((id(self.game), id(self.state)))


@lru_cache(MAX_POSITIONS)
def legal_commands(position: Position, seat: Seat, verb: str = "") -> LegalCommands:
    """The legal commands of a seat. They are kept for the lines after an unreadable one: its position stays."""
    return LegalCommands(position.game, position.state, seat, verb)


@lru_cache(MAX_CACHED)
def _words_of(text: str) -> str:
    """The words of a command between blanks. Most commands are legal at many positions of a log."""
    return f" {' '.join(TOKEN.findall(text))} "


def readings(game: Game, state: Any, line: LogLine) -> list[LineReading]:
    """The readings of a line, legal or not; at least one. Raises `NotationError` for a line that can't be read."""
    seat, text = named_seat(game, state, line)
    try:
        return _parse_readings(game, state, text, seat)
    except GameError as error:
        lenient_readings = list(islice(_lenient_readings(game, state, text, seat), MAX_READINGS))
        if not lenient_readings:
            raise error
        return list(dict.fromkeys(lenient_readings))


def named_seat(game: Game, state: Any, line: LogLine) -> tuple[Seat, str]:
    """The seat that a line names, in a column of its own or as its first word ("" for none), and the move without it.

    Raises `NotationError` if the column names no player.
    """
    seat_by_word = seats_by_word(game.evolution.seats(state), game.display.names(state))
    text = " ".join(line.text.split())
    if line.seat:
        seat = seat_by_word.get(line.seat.lower().replace("-", "_"))
        if seat is None:
            raise NotationError(line.seat, "no player has that name", [*seat_by_word])
        return seat, text
    first_word, _, move_text = text.partition(" ")
    word = first_word.lower().rstrip(":,").replace("-", "_")
    return (seat_by_word[word], move_text) if move_text and word in seat_by_word else ("", text)


def _parse_readings(game: Game, state: Any, text: str, seat: Seat) -> list[LineReading]:
    """The readings of a text in notation: several if it is ambiguous. Raises `NotationError`."""
    try:
        parsed_seat, command = game.notation.parse(text, state)
    except AmbiguousError as error:
        texts = [*error.hints, *(text.replace(error.what, hint, 1) for hint in error.hints)]
        readings_found = [
            reading for reading_text in texts for reading in _readings_of_command(game, state, reading_text, seat)
        ]
        if not readings_found:
            raise
        return list(dict.fromkeys(readings_found))
    if parsed_seat and seat and parsed_seat != seat:
        raise NotationError(text, f"it is in the column of {seat}")
    to_move = game.evolution.to_move(state)
    mover = parsed_seat or seat
    return [LineReading(mover, command)] if mover else [LineReading(mover, command) for mover in to_move or ("",)]


def _readings_of_command(game: Game, state: Any, text: str, seat: Seat) -> list[LineReading]:
    """The readings of a text in notation; none if it is not a command."""
    try:
        return _parse_readings(game, state, text, seat)
    except GameError:
        return []


def _lenient_readings(game: Game, state: Any, text: str, seat: Seat) -> Iterator[LineReading]:
    words = plain_words(text, game.notation.SYNTAX, filler_words(game))
    position, verb = Position(game, state), words[0] if words and words[0] in game.notation.SYNTAX else ""
    tried_words = list[str]()
    for reduce_words in (list[str], partial(_known_words, legal_commands(position, seat))):
        reduced_words = reduce_words(words)
        if reduced_words != tried_words:
            tried_words, is_read = reduced_words, False
            for reading in _notation_readings(game, state, reduced_words, seat) or _parts_of_legal(
                legal_commands(position, seat, verb), reduced_words
            ):
                is_read = True
                yield reading
            if is_read:
                return


def _notation_readings(game: Game, state: Any, words: Sequence[str], seat: Seat) -> list[LineReading]:
    texts = dict.fromkeys((" ".join(words), join_squares(words)))
    return [reading for text in texts for reading in _readings_of_command(game, state, text, seat)]


def _known_words(listed: LegalCommands, words: Sequence[str]) -> list[str]:
    """A sentence that begins with a verb, without words that are in no legal command: `builds a monument at m5`."""
    syntax = listed.game.notation.SYNTAX
    if not words or words[0] not in syntax:
        return []
    known_words = listed.tokens if len(words) > 1 else frozenset[str]()
    # A word close to one of the game is probably a typo, so it is kept: `--repair` proposes the correction.
    words_kept = [
        word
        for word in words[1:]
        if any(map(str.isdigit, word)) or word in known_words or (len(word) > 2 and near_words(word, known_words))
    ]
    has_object = len(words) > 1 and syntax[words[0]] != words[0]
    return [words[0], *words_kept] if words_kept or not has_object else []


def known_tokens(game: Game, state: Any) -> frozenset[str]:
    """The words of all legal commands."""
    return legal_commands(Position(game, state), "").tokens


def filler_words(game: Game) -> frozenset[str]:
    """The words that mean nothing in a log of a game: the name of its money is one."""
    return frozenset({*FILLERS, *game.display.MONEY})


def plain_words(text: str, verbs: Collection[str], fillers: Collection[str] = FILLERS) -> list[str]:
    """The words of a text as notation has them: no fillers, verbs in the imperative, squares letter first.

    >>> plain_words("Bids 3 coins", ["bid", "pass"], {"coins"}), plain_words("passes", ["bid", "pass"])
    (['bid', '3'], ['pass'])
    >>> plain_words("crafts a potter at D4/5D for 2", ["craft"])
    ['craft', 'potter', 'd4', 'd5', '2']
    """
    text = text.lower().replace("–", "-").rstrip(".!")
    words = re.split(r"\s+" if "@" in text else r"[\s,/+&]+", text)  # in a plan of goods (`@`) these signs have meaning
    notation_words = [
        re.sub(r"(?<![^-])(\d{1,2})([a-z])(?![^-])", r"\2\1", word) for word in words if word not in fillers
    ]
    notation_words = [NUMBERS.get(word, word) for word in notation_words if any(map(str.isalnum, word))]
    return [imperative(word, verbs) if index == 0 else word for index, word in enumerate(notation_words)]


def join_squares(words: Sequence[str]) -> str:
    """The words as a text, with consecutive squares joined by `-`, as notation writes a tile.

    >>> join_squares(["craft", "potter", "d4", "e4"])
    'craft potter d4-e4'
    """
    return re.sub(rf"\b({SQUARE}) (?={SQUARE}\b)", r"\1-", " ".join(words))


def _parts_of_legal(listed: LegalCommands, words: Sequence[str]) -> Iterator[LineReading]:
    """The shortest legal commands that contain all these words in this order: `eshu`, `potter d4 2`."""
    typed_tokens = [token for word in words for token in TOKEN.findall(word)]
    if not typed_tokens or not all(map(listed.has_word, typed_tokens)):
        return
    find_words = words_in_order_pattern(typed_tokens).search
    found = [(words.count(" "), seat, text) for seat, text, words in listed.texts if find_words(words)]
    shortest_length = min((length for length, *_ in found), default=0)
    for length, seat, text in found:
        if length == shortest_length:
            yield LineReading(seat, listed.game.notation.parse(text, listed.state)[1])


def words_in_order_pattern(words: Sequence[str]) -> re.Pattern[str]:
    """Finds all words in this order in words that stand between blanks; three letters or more may abbreviate one.

    >>> bool(words_in_order_pattern(["pot", "d4"]).search(" craft potter d4 d5 "))
    True
    >>> [bool(words_in_order_pattern(words).search(" craft d4 d5 ")) for words in (["d5", "d4"], ["d"])]
    [False, False]
    """
    return re.compile(".*".join(f" {re.escape(word)}{'[a-z0-9_]*' * (len(word) > 2)}(?= )" for word in words))
