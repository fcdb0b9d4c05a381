"""Renders chances, hints and analyses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from zimcli.render.answers import Renderers, written_files
from zimcli.render.moves import place_line
from zimcli.render.spans import Block, Line, Screen, Sheet
from zimcli.shell.program_name import program_name
from zimcore.documents.analysis import (
    AnalyseAnswer,
    ChanceDocument,
    DecisionDocument,
    EstimateDocument,
    HintAnswer,
    PracticeAnswer,
    WhatIfAnswer,
    WhyChanceAnswer,
    accuracy_table,
)
from zimcore.game import Seat, Table
from zimcore.toolkit.words import numbered

BAR_CHARACTERS = "▁▂▃▄▅▆▇█"
"""Bars of a graph, from one to eight eighths high."""
ERROR_NOTE = "± is one standard error"
"""What ± means in hints and analyses; in `whatif` it is a 95 % interval."""
GRAPH_WIDTH = 72
"""Columns of a graph."""


def hints_blocks(answer: HintAnswer, _: Screen) -> Iterator[Block]:
    """The best turns, each with the chance after it and the reason."""
    yield place_line(answer.position)
    chances_text = " · ".join(f"{seat} {percent_text(hint.chance)}" for seat, hint in answer.now.items())
    yield [("chances: ", "dim"), (chances_text, "")]
    for hint in answer.hints:
        error = f" ±{100 * hint.error:.0f}" if is_error_shown(hint.error) else ""
        chance_span, turn_span = (f"{percent_text(hint.chance):>5}", "bold"), ("; ".join(hint.commands), "bold")
        yield [chance_span, (f"{error:<4}  ", "dim"), turn_span]
        if hint.why:
            yield [(f"           {hint.why}", "dim")]
    tried_text = f"best of {answer.tried} turns, {numbered(answer.nodes, 'position')}"
    search_text = tried_text if answer.tried > 1 else "no other was looked at"
    error_note = error_note_for(hint.error for hint in answer.hints)
    yield [(f"{search_text} (nothing was played){error_note}", "dim")]


def error_note_for(errors: Iterable[float]) -> str:
    """What ± is, if any of these errors is shown with it.

    >>> error_note_for([0.0, 0.02]), error_note_for([0.0])
    ('; ± is one standard error', '')
    """
    return f"; {ERROR_NOTE}" if any(map(is_error_shown, errors)) else ""


def is_error_shown(error: float) -> bool:
    """Whether a standard error of a chance is not 0 when rounded to percentage points."""
    return error >= 0.005


def percent_text(chance: float) -> str:
    """A chance as a percentage.

    >>> percent_text(0.256)
    '26 %'
    """
    return f"{100 * chance:.0f} %"


def analysis_blocks(answer: AnalyseAnswer, _: Screen) -> Iterator[Block]:
    """One turn per line, with each seat's chance after it; below it what was given away, and the better turn."""
    yield place_line(answer.position)
    seats, colours = list(answer.start), answer.position.colours
    yield [(" " * 14, ""), *((f"{seat[:6]:>7}", colours.get(seat, "")) for seat in seats)]
    yield [("  start       ", "dim"), *((f"{100 * answer.start[seat].chance:>6.0f} ", "") for seat in seats)]
    for round_name, decisions_of_round in groupby(answer.decisions, lambda decision: decision.round):
        if round_name:
            yield [(round_name, "bold")]
        for decision in decisions_of_round:
            yield from decision_lines(decision, seats, colours)
    yield from curve_lines([answer.start, *(decision.chances for decision in answer.decisions)], colours)
    yield Sheet(accuracy_table(answer.accuracy), colours)
    turning_names = [f"@{decision.last} {decision.seat}" for decision in answer.decisions if decision.turning]
    if turning_names:
        yield [("turning points: ", "dim"), (" · ".join(turning_names), "")]
    for line_name in answer.forked:
        yield [("→ ", "dim"), (f"{program_name()} compare {answer.position.line} {line_name}", "")]
    known_note = f", {answer.kept} of them known before" if answer.kept else ""
    error_note = error_note_for(decision.error for decision in answer.decisions if decision.word)
    yield [
        (f"{len(answer.decisions)} judged, {numbered(answer.nodes, 'position')} each{known_note}{error_note}", "dim")
    ]
    yield from written_files(filter(None, [answer.file]))


