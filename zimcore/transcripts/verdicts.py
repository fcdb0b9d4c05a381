"""The verdict on each line of a log: legal, illegal with all rules, or ambiguous with its legal readings."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import msgspec

from zimcore.documents.audits import Verdict as Word
from zimcore.game import Game, Refusal, Seat
from zimcore.transcripts.line_readings import LineReading
from zimcore.transcripts.log_lines import LogLine
from zimcore.transcripts.log_replay import (
    MAX_INTERPRETATIONS,
    Interpretation,
    end_last_turn,
    is_notation,
    next_interpretations,
    why_not,
)

INCOMPLETE = Refusal(
    "", f"only {MAX_INTERPRETATIONS} readings of the earlier lines were tried: write the prices there to be sure"
)


class LineVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """The verdict on a line. A line that is neither legal nor ambiguous is skipped in the replay.

    `played` are its commands, with those that are played without being written; `move` is the number of the last one.
    `readings` are the legal readings of an ambiguous line, `decided` is the number of the line that leaves only one of
    them (0 for none). `refusals` are all rules that an illegal line breaks, `hints` what would be legal. `doubt` says
    what a legal move wastes: a sign that a line is missing before it. `state` is the position after the line.
    """

    line: LogLine
    verdict: Word
    seat: Seat
    round: str
    move: int
    state: Any
    played: tuple[LineReading, ...] = ()
    readings: tuple[tuple[LineReading, ...], ...] = ()
    decided: int = 0
    refusals: tuple[Refusal, ...] = ()
    hints: tuple[str, ...] = ()
    doubt: str = ""


def verdicts(
    game: Game, begin: Any, lines: Sequence[LogLine], unwritten: Collection[str] = ()
) -> Iterator[LineVerdict]:
    """The verdict on each line, in order, by the first interpretation that is legal to the end."""
    steps = follow_interpretations(game, begin, lines, unwritten)
    path, move, cut = _choose_interpretations(steps), 0, False
    for at, line in enumerate(lines):
        cut = cut or len(steps[at]) == MAX_INTERPRETATIONS
        before, interpretation = path[at], path[at + 1]
        seat, name = "".join(game.evolution.to_move(before.state)[:1]), round_of(game, before.state)
        if not steps[at + 1]:
            answer = why_not(game, before.state, line)
            word: Word = "illegal" if is_notation(game, before.state, line) else "not understood"
            if answer.refusals and answer.all_hidden:
                word = "hidden"
            yield LineVerdict(
                line=line,
                verdict=word,
                seat=line.seat or seat,
                round=name,
                move=move,
                state=before.state,
                refusals=(*answer.refusals, INCOMPLETE) if cut else answer.refusals,
                hints=answer.hints,
            )
            continue
        move += len(interpretation.played)
        legal_readings = _legal_readings(steps, at)
        last = interpretation.played[-1] if interpretation.played else None
        yield LineVerdict(
            line=line,
            verdict="ambiguous" if len(legal_readings) > 1 else "legal",
            seat=last.seat if last else "",
            round=name,
            move=move,
            state=interpretation.state,
            played=interpretation.played,
            readings=legal_readings if len(legal_readings) > 1 else (),
            decided=_deciding_line(steps, at, lines) if len(legal_readings) > 1 else 0,
            doubt=game.questions.waste(before.state, last.seat, last.command) if last else "",
        )


def follow_interpretations(
    game: Game, begin: Any, lines: Sequence[LogLine], unwritten: Collection[str] = ()
) -> list[list[Interpretation]]:
    """The interpretations before the first line and after each line; [] after a line that is legal in none."""
    interpretations = [Interpretation(begin)]
    steps = [interpretations]
    for line in lines:
        after = next_interpretations(game, interpretations, line, unwritten=unwritten)
        steps.append(after)
        interpretations = after or interpretations
    if unwritten:
        steps[-1] = [end_last_turn(game, each, unwritten) for each in steps[-1]]
    return steps


def _choose_interpretations(steps: Sequence[Sequence[Interpretation]]) -> list[Interpretation]:
    """The chosen interpretation before the first line and after each: those that lead to the first one at the end."""
    ends = [interpretations for interpretations in steps if interpretations]
    path = [ends[-1][0]]
    for _ in ends[:-1]:
        before = path[-1].before
        assert before is not None
        path.append(before)
    steps_back = reversed(path)
    current, result = path[-1], list[Interpretation]()
    for interpretations in steps:
        current = next(steps_back) if interpretations else current
        result.append(current)
    return result


def _legal_readings(steps: Sequence[Sequence[Interpretation]], at: int) -> tuple[tuple[LineReading, ...], ...]:
    return tuple(dict.fromkeys(each.played for each in steps[at + 1]))


def _deciding_line(steps: Sequence[Sequence[Interpretation]], at: int, lines: Sequence[LogLine]) -> int:
    """The number of the line after which only one reading of the line at index `at` is left; 0 if there is none."""
    readings_ = {id(each): each.played for each in steps[at + 1]}
    for later_number, interpretations in enumerate(steps[at + 2 :], at + 1):
        if not interpretations:
            continue
        if len(interpretations) == MAX_INTERPRETATIONS:
            return 0  # interpretations were cut off: another reading might be legal, too
        readings_ = {id(each): readings_[id(each.before)] for each in interpretations if id(each.before) in readings_}
        if len({*readings_.values()}) == 1:
            return lines[later_number].number
    return 0


def round_of(game: Game, state: Any) -> str:
    """The round of a position, as the game counts it; "" if it counts none."""
    return str(game.display.common(state).get("round", ""))
