"""Answers a request for a hint: the best turns in a position."""

from __future__ import annotations

from typing import Any

from zimcore.analysis.judgement import DEFAULT_NODES, Judgement, RankedTurn, judge_position, turn_kind
from zimcore.analysis.turns import knows_own_cards
from zimcore.bots.bot import view_for
from zimcore.chances import Chance
from zimcore.commits import Position
from zimcore.documents.analysis import ChanceDocument, HintAnswer, HintDocument
from zimcore.documents.positions import position_document
from zimcore.game import Game, GameError, HiddenError, Seat
from zimcore.reasons import reason_for_turn
from zimcore.toolkit.progress import ReportProgress, ignore_progress

DEFAULT_HINTS = 3
"""Default number of hints in an answer: each is a turn."""


def hint_answer(
    position: Position,
    nodes: int = DEFAULT_NODES,
    max_hints: int = DEFAULT_HINTS,
    report: ReportProgress = ignore_progress,
) -> HintAnswer:
    """The best turns of the seat to move, at most `max_hints`, judged by what that seat can see. Raises `GameError`."""
    state = state_to_judge(position)
    return answer_from_judgement(
        position, state, judge_position(position.game, state, position.mover, nodes, report=report), max_hints
    )


def state_to_judge(position: Position) -> Any:
    """A position as the seat to move knows it, a copy.

    Raises `GameError` if no seat is to move, `HiddenError` if cards of that seat are hidden here.
    """
    game, seat = position.game, position.mover
    if not seat:
        problem = "the game is over" if position.outcome.over else "no seat is to move"
        raise GameError(problem, position.status, ["story", "undo", "new"])
    state = view_for(game, position.state, seat).state
    if not knows_own_cards(game, state, seat):
        raise HiddenError("a hint", f"it depends on what only {seat} can see", [f"hint --as {seat}"])
    return state


def answer_from_judgement(
    position: Position, state: Any, judgement: Judgement, max_hints: int = DEFAULT_HINTS
) -> HintAnswer:
    """The answer made from a judgement of `state`: the turns of `turns_to_show` as hints."""
    game, seat = position.game, judgement.seat
    return HintAnswer(
        position=position_document(position),
        seat=seat,
        now={chance_seat: chance_document(chance) for chance_seat, chance in judgement.chances.items()},
        hints=tuple(
            hint_document(game, state, seat, ranked_turn) for ranked_turn in turns_to_show(judgement, max_hints)
        ),
        tried=judgement.turns_found,
        nodes=judgement.nodes_searched,
    )


def turns_to_show(judgement: Judgement, max_turns: int) -> list[RankedTurn]:
    """At most `max_turns` turns, in the order of their chances: the best turn of each kind, then others."""
    best_by_kind = dict[tuple[type, ...], RankedTurn]()
    for ranked_turn in judgement.ranked_turns:
        best_by_kind.setdefault(turn_kind(ranked_turn.turn), ranked_turn)
    best_of_kinds = [*best_by_kind.values()]
    chosen_turns = [
        *best_of_kinds,
        *(ranked_turn for ranked_turn in judgement.ranked_turns if ranked_turn not in best_of_kinds),
    ][:max_turns]
    return [ranked_turn for ranked_turn in judgement.ranked_turns if ranked_turn in chosen_turns]


def hint_document(game: Game, state: Any, seat: Seat, ranked_turn: RankedTurn) -> HintDocument:
    """A turn as a document: its commands, its chance and the reason for it."""
    chance = chance_document(ranked_turn.chances[seat])
    return HintDocument(
        commands=tuple(map(game.notation.format, ranked_turn.turn.commands)),
        chance=chance.chance,
        error=chance.error,
        why=reason_for_turn(game, state, seat, ranked_turn.turn.commands),
    )


def chance_document(chance: Chance) -> ChanceDocument:
    """A chance and its error, rounded to three places: models are no more exact than that."""
    return ChanceDocument(round(chance.mean, 3), round(chance.error, 3))
