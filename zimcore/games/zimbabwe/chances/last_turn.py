"""Solves the turn of the seat to move, where the match may end with the round: which commands win, or that none can.

All that a seat can do before its main action is tried: each god, each specialist that helps, lower prices. After that,
goods for monuments are planned exactly. What is not tried (Rain Ceremony, some places of craftsmen) is bounded from
above. So commands that win have been played out by the rules, and a seat without hope has none whatever it plays.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from zimcore.game import Seat
from zimcore.games.zimbabwe.board import Squares, bits
from zimcore.games.zimbabwe.chances.features import cached_planner
from zimcore.games.zimbabwe.commands import (
    Adore,
    AnyCommand,
    Build,
    EndTurn,
    Hire,
    PlaceCraftsman,
    SetPrices,
    Square,
    Use,
)
from zimcore.games.zimbabwe.components import CONSTANTS, CRAFTSMEN, GODS, RESOURCES, SPECIALISTS, CraftsmanType
from zimcore.games.zimbabwe.placements import GROUPED_KINDS, craftsman_groups, type_names, water_places
from zimcore.games.zimbabwe.planner import Planner
from zimcore.games.zimbabwe.rules.cards import god_rebate
from zimcore.games.zimbabwe.rules.craftsmen import (
    craftsman_places,
    may_place_one,
    technology_vr,
    unclaimed_resources,
)
from zimcore.games.zimbabwe.rules.monuments import (
    building_ground,
    may_build,
    may_raise,
    monuments_left,
    second_building_ground,
)
from zimcore.games.zimbabwe.rules.rule import RULEBOOK, is_legal
from zimcore.games.zimbabwe.state import State

VP_PER_CATTLE = max(craftsman.vp / craftsman.cost for craftsman in CRAFTSMEN.values())
"""The most VP by craftsmen for each head of cattle."""
MAX_SETS = 400
"""The most sets of monuments that are planned in search of enough VP."""
MAX_PLACINGS, MAX_SPOTS = 40, 2
"""The most craftsmen that are placed in search of enough VP, and the most places for each, in each orientation."""


class Standing(NamedTuple):
    """What decides between seats, in this order (R-END-02): VP - VR, Xango, VP, and the earlier turn."""

    overshoot: int
    wins_ties: bool
    vp: int
    earliness: int

    def gaining(self, vp: int, vr: int = 0) -> Standing:
        """The standing with so many more VP and VR."""
        return self._replace(overshoot=self.overshoot + vp - vr, vp=self.vp + vp)


def standing(state: State, seat: Seat) -> Standing:
    """A seat's standing, as if the round ended now."""
    wins_ties = state.god_modifiers(seat).wins_ties
    return Standing(state.vp[seat] - state.vr[seat], wins_ties, state.vp[seat], -state.order.index(seat))


class Solution(NamedTuple):
    """The commands that bring a seat above its goal; without any, whether it is proven that none do."""

    commands: tuple[AnyCommand, ...]
    is_hopeless: bool


class Preparation(NamedTuple):
    """Commands before the main action, and the position after them; and a card that is taken after the action."""

    commands: tuple[AnyCommand, ...]
    state: State
    later_card: Adore | None = None


def solve_turn(state: State, goal: Standing) -> Solution:
    """How the seat to move reaches its VR and a better standing than `goal` in this turn, or that it can't."""
    seat, is_hopeless = state.turn.seat, True
    for preparation in _preparations(state, seat):
        commands, is_excluded = _solve_action(preparation, seat, goal)
        if commands is not None:
            line = (*preparation.commands, *commands, *filter(None, [preparation.later_card]))
            if final_commands := _played_line(state, seat, line, goal):
                return Solution(final_commands, is_hopeless=False)
        is_hopeless = is_hopeless and is_excluded and not _unsearched_uses_reach(preparation.state, seat, goal)
    return Solution((), is_hopeless)


def _reaches(reached: Standing, goal: Standing) -> bool:
    return reached.overshoot >= 0 and reached > goal


def _played_line(
    state: State, seat: Seat, commands: Iterable[AnyCommand], goal: Standing
) -> tuple[AnyCommand, ...] | None:
    """A line with all that it takes to end the turn, if it is legal and reaches the goal."""
    line = list(commands)
    for command in line:
        if not is_legal(state, seat, command):
            return None
        state = RULEBOOK.apply(state, seat, command).state
    if unpriced_types := state.unpriced_technologies(seat):
        line.append(SetPrices(tuple((type_, CONSTANTS.max_price) for type_ in unpriced_types)))
    return (*line, EndTurn()) if _reaches(standing(state, seat), goal) else None


