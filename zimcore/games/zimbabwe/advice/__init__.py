"""What a friend would say about a position: commands that are worth a look, the best first, and what they bring.

Each module knows some kinds of commands. What it says is what can be counted on the board; the weights by which it
ranks are rules of thumb, and decide nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice

from zimcore.game import Advice, Seat
from zimcore.games.zimbabwe.advice.bidding import bids
from zimcore.games.zimbabwe.advice.cards import gods, hires, uses
from zimcore.games.zimbabwe.advice.placing import buildings, crafts, starts
from zimcore.games.zimbabwe.advice.prices import pricings
from zimcore.games.zimbabwe.advice.raising import raises
from zimcore.games.zimbabwe.state import State
from zimcore.toolkit.words import begin

__all__ = ["advice"]

Adviser = Callable[[State, Seat, list[str]], Iterable[Advice]]
"""Advises on commands of a kind, of which the words after the first begin like these, the best first."""

ADVISERS: Mapping[str, Mapping[str, tuple[Adviser, int]]] = {
    "setup": {"start": (starts, 4)},
    "bidding": {"bid": (bids, 4)},
    "actions": {
        "raise": (raises, 3),
        "craft": (crafts, 3),
        "build": (buildings, 2),
        "use": (uses, 2),
        "adore": (gods, 2),
        "hire": (hires, 2),
        "price": (pricings, 1),
    },
}
"""By phase and kind: who advises, and how much of it is said where nothing was typed."""


def advice(state: State, seat: Seat, beginning: str = "") -> list[Advice]:
    """Legal commands worth a look, those whose words begin like these; where nothing was typed the best of each kind.

    A pass is among the bids. That a turn can be ended needs no advice.
    """
    words = beginning.lower().split()
    advisers = ADVISERS.get(state.phase, {}) if state.actor == seat else {}
    meant = (each for kind, each in advisers.items() if _is_of(kind, words))
    return list(chain.from_iterable(_ask_adviser(adviser, most, state, seat, words) for adviser, most in meant))


def _is_of(kind: str, words: list[str]) -> bool:
    """Whether a kind is meant; of bids also where `pass` is begun."""
    return begin([kind], words[:1]) or (kind == "bid" and begin(["pass"], words[:1]))


def _ask_adviser(adviser: Adviser, most: int, state: State, seat: Seat, words: list[str]) -> Iterator[Advice]:
    found = (each for each in adviser(state, seat, words[1:]) if begin(each.text.split(), words))
    return found if words else islice(found, most)
