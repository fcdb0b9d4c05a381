"""Advice in a position: commands worth a look, the best first, with what each brings.

Each module advises on some commands. It says what can be counted on the board; the weights that rank advice
are rules of thumb.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice

from zimcore.game import Advice, Seat
from zimcore.games.zimbabwe.advice.bidding import bid_advice
from zimcore.games.zimbabwe.advice.cards import god_advice, hire_advice, use_advice
from zimcore.games.zimbabwe.advice.placing import building_advice, craftsman_advice, start_advice
from zimcore.games.zimbabwe.advice.prices import price_advice
from zimcore.games.zimbabwe.advice.raising import raise_advice
from zimcore.games.zimbabwe.state import State
from zimcore.toolkit.words import words_begin_with

__all__ = ["advice"]

Adviser = Callable[[State, Seat, list[str]], Iterable[Advice]]
"""Yields advice on commands with one verb, the best first; the words are those typed after the verb."""

ADVISERS: Mapping[str, Mapping[str, tuple[Adviser, int]]] = {
    "setup": {"start": (start_advice, 4)},
    "bidding": {"bid": (bid_advice, 4)},
    "actions": {
        "raise": (raise_advice, 3),
        "craft": (craftsman_advice, 3),
        "build": (building_advice, 2),
        "use": (use_advice, 2),
        "adore": (god_advice, 2),
        "hire": (hire_advice, 2),
        "price": (price_advice, 1),
    },
}
"""By phase and verb: the adviser, and how much of its advice is shown if nothing was typed."""


def advice(state: State, seat: Seat, beginning: str = "") -> list[Advice]:
    """Legal commands worth a look that begin with `beginning`; if that is empty, the best with each verb.

    A pass counts as a bid. There is no advice to end the turn.
    """
    words = beginning.lower().split()
    advisers = ADVISERS.get(state.phase, {}) if state.actor == seat else {}
    matching_advisers = (entry for verb, entry in advisers.items() if _starts_verb(verb, words))
    return list(
        chain.from_iterable(_ask_adviser(adviser, limit, state, seat, words) for adviser, limit in matching_advisers)
    )


def _starts_verb(verb: str, words: list[str]) -> bool:
    """Whether the words start a command with this verb; `pass` counts as a bid."""
    return words_begin_with([verb], words[:1]) or (verb == "bid" and words_begin_with(["pass"], words[:1]))


def _ask_adviser(adviser: Adviser, limit: int, state: State, seat: Seat, words: list[str]) -> Iterator[Advice]:
    matching_advice = (
        suggestion for suggestion in adviser(state, seat, words[1:]) if words_begin_with(suggestion.text.split(), words)
    )
    return matching_advice if words else islice(matching_advice, limit)
