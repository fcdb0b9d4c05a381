"""Scores players, at the end or as if the game ended now (A-SCORE)."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import combinations

from zimcore.game import Seat
from zimcore.games.africana.components import Adventure, Collection
from zimcore.games.africana.events import PlayerScored
from zimcore.games.africana.state import State


def collections_value(counts: tuple[int, ...], collections: tuple[Collection, ...]) -> int:
    """The most VP that artifacts of several kinds can score in collections (A-SCORE-02 to 04, AMB-16).

    `counts` are the artifacts of each kind. Taking the best collection first is not always best:

    >>> from zimcore.games.africana.box import box
    >>> collections_value((3, 1, 1, 1), box().scoring.collections)
    16
    """
    return _best_collections_value(tuple(sorted(filter(None, counts), reverse=True)), collections)


@cache
def _best_collections_value(counts: tuple[int, ...], collections: tuple[Collection, ...]) -> int:
    """Tries leaving out an artifact of the first kind, and each collection that it can be part of."""
    if not counts:
        return 0
    best_value = collections_value((counts[0] - 1, *counts[1:]), collections)
    for collection in collections:
        for filling in _fillings(counts, collection):
            counts_left = tuple(count - filling[index] for index, count in enumerate(counts))
            best_value = max(best_value, collection.vp + collections_value(counts_left, collections))
    return best_value


def _fillings(counts: tuple[int, ...], collection: Collection) -> list[tuple[int, ...]]:
    """The ways to fill a collection, as artifacts of each kind, with at least one of the first kind."""
    no_artifacts = (0,) * len(counts)
    if collection.kind == "identical":
        return [(collection.size, *no_artifacts[1:])] if counts[0] >= collection.size else []
    choices_of_other_kinds = combinations(range(1, len(counts)), collection.size - 1)
    return [
        tuple(int(index == 0 or index in other_kinds) for index in range(len(counts)))
        for other_kinds in choices_of_other_kinds
    ]


def score_player(state: State, seat: Seat) -> PlayerScored:
    """A player's VP by source; hidden cards count 0."""
    scoring, atlas = state.box.scoring, state.map
    finished_adventures = [atlas.adventures[card] for card in state.finished[seat] if card in atlas.adventures]
    artifact_counts = Counter(card.artifact for card in finished_adventures if card.artifact)
    unfinished_adventures = [atlas.adventures[card] for card in state.unfinished[seat] if card in atlas.adventures]
    return PlayerScored(
        seat=seat,
        expeditions=sum(atlas.expeditions[card].vp for card in state.finished[seat] if card in atlas.expeditions),
        artifacts=sum(card.vp for card in finished_adventures),
        collections=collections_value(tuple(artifact_counts.values()), scoring.collections),
        assistants=_penalty(scoring.assistants, finished_adventures),
        silver=state.silver[seat] // scoring.silver_per_vp,
        travel_cards=state.travel_card_count(seat) // scoring.travel_cards_per_vp,
        unfinished=scoring.unfinished_artifact * sum(bool(card.artifact) for card in unfinished_adventures),
    )


def _penalty(penalties: tuple[int, ...], finished_adventures: list[Adventure]) -> int:
    """The negative VP for finished assistant adventures, by their number (A-SCORE-05)."""
    return penalties[min(sum(bool(card.assistant) for card in finished_adventures), len(penalties) - 1)]


def winners(state: State) -> tuple[Seat, ...]:
    """The players with most VP, and most silver among these; all of them if still equal (A-SCORE-08, AMB-12)."""
    score_by_seat = {seat: (state.vp[seat], state.silver[seat]) for seat in state.seats}
    return tuple(seat for seat in state.seats if score_by_seat[seat] == max(score_by_seat.values()))


def vp(state: State, seat: Seat) -> int | None:
    """A player's VP, at the end or as if the game ended now; None while cards that count are hidden."""
    if state.phase == "over":
        return state.vp[seat]
    return score_player(state, seat).vp if state.sees_finished(seat) else None


def ranking(state: State) -> tuple[tuple[Seat, ...], ...]:
    """Players from best to last, ties together; empty while points are hidden."""
    score_by_seat = {seat: (vp(state, seat), state.silver[seat]) for seat in state.seats}
    if any(points is None for points, _ in score_by_seat.values()):
        return ()
    scores_in_order = sorted(set(score_by_seat.values()), reverse=True, key=lambda score: (score[0] or 0, score[1]))
    return tuple(tuple(seat for seat in state.seats if score_by_seat[seat] == score) for score in scores_in_order)
