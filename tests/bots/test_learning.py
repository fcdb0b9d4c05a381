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
from zimcli.output.output import Output
from zimcli.session.session import Session
from zimcore.bots import learning
from zimcore.bots.bot_match import start_state
from zimcore.bots.learning import MatchShare, StrategyBot, games_file, learn_game
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


@pytest.fixture
def long_race(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """A race to 40 with programs of few positions: playouts to the end tell them little, the squares a lot."""
    monkeypatch.setattr(learning, "LEARNING_NODES", 10)
    (tmp_path / "long_race.py").write_text(
        RACE_SOURCE.replace(">= 9", ">= 40").replace('"race"', '"long_race"'), "utf-8"
    )
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    yield importlib.import_module("long_race")
    sys.modules.pop("long_race", None)


def learn_by_command(*arguments: str) -> str:
    """The output of `zim learn`, which succeeds."""
    session = Session(Output(), by="ann", service=GameService(EventStore.open("memory:")))
    result = CliRunner().invoke(cli, ["learn", *arguments], obj=session)
    assert result.exit_code == 0, result.output
    return result.output


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
    assert (file.name, learned_model, learning_result.against_unlearned.games) == (
        "race.learned.json",
        learning_result.learned_model,
        16,
    )
    game, state = Bundle("race", "race", "Race", "1"), start_state(race.GAME, {}, 1)
    state_ahead = game.rules.apply(state, "ann", race.Step(3)).state
    shares = msgspec.structs.replace(learned_model, commands=1).shares(game, state_ahead)
    assert shares["ann"] > 0.55
    assert sum(shares.values()) == pytest.approx(1)
    shorter_model = msgspec.structs.replace(learned_model, commands=2)
    file.write_bytes(msgspec.json.encode(shorter_model))
    assert Bundle("race", "race", "Race", "1")._playouts.learned_model is None, "no match has proven it better"
    shorter_model = msgspec.structs.replace(shorter_model, is_proven=True)
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


def test_what_is_proven_better_is_written_and_used(long_race: ModuleType) -> None:
    output = learn_by_command("long_race:GAME", "--games", "24")
    assert "Race was learned from 24 games" in output
    assert "won 100% ± 0% of the victories, and 50% would be fair" in output
    assert Bundle("long_race", "long_race", "Race", "1")._playouts.max_commands == 1


def test_weights_that_ruin_a_program_change_nothing(long_race: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        learning, "fit_weights", lambda rows: {name: -weight for name, weight in fit_weights(rows).items()}
    )
    output = learn_by_command("long_race:GAME", "--games", "24")
    assert "nothing was changed: 24 games of Race did not make its programs provably better" in output
    assert "to learn from more games, add --games" in output
    assert not learned_file(long_race.GAME).exists()
    learned_file(long_race.GAME).write_text("of an earlier run", "utf-8")
    learn_by_command("long_race:GAME", "--games", "24")
    assert learned_file(long_race.GAME).read_text("utf-8") == "of an earlier run"


@pytest.mark.parametrize(
    ("share", "error", "is_better"),
    [(0.38, 0.1, False), (0.5, 0.09, True), (0.5, 0.11, False), (1 / 3, 0.0, False), (0.0, 0.0, False)],
)
def test_a_share_is_better_only_beyond_luck(share: float, error: float, is_better: bool) -> None:
    assert MatchShare(share, error, 1 / 3, 24).is_better == is_better


@pytest.mark.usefixtures("race")
def test_the_command_refuses_options_without_a_value() -> None:
    session = Session(Output(), by="ann", service=GameService(EventStore.open("memory:")))
    refused_result = CliRunner().invoke(cli, ["learn", "race:GAME", "players:3"], obj=session)
    assert refused_result.exit_code == 2