def _preparations(state: State, seat: Seat) -> Iterator[Preparation]:
    """What a seat can do before its main action; the fewest commands first."""
    queue, known_sets = deque([Preparation((), state)]), {frozenset[AnyCommand]()}
    while queue:
        preparation = queue.popleft()
        yield preparation
        for command in _preparing_commands(preparation.state, seat):
            commands = (*preparation.commands, command)
            if frozenset(commands) not in known_sets and is_legal(preparation.state, seat, command):
                known_sets.add(frozenset(commands))
                queue.append(Preparation(commands, RULEBOOK.apply(preparation.state, seat, command).state))
        if state.turn.action and not preparation.commands:  # a card would end an action that can go on
            yield from (Preparation((), state, command) for command in _gods_that_lower_vr(state, seat))


def _preparing_commands(state: State, seat: Seat) -> Iterator[AnyCommand]:
    """Commands other than the main action that can bring VP in this turn, or take VR away."""
    if lower_prices := _lowest_prices(state, seat):
        yield lower_prices
    yield from map(Adore, GROUPED_KINDS["adore"].find_names(state))
    for kind, command_type in (("use", Use), ("hire", Hire)):
        for name in GROUPED_KINDS[kind].find_names(state):
            yield from _helpful_uses(state, command_type, name)


def _gods_that_lower_vr(state: State, seat: Seat) -> list[Adore]:
    names = GROUPED_KINDS["adore"].find_names(state)
    return [Adore(name) for name in names if god_vr(state, seat, name) < 0]


def god_vr(state: State, seat: Seat, name: str) -> int:
    """The change of a seat's VR by a god (R-GOD-02)."""
    return state.setup.gods[name] - god_rebate(state, seat, GODS[name])


def _lowest_prices(state: State, seat: Seat) -> SetPrices | None:
    """Own prices of 1 where a god allows it: goods of one's own cost less at hand."""
    if not state.may_price_freely(seat):
        return None
    prices = [(type_, 1) for type_, technology in state.technologies_of(seat).items() if technology.price > 1]
    return SetPrices(tuple(prices)) if prices else None


def _helpful_uses(state: State, command_type: type[Hire | Use], name: str) -> Iterator[Hire | Use]:
    """Uses of a specialist that can bring VP in this turn: a resource for a set of craftsmen, or ground to build on."""
    if SPECIALISTS[name].lifts_zoning:
        yield command_type(name)
    if SPECIALISTS[name].places_resource:
        for resource in RESOURCES:
            for square in _best_resource_squares(state, resource):
                yield command_type(name, None, resource, (square,))


def _best_resource_squares(state: State, resource: str) -> Iterator[Square]:
    """A square for each set of craftsmen that a new resource can serve, without sets that another contains."""
    zones = [maker.zone for maker in state.craftsmen if CRAFTSMEN[maker.type].resource == resource]
    areas: dict[frozenset[Squares], Squares] = {frozenset(): state.empty_land}
    for zone in zones:
        reach, new_areas = state.squares_in_range(zone), dict[frozenset[Squares], Squares]()
        for served, squares in areas.items():
            for new_served, new_squares in ((served | {zone}, squares & reach), (served, squares & ~reach)):
                if new_squares:
                    new_areas[new_served] = new_squares
        areas = new_areas
    for served, squares in areas.items():
        if served and not any(served < other for other in areas):
            yield state.board.name[next(bits(squares))]


def _solve_action(preparation: Preparation, seat: Seat, goal: Standing) -> tuple[Sequence[AnyCommand] | None, bool]:
    """The main action after which a seat reaches the goal, None if it finds none; whether none does."""
    state = preparation.state
    start = standing(state, seat)
    if preparation.later_card:
        god = preparation.later_card.god
        start = start.gaining(0, god_vr(state, seat, god))._replace(wins_ties=GODS[god].wins_ties)
    if _reaches(start, goal):
        return (), False
    is_excluded = True
    for solve in (_solve_build, _solve_raise, _solve_craft):
        commands, action_is_excluded = solve(state, seat, start, goal)
        if commands is not None:
            return commands, False
        is_excluded = is_excluded and action_is_excluded
    return None, is_excluded


ActionSolution = tuple[Sequence[AnyCommand] | None, bool]
"""The commands of a main action, or None and whether it is proven that there are none."""


def _solve_build(state: State, seat: Seat, start: Standing, goal: Standing) -> ActionSolution:
    if not may_build(state, seat):
        return None, True
    ground = building_ground(state)
    for count in range(1, monuments_left(state, seat) + 1):
        if ground and _reaches(start.gaining(count * CONSTANTS.level_vp[1]), goal):
            if count == 1:
                return (Build((state.board.name[next(bits(ground))],)),), False
            for first in bits(ground):
                for second in bits(second_building_ground(state, first)):
                    return (Build((state.board.name[first], state.board.name[second])),), False
    return None, True


