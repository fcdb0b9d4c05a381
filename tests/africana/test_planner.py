"""The movement planner, against trying everything that the rules allow."""

from collections.abc import Iterator

import pytest
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st

from tests.africana.kit import BOX, PILE, Position, explorers_at, given, hand, joins, owns, silver, with_fields
from zimcore.game import Accepted
from zimcore.games.africana import GAME
from zimcore.games.africana.cards import UNKNOWN, is_travel
from zimcore.games.africana.commands import EndTurn, Move
from zimcore.games.africana.events import BANK, SilverPaid
from zimcore.games.africana.planner import Cost, Way, cheapest_ways
from zimcore.games.africana.state import State

PLACES = [location.name for location in BOX.locations]


def without_hidden_cards(state: State) -> State:
    """The same position as a seat knows it, without the cards that will be drawn."""
    hidden_piles = {name: (UNKNOWN,) * len(getattr(state, name)) for name in ("pile", "discards")}
    return with_fields(Position(state), **hidden_piles, seed=None).state


def reachable_states(state: State) -> Iterator[tuple[State, Cost]]:
    """Every position that can be reached in the action, with what was paid on the way."""
    frontier: list[tuple[State, int]] = [(without_hidden_cards(state), 0)]
    seen_states = set()
    while frontier:
        current_state, silver_paid = frontier.pop()
        key = (GAME.evolution.canonical(current_state), silver_paid)
        if key in seen_states:
            continue
        seen_states.add(key)
        yield current_state, (silver_paid, sum(map(is_travel, current_state.table)), len(current_state.table))
        for command in GAME.rules.legal(current_state, current_state.actor or ""):
            if not isinstance(command, EndTurn) and type(command).__name__ not in ("Draw", "TurnPage", "Buy"):
                answer = GAME.rules.decide(current_state, current_state.turn.seat, command)
                assert isinstance(answer, Accepted)
                frontier.append((answer.state, silver_paid + sum(map(recolouring_cost, answer.events))))


def recolouring_cost(event: object) -> int:
    return event.amount if isinstance(event, SilverPaid) and event.payee == BANK else 0


def costs_by_brute_force(state: State) -> dict[str, Cost]:
    best_costs: dict[str, Cost] = {}
    for reached_state, cost in reachable_states(state):
        place = reached_state.places[reached_state.turn.seat]
        best_costs[place] = min(cost, best_costs.get(place, cost))
    return best_costs


def cost_of(way: Way) -> Cost:
    return way.silver, way.travel_cards, way.steps


@st.composite
def positions(draw: st.DrawFn) -> State:
    """Positions with few cards, some silver, and something to join and end nearby; markers are sometimes short."""
    start_place = draw(st.sampled_from(PLACES))
    neighbours = sorted(given().state.map.neighbours[start_place])
    nearby_places = [start_place, *neighbours]
    ids = [card.id for card in BOX.expeditions if card.start in nearby_places or card.target in nearby_places]
    spaces = draw(st.lists(st.sampled_from(ids), min_size=5, max_size=5, unique=True))
    adventures = [card.id for card in BOX.adventures if card.target in nearby_places]
    cards = draw(st.lists(st.sampled_from([*BOX.colours, UNKNOWN]), max_size=2))
    position = given(
        explorers_at(italy=start_place),
        silver(italy=draw(st.integers(0, 7))),
        owns("italy", *draw(st.lists(st.sampled_from(adventures), max_size=2, unique=True)) if adventures else ()),
        joins("italy", *draw(st.lists(st.sampled_from(spaces), max_size=4, unique=True))),
        hand(italy=" ".join(cards)),
    )
    pile_size = draw(st.integers(0, 3))
    return with_fields(position, spaces=tuple(spaces), pile=PILE[:pile_size], discards=()).state


@settings(max_examples=60)
@for_all(positions())
def test_the_cheapest_ways_are_those_found_by_trying_everything(state: State) -> None:
    assert {place: cost_of(way) for place, way in cheapest_ways(state, "italy").items()} == costs_by_brute_force(state)


@settings(max_examples=60)
@for_all(positions())
def test_every_way_can_be_played_and_costs_what_it_says(state: State) -> None:
    for place, way in cheapest_ways(state, "italy").items():
        reached_state, silver_paid = without_hidden_cards(state), 0
        for command in way.commands:
            answer = GAME.rules.decide(reached_state, "italy", command)
            assert isinstance(answer, Accepted), (command, answer)
            silver_paid += sum(map(recolouring_cost, answer.events))
            reached_state = answer.state
        assert reached_state.places["italy"] == place
        assert (silver_paid, sum(map(is_travel, reached_state.table)), len(reached_state.table)) == cost_of(way)


def test_jokers_are_free_and_recolouring_is_dear() -> None:
    state = given(hand(italy="gray violet"), silver(italy=5)).state
    ways_by_place = cheapest_ways(state, "italy")
    assert cost_of(ways_by_place["cairo"]) == (0, 0, 1)
    assert cost_of(ways_by_place["aswan"]) == (0, 1, 2)
    assert cost_of(ways_by_place["khartoum"]) == (0, 2, 3)
    assert "mozambique" not in ways_by_place
    first_place, *_ = ways_by_place
    assert first_place == "napoli"


def test_an_assistant_won_on_the_way_is_used_and_named() -> None:
    state = given(explorers_at(italy="luanda"), owns("italy", "N13"), hand(italy="gray")).state
    (way,) = (way for place, way in cheapest_ways(state, "italy").items() if place == "mozambique")
    texts = [GAME.notation.format(command) for command in way.commands]
    assert texts[0] == "end N13"
    assert {command.card for command in way.commands if isinstance(command, Move)} == {"gray_assistant", "joker"}


@pytest.mark.parametrize("marker_count", [1, 4])
def test_the_right_expedition_is_joined_however_few_markers_are_left(marker_count: int) -> None:
    """Both joinable expeditions start here; only one gives the silver to recolour a card."""
    joined_expeditions = ("A07", "A08", "A09")[: 4 - marker_count]
    position = given(
        explorers_at(italy="zanzibar"), silver(italy=3), hand(italy="orange"), spaces="A06 C10 A07 A08 A09"
    )
    state = with_fields(
        position.after(joins("italy", *joined_expeditions)), spaces=("A07", "A08", "A06", "A09", "C10")
    ).state
    assert {place: cost_of(way) for place, way in cheapest_ways(state, "italy").items()} == costs_by_brute_force(state)


def test_the_overlay_shows_reachable_places_and_the_way_there() -> None:
    state = given(hand(italy="gray violet"), silver(italy=5)).state
    overlay = GAME.display.overlay(state, "reach", [])
    assert overlay.squares["aswan"] == "2"
    assert "napoli" not in overlay.squares
    assert (
        GAME.display.overlay(state, "reach", ["asw"]).title
        == "move cairo joker · move aswan gray: 1 travel card, 0 silver"
    )
    assert "can't get to Mozambique" in GAME.display.overlay(state, "reach", ["moz"]).title
    state_at_book = given("draw", "draw").after("turn left").state
    assert GAME.display.overlay(state_at_book, "reach", []).squares == {}
