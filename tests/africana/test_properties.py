"""What holds in every game, whatever is played: the invariants of the rules, and the contract of a decider."""

from collections import Counter

import pytest
from hypothesis import given as for_all
from hypothesis import note, settings

from tests.africana.invariants import (
    check_4_markers_per_company,
    check_cards_are_conserved,
    check_money_is_what_was_paid,
    post_payment,
)
from tests.africana.random_play import Recipe, play, recipes, set_up
from zimcore.game import Accepted
from zimcore.games.africana import GAME
from zimcore.games.africana.commands import (
    Buy,
    Discard,
    Draw,
    EndAdventure,
    EndExpedition,
    EndTurn,
    Join,
    Move,
    TurnPage,
)


@settings(max_examples=6)
@for_all(recipes)
def test_invariants_hold_after_every_event_to_the_end_of_the_game(recipe: Recipe) -> None:
    ledger = Counter[str]()
    for event in set_up(recipe).outcome.events:
        post_payment(ledger, event)
    for move in play(recipe):
        state = GAME.evolution.copy(move.state_before)
        for event in move.outcome.events:
            GAME.evolution.evolve(state, event)
            post_payment(ledger, event)
            check_money_is_what_was_paid(state, ledger)
            check_4_markers_per_company(state)
        check_cards_are_conserved(state)
        assert state.turn.over or state.actor is None or state.turn.action or not state.table
    assert state.phase == "over"
    assert state.winners


@settings(max_examples=6)
@for_all(recipes)
def test_deciding_evolving_and_copying_keep_their_contract(recipe: Recipe) -> None:
    for move in play(recipe, 300):
        note(GAME.notation.format(move.command))
        canonical_before, state_copy = (
            GAME.evolution.canonical(move.state_before),
            GAME.evolution.copy(move.state_before),
        )
        outcome = GAME.rules.decide(state_copy, state_copy.actor or "", move.command)
        assert isinstance(outcome, Accepted)
        assert outcome.events == move.outcome.events
        assert GAME.evolution.canonical(state_copy) == canonical_before, (
            "deciding changed the position, or the copy was none"
        )
        for event in move.outcome.events:
            GAME.evolution.evolve(state_copy, event)
        assert GAME.evolution.canonical(state_copy) == GAME.evolution.canonical(move.outcome.state) != canonical_before
        assert GAME.evolution.canonical(move.state_before) == canonical_before, "the copy was not independent"


@settings(max_examples=6)
@for_all(recipes)
def test_every_legal_command_is_listed_and_its_text_is_read_back(recipe: Recipe) -> None:
    for move in play(recipe, 200):
        legal_commands, actor = (
            GAME.rules.legal(move.state_before, move.state_before.actor or ""),
            move.state_before.actor,
        )
        texts = list(legal_commands.texts())
        assert len(texts) == len(set(texts)) == legal_commands.count()
        assert [GAME.notation.parse(text, move.state_before) for text in texts] == [
            (None, command) for command in legal_commands
        ]
        assert all(command in legal_commands for command in legal_commands)
        assert GAME.notation.parse(f"{actor}: {texts[0]}", move.state_before)[0] == actor


@settings(max_examples=4)
@for_all(recipes)
def test_all_seats_have_equally_many_turns_in_their_order(recipe: Recipe) -> None:
    actors = [move.state_before.actor for move in play(recipe)]
    seats_of_turns = [
        seat for seat, previous_seat in zip(actors, [None, *actors], strict=False) if seat != previous_seat
    ]
    seats = set_up(recipe).outcome.state.seats
    assert seats_of_turns == [*seats] * (len(seats_of_turns) // len(seats))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_random_games_see_all_kinds_of_commands_and_end(players: int) -> None:
    moves = list(play(Recipe(players, 1)))
    assert {type(move.command) for move in moves} == {
        Buy,
        Discard,
        Draw,
        EndAdventure,
        EndExpedition,
        EndTurn,
        Join,
        Move,
        TurnPage,
    }
    assert moves[-1].outcome.state.winners
