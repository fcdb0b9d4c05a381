"""A sweep of the legal commands gives the same values as trying each one, best first."""

from __future__ import annotations

from random import Random

import pytest

from event_store import EventStore
from zimcore.game import GameError
from zimcore.history import parse, sweep, what_counts
from zimcore.service import EVERYTHING, GameService, Position


@pytest.fixture(scope="module")
def service() -> GameService:
    """A game of each kind, some random moves on."""
    service, chance = GameService(EventStore.open("memory:")), Random(3)
    for kind in ("zimbabwe", "africana"):
        service.new(kind, {"players": "3", "seed": "7"}, name=kind, by="ann", viewer=EVERYTHING)
        for _ in range(30):
            command = service.position(kind, EVERYTHING).legal().sample(chance)
            assert command
            service.play(kind, command, by="ann", viewer=EVERYTHING)
    return service


@pytest.fixture(params=["zimbabwe", "africana"])
def here(service: GameService, request: pytest.FixtureRequest) -> Position:
    return service.position(request.param, EVERYTHING)


def test_each_comes_to_what_trying_it_comes_to(service: GameService, here: Position) -> None:
    expressions = what_counts(here.figures, here.mover, here.game.display.MONEY)
    outlooks = sweep(here, expressions)
    assert sorted(each.text for each in outlooks) == sorted(here.legal().texts())
    for each in Random(7).sample(outlooks, min(len(outlooks), 40)):
        (after,) = service.try_(here.match, [each.text], EVERYTHING).positions
        assert each.values == tuple(expression.value(after.figures) for expression in expressions)


def test_the_best_stands_first(here: Position) -> None:
    expressions = [
        parse(f"{here.mover}.{name}") for name in here.figures[here.mover] if name in ("vp", "cattle", "gold")
    ]
    values = [each.values for each in sweep(here, expressions)]
    assert values == sorted(values, reverse=True)


def test_only_those_that_begin_so(here: Position) -> None:
    word = next(iter(here.legal().texts())).split()[0]
    assert [each.text.split()[0] for each in sweep(here, [], word)] == [word] * len(list(here.legal().texts(word)))


def test_the_position_is_left_as_it_is(here: Position) -> None:
    before = here.game.evolution.canonical(here.state)
    sweep(here, [])
    assert here.game.evolution.canonical(here.state) == before


def test_a_sweep_says_which_values_are_hidden(service: GameService) -> None:
    """A spectator's sweep invents nothing: a value that depends on a hidden card has no figure."""
    here = service.position("africana")
    outlooks = sweep(here, what_counts(here.figures, here.mover, here.game.display.MONEY))
    for each in outlooks:
        try_result = service.try_("africana", [each.text])
        assert bool(each.hidden) == bool(try_result.hidden)
        assert not each.hidden or not any(each.values)


def test_a_figure_that_there_is_not_is_said(here: Position) -> None:
    with pytest.raises(GameError, match="no such name here"):
        sweep(here, [parse("nobody_knows + 1")])


def test_only_those_like_a_pattern(here: Position) -> None:
    word, last = next(iter(here.legal().texts())).split()[0], list(here.legal().texts())[-1]
    assert [each.text.split()[0] for each in sweep(here, [], f"{word.title()} *")] == [
        text.split()[0] for text in here.legal().texts(word) if text != word
    ]
    assert [each.text for each in sweep(here, [], f"*{last[1:]}")] == [
        text for text in here.legal().texts() if text.endswith(last[1:])
    ]
