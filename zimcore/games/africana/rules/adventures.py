"""Ending adventures, in action C (A-ADV)."""

from __future__ import annotations

from zimcore.game import Seat
from zimcore.games.africana.commands import EndAdventure, EndExpedition, EndTurn, Move
from zimcore.games.africana.events import AdventureEnded, AssistantTaken
from zimcore.games.africana.rules.expeditions import wrong_place_reason
from zimcore.games.africana.rules.rule import RULEBOOK, Draft, Stage, decides, guard
from zimcore.games.africana.rules.turn import choose_action
from zimcore.games.africana.state import State


@guard("A-COMP-02", EndAdventure, stage=Stage.WORDS)
def adventure_exists(state: State, seat: Seat, command: EndAdventure) -> str | None:
    """The adventure must be one of the game's."""
    return None if command.adventure in state.map.adventures else f"{command.adventure} is not an adventure"


@guard("A-ADV-01", EndAdventure)
def adventure_is_own(state: State, seat: Seat, command: EndAdventure) -> str | None:
    """Only its owner can end an adventure."""
    is_own = command.adventure in state.unfinished[seat]
    return None if is_own else f"{seat} has no unfinished adventure {command.adventure}"


@guard("A-ADV-01", EndAdventure)
def explorer_is_at_target(state: State, seat: Seat, command: EndAdventure) -> str | None:
    """The explorer must be at the adventure's target."""
    return wrong_place_reason(state, seat, state.map.adventures[command.adventure].target, f"{command.adventure} ends")


@guard("AMB-02", Move, EndTurn)
def nothing_has_to_be_ended(state: State, seat: Seat, command: Move | EndTurn) -> str | None:
    """House rule: a player who can end something here has to, before going on."""
    if state.turn.action not in ("", "move") or not state.has_house_rule("must_end"):
        return None
    endings: list[EndExpedition | EndAdventure] = [
        *(EndExpedition(card) for card in state.spaces if card),
        *(EndAdventure(card) for card in state.unfinished[seat]),
    ]
    legal_ending = next((ending for ending in endings if RULEBOOK.is_legal(state, seat, ending)), None)
    if legal_ending is None:
        return None
    due_card = legal_ending.expedition if isinstance(legal_ending, EndExpedition) else legal_ending.adventure
    return f"{due_card} can be ended here, so it must be: a house rule (must_end=compulsory)"


@decides(EndAdventure)
def end_adventure(draft: Draft, seat: Seat, command: EndAdventure) -> None:
    """An artifact brings silver, an assistant its card (A-ADV-02, A-ADV-03)."""
    choose_action(draft, "move")
    card = draft.state.map.adventures[command.adventure]
    draft.happen(AdventureEnded(seat, card.id))
    draft.earn(seat, card.silver, card.id)
    if card.assistant:
        draft.happen(AssistantTaken(seat, card.assistant))
