"""Logs that were damaged on purpose, and how well they are repaired: for tests and for `scripts/bench audit`.

In each log one move is doubled, swapped with its neighbour, misspelt by a typing error, or dropped. Damage that leaves
every line legal is counted separately and drawn again: the rules can't detect it.

Other logs are damaged as people write: a typing error in a line with several monuments, remarks at the ends of lines,
no `end` in the whole log, up to three forgotten, the seats of two lines exchanged. Remarks, and a log without any
`end`, must be read without a fault.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any, NamedTuple

from tests.recordings import documents, replay, script_steps
from zimcore.documents.audits import Change
from zimcore.game import Game
from zimcore.transcripts.audit_documents import change_document, script_moves
from zimcore.transcripts.causes import find_causes
from zimcore.transcripts.layouts import read_logs
from zimcore.transcripts.log_replay import unwritten_verbs
from zimcore.transcripts.records import LogLine
from zimcore.transcripts.repair import repairs
from zimcore.transcripts.typos import KEYBOARD_ROWS
from zimcore.transcripts.verdicts import LineVerdict, round_of, verdicts

ATTEMPTS = 50
DAMAGES = ("doubled", "swapped", "misspelt", "dropped")
TYPED_DAMAGES = ("compound", "remarked", "unended", "forgotten", "exchanged")
REMARKS = ("(hmm)", "# nice", "-- good move", "!!", "[late at night]", "(why not?)", "// not sure", "oh no")


class RecordedGame(NamedTuple):
    """A game: the position after its set-up, and the seat, text and round of each move."""

    start_state: Any
    moves: list[tuple[str, str, str]]


class DamagedLog(NamedTuple):
    """A damaged log, the whole one, the damaged move, and how many undetectable damages came before."""

    start_state: Any
    lines: tuple[LogLine, ...]
    original_lines: tuple[LogLine, ...]
    move: tuple[str, str, str]
    undetected_count: int
    wrong_numbers: tuple[int, ...] = ()
    """The numbers of the damaged lines."""


def recorded_games(game: Game, paths: Sequence[str]) -> list[RecordedGame]:
    """The games of recordings, or else those in tests/games."""
    scripts = sorted((Path(__file__).parents[1] / "games").glob("*.zim"))
    replays = map(replay, documents([*paths])) if paths else (script_steps(path.read_text("utf-8")) for path in scripts)
    return [
        RecordedGame(
            moves[0][0],
            [(seat, game.notation.format(command), round_of(game, state)) for state, seat, command in moves],
        )
        for moves, _ in replays
    ]


def damaged_log(game: Game, games: Sequence[RecordedGame], damage: str, rng: Random, *, has_seats: bool) -> DamagedLog:
    """A log with damage that the rules can detect."""
    for undetected_count in range(ATTEMPTS):
        recorded_game = rng.choice(games)
        move_index = rng.randrange(len(recorded_game.moves) - 1)
        log_lines = tuple(
            LogLine(number, text, seat if has_seats else "")
            for number, (seat, text, _) in enumerate(recorded_game.moves, 1)
        )
        lines = (
            *log_lines[:move_index],
            *replacement_lines(damage, log_lines, move_index, rng),
            *log_lines[move_index + (2 if damage == "swapped" else 1) :],
        )
        if not all(
            line_verdict.verdict in ("legal", "ambiguous")
            for line_verdict in verdicts(game, recorded_game.start_state, lines)
        ):
            wrong_numbers = (move_index + 1, move_index + 2) if damage in ("swapped", "dropped") else (move_index + 1,)
            return DamagedLog(
                recorded_game.start_state,
                lines,
                log_lines,
                recorded_game.moves[move_index],
                undetected_count,
                wrong_numbers,
            )
    raise RuntimeError(f"{ATTEMPTS} damages in a row left all lines legal")


def replacement_lines(damage: str, log_lines: Sequence[LogLine], index: int, rng: Random) -> Sequence[LogLine]:
    """The lines that replace a damaged one; for a swap, they replace two."""
    line = log_lines[index]
    match damage:
        case "doubled":
            return line, line
        case "swapped":
            return log_lines[index + 1], line
        case "misspelt":
            return [LogLine(line.number, with_typo(line.text, rng), line.seat)]
    return ()


def damaged_typed_log(game: Game, games: Sequence[RecordedGame], damage: str, rng: Random) -> DamagedLog:
    """A log as a person might have typed it."""
    for undetected_count in range(ATTEMPTS):
        recorded_game = rng.choice(games)
        texts = [f"{seat}: {text}" for seat, text, _ in recorded_game.moves]
        log_lines = tuple(LogLine(number, text) for number, text in enumerate(texts, 1))
        texts_by_number = dict(enumerate(texts, 1))
        wrong_numbers = sorted(damage_typed_lines(damage, texts_by_number, rng))
        text = "\n".join(texts_by_number.get(number, "") for number in range(1, len(texts) + 1))
        (layout,) = read_logs(text, game, first_state=recorded_game.start_state)
        lines, is_legal = layout.log.lines, all(each.verdict in ("legal", "ambiguous") for each in layout.verdicts)
        if wrong_numbers and (not is_legal or damage in ("remarked", "unended")):
            return DamagedLog(
                recorded_game.start_state,
                lines,
                log_lines,
                recorded_game.moves[wrong_numbers[0] - 1],
                undetected_count,
                tuple(wrong_numbers),
            )
    raise RuntimeError(f"{ATTEMPTS} damages in a row left all lines legal")


def damage_typed_lines(damage: str, texts_by_number: dict[int, str], rng: Random) -> Sequence[int]:
    """Damages typed lines in place. Returns the numbers of the damaged ones."""
    match damage:
        case "compound":
            compound_numbers = [number for number, text in texts_by_number.items() if ";" in text]
            line_numbers = [rng.choice(compound_numbers)] if compound_numbers else []
            for number in line_numbers:
                seat, text = texts_by_number[number].split(": ", 1)
                texts_by_number[number] = f"{seat}: {with_typo(text, rng)}"
        case "remarked":
            line_numbers = rng.sample(sorted(texts_by_number), 6)
            texts_by_number |= {number: f"{texts_by_number[number]} {rng.choice(REMARKS)}" for number in line_numbers}
        case "unended":
            line_numbers = [number for number, text in texts_by_number.items() if text.endswith(": end")]
            for number in line_numbers:
                del texts_by_number[number]
        case "forgotten":
            end_numbers = [
                number
                for number, text in texts_by_number.items()
                if text.endswith(": end") and number < max(texts_by_number)
            ]
            forgotten_numbers = rng.sample(end_numbers, min(len(end_numbers), rng.randint(1, 3)))
            for number in forgotten_numbers:
                del texts_by_number[number]
            line_numbers = [
                number + 1 for number in forgotten_numbers
            ]  # an audit names the line before which one is missing
        case _:
            seats = {number: text.split(": ", 1)[0] for number, text in texts_by_number.items()}
            last_number = max(number for number in texts_by_number if seats[number] != seats[max(texts_by_number)])
            first_number = rng.choice(range(1, last_number + 1))
            second_number = next(
                number
                for number in range(first_number + 1, max(texts_by_number) + 1)
                if seats[number] != seats[first_number]
            )
            line_numbers = [first_number, second_number]
            texts_by_number |= {
                line_number: texts_by_number[line_number].replace(seats[line_number], seats[other_number], 1)
                for line_number, other_number in ((first_number, second_number), (second_number, first_number))
            }
    return line_numbers


def with_typo(text: str, rng: Random) -> str:
    """A text with one typing error: a letter left out, doubled, swapped with the next, or a neighbouring key."""
    char_index = rng.choice([index for index, char in enumerate(text) if char.isalnum()])
    text_before, char, text_after = text[:char_index], text[char_index], text[char_index + 1 :]
    row = next((row for row in KEYBOARD_ROWS if char in row), char)
    neighbours = [row[index] for index in (row.index(char) - 1, row.index(char) + 1) if 0 <= index < len(row)]
    replacement = rng.choice(("", char * 2, text_after[:1] + char, rng.choice(neighbours or [char])))
    return (
        text_before
        + replacement
        + (text_after[1:] if len(replacement) == 2 and replacement[1] == char != replacement[0] else text_after)
    )


def judge_repairs(game: Game, log: DamagedLog) -> Counter[str]:
    """How good the proposals for a log are."""
    started_at = perf_counter()
    unwritten_words = unwritten_verbs(game, log.lines)
    line_verdicts = list(verdicts(game, log.start_state, log.lines, unwritten_words))
    proposals = repairs(game, log.start_state, log.lines, unwritten_words=unwritten_words)
    causes = find_causes(line_verdicts, proposals[0] if proposals else None)
    seconds = perf_counter() - started_at
    faultless_scripts = [[*script_of(game, line_verdicts)]] if not causes else []
    scripts = faultless_scripts or [
        [*script_of(game, verdicts(game, log.start_state, proposal.lines, unwritten_words))] for proposal in proposals
    ]
    original_scripts = [[*script_of(game, verdicts(game, log.start_state, log.original_lines))]]
    edits = [[change_document(edit) for edit in proposal.edits] for proposal in proposals]
    seat, text, round_ = log.move
    return Counter(
        {
            "logs": 1,
            "unseen": log.undetected_count,
            "first": scripts[:1] == original_scripts,
            "cause": causes[0].line.number in log.wrong_numbers if causes else scripts == original_scripts,
            "gap": any((seat, round_) == line[:2] for line in added_lines(edits[:1])),
            "five": any((seat, round_, text) == line for line in added_lines(edits)),
            "milliseconds": round(1000 * seconds),
        }
    )


def script_of(game: Game, line_verdicts: Iterable[LineVerdict]) -> Iterator[str]:
    """The moves of a log in canonical notation."""
    return (move for line_verdict in line_verdicts for move in script_moves(game, line_verdict))


def added_lines(proposals: Sequence[Sequence[Change]]) -> Iterator[tuple[str, str, str]]:
    """The seat, the round and the text of each line that a proposal adds."""
    return (
        (change.seat, change.round, change.text)
        for changes in proposals
        for change in changes
        if change.kind == "put in"
    )