def _solve_raise(state: State, seat: Seat, start: Standing, goal: Standing) -> ActionSolution:
    search = _raise_search(state, seat, start, goal, state.cattle[seat]) if may_raise(state, seat) else None
    if search is None:
        return None, True
    chosen_squares = search.find()
    if chosen_squares is None:
        return None, search.is_complete
    plan = search.planner.plan(chosen_squares)
    return ((plan.command,), False) if plan else (None, False)


def _raise_search(state: State, seat: Seat, start: Standing, goal: Standing, cattle: int) -> RaiseSearch | None:
    """A search for monuments that bring a seat to the goal; None if a loose bound shows that there are none."""
    most_vp = loose_vp_gain(state, seat, state.cattle[seat] - cattle)
    vp_needed = next((vp for vp in range(1, most_vp + 1) if _reaches(start.gaining(vp), goal)), None)
    if vp_needed is None:
        return None
    planner = Planner(state, seat, cattle) if isinstance(state, WiderState) else cached_planner(state, seat, cattle)
    return RaiseSearch(planner, cattle, vp_needed)


class RaiseSearch:
    """Finds monuments that bring enough VP together, for the cattle at hand; `is_complete` if it has tried all sets."""

    def __init__(self, planner: Planner, cattle: int, vp_needed: int) -> None:
        self.planner, self.cattle, self.vp_needed = planner, cattle, vp_needed
        self.sets_left = MAX_SETS
        self.is_complete = True
        costs = [(square, planner.cost((square,))) for square in planner.growing_monuments()]
        single_raises = [(square, planner.vp((square,)), cost) for square, cost in costs if cost and cost <= cattle]
        self.single_raises = sorted(single_raises, key=lambda single_raise: single_raise[2] / single_raise[1])
        """Squares, VP and least costs, the best value first."""

    def find(self) -> tuple[Square, ...] | None:
        """The squares of such monuments, or None."""
        chosen_squares = self._grow((), 0, 0, 0)
        self.is_complete = self.is_complete and self.planner.is_proven
        return chosen_squares

    def _grow(self, squares: tuple[Square, ...], vp: int, cost: int, first_index: int) -> tuple[Square, ...] | None:
        if vp >= self.vp_needed:
            return squares
        for index in range(first_index, len(self.single_raises)):
            if vp + self._bound(self.cattle - cost, index) < self.vp_needed:
                return None
            square, more_vp, least_cost = self.single_raises[index]
            if cost + least_cost > self.cattle:
                continue
            if not self.sets_left:
                self.is_complete = False
                return None
            self.sets_left -= 1
            larger_set = (*squares, square)
            larger_cost = self.planner.cost(larger_set)
            if larger_cost is not None and larger_cost <= self.cattle:
                found_squares = self._grow(larger_set, vp + more_vp, larger_cost, index + 1)
                if found_squares is not None:
                    return found_squares
        return None

    def _bound(self, cattle: int, first_index: int) -> float:
        """The most VP by further monuments, or a part of the last one, each at its least cost."""
        vp = 0.0
        for _, more_vp, cost in self.single_raises[first_index:]:
            if cost > cattle:
                return vp + more_vp * cattle / cost
            vp, cattle = vp + more_vp, cattle - cost
        return vp


def _solve_craft(state: State, seat: Seat, start: Standing, goal: Standing) -> ActionSolution:
    if not _reaches(_most_by_craftsmen(state, seat, start), goal):
        return None, True
    return CraftSearch(seat, goal).find(state, start, [*type_names(state)]), False


