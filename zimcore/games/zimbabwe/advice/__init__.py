"""Advice in a position: commands worth a look, the best first, with what each brings.

Each module advises on some kinds of commands. It says what can be counted on the board; the weights that rank advice
are rules of thumb.
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
from zimcore.toolkit.words import words_begin_with

__all__ = ["advice"]

Adviser = Callable[[State, Seat, list[str]], Iterable[Advice]]
"""Yields advice on a kind of command, the best first; the words are those typed after the verb."""

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
"""By phase and kind: the adviser, and how much of its advice is shown if nothing was typed."""


def advice(state: State, seat: Seat, beginning: str = "") -> list[Advice]:
    """Legal commands worth a look whose words start with these; if nothing was typed, the best of each kind.

    A pass counts as a bid. There is no advice to end the turn.
    """
    words = beginning.lower().split()
    advisers = ADVISERS.get(state.phase, {}) if state.actor == seat else {}
    matching_advisers = (entry for kind, entry in advisers.items() if _starts_kind(kind, words))
    return list(
        chain.from_iterable(_ask_adviser(adviser, limit, state, seat, words) for adviser, limit in matching_advisers)
    )


def _starts_kind(kind: str, words: list[str]) -> bool:
    """Whether the words start a command of this kind; `pass` counts as a bid."""
    return words_begin_with([kind], words[:1]) or (kind == "bid" and words_begin_with(["pass"], words[:1]))


def _ask_adviser(adviser: Adviser, limit: int, state: State, seat: Seat, words: list[str]) -> Iterator[Advice]:
    matching_advice = (
        suggestion for suggestion in adviser(state, seat, words[1:]) if words_begin_with(suggestion.text.split(), words)
    )
    return matching_advice if words else islice(matching_advice, limit)
