"""The legal commands: exactly those that `decide` accepts, found without trying them all."""

from collections.abc import Iterator
from itertools import permutations, product, takewhile
from random import Random

import pytest
from hypothesis import assume, settings
from hypothesis import given as for_all
from hypothesis import strategies as st

from tests.decider_kit import Facts
from tests.zimbabwe.facts import adored_god, cattle, craftsman, hired_specialist, monument, technology, turn_of
from tests.zimbabwe.kit import given
from tests.zimbabwe.random_play import Recipe, recipes, state_after
from zimcore.game import Accepted
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe.commands import (
    Adore,
    AnyCommand,
    Build,
    EndTurn,
    Give,
    Hire,
    Pass,
    PlaceCraftsman,
    Raise,
    SetPrices,
    Start,
    Use,
)
from zimcore.games.zimbabwe.components import CRAFTSMEN, GODS, RESOURCES, SPECIALISTS
from zimcore.games.zimbabwe.events import STOCK, CattlePaid, ResourcePlaced, VRChanged
from zimcore.games.zimbabwe.legal import LegalCommands, legal_buildings, legal_raises
from zimcore.games.zimbabwe.state import State


def all_commands(state: State) -> Iterator[AnyCommand]:
    """Every command in one form each, without raises and prices of several technologies."""
    squares = tuple(state.board.square)
    yield from map(Start, squares)
    yield from map(Give, range(max(40, *state.cattle.values()) + 5))
    yield from (Pass(), EndTurn())
    yield from map(Adore, GODS)
    yield from (command_type(*arguments) for command_type in (Hire, Use) for arguments in specialist_arguments(state))
    yield from (Build((square,)) for square in squares)
    for type_, square, price in product(CRAFTSMEN, squares, (None, 0, 1, 2, 3, 4)):
        yield from (
            PlaceCraftsman(type_, tile_squares, price) for tile_squares in rectangles(*CRAFTSMEN[type_].size, square)
        )
    yield from (SetPrices(((type_, price),)) for type_, price in product(CRAFTSMEN, range(5)))


def specialist_arguments(state: State) -> Iterator[tuple[str, int | None, str | None, tuple[str, ...]]]:
    for name, specialist in SPECIALISTS.items():
        costs = range(9) if len(specialist.costs) > 1 else [None]
        yield from ((name, cost, None, ()) for cost in costs)
        for square in state.board.square:
            yield from ((name, None, resource, (square,)) for resource in RESOURCES)
            yield from ((name, None, None, square_pair) for square_pair in rectangles(1, 2, square))


def rectangles(width: int, height: int, square: str) -> Iterator[tuple[str, ...]]:
    """Both ways in which a rectangle can lie from its top left square, on the board or not."""
    column, row = ord(square[0]), int(square[1:])
    for columns, rows in set(permutations((width, height))):
        yield tuple(
            f"{chr(column + column_offset)}{row + row_offset}"
            for row_offset in range(rows)
            for column_offset in range(columns)
        )


def is_accepted(state: State, command: AnyCommand) -> bool:
    return isinstance(GAME.rules.decide(state, state.actor or "", command), Accepted)


def has_one_form(command: AnyCommand) -> bool:
    """Whether `all_commands` has it in this one way."""
    if isinstance(command, Build):
        return len(command.squares) == 1
    return not isinstance(command, Raise) and not (isinstance(command, SetPrices) and len(command.prices) > 1)


def is_listed(state: State, command: AnyCommand) -> bool:
    """All but craftsmen with the price of a technology that is there, or without that of a new one: both come later."""
    if not isinstance(command, PlaceCraftsman):
        return True
    return (command.price is None) == (f"{state.actor}/{command.type}" in state.technologies)


def check_listing(state: State) -> None:
    listed_commands = list(GAME.rules.legal(state, state.actor or ""))
    accepted_commands = {
        command for command in all_commands(state) if command in GAME.rules.legal(state, state.actor or "")
    }
    expected_commands = {command for command in accepted_commands if is_listed(state, command)}
    assert len(set(listed_commands)) == len(listed_commands)
    assert {command for command in listed_commands if has_one_form(command)} == expected_commands
    assert [command for command in listed_commands if not is_accepted(state, command)] == []


