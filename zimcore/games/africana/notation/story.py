"""Tells a turn as a sentence: what a player did, and the result."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any

from zimcore.game import Event
from zimcore.games.africana import events as e
from zimcore.games.africana.notation.descriptions import (
    cards_text,
    describe,
    house_rules_texts,
    place_text,
    setup_text,
    silver_change,
)

PHRASES: dict[type[Event], Callable[[Any], str]] = {
    e.CardsDrawn: lambda event: f"draws {cards_text(event.cards)}",
    e.PageTurned: lambda event: f"turns {event.adventure} over",
    e.AdventureBought: lambda event: f"buys {event.adventure}",
    e.ExpeditionJoined: lambda event: f"joins {event.expedition}",
    e.ExpeditionEnded: lambda event: f"ends {event.expedition}",
    e.AdventureEnded: lambda event: f"ends {event.adventure}",
    e.CardsDiscarded: lambda event: f"discards {cards_text(event.cards)}",
    e.AdventuresDiscarded: lambda event: f"gives up {', '.join(event.adventures)}",
}
"""The actions of a player, by the event that states each; other events follow from these."""


def describe_turn(events: Sequence[Event]) -> str:
    """A turn in words: `moves to Cairo and Aswan, joins A01 (+1 silver)`."""
    seat = next((event.seat for event in events if isinstance(event, e.Played)), "")
    actions = ", ".join(_action_phrases(events)) or _idle_phrase(events)
    if not seat:
        setups = [setup_text(event) for event in events if isinstance(event, e.GameSetUp)]
        redeals = [describe(event) for event in events if isinstance(event, e.UnknownRedealt)]
        return "; ".join([*setups, *house_rules_texts(events), *redeals]) or actions
    silver = silver_change(seat, events)
    ending_text = next(
        (f"; {' and '.join(event.winners)} won" for event in events if isinstance(event, e.GameEnded)), ""
    )
    return actions + (f" ({silver:+} silver)" if silver else "") + ending_text


def _idle_phrase(events: Sequence[Event]) -> str:
    """Only the end of a turn that had no action before it chooses one (A-TURN-02): that player stays at home."""
    return "stays at home" if any(isinstance(event, e.ActionChosen) for event in events) else "ends the turn"


def _action_phrases(events: Sequence[Event]) -> Iterator[str]:
    """A phrase for each action; consecutive steps share one."""
    action_events = (event for event in events if type(event) in PHRASES or isinstance(event, e.ExplorerMoved))
    for are_moves, group in groupby(action_events, lambda event: isinstance(event, e.ExplorerMoved)):
        if are_moves:
            places = [event.to for event in group if isinstance(event, e.ExplorerMoved)]
            yield "moves to " + " and ".join(map(place_text, places))
        else:
            yield from (PHRASES[type(event)](event) for event in group)
