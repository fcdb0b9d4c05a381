"""Games for OpenSpiel: importing this module registers every game, as `zim_` and its name, for `pyspiel.load_game`.

Parameters: `players`; `options` of a new game (`gods:beginner;score:hidden`); and `deals`, the number of outcomes of a
chance move. The first chance move deals: deal 0 has the seed `seed`, deal 1 the next seed, and so on. Before a card is
drawn that no player knows, a chance move shuffles all such cards, so copies of a state draw other cards. A match that
goes on after `max_actions` actions ends without a winner.

A state has the hands of all players. A search that should not know more than its player uses
`resample_from_infostate`, as ISMCTS does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from random import Random
from typing import Any

import numpy as np
import pyspiel

from zimcore.envs.env_match import MAX_ACTIONS, EnvMatch, Floats, Setting
from zimcore.game import Game, GameError, Stock
from zimcore.games.registry import game as game_of
from zimcore.games.registry import playable_games

MAX_PLAYERS = 10
DEFAULTS: Mapping[str, Any] = {"players": 2, "deals": 1000, "seed": 0, "max_actions": MAX_ACTIONS, "options": ""}


def numbers_of_players(game: Game) -> list[int]:
    """How many can play a game."""
    rules, evolution = game.rules, game.evolution
    if "players" not in rules.OPTIONS:
        return [len(evolution.seats(rules.apply(evolution.initial(), "", rules.set_up({}, 0)).state))]
    player_counts = []
    for players in range(1, MAX_PLAYERS + 1):
        with suppress(GameError):
            rules.set_up({"players": str(players)}, 0)
            player_counts.append(players)
    return player_counts


def game_type(kind: str) -> Any:
    """The OpenSpiel description of a game."""
    game = game_of(kind)
    players = numbers_of_players(game)
    information = pyspiel.GameType.Information
    return pyspiel.GameType(
        short_name=f"zim_{kind}",
        long_name=game.title,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=information.IMPERFECT_INFORMATION if game.secrets else information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        min_num_players=min(players),
        max_num_players=max(players),
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={**DEFAULTS, "players": max(min(players), 2)},
    )


class SpielGame(pyspiel.Game):  # type: ignore[misc]
    """A game; subclasses set its `kind`. Raises `GameError` for wrong parameters."""

    kind = ""

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        settings = {**DEFAULTS, **(params or {})}
        self.seed, self.deals = int(settings["seed"]), int(settings["deals"])
        if self.deals < 1 or self.seed < 0:
            raise GameError(f"deals={self.deals}, seed={self.seed}", "deals begin at 1, and seeds at 0")
        players = int(settings["players"])
        words = filter(None, str(settings["options"]).split(";"))
        options = {name: text for name, _, text in (word.partition(":") for word in words)}
        self.setting = Setting(self.kind, players, options, int(settings["max_actions"]))
        game_info = pyspiel.GameInfo(
            num_distinct_actions=self.setting.action_count,
            max_chance_outcomes=self.deals,
            num_players=players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=self.setting.max_actions,
        )
        super().__init__(game_type(self.kind), game_info, dict(settings))

    def new_initial_state(self) -> SpielState:
        """The state before the deal."""
        return SpielState(self)

    def max_chance_nodes_in_history(self) -> int:
        """The deal; where cards can be drawn, maybe one more for each action."""
        return 1 + isinstance(self.setting.game.secrets, Stock) * self.setting.max_actions

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> SpielObserver:
        """An observer of states. With perfect recall it has a text only."""
        return SpielObserver(self.setting, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False), params)


class SpielState(pyspiel.State):  # type: ignore[misc]
    """A state: a match, or None before the deal; and an action that waits for a card to be drawn."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self.match: EnvMatch | None = None
        self.waiting_action: int | None = None

    def current_player(self) -> int:
        """The index of the seat to move, or the ids of chance or of a terminal state."""
        if self.match is None or self.waiting_action is not None:
            return int(pyspiel.PlayerId.CHANCE)
        player = None if self.match.is_truncated else self.match.player
        return int(pyspiel.PlayerId.TERMINAL) if player is None else player

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """All deals, or orders of the cards that no player knows, with equal probabilities."""
        deals = self.get_game().deals
        return [(deal, 1 / deals) for deal in range(deals)]

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> SpielState:
        """A state that a player can't tell from this one: what the player does not know is dealt again.

        `sampler` returns random numbers from 0 to 1. Raises `GameError` if the game can't deal again.
        """
        state_copy: SpielState = self.clone()
        if state_copy.match is not None:
            state_copy.match = state_copy.match.resample(player, Random(sampler()))
        return state_copy

    def is_terminal(self) -> bool:
        """Whether the match is over or was cut off."""
        return self.match is not None and (self.match.player is None or self.match.is_truncated)

    def returns(self) -> list[float]:
        """Each player's return; 0 before the end."""
        return self.match.returns() if self.match else [0.0] * int(self.get_game().num_players())

    def _legal_actions(self, player: int) -> list[int]:
        match = self.match
        if match is None or self.waiting_action is not None or player != match.player:
            return []
        return [int(action) for action in np.flatnonzero(match.setting.mask_array(match.mask))]

    def _apply_action(self, action: int) -> None:
        if self.match is None:
            game = self.get_game()
            self.match = EnvMatch(game.setting, game.seed + action)
        elif self.waiting_action is not None:
            self.match = self.match.shuffled_copy(self.get_game().seed + action)
            self.match.act(self.waiting_action)
            self.waiting_action = None
        elif not self.match.act_unless_drawing(action):
            self.waiting_action = action

    def _action_to_string(self, player: int, action: int) -> str:
        if self.match is None or self.waiting_action is not None:
            return f"{'shuffle' if self.match else 'deal'} {action}"
        return self.match.action_text(action)

    def __str__(self) -> str:
        return self.match.board_text() if self.match else "not dealt"


