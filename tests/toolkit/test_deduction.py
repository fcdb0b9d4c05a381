"""What seats learn of each other's cards by asking is kept, and every world that a program imagines agrees with it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from random import Random
from typing import Any

import pytest

from tests.games import inquiry
from tests.games.inquiry import Ask, Show, State
from zimcore.game import Event, GameError, Played
from zimcore.toolkit.bundle import Bundle
from zimcore.toolkit.cards import Hand, Pile, deal_hidden
from zimcore.toolkit.check import TrialCounts
from zimcore.toolkit.check.twins import Twins
from zimcore.toolkit.secrets import OWNER, MarkedSecrets, Marks
from zimcore.toolkit.unknown import UNKNOWN
from zimcore.toolkit.worlds import world_fault

HIDDEN: Any = UNKNOWN
SEATS = ("ada", "bo", "cy", "")


def seen(hand: Hand, seat: str) -> Hand:
    return hand.seen_from(seat, is_owner=seat == "bo")


def test_a_shown_card_is_seen_by_one_seat_and_nobody_else_knows_by_whom() -> None:
    hand = Hand().plus("s1", "s2", "w3").show("ada", "s2").show("cy", "s2").show("cy", "s2")
    assert seen(hand, "ada").cards == ("s2", HIDDEN, HIDDEN)
    assert seen(hand, "ada").shown == {"ada": ("s2",)}
    assert seen(hand, "").cards == (HIDDEN,) * 3
    assert seen(hand, "").shown == {}
    assert hand.play("s2").shown == {}
    assert hand.without("w3").shown == {}, "it may be the card that was shown"


@pytest.mark.parametrize("seat", SEATS)
def test_what_a_seat_sees_of_a_card_that_is_shown_leads_to_what_it_sees_of_the_hand(seat: str) -> None:
    hand = Hand().plus("s1", "s2", "w3").has_one_of("s2", "w1").has_none_of("r1")
    shown_card = "s2" if seat in ("ada", "bo") else HIDDEN
    assert seen(hand, seat).show("ada", shown_card) == seen(hand.show("ada", "s2"), seat)


def test_a_hand_is_dealt_a_card_of_each_group_that_it_has_one_of() -> None:
    asked = Hand((HIDDEN,) * 2).has_one_of("s1", "w1").has_one_of("s1", "r1").has_none_of("s2").has_one_of("s1", "w1")
    other = Hand((HIDDEN,) * 2).has_one_of("s1", "w1")
    dealt = [deal_hidden([asked, other], ("s1", "s2", "w1", "r1"), Random(seed)) for seed in range(30)]
    assert {tuple(hand.cards for hand in hands) for hands in dealt} == {
        (("r1", "s1"), ("s2", "w1")),
        (("r1", "w1"), ("s1", "s2")),
    }
    with pytest.raises(GameError, match="don't fit"):
        deal_hidden([asked, other.has_one_of("r1")], ("s2", "s3", "w1", "r1"), Random(1))
    assert asked.play("s1").one_of == (), "nothing is known of the others"
    assert asked.plus("s4").at_most == {"s2": 1}


def test_backs_tell_the_suits_of_a_pile() -> None:
    pile = Pile((HIDDEN, HIDDEN, "w4"), suits=("s", "w", "w"))
    dealt = {deal_hidden([pile], ("r1", "r2", "s1", "s2", "w1"), Random(seed))[0].cards for seed in range(20)}
    assert dealt == {("s1", "w1", "w4"), ("s2", "w1", "w4")}
    assert pile.without_top().suits == ("w", "w")


def test_an_event_names_the_seats_that_see_a_card() -> None:
    secrets = inquiry.GAME.secrets
    assert secrets
    event = inquiry.Shown("bo", "ada", "s2")
    assert [repr(secrets.redact(event, seat)) == repr(event) for seat in SEATS] == [True, True, False, False]
    played = Played("bo", Show("s2"))
    assert [repr(secrets.redact(played, seat)) == repr(played) for seat in SEATS] == [False, True, False, False]


def test_a_mark_that_names_no_seats_is_refused() -> None:
    why = "neither OWNER nor NOBODY"
    all_marks: list[Marks] = [{inquiry.Shown: {"card": "asker"}}, {State: {"hands": "asking"}}]
    for marks in all_marks:
        with pytest.raises(GameError, match="SECRETS marks") as caught:
            MarkedSecrets(inquiry.GAME, marks)
        assert why in caught.value.why
    MarkedSecrets(inquiry.GAME, {State: {"hands": OWNER}})


def test_an_owner_that_is_nobody_shows_nothing_to_spectators() -> None:
    """An event without a seat has no owner, who is not the spectator either."""

    class Drawn(Event, frozen=True, tag="drawn_in_test.1"):
        card: str

    assert repr(MarkedSecrets(inquiry.GAME, {Drawn: {"card": OWNER}}).redact(Drawn("s1"), "")) == repr(Drawn(HIDDEN))


def test_cards_that_are_only_named_are_not_taken_out_of_the_pack() -> None:
    evolution, rules, secrets = inquiry.GAME.evolution, inquiry.GAME.rules, inquiry.GAME.secrets
    state = rules.apply(evolution.initial(), "", rules.set_up({}, 3)).state
    others_cards = {suit: next(card for card in state.hands["bo"] if card[0] == suit) for suit in "s"}
    ask = Ask(others_cards["s"], "w1", "r1")
    state = rules.apply(state, "ada", ask).state
    assert isinstance(secrets, MarkedSecrets)
    visible_state = secrets.conceal(state, "cy")
    assert state.asked
    assert secrets.pools.naming_fields(visible_state) == ("asked",)
    worlds = [secrets.fill(visible_state, Random(seed)) for seed in range(20)]
    assert any(ask.suspect in world.hands["bo"].cards for world in worlds)


def test_a_world_of_an_own_redeal_needs_no_pack(monkeypatch: pytest.MonkeyPatch) -> None:
    evolution, rules, secrets = inquiry.GAME.evolution, inquiry.GAME.rules, inquiry.GAME.secrets
    state = rules.apply(evolution.initial(), "", rules.set_up({}, 3)).state
    assert isinstance(secrets, MarkedSecrets)
    monkeypatch.delattr(inquiry, "pack")
    fields = secrets.marks[State]
    assert world_fault(inquiry.GAME, secrets.conceal(state, "cy"), state, "cy", fields) == ""


def imagined(game: Bundle, seeds: range) -> TrialCounts:
    """The worlds of some matches, for each seat."""
    counts = TrialCounts()
    for seed in seeds:
        twins = Twins(game, seed, 60, {}, counts)
        for seat in game.evolution.seats(twins.match_turns[-1].state):
            twins.test_worlds(twins.match_turns, seat)
    return counts


def test_every_imagined_world_of_a_game_of_deduction_can_be() -> None:
    counts = imagined(inquiry.GAME, range(6))
    assert counts.worlds > 60
    assert counts.impossible_worlds == 0, counts.why_impossible


def test_no_world_breaks_the_invariant_of_the_author(monkeypatch: pytest.MonkeyPatch) -> None:
    evolution, rules, secrets = inquiry.GAME.evolution, inquiry.GAME.rules, inquiry.GAME.secrets
    state = rules.apply(evolution.initial(), "", rules.set_up({}, 3)).state
    state.wrong = tuple(product(*([suit + rank for rank in inquiry.RANKS if rank != "1"] for suit in inquiry.SUITS)))
    assert isinstance(secrets, MarkedSecrets)

    def broken_count() -> int:
        worlds = [secrets.fill(secrets.conceal(state, "cy"), Random(seed)) for seed in range(20)]
        return sum(bool(inquiry.invariant(world)) for world in worlds)

    assert broken_count() == 0
    monkeypatch.setattr("zimcore.toolkit.redeal.ATTEMPTS", 0)
    assert broken_count() > 5


def as_before(hand: Hand, *_: object) -> Hand:
    return hand


FORGOTTEN: dict[str, Callable[[pytest.MonkeyPatch], object]] = {
    "who had none": lambda patch: patch.setattr(Hand, "has_none_of", as_before),
    "who had one": lambda patch: patch.setattr(Hand, "has_one_of", as_before),
}


@pytest.mark.parametrize("forget", FORGOTTEN.values(), ids=FORGOTTEN)
def test_a_world_that_forgets_what_was_learned_is_found(
    forget: Callable[[pytest.MonkeyPatch], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    forget(monkeypatch)
    counts = imagined(inquiry.GAME, range(6))
    assert counts.impossible_worlds
    assert counts.why_impossible
