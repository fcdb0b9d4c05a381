"""Bots that try to harm a game."""

import os
import sys
import time
from random import Random
from typing import Any

from zimcore.bots.bot import Choice, View


class GoodBot:
    def choose(self, view: View, nodes: int, rng: Random) -> Choice:
        print("what a bot prints is no answer")
        command = view.game.rules.legal(view.state, view.seat).sample(rng)
        assert command
        return Choice(command, f"drawn, {nodes} positions")


class RaisingBot:
    def choose(self, view: View, nodes: int, rng: Random) -> Choice:
        raise KeyError("clay")


class HangingBot:
    def choose(self, view: View, nodes: int, rng: Random) -> Choice:
        while True:
            time.sleep(0.01)


class ExitingBot:
    def choose(self, view: View, nodes: int, rng: Random) -> Choice:
        sys.exit(3)


class CrashingBot:
    def choose(self, view: View, nodes: int, rng: Random) -> Choice:
        os._exit(3)


class EmptyBot:
    def choose(self, view: View, nodes: int, rng: Random) -> Any:
        return None


class TextBot:
    def choose(self, view: View, nodes: int, rng: Random) -> Choice:
        text: Any = "start a1"
        return Choice(text)


class DealingBot:
    """Plays a command that belongs to no seat: a new deal."""

    def choose(self, view: View, nodes: int, rng: Random) -> Choice:
        return Choice(view.game.rules.set_up({"players": "2"}, 1))


class RobbingBot:
    """Changes the state that it is shown, then plays a legal command."""

    def choose(self, view: View, nodes: int, rng: Random) -> Choice:
        command = view.game.rules.legal(view.state, view.seat).sample(rng)
        view.state.vp[view.seat] = 1_000
        assert command
        return Choice(command)


class UnloadableBot(GoodBot):
    def __init__(self) -> None:
        raise OSError("no model file")
