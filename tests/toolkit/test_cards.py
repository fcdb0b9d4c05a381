"""Hands and piles work where cards are hidden, and what seats know of them stays in every world that is imagined."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from tests.games import tricks, trumps
from zimcore.bots.bot import View
from zimcore.bots.levels import search_by_playouts
from zimcore.game import GameError
from zimcore.toolkit.cards import EVERYBODY, Hand, Pile, deal_hidden, pass_cards, playable
from zimcore.toolkit.check import TrialCounts
from zimcore.toolkit.check.twins import Twins
from zimcore.toolkit.monte_carlo import MonteCarloStrategy
from zimcore.toolkit.unknown import UNKNOWN

HIDDEN: Any = UNKNOWN


def seen(hand: Hand, seat: str) -> Hand:
    return hand.seen_from(seat, is_owner=False)


def test_a_passed_card_is_seen_by_the_giver_and_by_nobody_else() -> None:
    hand = Hand().plus("c2", "h9").plus("s3", seen_by=("ann",))
    assert seen(hand, "ann").cards == ("s3", HIDDEN, HIDDEN)
    assert seen(hand, "cid").cards == (HIDDEN,) * 3
    assert seen(hand, "cid") == Hand((HIDDEN, HIDDEN, HIDDEN))


def test_what_a_seat_sees_of_an_event_leads_to_what_it_sees_of_the_hand() -> None:
    hand = Hand().plus("c2", "h9", "h10").plus("s3", seen_by=("ann",))
    for seat in ("ann", "cid"):
        assert seen(hand, seat).play("s3", led="c") == seen(hand.play("s3", led="c"), seat)
        assert seen(hand, seat).plus("d4", seen_by=(EVERYBODY,)) == seen(hand.plus("d4", seen_by=(EVERYBODY,)), seat)
        assert seen(hand, seat).without(HIDDEN) == seen(hand.without("h9"), seat)


def test_a_seat_that_did_not_follow_has_none_of_the_suit_until_it_gets_a_card() -> None:
    hand = Hand().plus("c2", "h9", "h10").play("c2", led="d")
    assert (hand.at_most, hand.plus("d3").at_most) == ({"d": 0}, {"d": 1})
    worlds = [deal_hidden([seen(hand, "ann")], ("d4", "d5", "s3", "s4"), Random(seed))[0] for seed in range(9)]
    assert {world.cards for world in worlds} == {("s3", "s4")}


def test_a_pile_is_drawn_by_one_seat_after_another_has_peeked() -> None:
    pile = Pile(("c2", "c3")).peek("ann", "c2")
    assert pile.seen_from(["ben"]).cards == (HIDDEN, HIDDEN)
    rest, hand = pile.draw_to(Hand(), "ben", "c2")
    assert (rest, seen(hand, "ann").cards) == (Pile(("c3",)), ("c2",))
    assert pile.seen_from(["ann"]).draw_to(Hand(), "ben", HIDDEN)[1] == seen(hand, "ann")


def test_the_giver_sees_the_cards_that_were_set_aside() -> None:
    hands, aside = {"ben": Hand()}, {"ann": Hand().plus("c2", "d3")}
    pass_cards(hands, aside, "ann", "ben", (HIDDEN, HIDDEN))
    assert (hands["ben"].cards, aside) == (("c2", "d3"), {})


def test_playing_follows_suit() -> None:
    hand = Hand().plus("c2", "h9", "h10")
    assert (playable(hand, "h"), playable(hand, "s")) == (("h9", "h10"), hand.cards)


def test_hands_with_little_room_are_dealt_what_they_can_have() -> None:
    hands = [Hand((HIDDEN,), at_most={"c": 0, "d": 0}), Hand((HIDDEN,), at_most={"c": 0}), Hand((HIDDEN,))]
    for seed in range(20):
        dealt = deal_hidden(hands, ("c2", "d3", "h4"), Random(seed))
        assert [hand.cards[0] for hand in dealt] == ["h4", "d3", "c2"]
    with pytest.raises(GameError, match="3 cards are hidden, and the 3 others of the pack don't fit"):
        deal_hidden(hands, ("c2", "d3", "d4"), Random(1))


def imagined(seeds: range) -> TrialCounts:
    """The worlds of some matches, for each seat."""
    counts = TrialCounts()
    for seed in seeds:
        twins = Twins(trumps.GAME, seed, 60, {"deals": "2"}, counts)
        for seat in trumps.GAME.evolution.seats(twins.match_turns[-1].state):
            twins.test_worlds(twins.match_turns, seat)
    return counts


def test_every_imagined_world_of_a_game_of_tricks_can_be() -> None:
    counts = imagined(range(5))
    assert (counts.worlds, counts.impossible_worlds) == (120, 0), counts.why_impossible


@pytest.mark.parametrize("forgotten", ["void suits", "passed cards"])
def test_a_world_that_forgets_what_was_seen_is_found(monkeypatch: pytest.MonkeyPatch, forgotten: str) -> None:
    if forgotten == "void suits":
        monkeypatch.setattr(Hand, "room_for", lambda _: {})
    else:
        plus = Hand.plus
        monkeypatch.setattr(Hand, "plus", lambda hand, *cards, seen_by=(): plus(hand, *cards))
    counts = imagined(range(3))
    assert counts.impossible_worlds > 5
    assert counts.why_impossible


def test_no_legal_command_lacks_an_action_in_an_environment() -> None:
    game = trumps.GAME
    rules, evolution, rng = game.rules, game.evolution, Random(1)
    assert game.encoding
    for seed in range(500, 506):
        state = rules.apply(evolution.initial(), "", rules.set_up({"players": "3"}, seed)).state
        while to_move := evolution.to_move(state):
            assert game.encoding.mask(state, to_move[0]).bit_count() == rules.legal(state, to_move[0]).count()
            state = rules.apply(state, to_move[0], rules.legal(state, to_move[0]).sample(rng)).state


def test_programs_say_that_they_imagine_what_can_not_be() -> None:
    notes = {}
    for game in (trumps.GAME, tricks.GAME):
        state = game.rules.apply(game.evolution.initial(), "", game.rules.set_up({}, 3)).state
        seat = game.evolution.to_move(state)[0]
        assert game.secrets
        assert isinstance(game.strategy, MonteCarloStrategy)
        view = View(game, game.secrets.conceal(state, seat), seat)
        notes[game.name] = search_by_playouts(game.strategy, view, 200).why
    assert "imagined deals can't be" in notes["tricks"]
    assert "imagined deals" not in notes["trumps"]
