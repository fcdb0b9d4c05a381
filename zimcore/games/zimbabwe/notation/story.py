"""Tells a turn as a sentence: what a player did, whom it paid, and the result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from zimcore.game import Event, Seat
from zimcore.games.zimbabwe import events as e
from zimcore.games.zimbabwe.notation.descriptions import card_words, consequences, figure_changes
from zimcore.toolkit.words import an, spaced

PHRASES: dict[type[Event], Callable[[Any], str]] = {
    e.GiftGiven: lambda x: f"gives {x.amount}",
    e.Passed: lambda x: "has to pass" if x.forced else "passes",
    e.GodAdored: lambda x: f"adores {card_words(x.god)}",
    e.SpecialistHired: lambda x: f"hires the {spaced(x.specialist)}",
    e.SpecialistUsed: lambda x: f"uses the {spaced(x.specialist)}",
    e.ResourcePlaced: lambda x: f"places {x.resource} on {x.square}",
    e.WaterPlaced: lambda x: f"places water on {'-'.join(x.squares)}",
    e.MonumentBuilt: lambda x: f"builds a monument on {x.square}",
    e.TechnologyTaken: lambda x: f"takes the technology of the {spaced(x.type)}",
    e.CraftsmanPlaced: lambda x: f"places {an(spaced(x.type))} on {'-'.join(x.squares)}",
    e.PriceSet: lambda x: f"asks {x.price} for {an(spaced(x.type))}",
    e.MonumentRaised: lambda x: f"raises {x.square} to level {x.level}",
}
"""The actions of a player, by the event that states each; other events follow from these."""


def describe_turn(events: Sequence[Event]) -> str:
    """The actions of a player in a row, as a sentence without its subject.

    >>> describe_turn([e.GodAdored("zulu", "eshu"), e.VRChanged("zulu", 4, "eshu"), e.TurnEnded("zulu")])
    'adores Eshu (+4 VR)'
    """
    seat = next((_seat_of(event) for event in events if isinstance(event, (e.Played, *PHRASES))), "")
    actions = [PHRASES[type(event)](event) for event in events if type(event) in PHRASES and _seat_of(event) == seat]
    other_events = (event for event in events if type(event) not in PHRASES or _seat_of(event) != seat)
    sentence = ", ".join([*actions, *_payments(seat, events)]) or ("ends the turn" if seat else "")
    result = ", ".join(figure_changes(seat, events))
    return "; ".join(filter(None, [sentence + (f" ({result})" if result else ""), *consequences(other_events)]))


def _payments(seat: Seat, events: Sequence[Event]) -> Iterator[str]:
    """The payments to other players for their goods."""
    sums = Counter[Seat]()
    for event in events:
        if isinstance(event, e.CattlePaid) and event.payer == seat:
            payee, _, card = event.payee.partition("/")
            if card and payee not in (seat, "plaque"):
                sums[payee] += event.amount
    return (f"pays {amount} to {payee.title()}" for payee, amount in sums.items())


def _seat_of(event: Event) -> Seat:
    return getattr(event, "seat", "")
