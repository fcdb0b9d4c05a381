"""Action C: steps along routes, and paying for them (A-MOVE, A-RECOL)."""

from __future__ import annotations

from zimcore.game import Hidden, Seat
from zimcore.games.africana.cards import JOKER, Card, assistant, colour_of, may_be_hidden_in
from zimcore.games.africana.commands import Move
from zimcore.games.africana.components import LocationName
from zimcore.games.africana.events import ExplorerMoved
from zimcore.games.africana.rules.rule import Draft, Stage, decides, guard
from zimcore.games.africana.rules.turn import choose_action
from zimcore.games.africana.state import State
from zimcore.toolkit.words import an


def pays_as_is(state: State, card: Card, place: LocationName) -> bool:
    """Whether a card pays for entering a location as it is (A-MOVE-01, A-MOVE-03)."""
    return card == JOKER or colour_of(card) in state.map.locations[place].symbols


@guard("A-COMP-01", Move, stage=Stage.WORDS)
def place_exists(state: State, seat: Seat, command: Move) -> str | None:
    """The location must be on the board."""
    return None if command.to in state.map.locations else f"{command.to} is not a location"


@guard("A-COMP-05", Move, stage=Stage.WORDS)
def card_exists(state: State, seat: Seat, command: Move) -> str | None:
    """The card must be one of the game's."""
    colours = state.box.colours
    card_is_known = command.card in (JOKER, *colours, *map(assistant, colours)) or command.card in state.hands[seat]
    return None if card_is_known else f"{command.card} is not a card"


@guard("A-MOVE-01", Move)
def route_leads_there(state: State, seat: Seat, command: Move) -> str | None:
    """A step follows one route."""
    start = state.places[seat]
    if command.to in state.map.neighbours[start]:
        return None
    if command.to == start:
        return f"{seat}'s explorer is in {state.map.title(start)} already"
    neighbours_text = ", ".join(map(state.map.title, state.map.neighbours[start]))
    ends_text = f"{state.map.title(start)} and {state.map.title(command.to)}"
    return f"no route joins {ends_text}; from there you can go to {neighbours_text}"


@guard("A-MOVE-02", Move)
def card_is_at_hand(state: State, seat: Seat, command: Move) -> str | None:
    """The player must have the card."""
    hand = state.hands[seat]
    if command.card in hand or command.card in state.table:
        return None
    if may_be_hidden_in(hand, command.card):
        return Hidden(f"whether {seat} has {an(command.card)} card is hidden")
    return f"{seat} has no {command.card} card"


@guard("A-MOVE-04", Move)
def card_is_not_played(state: State, seat: Seat, command: Move) -> str | None:
    """A card on the table has been used in this action (AMB-08)."""
    hand = state.hands[seat]
    if command.card in hand or command.card not in state.table:
        return None
    if may_be_hidden_in(hand, command.card):
        return Hidden(f"whether {seat} has another {command.card} card is hidden")
    return f"{seat}'s {command.card} card lies on the table until this action ends"


@guard("A-MOVE-03", Move)
def card_fits(state: State, seat: Seat, command: Move) -> str | None:
    """The card must show a symbol of the destination, be an assistant of its colour, or a joker."""
    if command.recoloured or pays_as_is(state, command.card, command.to):
        return None
    symbols_text = " or ".join(state.map.locations[command.to].symbols)
    return f"{state.map.title(command.to)} takes {symbols_text}, not {colour_of(command.card)}"


@guard("A-RECOL-01", Move)
def recolouring_can_be_paid(state: State, seat: Seat, command: Move) -> str | None:
    """The player must have the silver for recolouring."""
    cost, silver = state.box.costs.recolouring, state.silver[seat]
    return f"recolouring costs {cost} silver and {seat} has {silver}" if command.recoloured and cost > silver else None


@guard("A-RECOL-02", Move)
def recolouring_is_of_use(state: State, seat: Seat, command: Move) -> str | None:
    """A joker, or a card that pays for the step as it is, can't be recoloured."""
    if state.has_house_rule("recolouring") and command.card != JOKER:
        return None
    if command.recoloured and command.card == JOKER:
        return "a joker pays for every step as it is: only travel and assistant cards are recoloured"
    if command.recoloured and pays_as_is(state, command.card, command.to):
        return f"{an(command.card)} card pays for {state.map.title(command.to)} as it is"
    return None


@decides(Move)
def move(draft: Draft, seat: Seat, command: Move) -> None:
    """The card stays on the table until the action ends (A-MOVE-04)."""
    choose_action(draft, "move")
    if command.recoloured:
        draft.pay(seat, draft.state.box.costs.recolouring, "recolouring")
    start = draft.state.places[seat]
    draft.happen(ExplorerMoved(seat, start, command.to, command.card, command.recoloured))
