"""The verdict on each line of a log: legal, illegal with all rules that it breaks, ambiguous with its legal readings,
not understood, or hidden.

A reading is one of a line; an interpretation has a reading for each line so far.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from zimcore.documents.audits import Verdict
from zimcore.game import Game, Refusal, Seat
from zimcore.transcripts.line_readings import LISTED, LineReading
from zimcore.transcripts.log_replay import (
    MAX_FOLLOWED,
    MAX_INTERPRETATIONS,
    MAX_LATE_INTERPRETATIONS,
    Interpretation,
    end_last_turn,
    is_notation,
    next_interpretations,
    note_fault,
    omitted_verbs,
    why_illegal,
)
from zimcore.transcripts.records import LogLine

INCOMPLETE = Refusal("", "not all readings of the earlier lines were tried: write those more exactly to be sure")
UNREAD_WEIGHT = 4
"""A line that no interpretation can read takes as long as so many others."""
COMMANDS_OF_A_POSITION = 400
"""To list so many legal commands takes as long as to follow an interpretation."""
MAX_LISTED = 200_000
"""After so many legal commands have been listed, the reading of a log stops."""
LIMITS = (MAX_INTERPRETATIONS, MAX_LATE_INTERPRETATIONS)
"""So many interpretations after a line may have been cut off."""


class LineVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """The verdict on a line. A line that is neither legal nor ambiguous is skipped in the replay.

    `played_readings` are its commands, with those that are played without being written; `move` is the number of the
    last one. `readings` are the legal readings of an ambiguous line, `deciding_line` is the number of the line that
    leaves only one of them (0 for none). `refusals` are all rules that an illegal line breaks, `hints` what would be
    legal. `doubt` says what a legal move wastes: a sign that a line is missing before it. `note_results` are the true
    results where the line notes other ones. `state` is the position after the line.
    """

    line: LogLine
    verdict: Verdict
    seat: Seat
    round: str
    move: int
    state: Any
    played_readings: tuple[LineReading, ...] = ()
    readings: tuple[tuple[LineReading, ...], ...] = ()
    deciding_line: int = 0
    refusals: tuple[Refusal, ...] = ()
    hints: tuple[str, ...] = ()
    doubt: str = ""
    note_results: tuple[str, ...] = ()


def verdicts(
    game: Game, first_state: Any, lines: Sequence[LogLine], unwritten_words: frozenset[str] = frozenset()
) -> Iterator[LineVerdict]:
    """The verdict on each line, in order, by the first interpretation that is legal to the end.

    There are fewer than lines where reading takes too long.
    """
    interpretations_after = follow_interpretations(game, first_state, lines, unwritten_words)
    chosen_path, move, is_cut = _choose_interpretations(interpretations_after), 0, False
    for index, line in enumerate(lines[: len(interpretations_after) - 1]):
        is_cut = is_cut or len(interpretations_after[index]) in LIMITS
        previous, interpretation = chosen_path[index], chosen_path[index + 1]
        seat, round_name = "".join(game.evolution.to_move(previous.state)[:1]), round_of(game, previous.state)
        if not interpretations_after[index + 1]:
            refused = why_illegal(game, previous.state, line)
            verdict: Verdict = "illegal" if is_notation(game, previous.state, line) else "not understood"
            if refused.refusals and refused.all_hidden:
                verdict = "hidden"
            yield LineVerdict(
                line=line,
                verdict=verdict,
                seat=line.seat or seat,
                round=round_name,
                move=move,
                state=previous.state,
                refusals=(*refused.refusals, INCOMPLETE) if is_cut else refused.refusals,
                hints=refused.hints,
            )
            continue
        move += len(interpretation.played_readings)
        legal_readings = _legal_readings(interpretations_after, index)
        last_reading = interpretation.played_readings[-1] if interpretation.played_readings else None
        yield LineVerdict(
            line=line,
            verdict="ambiguous" if len(legal_readings) > 1 else "legal",
            seat=last_reading.seat if last_reading else "",
            round=round_name,
            move=move,
            state=interpretation.state,
            played_readings=interpretation.played_readings,
            readings=legal_readings if len(legal_readings) > 1 else (),
            deciding_line=_deciding_line(interpretations_after, index, lines) if len(legal_readings) > 1 else 0,
            doubt=game.questions.waste(previous.state, last_reading.seat, last_reading.command) if last_reading else "",
            note_results=note_fault(game, previous.state, interpretation.played_readings, line) if line.amounts else (),
        )


def follow_interpretations(
    game: Game, first_state: Any, lines: Sequence[LogLine], unwritten_words: frozenset[str] = frozenset()
) -> list[list[Interpretation]]:
    """The interpretations before the first line (index 0) and after each line; [] if the line is legal in none.

    It ends where the reading takes too long.
    """
    interpretations = [Interpretation(first_state)]
    interpretations_after, left, max_listed = [interpretations], MAX_FOLLOWED, LISTED.get() + MAX_LISTED
    for line in lines:
        if LISTED.get() > max_listed:
            break
        listed = LISTED.get()
        limit = MAX_INTERPRETATIONS if left > 0 else MAX_LATE_INTERPRETATIONS
        following = next_interpretations(
            game, interpretations[:limit], line, unwritten_words=unwritten_words, may_note_be_wrong=True, limit=limit
        )
        left -= (LISTED.get() - listed) // COMMANDS_OF_A_POSITION
        left -= (len(interpretations) - 1) * (1 if following else UNREAD_WEIGHT)
        interpretations_after.append(following)
        interpretations = following or interpretations
    if unwritten_words:
        interpretations_after[-1] = [
            end_last_turn(game, interpretation, unwritten_words & omitted_verbs(game, interpretation))
            for interpretation in interpretations_after[-1]
        ]
    return interpretations_after


def _choose_interpretations(interpretations_after: Sequence[Sequence[Interpretation]]) -> list[Interpretation]:
    """The interpretation before the first line and after each, on the way to the first of those at the end."""
    nonempty = [interpretations for interpretations in interpretations_after if interpretations]
    path = [nonempty[-1][0]]
    for _ in nonempty[:-1]:
        previous = path[-1].previous
        assert previous is not None
        path.append(previous)
    forward_path = reversed(path)
    chosen, chosen_interpretations = path[-1], list[Interpretation]()
    for interpretations in interpretations_after:
        chosen = next(forward_path) if interpretations else chosen
        chosen_interpretations.append(chosen)
    return chosen_interpretations


def _legal_readings(
    interpretations_after: Sequence[Sequence[Interpretation]], index: int
) -> tuple[tuple[LineReading, ...], ...]:
    return tuple(dict.fromkeys(interpretation.played_readings for interpretation in interpretations_after[index + 1]))


def _deciding_line(
    interpretations_after: Sequence[Sequence[Interpretation]], index: int, lines: Sequence[LogLine]
) -> int:
    """The number of the line after which only one reading of the line at index `index` is left; 0 if there is none."""
    readings_left = {
        id(interpretation): interpretation.played_readings for interpretation in interpretations_after[index + 1]
    }
    for later_index, interpretations in enumerate(interpretations_after[index + 2 :], index + 1):
        if not interpretations:
            continue
        if len(interpretations) in LIMITS:
            return 0  # interpretations were cut off: another reading might be legal, too
        readings_left = {
            id(interpretation): readings_left[id(interpretation.previous)]
            for interpretation in interpretations
            if id(interpretation.previous) in readings_left
        }
        if len({*readings_left.values()}) == 1:
            return lines[later_index].number
    return 0


def round_of(game: Game, state: Any) -> str:
    """The round of a position, as the game counts it; "" if it counts none."""
    return str(game.display.common(state).get("round", ""))