@settings(max_examples=12)
@for_all(recipes(), st.integers(0, 120))
def test_legal_commands_are_those_that_are_accepted_when_everything_is_tried(recipe: Recipe, move_count: int) -> None:
    check_listing(state_after(recipe, move_count))


@settings(max_examples=25)
@for_all(recipes(), st.integers(0, 120), st.integers(0, 2**32))
def test_a_command_is_legal_if_and_only_if_decide_accepts_it(recipe: Recipe, move_count: int, seed: int) -> None:
    state = state_after(recipe, move_count)
    legal_commands = LegalCommands(state)
    for command in Random(seed).sample(list(all_commands(state)), 300):
        assert (command in legal_commands) == is_accepted(state, command), GAME.notation.format(command)


MAP = "C....S..W ......... .I~....D. ...~..... W....S..C"
SHAMAN_THREE_TIMES = [ResourcePlaced("zulu", "ivory", square) for square in ("a2", "c2", "e2")]
OCCASIONS: dict[str, tuple[Facts, list[str]]] = {
    "two monuments": (adored_god("kilwa", "obatala"), []),
    "two monuments among nomads": (
        [adored_god("kilwa", "obatala"), hired_specialist("kilwa", "nomads")],
        ["use nomads"],
    ),
    "one of two monuments": (adored_god("kilwa", "obatala"), ["build c5"]),
    "something else after one of two": (adored_god("kilwa", "obatala"), ["build c5", "hire builder"]),
    "both monuments": (adored_god("kilwa", "obatala"), ["build c5 i3"]),
    "one monument is raised": ([craftsman("zulu", "potter", "c1-d1"), monument("kilwa", "i3")], ["raise f1"]),
    "range 6": (adored_god("kilwa", "eshu"), []),
    "any price": ([adored_god("kilwa", "dziva"), technology("kilwa", "potter", price=3)], []),
    "a secondary craftsman": (craftsman("zulu", "wood_carver", "g1-h1"), []),
    "while placing craftsmen": ((), ["craft potter b1-c1 price 1"]),
    "while a price is missing": ((), ["craft potter b1-c1"]),
    "with two of them": (technology("kilwa", "wood_carver"), ["craft potter b1-c1", "craft ivory_carver b4"]),
    "after raising others": (technology("kilwa", "wood_carver"), ["craft potter b1-c1", "price wood_carver 2"]),
    "after raising prices": (technology("kilwa", "potter"), ["price potter 2"]),
    "after something else": ((), ["craft potter b1-c1 price 1", "hire builder"]),
    "after building": ((), ["build c5"]),
    "no tile of ivory is left": ([hired_specialist("kilwa", "shaman"), SHAMAN_THREE_TIMES], []),
    "a poor player": (CattlePaid("kilwa", STOCK, 29, "taken"), []),
    "hardly any VR left": (VRChanged("kilwa", 18, "given"), []),
}


def state_of_occasion(occasion: str) -> State:
    facts, lines = OCCASIONS[occasion]
    monuments = [monument("kilwa", "f1"), monument("zulu", "f5")]
    return given(MAP, cattle(kilwa=30), monuments, facts, turn_of("kilwa"), lines).state


@pytest.mark.parametrize("occasion", OCCASIONS)
def test_legal_commands_on_occasions(occasion: str) -> None:
    check_listing(state_of_occasion(occasion))


@pytest.mark.parametrize("occasion", OCCASIONS)
def test_two_monuments_are_legal_in_any_order(occasion: str) -> None:
    state = state_of_occasion(occasion)
    legal_commands = LegalCommands(state)
    commands = (command for command in legal_buildings(state) if isinstance(command, Build))
    building_pairs = {command for command in commands if len(command.squares) == 2}
    ordered_pairs = {
        ordered_pair
        for ordered_pair in map(Build, permutations(state.board.square, 2))
        if ordered_pair in legal_commands
    }
    assert ordered_pairs == building_pairs | {Build(command.squares[::-1]) for command in building_pairs}
    assert bool(building_pairs) == occasion.startswith("two monuments")


