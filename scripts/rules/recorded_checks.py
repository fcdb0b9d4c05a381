"""Compares our rules with an independent engine, at positions of its games: refusals, legal places, ranges.

Each check takes one row, and returns what differs, or None. Positions are rebuilt by our rules from the recorded games.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from tests.recordings import Document, cells, command, options
from zimcore.game import Command, Refused
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe.board import Board, square_name
from zimcore.games.zimbabwe.commands import AnyCommand, EndTurn, Hire
from zimcore.games.zimbabwe.components import CONSTANTS, CRAFTSMEN, RESOURCES, SEATS, SPECIALISTS
from zimcore.games.zimbabwe.legal import water_pairs
from zimcore.games.zimbabwe.rules.craftsmen import footprints, next_card
from zimcore.games.zimbabwe.rules.monuments import building_ground
from zimcore.games.zimbabwe.rules.rituals import hubs_to
from zimcore.games.zimbabwe.state import Craftsman, State

Row: TypeAlias = dict[str, Any]

RULE_CODES = {
    "start_not_start_area": "R-SET-02",
    "start_area_taken": "R-SET-02",
    "wrong_phase_setup": "R-BID-02 R-TURN-01",
    "wrong_phase_bidding": "R-SET-02 R-TURN-01",
    "wrong_phase_actions": "R-SET-02 R-BID-02",
    "not_your_turn": "R-SET-02 R-BID-02 R-TURN-01",
    "game_over": "R-END-01",
    "gift_below_minimum": "R-BID-03",
    "gift_not_affordable": "R-BID-04",
    "gift_elegua_first_not_affordable": "R-BID-04 R-BID-09",
    "gift_elegua_later_not_affordable": "R-BID-04 R-BID-09",
    "second_card": "R-TURN-01",
    "god_second": "R-GOD-01",
    "god_not_in_play": "R-GOD-01",
    "god_taken": "R-GOD-01",
    "god_vr_over_40": "R-VR-02",
    "specialist_taken": "R-SPEC-01",
    "specialist_not_in_play": "R-SPEC-01",
    "specialist_unaffordable": "R-SPEC-02",
    "specialist_vr_over_40": "R-VR-02",
    "use_not_owned": "R-TURN-01",
    "use_twice": "R-TURN-01",
    "use_herd_more_than_3": "R-TURN-01 R-SPEC-06",
    "use_unaffordable": "R-SPEC-02",
    "herd_in_steps": "R-TURN-01",
    "herd_times": "R-SPEC-06",
    "shaman_no_tile_left": "R-SPEC-03",
    "shaman_not_empty_land": "R-SPEC-04 R-GEO-01",
    "rain_no_tile_left": "R-SPEC-03",
    "rain_not_adjacent": "R-SPEC-05",
    "rain_not_empty_land": "R-SPEC-05 R-GEO-01",
    "monument_not_empty_land": "R-MON-01 R-GEO-01",
    "monument_zoning": "R-MON-01",
    "monument_two_without_obatala": "R-MON-02",
    "monument_three_with_obatala": "R-MON-02",
    "monument_pair_adjacent": "R-MON-01",
    "monument_pair_same_cell": "R-MON-01",
    "monument_none": "R-MON-02",
    "second_main_action": "R-TURN-01",
    "craftsman_no_tile_left": "R-CRA-03",
    "craftsman_no_card_left": "R-CRA-02",
    "craftsman_vr_over_40": "R-VR-02",
    "craftsman_bad_price": "R-PRI-01",
    "craftsman_missing_price": "R-PRI-01",
    "craftsman_unaffordable": "R-CRA-05",
    "craftsman_wrong_cell_count": "R-CRA-04",
    "craftsman_wrong_shape": "R-CRA-04",
    "craftsman_not_empty_land": "R-CRA-04 R-GEO-01",
    "craftsman_no_resource_in_range": "R-CRA-06",
    "craftsman_resource_claimed": "R-CRA-06",
    "craftsman_primary_same_turn": "R-CRA-08",
    "craftsman_no_primary": "R-CRA-07",
    "craftsman_primary_unreachable": "R-CRA-07",
    "price_lowered": "R-PRI-01",
    "price_out_of_range": "R-PRI-01",
    "price_dziva_out_of_range": "R-PRI-01",
    "price_technology_not_owned": "R-PRI-02",
    "price_after_other_action": "R-PRI-03",
    "raise_no_goods": "R-RAI-01",
    "raise_not_own_monument": "R-RAI-01",
    "raise_top_level": "R-RAI-01",
    "raise_too_few_goods": "R-RAI-02",
    "raise_too_many_goods": "R-RAI-02",
    "raise_unknown_craftsman": "R-RAI-05",
    "raise_same_good_twice": "R-RAI-03",
    "raise_craftsman_unreachable": "R-RAI-05",
    "raise_wrong_resource_kind": "R-RAI-05",
    "raise_resource_out_of_range": "R-RAI-05",
    "raise_resource_used": "R-RAI-07",
    "raise_resource_twice_in_one_action": "R-RAI-07",
    "raise_atete_third_marker": "R-RAI-07",
    "raise_primary_good_obsolete": "R-RAI-04",
    "raise_missing_primary": "R-RAI-06",
    "raise_wrong_primary": "R-RAI-06",
    "raise_primary_unreachable": "R-RAI-05",
    "raise_unaffordable": "R-RAI-10",
}
"""The recorder's names of broken rules, each with our rules of that kind. One of them must be among the refusals."""

