"""Makes the documents of an analysis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from zimcore.analysis.hint import chance_document
from zimcore.analysis.match_analysis import (
    JudgedDecision,
    accuracy,
    chances_at_start,
    engine_version,
    turning_points,
)
from zimcore.commits import Commit, Position
from zimcore.documents.analysis import AccuracyDocument, AnalyseAnswer, DecisionDocument
from zimcore.documents.positions import position_document
from zimcore.game import Game, Seat
from zimcore.history.rounds import rounds


def analyse_answer(
    position: Position,
    commits: Sequence[Commit],
    judgements: Sequence[JudgedDecision],
    nodes: int,
    seed: int,
    kept_count: int = 0,
) -> AnalyseAnswer:
    """The answer of `analyse`; `kept_count` judgements were made before."""
    game = position.game
    return AnalyseAnswer(
        position=position_document(position),
        engine=engine_version(game),
        nodes=nodes,
        seed=seed,
        kept=kept_count,
        start={seat: chance_document(chance) for seat, chance in chances_at_start(game, commits).items()},
        decisions=tuple(decision_documents(game, commits, judgements)),
        accuracy=dict(accuracy_documents(judgements)),
        forked={},
    )


def decision_documents(
    game: Game, commits: Sequence[Commit], judgements: Sequence[JudgedDecision]
) -> Iterator[DecisionDocument]:
    """A document for each judged turn and bid, with the round in which it was played."""
    round_names = {
        commit.number: played_round.name for played_round in rounds(commits) for commit in played_round.commits
    }
    turning_point_numbers = {judgement.decision.last for judgement in turning_points(judgements)}
    for judgement in judgements:
        decision, judged_turn = judgement.decision, judgement.judged_turn
        yield DecisionDocument(
            first=decision.first,
            last=decision.last,
            seat=decision.seat,
            round=round_names.get(decision.first, ""),
            commands=tuple(map(game.notation.format, decision.commands)),
            chances={seat: chance_document(chance) for seat, chance in judged_turn.chances.items()},
            chance=round(judged_turn.chance, 3),
            best=judged_turn.best_commands,
            why=judged_turn.why,
            best_chance=round(judged_turn.best_chance, 3),
            given=round(judged_turn.loss, 3),
            error=round(judged_turn.error, 3),
            word=judged_turn.word,
            turning=decision.last in turning_point_numbers,
        )


def accuracy_documents(judgements: Sequence[JudgedDecision]) -> Mapping[Seat, AccuracyDocument]:
    """Each seat's accuracy, its count of inaccuracies, mistakes and blunders, and its luck."""
    documents_by_seat = {}
    for seat, seat_accuracy in accuracy(judgements).items():
        own_turns = [judgement.judged_turn for judgement in judgements if judgement.decision.seat == seat]
        mistake_words = [judged_turn.word for judged_turn in own_turns]
        documents_by_seat[seat] = AccuracyDocument(
            accuracy=round(seat_accuracy, 1),
            decisions=len(own_turns),
            given=round(sum(judged_turn.loss for judged_turn in own_turns), 3),
            inaccuracies=mistake_words.count("inaccuracy"),
            mistakes=mistake_words.count("mistake"),
            blunders=mistake_words.count("blunder"),
            luck=round(sum(judgement.judged_turn.luck.get(seat, 0.0) for judgement in judgements), 3),
        )
    return documents_by_seat
