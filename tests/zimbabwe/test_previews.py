"""Each preview agrees with what then happens in the game."""

import pytest
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st

from tests.decider_kit import Facts
from tests.zimbabwe.facts import adored_god, bidding, cattle, craftsman, hired_specialist, monument, technology, turn_of
from tests.zimbabwe.kit import given
from tests.zimbabwe.random_play import Recipe, play, recipes
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe.commands import EndTurn, Give, Pass, PlaceCraftsman
from zimcore.games.zimbabwe.events import STOCK, CattlePaid, MythologiesCompared, VPScored
from zimcore.games.zimbabwe.previews import (
    BidPreview,
    Standing,
    preview_bid,
    preview_craftsman,
    provisional_ranking,
    revenue_by_source,
    sights_from,
)
from zimcore.games.zimbabwe.rules.rituals import find_obsolete_types


def test_a_bid_is_previewed() -> None:
    state = given("S..S", cattle(kilwa=6), bidding("kilwa", "zulu")).state
    assert preview_bid(state, 5) == BidPreview(
        "kilwa", 5, stock_share=0, cattle_left=1, cattle_gained=3, turn_number=1, order=("kilwa", "zulu")
    )
    assert preview_bid(state, 0) == BidPreview(
        "kilwa", 0, stock_share=0, cattle_left=6, cattle_gained=0, turn_number=2, order=("zulu", "kilwa")
    )
    assert preview_bid(state, 7) is None


def test_a_bid_with_help_of_the_stock_and_a_plaque_of_a_god_is_previewed() -> None:
    god_facts = [adored_god("kilwa", "elegua"), adored_god("zulu", "shadipinyi")]
    state = given("S..S", cattle(kilwa=6), god_facts, bidding("shadipinyi", "kilwa", "zulu")).state
    assert preview_bid(state, 5) == BidPreview(
        "kilwa", 5, stock_share=3, cattle_left=4, cattle_gained=2, turn_number=1, order=("kilwa", "zulu")
    )


@settings(max_examples=10)
@for_all(recipes(), st.integers(0, 12))
def test_a_bid_brings_its_share_of_all_that_was_given(recipe: Recipe, amount: int) -> None:
    bidding_states = [move.state_before for move in play(recipe, 90) if move.state_before.phase == "bidding"]
    assert bidding_states
    for state in bidding_states:
        seat, plaques = state.actor or "", state.plaques
        preview = preview_bid(state, amount)
        command = Give(amount) if amount else Pass()
        assert (preview is not None) == (command in GAME.rules.legal(state, seat))
        if preview:
            cattle_given, own_plaques = state.cattle_given + amount, {seat, state.adores.get(seat)}
            received_cattle = sum(
                (cattle_given + len(plaques) - 1 - index) // len(plaques)
                for index, plaque in enumerate(plaques)
                if plaque in own_plaques
            )
            assert (preview.cattle_gained, preview.cattle_left) == (
                received_cattle,
                state.cattle[seat] - amount + preview.stock_share,
            )
            assert preview.order[preview.turn_number - 1] == seat


@settings(max_examples=20)
@for_all(recipes())
def test_the_end_of_a_round_is_the_previewed_one(recipe: Recipe) -> None:
    for move in play(recipe, 80):
        state = move.state_before
        if isinstance(move.command, EndTurn) and state.turn.seat == state.order[-1]:
            revenue_of = {seat: revenue_by_source(state, seat) for seat in state.seats}
            payments = [event for event in move.outcome.events if isinstance(event, CattlePaid)]
            for seat in state.seats:
                assert sum(event.amount for event in payments if event.payee == seat) == sum(revenue_of[seat].values())
            standings = provisional_ranking(state)
            (comparison,) = [event for event in move.outcome.events if isinstance(event, MythologiesCompared)]
            assert comparison.reached == tuple(standing.seat for standing in standings if standing.has_reached_vr)
            assert comparison.winner in (None, standings[0].seat)


def test_revenues_are_previewed_by_source() -> None:
    facts = [monument("kilwa", "a1", 3), adored_god("kilwa", "engai"), hired_specialist("kilwa", "herd")]
    payments = [CattlePaid(STOCK, "kilwa/herd", 9, "herd"), CattlePaid(STOCK, "kilwa/potter", 2, "potter")]
    state = given("S..S", facts, technology("kilwa", "potter"), payments, turn_of("kilwa")).state
    assert revenue_by_source(state, "kilwa") == {"herd": 9, "potter": 2, "income": 3, "engai": 2}


def test_xango_wins_against_all_only_at_the_own_vr() -> None:
    vp_event = VPScored("kilwa", 24, "so far")
    position_below_vr = given("S..S", adored_god("zulu", "xango"), vp_event, turn_of("kilwa"), xango="absolute")
    position_at_vr = position_below_vr.after(VPScored("zulu", 18, "so far"))
    assert [standing.seat for standing in provisional_ranking(position_below_vr.state)] == ["kilwa", "zulu"]
    assert [standing.seat for standing in provisional_ranking(position_at_vr.state)] == ["zulu", "kilwa"]