def curve_lines(
    chances_by_turn: Sequence[Mapping[Seat, ChanceDocument]],
    colours: Mapping[Seat, str],
    width: int = GRAPH_WIDTH,
    name_width: int = 14,
) -> Iterator[Line]:
    """Each seat's chance through the match, one line per seat. A long match is sampled to fit the width."""
    shown_chances = (
        [chances_by_turn[index * (len(chances_by_turn) - 1) // (width - 1)] for index in range(width)]
        if len(chances_by_turn) > width
        else chances_by_turn
    )
    for seat in chances_by_turn[0] if chances_by_turn else ():
        heights = [
            BAR_CHARACTERS[min(int(chances[seat].chance * len(BAR_CHARACTERS)), len(BAR_CHARACTERS) - 1)]
            for chances in shown_chances
        ]
        colour = colours.get(seat, "")
        yield [
            (f"{seat[:name_width]:<{name_width}} ", colour),
            ("".join(heights), colour),
            (f" {percent_text(chances_by_turn[-1][seat].chance):>5}", ""),
        ]


def remark_lines(decision: DecisionDocument) -> Iterator[Line]:
    """What was given away in a turn or bid, and the better one; nothing if that is not certain."""
    if decision.word:
        margin = f" ±{100 * decision.error:.0f}" if is_error_shown(decision.error) else ""
        yield [
            (" " * 14, ""),
            (f"{decision.word}, -{100 * decision.given:.0f}{margin}: ", "yellow"),
            ("; ".join(decision.best), ""),
            (f"  {decision.why}", "dim"),
        ]


def decision_lines(decision: DecisionDocument, seats: Sequence[Seat], colours: Mapping[Seat, str]) -> Iterator[Block]:
    """A turn or bid: its last commit, its seat, the chances, the commands, and what would have been better."""
    numbers = [
        (f"{100 * decision.chances[seat].chance:>6.0f} ", "bold" if seat == decision.seat else "") for seat in seats
    ]
    mark = "*" if decision.turning else " "
    label = [(f"{mark}{decision.last:>4} ", "dim"), (f"{decision.seat[:7]:<8}", colours.get(decision.seat, ""))]
    yield [*label, *numbers, (" " + "; ".join(decision.commands), "")]
    yield from remark_lines(decision)


def why_chance_blocks(answer: WhyChanceAnswer, _: Screen) -> Iterator[Block]:
    """The terms of the chance with their contributions, and the numbers; then the turns that changed it."""
    colours = answer.position.colours
    yield place_line(answer.position)
    error = f" ±{100 * answer.error:.0f}" if is_error_shown(answer.error) else ""
    yield [(answer.seat, colours.get(answer.seat, "")), (f" wins with {percent_text(answer.chance)}{error}", "bold")]
    if answer.terms:
        yield [("what makes it, beside seats that were all alike in that (own, and the mean of the others):", "dim")]
    for term in answer.terms:
        numbers = [
            f"{name.replace('_', ' ')} {own_value:g}, {others_value:g}"
            for name, own_value in term.own.items()
            if (others_value := term.others[name]) != own_value
        ]
        yield [(f"{100 * term.makes:>+5.0f}  ", "bold"), (f"{term.term:<26}", ""), (" · ".join(numbers), "dim")]
    if answer.changes:
        yield [("turns that changed the chance:", "dim")]
    for change_document in answer.changes:
        label = (f"{change_document.seat[:7]:<8}", colours.get(change_document.seat, ""))
        change = f"{percent_text(change_document.before):>5} → {percent_text(change_document.after):<5} "
        yield [
            (f"{change_document.last:>5} ", "dim"),
            label,
            (change, "bold"),
            ("; ".join(change_document.commands), ""),
        ]


def alternatives_blocks(answer: WhatIfAnswer, _: Screen) -> Iterator[Block]:
    """One alternative per line, the best first, with its share of wins and how far it is behind the best."""
    yield place_line(answer.position)
    headings = ("alternative", "games", f"{answer.seat} wins", *answer.by, "behind the best")
    first_expression = answer.by[0] if answer.by else ""
    yield Sheet(
        Table(
            "",
            headings,
            tuple(
                (
                    "; ".join(alternative.commands),
                    str(alternative.games),
                    estimate_text(alternative.wins, 100, " %"),
                    *(estimate_text(alternative.values[name]) for name in answer.by),
                    ""
                    if alternative.behind is None
                    else estimate_text(alternative.behind, *(() if first_expression else (100, " %"))),
                )
                for alternative in answer.alternatives
            ),
        ),
        answer.position.colours,
    )
    for alternative in answer.alternatives:
        if alternative.line:
            yield [
                ("→ ", "dim"),
                (f"{program_name()} log {alternative.line}", ""),
                (f"  {'; '.join(alternative.commands)}", "dim"),
            ]
    game_count = sum(alternative.games for alternative in answer.alternatives)
    reused_note = f", {answer.reused} of them played before" if answer.reused else ""
    stop_note = "; the best is sure, so Zim stopped early" if answer.decided else ""
    yield [(f"{numbered(game_count, 'game')} by {answer.bot}{reused_note}; ± is a 95 % interval{stop_note}", "dim")]


def estimate_text(estimate: EstimateDocument, factor: float = 1, unit: str = "") -> str:
    """A mean, with the half-width of its 95 % interval if there is one.

    >>> estimate_text(EstimateDocument(0.5, 0.041), 100, " %"), estimate_text(EstimateDocument(3.25, None))
    ('50 ±4 %', '3.2')
    """
    decimals = 0 if factor == 100 else 1
    error_text = "" if estimate.error is None else f" ±{factor * estimate.error:.{decimals}f}"
    return f"{factor * estimate.mean:.{decimals}f}{error_text}{unit}"


def practice_blocks(answer: PracticeAnswer, _: Screen) -> Iterator[Block]:
    """One exercise per line."""
    for exercise in answer.exercises:
        due_text = f"due {exercise.due}" if exercise.due else "not asked yet"
        yield [
            (f"{exercise.place} ", "bold"),
            (f"{exercise.seat}: ", ""),
            ("; ".join(exercise.commands), ""),
            (f"  {exercise.word}, -{100 * exercise.given:.0f}", "yellow"),
            (f"  {due_text}", "dim"),
        ]


RENDERERS: Renderers = {
    PracticeAnswer: practice_blocks,
    HintAnswer: hints_blocks,
    WhatIfAnswer: alternatives_blocks,
    AnalyseAnswer: analysis_blocks,
    WhyChanceAnswer: why_chance_blocks,
}
