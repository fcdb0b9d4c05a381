"""A-INFO: what a seat may know. Hands and piles are secret, everything else is open."""

from collections.abc import Iterator

import pytest
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st

from tests.africana.invariants import check_cards_are_conserved
from tests.africana.kit import Position, given, hand, has_finished, owns
from tests.africana.random_play import Move, Recipe, play, recipes, set_up
from zimcore.game import Accepted, Event, Seat, figures
from zimcore.games.africana import GAME
from zimcore.games.africana.commands import Redeal, SetUp
from zimcore.games.africana.events import CardsDrawn, ExpeditionLaid, GameSetUp, Played
from zimcore.games.africana.rules.setup import set_up_command
from zimcore.games.africana.secrets import conceal, redact
from zimcore.games.africana.state import State

SEATS = ("italy", "france", "")
"""Two players and a spectator."""


def commits(recipe: Recipe, move_count: int) -> Iterator[Move]:
    yield set_up(recipe)
    yield from play(recipe, move_count)


def stored_events(move: Move) -> tuple[Event, ...]:
    """A commit's events as the service stores them."""
    return (Played(move.state_before.actor or "", move.command), *move.outcome.events)


def redealt_state(state: State, seat: Seat, seed: int) -> State:
    """A position that differs only in what the seat does not know."""
    new_state: State = redeal(state, seat, seed).state
    return new_state


def redeal(state: State, seat: Seat, seed: int) -> Accepted:
    answer = GAME.rules.decide(state, "", Redeal(seat, seed))
    assert isinstance(answer, Accepted)
    return answer


def reveals_card(event: Event) -> bool:
    return isinstance(event, ExpeditionLaid)


def state_after(recipe: Recipe, move_count: int) -> State:
    state: State = set_up(recipe).outcome.state
    for move in play(recipe, move_count):
        state = move.outcome.state
    return state


@pytest.mark.rule(accepts="A-INFO-01")
@settings(max_examples=6)
@for_all(recipes)
def test_a_info_01_redacted_events_lead_to_the_concealed_state(recipe: Recipe) -> None:
    states = {seat: GAME.evolution.initial() for seat in SEATS}
    for move in commits(recipe, 400):
        for event in stored_events(move):
            for seat, concealed_state in states.items():
                GAME.evolution.evolve(concealed_state, redact(event, seat))
        for seat, concealed_state in states.items():
            assert GAME.evolution.canonical(concealed_state) == GAME.evolution.canonical(
                conceal(move.outcome.state, seat)
            )


@settings(max_examples=25)
@for_all(recipes, st.integers(0, 150), st.sampled_from(SEATS[:2]), st.integers(0, 99))
def test_positions_that_differ_only_in_what_is_hidden_look_the_same(
    recipe: Recipe, move_count: int, seat: Seat, seed: int
) -> None:
    state = state_after(recipe, move_count)
    other_state = redealt_state(state, seat, seed)
    for viewer in (seat, ""):
        view, other_view = conceal(state, viewer), conceal(other_state, viewer)
        assert GAME.display.tables(view) == GAME.display.tables(other_view)
        assert GAME.display.board(view) == GAME.display.board(other_view)
        assert GAME.display.status(view) + GAME.display.toolbar(view) == GAME.display.status(
            other_view
        ) + GAME.display.toolbar(other_view)
        assert figures(GAME, view) == figures(GAME, other_view)
        assert GAME.evolution.outcome(view) == GAME.evolution.outcome(other_view)
        assert GAME.evolution.canonical(conceal(state, viewer)) == GAME.evolution.canonical(
            conceal(other_state, viewer)
        )
        commands, other_commands = (
            GAME.rules.legal(viewed_state, viewed_state.actor or "") for viewed_state in (view, other_view)
        )
        assert list(commands.texts()) == list(other_commands.texts())


