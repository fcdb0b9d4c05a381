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
    game: Game, commits: Sequence[Commit], found: Sequence[JudgedDecision]
) -> Iterator[DecisionDocument]:
    """A document for each judged turn and bid, with the round in which it was played."""
    names = {commit.number: part.name for part in rounds(commits) for commit in part.commits}
    turning = {each.decision.last for each in turning_points(found)}
    for each in found:
        decision, judged = each.decision, each.judged
        yield DecisionDocument(
            first=decision.first,
            last=decision.last,
            seat=decision.seat,
            round=names.get(decision.first, ""),
            commands=tuple(map(game.notation.format, decision.commands)),
            chances={seat: chance_document(chance) for seat, chance in judged.chances.items()},
            chance=round(judged.chance, 3),
            best=judged.best,
            why=judged.why,
            best_chance=round(judged.best_chance, 3),
            given=round(judged.given, 3),
            error=round(judged.error, 3),
            word=judged.word,
            turning=decision.last in turning,
        )


def accuracy_documents(found: Sequence[JudgedDecision]) -> Mapping[Seat, AccuracyDocument]:
    """Each seat's accuracy, its count of inaccuracies, mistakes and blunders, and its luck."""
    documents = {}
    for seat, value in accuracy(found).items():
        own = [each.judged for each in found if each.decision.seat == seat]
        words = [each.word for each in own]
        documents[seat] = AccuracyDocument(
            accuracy=round(value, 1),
            decisions=len(own),
            given=round(sum(each.given for each in own), 3),
            inaccuracies=words.count("inaccuracy"),
            mistakes=words.count("mistake"),
            blunders=words.count("blunder"),
            luck=round(sum(each.judged.luck.get(seat, 0.0) for each in found), 3),
        )
    return documents
