"""A sweep of the legal commands gives the same values as trying each one, best first."""

from __future__ import annotations

from random import Random

import pytest

from event_store import EventStore
from zimcore.game import GameError
from zimcore.history import default_expressions, parse, sweep
from zimcore.service import EVERYTHING, GameService, Position


@pytest.fixture(scope="module")
def service() -> GameService:
    """A game of each kind, some random moves on."""
    service, rng = GameService(EventStore.open("memory:")), Random(3)
    for kind in ("zimbabwe", "africana"):
        service.new(kind, {"players": "3", "seed": "7"}, name=kind, by="ann", viewer=EVERYTHING)
        for _ in range(30):
            command = service.position(kind, EVERYTHING).legal().sample(rng)
            assert command
            service.play(kind, command, by="ann", viewer=EVERYTHING)
    return service


@pytest.fixture(params=["zimbabwe", "africana"])
def position(service: GameService, request: pytest.FixtureRequest) -> Position:
    return service.position(request.param, EVERYTHING)


def test_each_outlook_equals_trying_its_command(service: GameService, position: Position) -> None:
    expressions = default_expressions(position.figures, position.mover, position.game.display.MONEY)
    outlooks = sweep(position, expressions)
    assert sorted(outlook.text for outlook in outlooks) == sorted(position.legal().texts())
    for outlook in Random(7).sample(outlooks, min(len(outlooks), 40)):
        (position_after,) = service.try_(position.match, [outlook.text], EVERYTHING).positions
        assert outlook.values == tuple(expression.value(position_after.figures) for expression in expressions)


def test_the_best_outlook_stands_first(position: Position) -> None:
    expressions = [
        parse(f"{position.mover}.{name}")
        for name in position.figures[position.mover]
        if name in ("vp", "cattle", "gold")
    ]
    values = [outlook.values for outlook in sweep(position, expressions)]
    assert values == sorted(values, reverse=True)


def test_a_sweep_of_a_beginning_has_only_its_commands(position: Position) -> None:
    word = next(iter(position.legal().texts())).split()[0]
    assert [outlook.text.split()[0] for outlook in sweep(position, [], word)] == [word] * len(
        list(position.legal().texts(word))
    )


def test_a_sweep_does_not_change_the_position(position: Position) -> None:
    canonical_before = position.game.evolution.canonical(position.state)
    sweep(position, [])
    assert position.game.evolution.canonical(position.state) == canonical_before


def test_a_sweep_says_which_values_are_hidden(service: GameService) -> None:
    """A spectator's sweep invents nothing: a value that depends on a hidden card is left empty."""
    position = service.position("africana")
    outlooks = sweep(position, default_expressions(position.figures, position.mover, position.game.display.MONEY))
    for outlook in outlooks:
        try_result = service.try_("africana", [outlook.text])
        assert bool(outlook.hidden) == bool(try_result.hidden)
        assert not outlook.hidden or not any(outlook.values)


def test_an_unknown_figure_is_an_error(position: Position) -> None:
    with pytest.raises(GameError, match="no such name here"):
        sweep(position, [parse("nobody_knows + 1")])


def test_a_sweep_of_a_pattern_has_only_matching_commands(position: Position) -> None:
    word, last_text = next(iter(position.legal().texts())).split()[0], list(position.legal().texts())[-1]
    assert [outlook.text.split()[0] for outlook in sweep(position, [], f"{word.title()} *")] == [
        text.split()[0] for text in position.legal().texts(word) if text != word
    ]
    assert [outlook.text for outlook in sweep(position, [], f"*{last_text[1:]}")] == [
        text for text in position.legal().texts() if text.endswith(last_text[1:])
    ]
