"""Commands as numbers, one kind after another. A discard is one action for each card."""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate

from zimcore.game import OptionError, Seat
from zimcore.games.africana.box import box
from zimcore.games.africana.cards import JOKER, assistant
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
    TurnPage,
)
from zimcore.games.africana.components import HALVES
from zimcore.games.africana.legal import LegalCommands
from zimcore.games.africana.rules.turn import excess_adventure_count, excess_card_count
from zimcore.games.africana.state import SIDES, State

BOX = box()
PLACES = tuple(location.name for location in BOX.locations)
CARDS = (*BOX.colours, *map(assistant, BOX.colours), JOKER)
"""Kinds of cards in a hand."""
ADVENTURES = tuple(adventure.id for adventure in BOX.adventures)
SPACES = range(len(BOX.bonuses))

PAGES = tuple((book, half) for book in HALVES for half in SIDES)
MOVES = tuple((place, card, recoloured) for place in PLACES for card in CARDS for recoloured in (False, True))
NUMBER_BY_MOVE = {move: number for number, move in enumerate(MOVES)}
ACTIONS: Mapping[str, int] = {
    "draw": 1,
    "turn": len(PAGES),
    "buy": len(PAGES),
    "move": len(MOVES),
    "join": len(SPACES),
    "end expedition": len(SPACES),
    "end adventure": len(ADVENTURES),
    "end": 1,
    "discard card": len(CARDS),
    "discard adventure": len(ADVENTURES),
}
FIRST_NUMBER_BY_KIND = dict(zip(ACTIONS, accumulate(ACTIONS.values(), initial=0), strict=False))
FIRST_NUMBERS, KIND_NAMES = list(FIRST_NUMBER_BY_KIND.values()), list(FIRST_NUMBER_BY_KIND)
FIRST_CARD_DISCARD, FIRST_ADVENTURE_DISCARD = (
    FIRST_NUMBER_BY_KIND["discard card"],
    FIRST_NUMBER_BY_KIND["discard adventure"],
)


def actions(players: int) -> Mapping[str, int]:
    """The kinds of actions and how many there are of each, alike for all numbers of players.

    Pages are ordered by book and half (`north left`); moves by place, card, and whether it is recoloured; expeditions
    by space; adventures and cards as in the components.
    """
    return ACTIONS


COMMAND_MAKERS: Mapping[str, Callable[[State, int], AnyCommand]] = {
    "draw": lambda state, number: Draw(),
    "turn": lambda state, number: TurnPage(*PAGES[number]),
    "buy": lambda state, number: Buy(*PAGES[number]),
    "move": lambda state, number: Move(*MOVES[number]),
    "join": lambda state, number: Join(state.spaces[number]),
    "end expedition": lambda state, number: EndExpedition(state.spaces[number]),
    "end adventure": lambda state, number: EndAdventure(ADVENTURES[number]),
    "end": lambda state, number: EndTurn(),
}


def mask(state: State, seat: Seat, begun: Sequence[int] = ()) -> int:
    """The legal actions as bits; `begun` are the numbers of a discard so far.

    Raises `OptionError` for components of your own.
    """
    if seat != state.actor:
        return 0
    if state.box is not BOX and state.box != BOX:
        raise OptionError("your own components can't be encoded", "only those that come with the game have numbers")
    numbers = _discard_numbers(state, seat, begun) if state.turn.over else _legal_numbers(state, seat)
    return sum(1 << number for number in numbers)


def _legal_numbers(state: State, seat: Seat) -> Iterator[int]:
    return (_action_number(state, command) for command in LegalCommands(state, seat))


def _action_number(state: State, command: AnyCommand) -> int:
    match command:
        case TurnPage(book=book, half=half):
            return FIRST_NUMBER_BY_KIND["turn"] + PAGES.index((book, half))
        case Buy(book=book, half=half):
            return FIRST_NUMBER_BY_KIND["buy"] + PAGES.index((book, half))
        case Move(to=to, card=card, recoloured=recoloured):
            return FIRST_NUMBER_BY_KIND["move"] + NUMBER_BY_MOVE[to, card, recoloured]
        case Join(expedition=expedition):
            return FIRST_NUMBER_BY_KIND["join"] + state.spaces.index(expedition)
        case EndExpedition(expedition=expedition):
            return FIRST_NUMBER_BY_KIND["end expedition"] + state.spaces.index(expedition)
        case EndAdventure(adventure=adventure):
            return FIRST_NUMBER_BY_KIND["end adventure"] + ADVENTURES.index(adventure)
    return FIRST_NUMBER_BY_KIND["draw" if isinstance(command, Draw) else "end"]


def _discard_numbers(state: State, seat: Seat, begun: Sequence[int]) -> set[int]:
    """The next discards: cards while there are too many, then adventures."""
    if len(begun) < excess_card_count(state):
        cards_left = Counter(state.hands[seat]) - Counter(CARDS[number - FIRST_CARD_DISCARD] for number in begun)
        return {FIRST_CARD_DISCARD + CARDS.index(card) for card in cards_left}
    return {FIRST_ADVENTURE_DISCARD + ADVENTURES.index(card) for card in state.unfinished[seat]} - set(begun)


def command(state: State, seat: Seat, actions: Sequence[int]) -> AnyCommand | None:
    """The command of these actions; None while a discard is not complete."""
    if state.turn.over:
        return (
            _discard_command(actions)
            if len(actions) == excess_card_count(state) + excess_adventure_count(state)
            else None
        )
    (action,) = actions
    kind_index = bisect(FIRST_NUMBERS, action) - 1
    return COMMAND_MAKERS[KIND_NAMES[kind_index]](state, action - FIRST_NUMBERS[kind_index])


def _discard_command(actions: Sequence[int]) -> Discard:
    cards = sorted(CARDS[number - FIRST_CARD_DISCARD] for number in actions if number < FIRST_ADVENTURE_DISCARD)
    return Discard(
        tuple(cards),
        tuple(ADVENTURES[number - FIRST_ADVENTURE_DISCARD] for number in actions if number >= FIRST_ADVENTURE_DISCARD),
    )
