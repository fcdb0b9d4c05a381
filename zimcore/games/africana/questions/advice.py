"""What is worth a look in a position: ends and joins at hand, ways that lead to some, and what the books offer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from zimcore.game import Advice, Seat
from zimcore.games.africana.cards import UNKNOWN
from zimcore.games.africana.commands import AnyCommand, Buy, Draw, EndAdventure, EndExpedition, EndTurn, Join
from zimcore.games.africana.legal import discards, ends, joins, purchases
from zimcore.games.africana.notation.commands import format_command
from zimcore.games.africana.planner import Step, Way, reachable
from zimcore.games.africana.rules import stands
from zimcore.games.africana.state import State
from zimcore.toolkit.words import begin

DISCARDS = 50
"""Choices of what to discard that are looked at."""


def advice(state: State, seat: Seat, beginning: str = "") -> Sequence[Advice]:
    """What can be ended or joined here, the ways that bring most, what is for sale, and drawing; the best first.

    Nothing about the ways of one whose cards can't all be seen.
    """
    if not seat or seat != state.actor:
        return ()
    words = beginning.lower().split()
    said: dict[str, tuple[str, ...]] = {}
    for command, brings in _worth_a_look(state, seat):
        text = format_command(command)
        if begin(text.lower().split(), words) and stands(state, seat, command):
            said.setdefault(text, brings)
    return [Advice(text, brings) for text, brings in said.items()]


def _worth_a_look(state: State, seat: Seat) -> Iterator[tuple[AnyCommand, tuple[str, ...]]]:
    for here in (*ends(state), *joins(state)):
        if not isinstance(here, EndTurn):
            yield here, (done(state, here),)
    yield from _ways(state, seat)
    for purchase in purchases(state):
        yield purchase, _for_sale(state, purchase)
    yield Draw(), (f"{len(state.hands[seat])} cards in hand, the limit is {state.box.limits.hand}",)
    yield from _discards(state, seat)


def done(state: State, command: Step) -> str:
    """What joining or ending something brings: `A03: 5 VP, 2 silver`."""
    match command:
        case Join(expedition=card):
            bonus = state.box.bonuses[state.spaces.index(card)]
            cards = f", {bonus.travel_cards} cards" if bonus.travel_cards else ""
            target = state.map.title(state.map.expeditions[card].target)
            return f"joins {card} to {target}: {bonus.silver} silver{cards} at once"
        case EndExpedition(expedition=card):
            expedition = state.map.expeditions[card]
            return f"ends {card}: {expedition.vp} VP, {expedition.silver} silver"
        case EndAdventure(adventure=card):
            adventure = state.map.adventures[card]
            assistant = f", a {adventure.assistant} assistant" if adventure.assistant else ""
            return f"ends {card}: {adventure.vp} VP, {adventure.silver} silver{assistant}"
    return ""


def _ways(state: State, seat: Seat) -> Iterator[tuple[AnyCommand, tuple[str, ...]]]:
    """The first step of each way on which something is joined or ended, those first that end more VP for less."""
    if UNKNOWN in state.hands[seat]:
        return
    found = [(_vp(state, way), way) for way in reachable(state, seat).values() if way.steps and _deeds(state, way)]
    for _, way in sorted(found, key=lambda each: (-each[0], each[1].silver, each[1].travel_cards)):
        paid = f", -{way.silver} silver" if way.silver else ""
        to = f"to {state.map.title(way.to)} in {way.steps} step{'s' * (way.steps > 1)}{paid}"
        yield way.commands[0], (to, *_deeds(state, way))


def _deeds(state: State, way: Way) -> list[str]:
    """What is joined and ended on a way."""
    return [text for command in way.commands if (text := done(state, command))]


def _vp(state: State, way: Way) -> int:
    """The VP of what a way ends."""
    vp = 0
    for command in way.commands:
        match command:
            case EndExpedition(expedition=card):
                vp += state.map.expeditions[card].vp
            case EndAdventure(adventure=card):
                vp += state.map.adventures[card].vp
    return vp


def _for_sale(state: State, purchase: Buy) -> tuple[str, ...]:
    """The card on top of a half of a book."""
    half = state.books[purchase.book].half(purchase.half)
    card = state.map.adventures.get(half[-1]) if half else None
    if card is None:
        return ("the top card",)
    gives = card.artifact or f"a {card.assistant} assistant"
    return (f"{card.id}: {gives}, {card.vp} VP, {card.silver} silver at {state.map.title(card.target)}",)


def _discards(state: State, seat: Seat) -> Iterator[tuple[AnyCommand, tuple[str, ...]]]:
    """What to discard: cards of which one has several, before single ones."""
    if UNKNOWN in state.hands[seat]:
        return
    hand = state.hands[seat]
    found = list(islice(discards(state), DISCARDS))
    for each in sorted(found, key=lambda one: -sum(map(hand.count, one.cards))):
        kept = list(hand)
        for card in each.cards:
            kept.remove(card)
        yield each, (f"keeps {', '.join(kept) or 'no card'}",)
