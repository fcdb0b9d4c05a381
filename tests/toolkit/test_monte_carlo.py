"""A game with rules only has opponents, hints and analyses, from random playouts that don't peek."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result

from event_store import EventStore
from tests import connect_four, kuhn, nim
from zimcli.main import cli
from zimcli.output.output import Output
from zimcli.repl.loop import Conversation
from zimcli.session.session import Session
from zimcore.analysis.alternatives import play_to_end
from zimcore.analysis.judgement import judge_position
from zimcore.bots.bot import view_for
from zimcore.bots.bot_match import play_bots, start_state
from zimcore.bots.deep import DeepBot
from zimcore.bots.levels import PeerBot, QuickBot, RandomBot, StrongBot
from zimcore.bots.registry import ConfiguredBot
from zimcore.chances import chance_features, chances, load_model
from zimcore.game import Game, GameError
from zimcore.games import registry
from zimcore.service import EVERYTHING, GameService, Viewer
from zimcore.toolkit.bundle import Bundle
from zimcore.toolkit.check import check
from zimcore.toolkit.monte_carlo import Playouts
from zimcore.toolkit.redeal import HiddenRedealt, Redeal
from zimcore.toolkit.rules import Moves

GAMES = {"four": "tests.connect_four:GAME", "nim": "tests.nim:GAME", "kuhn": "tests.kuhn:GAME"}
BOTS_WITH_NODES = [(QuickBot(), 200), (StrongBot(), 400), (DeepBot(), 400)]
WINNING_COLUMNS = (0, 6, 0, 6, 0, 5)
"""Columns after which red wins in column 0."""
THREATENED_COLUMNS = (0, 3, 6, 3, 1, 3)
"""Columns after which yellow wins in column 3, unless red drops a stone there."""


def connect_four_after(game: Any, columns: tuple[int, ...]) -> Any:
    state = start_state(game, {}, 1)
    for column in columns:
        state = game.rules.apply(state, game.evolution.to_move(state)[0], connect_four.Drop(column)).state
    return state


def chosen_text(game: Game, state: Any, bot: Any, nodes: int, seed: int = 1) -> str:
    """What a bot plays at the first seat to move."""
    view = view_for(game, state, game.evolution.to_move(state)[0])
    return game.notation.format(bot.choose(view, nodes, Random(seed)).command)


@pytest.mark.parametrize(("bot", "nodes"), BOTS_WITH_NODES)
@pytest.mark.parametrize(("columns", "best"), [(WINNING_COLUMNS, "drop 0"), (THREATENED_COLUMNS, "drop 3")])
def test_a_bot_takes_a_win_and_prevents_a_loss(bot: Any, nodes: int, columns: Any, best: str) -> None:
    assert chosen_text(connect_four.GAME, connect_four_after(connect_four.GAME, columns), bot, nodes) == best


def test_no_playout_is_spent_on_a_losing_move() -> None:
    strategy: Any = connect_four.GAME.strategy
    best_candidate, *other_candidates = strategy.search(
        connect_four_after(connect_four.GAME, THREATENED_COLUMNS), "red", 200
    )
    assert best_candidate.command == connect_four.Drop(3)
    assert len(other_candidates) == 6
    assert not any(candidate.tries for candidate in other_candidates)


def test_quick_beats_chance() -> None:
    matches = [play_bots(connect_four.GAME, [(QuickBot(), 200), (RandomBot(), 0)], {}, seed) for seed in range(5)]
    assert [match.outcome.winner for match in matches] == ["red"] * 5


def test_the_same_position_gives_the_same_play() -> None:
    state = connect_four_after(connect_four.GAME, (3, 3, 2))
    same_game = Bundle("tests.connect_four", "four", "Connect Four", version="1")
    for bot, nodes in [*BOTS_WITH_NODES, (PeerBot(), 0)]:
        assert chosen_text(connect_four.GAME, state, bot, nodes) == chosen_text(same_game, state, bot, nodes)


def test_a_larger_budget_is_spent() -> None:
    strategy: Any = connect_four.GAME.strategy
    state = connect_four_after(connect_four.GAME, (3, 3))
    small_search, large_search = (
        sum(candidate.nodes_searched for candidate in strategy.search(state, "red", nodes)) for nodes in (300, 1500)
    )
    assert 300 <= small_search < 900
    assert 1500 <= large_search < 2100


@pytest.mark.parametrize("kind", ["four", "kuhn", "nim", "souk"])
def test_a_playout_in_place_is_the_playout_step_by_step(kind: str, souk: ModuleType) -> None:
    game: Game = {"four": connect_four.GAME, "kuhn": kuhn.GAME, "nim": nim.GAME, "souk": souk.GAME}[kind]
    playouts, state = Playouts(game), start_state(game, {}, 1)
    canonical_before = game.evolution.canonical(state)
    for seed in range(5):
        end_state, commands = playouts.play_step_by_step(state, Random(seed), 100)
        assert playouts.play(state, Random(seed), 100) == (game.evolution.outcome(end_state), True, commands, None)
    assert game.evolution.canonical(state) == canonical_before


def test_a_playout_asks_for_the_authors_own_legal_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    def legal(state: Any, seat: str) -> Any:
        return Moves([connect_four.Drop(0)] if len(state.columns[0]) < connect_four.HEIGHT else (), str)

    legal.__module__ = connect_four.__name__
    monkeypatch.setattr(connect_four, "legal", legal, raising=False)
    game = Bundle("tests.connect_four", "four", "Connect Four", version="1")
    assert Playouts(game).play(start_state(game, {}, 1), Random(1), 100).commands == connect_four.HEIGHT


def test_chances_are_the_share_of_playouts_that_are_won() -> None:
    state = connect_four_after(connect_four.GAME, (3, 0, 3, 0, 4, 5, 2))
    chances_by_seat = chances(connect_four.GAME, state)
    assert sum(chance.mean for chance in chances_by_seat.values()) == pytest.approx(1)
    assert chances_by_seat["red"].mean > 0.6
    assert 0 < chances_by_seat["red"].error < 0.2
    assert load_model(chance_features(connect_four.GAME)).made_by == "40 random playouts of each position"
    end_state = connect_four_after(connect_four.GAME, (*WINNING_COLUMNS, 0))
    end_chance_of_red = chances(connect_four.GAME, end_state)["red"]
    assert (end_chance_of_red.mean, end_chance_of_red.error) == (1.0, 0.0)


def test_the_error_of_a_chance_is_that_of_the_mean() -> None:
    state, playouts = connect_four_after(connect_four.GAME, (3, 3)), Playouts(connect_four.GAME)
    shares = [playouts.shares(playouts.play(state, Random(seed), 50), connect_four.SEATS)["red"] for seed in range(200)]
    mean, expected_error = sum(shares) / 200, (sum(share * (1 - share) for share in [sum(shares) / 200]) / 40) ** 0.5
    chance_of_red = chances(connect_four.GAME, state)["red"]
    assert abs(chance_of_red.mean - mean) < 4 * expected_error
    assert expected_error / 3 < chance_of_red.error < 3 * expected_error


def test_a_hint_prevents_a_loss() -> None:
    judgement = judge_position(
        connect_four.GAME, connect_four_after(connect_four.GAME, THREATENED_COLUMNS), "red", nodes=400
    )
    assert connect_four.GAME.notation.format(judgement.best.turn.commands[0]) == "drop 3"


def bidding_state(souk: ModuleType, deck: tuple[int, ...], coins: int) -> Any:
    """Badr's turn to bid: amina has bid so many coins, and the deck has these goods."""
    rules, evolution = souk.GAME.rules, souk.GAME.evolution
    state = rules.apply(evolution.initial(), "", souk.SetUp(souk.MERCHANTS[:3], deck)).state
    return rules.apply(state, "amina", souk.Bid(coins)).state


