"""Events in a few words, for logs and stories."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from zimcore.game import Event
from zimcore.games.africana import events as e
from zimcore.games.africana.cards import UNKNOWN
from zimcore.games.africana.house import HOUSE_RULES
from zimcore.games.africana.notation.commands import format_command
from zimcore.toolkit.house_rules import rules_of, rules_text
from zimcore.toolkit.words import are, numbered, spaced


def cards_text(cards: Sequence[str]) -> str:
    """Cards in words: `gray, 2 face down`."""
    hidden_count = sum(card.endswith(UNKNOWN) for card in cards)
    card_texts = [spaced(card) for card in cards if not card.endswith(UNKNOWN)] + (
        [f"{hidden_count} face down"] if hidden_count else []
    )
    return ", ".join(card_texts) or "none"


def place_text(place: str) -> str:
    """A location in words: `Cape Town`."""
    return spaced(place).title()


def _shown_card_text(event: e.PageTurned | e.AdventureBought) -> str:
    return f", {event.shows} shows" if event.shows else ", and that half is empty"


def setup_text(event: e.GameSetUp) -> str:
    """The set-up in words: `italy, france play Africana; seed 7`."""
    seed_text = "" if event.seed is None else f"; seed {event.seed}"
    return f"{', '.join(event.seats)} play {event.components.title}{seed_text}"


DESCRIPTIONS: dict[type[Event], Callable[[Any], str]] = {
    e.Played: lambda event: f"{event.seat or 'somebody'}: {format_command(event.command)}",
    e.GameSetUp: lambda event: "; ".join([setup_text(event), *house_rules_texts([event])]),
    e.SilverPaid: lambda event: f"{event.payer} pays {event.amount} silver to {event.payee} ({event.reason})",
    e.HouseRulesChosen: lambda event: f"house rules: {rules_text(event.rules)}",
    e.RoundBegun: lambda event: f"round {event.round} begins",
    e.TurnBegun: lambda event: f"{event.seat}'s turn begins",
    e.ActionChosen: lambda event: f"{event.seat}'s action: {event.action}",
    e.CardsDrawn: lambda event: f"{event.seat} draws {cards_text(event.cards)}",
    e.PileShuffled: lambda event: (
        f"{numbered(len(event.pile), 'card')} of the discard pile {are(len(event.pile))} shuffled"
    ),
    e.PageTurned: lambda event: (
        f"{event.seat} turns {event.adventure} over from the {event.half} of the {event.book} book"
        + _shown_card_text(event)
    ),
    e.AdventureBought: lambda event: (
        f"{event.seat} has {event.adventure} from the {event.half} of the {event.book} book{_shown_card_text(event)}"
    ),
    e.ExplorerMoved: lambda event: (
        f"{event.seat} moves from {place_text(event.start)} to {place_text(event.to)} with {spaced(event.card)}"
        + " recoloured" * event.recoloured
    ),
    e.ExpeditionJoined: lambda event: f"{event.seat} joins {event.expedition} on space {event.space}",
    e.ExpeditionEnded: lambda event: f"{event.seat} ends {event.expedition}, space {event.space} is empty",
    e.AdventureEnded: lambda event: f"{event.seat} ends {event.adventure}",
    e.AssistantTaken: lambda event: f"{event.seat} takes the {event.colour} assistant",
    e.TableCleared: lambda event: (
        f"{event.seat} discards {cards_text(event.discarded)}, takes back {cards_text(event.returned)}"
    ),
    e.ActionEnded: lambda event: f"{event.seat}'s action is over",
    e.CardsDiscarded: lambda event: f"{event.seat} discards {cards_text(event.cards)}",
    e.AdventuresDiscarded: lambda event: f"{event.seat} gives up {', '.join(event.adventures)}",
    e.ExpeditionLaid: lambda event: f"{event.expedition} lies on space {event.space}",
    e.EndTriggered: lambda event: "the stack is used up: this round is the last",
    e.TurnEnded: lambda event: f"{event.seat}'s turn ends",
    e.PlayerScored: lambda event: f"{event.seat} has {event.vp} VP: {_points_text(event)}",
    e.GameEnded: lambda event: f"{' and '.join(event.winners)} won",
    e.UnknownRedealt: lambda event: f"all that {event.seat} does not know is dealt again",
}


def points_by_source(event: e.PlayerScored) -> dict[str, int]:
    """A player's points by source."""
    return {
        "expeditions": event.expeditions,
        "artifacts": event.artifacts,
        "collections": event.collections,
        "assistants": event.assistants,
        "silver": event.silver,
        "travel cards": event.travel_cards,
        "unfinished adventures": event.unfinished,
    }


def _points_text(event: e.PlayerScored) -> str:
    return ", ".join(f"{vp} for {source}" for source, vp in points_by_source(event).items() if vp) or "none"


def describe(event: Event) -> str:
    """An event in a few words: `italy pays 5 silver to bank (N05)`."""
    return DESCRIPTIONS[type(event)](event)


def summary(events: Sequence[Event]) -> str:
    """A commit's result in one line: the player's silver and cards, and what followed."""
    seat = next((event.seat for event in events if isinstance(event, e.Played)), "")
    silver = silver_change(seat, events)
    silver_texts = [f"{silver:+} silver"] if silver else []
    return ", ".join(
        [*silver_texts, *filter(None, (_consequence(event, seat) for event in events)), *house_rules_texts(events)]
    )


def silver_change(seat: str, events: Sequence[Event]) -> int:
    """The silver that a player received, less the silver that they paid."""
    payments = [event for event in events if isinstance(event, e.SilverPaid) and seat in (event.payer, event.payee)]
    return sum(event.amount if event.payee == seat else -event.amount for event in payments)


def _consequence(event: Event, seat: str) -> str | None:
    match event:
        case e.CardsDrawn(cards=cards) if seat:
            return f"draws {cards_text(cards)}"
        case e.PageTurned(shows=str(shows)) | e.AdventureBought(shows=str(shows)) if shows:
            return f"{shows} shows"
        case e.AdventureBought(adventure=adventure):
            return adventure
        case e.AssistantTaken(colour=colour):
            return f"takes the {colour} assistant"
        case e.ExpeditionLaid(expedition=card, space=space) if seat:
            return f"{card} lies on space {space}"
        case e.GameSetUp(seats=seats):
            return ", ".join(seats)
        case e.EndTriggered() | e.PileShuffled() | e.GameEnded():
            return describe(event)
    return None


def house_rules_texts(events: Sequence[Event]) -> Iterator[str]:
    """The house rules that these events choose, as one text; none if there are none."""
    house_rules = dict[str, str]()
    for event in events:
        house_rules |= event.rules if isinstance(event, e.HouseRulesChosen) else rules_of(HOUSE_RULES, event)
    if house_rules:
        yield f"house rules: {rules_text(house_rules)}"
