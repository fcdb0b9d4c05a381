"""Kuhn's poker with nothing but its rules: three cards, one for each seat; a bet wins the pot, or is called."""

from collections.abc import Mapping
from random import Random

import msgspec

from zimcore.game import Command, Deal, Event, Outcome, Seat
from zimcore.toolkit.bundle import Bundle
from zimcore.toolkit.rules import Draft
from zimcore.toolkit.secrets import NOBODY, OWNER

SEATS = ("one", "two")
STAKES = {"pp": 1, "bc": 2, "pbc": 2, "bp": 1, "pbp": 1}
"""What the loser pays the winner, by all words of a game: pass, bet, call."""
OPTIONS: Mapping[str, str] = {}


class SetUp(Deal, frozen=True, tag="set_up.1"):
    cards: tuple[int, ...]


class Say(Command, frozen=True, tag="say.1"):
    word: str


class CardsDealt(Event, frozen=True, tag="cards_dealt.1"):
    hands: dict[Seat, int]
    stock: tuple[int, ...]


class Said(Event, frozen=True, tag="said.1"):
    seat: Seat
    word: str


class Shown(Event, frozen=True, tag="shown.1"):
    best: Seat


class State(msgspec.Struct):
    seats: tuple[Seat, ...] = ()
    hands: dict[Seat, int] = {}
    stock: tuple[int, ...] = ()
    words: str = ""
    best: Seat = ""


SECRETS = {
    State: {"hands": OWNER, "stock": NOBODY},
    SetUp: {"cards": NOBODY},
    CardsDealt: {"hands": OWNER, "stock": NOBODY},
}


def set_up(options: Mapping[str, str], chance: Random) -> SetUp:
    return SetUp(tuple(chance.sample(range(1, 4), 3)))


def to_move(state: State) -> list[Seat]:
    return [] if not state.seats or state.words in STAKES else [state.seats[len(state.words) % 2]]


def moves(state: State, seat: Seat) -> list[Say]:
    return [Say("p"), Say("c" if "b" in state.words else "b")]


def follow(draft: Draft, seat: Seat, command: SetUp | Say) -> None:
    if isinstance(command, SetUp):
        draft.happen(CardsDealt(dict(zip(SEATS, command.cards, strict=False)), command.cards[2:]))
        return
    draft.happen(Said(seat, command.word))
    hands = draft.state.hands
    if draft.state.words in ("pp", "bc", "pbc"):
        draft.happen(Shown(max(hands, key=lambda holder: hands[holder])))
    elif draft.state.words in STAKES:
        draft.happen(Shown(SEATS[(len(draft.state.words) - 2) % 2]))  # who did not pass


def on_cards_dealt(state: State, event: CardsDealt) -> None:
    state.seats, state.hands, state.stock = SEATS, dict(event.hands), event.stock


def on_said(state: State, event: Said) -> None:
    state.words += event.word


def on_shown(state: State, event: Shown) -> None:
    state.best = event.best


def outcome(state: State) -> Outcome:
    stake = STAKES.get(state.words, 0) if state.best else 0
    scores = {seat: stake if seat == state.best else -stake for seat in state.seats}
    return Outcome(
        bool(state.best),
        tuple((seat,) for seat in sorted(SEATS, key=lambda seat: -scores[seat])) if stake else (),
        scores,
    )


GAME = Bundle(__name__, "kuhn", "Kuhn Poker", version="1")