class SpielObserver:
    """Observes a state for a player, as a tensor and as its named parts."""

    def __init__(self, setting: Setting, iig_obs_type: Any, params: Any) -> None:
        if params:
            raise GameError(f"unknown parameters of an observer: {params}", "there are none")
        self.has_observation = iig_obs_type.public_info and not iig_obs_type.perfect_recall
        self.is_public_only = iig_obs_type.private_info == pyspiel.PrivateInfoType.NONE
        self.has_recall = iig_obs_type.perfect_recall and not self.is_public_only
        self.tensor: Floats | None = np.zeros(setting.observation_size, np.float32) if self.has_observation else None
        self.dict = setting.parts_by_name(self.tensor) if self.tensor is not None else {}

    def set_from(self, state: SpielState, player: int) -> None:
        """Writes a player's observation to `tensor`; zeros before the deal."""
        if self.tensor is not None:
            self.tensor[:] = state.match.observe(player, public=self.is_public_only) if state.match else 0

    def string_from(self, state: SpielState, player: int) -> str | None:
        """What a player sees, as text; with perfect recall, all seen so far. None if there is no observation."""
        if self.has_recall:
            return state.match.information(player) if state.match else "not dealt"
        if not self.has_observation:
            return None
        return state.match.observation_text(player, public=self.is_public_only) if state.match else "not dealt"


def register_game(kind: str) -> type[SpielGame]:
    """Registers a game as `zim_` and its name; returns its class."""
    # A class: OpenSpiel keeps it until the interpreter has ended. Freeing an object of another type then would crash.
    game_class = type(f"Zim{kind.title()}", (SpielGame,), {"kind": kind, "__doc__": game_of(kind).title})
    pyspiel.register_game(game_type(kind), game_class)
    return game_class


GAMES: Mapping[str, type[SpielGame]] = {game.name: register_game(game.name) for game in playable_games()}
"""The classes of all games, by name."""