def test_the_ranking_is_previewed() -> None:
    state = given("S..S", monument("kilwa", "a1", 2), adored_god("zulu", "xango"), turn_of("kilwa")).state
    assert provisional_ranking(state) == [
        Standing("kilwa", vp=3, vr=20, margin=-17, has_reached_vr=False),
        Standing("zulu", vp=0, vr=18, margin=-18, has_reached_vr=False),
    ]


@settings(max_examples=20)
@for_all(recipes())
def test_the_effects_of_a_craftsman_are_the_previewed_ones(recipe: Recipe) -> None:
    for move in play(recipe, 90):
        if isinstance(move.command, PlaceCraftsman):
            state_before, state_after, seat = move.state_before, move.outcome.state, move.state_before.turn.seat
            preview = preview_craftsman(state_before, seat, move.command)
            assert state_before.cattle[seat] - state_after.cattle[seat] == preview.cost
            kept_cattle = sum(
                event.amount for event in move.outcome.events if isinstance(event, CattlePaid) and "/" in event.payee
            )
            assert preview.kept_cattle == kept_cattle
            assert (state_after.vp[seat] - state_before.vp[seat], state_after.vr[seat] - state_before.vr[seat]) == (
                preview.vp,
                preview.vr,
            )
            technology = state_after.technologies[f"{seat}/{preview.type}"]
            assert preview.card in (None, technology.card)
            assert preview.claimed_resources
            assert not preview.obsolete_type or preview.obsolete_type in find_obsolete_types(state_after)


OBSOLETE_CASES: dict[str, tuple[Facts, str, str | None]] = {
    "the first secondary one": (craftsman("zulu", "potter", "c1-d1"), "craft vessel_maker a2 price 1", "potter"),
    "a primary one after it": (craftsman("zulu", "vessel_maker", "a2"), "craft potter c1-d1 price 1", "potter"),
    "a primary one before it": ((), "craft potter c1-d1 price 1", None),
}


@pytest.mark.parametrize("case", OBSOLETE_CASES)
def test_a_preview_names_the_good_made_obsolete(case: str) -> None:
    facts, line, obsolete_good = OBSOLETE_CASES[case]
    state = given("C....S ...... ...... C....S", cattle(kilwa=9), facts, turn_of("kilwa")).state
    _, command = GAME.notation.parse(line, state)
    assert isinstance(command, PlaceCraftsman)
    assert preview_craftsman(state, "kilwa", command).obsolete_type == obsolete_good


def test_a_preview_names_claims_and_served_monuments() -> None:
    facts = [craftsman("zulu", "potter", "b1-c1"), monument("zulu", "i1"), monument("kilwa", "g2")]
    state = given("C...C....... ........C...", cattle(kilwa=9), facts, turn_of("kilwa")).state
    preview = preview_craftsman(state, "kilwa", PlaceCraftsman("potter", ("f1", "f2"), 2))
    assert (preview.claimed_resources, preview.shared_resources) == (("i2",), ("e1",))
    assert preview.hubs_by_monument == {"i1": 0, "g2": 0}
    assert (preview.vr, preview.card, preview.hubs_by_primary, preview.kept_cattle) == (4, 2, {}, 0)


def test_a_preview_names_the_inputs_of_a_secondary_craftsman() -> None:
    facts = [craftsman("zulu", "potter", "a1-b1"), monument("kilwa", "e2"), hired_specialist("kilwa", "builder")]
    state = given("..C......C.. ............", cattle(kilwa=9), facts, turn_of("kilwa"), "use builder").state
    preview = preview_craftsman(state, "kilwa", PlaceCraftsman("vessel_maker", ("g1", "h1", "g2", "h2"), 2))
    assert preview.hubs_by_primary == {"a1": 1}
    assert (preview.cost, preview.kept_cattle) == (4, 2)


def test_the_map_inspector_lists_all_within_range() -> None:
    facts = [craftsman("zulu", "potter", "g1-h1"), monument("kilwa", "c1"), monument("zulu", "e1")]
    state = given("C..........W", facts, turn_of("kilwa")).state
    sights = [
        (sight.description, sight.square, sight.owner, sight.steps, sight.hubs) for sight in sights_from(state, "d1")
    ]
    assert sights == [
        ("monument 1", "c1", "kilwa", 1, (0, 0)),
        ("monument 1", "e1", "zulu", 1, (0, 0)),
        ("clay", "a1", "", 3, ()),
        ("potter", "g1", "zulu", 3, (1, 1)),
        ("wood", "l1", "", None, ()),
    ]
    wood_sight = sights_from(state, "h1")[-1]
    assert (wood_sight.square, wood_sight.steps, wood_sight.is_within(3), wood_sight.is_within(6)) == (
        "a1",
        6,
        False,
        True,
    )
