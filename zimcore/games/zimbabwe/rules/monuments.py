"""Placing first monuments on start areas, and building more."""

from __future__ import annotations

from zimcore.game import Command, Seat
from zimcore.games.zimbabwe.board import Squares
from zimcore.games.zimbabwe.commands import Build, Hire, PlaceCraftsman, Raise, Start, Use
from zimcore.games.zimbabwe.components import CONSTANTS, SPECIALISTS
from zimcore.games.zimbabwe.events import ActionTaken, MonumentBuilt, VPScored
from zimcore.games.zimbabwe.rules.generosity import begin_round
from zimcore.games.zimbabwe.rules.rule import Draft, Stage, decides, guard
from zimcore.games.zimbabwe.state import State


@guard("R-GEO-01", Start, Build, Hire, Use, PlaceCraftsman, stage=Stage.WORDS)
def squares_exist(state: State, seat: Seat, command: Command) -> str | None:
    """Squares must exist: void and off-board ones do not."""
    squares = (command.square,) if isinstance(command, Start) else getattr(command, "squares", ())
    unknown_squares = [square for square in squares if square not in state.board.square]
    return f"there is no square {', '.join(unknown_squares)} on this board" if unknown_squares else None


@guard("R-SET-02", Start)
def start_area_is_free(state: State, seat: Seat, command: Start) -> str | None:
    """First monuments are placed on free start areas."""
    if not state.board.square[command.square] & state.start_areas:
        return f"{command.square} is not a start area"
    monument = state.monuments.get(command.square)
    return f"{monument.owner} has started on {command.square}" if monument else None


def free_starts(state: State) -> Squares:
    """Start areas without a monument."""
    return state.start_areas & ~state.monument_squares


@decides(Start)
def start(draft: Draft, seat: Seat, command: Start) -> None:
    """Places a first monument; after the last player's, the first round begins (R-SET-03)."""
    _build(draft, seat, command.square)
    if len(draft.state.monuments) == len(draft.state.seats):
        begin_round(draft)


@guard("R-TURN-01", Build, Raise)
def main_action_is_left(state: State, seat: Seat, command: Build | Raise) -> str | None:
    """A turn has one main action, which can take several commands: a second monument, or more monuments to raise."""
    action = state.turn.action
    if action is None or (action == "raise" if isinstance(command, Raise) else monuments_left(state, seat) > 0):
        return None
    crafted = "placed craftsmen" if len(state.craftsmen) > state.turn.stood else "raised prices"
    action_words = {"build": "built", "craft": crafted, "raise": "raised monuments"}
    return f"{seat} has already {action_words[action]} in this turn, and a turn has one main action"


@guard("R-TURN-04", Build, Raise)
def action_is_open(state: State, seat: Seat, command: Build | Raise) -> str | None:
    """The commands of the main action follow one another, with no other command in between."""
    if state.turn.action != ("raise" if isinstance(command, Raise) else "build") or state.turn.window == "monuments":
        return None
    if state.has_house_rule("main_action"):
        return None
    verb = "raise" if isinstance(command, Raise) else "build"
    return f"{seat} can {verb} no more monuments in this turn: another command came in between"


def may_raise(state: State, seat: Seat) -> bool:
    """Whether a player may raise monuments now, before the rules about each monument."""
    command = Raise(())
    return not (main_action_is_left(state, seat, command) or action_is_open(state, seat, command))


def monuments_left(state: State, seat: Seat) -> int:
    """How many more monuments a player may build in this turn: one in all, or two if the god allows it (R-MON-02)."""
    if state.turn.action not in (None, "build"):
        return 0
    return state.god_modifiers(seat).monuments - len(state.turn.monuments)


def may_build(state: State, seat: Seat) -> bool:
    """Whether a player may build, before the rules about squares."""
    command = Build(())
    return not (main_action_is_left(state, seat, command) or action_is_open(state, seat, command))


@guard("R-MON-02", Build)
def monuments_are_few_enough(state: State, seat: Seat, command: Build) -> str | None:
    """One monument is built in the action, or two if the god allows it."""
    limit = state.god_modifiers(seat).monuments
    built_count = len(state.turn.monuments) if state.turn.action == "build" else 0
    if not command.squares:
        return "build at least one monument"
    # With none left, `main_action_is_left` refuses it (R-TURN-01).
    if built_count and built_count >= limit:
        return None
    total = built_count + len(command.squares)
    return f"{seat} may build {limit} in one action, not {total}" if total > limit else None


@guard("R-MON-01", Build)
def building_ground_is_empty(state: State, seat: Seat, command: Build) -> str | None:
    """Monuments are built on empty land."""
    squares = dict.fromkeys(command.squares)
    occupied_squares = [square for square in squares if not state.board.square[square] & state.empty_land]
    is_repeated = len(squares) < len(command.squares)
    if occupied_squares:
        return f"{', '.join(occupied_squares)}: not empty land"
    return "two monuments can't stand on one square" if is_repeated else None


@guard("R-MON-01", Build)
def zoning_is_kept(state: State, seat: Seat, command: Build) -> str | None:
    """A new monument can't be next to another, nor to the other new one (R-MON-02), unless the Nomads were paid."""
    if zoning_is_lifted(state):
        return None
    blocking_squares = blocking_monuments(state)
    for square in command.squares:
        square_bit = state.board.square[square]
        neighbours = state.board.with_neighbours(square_bit) & blocking_squares & ~square_bit
        if neighbours:
            return f"{square} is next to the monument on {', '.join(state.board.names(neighbours))}"
        if not state.has_house_rule("obatala"):
            blocking_squares |= square_bit
    return None


def blocking_monuments(state: State) -> Squares:
    """The monuments next to which none can be built: all, or by a house rule those before the action (R-MON-02)."""
    if state.turn.action == "build" and state.has_house_rule("obatala"):
        return state.monument_squares & ~state.board.mask(state.turn.monuments)
    return state.monument_squares


def zoning_is_lifted(state: State) -> bool:
    """Whether the Nomads were paid this turn (R-SPEC-07)."""
    return any(SPECIALISTS[specialist].lifts_zoning for specialist in state.turn.used)


def building_ground(state: State) -> Squares:
    """The squares where a new monument may be built now (R-MON-01, R-SPEC-07)."""
    if zoning_is_lifted(state):
        return state.empty_land
    return state.empty_land & ~state.board.with_neighbours(blocking_monuments(state))


def second_building_ground(state: State, built_squares: Squares) -> Squares:
    """The building ground left for another monument, after those on `built_squares` (R-MON-02)."""
    ground = building_ground(state) & ~built_squares
    return (
        ground
        if zoning_is_lifted(state) or state.has_house_rule("obatala")
        else ground & ~state.board.with_neighbours(built_squares)
    )


@decides(Build)
def build(draft: Draft, seat: Seat, command: Build) -> None:
    """Builds monuments of level 1, which score a point each (R-MON-01)."""
    if draft.state.turn.action is None:
        draft.happen(ActionTaken(seat, "build"))
    for square in command.squares:
        _build(draft, seat, square)


def _build(draft: Draft, seat: Seat, square: str) -> None:
    draft.happen(MonumentBuilt(seat, square))
    draft.happen(VPScored(seat, CONSTANTS.level_vp[1], f"monument {square}"))
