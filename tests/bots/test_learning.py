"""A game with rules only is learned by playing it against itself, and its bots use what was learned."""

from __future__ import annotations

import importlib
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from types import ModuleType

import msgspec
import pytest
from click.testing import CliRunner

from event_store import EventStore
from tests import connect_four
from zimcli.main import cli
from zimcli.output import Output
from zimcli.session import Session
from zimcore.bots.bot_match import start_state
from zimcore.bots.learning import StrategyBot, games_file, learn_game
from zimcore.bots.registry import BOTS_VERSION, log_author, parse_bot
from zimcore.game import GameError
from zimcore.games.zimbabwe import GAME as ZIMBABWE
from zimcore.service import GameService
from zimcore.toolkit.bundle import Bundle
from zimcore.toolkit.learned import LearnedModel, features, fit_weights, learned_file
from zimcore.toolkit.monte_carlo import Playouts

RACE_SOURCE = '''
"""A race: seats step 1 to 3 squares in turn; the first one at 9 wins. A red herring grows with every step."""

from collections.abc import Iterator, Mapping
from random import Random

import msgspec

from zimcore.game import Command, Deal, Event, Outcome, Seat
from zimcore.toolkit.bundle import Bundle
from zimcore.toolkit.rules import Draft

OPTIONS: Mapping[str, str] = {}


class SetUp(Deal, frozen=True, tag="set_up.1"):
    pass


class Step(Command, frozen=True, tag="step.1"):
    squares: int


class Begun(Event, frozen=True, tag="begun.1"):
    pass


class Stepped(Event, frozen=True, tag="stepped.1"):
    seat: Seat
    squares: int


class State(msgspec.Struct):
    seats: tuple[Seat, ...] = ()
    at: dict[Seat, int] = {}
    herring: dict[Seat, int] = {}
    turn: int = 0


def set_up(options: Mapping[str, str], chance: Random) -> SetUp:
    return SetUp()


def winners(state: State) -> list[Seat]:
    return [seat for seat in state.seats if state.at[seat] >= 9]


def to_move(state: State) -> list[Seat]:
    return [] if not state.seats or winners(state) else [state.seats[state.turn % 2]]


def moves(state: State, seat: Seat) -> list[Step]:
    return [Step(1), Step(2), Step(3)]


def follow(draft: Draft, seat: Seat, command: SetUp | Step) -> None:
    draft.happen(Begun() if isinstance(command, SetUp) else Stepped(seat, command.squares))


def on_begun(state: State, event: Begun) -> None:
    state.seats, state.at, state.herring = ("ann", "ben"), {"ann": 0, "ben": 0}, {"ann": 0, "ben": 0}


def on_stepped(state: State, event: Stepped) -> None:
    state.at[event.seat] += event.squares
    state.herring[event.seat] += 7 * state.turn % 5
    state.turn += 1


def outcome(state: State) -> Outcome:
    won = winners(state)
    return Outcome(bool(won), tuple((seat,) for seat in sorted(state.seats, key=lambda each: each not in won)))


GAME = Bundle(__name__, "race", "Race", version="1")
'''


