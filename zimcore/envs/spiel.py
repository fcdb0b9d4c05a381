"""OpenSpiel's games: importing this registers `zim_zimbabwe` and `zim_africana` for `pyspiel.load_game`.

Their parameters are `players`; `options` of a new game (`gods:beginner;xango:absolute`); and `deals`, of which chance
draws one at the beginning, its only move: deal 0 has the seed `seed`, the next deal the next seed. A match that goes on
after `most` actions ends, and nobody has won.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyspiel

from zimcore.envs.env_match import MAX_ACTIONS, EnvMatch, Floats, Setting
from zimcore.game import GameError
from zimcore.games.registry import game as game_of

PLAYERS = {"zimbabwe": (2, 5), "africana": (2, 4)}
DEFAULTS: Mapping[str, Any] = {"players": 2, "deals": 1000, "seed": 0, "most": MAX_ACTIONS, "options": ""}


def game_type(kind: str) -> Any:
    """What is said of a game before it is made."""
    game, (least, most) = game_of(kind), PLAYERS[kind]
    information = pyspiel.GameType.Information
    return pyspiel.GameType(
        short_name=f"zim_{kind}",
        long_name=game.title,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=information.IMPERFECT_INFORMATION if game.secrets else information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        min_num_players=least,
        max_num_players=most,
        provides_information_state_string=False,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=dict(DEFAULTS),
    )


class SpielGame(pyspiel.Game):  # type: ignore[misc]
    """A game, whose kind is that of its class. Raises `GameError` for parameters that can't be taken."""

    kind = ""

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        given = {**DEFAULTS, **(params or {})}
        self.seed, self.deals = int(given["seed"]), int(given["deals"])
        if self.deals < 1 or self.seed < 0:
            raise GameError(f"deals={self.deals}, seed={self.seed}", "deals begin at 1, and seeds at 0")
        players = int(given["players"])
        words = filter(None, str(given["options"]).split(";"))
        options = {name: text for name, _, text in (word.partition(":") for word in words)}
        self.setting = Setting(self.kind, players, options, int(given["most"]))
        info = pyspiel.GameInfo(
            num_distinct_actions=self.setting.actions,
            max_chance_outcomes=self.deals,
            num_players=players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=self.setting.most,
        )
        super().__init__(game_type(self.kind), info, dict(given))

    def new_initial_state(self) -> SpielState:
        """Before the deal."""
        return SpielState(self)

    def max_chance_nodes_in_history(self) -> int:
        """The deal."""
        return 1

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> SpielObserver:
        """What shows states to players; of the whole of what was seen there is no observer."""
        return SpielObserver(self.setting, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False), params)


class SpielState(pyspiel.State):  # type: ignore[misc]
    """A state: a match, or nothing before the deal."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self.match: EnvMatch | None = None

    def current_player(self) -> int:
        """Who is to move: a seat by its index, chance, or TERMINAL."""
        if self.match is None:
            return int(pyspiel.PlayerId.CHANCE)
        player = None if self.match.given_up else self.match.player
        return int(pyspiel.PlayerId.TERMINAL) if player is None else player

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Every deal, each as likely."""
        deals = self.get_game().deals
        return [(deal, 1 / deals) for deal in range(deals)]

    def is_terminal(self) -> bool:
        """Whether it is over, or was given up."""
        return self.match is not None and (self.match.player is None or self.match.given_up)

    def returns(self) -> list[float]:
        """What each has won; nothing before the end."""
        return self.match.returns() if self.match else [0.0] * int(self.get_game().num_players())

    def _legal_actions(self, player: int) -> list[int]:
        match = self.match
        if match is None or player != match.player:
            return []
        return [int(action) for action in np.flatnonzero(match.setting.bits(match.mask))]

    def _apply_action(self, action: int) -> None:
        if self.match is None:
            game = self.get_game()
            self.match = EnvMatch(game.setting, game.seed + action)
        else:
            self.match.act(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return self.match.text(action) if self.match else f"deal {action}"

    def __str__(self) -> str:
        return self.match.board_text() if self.match else "not dealt"


class SpielObserver:
    """What a player sees of a state, as a row and by its parts."""

    def __init__(self, setting: Setting, iig_obs_type: Any, params: Any) -> None:
        if params:
            raise GameError(f"unknown parameters of an observer: {params}", "there are none")
        self.told = iig_obs_type.public_info and not iig_obs_type.perfect_recall
        self.public = iig_obs_type.private_info == pyspiel.PrivateInfoType.NONE
        self.tensor: Floats | None = np.zeros(setting.size, np.float32) if self.told else None
        self.dict = setting.parts_by_name(self.tensor) if self.tensor is not None else {}

    def set_from(self, state: SpielState, player: int) -> None:
        """Writes what a player sees; zeros before the deal."""
        if self.tensor is not None:
            self.tensor[:] = state.match.observe(player, public=self.public) if state.match else 0

    def string_from(self, state: SpielState, player: int) -> str | None:
        """The same as text, in which what a player alone sees are the figures of the observation."""
        if not self.told:
            return None
        return state.match.observation_text(player, public=self.public) if state.match else "not dealt"


class Zimbabwe(SpielGame):
    """The Great Zimbabwe."""

    kind = "zimbabwe"


class Africana(SpielGame):
    """Africana."""

    kind = "africana"


# Classes, as OpenSpiel keeps them until after the interpreter has ended: anything else it would free then, and crash.
for each in (Zimbabwe, Africana):
    pyspiel.register_game(game_type(each.kind), each)
