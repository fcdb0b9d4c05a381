"""A game of tricks with nothing but tuples: a secret pass of two cards, bids for the trump, several deals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from random import Random

import msgspec

from zimcore.game import Command, Deal, Event, Outcome, Seat
from zimcore.toolkit.bundle import Bundle
from zimcore.toolkit.rules import Draft, number, outcome_by_score
from zimcore.toolkit.secrets import NOBODY, OWNER
from zimcore.toolkit.unknown import is_unknown

SEATS, SUITS, HAND_SIZE = ("aziz", "basma", "cemal", "dunya"), "cdhs", 6
OPTIONS = {"players": "how many play, 3 or 4 (3)", "deals": "how many deals, 1 to 3 (2)"}


class SetUp(Deal, frozen=True, tag="set_up.1"):
    seats: tuple[Seat, ...]
    packs: tuple[tuple[str, ...], ...]


class Give(Command, frozen=True, tag="give.1"):
    cards: tuple[str, ...]


class Offer(Command, frozen=True, tag="offer.1"):
    points: int
    suit: str = ""


class Lay(Command, frozen=True, tag="lay.1"):
    card: str


class Begun(Event, frozen=True, tag="begun.1"):
    seats: tuple[Seat, ...]
    packs: tuple[tuple[str, ...], ...]


class HandsDealt(Event, frozen=True, tag="hands_dealt.1"):
    hands: dict[Seat, tuple[str, ...]]


class CardsSetAside(Event, frozen=True, tag="cards_set_aside.1"):
    seat: Seat
    cards: tuple[str, ...]


class CardsReceived(Event, frozen=True, tag="cards_received.1"):
    seat: Seat
    cards: tuple[str, ...]


class Offered(Event, frozen=True, tag="offered.1"):
    seat: Seat
    points: int
    suit: str


class CardLaid(Event, frozen=True, tag="card_laid.1"):
    seat: Seat
    card: str


class TrickTaken(Event, frozen=True, tag="trick_taken.1"):
    seat: Seat


class DealScored(Event, frozen=True, tag="deal_scored.1"):
    points: dict[Seat, int]


class State(msgspec.Struct):
    seats: tuple[Seat, ...] = ()
    packs: tuple[tuple[str, ...], ...] = ()
    hands: dict[Seat, tuple[str, ...]] = {}
    aside: dict[Seat, tuple[str, ...]] = {}
    phase: str = ""
    offers: dict[Seat, int] = {}
    trump: str = ""
    leader: Seat = ""
    trick: dict[Seat, str] = {}
    tricks: dict[Seat, int] = {}
    points: dict[Seat, int] = {}


SECRETS = {
    State: {"packs": NOBODY, "hands": OWNER, "aside": OWNER},
    SetUp: {"packs": NOBODY},
    Begun: {"packs": NOBODY},
    HandsDealt: {"hands": OWNER},
    Give: {"cards": OWNER},
    CardsSetAside: {"cards": OWNER},
    CardsReceived: {"cards": OWNER},
}


def set_up(options: Mapping[str, str], chance: Random) -> SetUp:
    seats = SEATS[: number(options, "players", 3, least=3, most=4)]
    pack = [suit + str(rank) for suit in SUITS for rank in range(1, len(seats) * HAND_SIZE // 4 + 2)]
    count = number(options, "deals", 2, least=1, most=3)
    return SetUp(seats, tuple(tuple(chance.sample(pack, len(seats) * HAND_SIZE)) for _ in range(count)))


def to_move(state: State) -> list[Seat]:
    if state.phase == "pass":
        return [seat for seat in state.seats if seat not in state.aside]
    if state.phase == "offer":
        return [seat for seat in state.seats if seat not in state.offers][:1]
    return [seat for seat in seats_from(state, state.leader) if seat not in state.trick][:1] if state.phase else []


def seats_from(state: State, seat: Seat) -> tuple[Seat, ...]:
    index = state.seats.index(seat)
    return (*state.seats[index:], *state.seats[:index])


def moves(state: State, seat: Seat) -> Iterator[Give | Offer | Lay]:
    hand = state.hands[seat]
    if state.phase == "pass":
        yield from (Give(cards) for cards in combinations(hand, 2))
    elif state.phase == "offer":
        yield Offer(0)
        highest_offer = max(state.offers.values(), default=0)
        yield from (Offer(points, suit) for points in range(highest_offer + 1, 5) for suit in SUITS)
    else:
        led_suit = next(iter(state.trick.values()), "")[:1]
        yield from map(Lay, [card for card in hand if card[0] == led_suit] or hand)


def why_not(state: State, seat: Seat, command: Give | Offer | Lay) -> str:
    if isinstance(command, Lay) and state.phase == "lay":
        return f"{command.card} is not in your hand" if command.card not in state.hands[seat] else "you must follow"
    return ""


def follow(draft: Draft, seat: Seat, command: SetUp | Give | Offer | Lay) -> None:
    state = draft.state
    if isinstance(command, SetUp):
        draft.happen(Begun(command.seats, command.packs))
        deal(draft)
    elif isinstance(command, Give):
        draft.happen(CardsSetAside(seat, command.cards))
        if not to_move(state):
            for giver, cards in [*state.aside.items()]:
                draft.happen(CardsReceived(seats_from(state, giver)[1], cards))
    elif isinstance(command, Offer):
        draft.happen(Offered(seat, command.points, command.suit))
    else:
        draft.happen(CardLaid(seat, command.card))
        if len(state.trick) == len(state.seats):
            draft.happen(TrickTaken(winner(state)))
        if not any(state.hands.values()):
            draft.happen(DealScored(dict(state.tricks)))
            if state.packs:
                deal(draft)


def deal(draft: Draft) -> None:
    state, size = draft.state, HAND_SIZE
    draft.happen(HandsDealt({seat: state.packs[0][index * size :][:size] for index, seat in enumerate(state.seats)}))


def winner(state: State) -> Seat:
    led_suit = state.trick[state.leader][0]

    def strength(seat: Seat) -> tuple[bool, bool, int]:
        card = state.trick[seat]
        return card[0] == state.trump, card[0] == led_suit, int(card[1:])

    return max(state.trick, key=strength)


def without(cards: tuple[str, ...], card: str) -> tuple[str, ...]:
    position = next((index for index, each in enumerate(cards) if not is_unknown(each) and each == card), 0)
    return cards[:position] + cards[position + 1 :]


def on_begun(state: State, event: Begun) -> None:
    state.seats, state.packs, state.points = event.seats, event.packs, dict.fromkeys(event.seats, 0)


def on_hands_dealt(state: State, event: HandsDealt) -> None:
    state.hands, state.packs, state.phase = dict(event.hands), state.packs[1:], "pass"
    state.aside, state.offers, state.trump, state.leader = {}, {}, "", state.seats[0]
    state.tricks = dict.fromkeys(state.seats, 0)


def on_cards_set_aside(state: State, event: CardsSetAside) -> None:
    for card in event.cards:
        state.hands[event.seat] = without(state.hands[event.seat], card)
    state.aside[event.seat] = event.cards


def on_cards_received(state: State, event: CardsReceived) -> None:
    state.hands[event.seat] += event.cards
    state.phase = "offer"


def on_offered(state: State, event: Offered) -> None:
    if event.points > max(state.offers.values(), default=0):
        state.trump, state.leader = event.suit, event.seat
    state.offers[event.seat] = event.points
    state.phase = "lay" if len(state.offers) == len(state.seats) else "offer"


def on_card_laid(state: State, event: CardLaid) -> None:
    state.hands[event.seat] = without(state.hands[event.seat], event.card)
    state.trick[event.seat] = event.card


def on_trick_taken(state: State, event: TrickTaken) -> None:
    state.tricks[event.seat] += 1
    state.trick, state.leader = {}, event.seat


def on_deal_scored(state: State, event: DealScored) -> None:
    for seat, points in event.points.items():
        state.points[seat] += points
    state.phase = ""


def outcome(state: State) -> Outcome:
    return outcome_by_score(bool(state.seats) and not state.phase and not state.packs, state.points)


GAME = Bundle(__name__, "tricks", "Tricks", version="1")
