"""A-COMP and A-SETUP: what is in the box, and how it is laid out."""

from collections import Counter

import pytest
from msgspec.structs import replace

from tests.africana.kit import BOX, Position, given
from zimcore.game import OptionError
from zimcore.games.africana import GAME
from zimcore.games.africana.commands import EndAdventure, Join, Move, SetUp
from zimcore.games.africana.events import (
    BANK,
    CardsDrawn,
    ExpeditionLaid,
    GameSetUp,
    PlayerScored,
    RoundBegun,
    SilverPaid,
    TurnBegun,
)
from zimcore.games.africana.rules.setup import deal
from zimcore.games.africana.state import State

BEFORE_SET_UP = Position(GAME.evolution.initial())


def state_of_new_match(players: int = 4, seed: int = 7) -> State:
    return BEFORE_SET_UP.when(SetUp(seed, (("players", str(players)),))).state


@pytest.mark.rule(accepts="A-COMP-01 A-COMP-07")
def test_a_comp_01_there_are_11_locations_on_each_side_of_the_equator() -> None:
    location_counts = Counter(location.half for location in BOX.locations)
    assert location_counts == {"north": 11, "south": 11}
    assert {len(location.symbols) for location in BOX.locations} == {1, 2}
    assert all(state_of_new_match().map.neighbours[location.name] for location in BOX.locations)


@pytest.mark.rule(refuses="A-COMP-01 A-COMP-02 A-COMP-04 A-COMP-05")
def test_a_comp_commands_with_pieces_that_are_not_in_the_box_are_refused() -> None:
    given().when(Move("paris", "joker")).refused("A-COMP-01", because="paris is not a location")
    given().when(Move("cairo", "pink")).refused("A-COMP-05", because="pink is not a card")
    given().when(Join("Z99")).refused("A-COMP-04", because="Z99 is not an expedition")
    given().when(EndAdventure("A01")).refused("A-COMP-02", because="A01 is not an adventure")


@pytest.mark.rule(accepts="A-COMP-02 A-COMP-03")
def test_a_comp_02_each_book_has_5_assistants_and_two_artifacts_of_each_kind() -> None:
    africa_map = state_of_new_match().map
    for book, target in (("north", "south"), ("south", "north")):
        cards = [card for card in BOX.adventures if card.book == book]
        assert {africa_map.half(card.target) for card in cards} == {target}
        assert Counter(card.assistant for card in cards if card.assistant) == dict.fromkeys(BOX.colours, 1)
        assert Counter(card.artifact for card in cards if card.artifact) == dict.fromkeys(BOX.artifacts, 2)


@pytest.mark.rule(accepts="A-COMP-04 A-COMP-05 A-COMP-06 A-COMP-08")
def test_a_comp_04_as_many_cards_as_the_rulebook_says() -> None:
    assert len(BOX.expeditions) == 34
    assert {card.back for card in BOX.expeditions} == {"A", "B", "C"}
    assert sum(BOX.travel_cards.values()) == 60
    assert set(BOX.assistants.values()) == {2}
    assert (BOX.jokers, len(BOX.companies), BOX.limits.markers, len(BOX.bonuses)) == (4, 4, 4, 5)
    assert all((bonus.silver > 0) != (bonus.travel_cards > 0) for bonus in BOX.bonuses)


@pytest.mark.rule(accepts="A-SETUP-01 A-SETUP-08")
@pytest.mark.parametrize(
    ("players", "seats"),
    [(2, ("italy", "france")), (3, ("italy", "france", "germany")), (4, ("italy", "france", "germany", "england"))],
)
def test_a_setup_01_two_to_four_play_in_the_order_of_the_companies(players: int, seats: tuple[str, ...]) -> None:
    answer = BEFORE_SET_UP.when(SetUp(1, (("players", str(players)),)))
    answer.then_among(RoundBegun(1), TurnBegun("italy"))
    assert answer.state.seats == seats


@pytest.mark.rule(refuses="A-SETUP-01")
def test_a_setup_01_other_numbers_of_players_and_options_are_refused() -> None:
    BEFORE_SET_UP.when(SetUp(1, (("players", "5"),))).refused("A-SETUP-01", because="2 to 4 players")
    BEFORE_SET_UP.when(SetUp(1, (("colour", "red"),))).refused("A-SETUP-01", because="no option colour")
    BEFORE_SET_UP.when(SetUp(None)).refused("A-SETUP-01", because="hidden")
    given().when(SetUp(1)).refused("A-SETUP-01", because="set up already")
    with pytest.raises(OptionError, match="2 to 4 players"):
        GAME.rules.set_up({"players": "1"}, 1)


@pytest.mark.rule(accepts="A-SETUP-02")
def test_a_setup_02_each_book_lies_on_one_half_with_its_top_card_visible() -> None:
    for half, book in state_of_new_match().books.items():
        assert sorted(book.left) == sorted(card.id for card in BOX.adventures if card.book == half)
        assert (book.right, book.unseen) == ((), 14)
    assert state_of_new_match(seed=1).books != state_of_new_match(seed=2).books


