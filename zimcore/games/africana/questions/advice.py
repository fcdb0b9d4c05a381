"""Advice in a position: endings and joins here, ways that lead to some, and the cards for sale."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from zimcore.game import Advice, Seat
from zimcore.games.africana.cards import UNKNOWN, Card
from zimcore.games.africana.commands import (
    AnyCommand,
    Buy,
    Discard,
    Draw,
    EndAdventure,
    EndExpedition,
    EndTurn,
    Join,
    Move,
)
from zimcore.games.africana.legal import discard_commands, end_commands, join_commands, purchase_commands
from zimcore.games.africana.notation.commands import format_command
from zimcore.games.africana.planner import Way, ways_this_turn
from zimcore.games.africana.rules import is_legal
from zimcore.games.africana.rules.books import lifting_cost
from zimcore.games.africana.rules.expeditions import joining_bonus
from zimcore.games.africana.scoring import score_player
from zimcore.games.africana.state import State
from zimcore.toolkit.words import an, numbered, words_begin_with

MAX_DISCARDS = 50
"""The most choices of discards that are compared."""


def advice(state: State, seat: Seat, beginning: str = "") -> Sequence[Advice]:
    """Advice for a seat, the best first: endings and joins here, the best ways, cards for sale, and drawing.

    No ways if cards of the seat's hand are hidden.
    """
    if not seat or seat != state.actor:
        return ()
    words = beginning.lower().split()
    effects_by_text: dict[str, tuple[str, ...]] = {}
    for command, effects in _commands_worth_trying(state, seat):
        text = format_command(command)
        if words_begin_with(text.lower().split(), words) and is_legal(state, seat, command):
            effects_by_text.setdefault(text, effects)
    return [Advice(text, effects) for text, effects in effects_by_text.items()]


def _commands_worth_trying(state: State, seat: Seat) -> Iterator[tuple[AnyCommand, tuple[str, ...]]]:
    for ending_or_join in (*end_commands(state), *join_commands(state)):
        if not isinstance(ending_or_join, EndTurn):
            yield ending_or_join, tuple(reward_texts(state, seat, [ending_or_join]))
    yield from _ways_advice(state, seat)
    for purchase in purchase_commands(state):
        yield purchase, _sale_texts(state, purchase)
    yield Draw(), _hand_note(state, seat)
    yield from _discard_advice(state, seat)


def describe_effects(state: State, seat: Seat, command: AnyCommand) -> tuple[str, ...]:
    """The effects of a legal command in words; none for the end of a turn."""
    match command:
        case Join() | EndExpedition() | EndAdventure():
            return tuple(reward_texts(state, seat, [command]))
        case Move(to=to, recoloured=recoloured):
            return (f"to {state.map.title(to)}", *((f"-{state.box.costs.recolouring} silver",) if recoloured else ()))
        case Buy():
            return _sale_texts(state, command)
        case Draw():
            return _hand_note(state, seat)
        case Discard():
            return _cards_left(state.hands[seat], command)
        case _:
            return ()


def _hand_note(state: State, seat: Seat) -> tuple[str, ...]:
    hand_size = len(state.hands[seat])
    return (f"{numbered(hand_size, 'card')} in hand, the limit is {state.box.limits.hand}",)


def reward_texts(state: State, seat: Seat, commands: Sequence[AnyCommand]) -> Iterator[str]:
    """The reward of each join and ending among some commands, in order: `ends A03: 5 VP, 2 silver`."""
    adventures_ended: tuple[str, ...] = ()
    for command in commands:
        match command:
            case Join(expedition=card):
                yield _join_text(state, card)
            case EndExpedition(expedition=card):
                expedition = state.map.expeditions[card]
                yield f"ends {card}: {expedition.vp} VP, {expedition.silver} silver"
            case EndAdventure(adventure=card):
                yield _ending_text(state, seat, card, adventures_ended)
                adventures_ended = (*adventures_ended, card)


def _join_text(state: State, card: str) -> str:
    bonus = joining_bonus(state, card)
    cards_note = f", {numbered(bonus.travel_cards, 'card')}" if bonus.travel_cards else ""
    target = state.map.title(state.map.expeditions[card].target)
    return f"joins {card} to {target}: {bonus.silver} silver{cards_note} at once"


def _ending_text(state: State, seat: Seat, card: str, earlier_endings: tuple[str, ...]) -> str:
    """The reward of ending an adventure after others: its VP, changes for collections and assistants, and silver."""
    adventure, worth_before, worth_after = (
        state.map.adventures[card],
        adventure_worth(state, seat, earlier_endings),
        adventure_worth(state, seat, (*earlier_endings, card)),
    )
    changes = [(worth_after[source] - worth_before[source], source) for source in ("collections", "assistants")]
    vp_texts = [f"{adventure.vp} VP", *(f"{vp:+} VP for {source}" for vp, source in changes if vp)]
    silver_texts = [f"{adventure.silver} silver"] if adventure.silver or not adventure.assistant else []
    assistant_texts = [f"{an(adventure.assistant)} assistant"] if adventure.assistant else []
    return f"ends {card}: {', '.join([*vp_texts, *silver_texts, *assistant_texts])}"


def adventure_worth(state: State, seat: Seat, adventures_ended: tuple[str, ...]) -> dict[str, int]:
    """The VP of a player's finished cards by source, if these adventures were ended too."""
    later_state = state.copy()
    later_state.finished[seat] += adventures_ended
    score = score_player(later_state, seat)
    return {"artifacts": score.artifacts, "collections": score.collections, "assistants": score.assistants}


