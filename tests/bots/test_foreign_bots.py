"""If a third-party bot fails, the error names it and the game is unchanged."""

import os
import signal
import threading
import time
from random import Random
from typing import Any

import pytest

from zimcore.bots.bot import View, view_for
from zimcore.bots.bot_match import choose_command, think
from zimcore.bots.registry import load_level, parse_bot
from zimcore.bots.subprocess_bot import SubprocessBot
from zimcore.game import GameError
from zimcore.games.africana import GAME as AFRICANA
from zimcore.games.zimbabwe import GAME as ZIMBABWE

MODULE = "tests.bots.foreign_bots"


def start_position(game: Any = ZIMBABWE) -> Any:
    return game.rules.apply(game.evolution.initial(), "", game.rules.set_up({"players": "2"}, 7)).state


def start_view() -> View:
    state = start_position()
    return view_for(ZIMBABWE, state, ZIMBABWE.evolution.to_move(state)[0])


def test_a_bot_plays_as_in_this_process_and_its_output_is_no_answer() -> None:
    bot = load_level(f"{MODULE}:GoodBot")
    first_choice, second_choice = (think(bot, start_view(), 50, "x") for _ in range(2))
    assert first_choice == second_choice
    assert first_choice.why == "drawn, 50 positions"
    assert first_choice.command == ZIMBABWE.rules.legal(start_view().state, start_view().seat).sample(Random("x"))


def test_a_bot_plays_a_hand_that_only_its_seat_sees() -> None:
    state = start_position(AFRICANA)
    assert choose_command(AFRICANA, state, state.actor, load_level(f"{MODULE}:GoodBot"), 0, "x")[0].command


@pytest.mark.parametrize(
    ("bot", "message"),
    [
        ("RaisingBot", "the bot of .* has failed: KeyError: 'clay'"),
        ("ExitingBot", "the bot of .* has failed: SystemExit: 3"),
        ("CrashingBot", "the bot .*CrashingBot stopped"),
        ("EmptyBot", "the bot of .* has failed: it returned None, not a Choice"),
        ("TextBot", "the bot of .* has failed"),
        ("DealingBot", "the bot of .* has failed"),
    ],
)
def test_a_failing_bot_is_named_and_the_state_stays(bot: str, message: str) -> None:
    state = start_position()
    (seat,) = ZIMBABWE.evolution.to_move(state)
    canonical_before = ZIMBABWE.evolution.canonical(state)
    for _ in range(2):  # the second time, too: its process begins again where it has ended
        with pytest.raises(GameError, match=message):
            choose_command(ZIMBABWE, state, seat, load_level(f"{MODULE}:{bot}"), 0, "x")
    assert ZIMBABWE.evolution.canonical(state) == canonical_before


def test_a_bot_that_changes_its_view_changes_no_game() -> None:
    state = start_position()
    (seat,) = ZIMBABWE.evolution.to_move(state)
    _, state_after = choose_command(ZIMBABWE, state, seat, load_level(f"{MODULE}:RobbingBot"), 0, "x")
    assert state_after.vp[seat] < 1_000
    assert state.vp[seat] < 1_000


def test_a_hanging_bot_is_ended_and_leaves_no_process() -> None:
    bot = SubprocessBot(f"{MODULE}:HangingBot", max_seconds=5)  # beginning it counts, too
    bot.load()
    bot.max_seconds = 0.1
    process = bot._process
    assert process
    with pytest.raises(GameError, match=r"hangs: it has not answered for 0\.1 seconds"):
        think(bot, start_view(), 0, "x")
    assert process.poll() is not None


def test_ctrl_c_ends_a_thinking_bot(request: pytest.FixtureRequest) -> None:
    old_handler = signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background has it ignored
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, old_handler))
    bot = SubprocessBot(f"{MODULE}:HangingBot")
    bot.load()
    process = bot._process
    assert process

    def interrupt() -> None:
        while not bot._lock.locked():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    position_view, interrupter = start_view(), threading.Thread(target=interrupt)
    interrupter.start()
    with pytest.raises(KeyboardInterrupt):
        think(bot, position_view, 0, "x")
    assert process.poll() is not None


@pytest.mark.parametrize(
    ("bot", "reason"),
    [
        (f"{MODULE}:UnloadableBot", "OSError: no model file"),
        (f"{MODULE}:Nobody", "AttributeError"),
        ("no_such:A", "no_such"),
    ],
)
def test_a_bot_that_cannot_be_loaded_is_named(bot: str, reason: str) -> None:
    with pytest.raises(GameError, match=f"can't be loaded: .*{reason}"):
        assert parse_bot(bot).allowed().bot


def test_a_bot_of_your_own_is_stopped_while_it_thinks() -> None:
    bot = SubprocessBot(f"{MODULE}:HangingBot")

    def stop(nodes_searched: int, nodes_planned: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        think(bot, start_view(), 0, "x", stop)
    assert bot._process is None, "its process is gone"
