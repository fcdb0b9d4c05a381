"""An action mask has exactly the legal commands, and encodings hide what the seat may not see."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import Any

import pytest

from zimcore.envs.env_match import EnvMatch, Setting
from zimcore.game import Accepted, GameError, OptionError
from zimcore.games.zimbabwe.commands import Build, Give, PlaceCraftsman, Raise, SetPrices
from zimcore.games.zimbabwe.encoding.numbering import MAX_GIFT
from zimcore.games.zimbabwe.encoding.squares import shape
from zimcore.games.zimbabwe.legal import LegalCommands

TABLES = [*[("zimbabwe", players) for players in (2, 3, 4, 5)], *[("africana", players) for players in (2, 3, 4)]]


def actions_of_mask(mask: int) -> list[int]:
    return [action for action in range(mask.bit_length()) if mask >> action & 1]


def random_positions(setting: Setting, seed: int, max_actions: int = 400) -> Iterator[EnvMatch]:
    """The positions of a match at random."""
    match, rng = EnvMatch(setting, seed), Random(seed)
    while match.player is not None and len(match.actions_taken) < max_actions:
        yield deepcopy(match)
        match.act(rng.choice(actions_of_mask(match.mask)))
    yield match


@pytest.mark.parametrize(("kind", "players"), TABLES)
def test_every_action_in_the_mask_is_legal(kind: str, players: int) -> None:
    setting, rng = Setting(kind, players), Random(players)
    decide_command, encoding = setting.game.rules.decide, setting.encoding
    for match in random_positions(setting, players):
        seat = match.seats[match.player] if match.player is not None else ""
        for action in rng.sample(actions := actions_of_mask(match.mask), min(len(actions), 8)):
            command = encoding.command(match.state, seat, (*match.actions_begun, action))
            if command is None:  # what is to be discarded is said card by card
                assert encoding.mask(match.state, seat, (*match.actions_begun, action))
            else:
                assert isinstance(decide_command(match.state, seat, command), Accepted), setting.game.notation.format(
                    command
                )
    assert match.player is None or kind == "africana", "matches of The Great Zimbabwe end, even at random"


def is_one_action(command: Any) -> bool:
    """Whether a command is one action: commands with more parts take several."""
    if isinstance(command, Build):
        return len(command.squares) == 1
    if isinstance(command, PlaceCraftsman):
        return command.price in (None, 1)
    if isinstance(command, SetPrices):
        return len(command.prices) == 1
    if isinstance(command, Give):
        return command.amount <= MAX_GIFT
    return not isinstance(command, Raise) or len(command.rituals) == 1


@pytest.mark.parametrize("players", [2, 4])
def test_every_legal_command_has_an_action(players: int) -> None:
    setting = Setting("zimbabwe", players)
    for match in list(random_positions(setting, 7 + players))[:-1:5]:
        commands = [command for command in LegalCommands(match.state) if is_one_action(command)]
        assert match.mask.bit_count() == len(commands), match.board_text()


def test_every_legal_command_of_africana_has_an_action() -> None:
    setting = Setting("africana", 3)
    for match in random_positions(setting, 3):
        if match.player is not None and not match.state.turn.over:
            seat = match.seats[match.player]
            assert match.mask.bit_count() == setting.game.rules.legal(match.state, seat).count()


@pytest.mark.parametrize(("kind", "players"), TABLES)
def test_every_number_has_a_name_and_a_place(kind: str, players: int) -> None:
    setting = Setting(kind, players)
    encoding, state = setting.encoding, setting.first_position(1)
    seat = setting.game.evolution.seats(state)[-1]
    observation = encoding.observe(state, seat)
    assert len(observation.planes) == len(encoding.planes(players)) == setting.shape[0]
    assert len(observation.figures) == len(encoding.figures(players))
    assert max(plane.bit_length() for plane in observation.planes) <= setting.place_count
    assert len(set(encoding.figures(players))) == len(observation.figures)
    assert len(set(encoding.planes(players))) == len(observation.planes)
    assert sum(encoding.actions(players).values()) == setting.action_count


def test_planes_and_figures_match_the_position() -> None:
    setting = Setting("zimbabwe", 3)
    *_, match = random_positions(setting, 11)
    state, player = match.state, 1
    seat = match.seats[player]
    parts = setting.parts_by_name(match.observe(player))
    figures = dict(zip(setting.encoding.figures(3), parts["figures"], strict=True))
    planes = dict(zip(setting.encoding.planes(3), parts["planes"], strict=True))
    assert figures["0: VP"] == state.vp[seat]
    assert figures["1: VP"] == state.vp[match.seats[2]]
    assert figures["2: cattle"] == state.cattle[match.seats[0]]
    assert figures["0: highest"] == state.income(seat)
    assert figures["phase over"] == 1
    own_squares = [name for name, monument in state.monuments.items() if monument.owner == seat]
    assert planes["monuments of 0"].sum() == len(own_squares)
    column, row = ord(own_squares[0][0]) - ord("a"), int(own_squares[0][1:]) - 1
    assert planes["monuments of 0"][row, column] == 1
    assert planes["board"][:, -1].sum() == 0, "the last column is no square"
    for owner, name in ((seat, god) for seat, god in state.adores.items()):
        relative_seat = (match.seats.index(owner) - player) % 3
        assert figures[f"{relative_seat}: adores {name}"] == 1
        assert figures[f"free {name}"] == 0


def test_a_seat_sees_only_what_it_may_know() -> None:
    setting = Setting("africana", 3)
    rules, differences = setting.game.rules, set()
    for match in random_positions(setting, 5, max_actions=150):
        for player, seat in enumerate(match.seats):
            assert setting.game.secrets
            redealt_match = deepcopy(match)
            redealt_match.state = rules.apply(
                match.state, "", setting.game.secrets.redeal(seat, len(match.actions_taken))
            ).state
            redealt_match.__dict__.pop("mask", None)
            observation = match.observe(player)
            assert (observation == redealt_match.observe(player)).all(), "the same, whatever the others hold"
            assert (match.observe(player, public=True) == redealt_match.observe(player, public=True)).all()
            if player == match.player:
                assert match.mask == redealt_match.mask
            differences |= {
                redealt_match.state.hands != match.state.hands,
                redealt_match.state.pile != match.state.pile,
            }
    assert True in differences


def test_encodings_hide_the_seed_of_a_deal() -> None:
    tiles = ",".join(f"{tile}.{tile % 4}" for tile in (0, 4, 7, 9))
    options = {"map": tiles, "gods": "gu,engai,eshu", "order": "zulu,kilwa", "players": "kilwa,zulu"}
    encoding = Setting("zimbabwe", 2).encoding
    rules, initial_state = Setting("zimbabwe", 2).game.rules, Setting("zimbabwe", 2).game.evolution.initial()
    first_state, second_state = (rules.apply(initial_state, "", rules.set_up(options, seed)).state for seed in (1, 2))
    assert first_state.setup.seed != second_state.setup.seed
    assert encoding.observe(first_state, "zulu") == encoding.observe(second_state, "zulu")


def test_only_the_chooser_sees_the_discards() -> None:
    setting = Setting("africana", 2)
    compared_count = 0
    for match in random_positions(setting, 2, max_actions=3000):
        if not match.actions_begun or match.player is None:
            continue
        compared_count += 1
        match_before = deepcopy(match)
        match_before.actions_begun = ()
        other_player = 1 - match.player
        assert (match.observe(other_player) == match_before.observe(other_player)).all()
        assert (match.observe(match.player) != match_before.observe(match.player)).any()
    assert compared_count


def test_a_match_is_a_pickle_of_its_actions() -> None:
    *_, match = random_positions(Setting("zimbabwe", 2, {"gods": "beginner"}), 3)
    copied_match = pickle.loads(pickle.dumps(match))
    assert len(pickle.dumps(match)) < 3_000
    assert copied_match.setting.game.evolution.canonical(copied_match.state) == match.setting.game.evolution.canonical(
        match.state
    )
    assert copied_match.returns() == match.returns()


def test_the_winner_gets_1_and_the_others_lose_it() -> None:
    *_, match = random_positions(Setting("zimbabwe", 4), 1)
    winner = match.seats.index(match.state.winner)
    assert match.returns()[winner] == 1
    assert sum(match.returns()) == pytest.approx(0)
    assert deepcopy(match).returns() == match.returns()


@pytest.mark.parametrize(
    ("kind", "players", "options", "message"),
    [
        ("zimbabwe", 6, {}, "players=6"),
        ("zimbabwe", 2, {"gods": "thor"}, "thor"),
        ("zimbabwe", 2, {"map": "S......S/........"}, "a map of 2 rows and 8 columns"),
        ("zimbabwe", 2, {"seed": "3"}, "not options here"),
        ("africana", 5, {}, "players=5"),
    ],
)
def test_options_that_can_t_be_encoded_are_refused(
    kind: str, players: int, options: dict[str, str], message: str
) -> None:
    with pytest.raises(OptionError, match=message):
        Setting(kind, players, options)


def test_an_action_that_is_not_in_the_mask_is_refused() -> None:
    match = EnvMatch(Setting("zimbabwe", 2), 1)
    for action in (-1, match.setting.action_count, match.setting.action_count - 1):
        with pytest.raises(GameError, match="no action now"):
            match.act(action)
    with pytest.raises(OptionError, match="max_actions=0"):
        Setting("zimbabwe", 2, max_actions=0)


def test_the_board_has_one_column_more() -> None:
    assert [shape(players) for players in (2, 3, 4, 5)] == [(12, 13), (18, 19), (18, 19), (18, 19)]