INEXPRESSIBLE_KINDS = {"end_turn_tile_not_placed"}
"""For us taking and using a specialist is one command, so no action between them can be refused."""


REFUSED_LATER = {"craftsman_missing_price": EndTurn()}
"""Actions that the recorder refuses at once, and our rules only at this command: the price of a new technology may be
set later in the turn, but must be set.
"""


class Positions:
    """Positions of recorded games, by the number of steps. One game is cached, because rows come game by game."""

    def __init__(self, games: list[Document]) -> None:
        self._games = {game["id"]: game for game in games}
        self._game = ""
        self._states: list[tuple[State, bool]] = []

    def has(self, game: str) -> bool:
        """Whether the game is among the files."""
        return game in self._games

    def position_at(self, game: str, step_count: int) -> tuple[State, bool]:
        """The position, and whether a specialist was taken there and is still to be used."""
        if game != self._game:
            self._game, self._states = game, list(_replay(self._games[game]))
        return self._states[step_count]


def _replay(document: Document) -> Iterator[tuple[State, bool]]:
    state, specialist_was_taken = play(GAME.evolution.initial(), "", GAME.rules.set_up(options(document), 0)), False
    yield state, specialist_was_taken
    for step in document["steps"]:
        was_taken_before, specialist_was_taken = specialist_was_taken, step["action"]["do"] == "take_specialist"
        if not specialist_was_taken:
            state = play(state, SEATS[step["seat"]], command(state, step["action"], is_hire=was_taken_before))
        yield state, specialist_was_taken


def play(state: State, seat: str, command: Command) -> State:
    """The state after a command. Raises `ValueError` if it is refused."""
    outcome = GAME.rules.decide(state, seat, command)
    if isinstance(outcome, Refused):
        raise ValueError(f"{GAME.notation.format(command)} is refused: {outcome.refusals}")
    state_after: State = outcome.state
    return state_after


def check_refusal(row: Row, positions: Positions) -> str | None:
    """Checks an action of illegal.jsonl: it is refused by a rule of its kind, or legal, as the row says."""
    state, specialist_was_taken = positions.position_at(row["game"], row["after"])
    location = f"{row['game']} after {row['after']}, {row['kind']}"
    commands = list(_our_commands(state, row["action"], is_hire=specialist_was_taken))
    if row["kind"] in REFUSED_LATER:
        state, commands = play(state, SEATS[row["seat"]], commands[0]), [REFUSED_LATER[row["kind"]]]
    outcomes = [GAME.rules.decide(state, SEATS[row["seat"]], each) for each in commands]
    accepted_outcomes = [outcome for outcome in outcomes if not isinstance(outcome, Refused)]
    if bool(accepted_outcomes) != (row["expect"] == "legal"):
        text = GAME.notation.format(commands[0])
        return f"{location}: {text} is {'legal' if accepted_outcomes else 'refused'}, recorded {row['expect']}"
    codes = {refusal.code for outcome in outcomes if isinstance(outcome, Refused) for refusal in outcome.refusals}
    if not accepted_outcomes and not codes & set(RULE_CODES[row["kind"]].split()):
        return f"{location}: refused by {', '.join(sorted(codes))}, none of {RULE_CODES[row['kind']]}"
    return None


def _our_commands(state: State, action: Row, *, is_hire: bool) -> Iterator[AnyCommand]:
    """Our commands for an action: for taking a specialist, every use that it could be hired for."""
    if action["do"] != "take_specialist":
        yield command(state, action, is_hire=is_hire)
        return
    name = action["specialist"]
    specialist = SPECIALISTS[name]
    empty_squares = state.board.names(state.empty_land)
    if specialist.places_resource:
        yield from (Hire(name, resource=kind, squares=(square,)) for kind in RESOURCES for square in empty_squares)
    elif specialist.places_water:
        yield from (Hire(name, squares=pair) for pair in water_pairs(state))
    else:
        yield from (Hire(name, cattle=cattle) for cattle in specialist.costs)