@pytest.fixture
def race(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The module of a small game, in a folder of its own."""
    (tmp_path / "race.py").write_text(RACE_SOURCE, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    yield importlib.import_module("race")
    sys.modules.pop("race", None)


def ignore_progress(count: int, total: int) -> None:
    """A progress report that goes nowhere."""


def test_the_figure_that_wins_gets_the_weight() -> None:
    rows = [
        (({"at": squares, "herring": herrings}, {"at": -squares, "herring": -herrings}), (1.0, 0.0))
        for squares in (1, 2)
        for herrings in (-1, 1)
    ]
    weights = fit_weights(rows)
    assert weights["at"] > 0.5
    assert abs(weights["herring"]) < 0.01


def test_a_learned_file_lies_beside_its_game_and_bots_use_it(race: ModuleType) -> None:
    learning_result = learn_game(race.GAME, {}, 24, ignore_progress)
    file = learned_file(race.GAME)
    file.write_bytes(msgspec.json.encode(learning_result.learned_model))
    learned_model = msgspec.json.decode(file.read_bytes(), type=LearnedModel)
    assert (file.name, learned_model, learning_result.games) == ("race.learned.json", learning_result.learned_model, 16)
    game, state = Bundle("race", "race", "Race", "1"), start_state(race.GAME, {}, 1)
    state_ahead = game.rules.apply(state, "ann", race.Step(3)).state
    shares = msgspec.structs.replace(learned_model, commands=1).shares(game, state_ahead)
    assert shares["ann"] > 0.55
    assert sum(shares.values()) == pytest.approx(1)
    shorter_model = msgspec.structs.replace(learned_model, commands=2)
    file.write_bytes(msgspec.json.encode(shorter_model))
    assert Bundle("race", "race", "Race", "1")._playouts.max_commands == 2
    assert Bundle("race", "race", "Race", "2")._playouts.learned_model is None
    game = Bundle("race", "race", "Race", "1")
    names = [log_author(parse_bot(bot), game) for bot in ("quick", "random")]
    assert names == [f"bot quick.{BOTS_VERSION} learned-{shorter_model.digest}", f"bot random.{BOTS_VERSION}"]
    assert log_author(parse_bot("quick"), Bundle("race", "race", "Race", "2")) == f"bot quick.{BOTS_VERSION}"


def test_a_playout_that_is_cut_off_is_judged_by_learned_weights(race: ModuleType) -> None:
    names = tuple(sorted(features(race.GAME, start_state(race.GAME, {}, 1))["ann"]))
    learned_model = LearnedModel("race", "1", names, tuple(0.3 * (name == "at") for name in names), 1, "hand")
    strategy = StrategyBot(race.GAME, learned_model).strategy
    assert strategy.search(start_state(race.GAME, {}, 1), "ann", 60)[0].command == race.Step(3)
    playouts = Playouts(race.GAME, learned_model)
    playout = playouts.play(start_state(race.GAME, {}, 1), Random(1), playouts.max_commands)
    assert (playout.is_over, playout.commands) == (False, 1)
    assert playouts.values(playout, ("ann", "ben")) == playout.learned_shares


def test_learning_goes_on_where_it_was_stopped_and_gives_the_same(race: ModuleType) -> None:
    played_games_file = games_file(race.GAME, {})
    uninterrupted_result = learn_game(race.GAME, {}, 20, ignore_progress)
    lines = played_games_file.read_text("utf-8").splitlines(keepends=True)
    played_games_file.write_text("".join(lines[:9]) + lines[9][:30], "utf-8")  # stopped while it wrote
    counts = list[int]()
    assert learn_game(race.GAME, {}, 20, lambda count, total: counts.append(count)) == uninterrupted_result
    assert counts[0] == 10
    assert played_games_file.read_text("utf-8") == "".join(lines)


def test_a_game_with_a_strategy_or_without_figures_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(GameError, match="has a strategy of its own"):
        learn_game(ZIMBABWE, {}, 8, ignore_progress)
    shutil.copy(str(connect_four.__file__), tmp_path / "plain_four.py")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    with pytest.raises(GameError, match="nothing can be learned of Connect Four: no shown value of a seat is a number"):
        learn_game(Bundle("plain_four", "four", "Connect Four", "1"), {"columns": "4"}, 8, ignore_progress)
    sys.modules.pop("plain_four", None)


def test_the_command_says_what_was_learned(race: ModuleType) -> None:
    session = Session(Output(), by="ann", service=GameService(EventStore.open("memory:")))
    result = CliRunner().invoke(cli, ["learn", "race:GAME", "--games", "12"], obj=session)
    assert result.exit_code == 0, result.output
    assert "Race was learned from 12 games" in result.output
    assert "race.learned.json" in result.output
    assert "of the victories, and 50% would be fair" in result.output
    refused_result = CliRunner().invoke(cli, ["learn", "race:GAME", "players:3"], obj=session)
    assert refused_result.exit_code == 2
