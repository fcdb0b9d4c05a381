"""Plans raises: which monuments can be raised, with which goods, at what price, and why others can't."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from zimcore.game import Seat
from zimcore.games.zimbabwe.commands import Good, Raise, Ritual, Square, Supply
from zimcore.games.zimbabwe.components import CONSTANTS
from zimcore.games.zimbabwe.planner.demands import Demand, are_disjoint
from zimcore.games.zimbabwe.planner.markers import SufficiencyCache, assign_resources
from zimcore.games.zimbabwe.planner.offers import LEAST_PRICE, Market, SupplyChain
from zimcore.games.zimbabwe.planner.prices import FREE, bound_above, unpack_price
from zimcore.games.zimbabwe.planner.search import GoodsChoice, Search
from zimcore.games.zimbabwe.rules.rituals import growing_monuments
from zimcore.games.zimbabwe.state import State
from zimcore.toolkit.words import joined


class Plan(NamedTuple):
    """A complete raise: its command, cattle paid at once (`cost`), its VP and used markers.

    `net` is the part of the cost that does not come back as revenue.
    `is_proven` means that no plan for these monuments is cheaper; otherwise the search was cut short.
    """

    command: Raise
    cost: int
    net: int
    vp: int
    markers: int
    is_proven: bool

    @property
    def monuments(self) -> tuple[Square, ...]:
        """The monuments that it raises."""
        return tuple(ritual.monument for ritual in self.command.rituals)


class Planner:
    """Plans for one player in one position; results for a set of monuments are reused for larger sets.

    `limit` is the most cattle that a plan may cost.
    """

    def __init__(self, state: State, seat: Seat, limit: int | None = None) -> None:
        self.state = state
        self.seat = seat
        self.is_proven = True
        """Whether every search so far was complete."""
        self.market = Market(state, seat, bound_above(limit))
        """The goods on sale."""
        self.sufficiency = SufficiencyCache(self.market.capacity)
        """Tells whether resources suffice for goods."""
        self._demands: dict[Square, Demand] = {}
        self._choices: dict[tuple[Square, ...], GoodsChoice | None] = {(): GoodsChoice((), FREE, is_proven=True)}

    def growing_monuments(self) -> list[Square]:
        """The player's monuments that can still grow."""
        return growing_monuments(self.state, self.seat)

    def demand(self, monument: Square) -> Demand:
        """The goods needed to raise a monument by one level (R-RAI-02, R-RAI-03)."""
        demand = self._demands.get(monument)
        if demand is None:
            level = self.state.monuments[monument].level
            may_repeat = self.state.god_modifiers(self.seat).goods_may_repeat
            demand = self._demands[monument] = Demand(monument, level, may_repeat, self.market, self.sufficiency)
        return demand

    def plan(self, monuments: Sequence[Square]) -> Plan | None:
        """The cheapest plan for all these monuments together; None if there is none within the limit."""
        choice = self.choice(tuple(monuments))
        if choice is None or not choice.goods:
            return None
        cost, net, markers = unpack_price(choice.price)
        return Plan(self.command(monuments, choice), cost, net, self.vp(monuments), markers, choice.is_proven)

    def cost(self, monuments: Sequence[Square]) -> int | None:
        """The cattle of the cheapest plan, without its command; None if there is none within the limit."""
        choice = self.choice(tuple(monuments))
        return unpack_price(choice.price)[0] if choice and choice.goods else None

    def vp(self, monuments: Sequence[Square]) -> int:
        """The VP for raising all these monuments by one level."""
        levels, level_vp = [self.state.monuments[monument].level for monument in monuments], CONSTANTS.level_vp
        return sum([level_vp[level + 1] - level_vp[level] for level in levels])

    def choice(self, monuments: tuple[Square, ...]) -> GoodsChoice | None:
        """The cheapest goods for all these monuments, the last one's first; cached.

        If the search was cut short before it found any, the choice has no goods and price 0.
        """
        if monuments not in self._choices:
            demands = self._demands_for(monuments)
            self._choices[monuments] = (
                (self._choice_without_conflicts(demands) or self._search(monuments, demands)) if demands else None
            )
        return self._choices[monuments]

    def _demands_for(self, monuments: tuple[Square, ...]) -> list[Demand]:
        """The demands of these monuments, the last one's first; empty if one of them is impossible even alone."""
        if self._is_impossible([self.state.monuments[square].level for square in monuments]):
            return []
        # The last comes first: the search often knows the price of the others, as they are a smaller set.
        demands = [self.demand(monument) for monument in reversed(monuments)]
        is_possible = (
            all(demand.cheapest_goods for demand in demands)
            and sum([demand.least_price for demand in demands]) < self.market.bound
        )
        return demands if is_possible else []

    def _choice_without_conflicts(self, demands: Sequence[Demand]) -> GoodsChoice | None:
        """The cheapest goods for each demand, if no two demands conflict, which is usual; otherwise None."""
        goods = tuple([demand.cheapest_goods or () for demand in demands])
        if are_disjoint(goods) or self.sufficiency[sum([demand.usage for demand in demands])]:
            return GoodsChoice(goods, sum([demand.least_price for demand in demands]), is_proven=True)
        return None

    def _is_impossible(self, goods_counts: Sequence[int]) -> bool:
        """A quick test: whether these numbers of goods are impossible on any map."""
        if sum(goods_counts) * LEAST_PRICE >= self.market.bound:
            return True
        type_count = self.market.type_count
        return not type_count or (
            max(goods_counts) > type_count and not self.state.god_modifiers(self.seat).goods_may_repeat
        )

    def _search(self, monuments: tuple[Square, ...], demands: Sequence[Demand]) -> GoodsChoice | None:
        choices_of_smaller_sets = [self.choice(monuments[:count]) for count in reversed(range(len(monuments)))]
        prices_of_smaller_sets = [
            choice.price if choice.is_proven else FREE for choice in choices_of_smaller_sets if choice
        ]
        if len(prices_of_smaller_sets) < len(demands):
            return None
        search = Search(demands, prices_of_smaller_sets, self.sufficiency, self.market.bound)
        choice = search.solve()
        self.is_proven = self.is_proven and search.is_optimal
        return choice if choice or search.is_optimal else GoodsChoice((), FREE, is_proven=False)

    def command(self, monuments: Sequence[Square], choice: GoodsChoice) -> Raise:
        """The command that raises monuments with the goods chosen for them."""
        goods, name_of_square = choice.goods[::-1], self.state.board.name
        demands = [source.free_resources for chains in goods for chain in chains for source in chain.sources]
        resources = iter(assign_resources(demands, self.market.capacity) or ())

        def make_good(chain: SupplyChain) -> Good:
            makers = [source.maker for source in chain.sources]
            return Good(*[Supply(maker.type, maker.at, name_of_square[next(resources)]) for maker in makers])

        monuments_and_goods = zip(monuments, goods, strict=True)
        return Raise(
            tuple([Ritual(monument, tuple(map(make_good, chains))) for monument, chains in monuments_and_goods])
        )

    def plans(self) -> Iterator[Plan]:
        """The cheapest plan of every set of the player's monuments within the limit, smaller sets first.

        Skips sets with a subset that can't be raised or paid for.
        """
        growing_monuments = self.growing_monuments()
        raisable_sets: set[tuple[Square, ...]] = {()}
        sets_to_grow: list[tuple[Square, ...]] = [()]
        for smaller_set in sets_to_grow:
            for square in growing_monuments[growing_monuments.index(smaller_set[-1]) + 1 if smaller_set else 0 :]:
                larger_set = (*smaller_set, square)
                if all(
                    (*larger_set[:index], *larger_set[index + 1 :]) in raisable_sets for index in range(len(larger_set))
                ):
                    plan = self.plan(larger_set)
                    if plan:
                        raisable_sets.add(larger_set)
                        sets_to_grow.append(larger_set)
                        yield plan


