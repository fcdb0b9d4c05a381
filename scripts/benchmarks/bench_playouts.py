"""Benchmarks bots that know only the rules: connect four, the auction of docs/new-game.md, and Kuhn's poker.

First it prints how many times as fast a playout is as the slow way: command by command, copying the state value by
value.

Intervals are 95 % confidence intervals over deals. For Kuhn's poker it prints what an opponent who knows the bot wins
from it, added up over both seats: 0 for perfect play, 0.92 for random play.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from itertools import permutations, product
from pathlib import Path
from random import Random
from statistics import fmean, median
from time import process_time
from typing import Any
from unittest.mock import patch

import msgspec

from scripts.benchmarks.bench_bots import WinGoal, measure_win_goal
from scripts.shared.measure import ROOT
from tests import connect_four, kuhn
from zimcore.bots.bot import view_for
from zimcore.bots.bot_match import start_state
from zimcore.bots.registry import parse_bot
from zimcore.game import Game
from zimcore.games.registry import load_game
from zimcore.toolkit.evolution import Evolution
from zimcore.toolkit.monte_carlo import Playouts

BOTS = ("quick", "strong", "deep:nodes=5000")
PAIR_COUNT, PLAYOUTS = 9, 200
"""Pairs of measurements, and playouts in each."""
Policy = Mapping[tuple[int, str], str]
"""The action for each (card, history)."""


def bench(folder: Path) -> None:
    """Measures all three games."""
    auction = load_auction(folder)
    for game in (connect_four.GAME, auction, kuhn.GAME):
        print(f"playouts, {game.name}: {speed_ratio(game):.2f} times as fast as command by command", flush=True)
    matches_file = folder / "matches.jsonl"
    measure_win_goal(WinGoal(connect_four.GAME, "quick", ("random",), 2, 0.95, 50), matches_file)
    measure_win_goal(WinGoal(connect_four.GAME, "strong", ("quick",), 2, 0.5, 10), matches_file)
    measure_win_goal(WinGoal(auction, "quick", ("random",), 3, 0.7, 100), matches_file)
    measure_win_goal(WinGoal(auction, "strong", ("random",), 3, 0.7, 100), matches_file)
    for bot in BOTS:
        print(f"{bot}, kuhn: an opponent who knows it wins {exploitability(policy_of(bot)):.2f}", flush=True)


def speed_ratio(game: Game) -> float:
    """The median ratio of playouts a second, over pairs measured in turn."""
    playouts, state, ratios = Playouts(game), start_state(game, {}, 1), list[float]()
    max_commands = playouts.scale.longest_playout
    for _ in range(PAIR_COUNT):
        fast_time = measure_cpu_seconds(lambda rng: playouts.play(state, rng, max_commands))
        with patch.object(Evolution, "copy", lambda _, state: copy_every_value(state)):
            ratios.append(
                measure_cpu_seconds(lambda rng: playouts.play_step_by_step(state, rng, max_commands)) / fast_time
            )
    return median(ratios)


def measure_cpu_seconds(play: Callable[[Random], object]) -> float:
    """The CPU seconds that `PLAYOUTS` playouts take."""
    rng, started_at = Random(1), process_time()
    for _ in range(PLAYOUTS):
        play(rng)
    return process_time() - started_at


def copy_every_value(value: Any) -> Any:
    """A copy of a state that looks at every value by its type, as an earlier, slower copy of the toolkit did."""
    match value:
        case dict():
            return {key: copy_every_value(each) for key, each in value.items()}
        case list():
            return [copy_every_value(each) for each in value]
        case set():
            return set(value)
        case msgspec.Struct() if not value.__struct_config__.frozen:
            fields = {name: copy_every_value(getattr(value, name)) for name in value.__struct_fields__}
            return msgspec.structs.replace(value, **fields)
    return value


def load_auction(folder: Path) -> Game:
    """The game of docs/new-game.md."""
    page_text = (ROOT / "docs" / "new-game.md").read_text("utf-8")
    (folder / "souk.py").write_text("\n\n".join(re.findall(r"```python\n(.*?)```", page_text, re.DOTALL)), "utf-8")
    sys.path.insert(0, str(folder))
    return load_game("souk:GAME")


def policy_of(name: str) -> Policy:
    """What a bot says in each situation of Kuhn's poker. It says the same each time."""
    actions, parsed_bot, rules = dict[tuple[int, str], str](), parse_bot(name), kuhn.GAME.rules
    for cards in permutations((1, 2, 3)):
        for history in ("", "p", "b", "pb"):
            state = rules.apply(kuhn.GAME.evolution.initial(), "", kuhn.SetUp(cards)).state
            for action in history:
                state = rules.apply(state, kuhn.GAME.evolution.to_move(state)[0], kuhn.Say(action)).state
            seat = kuhn.GAME.evolution.to_move(state)[0]
            command = parsed_bot.bot.choose(view_for(kuhn.GAME, state, seat), parsed_bot.nodes, Random(1)).command
            assert isinstance(command, kuhn.Say)
            actions[state.hands[seat], history] = command.word
    return actions


def exploitability(bot_policy: Policy) -> float:
    """What the best opponent wins a deal, added up over both seats."""
    return sum(
        max(fmean(winnings_of_deals(bot_policy, opponent_policy, seat)) for opponent_policy in opponent_policies(seat))
        for seat in (0, 1)
    )


def opponent_policies(seat: int) -> Sequence[Policy]:
    """All pure strategies of a seat."""
    situations = [(card, history) for card in (1, 2, 3) for history in (("", "pb"), ("p", "b"))[seat]]
    choices = [("p", "c" if "b" in history else "b") for _, history in situations]
    return [dict(zip(situations, actions, strict=True)) for actions in product(*choices)]


def winnings_of_deals(bot_policy: Policy, opponent_policy: Policy, seat: int) -> list[int]:
    """What a strategy at a seat wins from a bot, for each deal."""
    winnings = list[int]()
    for cards in permutations((1, 2, 3)):
        history = ""
        while history not in kuhn.STAKES:
            mover = len(history) % 2
            history += (opponent_policy if mover == seat else bot_policy)[cards[mover], history]
        winner = len(history) % 2 if history.endswith("bp") else cards.index(max(cards[:2]))
        winnings.append(kuhn.STAKES[history] * (1 if winner == seat else -1))
    return winnings
