"""Inquiry: three cards lie in an envelope, and seats ask each other which. Who names them all wins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from random import Random

import msgspec

from zimcore.game import Command, Deal, Event, Outcome, Seat
from zimcore.toolkit.bundle import Bundle
from zimcore.toolkit.cards import Hand, Pile, deal, make_pack
from zimcore.toolkit.rules import Draft, number
from zimcore.toolkit.secrets import NOBODY, OWNER

SUITS, RANKS, SIZE = "swr", ("1", "2", "3", "4"), 3
"""Suspects, weapons and rooms."""
PACK = make_pack(SUITS, RANKS)
OPTIONS = {"players": "how many ask, 2 or 3 (3)"}


class SetUp(Deal, frozen=True, tag="set_up.1"):
    seats: tuple[Seat, ...]
    envelope: tuple[str, ...]
    stock: tuple[str, ...]


class Ask(Command, frozen=True, tag="ask.1"):
    """Ask the others, one after the other, for one of three cards."""

    suspect: str
    weapon: str
    room: str


class Show(Command, frozen=True, tag="show.1"):
    """Show the seat that asks one of its cards, in secret."""

    card: str


class Accuse(Command, frozen=True, tag="accuse.1"):
    """Name the cards in the envelope. If you are wrong, you are out."""

    suspect: str
    weapon: str
    room: str


class Begun(Event, frozen=True, tag="begun.1"):
    envelope: tuple[str, ...]
    hands: dict[Seat, tuple[str, ...]]


class Asked(Event, frozen=True, tag="asked.1"):
    seat: Seat
    cards: tuple[str, ...]


class HadNone(Event, frozen=True, tag="had_none.1"):
    seat: Seat
    cards: tuple[str, ...]


class MustShow(Event, frozen=True, tag="must_show.1"):
    seat: Seat


class Shown(Event, frozen=True, tag="shown.1"):
    """A seat has shown a card to the one that asks."""

    seat: Seat
    to: Seat
    card: str


class Accused(Event, frozen=True, tag="accused.1"):
    seat: Seat
    cards: tuple[str, ...]
    right: bool


class TurnEnded(Event, frozen=True, tag="turn_ended.1"):
    seat: Seat


class State(msgspec.Struct):
    seats: tuple[Seat, ...] = ()
    envelope: Pile = Pile()
    hands: dict[Seat, Hand] = {}
    asking: Seat = ""
    asked: tuple[str, ...] = ()
    showing: Seat = ""
    out: tuple[Seat, ...] = ()
    wrong: tuple[tuple[str, ...], ...] = ()
    winner: Seat = ""


SECRETS = {
    State: {"envelope": NOBODY, "hands": OWNER},
    SetUp: {"envelope": NOBODY, "stock": NOBODY},
    Begun: {"envelope": NOBODY, "hands": OWNER},
    Show: {"card": OWNER},
    Shown: {"card": "to"},
}
DISCLOSES: Mapping[type[Event], set[str]] = {HadNone: set(), MustShow: set(), Accused: {"right"}}


def pack(state: State) -> tuple[str, ...]:
    return PACK


def set_up(options: Mapping[str, str], chance: Random) -> SetUp:
    seats = ("ada", "bo", "cy")[: number(options, "players", 3, least=2, most=3)]
    envelope = tuple(suit + chance.choice(RANKS) for suit in SUITS)
    stock = [card for card in PACK if card not in envelope]
    return SetUp(seats, envelope, tuple(chance.sample(stock, len(stock))))


def to_move(state: State) -> list[Seat]:
    return [] if state.winner or not state.seats else [state.showing or state.asking]


def moves(state: State, seat: Seat) -> Iterator[Command]:
    if state.showing:
        yield from (Show(card) for card in state.asked if card in state.hands[seat].cards)
        return
    for cards in product(*([suit + rank for rank in RANKS] for suit in SUITS)):
        yield Ask(*cards)
        yield Accuse(*cards)


def follow(draft: Draft, seat: Seat, command: SetUp | Ask | Show | Accuse) -> None:
    match command:
        case SetUp(seats=seats, envelope=envelope, stock=stock):
            draft.happen(Begun(envelope, deal(stock, seats, len(stock) // len(seats))))
        case Ask(suspect=suspect, weapon=weapon, room=room):
            ask(draft, seat, (suspect, weapon, room))
        case Show(card=card):
            to = draft.state.asking
            draft.happen(Shown(seat, to, card))
            draft.happen(TurnEnded(to))
        case Accuse(suspect=suspect, weapon=weapon, room=room):
            cards = (suspect, weapon, room)
            draft.happen(Accused(seat, cards, right=cards == draft.state.envelope.cards))
            if not draft.state.winner:
                draft.happen(TurnEnded(seat))


def ask(draft: Draft, seat: Seat, cards: tuple[str, ...]) -> None:
    draft.happen(Asked(seat, cards))
    seats = draft.state.seats
    start = seats.index(seat) + 1
    for other in (seats[start:] + seats[:start])[:-1]:
        if any(card in draft.state.hands[other].cards for card in cards):
            draft.happen(MustShow(other))
            return
        draft.happen(HadNone(other, cards))
    draft.happen(TurnEnded(seat))


def on_begun(state: State, event: Begun) -> None:
    state.seats, state.asking = tuple(event.hands), next(iter(event.hands))
    state.envelope = Pile(event.envelope, suits=tuple(SUITS))
    state.hands = {seat: Hand().plus(*cards) for seat, cards in event.hands.items()}


def on_asked(state: State, event: Asked) -> None:
    state.asked = event.cards


def on_had_none(state: State, event: HadNone) -> None:
    state.hands[event.seat] = state.hands[event.seat].has_none_of(*event.cards)


def on_must_show(state: State, event: MustShow) -> None:
    state.showing = event.seat
    state.hands[event.seat] = state.hands[event.seat].has_one_of(*state.asked)


def on_shown(state: State, event: Shown) -> None:
    state.hands[event.seat] = state.hands[event.seat].show(event.to, event.card)


def on_accused(state: State, event: Accused) -> None:
    if event.right:
        state.winner = event.seat
    else:
        state.out += (event.seat,)
        state.wrong += (event.cards,)
        if len(state.out) == len(state.seats) - 1:
            state.winner = next(seat for seat in state.seats if seat not in state.out)


def on_turn_ended(state: State, event: TurnEnded) -> None:
    state.showing, state.asked = "", ()
    start = state.seats.index(event.seat) + 1
    state.asking = next(each for each in state.seats[start:] + state.seats[:start] if each not in state.out)


def invariant(state: State) -> str:
    return "a wrong accusation would be right" if state.envelope.cards in state.wrong else ""


def outcome(state: State) -> Outcome:
    others = tuple(seat for seat in state.seats if seat != state.winner)
    ranking = ((state.winner,), others) if state.winner else ()
    return Outcome(bool(state.winner), ranking, {seat: int(seat == state.winner) for seat in state.seats})


DESCRIPTIONS = {
    Asked: "{seat} asks for {cards}",
    HadNone: "{seat} has none of {cards}",
    MustShow: "{seat} has one",
    Shown: "{seat} shows {to} {card}",
    Accused: "{seat} accuses {cards}",
}

GAME = Bundle(__name__, "inquiry", "Inquiry", version="1")