def cheapest_plan(state: State, seat: Seat, monuments: Sequence[Square]) -> Plan | None:
    """The cheapest plan to raise all these monuments of a player; None if there is none."""
    return Planner(state, seat).plan(monuments) if monuments else None


def plans(state: State, seat: Seat) -> Iterator[Plan]:
    """The cheapest plan of every set of a player's monuments that can be raised and paid for now."""
    return Planner(state, seat, state.cattle[seat]).plans()


def explain_impossible(state: State, seat: Seat, monuments: Sequence[Square]) -> str | None:
    """The reason why a player can't raise all these monuments now, in one sentence; None if it is possible."""
    planner = Planner(state, seat)
    for monument in monuments:
        if reason := _single_reason(planner, monument):
            return reason
    plan = planner.plan(monuments)
    if plan is None:
        return f"{joined(monuments)} can't be raised together: their goods would use up the same resources"
    cattle = state.cattle[seat]
    return f"the cheapest plan costs {plan.cost} cattle and {seat} has {cattle}" if plan.cost > cattle else None


def _single_reason(planner: Planner, monument: Square) -> str | None:
    """The reason why a monument can't be raised even alone, with any amount of cattle."""
    demand = planner.demand(monument)
    if planner.plan([monument]):
        return None
    types = sorted({chain.sources[0].maker.type for _, chain in demand.offers})
    available_text = f"and only those of the {joined(types)} are available" if types else "but none is available"
    if len(types) >= demand.goods_needed:
        available_text = f"and there are too few resources for those of the {joined(types)}"
    different_text = "" if demand.may_repeat else "different "
    goods_text = f"{demand.goods_needed} {different_text}goods" if demand.goods_needed > 1 else "1 good"
    return f"{monument} needs {goods_text}, {available_text}"
