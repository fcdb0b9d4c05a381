"""Events in a few words, for logs and stories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from zimcore.game import Event
from zimcore.games.zimbabwe import events as e
from zimcore.games.zimbabwe.components import GODS
from zimcore.games.zimbabwe.house import HOUSE_RULES
from zimcore.games.zimbabwe.notation.commands import format_command
from zimcore.toolkit.house_rules import rules_of, rules_text
from zimcore.toolkit.words import an, spaced


def _join_names(names: Sequence[str]) -> str:
    return ", ".join(map(name_text, names)) or "nobody"


def name_text(name: str) -> str:
    """A card, a player or the reason of a payment, in words: `Tsui Goab`, `wood carver`, `kilwa`."""
    return spaced(name).title() if name in GODS else spaced(name)


def account_text(account: e.Account) -> str:
    """An account of cattle in words: `kilwa`, `kilwa's wood carver`, `Shadipinyi's plaque`, `Qamata's card`."""
    owner, _, card = account.partition("/")
    if owner in ("plaque", "card"):
        owner, card = card, owner
    return f"{name_text(owner)}'s {name_text(card)}" if card else owner


def reached_text(seats: Sequence[str]) -> str:
    """The seats that have at least as many VP as their VR, in words: `kilwa has reached their VR`."""
    return f"{_join_names(seats)} {'have' if len(seats) > 1 else 'has'} reached their VR"


def _setup_text(event: e.GameSetUp) -> str:
    cards_text = f"gods {_join_names(tuple(event.gods))}; specialists {_join_names(tuple(event.specialists))}"
    deal_text = f"{_join_names(event.seats)} play, {event.order[0]} starts first; {cards_text}; seed {event.seed}"
    house_rules = rules_text(rules_of(HOUSE_RULES, event))
    return f"{deal_text}; house rules: {house_rules}" if house_rules else deal_text


def _comparison_text(event: e.MythologiesCompared) -> str:
    seats_text = reached_text(event.reached)
    return f"{seats_text}; {event.winner} wins" if event.winner else seats_text


DESCRIPTIONS: dict[type[Event], Callable[[Any], str]] = {
    e.Played: lambda event: f"{event.seat or 'somebody'}: {format_command(event.command)}",
    e.GameSetUp: _setup_text,
    e.HouseRulesChosen: lambda event: f"house rules: {rules_text(event.rules)}",
    e.RoundBegun: lambda event: f"round {event.round} begins, plaques: {_join_names(event.plaques)}",
    e.GiftGiven: lambda event: f"{event.seat} gives {event.amount}",
    e.CattlePaid: lambda event: (
        f"{account_text(event.payer)} pays {event.amount} to {account_text(event.payee)} ({name_text(event.reason)})"
    ),
    e.Passed: lambda event: f"{event.seat} {'has to pass' if event.forced else 'passes'}",
    e.OrderSet: lambda event: f"order of play: {_join_names(event.order)}",
    e.TurnBegun: lambda event: f"{event.seat}'s turn begins",
    e.TurnEnded: lambda event: f"{event.seat}'s turn ends",
    e.ActionTaken: lambda event: f"{event.seat}'s main action: {spaced(event.action)}",
    e.GodAdored: lambda event: f"{event.seat} adores {name_text(event.god)}",
    e.SpecialistHired: lambda event: f"{event.seat} takes the {spaced(event.specialist)}",
    e.SpecialistUsed: lambda event: f"{event.seat} uses the {spaced(event.specialist)}",
    e.ResourcePlaced: lambda event: f"{event.resource} is placed on {event.square}",
    e.WaterPlaced: lambda event: f"water is placed on {'-'.join(event.squares)}",
    e.MonumentBuilt: lambda event: f"{event.seat} has a monument on {event.square}",
    e.TechnologyTaken: lambda event: (
        f"{event.seat} takes card {event.card} of the {spaced(event.type)}, which counts {event.vr} VR"
    ),
    e.TechnologyRebated: lambda event: f"{event.seat}'s {spaced(event.type)} counts {event.vr} VR now",
    e.CraftsmanPlaced: lambda event: f"{event.seat} places {an(spaced(event.type))} on {'-'.join(event.squares)}",
    e.PriceSet: lambda event: f"{event.seat}'s {spaced(event.type)} costs {event.price} now",
    e.GoodMade: lambda event: (
        f"the {spaced(event.type)} at {event.craftsman} works for {event.seat} and uses up {event.resource}"
    ),
    e.MonumentRaised: lambda event: f"{event.seat}'s monument on {event.square} has level {event.level}",
    e.VPScored: lambda event: f"{event.seat} scores {event.points} VP ({name_text(event.reason)})",
    e.VRChanged: lambda event: f"{event.seat}'s VR changes by {event.by:+} ({name_text(event.reason)})",
    e.MythologiesCompared: _comparison_text,
}


def describe(event: Event) -> str:
    """An event in a few words: `kilwa pays 2 to zulu's potter (potter)`."""
    return DESCRIPTIONS[type(event)](event)


def summary(events: Sequence[Event]) -> str:
    """A commit's result in one line: the player's VP, VR and cattle, and what followed."""
    seat = next((event.seat for event in events if isinstance(event, e.Played)), "")
    return ", ".join([*figure_changes(seat, events), *consequences(events)])


def figure_changes(seat: str, events: Sequence[Event]) -> list[str]:
    """The changes of a player's VP and VR, and of cattle paid from or to their hand."""
    changes = Counter[str]()
    for event in events:
        match event:
            case e.VPScored(seat=event_seat, points=points) if event_seat == seat:
                changes["VP"] += points
            case e.VRChanged(seat=event_seat, by=vr_change) if event_seat == seat:
                changes["VR"] += vr_change
            case e.CattlePaid(payer=payer, payee=payee, amount=amount) if seat and seat in (payer, payee):
                changes["cattle"] += amount if payee == seat else -amount
    return [f"{change:+} {name}" for name, change in changes.items() if change]


def consequences(events: Iterable[Event]) -> Iterator[str]:
    """The consequences worth a mention; all house rules of a game are one text."""
    house_rules = dict[str, str]()
    for event in events:
        match event:
            case e.GameSetUp(seats=seats, seed=seed):
                yield f"{_join_names(seats)}, seed {seed}"
                house_rules |= rules_of(HOUSE_RULES, event)
            case e.HouseRulesChosen(rules=chosen_rules):
                house_rules |= chosen_rules
            case e.Passed(forced=True) | e.OrderSet() | e.RoundBegun() | e.MythologiesCompared(winner=str()):
                yield describe(event)
    if house_rules:
        yield f"house rules: {rules_text(house_rules)}"
