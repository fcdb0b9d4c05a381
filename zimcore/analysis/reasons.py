"""Explains a chance to win: the features of the position behind it, and the turns that changed it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

from zimcore.analysis.match_analysis import beginning, decisions
from zimcore.chances import chances, chances_of, model
from zimcore.commits import Commit, Position
from zimcore.documents.analysis import ChangeDocument, TermDocument, WhyChanceAnswer
from zimcore.documents.positions import position_document
from zimcore.game import Game, Seat

MIN_CHANGE, MAX_CHANGES = 0.05, 8
"""The least change of a chance that is listed, and the most turns in the list."""


def seat_of(subject: str, seats: Sequence[Seat]) -> Seat:
    """The seat of a subject such as `zulu.chance`; "" for any other subject.

    >>> seat_of("Zulu.chance", ["kilwa", "zulu"]), seat_of("zulu.vp", ["zulu"]), seat_of("anna.chance", ["zulu"])
    ('zulu', '', '')
    """
    match_ = re.fullmatch(r"\s*(\w+)\.chance\s*", subject.lower())
    return match_[1] if match_ and match_[1] in seats else ""


def why_chance(position: Position, commits: Sequence[Commit], seat: Seat) -> WhyChanceAnswer:
    """Explains a seat's chance by the model. Raises `GameError` for a game without chances."""
    game, state = position.game, position.state
    chance = chances(game, state)[seat]
    terms = () if position.outcome.over else tuple(sorted(_terms(game, state, seat), key=lambda each: -abs(each.makes)))
    changes = sorted(_changes(game, commits, seat), key=lambda each: -abs(each.after - each.before))[:MAX_CHANGES]
    return WhyChanceAnswer(
        position=position_document(position),
        subject=f"{seat}.chance",
        seat=seat,
        chance=round(chance.mean, 3),
        error=round(chance.error, 3),
        terms=terms,
        changes=tuple(sorted(changes, key=lambda each: -each.last)),
    )


def _terms(game: Game, state: Any, seat: Seat) -> Iterator[TermDocument]:
    """What each group of features adds: the chance, less the chance if all seats were alike in that group."""
    chance_model = chances_of(game)
    model_, seat_features = model(chance_model), chance_model.features(state)
    chance_now = model_.chances(seat_features)[seat].mean
    for name, features in chance_model.TERMS.items():
        indices = [chance_model.FEATURES.index(each) for each in features]
        other_rows = [row for each, row in seat_features.items() if each != seat]
        chance_if_alike = model_.chances(level_out(seat_features, indices))[seat].mean
        yield TermDocument(
            term=name,
            makes=round(chance_now - chance_if_alike, 3),
            own={chance_model.FEATURES[each]: round(seat_features[seat][each], 2) for each in indices},
            others={chance_model.FEATURES[each]: round(fmean(row[each] for row in other_rows), 2) for each in indices},
        )


def level_out(features: Mapping[Seat, Sequence[float]], indices: Sequence[int]) -> dict[Seat, list[float]]:
    """The features of all seats, with those at the indices replaced by their mean over the seats.

    >>> level_out({"a": [1.0, 5.0], "b": [3.0, 7.0]}, [0])
    {'a': [2.0, 5.0], 'b': [2.0, 7.0]}
    """
    means = {each: fmean(row[each] for row in features.values()) for each in indices}
    return {seat: [means.get(each, value) for each, value in enumerate(row)] for seat, row in features.items()}


def _changes(game: Game, commits: Sequence[Commit], seat: Seat) -> Iterator[ChangeDocument]:
    """The turns and bids that changed the seat's chance by at least `MIN_CHANGE`."""
    before = beginning(game, commits)[seat].mean
    for decision, _, state in decisions(game, commits):
        after = chances(game, state)[seat].mean
        if abs(after - before) >= MIN_CHANGE:
            texts = tuple(map(game.notation.format, decision.commands))
            yield ChangeDocument(decision.first, decision.last, decision.seat, texts, round(before, 3), round(after, 3))
        before = after
