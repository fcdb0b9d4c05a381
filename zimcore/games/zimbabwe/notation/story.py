"""Tells a turn as a sentence: what a player did, whom it paid, and the result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from zimcore.game import Event, Seat
from zimcore.games.zimbabwe import events as e
from zimcore.games.zimbabwe.notation.descriptions import consequences, figure_changes, name_text
from zimcore.toolkit.words import an, spaced

PHRASES: dict[type[Event], Callable[[Any], str]] = {
    e.GiftGiven: lambda event: f"gives {event.amount}",
    e.Passed: lambda event: "has to pass" if event.forced else "passes",
    e.GodAdored: lambda event: f"adores {name_text(event.god)}",
    e.SpecialistHired: lambda event: f"hires the {spaced(event.specialist)}",
    e.SpecialistUsed: lambda event: f"uses the {spaced(event.specialist)}",
    e.ResourcePlaced: lambda event: f"places {event.resource} on {event.square}",
    e.WaterPlaced: lambda event: f"places water on {'-'.join(event.squares)}",
    e.MonumentBuilt: lambda event: f"builds a monument on {event.square}",
    e.TechnologyTaken: lambda event: f"takes the technology of the {spaced(event.type)}",
    e.CraftsmanPlaced: lambda event: f"places {an(spaced(event.type))} on {'-'.join(event.squares)}",
    e.PriceSet: lambda event: f"asks {event.price} for {an(spaced(event.type))}",
    e.MonumentRaised: lambda event: f"raises {event.square} to level {event.level}",
}
"""The actions of a player, by the event that states each; other events follow from these."""


def describe_turn(events: Sequence[Event]) -> str:
    """The actions of a player in a row, as a sentence without its subject.

    >>> describe_turn([e.GodAdored("zulu", "eshu"), e.VRChanged("zulu", 4, "eshu"), e.TurnEnded("zulu")])
    'adores Eshu (+4 VR)'
    """
    seat = next((_seat_of(event) for event in events if isinstance(event, (e.Played, *PHRASES))), "")
    action_phrases = [
        PHRASES[type(event)](event) for event in events if type(event) in PHRASES and _seat_of(event) == seat
    ]
    other_events = (event for event in events if type(event) not in PHRASES or _seat_of(event) != seat)
    sentence = ", ".join([*action_phrases, *_payment_phrases(seat, events)]) or ("ends the turn" if seat else "")
    figures_text = ", ".join(figure_changes(seat, events))
    return "; ".join(
        filter(None, [sentence + (f" ({figures_text})" if figures_text else ""), *consequences(other_events)])
    )


def _payment_phrases(seat: Seat, events: Sequence[Event]) -> Iterator[str]:
    """The payments to other players for their goods."""
    cattle_by_payee = Counter[Seat]()
    for event in events:
        if isinstance(event, e.CattlePaid) and event.payer == seat:
            payee, _, card = event.payee.partition("/")
            if card and payee not in (seat, "plaque"):
                cattle_by_payee[payee] += event.amount
    return (f"pays {amount} to {payee.title()}" for payee, amount in cattle_by_payee.items())


def _seat_of(event: Event) -> Seat:
    return getattr(event, "seat", "")