@pytest.mark.rule(accepts="A-SETUP-03 A-SETUP-04 A-SETUP-05 A-SETUP-06")
@pytest.mark.parametrize(("players", "in_play_count"), [(4, 30), (3, 27), (2, 24)])
def test_a_setup_04_some_of_c_are_removed_and_a_lies_on_b_on_c(players: int, in_play_count: int) -> None:
    state = state_of_new_match(players)
    back_of_card = {card.id: card.back for card in BOX.expeditions}
    backs = [back_of_card[card] for card in state.stack]
    assert backs == sorted(backs, reverse=True)
    assert [back_of_card[card] for card in state.spaces] == ["A"] * 5
    assert len(state.stack) + len(state.spaces) == in_play_count
    assert {back_of_card[card] for card in state.removed} == {"C"}
    assert {*state.stack, *state.spaces, *state.removed} == back_of_card.keys()


@pytest.mark.rule(accepts="A-SETUP-07 A-SETUP-09 A-SETUP-10")
def test_a_setup_09_everybody_has_money_a_joker_and_a_card_at_the_start_place() -> None:
    answer = BEFORE_SET_UP.when(SetUp(7))
    answer.then_among(
        *(ExpeditionLaid(card, space) for space, card in enumerate(answer.state.spaces, 1)),
        SilverPaid(BANK, "italy", 2, "start"),
        SilverPaid(BANK, "france", 2, "start"),
        SilverPaid(BANK, "germany", 3, "start"),
        SilverPaid(BANK, "england", 4, "start"),
    )
    state = answer.state
    assert state.places == {"italy": "napoli", "france": "cape_town", "germany": "lagos", "england": "jidda"}
    assert state.silver == {BANK: -11, "italy": 2, "france": 2, "germany": 3, "england": 4}
    cards_by_seat = {event.seat: event.cards for event in answer.events if isinstance(event, CardsDrawn)}
    assert all(sorted(state.hands[seat]) == sorted(("joker", *cards_by_seat[seat])) for seat in state.seats)
    assert {len(cards) for cards in cards_by_seat.values()} == {1}
    assert (len(state.pile), state.discards) == (56, ())
    assert all(state.markers_left(seat) == 4 for seat in state.seats)
    assert state.supply == dict.fromkeys(BOX.colours, 2)


def test_all_chance_follows_from_the_seed_and_is_recorded() -> None:
    assert GAME.evolution.canonical(state_of_new_match(seed=5)) == GAME.evolution.canonical(state_of_new_match(seed=5))
    assert GAME.evolution.canonical(state_of_new_match(seed=5)) != GAME.evolution.canonical(state_of_new_match(seed=6))
    (set_up_event,) = (event for event in BEFORE_SET_UP.when(SetUp(5)).events if isinstance(event, GameSetUp))
    assert len(set_up_event.pile) == 60
    assert set_up_event.components == BOX
    assert not any(isinstance(event, PlayerScored) for event in BEFORE_SET_UP.when(SetUp(5)).events)


@pytest.mark.parametrize(
    ("text", "seats", "names"),
    [
        ("italy:Ann,france:Bob", ("italy", "france"), {"italy": "Ann", "france": "Bob"}),
        ("Italy France germany:Cai", ("italy", "france", "germany"), {"germany": "Cai"}),
        ("2", ("italy", "france"), {}),
    ],
)
def test_people_are_named_with_their_companies(text: str, seats: tuple[str, ...], names: dict[str, str]) -> None:
    setup = BEFORE_SET_UP.when(SetUp(1, (("players", text),))).state.setup
    assert setup
    assert (setup.seats, setup.names) == (seats, names)


def test_all_companies_may_be_named_and_any_whole_number_of_19_digits_is_a_seed() -> None:
    all_companies = "italy france germany england"
    assert GAME.rules.set_up({"players": all_companies}, 1) == SetUp(1, (("players", all_companies),))
    assert GAME.rules.set_up({"seed": "9" * 19}, 1) == SetUp(10**19 - 1)
    for text in ("9" * 20, "9" * 21, "²", "x", "-1"):
        with pytest.raises(OptionError, match=r"^seed="):
            GAME.rules.set_up({"seed": text}, 1)


def test_a_book_of_any_length_shows_its_top_card_only() -> None:
    state = GAME.evolution.initial()
    set_up_event = next(event for event in BEFORE_SET_UP.when(SetUp(1)).events if isinstance(event, GameSetUp))
    books = {"north": ("N01", "N02"), "south": ("S01",)}
    GAME.evolution.evolve(state, replace(set_up_event, books=books))
    assert {half: book.unseen for half, book in state.books.items()} == {"north": 1, "south": 0}


@pytest.mark.parametrize(
    "text",
    [
        "italy",
        "france italy",
        "italy germany",
        "france:Ann,italy:Bob",
        "italy:Ann,spain:Bob",
        "italy:Ann,france:ann",
        "5",
    ],
)
def test_wrong_lists_of_players_are_refused(text: str) -> None:
    with pytest.raises(OptionError, match=r"^players="):
        GAME.rules.set_up({"players": text}, 1)


def test_the_nearest_right_players_are_the_first_companies() -> None:
    with pytest.raises(OptionError) as error:
        GAME.rules.set_up({"players": "italy,germany"}, 1)
    assert error.value.hints == ("players=italy,france",)


def test_unknown_options_and_values_are_refused() -> None:
    with pytest.raises(OptionError, match=r"^there is no option dice: a new game takes players, "):
        deal(1, {"dice": "6"}, BOX)
    with pytest.raises(OptionError) as error:
        deal(1, {"must_ent": "compulsory"}, BOX)
    assert error.value.hints == ("must_end=compulsory",)
    with pytest.raises(OptionError, match=r"^must_end=perhaps: "):
        deal(1, {"must_end": "perhaps"}, BOX)
