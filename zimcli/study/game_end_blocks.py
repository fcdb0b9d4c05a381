"""Renders the end of a game: the ranking, the chances over time, the turning points, and commands to type next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from zimcli.render.answers.analysis import curve_lines, percent_text
from zimcli.render.palette import seat_style
from zimcli.render.spans import Block, Line, Sheet
from zimcli.study.game_end import EndAnalysis, GameEnd, NextStep, turning_points
from zimcore.commits import Position
from zimcore.documents.analysis import MARKS, DecisionDocument
from zimcore.toolkit.player_names import with_name
from zimcore.toolkit.words import numbered


def end_blocks(position: Position, end: GameEnd, analysis: EndAnalysis, steps: Sequence[NextStep]) -> Iterator[Block]:
    """The whole end of a game, with the suggested next commands."""
    yield [("game over: ", "bold yellow"), (position.status, "bold")]
    yield from result_lines(position, analysis)
    yield Sheet(position.tables[0], position.colours)
    if analysis.decisions:
        yield [("chances to win", "bold")]
        yield from curve_lines([each.chances for each in analysis.decisions], position.colours)
    for number, decision in enumerate(turning_points(end, analysis)):
        if not number:
            yield [("where it turned", "bold")]
        yield from turning_lines(position, end, decision)
    for number, step in enumerate(steps):
        yield [("      " if number else "next: ", "bold"), (step.command, "cyan"), (f"  {step.name}", "dim")]


def result_lines(position: Position, analysis: EndAnalysis) -> Iterator[Line]:
    """The ranking with each seat's figures and accuracy, and how far the analysis has come."""
    from zimcore.picture.replay import figures_of

    rank = 1
    for tied_seats in position.outcome.ranking:
        for seat in tied_seats:
            is_known = analysis.is_done and seat in analysis.accuracy  # over only a few turns it would mislead
            accuracy = f"  accuracy {analysis.accuracy[seat]:.0f}" if is_known else ""
            yield [
                (f"{rank} ", "bold"),
                (f"{with_name(seat, position.names)}", seat_style(seat, position.colours)),
                (f"  {' · '.join(figures_of(position, seat))}", ""),
                (accuracy, "dim"),
            ]
        rank += len(tied_seats)
    if analysis.why_none:
        yield [(f"no analysis: {analysis.why_none}", "dim")]
    elif analysis.turn_count and not analysis.is_done:
        yield [(f"analysing: {len(analysis.decisions)} of {numbered(analysis.turn_count, 'turn')}", "dim")]


def turning_lines(position: Position, end: GameEnd, decision: DecisionDocument) -> Iterator[Line]:
    """A turning point: what was played, and what would have been better, or the chance after it."""
    player = "you" if (decision.seat,) == end.own_seats else with_name(decision.seat, position.names)
    yield [
        (f"@{decision.last} ", "dim"),
        (f"{player} played ", seat_style(decision.seat, position.colours)),
        ("; ".join(decision.commands), "bold"),
        (f" {MARKS[decision.word]}" if decision.word else "", "yellow"),
    ]
    if decision.word and decision.best:
        yield [
            (f"  {decision.word}, -{100 * decision.given:.0f}: ", "yellow"),
            ("better was ", ""),
            ("; ".join(decision.best), "bold"),
        ]
    else:
        chance = percent_text(decision.chances[decision.seat].chance)
        yield [(f"  {with_name(decision.seat, position.names)} has {chance} after it", "dim")]
