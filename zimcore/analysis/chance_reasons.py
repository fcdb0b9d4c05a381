"""Explains a chance to win: the features of the position behind it, and the turns that changed it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

from zimcore.analysis.match_analysis import chances_at_start, iter_decisions
from zimcore.chances import chance_features, chances, load_model
from zimcore.commits import Commit, Position
from zimcore.documents.analysis import ChangeDocument, TermDocument, WhyChanceAnswer
from zimcore.documents.positions import position_document
from zimcore.game import Game, Seat

MIN_LISTED_CHANGE, MAX_LISTED_CHANGES = 0.05, 8
"""The least change of a chance that is listed, and the most turns in the list."""


def seat_of(subject: str, seats: Sequence[Seat]) -> Seat:
    """The seat of a subject such as `zulu.chance`; "" for any other subject.

    >>> seat_of("Zulu.chance", ["kilwa", "zulu"]), seat_of("zulu.vp", ["zulu"]), seat_of("anna.chance", ["zulu"])
    ('zulu', '', '')
    """
    seat_match = re.fullmatch(r"\s*(\w+)\.chance\s*", subject.lower())
    return seat_match[1] if seat_match and seat_match[1] in seats else ""


def why_chance(position: Position, commits: Sequence[Commit], seat: Seat) -> WhyChanceAnswer:
    """Explains a seat's chance by the model. Raises `GameError` for a game without chances."""
    game, state = position.game, position.state
    chance = chances(game, state)[seat]
    terms = (
        ()
        if position.outcome.over
        else tuple(sorted(_term_documents(game, state, seat), key=lambda term: -abs(term.makes)))
    )
    changes = sorted(_change_documents(game, commits, seat), key=lambda change: -abs(change.after - change.before))[
        :MAX_LISTED_CHANGES
    ]
    return WhyChanceAnswer(
        position=position_document(position),
        subject=f"{seat}.chance",
        seat=seat,
        chance=round(chance.mean, 3),
        error=round(chance.error, 3),
        terms=terms,
        changes=tuple(sorted(changes, key=lambda change: -change.last)),
    )


def _term_documents(game: Game, state: Any, seat: Seat) -> Iterator[TermDocument]:
    """What each group of features adds: the chance, less the chance if all seats were alike in that group."""
    chance_model = chance_features(game)
    loaded_model, seat_features = load_model(chance_model), chance_model.features(state)
    chance_now = loaded_model.chances(seat_features)[seat].mean
    for term_name, features in chance_model.TERMS.items():
        indices = [chance_model.FEATURES.index(feature) for feature in features]
        other_rows = [row for other_seat, row in seat_features.items() if other_seat != seat]
        chance_if_alike = loaded_model.chances(level_out(seat_features, indices))[seat].mean
        yield TermDocument(
            term=term_name,
            makes=round(chance_now - chance_if_alike, 3),
            own={chance_model.FEATURES[index]: round(seat_features[seat][index], 2) for index in indices},
            others={
                chance_model.FEATURES[index]: round(fmean(row[index] for row in other_rows), 2) for index in indices
            },
        )


def level_out(features: Mapping[Seat, Sequence[float]], indices: Sequence[int]) -> dict[Seat, list[float]]:
    """The features of all seats, with those at the indices replaced by their mean over the seats.

    >>> level_out({"a": [1.0, 5.0], "b": [3.0, 7.0]}, [0])
    {'a': [2.0, 5.0], 'b': [2.0, 7.0]}
    """
    means = {index: fmean(row[index] for row in features.values()) for index in indices}
    return {seat: [means.get(index, value) for index, value in enumerate(row)] for seat, row in features.items()}


def _change_documents(game: Game, commits: Sequence[Commit], seat: Seat) -> Iterator[ChangeDocument]:
    """The turns and bids that changed the seat's chance by at least `MIN_LISTED_CHANGE`."""
    chance_before = chances_at_start(game, commits)[seat].mean
    for decision, _, state in iter_decisions(game, commits):
        chance_after = chances(game, state)[seat].mean
        if abs(chance_after - chance_before) >= MIN_LISTED_CHANGE:
            texts = tuple(map(game.notation.format, decision.commands))
            yield ChangeDocument(
                decision.first, decision.last, decision.seat, texts, round(chance_before, 3), round(chance_after, 3)
            )
        chance_before = chance_after