def check_spots(row: Row, positions: Positions) -> str | None:
    """Checks the complete lists of legal places in a position of legal_spots.jsonl, its hubs and its resources."""
    state, _ = positions.position_at(row["game"], row["after"])
    cells_by_square = cells(state)
    spots: dict[str, Any] = {
        "range": state.range_in_steps,
        "monument_cells": sorted(cells_by_square[square] for square in state.board.names(building_ground(state))),
        "craftsmen": {type_: _craftsman_spots(state, type_) for type_ in row["craftsmen"]},
        "hubs": [
            [cells_by_square[square], _hub_counts(state, state.board.square[square])]
            for square in _monuments_in_row_order(state, cells_by_square)
        ],
        "primary_hubs": [
            [
                cells_by_square[craftsman.at],
                [_primary_hub_counts(state, craftsman, other_craftsman) for other_craftsman in state.craftsmen],
            ]
            for craftsman in state.craftsmen
            if CRAFTSMEN[craftsman.type].needs
        ],
        "resources": [_resource_cells(state, craftsman) for craftsman in state.craftsmen],
    }
    expected_spots = row | {
        "monument_cells": sorted(row["monument_cells"]),
        "craftsmen": _sorted_spots(row["craftsmen"]),
    }
    differing_names = [name for name, value in spots.items() if value != expected_spots[name]]
    return f"{row['game']} after {row['after']}: {', '.join(differing_names)} differ" if differing_names else None


def _sorted_spots(spots: dict[str, Any]) -> dict[str, Any]:
    return {type_: places if isinstance(places, str) else sorted(places) for type_, places in spots.items()}


def _craftsman_spots(state: State, type_: str) -> str | list[list[Any]]:
    if len(state.craftsmen_of_type(type_)) >= CONSTANTS.craftsmen_per_type:
        return "no_tile"
    if f"{state.actor}/{type_}" not in state.technologies and next_card(state, type_) is None:
        return "no_card"
    cells_by_square = cells(state)
    return sorted([*cells_by_square[squares[0]], _orientation(squares)] for squares in footprints(state, type_))


def _orientation(squares: tuple[str, ...]) -> str:
    if len(squares) > 2:
        return "s"
    return "v" if squares[0][0] == squares[1][0] else "h"


def _monuments_in_row_order(state: State, cells_by_square: dict[str, list[int]]) -> list[str]:
    return sorted(state.monuments, key=lambda square: cells_by_square[square][::-1])


def _hub_counts(state: State, zone: int) -> list[int | None]:
    return [hubs_to(state, zone, craftsman) for craftsman in state.craftsmen]


# The recorder writes -1 where the other craftsman is not of the type that this one needs.
def _primary_hub_counts(state: State, craftsman: Craftsman, secondary: Craftsman) -> int | None:
    return hubs_to(state, craftsman.zone, secondary) if secondary.type == CRAFTSMEN[craftsman.type].needs else -1


def _resource_cells(state: State, craftsman: Craftsman) -> list[list[int]]:
    cells_by_square = cells(state)
    resource_squares = state.resources_near(craftsman.zone, CRAFTSMEN[craftsman.type].resource)
    return [cells_by_square[square] for square in state.board.names(resource_squares)]


def check_ranges(row: Row, positions: Positions) -> str | None:
    """Checks the range and hub queries on a board of ranges.jsonl."""
    del positions
    board = Board.from_rows(row["rows"]).with_water(square_name(*cell) for pair in row["water"] for cell in pair)

    def mask(cells_: list[list[int]]) -> int:
        return board.mask(square_name(*cell[:2]) for cell in cells_)

    monuments = mask(row["monuments"])
    for query in row["range_queries"]:
        zone, blocked_squares = mask(query["from"]), monuments if query["blocked"] else 0
        mismatches = (
            board.reach(zone, step_count, blocked_squares) != _squares_within(board, query["steps"], step_count)
            for step_count in range(query["range"] + 1)
        )
        if any(mismatches):
            return f"{row['id']}: range {query['range']} from {query['from']}"
    for query in row["hub_queries"]:
        hubs = board.hubs(mask(query["from"]), mask(query["to"]), query["range"], monuments)
        if hubs != query["hubs"]:
            return f"{row['id']}: {hubs} hubs from {query['from']} to {query['to']}, recorded {query['hubs']}"
    return None


def _squares_within(board: Board, rows: list[str], steps: int) -> int:
    squares = ((square_name(x, y), steps_needed) for y, row in enumerate(rows) for x, steps_needed in enumerate(row))
    return board.mask(
        square for square, steps_needed in squares if steps_needed.isdigit() and int(steps_needed) <= steps
    )


Check: TypeAlias = Callable[[Row, Positions], str | None]

CHECKS: dict[str, tuple[str, Check]] = {
    "expect": ("refusals", check_refusal),
    "monument_cells": ("sets of legal places", check_spots),
    "range_queries": ("boards with range and hub queries", check_ranges),
}
"""The checks, by the key that identifies a kind of row, each with the name of its rows."""