@pytest.mark.parametrize(("bot", "nodes"), BOTS_WITH_NODES)
def test_hidden_values_change_no_choice_of_a_bot(souk: ModuleType, bot: Any, nodes: int) -> None:
    twins = [bidding_state(souk, (9, 1, 2, 3), 1), bidding_state(souk, (9, 12, 11, 10), 9)]
    assert len({chosen_text(souk.GAME, state, bot, nodes) for state in twins}) == 1


def test_hidden_values_change_no_judgement(souk: ModuleType) -> None:
    twins = [bidding_state(souk, (9, 1, 2, 3), 1), bidding_state(souk, (9, 12, 11, 10), 9)]
    views = [view_for(souk.GAME, state, "badr").state for state in twins]
    assert len({str(judge_position(souk.GAME, view, "badr", nodes=60)) for view in views}) == 1


def test_the_last_seat_to_choose_is_given_no_sealed_choice(souk: ModuleType) -> None:
    state = souk.GAME.rules.apply(bidding_state(souk, (9, 1, 2), 3), "badr", souk.Bid(3)).state
    assert chosen_text(souk.GAME, state, QuickBot(), 200).startswith("bid ")


def test_worlds_agree_with_what_a_seat_knows() -> None:
    state = start_state(kuhn.GAME, {}, 1)
    other_hands = set()
    for seed in range(20):
        world = kuhn.GAME.rules.apply(state, "", kuhn.GAME.secrets.redeal("two", seed)).state  # type: ignore[union-attr]
        assert world.hands["two"] == state.hands["two"]
        assert sorted([*world.hands.values(), *world.stock]) == [1, 2, 3]
        other_hands.add(world.hands["one"])
    assert len(other_hands) == 2


