"""Bots play Africana to the end, with their seat's knowledge only."""

from random import Random
from typing import Any

import pytest

from zimcore.bots.arena import iter_seatings, play_match, standings
from zimcore.bots.bot import Bot, view_for
from zimcore.bots.bot_match import play_bots
from zimcore.bots.deep import DeepBot
from zimcore.bots.levels import PeerBot, QuickBot, RandomBot, StrongBot, sample_worlds
from zimcore.game import Seat
from zimcore.games.africana import GAME
from zimcore.games.africana.commands import Draw, EndTurn


def state_after(bots: list[Bot], seed: int, command_count: int) -> Any:
    return play_bots(GAME, [(bot, 0) for bot in bots], {"players": str(len(bots))}, seed, command_count).state


def redeal(state: Any, seat: Seat, seed: int) -> Any:
    """Another position that looks the same to the seat."""
    assert GAME.secrets
    return GAME.rules.apply(state, "", GAME.secrets.redeal(seat, seed)).state


@pytest.mark.parametrize("bot", [RandomBot(), PeerBot(), QuickBot(), StrongBot(), DeepBot()])
def test_hidden_cards_change_no_choice(bot: Bot) -> None:
    for command_count in (0, 9, 31):
        state = state_after([QuickBot()] * 3, 4, command_count)
        seat = state.actor
        other_state = redeal(state, seat, 77)
        assert GAME.evolution.canonical(other_state) != GAME.evolution.canonical(state)
        choices = [
            bot.choose(view_for(GAME, position_state, seat), 300, Random("x"))
            for position_state in (state, other_state)
        ]
        assert choices[0] == choices[1]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_quick_ends_its_games_and_does_not_draw_endlessly(players: int) -> None:
    match = play_bots(GAME, [(QuickBot(), 0)] * players, {"players": str(players)}, seed=2, max_commands=800)
    assert match.outcome.over
    draws = sum(isinstance(command, Draw) for _, command in match.moves)
    turns = sum(isinstance(command, Draw | EndTurn) for _, command in match.moves)
    assert draws < 0.7 * turns


def test_quick_beats_chance() -> None:
    (best_standing, *_) = standings(
        [play_match(GAME, seating) for seating in iter_seatings(["quick", "random"], 2, 4, 50)]
    )
    assert (best_standing.bot, best_standing.share) == ("quick", 1.0)


def test_plans_are_legal_to_their_end_and_there_is_always_one() -> None:
    strategy = GAME.strategy
    assert strategy
    rng = Random(3)
    state = state_after([RandomBot()] * 3, 8, 0)
    for _ in range(120):
        if not (seat := state.actor):
            break
        plans = [*strategy.candidates(state, seat)]
        assert plans
        for plan in plans:
            next_state = state
            for command in plan:
                assert command in GAME.rules.legal(next_state, seat), GAME.notation.format(command)
                next_state = GAME.rules.apply(next_state, seat, command).state
        state = GAME.rules.apply(state, seat, rng.choice(plans)[0]).state


def test_sampled_worlds_agree_with_what_the_seat_sees() -> None:
    state = state_after([QuickBot()] * 3, 4, 31)
    view = view_for(GAME, state, state.actor)
    worlds = sample_worlds(view, Random(1))
    assert len({GAME.evolution.canonical(world) for world in worlds}) == len(worlds) > 1
    assert GAME.secrets
    views = {
        GAME.evolution.canonical(GAME.secrets.conceal(position_state, view.seat)) for position_state in (state, *worlds)
    }
    assert len(views) == 1
