"""A match in memory: pushed and popped moves, its legal moves as a view, and nothing hidden at a seat."""

from __future__ import annotations

from random import Random

import pytest

import zimcore as zim
from zimcore.games.registry import GAMES


@pytest.mark.parametrize("kind", GAMES)
def test_a_match_is_played_and_taken_back_to_its_start(kind: str) -> None:
    match, rng = zim.Match(kind, players=2, seed=7), Random(7)
    start = str(match)
    for _ in range(60):
        match.push(match.legal.sample(rng))
    played, other = match.moves, match.copy()
    assert [other.pop() for _ in played] == played[::-1]
    assert str(other) == start
    assert match.moves == played, "a copy is played on by itself"
    for move in played:
        other.push(move)
    assert other.position.commit.state == match.position.commit.state
    with pytest.raises(IndexError, match="no move was played"):
        zim.Match(kind, players=2, seed=7).pop()


def test_legal_moves_are_a_view() -> None:
    legal = zim.Match("zimbabwe", players=2, seed=7).legal
    moves = [*legal]
    assert len(moves) == len(legal) == 6
    assert all(move in legal for move in moves)
    assert all(command in legal for command in legal.commands)
    assert "start g7" not in legal
    assert "adore" not in legal
    assert "bid 1" not in legal
    assert 7 not in legal
    assert repr(legal) == "<6 legal moves of mutapa>"


def test_a_refused_move_changes_nothing() -> None:
    match = zim.Match("zimbabwe", players=2, seed=7)
    with pytest.raises(zim.RefusedError) as error:
        match.push("start g7")
    assert [refusal.code for refusal in error.value.refused.refusals] == ["R-SET-02"]
    with pytest.raises(zim.GameError):
        match.push("castle")
    assert match.moves == []


def test_a_seat_does_not_see_the_other_hand() -> None:
    match = zim.Match("africana", players=2, seed=7)
    seat, other = match.position.seats
    assert "?" not in str(match.position.state.hands)
    assert "?" in str(match.at(seat).state.hands[other])
    assert "?" not in str(match.at(seat).state.hands[seat])


def test_the_same_match_is_in_a_store() -> None:
    match, store = zim.Match("zimbabwe", players=3, seed=9), zim.open()
    position = store.new("zimbabwe", name="k", players=3, seed=9)
    rng = Random(9)
    for _ in range(40):
        move = match.legal.sample(rng)
        match.push(move)
        position = store.play("k", move)
    assert match.position.commit.state == position.commit.state
    assert match.position.figures == position.figures


def test_an_unknown_game_or_option_is_named() -> None:
    with pytest.raises(zim.GameError, match="chess"):
        zim.Match("chess")
    with pytest.raises(zim.OptionError):
        zim.Match("zimbabwe", players=9)
