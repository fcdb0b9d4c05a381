"""Joining and ending expeditions, in action C (A-JOIN, A-EXP)."""

from __future__ import annotations

from zimcore.game import Seat
from zimcore.games.africana.commands import EndAdventure, EndExpedition, Join
from zimcore.games.africana.components import Bonus
from zimcore.games.africana.events import ExpeditionEnded, ExpeditionJoined
from zimcore.games.africana.rules.drawing import draw_cards
from zimcore.games.africana.rules.rule import Draft, Stage, decides, guard
from zimcore.games.africana.rules.turn import choose_action
from zimcore.games.africana.state import State


def wrong_place_reason(state: State, seat: Seat, place: str, subject: str) -> str | None:
    """The reason why an explorer is at the wrong location; None if it is at `place`."""
    actual_place = state.places[seat]
    if actual_place == place:
        return None
    return f"{subject} at {state.map.title(place)}, and {seat}'s explorer is at {state.map.title(actual_place)}"


@guard("A-COMP-04", Join, EndExpedition, stage=Stage.WORDS)
def expedition_exists(state: State, seat: Seat, command: Join | EndExpedition) -> str | None:
    """The expedition must be one of the game's."""
    return None if command.expedition in state.map.expeditions else f"{command.expedition} is not an expedition"


@guard("A-JOIN-01", Join)
def explorer_is_at_start(state: State, seat: Seat, command: Join) -> str | None:
    """The explorer must be at the start of a face-up expedition."""
    if command.expedition not in state.spaces:
        return f"{command.expedition} does not lie on an expedition space"
    return wrong_place_reason(
        state, seat, state.map.expeditions[command.expedition].start, f"{command.expedition} starts"
    )


@guard("A-JOIN-02", Join)
def can_still_join(state: State, seat: Seat, command: Join) -> str | None:
    """A player joins each expedition once, and needs a marker."""
    if seat in state.markers.get(command.expedition, ()):
        return f"{seat} has joined {command.expedition} already"
    return None if state.markers_left(seat) else f"all {state.box.limits.markers} markers of {seat} lie on expeditions"


def joining_bonus(state: State, expedition: str) -> Bonus:
    """The bonus for the next player to join a face-up expedition: by a house rule only the first has one (AMB-17)."""
    if state.markers.get(expedition) and state.has_house_rule("bonus"):
        return Bonus()
    return state.box.bonuses[state.spaces.index(expedition)]


@decides(Join)
def join(draft: Draft, seat: Seat, command: Join) -> None:
    """Every player who joins gets the bonus of the space at once (A-JOIN-04, AMB-17)."""
    choose_action(draft, "move")
    index = draft.state.spaces.index(command.expedition)
    bonus = joining_bonus(draft.state, command.expedition)
    draft.happen(ExpeditionJoined(seat, command.expedition, index + 1))
    draft.earn(seat, bonus.silver, "joining bonus")
    draw_cards(draft, seat, bonus.travel_cards)


@guard("A-EXP-06", EndExpedition)
def expedition_is_there(state: State, seat: Seat, command: EndExpedition) -> str | None:
    """The expedition must be on a space."""
    is_there = command.expedition in state.spaces
    return None if is_there else f"{command.expedition} does not lie on an expedition space"


@guard("A-EXP-01", EndExpedition)
def takes_part_at_the_target(state: State, seat: Seat, command: EndExpedition) -> str | None:
    """The explorer must be at the target, and the player must have a marker on the card (AMB-03)."""
    if command.expedition in state.spaces and seat not in state.markers.get(command.expedition, ()):
        return f"{seat} has not joined {command.expedition}"
    return wrong_place_reason(
        state, seat, state.map.expeditions[command.expedition].target, f"{command.expedition} ends"
    )


@guard("AMB-03", EndExpedition)
def joined_early_enough(state: State, seat: Seat, command: EndExpedition) -> str | None:
    """House rule: an expedition joined in this turn can't be ended in it."""
    if command.expedition not in state.joined_this_turn:
        return None
    return (
        f"{command.expedition} was joined this turn and can only end in a later one: a house rule (joined=earlier-turn)"
    )


@guard("AMB-01", EndExpedition, EndAdventure)
def a_step_was_made(state: State, seat: Seat, command: EndExpedition | EndAdventure) -> str | None:
    """House rule: nothing can be ended before the first step, which puts a card on the table."""
    if state.table or not state.has_house_rule("ending"):
        return None
    return "nothing can be ended before the first step: a house rule (ending=after-a-step)"


@decides(EndExpedition)
def end_expedition(draft: Draft, seat: Seat, command: EndExpedition) -> None:
    """Only the player who ends it is paid; the space stays empty until the end of the turn (A-EXP-02 to 04)."""
    choose_action(draft, "move")
    index = draft.state.spaces.index(command.expedition)
    draft.happen(ExpeditionEnded(seat, command.expedition, index + 1))
    draft.earn(seat, draft.state.map.expeditions[command.expedition].silver, command.expedition)