@settings(max_examples=40)
@for_all(recipes(), st.integers(20, 120))
def test_raising_is_listed_once_for_each_set(recipe: Recipe, move_count: int) -> None:
    state = state_after(recipe, move_count)
    assume(state.phase == "actions")
    commands = list(legal_raises(state))
    raised_sets = [frozenset(ritual.monument for ritual in command.rituals) for command in commands]
    assert len(set(raised_sets)) == len(raised_sets)
    assert all(is_accepted(state, command) for command in commands)


def test_commands_are_found_by_the_beginnings_of_their_words() -> None:
    legal_commands = LegalCommands(state_of_occasion("a secondary craftsman"))
    texts = list(legal_commands.texts("craft wood_carver a1"))
    assert list(legal_commands.texts("cra wood-c a1")) == texts
    assert set(legal_commands.texts("CRA  wo")) == {
        text for text in legal_commands.texts() if text.startswith("craft wood_carver")
    }
    assert list(legal_commands.texts("p")) == list(legal_commands.texts("pri"))
    assert list(legal_commands.texts("craft potter d4 price 2 and more")) == []


def test_kinds_are_counted() -> None:
    legal_commands = LegalCommands(state_of_occasion("two monuments"))
    assert legal_commands.kinds == ("adore", "hire", "use", "build", "craft", "price", "raise", "end")
    assert (
        legal_commands.count()
        == sum(legal_commands.count(kind) for kind in legal_commands.kinds)
        == len(list(legal_commands))
    )
    assert legal_commands.count("build") == len(list(legal_commands.texts("build"))) > 0
    assert legal_commands
    assert not GAME.rules.legal(GAME.evolution.initial(), "")
    assert repr(GAME.rules.legal(GAME.evolution.initial(), "")) == "<0 legal commands for nobody>"


def squares_by_words(state: State, kind: str) -> dict[str, set[tuple[str, ...]]]:
    """The squares of all listed commands of a kind, by the words that come before them in notation."""
    squares_by_text: dict[str, set[tuple[str, ...]]] = {}
    for command in LegalCommands(state).of_kind(kind):
        squares = (command.square,) if isinstance(command, Start) else getattr(command, "squares", ())
        if squares and not (isinstance(command, Build) and len(squares) > 1):
            words = takewhile(lambda word: word[1:2].isalpha(), GAME.notation.format(command).split())
            squares_by_text.setdefault(" ".join(words), set()).add(squares)
    return squares_by_text


@settings(max_examples=25)
@for_all(recipes(), st.integers(0, 120))
def test_places_are_those_of_the_listed_commands(recipe: Recipe, move_count: int) -> None:
    state = state_after(recipe, move_count)
    legal_commands = LegalCommands(state)
    for kind in legal_commands.kinds:
        places_by_words = legal_commands.places(kind)
        square_sets_by_words = {
            words: [set(state.board.rectangles(*place)) for place in places]
            for words, places in places_by_words.items()
        }
        assert {
            words: set.union(*square_sets) for words, square_sets in square_sets_by_words.items()
        } == squares_by_words(state, kind)
    assert legal_commands.places() == {
        words: places for kind in legal_commands.kinds for words, places in legal_commands.places(kind).items()
    }


def test_places_are_named_as_in_notation() -> None:
    places = LegalCommands(state_of_occasion("two monuments")).places()
    assert {"build", "craft potter", "hire rain_ceremony", "hire shaman wood"} <= set(places)
    assert [(place.width, place.height) for place in places["craft potter"]] == [(1, 2), (2, 1)]
    assert LegalCommands(GAME.evolution.initial()).places() == {}
