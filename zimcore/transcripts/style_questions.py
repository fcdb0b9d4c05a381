"""Questions about a log in a style of its own: what a column holds, who a seat is, and what a word means."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from zimcore.game import Game, GameError
from zimcore.toolkit.player_names import seats_by_word
from zimcore.transcripts.line_parts import SEAT
from zimcore.transcripts.line_readings import filler_words, known_tokens, readings
from zimcore.transcripts.log_styles import FIELDS
from zimcore.transcripts.records import LogLine
from zimcore.transcripts.typos import imperative
from zimcore.transcripts.verdicts import LineVerdict

NO_MEANING = "-"
"""The answer for a word, or a column, that means nothing."""
MAX_SHOWN, MAX_SEATS = 4, 6
"""How many values of a column are shown, and the most different ones of a column of seats."""


class StyleQuestion(NamedTuple):
    """What a column, a seat or a word of a log is in ours: where it is first, a guess ("" for none), and the choices.

    The text of the line of a column is what the column holds.
    """

    kind: Literal["columns", "seats", "words"]
    word: str
    line: LogLine
    guess: str
    choices: tuple[str, ...]


def column_questions(
    rows: Sequence[tuple[int, Mapping[str, Any]]], known_names: Collection[str]
) -> list[StyleQuestion]:
    """The questions about the columns of a table, from its first rows, without those among `known_names`.

    No question is about numbers. That about the move comes last: with its answer the rows can be read.

    >>> rows = [(2, {"zug": "1", "was": "bid 3", "wer": "Rot"}), (3, {"zug": "2", "was": "pass", "wer": "Blau"})]
    >>> [(each.word, each.guess, each.line.text) for each in column_questions(rows, ())]
    [('wer', 'seat', 'Rot, Blau'), ('was', 'move', 'bid 3, pass')]
    """
    values_by_column = dict[str, list[str]]()
    for _, row in rows:
        for name, value in row.items():
            if text := str(value).strip():
                values_by_column.setdefault(name, []).append(text)
    text_columns = [
        name
        for name in values_by_column
        if name and not all(value.strip("#@.").isdigit() for value in values_by_column[name])
    ]
    seat_columns = [
        name
        for name in text_columns
        if len({*values_by_column[name]}) <= MAX_SEATS and not any(" " in each for each in values_by_column[name])
    ]
    seat = next(iter(seat_columns), "")
    move = next((name for name in text_columns if name != seat), "")
    questions = [
        StyleQuestion(
            "columns",
            name.lower(),
            LogLine(rows[0][0], ", ".join(list(dict.fromkeys(values_by_column[name]))[:MAX_SHOWN])),
            {seat: "seat", move: "move"}.get(name, NO_MEANING),
            (*FIELDS, NO_MEANING),
        )
        for name in text_columns
        if name.lower() not in known_names
    ]
    return sorted(questions, key=lambda each: each.guess == "move")


def next_question(
    game: Game, line_verdicts: Sequence[LineVerdict], known_names: Collection[str]
) -> StyleQuestion | None:
    """The question about the first line that can't be read, without words in `known_names`; None if none is left.

    Several words of a line are asked about one after the other.
    """
    return next(
        (
            question
            for verdict in line_verdicts
            if verdict.verdict == "not understood"
            for question in _questions(game, verdict.state, verdict)
            if question.word not in known_names
        ),
        None,
    )


def _questions(game: Game, state: Any, verdict: LineVerdict) -> Iterator[StyleQuestion]:
    """The questions about a line: who has moved, then what its first word means, then the others."""
    line, verbs = verdict.line, game.notation.SYNTAX
    seats, seats_by_name = (
        game.evolution.seats(state),
        seats_by_word(game.evolution.seats(state), game.display.names(state)),
    )
    name, text = _split_name(line, verbs, seats_by_name)
    if name and name.replace("-", "_") not in seats_by_name:
        movers = game.evolution.to_move(state)
        yield StyleQuestion("seats", name, line, movers[0] if len(movers) == 1 else "", seats)
        return
    words = [word for word in text.lower().replace(",", " ").split() if word.isalpha()]
    tokens = {*known_tokens(game, state), *filler_words(game), *verbs}
    for index, word in enumerate(words):
        if imperative(word, verbs) not in tokens:
            choices = (*verbs, NO_MEANING) if index == 0 else (NO_MEANING,)
            guess = _guess(game, state, line, text, word, choices)
            yield StyleQuestion("words", word, line, guess, choices)


def _split_name(line: LogLine, verbs: Mapping[str, str], known_seats: Collection[str]) -> tuple[str, str]:
    """The name that a line begins with, in small letters, and the rest: `Red: start l7`, `M start l7`."""
    if line.seat:
        return line.seat.lower(), line.text
    if (seat_match := SEAT.match(line.text)) and imperative(seat_match[1].lower(), verbs) not in verbs:
        return seat_match[1].lower(), line.text[seat_match.end() :]
    first_word, _, move_text = line.text.partition(" ")
    second_word = move_text.partition(" ")[0].lower()
    if first_word.lower() in known_seats or (
        second_word and first_word.lower() not in verbs and imperative(second_word, verbs) in verbs
    ):
        return first_word.lower(), move_text
    return "", line.text


def _guess(game: Game, state: Any, line: LogLine, text: str, word: str, choices: Sequence[str]) -> str:
    """The only word that makes a legal move of the line, or nothing if only that does; "" if no choice stands out."""
    legal_choices = [
        choice for choice in choices if _is_legal(game, state, _replace_word(text, word, choice), line.seat)
    ]
    is_single_word = (
        " " not in text.strip()
    )  # then a verb that needs more can't be meant, though its beginning could be read
    fitting_words = [
        choice
        for choice in legal_choices
        if choice != NO_MEANING and not (is_single_word and game.notation.SYNTAX.get(choice) != choice)
    ]
    return fitting_words[0] if len(fitting_words) == 1 else NO_MEANING if legal_choices == [NO_MEANING] else ""


def _replace_word(text: str, word: str, choice: str) -> str:
    choices = (choice if text_word.lower().rstrip(",") == word else text_word for text_word in text.split())
    return " ".join(text_word for text_word in choices if text_word != NO_MEANING)


def _is_legal(game: Game, state: Any, text: str, seat: str) -> bool:
    try:
        line_readings = readings(game, state, LogLine(0, text, seat)) if text else []
        return any(command in game.rules.legal(state, mover) for mover, command in line_readings)
    except GameError:
        return False