def _ways_advice(state: State, seat: Seat) -> Iterator[tuple[AnyCommand, tuple[str, ...]]]:
    """The first step of each way with a join or an ending: ways with more VP first, then the cheaper ones."""
    if UNKNOWN in state.hands[seat]:
        return
    ways = [way for way in ways_this_turn(state, seat).values() if way.steps]
    ways_with_rewards = [(tuple(reward_texts(state, seat, way.commands)), way) for way in ways]
    scored_ways = [(_vp_of_way(state, seat, way), way, rewards) for rewards, way in ways_with_rewards if rewards]
    for _, way, rewards in sorted(scored_ways, key=lambda row: (-row[0], row[1].silver, row[1].travel_cards)):
        cost_text = f", -{way.silver} silver" if way.silver else ""
        way_text = f"to {state.map.title(way.to)} in {numbered(way.steps, 'step')}{cost_text}"
        yield way.commands[0], (way_text, *rewards)


def _vp_of_way(state: State, seat: Seat, way: Way) -> int:
    """The VP of all endings on a way."""
    adventures_ended = tuple(command.adventure for command in way.commands if isinstance(command, EndAdventure))
    expeditions = [command.expedition for command in way.commands if isinstance(command, EndExpedition)]
    adventures_vp = sum(adventure_worth(state, seat, adventures_ended).values()) - sum(
        adventure_worth(state, seat, ()).values()
    )
    return adventures_vp + sum(state.map.expeditions[card].vp for card in expeditions)


def _sale_texts(state: State, purchase: Buy) -> tuple[str, ...]:
    """The top card of a half of a book, and its price."""
    half = state.books[purchase.book].half(purchase.half)
    card = state.map.adventures.get(half[-1]) if half else None
    if card is None:
        return ("the top card",)
    reward = card.artifact or f"{an(card.assistant)} assistant"
    offer_text = f"{card.id}: {reward}, {card.vp} VP, {card.silver} silver at {state.map.title(card.target)}"
    return offer_text, f"-{state.box.costs.adventure + lifting_cost(state)} silver now"


def _discard_advice(state: State, seat: Seat) -> Iterator[tuple[AnyCommand, tuple[str, ...]]]:
    """Choices of discards: duplicates before single cards."""
    if UNKNOWN in state.hands[seat]:
        return
    hand = state.hands[seat]
    possible_discards = list(islice(discard_commands(state), MAX_DISCARDS))
    for discard in sorted(possible_discards, key=lambda discard: -sum(map(hand.count, discard.cards))):
        yield discard, _cards_left(hand, discard)


def _cards_left(hand: Sequence[Card], discard: Discard) -> tuple[str, ...]:
    """The cards that a discard keeps."""
    cards_left = list(hand)
    for card in discard.cards:
        cards_left.remove(card)
    return (f"keeps {', '.join(cards_left) or 'no card'}",)
