"""Replays a log line by line. It follows all legal readings in parallel, until a later line leaves only one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

import msgspec

from zimcore.game import Event, Game, GameError, HiddenError, NotationError, Refusal, Refused
from zimcore.history.expression import parse
from zimcore.transcripts.line_readings import MAX_POSITIONS, TOKEN, LineReading, Position, readings
from zimcore.transcripts.records import LogLine
from zimcore.transcripts.typos import imperative

MAX_INTERPRETATIONS, MAX_LATE_INTERPRETATIONS = 729, 3
"""The most interpretations of a log that are followed in parallel, and those when `MAX_FOLLOWED` have been."""
MAX_FOLLOWED = 1_000
"""How many interpretations are followed in a log beside one of each line, before only a few are."""


class Interpretation(msgspec.Struct, frozen=True, eq=False):
    """One interpretation of the lines so far: the state after them, and the interpretation before the last line.

    `played_readings` are the commands of the last line, with the unwritten ones in front. They are () if the line is
    not a move.
    """

    state: Any
    played_readings: tuple[LineReading, ...] = ()
    previous: Interpretation | None = None


def unwritten_verbs(game: Game, lines: Sequence[LogLine]) -> frozenset[str]:
    """The verbs without an object (`end`, `pass`) that never occur in a log: its author may have omitted them."""
    single_words = {verb for verb, syntax in game.notation.SYNTAX.items() if syntax == verb}
    return frozenset(
        single_words - {imperative(word, single_words) for line in lines for word in TOKEN.findall(line.text.lower())}
    )


def next_interpretations(
    game: Game,
    interpretations: Sequence[Interpretation],
    line: LogLine,
    *,
    allows_implied_commands: bool = True,
    unwritten_words: Collection[str] = (),
    may_note_be_wrong: bool = False,
    limit: int = MAX_INTERPRETATIONS,
) -> list[Interpretation]:
    """The interpretations after a line: all in which it is legal, perhaps after commands with `unwritten_words`.

    The results that the line states choose among them. With `may_note_be_wrong` a line is legal also if its move has
    other results in all.

    Of those that reach the same position only the first is kept. With `allows_implied_commands` a line may also follow
    a command that a refusal hints at.
    """
    following_interpretations = list(
        islice(
            (
                next_interpretation
                for interpretation in interpretations
                for next_interpretation in _interpretations_after(
                    game, interpretation, line, allows_implied_commands, unwritten_words
                )
            ),
            limit,
        )
    )
    if line.amounts and not following_interpretations and may_note_be_wrong:
        line_without_note = msgspec.structs.replace(line, amounts=())
        return next_interpretations(
            game,
            interpretations,
            line_without_note,
            allows_implied_commands=allows_implied_commands,
            unwritten_words=unwritten_words,
            limit=limit,
        )
    if len(following_interpretations) < 2:
        return following_interpretations
    return list(
        {
            game.evolution.canonical(interpretation_after.state): interpretation_after
            for interpretation_after in reversed(following_interpretations)
        }.values()
    )[::-1]


def _interpretations_after(
    game: Game,
    interpretation: Interpretation,
    line: LogLine,
    allows_implied_commands: bool,
    unwritten_words: Collection[str],
) -> Iterator[Interpretation]:
    if line.is_expectation:
        if not expectation_failure(game, interpretation.state, line):
            yield Interpretation(interpretation.state, (), interpretation)
        return
    line_readings, is_legal = _readings_or_none(game, interpretation.state, line), False
    for reading in line_readings:
        next_state = state_after(game, interpretation.state, reading, line)
        if next_state is not None:
            is_legal = True
            yield Interpretation(next_state, (reading,), interpretation)
    if allows_implied_commands and not is_legal and interpretation.played_readings:
        for reading in line_readings:
            yield from _interpretations_after_implied_command(game, interpretation, reading, line)
    if unwritten_words and not is_legal:
        yield from _interpretations_after_unwritten_commands(game, interpretation, line, unwritten_words)


def _interpretations_after_unwritten_commands(
    game: Game, interpretation: Interpretation, line: LogLine, unwritten_words: Collection[str]
) -> Iterator[Interpretation]:
    """The interpretations that first play unwritten commands, such as the end of a turn, until the line is legal."""
    state, unwritten_readings = interpretation.state, tuple[LineReading, ...]()
    for _ in game.evolution.seats(state):
        unwritten_move = _play_unwritten_command(game, state, unwritten_words)
        if unwritten_move is None:
            return
        unwritten_reading, state = unwritten_move
        unwritten_readings = (*unwritten_readings, unwritten_reading)
        readings_with_states = [
            (reading, state_after(game, state, reading, line)) for reading in _readings_or_none(game, state, line)
        ]
        legal_readings = [
            (reading, next_state) for reading, next_state in readings_with_states if next_state is not None
        ]
        if legal_readings:
            yield from (
                Interpretation(next_state, (*unwritten_readings, reading), interpretation)
                for reading, next_state in legal_readings
            )
            return


def _play_unwritten_command(game: Game, state: Any, unwritten_words: Collection[str]) -> tuple[LineReading, Any] | None:
    """The first legal unwritten command of the seat to move, and the state after it; None if none is legal."""
    return _unwritten_command_at(Position(game, state), tuple(sorted(unwritten_words)))


@lru_cache(MAX_POSITIONS)
def _unwritten_command_at(position: Position, unwritten_words: tuple[str, ...]) -> tuple[LineReading, Any] | None:
    """As above. It is kept for the lines after an illegal one: their position stays."""
    game, state = position.game, position.state
    verb_readings = (
        reading for verb in unwritten_words for reading in _readings_or_none(game, state, LogLine(0, verb))
    )
    return next(
        (
            (reading, next_state)
            for reading in verb_readings
            if (next_state := state_after(game, state, reading, LogLine(0, ""))) is not None
        ),
        None,
    )


def omitted_verbs(game: Game, interpretation: Interpretation) -> frozenset[str]:
    """The verbs of commands that a log did not write and that were played all the same."""
    verbs, path = set[str](), interpretation
    while path.previous:
        verbs |= {game.notation.format(reading.command) for reading in path.played_readings[:-1]}
        path = path.previous
    return frozenset(verbs)


def end_last_turn(game: Game, interpretation: Interpretation, unwritten_words: Collection[str]) -> Interpretation:
    """The interpretation with the unwritten end of its last turn added, unless that would waste something."""
    unwritten_move = (
        _play_unwritten_command(game, interpretation.state, unwritten_words) if interpretation.played_readings else None
    )
    if unwritten_move is None:
        return interpretation
    reading, next_state = unwritten_move
    if reading.seat != interpretation.played_readings[-1].seat or game.questions.waste(interpretation.state, *reading):
        return interpretation
    return Interpretation(next_state, (*interpretation.played_readings, reading), interpretation.previous)


def _readings_or_none(game: Game, state: Any, line: LogLine) -> list[LineReading]:
    try:
        return readings(game, state, line)
    except GameError:
        return []


def state_after(game: Game, state: Any, reading: LineReading, line: LogLine) -> Any | None:
    """The state after a reading; None if it is illegal, or its result is not what the line says."""
    seat, command = reading
    try:
        if command not in game.rules.legal(state, seat):
            return None
        decision = game.rules.apply(state, seat, command)
    except HiddenError:
        return None
    return None if line.amounts and not amounts_agree(game, reading, decision.events, line) else decision.state


def amounts_agree(game: Game, reading: LineReading, events: Sequence[Event], line: LogLine) -> bool:
    """Whether the events of a reading contain all amounts that the line states."""
    return _notes_agree(game, line, result_amounts(game, reading, events))


def _notes_agree(game: Game, line: LogLine, results: Sequence[str]) -> bool:
    """Whether a line states no other results. A remark may count something else: `+2 for the idea`."""
    units = {text.partition(" ")[2] for text in results} | {*game.display.MONEY}
    return all(text in results or text.partition(" ")[2] not in units for text in line.amounts)


def note_fault(game: Game, state: Any, played_readings: Sequence[LineReading], line: LogLine) -> tuple[str, ...]:
    """The results of the last command that a line was read as, where the line states others; () where it is right."""
    events: Sequence[Event] = ()
    for seat, command in played_readings:
        decision = game.rules.apply(state, seat, command)
        state, events = decision.state, decision.events
    results = result_amounts(game, played_readings[-1], events)
    return () if _notes_agree(game, line, results) else results or ("nothing",)


def result_amounts(game: Game, reading: LineReading, events: Sequence[Event]) -> tuple[str, ...]:
    """The amounts in the result of a move, as in `LogLine.amounts`."""
    from zimcore.transcripts.line_parts import parse_amounts

    played_type: Any = game.evolution.EVENTS[0]
    return parse_amounts(game.notation.summary((played_type(seat=reading.seat, command=reading.command), *events)))


def _interpretations_after_implied_command(
    game: Game, interpretation: Interpretation, reading: LineReading, line: LogLine
) -> Iterator[Interpretation]:
    """Interpretations of a line after a command that people omit, such as a price: the hints of the refusal name it."""
    if interpretation.played_readings[-1].seat != reading.seat:
        return
    refused_decision = refusal_of(game, interpretation.state, reading)
    for hint in refused_decision.hints if refused_decision else ():
        try:
            _, command = game.notation.parse(hint, interpretation.state)
        except GameError:
            continue
        implied_reading = LineReading(reading.seat, command)
        between_state = state_after(game, interpretation.state, implied_reading, LogLine(0, hint))
        next_state = state_after(game, between_state, reading, line) if between_state is not None else None
        if next_state is not None and type(command) is not type(reading.command):
            yield Interpretation(next_state, (implied_reading, reading), interpretation)


def refusal_of(game: Game, state: Any, reading: LineReading) -> Refused | None:
    """Why a reading is illegal; None if it is legal."""
    return _refusal_at(Position(game, state), reading)


@lru_cache(MAX_POSITIONS)
def _refusal_at(position: Position, reading: LineReading) -> Refused | None:
    """As above. What is asked to follow a log is asked again to judge it."""
    try:
        decision = position.game.rules.decide(position.state, reading.seat, reading.command)
    except HiddenError as error:
        return Refused((Refusal("", str(error), hidden=True),))
    return decision if isinstance(decision, Refused) else None


def expectation_failure(game: Game, state: Any, line: LogLine) -> str:
    """The actual values where an `expect` line is false; "" if it is true."""
    from zimcore.game import figures

    try:
        expression, values = parse(line.text), figures(game, state)
        if expression.holds(values):
            return ""
        return (
            ", ".join(f"{name} is {value}" for name, value in expression.named_values(values))
            or "the condition is false"
        )
    except GameError as error:
        return str(error)


def why_illegal(game: Game, state: Any, line: LogLine) -> Refused:
    """Why a line is illegal at a position: all rules that it breaks, or what else is wrong."""
    if line.is_expectation:
        return Refused((Refusal("", expectation_failure(game, state, line)),))
    try:
        first_reading = readings(game, state, line)[0]
    except GameError as error:
        return Refused((Refusal("", str(error)),), error.hints)
    refused_decision = refusal_of(game, state, first_reading)
    if refused_decision:
        return refused_decision
    decision = game.rules.apply(state, first_reading.seat, first_reading.command)
    result_text = ", ".join(result_amounts(game, first_reading, decision.events)) or "nothing"
    return Refused((Refusal("", f"it says {', '.join(line.amounts)}, and the result is {result_text}"),))


def is_notation(game: Game, state: Any, line: LogLine) -> bool:
    """Whether a line can be read as a move or an expectation, legal or not."""
    try:
        return bool(line.is_expectation or readings(game, state, line))
    except NotationError:
        return False
    except GameError:
        return True