def test_a_world_that_can_not_be_made_says_what_to_define(souk: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    class State(souk.State):  # type: ignore[name-defined, misc]
        omens: tuple[str, ...] = ("good", "bad")

    monkeypatch.setattr(souk, "State", State)
    monkeypatch.setattr(
        souk, "SECRETS", {**souk.SECRETS, State: {"deck": "nobody", "bids": "owner", "omens": "nobody"}}
    )
    game = Bundle("souk", "souk", "Souk", "1")
    visible_state = view_for(game, start_state(game, {}, 1), "amina").state
    visible_state.coins = {**visible_state.coins}
    visible_state.deck = (*visible_state.deck, *visible_state.deck, *visible_state.deck, *visible_state.deck)
    with pytest.raises(
        GameError, match="can't be dealt again: 16 values are hidden, and its set-ups leave 12"
    ) as error:
        QuickBot().choose(view_for(game, visible_state, "amina"), 100, Random(1))
    assert error.value.hints == ("define redeal(seat, seed) in the game's module",)


def test_an_author_can_define_a_redeal(souk: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    def redeal(seat: str, seed: int) -> Any:
        raise GameError("not today")

    redeal.__module__ = "souk"
    monkeypatch.setattr(souk, "redeal", redeal, raising=False)
    game = Bundle("souk", "souk", "Souk", "1")
    with pytest.raises(GameError, match="not today"):
        QuickBot().choose(view_for(game, start_state(game, {}, 1), "amina"), 100, Random(1))
    assert HiddenRedealt not in game.evolution.EVENTS


def test_four_and_kuhn_keep_the_contract() -> None:
    assert [*check(connect_four.GAME, matches=1, moves=8), *check(kuhn.GAME, matches=3, moves=6)] == []


@pytest.fixture
def zim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setitem(registry.BUILT_IN, "nim", GAMES["nim"])
    service = GameService(EventStore.open("memory:"), games=GAMES)

    def run(words: str, typed_input: str = "") -> Result:
        session = Session(Output(), by="ann", service=service)
        return CliRunner().invoke(cli, words.split(), input=typed_input, obj=session)

    return run


def test_the_shell_has_hints_bots_and_analyses_of_a_game_with_rules_only(zim: Callable[..., Result]) -> None:
    assert zim("new k --game nim stones=6 bots=ben:quick").exit_code == 0
    hint = zim("hint k --nodes 200")
    assert hint.exit_code == 0, hint.output
    assert "take 2" in hint.output
    for words, text in (
        ("bot k strong:nodes=300 --to-end", "playouts"),
        ("analyse k --nodes 60 --workers 1 --json", "40 random playouts of each position"),
        ("why k@0 ann.chance", "ann"),
    ):
        result = zim(words)
        assert result.exit_code == 0, f"{words}: {result.output}"
        assert text in result.output, f"{words}: {result.output}"


def test_the_prompt_gives_hints() -> None:
    service = GameService(EventStore.open("memory:"), games=GAMES)
    session = Session(Output(), by="ann", service=service)
    session.enter_position(service.new("nim", {"stones": "6"}, name="k", by="ann"))
    with redirect_stdout(io.StringIO()) as output:
        Conversation(session).run_prompt_once(lambda _: "hint --nodes 100")
    assert "take 2" in output.getvalue()


@pytest.mark.parametrize(("kind", "options"), [("nim", {}), ("kuhn", {})])
def test_alternatives_are_played_on(kind: str, options: dict[str, str]) -> None:
    game: Game = {"nim": nim.GAME, "kuhn": kuhn.GAME}[kind]
    end_state, commands = play_to_end(game, start_state(game, options, 1), ConfiguredBot("quick"), 0, 0)
    assert game.evolution.outcome(end_state).over
    assert commands


def test_a_fork_deals_again_what_a_seat_does_not_know(souk: ModuleType) -> None:
    service = GameService(EventStore.open("memory:"), games={"souk": "souk:GAME"})
    service.new("souk", {"seed": "7", "goods": "12"}, name="k", by="anna")
    service.play("k", "amina: bid 4", by="anna")
    original_position, decks, viewer = service.position("k", Viewer("badr")), set(), Viewer("badr")
    for name in ("x", "y"):
        service.fork("k", name, by="anna", viewer=viewer, redeal=True)
        forked_state = service.position(f"k/{name}", EVERYTHING).state
        assert (forked_state.coins, forked_state.worth, forked_state.bids) == (
            original_position.state.coins,
            original_position.state.worth,
            {},
        )
        decks.add(forked_state.deck)
        visible_state = service.position(f"k/{name}", viewer).state
        assert str(visible_state.deck) == str(original_position.state.deck)
        assert service.verify(f"k/{name}").fault is None
        events_text = msgspec.json.encode(
            [commit.events for commit in service.log(f"k/{name}", viewer=viewer)]
        ).decode()
        assert '"seed":"?"' in events_text
        assert '"deck":[' not in events_text.partition("hidden_redealt")[2]
    assert len(decks) == 2


def test_a_redeal_is_stored_and_read_in_a_game_without_its_own_played_event() -> None:
    played_type = kuhn.GAME.evolution.EVENTS[0]
    event = played_type(seat="", command=Redeal("one", 3))
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(event), type=played_type) == event
    assert pickle.loads(pickle.dumps(event)) == event
    assert nim.GAME.evolution.EVENTS[0] is nim.NimPlayed
