"""A game of sets: draw a card from the stock or the discards, lay sets of three, discard one."""

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

SEATS = ("ava", "bo", "cyd")
PACK = [suit + str(rank) for suit in "cdhs" for rank in range(1, 8)]
OPTIONS = {"players": "how many play, 2 or 3 (2)"}


class SetUp(Deal, frozen=True, tag="set_up.1"):
    seats: tuple[Seat, ...]
    pack: tuple[str, ...]


class Draw(Command, frozen=True, tag="draw.1"):
    pass


class Take(Command, frozen=True, tag="take.1"):
    pass


class Meld(Command, frozen=True, tag="meld.1"):
    cards: tuple[str, ...]


class Discard(Command, frozen=True, tag="discard.1"):
    card: str


class CardsDealt(Event, frozen=True, tag="cards_dealt.1"):
    hands: dict[Seat, tuple[str, ...]]
    stock: tuple[str, ...]
    shown: str


class CardDrawn(Event, frozen=True, tag="card_drawn.1"):
    seat: Seat
    card: str


class CardTaken(Event, frozen=True, tag="card_taken.1"):
    seat: Seat
    card: str


class SetLaid(Event, frozen=True, tag="set_laid.1"):
    seat: Seat
    cards: tuple[str, ...]


class CardDiscarded(Event, frozen=True, tag="card_discarded.1"):
    seat: Seat
    card: str


class State(msgspec.Struct):
    seats: tuple[Seat, ...] = ()
    hands: dict[Seat, tuple[str, ...]] = {}
    taken: dict[Seat, tuple[str, ...]] = {}
    stock: tuple[str, ...] = ()
    discards: tuple[str, ...] = ()
    sets: dict[Seat, tuple[str, ...]] = {}
    turn: int = 0
    has_drawn: bool = False


SECRETS = {
    State: {"hands": OWNER, "stock": NOBODY},
    SetUp: {"pack": NOBODY},
    CardsDealt: {"hands": OWNER, "stock": NOBODY},
    CardDrawn: {"card": OWNER},
}


def set_up(options: Mapping[str, str], chance: Random) -> SetUp:
    pack = list(PACK)
    chance.shuffle(pack)
    return SetUp(SEATS[: number(options, "players", 2, least=2, most=3)], tuple(pack))


def is_over(state: State) -> bool:
    return (
        bool(state.seats)
        and not state.has_drawn
        and (not state.stock or not all(state.hands[seat] or state.taken[seat] for seat in state.seats))
    )


def to_move(state: State) -> list[Seat]:
    return [] if not state.seats or is_over(state) else [state.seats[state.turn % len(state.seats)]]


def moves(state: State, seat: Seat) -> Iterator[Draw | Take | Meld | Discard]:
    if not state.has_drawn:
        yield Draw()
        if state.discards:
            yield Take()
        return
    hand = (*state.hands[seat], *state.taken[seat])
    yield from (Meld(cards) for cards in combinations(hand, 3) if len({card[1:] for card in cards}) == 1)
    yield from map(Discard, hand)


def follow(draft: Draft, seat: Seat, command: SetUp | Draw | Take | Meld | Discard) -> None:
    state = draft.state
    if isinstance(command, SetUp):
        hands = {each: command.pack[index * 6 :][:6] for index, each in enumerate(command.seats)}
        rest = command.pack[6 * len(hands) :]
        draft.happen(CardsDealt(hands, rest[1:], rest[0]))
    elif isinstance(command, Draw):
        draft.happen(CardDrawn(seat, state.stock[0]))
    elif isinstance(command, Take):
        draft.happen(CardTaken(seat, state.discards[-1]))
    elif isinstance(command, Meld):
        draft.happen(SetLaid(seat, command.cards))
    else:
        draft.happen(CardDiscarded(seat, command.card))


def remove(state: State, seat: Seat, card: str) -> None:
    """Taken cards lie open; any other card comes from the hand."""
    if card in state.taken[seat]:
        state.taken[seat] = tuple(each for each in state.taken[seat] if each != card)
    else:
        hand = state.hands[seat]
        position = next((index for index, each in enumerate(hand) if not is_unknown(each) and each == card), 0)
        state.hands[seat] = hand[:position] + hand[position + 1 :]


def on_cards_dealt(state: State, event: CardsDealt) -> None:
    state.seats, state.hands, state.stock = tuple(event.hands), dict(event.hands), event.stock
    state.discards, state.sets = (event.shown,), dict.fromkeys(event.hands, ())
    state.taken = dict.fromkeys(event.hands, ())


def on_card_drawn(state: State, event: CardDrawn) -> None:
    state.hands[event.seat] += (event.card,)
    state.stock, state.has_drawn = state.stock[1:], True


def on_card_taken(state: State, event: CardTaken) -> None:
    state.taken[event.seat] += (event.card,)
    state.discards, state.has_drawn = state.discards[:-1], True


def on_set_laid(state: State, event: SetLaid) -> None:
    for card in event.cards:
        remove(state, event.seat, card)
    state.sets[event.seat] += event.cards
    if not state.hands[event.seat] and not state.taken[event.seat]:
        state.has_drawn = False


def on_card_discarded(state: State, event: CardDiscarded) -> None:
    remove(state, event.seat, event.card)
    state.discards += (event.card,)
    state.turn, state.has_drawn = state.turn + 1, False


def outcome(state: State) -> Outcome:
    return outcome_by_score(is_over(state), {seat: len(cards) for seat, cards in state.sets.items()})


GAME = Bundle(__name__, "rummy", "Rummy", version="1")
