"""Our own games keep the contract: mypy compares their modules with its protocols, and `check` plays them."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from zimcore.game import (
    Art,
    Chances,
    Display,
    Encoding,
    Evolution,
    Game,
    Notation,
    Orders,
    Questions,
    Rules,
    Secrets,
    Strategy,
    Texts,
)
from zimcore.games import africana, zimbabwe
from zimcore.games.africana import art as africana_art
from zimcore.games.africana import chances as africana_chances
from zimcore.games.africana import display as africana_display
from zimcore.games.africana import encoding as africana_encoding
from zimcore.games.africana import evolution as africana_evolution
from zimcore.games.africana import notation as africana_notation
from zimcore.games.africana import questions as africana_questions
from zimcore.games.africana import rules as africana_rules
from zimcore.games.africana import secrets as africana_secrets
from zimcore.games.africana import strategy as africana_strategy
from zimcore.games.africana import texts as africana_texts
from zimcore.games.zimbabwe import art as zimbabwe_art
from zimcore.games.zimbabwe import chances as zimbabwe_chances
from zimcore.games.zimbabwe import display as zimbabwe_display
from zimcore.games.zimbabwe import encoding as zimbabwe_encoding
from zimcore.games.zimbabwe import evolution as zimbabwe_evolution
from zimcore.games.zimbabwe import notation as zimbabwe_notation
from zimcore.games.zimbabwe import orders as zimbabwe_orders
from zimcore.games.zimbabwe import questions as zimbabwe_questions
from zimcore.games.zimbabwe import rules as zimbabwe_rules
from zimcore.games.zimbabwe import strategy as zimbabwe_strategy
from zimcore.games.zimbabwe import texts as zimbabwe_texts
from zimcore.toolkit.check import check


class Parts(NamedTuple):
    """All parts of a game, each as its protocol."""

    evolution: Evolution
    rules: Rules
    notation: Notation
    display: Display
    questions: Questions
    secrets: Secrets | None
    orders: Orders
    texts: Texts
    art: Art | None
    strategy: Strategy | None
    chances: Chances | None
    encoding: Encoding | None


AFRICANA = Parts(
    africana_evolution,
    africana_rules,
    africana_notation,
    africana_display,
    africana_questions,
    africana_secrets,
    africana.GAME.orders,  # no module: Africana has no standing orders
    africana_texts,
    africana_art,
    africana_strategy,
    africana_chances,
    africana_encoding,
)
ZIMBABWE = Parts(
    zimbabwe_evolution,
    zimbabwe_rules,
    zimbabwe_notation,
    zimbabwe_display,
    zimbabwe_questions,
    None,
    zimbabwe_orders,
    zimbabwe_texts,
    zimbabwe_art,
    zimbabwe_strategy,
    zimbabwe_chances,
    zimbabwe_encoding,
)


@pytest.mark.parametrize(("game", "parts"), [(africana.GAME, AFRICANA), (zimbabwe.GAME, ZIMBABWE)])
def test_the_parts_of_a_game_are_its_modules(game: Game, parts: Parts) -> None:
    assert tuple(getattr(game, part) for part in Parts._fields) == parts


@pytest.mark.parametrize("game", [africana.GAME, zimbabwe.GAME])
def test_our_own_games_keep_the_contract(game: Game) -> None:
    assert list(check(game, matches=2, moves=40)) == []


@pytest.mark.parametrize("game", [africana.GAME, zimbabwe.GAME])
def test_a_game_that_is_not_set_up_has_no_winners(game: Game) -> None:
    initial_state = game.evolution.initial()
    assert game.evolution.outcome(initial_state).winners == ()
    assert game.display.status(initial_state) == "not set up"