@settings(max_examples=25)
@for_all(recipes, st.integers(0, 150), st.sampled_from(SEATS[:2]))
def test_later_moves_of_others_look_the_same_too(recipe: Recipe, move_count: int, seat: Seat) -> None:
    """Events may differ only where a hidden card is turned over: here, when an expedition is laid."""
    state = state_after(recipe, move_count)
    redacted_lines = []
    for seed in (1, 2):
        events = list(stored_events(Move(state, Redeal(seat, seed), redeal(state, seat, seed))))
        current_state = redealt_state(state, seat, seed)
        for text in ("end", "draw", "draw"):
            answer = GAME.rules.decide(
                current_state, current_state.actor or "", GAME.notation.parse(text, current_state)[1]
            )
            if (
                current_state.actor != seat
                and isinstance(answer, Accepted)
                and not any(map(reveals_card, answer.events))
            ):
                events += answer.events
                current_state = answer.state
        redacted_lines.append([redact(event, seat) for event in events])
    assert redacted_lines[0] == redacted_lines[1]
    assert list(map(GAME.notation.describe, redacted_lines[0])) == list(map(GAME.notation.describe, redacted_lines[1]))
    assert GAME.notation.summary(redacted_lines[0]) == GAME.notation.summary(redacted_lines[1])


@settings(max_examples=25)
@for_all(recipes, st.integers(0, 400), st.sampled_from(SEATS))
def test_a_concealed_state_can_be_played_on(recipe: Recipe, move_count: int, seat: Seat) -> None:
    """Every command that is legal in its view. Cards drawn or turned over are `?` in the result."""
    visible_state = conceal(state_after(recipe, move_count), seat)
    for command in GAME.rules.legal(visible_state, visible_state.actor or ""):
        answer = GAME.rules.decide(visible_state, visible_state.actor or "", command)
        assert isinstance(answer, Accepted), GAME.notation.format(command)
        assert all(GAME.notation.describe(event) for event in answer.events)
        assert GAME.display.status(answer.state)
        assert figures(GAME, answer.state)


@settings(max_examples=25)
@for_all(recipes, st.integers(0, 150), st.sampled_from(SEATS[:2]), st.integers(0, 99))
def test_a_new_deal_keeps_all_cards_and_all_that_is_known(
    recipe: Recipe, move_count: int, seat: Seat, seed: int
) -> None:
    state = state_after(recipe, move_count)
    other_state = redealt_state(state, seat, seed)
    check_cards_are_conserved(other_state)
    assert other_state.hands[seat] == state.hands[seat]
    assert {player: len(cards) for player, cards in other_state.hands.items()} == {
        player: len(old_cards) for player, old_cards in state.hands.items()
    }
    assert (other_state.spaces, other_state.unfinished, other_state.silver) == (
        state.spaces,
        state.unfinished,
        state.silver,
    )


def test_a_new_deal_changes_all_that_is_hidden() -> None:
    state = state_after(Recipe(4, 1), 30)
    new_deals = [redealt_state(state, "italy", seed) for seed in range(20)]
    assert len({new_deal.pile for new_deal in new_deals}) == 20
    assert len({new_deal.hands["france"] for new_deal in new_deals}) > 3
    assert [new_deal.seed for new_deal in new_deals] == list(range(20)), "what is shuffled later is shuffled anew, too"
    assert len({new_deal.stack for new_deal in new_deals}) > 10
    assert len({(new_deal.books["north"].left, new_deal.books["south"].left) for new_deal in new_deals}) > 10


@pytest.mark.rule(refuses="A-INFO-01")
def test_a_info_01_a_new_deal_is_for_a_seat_of_the_game() -> None:
    given().when(Redeal("germany", 1)).refused("A-INFO-01", because="germany has no seat")
    given().when(Redeal("italy", None)).refused("A-INFO-01")


