"""Events in a few words, for logs and stories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from zimcore.game import Event
from zimcore.games.zimbabwe import events as e
from zimcore.games.zimbabwe.components import GODS
from zimcore.games.zimbabwe.house import HOUSE
from zimcore.games.zimbabwe.notation.commands import format_command
from zimcore.toolkit.house_rules import rules_of, rules_text
from zimcore.toolkit.words import an, spaced


def _join_names(names: Sequence[str]) -> str:
    return ", ".join(map(card_words, names)) or "nobody"


def card_words(name: str) -> str:
    """The name of a god, specialist, craftsman or player in words: `Tsui Goab`, `wood carver`, `kilwa`."""
    return spaced(name).title() if name in GODS else spaced(name)


def account_words(account: e.Account) -> str:
    """An account of cattle in words: `kilwa`, `kilwa's wood carver`, `Shadipinyi's plaque`, `Qamata's card`."""
    owner, _, card = account.partition("/")
    if owner in ("plaque", "card"):
        owner, card = card, owner
    return f"{card_words(owner)}'s {card_words(card)}" if card else owner


def reached_text(seats: Sequence[str]) -> str:
    """The seats that have at least as many VP as their VR, in words: `kilwa has reached their VR`."""
    return f"{_join_names(seats)} {'have' if len(seats) > 1 else 'has'} reached their VR"


def _setup_text(event: e.GameSetUp) -> str:
    cards = f"gods {_join_names(tuple(event.gods))}; specialists {_join_names(tuple(event.specialists))}"
    text = f"{_join_names(event.seats)} play, {event.order[0]} starts first; {cards}; seed {event.seed}"
    rules = rules_text(rules_of(HOUSE, event))
    return f"{text}; house rules: {rules}" if rules else text


def _comparison_text(event: e.MythologiesCompared) -> str:
    reached = reached_text(event.reached)
    return f"{reached}; {event.winner} wins" if event.winner else reached


DESCRIPTIONS: dict[type[Event], Callable[[Any], str]] = {
    e.Played: lambda x: f"{x.seat or 'somebody'}: {format_command(x.command)}",
    e.GameSetUp: _setup_text,
    e.HouseRulesChosen: lambda x: f"house rules: {rules_text(x.rules)}",
    e.RoundBegun: lambda x: f"round {x.round} begins, plaques: {_join_names(x.plaques)}",
    e.GiftGiven: lambda x: f"{x.seat} gives {x.amount}",
    e.CattlePaid: lambda x: (
        f"{account_words(x.payer)} pays {x.amount} to {account_words(x.payee)} ({card_words(x.reason)})"
    ),
    e.Passed: lambda x: f"{x.seat} {'has to pass' if x.forced else 'passes'}",
    e.OrderSet: lambda x: f"order of play: {_join_names(x.order)}",
    e.TurnBegun: lambda x: f"{x.seat}'s turn begins",
    e.TurnEnded: lambda x: f"{x.seat}'s turn ends",
    e.ActionTaken: lambda x: f"{x.seat}'s main action: {spaced(x.action)}",
    e.GodAdored: lambda x: f"{x.seat} adores {card_words(x.god)}",
    e.SpecialistHired: lambda x: f"{x.seat} takes the {spaced(x.specialist)}",
    e.SpecialistUsed: lambda x: f"{x.seat} uses the {spaced(x.specialist)}",
    e.ResourcePlaced: lambda x: f"{x.resource} is placed on {x.square}",
    e.WaterPlaced: lambda x: f"water is placed on {'-'.join(x.squares)}",
    e.MonumentBuilt: lambda x: f"{x.seat} has a monument on {x.square}",
    e.TechnologyTaken: lambda x: f"{x.seat} takes card {x.card} of the {spaced(x.type)}, which counts {x.vr} VR",
    e.TechnologyRebated: lambda x: f"{x.seat}'s {spaced(x.type)} counts {x.vr} VR now",
    e.CraftsmanPlaced: lambda x: f"{x.seat} places {an(spaced(x.type))} on {'-'.join(x.squares)}",
    e.PriceSet: lambda x: f"{x.seat}'s {spaced(x.type)} costs {x.price} now",
    e.GoodMade: lambda x: f"the {spaced(x.type)} at {x.craftsman} works for {x.seat} and uses up {x.resource}",
    e.MonumentRaised: lambda x: f"{x.seat}'s monument on {x.square} has level {x.level}",
    e.VPScored: lambda x: f"{x.seat} scores {x.points} VP ({card_words(x.reason)})",
    e.VRChanged: lambda x: f"{x.seat}'s VR changes by {x.by:+} ({card_words(x.reason)})",
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
    sums = Counter[str]()
    for event in events:
        match event:
            case e.VPScored(seat=gainer, points=points) if gainer == seat:
                sums["VP"] += points
            case e.VRChanged(seat=gainer, by=by) if gainer == seat:
                sums["VR"] += by
            case e.CattlePaid(payer=payer, payee=payee, amount=amount) if seat and seat in (payer, payee):
                sums["cattle"] += amount if payee == seat else -amount
    return [f"{change:+} {name}" for name, change in sums.items() if change]


def consequences(events: Iterable[Event]) -> Iterator[str]:
    """The consequences worth a mention; all house rules of a game are one text."""
    rules = dict[str, str]()
    for event in events:
        match event:
            case e.GameSetUp(seats=seats, seed=seed):
                yield f"{_join_names(seats)}, seed {seed}"
                rules |= rules_of(HOUSE, event)
            case e.HouseRulesChosen(rules=chosen_rules):
                rules |= chosen_rules
            case e.Passed(forced=True) | e.OrderSet() | e.RoundBegun() | e.MythologiesCompared(winner=str()):
                yield describe(event)
    if rules:
        yield f"house rules: {rules_text(rules)}"