def _most_by_craftsmen(state: State, seat: Seat, start: Standing) -> Standing:
    """An upper bound of the standing after placing craftsmen: as if there were room for all of them.

    Each needs a resource that no other of its type has in its range (R-CRA-06).
    """
    cattle = state.cattle[seat]
    gains, vp_gains = [0] * (cattle + 1), [0] * (cattle + 1)
    for type_ in type_names(state):
        craftsman, tiles_left = CRAFTSMEN[type_], CONSTANTS.craftsmen_per_type - len(state.craftsmen_of_type(type_))
        if not may_place_one(state, seat, type_) or not any(
            places.corners for places in craftsman_places(state, type_)
        ):
            continue
        most_tiles = min(tiles_left, unclaimed_resources(state, type_).bit_count(), cattle // craftsman.cost)
        first_gain = craftsman.vp - technology_vr(state, seat, type_)
        for table, first in ((gains, first_gain), (vp_gains, craftsman.vp)):
            before = table.copy()
            for count in range(1, most_tiles + 1):
                cost, gain = count * craftsman.cost, first + (count - 1) * craftsman.vp
                for budget in range(cost, cattle + 1):
                    table[budget] = max(table[budget], before[budget - cost] + gain)
    return start._replace(overshoot=start.overshoot + max(gains), vp=start.vp + max(vp_gains))


class CraftSearch:
    """Finds craftsmen after which a seat reaches a goal, in a few places each; gives up after `MAX_PLACINGS`."""

    def __init__(self, seat: Seat, goal: Standing) -> None:
        self.seat, self.goal = seat, goal
        self.placings_left = MAX_PLACINGS

    def find(self, state: State, start: Standing, types: Sequence[CraftsmanType]) -> tuple[AnyCommand, ...] | None:
        """The commands that place craftsmen of these types, in this order; None if it finds none."""
        for index, type_ in enumerate(types):
            has_technology = f"{self.seat}/{type_}" in state.technologies
            for group in craftsman_groups(state, type_):
                for corners, width, height in group.find_places():
                    for corner in islice(bits(corners), MAX_SPOTS):
                        if not self.placings_left:
                            return None
                        self.placings_left -= 1
                        squares = state.board.rectangle(corner, width, height)
                        command = PlaceCraftsman(type_, squares, None if has_technology else CONSTANTS.max_price)
                        commands = self._find_from(state, start, command, types[index:])
                        if commands:
                            return commands
        return None

    def _find_from(
        self, state: State, start: Standing, command: PlaceCraftsman, types: Sequence[CraftsmanType]
    ) -> tuple[AnyCommand, ...] | None:
        if not is_legal(state, self.seat, command):
            return None
        reached = start.gaining(CRAFTSMEN[command.type].vp, technology_vr(state, self.seat, command.type))
        if _reaches(reached, self.goal):
            return (command,)
        next_state = RULEBOOK.apply(state, self.seat, command).state
        if not _reaches(_most_by_craftsmen(next_state, self.seat, reached), self.goal):
            return None
        later_commands = self.find(next_state, reached, types)
        return (command, *later_commands) if later_commands else None


def _unsearched_uses_reach(state: State, seat: Seat, goal: Standing) -> bool:
    """Whether the goal is within the bound with a specialist whose squares are not all searched.

    Those of water are not searched, those of a resource only for the craftsmen that are there.
    """
    start = standing(state, seat)
    for kind in ("use", "hire"):
        for name in GROUPED_KINDS[kind].find_names(state):
            specialist = SPECIALISTS[name]
            vr, cattle = state.setup.specialists[name] * (kind == "hire"), state.cattle[seat] - specialist.costs[0]
            places_something = specialist.places_water or specialist.places_resource
            if places_something and _reaches(start.gaining(int(cattle * VP_PER_CATTLE), vr), goal):
                return True
            if specialist.places_water and _raise_with_water_reaches(state, seat, start.gaining(0, vr), goal, cattle):
                return True
    return False


def _raise_with_water_reaches(state: State, seat: Seat, start: Standing, goal: Standing, cattle: int) -> bool:
    """Whether the goal is within the bound of raising after water was placed: as if the range were longer."""
    if not may_raise(state, seat):
        return False
    fields = {name: getattr(state, name) for name in State.__struct_fields__}
    wider_state = WiderState(**fields, steps_saved=_steps_saved_by_water(state))
    search = _raise_search(wider_state, seat, start, goal, cattle)
    return search is not None and (search.find() is not None or not search.is_complete)


def _steps_saved_by_water(state: State) -> int:
    """The most steps that two squares of water can save on a way.

    One by themselves, as a lake is entered in one step (R-RNG-01), and one for each of two lakes that they connect.
    """
    board, stride, most_lakes = state.board, state.board.stride, 0
    for corners, width, height in water_places(state):
        touching_one = touching_two = 0
        for lake in board.lakes:
            shore = lake << 1 | lake >> 1 | lake << stride | lake >> stride
            touching = corners & board.corners_touching(shore, width, height)
            touching_two, touching_one = touching_two | touching_one & touching, touching_one | touching
        most_lakes = max(most_lakes, 2 if touching_two else 1 if touching_one else 0)
    return 1 + most_lakes


class WiderState(State):
    """A position with a longer range: a bound of what water can do."""

    steps_saved: int = 0

    @property
    def range_in_steps(self) -> int:
        """The range in this turn, in steps (R-RNG-06), and the steps that can be saved."""
        return super().range_in_steps + self.steps_saved


def loose_vp_gain(state: State, seat: Seat, spent_cattle: int = 0) -> int:
    """An upper bound of the VP by raising monuments: each good costs at least 1 cattle (R-RAI-02, R-PRI-01)."""
    cattle, level_vp = state.cattle[seat] - spent_cattle, CONSTANTS.level_vp
    vp_by_budget = [0] * (cattle + 1)
    for monument in state.monuments.values():
        if monument.owner == seat and (level := monument.level) < CONSTANTS.max_level:
            for budget in range(cattle, level - 1, -1):
                vp_by_budget[budget] = max(
                    vp_by_budget[budget], vp_by_budget[budget - level] + level_vp[level + 1] - level_vp[level]
                )
    return vp_by_budget[-1]
