"""Events in a few words, for logs and stories."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from zimcore.game import Event
from zimcore.games.africana import events as e
from zimcore.games.africana.cards import UNKNOWN
from zimcore.games.africana.house import HOUSE
from zimcore.games.africana.notation.commands import format_command
from zimcore.toolkit.house_rules import rules_of, rules_text
from zimcore.toolkit.words import are, numbered, spaced


def cards_text(cards: Sequence[str]) -> str:
    """Cards in words: `gray, 2 face down`."""
    hidden = sum(card.endswith(UNKNOWN) for card in cards)
    words = [spaced(card) for card in cards if not card.endswith(UNKNOWN)] + ([f"{hidden} face down"] if hidden else [])
    return ", ".join(words) or "none"


def place_words(place: str) -> str:
    """A location in words: `Cape Town`."""
    return spaced(place).title()


def _shown_card_text(event: e.PageTurned | e.AdventureBought) -> str:
    return f", {event.shows} shows" if event.shows else ", and that half is empty"


def setup_text(event: e.GameSetUp) -> str:
    """The set-up in words: `italy, france play Africana; seed 7`."""
    chance = "" if event.seed is None else f"; seed {event.seed}"
    return f"{', '.join(event.seats)} play {event.components.title}{chance}"


DESCRIPTIONS: dict[type[Event], Callable[[Any], str]] = {
    e.Played: lambda x: f"{x.seat or 'somebody'}: {format_command(x.command)}",
    e.GameSetUp: lambda x: "; ".join([setup_text(x), *house_rules_texts([x])]),
    e.SilverPaid: lambda x: f"{x.payer} pays {x.amount} silver to {x.payee} ({x.reason})",
    e.HouseRulesChosen: lambda x: f"house rules: {rules_text(x.rules)}",
    e.RoundBegun: lambda x: f"round {x.round} begins",
    e.TurnBegun: lambda x: f"{x.seat}'s turn begins",
    e.ActionChosen: lambda x: f"{x.seat}'s action: {x.action}",
    e.CardsDrawn: lambda x: f"{x.seat} draws {cards_text(x.cards)}",
    e.PileShuffled: lambda x: f"{numbered(len(x.pile), 'card')} of the discard pile {are(len(x.pile))} shuffled",
    e.PageTurned: lambda x: (
        f"{x.seat} turns {x.adventure} over from the {x.half} of the {x.book} book{_shown_card_text(x)}"
    ),
    e.AdventureBought: lambda x: (
        f"{x.seat} has {x.adventure} from the {x.half} of the {x.book} book{_shown_card_text(x)}"
    ),
    e.ExplorerMoved: lambda x: (
        f"{x.seat} moves from {place_words(x.start)} to {place_words(x.to)} with {spaced(x.card)}"
        + " recoloured" * x.recoloured
    ),
    e.ExpeditionJoined: lambda x: f"{x.seat} joins {x.expedition} on space {x.space}",
    e.ExpeditionEnded: lambda x: f"{x.seat} ends {x.expedition}, space {x.space} is empty",
    e.AdventureEnded: lambda x: f"{x.seat} ends {x.adventure}",
    e.AssistantTaken: lambda x: f"{x.seat} takes the {x.colour} assistant",
    e.TableCleared: lambda x: f"{x.seat} discards {cards_text(x.discarded)}, takes back {cards_text(x.returned)}",
    e.ActionEnded: lambda x: f"{x.seat}'s action is over",
    e.CardsDiscarded: lambda x: f"{x.seat} discards {cards_text(x.cards)}",
    e.AdventuresDiscarded: lambda x: f"{x.seat} gives up {', '.join(x.adventures)}",
    e.ExpeditionLaid: lambda x: f"{x.expedition} lies on space {x.space}",
    e.EndTriggered: lambda x: "the stack is used up: this round is the last",
    e.TurnEnded: lambda x: f"{x.seat}'s turn ends",
    e.PlayerScored: lambda x: f"{x.seat} has {x.vp} VP: {_points_text(x)}",
    e.GameEnded: lambda x: f"{' and '.join(x.winners)} won",
    e.UnknownRedealt: lambda x: f"all that {x.seat} does not know is dealt again",
}


def points(event: e.PlayerScored) -> dict[str, int]:
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
    return ", ".join(f"{vp} for {source}" for source, vp in points(event).items() if vp) or "none"


def describe(event: Event) -> str:
    """An event in a few words: `italy pays 5 silver to bank (N05)`."""
    return DESCRIPTIONS[type(event)](event)


def summary(events: Sequence[Event]) -> str:
    """A commit's result in one line: the player's silver and cards, and what followed."""
    seat = next((event.seat for event in events if isinstance(event, e.Played)), "")
    silver = silver_change(seat, events)
    figures = [f"{silver:+} silver"] if silver else []
    return ", ".join(
        [*figures, *filter(None, (_consequence(event, seat) for event in events)), *house_rules_texts(events)]
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
    rules = dict[str, str]()
    for event in events:
        rules |= event.rules if isinstance(event, e.HouseRulesChosen) else rules_of(HOUSE, event)
    if rules:
        yield f"house rules: {rules_text(rules)}"
