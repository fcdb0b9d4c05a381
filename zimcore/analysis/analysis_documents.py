"""Makes the documents of an analysis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from zimcore.analysis.hint import chance_document
from zimcore.analysis.match_analysis import JudgedDecision, accuracy, turning_points
from zimcore.commits import Commit
from zimcore.documents.analysis import AccuracyDocument, DecisionDocument
from zimcore.game import Game, Seat
from zimcore.history.rounds import rounds


def decision_documents(
    game: Game, commits: Sequence[Commit], judgements: Sequence[JudgedDecision]
) -> Iterator[DecisionDocument]:
    """A document for each judged turn and bid, with the round in which it was played."""
    round_names = {commit.number: part.name for part in rounds(commits) for commit in part.commits}
    turning_point_ids = {each.decision.last for each in turning_points(judgements)}
    for each in judgements:
        decision, judged_turn = each.decision, each.judged
        yield DecisionDocument(
            first=decision.first,
            last=decision.last,
            seat=decision.seat,
            round=round_names.get(decision.first, ""),
            commands=tuple(map(game.notation.format, decision.commands)),
            chances={seat: chance_document(chance) for seat, chance in judged_turn.chances.items()},
            chance=round(judged_turn.chance, 3),
            best=judged_turn.best,
            why=judged_turn.why,
            best_chance=round(judged_turn.best_chance, 3),
            given=round(judged_turn.given, 3),
            error=round(judged_turn.error, 3),
            word=judged_turn.word,
            turning=decision.last in turning_point_ids,
        )


def accuracy_documents(judgements: Sequence[JudgedDecision]) -> Mapping[Seat, AccuracyDocument]:
    """Each seat's accuracy, its count of inaccuracies, mistakes and blunders, and its luck."""
    documents = {}
    for seat, value in accuracy(judgements).items():
        own_turns = [each.judged for each in judgements if each.decision.seat == seat]
        words = [each.word for each in own_turns]
        documents[seat] = AccuracyDocument(
            accuracy=round(value, 1),
            decisions=len(own_turns),
            given=round(sum(each.given for each in own_turns), 3),
            inaccuracies=words.count("inaccuracy"),
            mistakes=words.count("mistake"),
            blunders=words.count("blunder"),
            luck=round(sum(each.judged.luck.get(seat, 0.0) for each in judgements), 3),
        )
    return documents