def test_the_seed_and_the_piles_are_hidden_from_every_seat() -> None:
    command = set_up_command({}, 7)
    outcome = set_up(Recipe(4, 7)).outcome
    (set_up_event,) = (event for event in outcome.events if isinstance(event, GameSetUp))
    for seat in SEATS:
        redacted_setup = redact(set_up_event, seat)
        assert isinstance(redacted_setup, GameSetUp)
        assert redacted_setup.seed is None
        assert set(redacted_setup.pile) == {"?"}
        assert set(redacted_setup.stack) == {"A?", "B?", "C?"}
        assert {book[:-1] for book in redacted_setup.books.values()} == {("?",) * 14}
        redacted_command = redact(Played("", command), seat)
        assert isinstance(redacted_command, Played)
        assert isinstance(redacted_command.command, SetUp)
        assert "seed" not in GAME.notation.describe(redacted_command)
    assert redact(set_up_event, None) == set_up_event


def rows_of_hands(state: State) -> tuple[tuple[str, ...], ...]:
    """The rows of the table of hands."""
    return next(table.rows for table in GAME.display.tables(state) if table.title == "Hands")


def test_a_hand_is_seen_by_its_player_alone() -> None:
    state = given(hand(italy="gray gray", france="violet")).state
    italy_view, spectator_view = conceal(state, "italy"), conceal(state, "")
    assert rows_of_hands(italy_view) == (("italy", "2 gray, joker"), ("france", "joker, 1 face down"))
    assert rows_of_hands(spectator_view) == (("italy", "joker, 2 face down"), ("france", "joker, 1 face down"))
    assert rows_of_hands(state) == (("italy", "2 gray, joker"), ("france", "joker, violet"))
    event = CardsDrawn("italy", ("gray", "orange"))
    assert GAME.notation.describe(redact(event, "france")) == "italy draws 2 face down"
    assert GAME.notation.describe(redact(event, "italy")) == "italy draws gray, orange"


@pytest.mark.rule(accepts="AMB-13")
@pytest.mark.parametrize("seat", ["italy", "france", ""])
def test_amb_13_finished_cards_money_and_unfinished_adventures_are_open(seat: Seat) -> None:
    state = given(has_finished("italy", "S04"), owns("italy", "N01")).state
    concealed_state = conceal(state, seat)
    seat_figures, all_figures = figures(GAME, concealed_state)["italy"], figures(GAME, state)["italy"]
    assert {**seat_figures, "hand": all_figures["hand"]} == all_figures
    assert concealed_state.finished == state.finished
    assert concealed_state.unfinished == state.unfinished
    assert concealed_state.silver == state.silver


@pytest.mark.rule(accepts="AMB-13")
def test_amb_13_a_hidden_score_hides_what_lies_under_other_company_cards() -> None:
    state = given(has_finished("italy", "S04"), score="hidden").state
    assert figures(GAME, conceal(state, "italy"))["italy"]["vp"] == 4
    assert figures(GAME, conceal(state, "france"))["italy"]["vp"] is None
    assert figures(GAME, conceal(state, "france"))["italy"]["collected"] is None
    assert GAME.display.tables(conceal(state, "france"))[0].rows[0][1] == "?"
    assert Position(state).state.sees_finished("italy")
    # Who is first can't be said while some points are hidden.
    assert GAME.evolution.outcome(conceal(state, "france")).ranking == ()
    assert GAME.evolution.outcome(state).ranking == (("italy",), ("france",))


@for_all(recipes, st.integers(0, 80), st.integers(0, 2**32))
@settings(max_examples=40)
def test_a_seat_can_deal_anew_from_what_it_knows(recipe: Recipe, move_count: int, seed: int) -> None:
    """A bot sees only what its seat sees, so a new deal must be possible from that."""
    *_, last_move = commits(recipe, move_count)
    state: State = last_move.outcome.state
    for seat in state.seats:
        from_concealed_state = redealt_state(conceal(state, seat), seat, seed)
        check_cards_are_conserved(from_concealed_state)
        from_whole_state = redealt_state(state, seat, seed)
        hidden_cards = [
            (dealt_state.pile, dealt_state.books, dealt_state.stack, dealt_state.removed)
            for dealt_state in (from_concealed_state, from_whole_state)
        ]
        assert hidden_cards[0] == hidden_cards[1]
        assert {owner: sorted(hand) for owner, hand in from_concealed_state.hands.items()} == {
            owner: sorted(hand) for owner, hand in from_whole_state.hands.items()
        }
