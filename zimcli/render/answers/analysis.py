"""Renders chances, hints and analyses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from zimcli.program_name import program_name
from zimcli.render.answers import Renderers
from zimcli.render.moves import place_line
from zimcli.render.spans import Block, Line, Screen, Sheet
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

BARS = "▁▂▃▄▅▆▇█"
"""Bars of a graph, from one to eight eighths high."""
GRAPH_WIDTH = 72
"""Columns of a graph."""


def hints(answer: HintAnswer, _: Screen) -> Iterator[Block]:
    """The best turns, each with the chance after it and the reason."""
    yield place_line(answer.position)
    names = " · ".join(f"{seat} {per_cent(each.chance)}" for seat, each in answer.now.items())
    yield [("chances: ", "dim"), (names, "")]
    for each in answer.hints:
        error = f" ±{100 * each.error:.0f}" if each.error >= 0.005 else ""
        chance, turn = (f"{per_cent(each.chance):>5}", "bold"), ("; ".join(each.commands), "bold")
        yield [chance, (f"{error:<4}  ", "dim"), turn]
        if each.why:
            yield [(f"           {each.why}", "dim")]
    best_of = f"best of {answer.tried} turns, {numbered(answer.nodes, 'position')}"
    search_text = best_of if answer.tried > 1 else "no other was looked at"
    yield [(f"{search_text} (nothing was played)", "dim")]


def per_cent(chance: float) -> str:
    """A chance as a percentage.

    >>> per_cent(0.256)
    '26 %'
    """
    return f"{100 * chance:.0f} %"


def analysis(answer: AnalyseAnswer, _: Screen) -> Iterator[Block]:
    """One turn per line, with each seat's chance after it; below it what was given away, and the better turn."""
    yield place_line(answer.position)
    seats, colours = list(answer.start), answer.position.colours
    yield [(" " * 14, ""), *((f"{seat[:6]:>7}", colours.get(seat, "")) for seat in seats)]
    yield [("  start       ", "dim"), *((f"{100 * answer.start[seat].chance:>6.0f} ", "") for seat in seats)]
    for name, group in groupby(answer.decisions, lambda each: each.round):
        if name:
            yield [(name, "bold")]
        for each in group:
            yield from decision_lines(each, seats, colours)
    yield from curve_lines([answer.start, *(each.chances for each in answer.decisions)], colours)
    yield Sheet(accuracy_table(answer.accuracy), colours)
    turning_names = [f"@{each.last} {each.seat}" for each in answer.decisions if each.turning]
    if turning_names:
        yield [("turning points: ", "dim"), (" · ".join(turning_names), "")]
    for name in answer.forked:
        yield [("→ ", "dim"), (f"{program_name()} compare {answer.position.line} {name}", "")]
    known_note = f", {answer.kept} of them known before" if answer.kept else ""
    decisions = numbered(len(answer.decisions), "decision")
    yield [(f"{decisions}, {numbered(answer.nodes, 'position')} each{known_note}", "dim")]


