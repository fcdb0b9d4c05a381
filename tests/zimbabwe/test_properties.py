"""What holds in every game, whatever is played: the invariants of the rules, and the contract of a decider."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, islice, permutations

import msgspec
import pytest
from hypothesis import assume, given, note, settings
from hypothesis import strategies as st

from event_store.codec import encode
from tests.zimbabwe.random_play import Recipe, beginning_events, play, recipes, state_after
from zimcore.game import Accepted, Event
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe.commands import (
    Adore,
    Build,
    EndTurn,
    Give,
    Hire,
    Pass,
    PlaceCraftsman,
    Raise,
    SetPrices,
    Square,
    Start,
    Use,
)
from zimcore.games.zimbabwe.components import CONSTANTS, CRAFTSMEN, CraftsmanType
from zimcore.games.zimbabwe.events import STOCK, CattlePaid, MonumentBuilt, TurnBegun, VRChanged
from zimcore.games.zimbabwe.rules.craftsmen import footprints
from zimcore.games.zimbabwe.state import State


def check_accounts(state: State) -> None:
    assert sum(state.cattle.values()) == 0
    assert all(amount >= 0 for account, amount in state.cattle.items() if account != STOCK)


def check_piece_limits(state: State) -> None:
    craftsman_counts = Counter(craftsman.type for craftsman in state.craftsmen)
    assert all(count <= CONSTANTS.craftsmen_per_type for count in craftsman_counts.values())
    assert all(len(state.owners_of(type_)) <= CONSTANTS.cards_per_type for type_ in CRAFTSMEN)
    assert {*state.tiles.values(), state.water_tiles} <= set(range(CONSTANTS.water_tiles + 1))
    assert all(1 <= monument.level <= CONSTANTS.max_level for monument in state.monuments.values())


def check_markers(state: State) -> None:
    resources = {name for squares in state.resources.values() for name in state.board.names(squares)}
    assert state.used_markers.keys() <= resources
    limit = 2 * len(state.seats) if state.has_house_rule("atete") else 2
    assert all(1 <= markers <= limit for markers in state.used_markers.values())


def check_overlaps(state: State) -> None:
    zones = [state.monument_squares, *(craftsman.zone for craftsman in state.craftsmen)]
    for piece, other_piece in combinations([*zones, *state.resources.values(), state.board.water, state.empty_land], 2):
        assert not piece & other_piece
    assert state.monument_squares == state.board.mask(state.monuments)
    assert not state.start_areas & state.empty_land


def check_points(state: State) -> None:
    for seat in state.seats:
        monument_points = [
            CONSTANTS.level_vp[monument.level] for monument in state.monuments.values() if monument.owner == seat
        ]
        craftsman_points = [CRAFTSMEN[craftsman.type].vp for craftsman in state.craftsmen if craftsman.owner == seat]
        assert state.vp[seat] == sum(monument_points) + sum(craftsman_points)


def check_requirements(state: State) -> None:
    for seat in state.seats:
        god = state.adores.get(seat)
        card_vrs = [state.setup.gods[god]] if god else []
        card_vrs += [state.setup.specialists[specialist] for specialist in state.specialists_of(seat)]
        card_vrs += [technology.vr for technology in state.technologies_of(seat).values()]
        assert state.vr[seat] == CONSTANTS.start_vr + sum(card_vrs) <= CONSTANTS.max_vr
    queue_vrs = [state.vr[seat] for seat in state.queue]
    assert (sorted(state.queue), queue_vrs) == (sorted(state.seats), sorted(queue_vrs, reverse=True))


def check_zoning(state: State, event: Event) -> None:
    if isinstance(event, MonumentBuilt) and "nomads" not in state.turn.used:
        square = state.board.square[event.square]
        squares_built_this_turn = state.board.mask(state.turn.monuments) if state.has_house_rule("obatala") else 0
        assert (
            state.board.with_neighbours(square) & state.monument_squares & ~squares_built_this_turn | square == square
        )


def check_payment(event: Event) -> None:
    if isinstance(event, CattlePaid):
        assert event.amount > 0
        assert event.payer != STOCK or event.reason in {"income", "herd", "elegua", "engai", "builder"}
        is_unadored_plaque = event.payer == "plaque/shadipinyi"
        assert event.payee != STOCK or is_unadored_plaque or event.reason in {"hubs", *CRAFTSMEN}


@settings(max_examples=10)
@given(recipes())
def test_invariants_hold_after_every_event_and_every_command(recipe: Recipe) -> None:
    for move in play(recipe, 150):
        note(GAME.notation.format(move.command))
        state = GAME.evolution.copy(move.state_before)
        for event in move.outcome.events:
            GAME.evolution.evolve(state, event)
            check_accounts(state)
            check_payment(event)
            check_piece_limits(state)
            check_markers(state)
            check_zoning(state, event)
        check_overlaps(state)
        check_points(state)
        check_requirements(state)


@settings(max_examples=10)
@given(recipes())
def test_deciding_evolving_and_copying_keep_their_contract(recipe: Recipe) -> None:
    for move in play(recipe, 80):
        note(GAME.notation.format(move.command))
        canonical_before, state_copy = (
            GAME.evolution.canonical(move.state_before),
            GAME.evolution.copy(move.state_before),
        )
        outcome = GAME.rules.decide(state_copy, state_copy.actor or "", move.command)
        assert isinstance(outcome, Accepted)
        assert outcome.events == move.outcome.events
        assert GAME.evolution.canonical(state_copy) == canonical_before, (
            "deciding changed the position, or the copy was none"
        )
        for event in move.outcome.events:
            GAME.evolution.evolve(state_copy, event)
        assert GAME.evolution.canonical(state_copy) == GAME.evolution.canonical(move.outcome.state) != canonical_before
        assert GAME.evolution.canonical(move.state_before) == canonical_before, "the copy was not independent"


@settings(max_examples=10)
@given(recipes())
def test_a_game_read_back_from_bytes_is_the_same_and_looks_the_same(recipe: Recipe) -> None:
    decoded_state = GAME.evolution.initial()
    for event in (*beginning_events(recipe), *(event for move in play(recipe, 60) for event in move.outcome.events)):
        GAME.evolution.evolve(decoded_state, msgspec.msgpack.decode(encode(event), type=type(event)))
    expected_state = state_after(recipe, 60)
    assert GAME.evolution.canonical(decoded_state) == GAME.evolution.canonical(expected_state)
    assert GAME.display.tables(decoded_state) == GAME.display.tables(expected_state)
    assert GAME.display.board(decoded_state) == GAME.display.board(expected_state)
    assert list(islice(GAME.rules.legal(decoded_state, decoded_state.actor or ""), 50)) == list(
        islice(GAME.rules.legal(expected_state, expected_state.actor or ""), 50)
    )


@settings(max_examples=10)
@given(recipes())
def test_every_legal_command_is_listed_and_its_text_is_read_back(recipe: Recipe) -> None:
    for move in play(recipe, 80):
        text, actor = GAME.notation.format(move.command), move.state_before.actor
        assert move.command in GAME.rules.legal(move.state_before, move.state_before.actor or "")
        assert GAME.notation.parse(text, move.state_before) == (None, move.command)
        assert GAME.notation.parse(f"{actor}: {text}", move.state_before) == (actor, move.command)


@settings(max_examples=25)
@given(recipes(), st.integers(10, 90), st.sampled_from(sorted(CRAFTSMEN)))
def test_footprints_are_where_a_craftsman_of_a_rich_player_can_be_placed(
    recipe: Recipe, move_count: int, type_: CraftsmanType
) -> None:
    state = GAME.evolution.copy(state_after(recipe, move_count))
    assume(state.phase == "actions")
    assume(len(state.craftsmen_of_type(type_)) < CONSTANTS.craftsmen_per_type)
    seat = state.turn.seat
    price = None if f"{seat}/{type_}" in state.technologies else 1
    assume(price is None or len(state.owners_of(type_)) < CONSTANTS.cards_per_type)
    for fact in (TurnBegun(seat), CattlePaid(STOCK, seat, 10, "given"), VRChanged(seat, -9, "given")):
        GAME.evolution.evolve(state, fact)
    all_tiles = {squares for square in state.board.square for squares in tiles_at(type_, square)}
    legal_commands = GAME.rules.legal(state, state.actor or "")
    legal_tiles = {squares for squares in all_tiles if PlaceCraftsman(type_, squares, price) in legal_commands}
    assert legal_tiles == set(footprints(state, type_))


def tiles_at(type_: CraftsmanType, square: Square) -> Iterator[tuple[Square, ...]]:
    """Both ways in which a craftsman could lie from its top left square, on the board or not."""
    column, row = ord(square[0]), int(square[1:])
    for width, height in set(permutations(CRAFTSMEN[type_].size)):
        yield tuple(
            f"{chr(column + column_offset)}{row + row_offset}"
            for row_offset in range(height)
            for column_offset in range(width)
        )


@pytest.mark.parametrize("players", ["2", "5"])
def test_random_games_see_all_kinds_of_commands_and_end(players: str) -> None:
    games = [list(play(Recipe({"players": players, "gods": "all"}, 12, seed), 400)) for seed in range(2)]
    command_types = {type(move.command) for game in games for move in game}
    assert command_types == {Start, Give, Pass, Adore, Hire, Use, Build, PlaceCraftsman, SetPrices, Raise, EndTurn}
    assert all(game[-1].outcome.state.winner for game in games)
