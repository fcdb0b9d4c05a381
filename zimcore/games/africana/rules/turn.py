"""Turns: the guards that come before all others, and the course of a turn (A-TURN)."""

from __future__ import annotations

from zimcore.game import Command, Seat
from zimcore.games.africana.cards import is_travel
from zimcore.games.africana.commands import (
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
from zimcore.games.africana.events import (
    ActionChosen,
    ActionEnded,
    CardsDiscarded,
    RoundBegun,
    TableCleared,
    TurnBegun,
    TurnEnded,
)
from zimcore.games.africana.rules.end_of_game import end_game, refill_or_trigger_end
from zimcore.games.africana.rules.rule import Draft, Stage, decides, guard
from zimcore.games.africana.state import State

DRAW_COMMANDS, BOOK_COMMANDS, MOVE_COMMANDS = (Draw,), (TurnPage, Buy), (Move, Join, EndExpedition, EndAdventure)
ACTION_COMMANDS = (*DRAW_COMMANDS, *BOOK_COMMANDS, *MOVE_COMMANDS)
ACTION_OF_COMMAND: dict[type[Command], str] = {
    **dict.fromkeys(DRAW_COMMANDS, "draw"),
    **dict.fromkeys(BOOK_COMMANDS, "books"),
    **dict.fromkeys(MOVE_COMMANDS, "move"),
}
"""The action that each command belongs to."""
ACTION_TEXTS = {"draw": "drawing cards", "books": "buying adventures", "move": "moving the explorer"}


@guard("A-END-02", *ACTION_COMMANDS, EndTurn, Discard, stage=Stage.TURN)
def the_game_goes_on(state: State, seat: Seat, command: Command) -> str | None:
    """No command is legal after the end."""
    return f"the game is over, {' and '.join(state.winners)} won" if state.phase == "over" else None


@guard("A-TURN-01", *ACTION_COMMANDS, EndTurn, Discard, stage=Stage.TURN)
def turn_is_own(state: State, seat: Seat, command: Command) -> str | None:
    """It must be the seat's turn; turns go clockwise."""
    if not state.phase:
        return "the game is not set up yet"
    if state.phase == "over" or state.turn.seat == seat:
        return None
    return f"it is {state.turn.seat}'s turn, not {seat}'s"


@guard("A-TURN-01", *ACTION_COMMANDS, stage=Stage.TURN)
def turn_has_one_action(state: State, seat: Seat, command: Command) -> str | None:
    """A turn has exactly one of the three actions."""
    turn = state.turn
    if turn.seat != seat or turn.over or turn.action in ("", ACTION_OF_COMMAND[type(command)]):
        return None
    return f"this turn's action is {ACTION_TEXTS[turn.action]}, and a turn has exactly one"


@guard("A-TURN-03", *ACTION_COMMANDS, EndTurn, stage=Stage.TURN)
def limits_come_first(state: State, seat: Seat, command: Command) -> str | None:
    """After the action only discards above the limits are legal."""
    is_over = state.turn.seat == seat and state.turn.over
    return f"{seat}'s action is over: all that is above the limits has to be discarded now" if is_over else None


def choose_action(draft: Draft, action: str) -> None:
    """Records the turn's action, once."""
    turn = draft.state.turn
    if not turn.action:
        draft.happen(ActionChosen(turn.seat, action))


def begin_round(draft: Draft) -> None:
    """Begins a round with the start player's turn."""
    draft.happen(RoundBegun(draft.state.round + 1))
    draft.happen(TurnBegun(draft.state.seats[0]))


def excess_card_count(state: State) -> int:
    """How many cards the player to move has above the limit."""
    return max(len(state.hands[state.turn.seat]) - state.box.limits.hand, 0)


def excess_adventure_count(state: State) -> int:
    """How many unfinished adventures the player to move has above the limit."""
    return max(len(state.unfinished[state.turn.seat]) - state.box.limits.adventures, 0)


@decides(EndTurn)
def end_turn(draft: Draft, seat: Seat, command: EndTurn) -> None:
    """Without an action before it, it counts as moving without a step (A-TURN-02)."""
    choose_action(draft, "move")
    end_action(draft)


def end_action(draft: Draft) -> None:
    """Clears the table and ends the action; then come limits, refill and the next player (A-MOVE-04, A-TURN-03).

    Under a house rule, recoloured assistants leave the game (A-RECOL-01).
    """
    state, seat = draft.state, draft.state.turn.seat
    if state.table:
        travel_cards = tuple(filter(is_travel, state.table))
        lost_assistants = state.recoloured_assistants
        draft.happen(TableCleared(seat, travel_cards, tuple(card for card in state.table if not is_travel(card))))
        if lost_assistants:
            draft.happen(CardsDiscarded(seat, lost_assistants))
    draft.happen(ActionEnded(seat))
    if not excess_card_count(state) and not excess_adventure_count(state):
        finish_turn(draft)


def finish_turn(draft: Draft) -> None:
    """Replenishes expeditions and begins the next player's turn, or ends the game (A-END-02)."""
    seats, seat = draft.state.seats, draft.state.turn.seat
    refill_or_trigger_end(draft)
    draft.happen(TurnEnded(seat))
    next_index = seats.index(seat) + 1
    if next_index < len(seats):
        draft.happen(TurnBegun(seats[next_index]))
    elif draft.state.ending:
        end_game(draft)
    else:
        begin_round(draft)