def curve_lines(
    points: Sequence[Mapping[Seat, ChanceDocument]],
    colours: Mapping[Seat, str],
    width: int = GRAPH_WIDTH,
    name_width: int = 14,
) -> Iterator[Line]:
    """Each seat's chance through the match, one line per seat. A long match is sampled to fit the width."""
    points_shown = (
        [points[index * (len(points) - 1) // (width - 1)] for index in range(width)] if len(points) > width else points
    )
    for seat in points[0] if points else ():
        heights = [BARS[min(int(point[seat].chance * len(BARS)), len(BARS) - 1)] for point in points_shown]
        colour = colours.get(seat, "")
        yield [
            (f"{seat[:name_width]:<{name_width}} ", colour),
            ("".join(heights), colour),
            (f" {per_cent(points[-1][seat].chance):>5}", ""),
        ]


def remark_lines(each: DecisionDocument) -> Iterator[Line]:
    """What was given away in a turn or bid, and the better one; nothing if that is not certain."""
    if each.word:
        margin = f" ±{100 * each.error:.0f}" if each.error >= 0.005 else ""
        yield [
            (" " * 14, ""),
            (f"{each.word}, -{100 * each.given:.0f}{margin}: ", "yellow"),
            ("; ".join(each.best), ""),
            (f"  {each.why}", "dim"),
        ]


def decision_lines(each: DecisionDocument, seats: Sequence[Seat], colours: Mapping[Seat, str]) -> Iterator[Block]:
    """A turn or bid: its last commit, its seat, the chances, the commands, and what would have been better."""
    numbers = [(f"{100 * each.chances[seat].chance:>6.0f} ", "bold" if seat == each.seat else "") for seat in seats]
    mark = "*" if each.turning else " "
    label = [(f"{mark}{each.last:>4} ", "dim"), (f"{each.seat[:7]:<8}", colours.get(each.seat, ""))]
    yield [*label, *numbers, (" " + "; ".join(each.commands), "")]
    yield from remark_lines(each)


def why_chance(answer: WhyChanceAnswer, _: Screen) -> Iterator[Block]:
    """The terms of the chance with their contributions, and the numbers; then the turns that changed it."""
    colours = answer.position.colours
    yield place_line(answer.position)
    error = f" ±{100 * answer.error:.0f}" if answer.error >= 0.005 else ""
    yield [(answer.seat, colours.get(answer.seat, "")), (f" wins with {per_cent(answer.chance)}{error}", "bold")]
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
        yield [("turns after which it was another:", "dim")]
    for each in answer.changes:
        label = (f"{each.seat[:7]:<8}", colours.get(each.seat, ""))
        change = f"{per_cent(each.before):>5} → {per_cent(each.after):<5} "
        yield [(f"{each.last:>5} ", "dim"), label, (change, "bold"), ("; ".join(each.commands), "")]


def alternatives(answer: WhatIfAnswer, _: Screen) -> Iterator[Block]:
    """One alternative per line, the best first, with its share of wins and how far it is behind the best."""
    yield place_line(answer.position)
    heads = ("then", "games", f"{answer.seat} wins", *answer.by, "behind the best")
    first = answer.by[0] if answer.by else ""
    yield Sheet(
        Table(
            "",
            heads,
            tuple(
                (
                    "; ".join(each.commands),
                    str(each.games),
                    estimate_text(each.wins, 100, " %"),
                    *(estimate_text(each.values[name]) for name in answer.by),
                    "" if each.behind is None else estimate_text(each.behind, *(() if first else (100, " points"))),
                )
                for each in answer.alternatives
            ),
        ),
        answer.position.colours,
    )
    for each in answer.alternatives:
        if each.line:
            yield [("→ ", "dim"), (f"{program_name()} log {each.line}", ""), (f"  {'; '.join(each.commands)}", "dim")]
    games = sum(each.games for each in answer.alternatives)
    reused_note = f", {answer.reused} of them played before" if answer.reused else ""
    stop_note = "; the best is sure, so Zim stopped early" if answer.decided else ""
    yield [(f"{numbered(games, 'game')} by {answer.bot}{reused_note}; ± is 95 %{stop_note}", "dim")]


def estimate_text(estimate: EstimateDocument, times: float = 1, unit: str = "") -> str:
    """A mean, with the half-width of its 95 % interval if there is one.

    >>> estimate_text(EstimateDocument(0.5, 0.041), 100, " %"), estimate_text(EstimateDocument(3.25, None))
    ('50 ±4 %', '3.2')
    """
    digits = 0 if times == 100 else 1
    error_text = "" if estimate.error is None else f" ±{times * estimate.error:.{digits}f}"
    return f"{times * estimate.mean:.{digits}f}{error_text}{unit}"


def practice(answer: PracticeAnswer, _: Screen) -> Iterator[Block]:
    """One exercise per line."""
    for each in answer.exercises:
        due = f"due {each.due}" if each.due else "not asked yet"
        yield [
            (f"{each.place} ", "bold"),
            (f"{each.seat}: ", ""),
            ("; ".join(each.commands), ""),
            (f"  {each.word}, -{100 * each.given:.0f}", "yellow"),
            (f"  {due}", "dim"),
        ]


RENDERERS: Renderers = {
    PracticeAnswer: practice,
    HintAnswer: hints,
    WhatIfAnswer: alternatives,
    AnalyseAnswer: analysis,
    WhyChanceAnswer: why_chance,
}
