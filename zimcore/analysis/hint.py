"""Answers a request for a hint: the best turns in a position."""

from __future__ import annotations

from typing import Any

from zimcore.analysis.judgement import NODES, Judgement, TurnLine, judgement, kind
from zimcore.analysis.turns import Report, knows_own_cards, no_report
from zimcore.bots.bot import view_for
from zimcore.chances import Chance
from zimcore.commits import Position
from zimcore.documents.analysis import ChanceDocument, HintAnswer, HintDocument
from zimcore.documents.positions import position_document
from zimcore.game import Game, GameError, HiddenError, Seat
from zimcore.reasons import reason

SHOWN = 3
"""Default number of turns in a hint."""


def hint_answer(position: Position, nodes: int = NODES, most: int = SHOWN, report: Report = no_report) -> HintAnswer:
    """The best turns of the seat to move, at most `most`, judged by what that seat can see. Raises `GameError`."""
    state = state_to_judge(position)
    return document(position, state, judgement(position.game, state, position.mover, nodes, report=report), most)


def state_to_judge(position: Position) -> Any:
    """A position as the seat to move knows it.

    Raises `GameError` if no seat is to move, `HiddenError` if cards of that seat are hidden here.
    """
    game, seat = position.game, position.mover
    if not seat:
        what = "the game is over" if position.outcome.over else "no seat is to move"
        raise GameError(what, position.status, ["story", "undo", "new"])
    state = view_for(game, position.state, seat).state
    if not knows_own_cards(game, state, seat):
        raise HiddenError("a hint", f"it depends on what only {seat} can see", [f"hint --as {seat}"])
    return state


def document(position: Position, state: Any, judgement_: Judgement, most: int = SHOWN) -> HintAnswer:
    """A judgement as a document, with the lines of `lines_to_show`."""
    game, seat = position.game, judgement_.seat
    return HintAnswer(
        position=position_document(position),
        seat=seat,
        now={each: chance_document(chance) for each, chance in judgement_.chances.items()},
        hints=tuple(hint(game, state, seat, each) for each in lines_to_show(judgement_, most)),
        tried=judgement_.turns_found,
        nodes=judgement_.nodes_searched,
    )


def lines_to_show(judged: Judgement, most: int) -> list[TurnLine]:
    """At most `most` lines, in the order of their chances: the best line of each kind, then others if there is room."""
    first = dict[tuple[type, ...], TurnLine]()
    for each in judged.lines:
        first.setdefault(kind(each.turn), each)
    kinds = [*first.values()]
    lines = [*kinds, *(each for each in judged.lines if each not in kinds)][:most]
    return [each for each in judged.lines if each in lines]


def hint(game: Game, state: Any, seat: Seat, line: TurnLine) -> HintDocument:
    """A line as a document: its commands, its chance and the reason for it."""
    chance = chance_document(line.chances[seat])
    return HintDocument(
        commands=tuple(map(game.notation.format, line.turn.commands)),
        chance=chance.chance,
        error=chance.error,
        why=reason(game, state, seat, line.turn.commands),
    )


def chance_document(chance: Chance) -> ChanceDocument:
    """A chance and its error, rounded to three places: models are no more exact than that."""
    return ChanceDocument(round(chance.mean, 3), round(chance.error, 3))
