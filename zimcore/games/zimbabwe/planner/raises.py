"""Plans: which monuments can be raised, by which goods, at what price, and why others can't."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from zimcore.game import Seat
from zimcore.games.zimbabwe.commands import Good, Raise, Ritual, Square, Supply
from zimcore.games.zimbabwe.components import CONSTANTS
from zimcore.games.zimbabwe.planner.markers import Markers, assign
from zimcore.games.zimbabwe.planner.offers import LEAST, Market, Ware
from zimcore.games.zimbabwe.planner.prices import FREE, parts, up_to
from zimcore.games.zimbabwe.planner.search import GoodsChoice, Search
from zimcore.games.zimbabwe.planner.wishes import Wish, apart
from zimcore.games.zimbabwe.rules.rituals import growing
from zimcore.games.zimbabwe.state import State


class Plan(NamedTuple):
    """A raise in full: its command, what it costs at once and for good (in cattle), its VP and used markers.

    `proven` says that no plan for these monuments is cheaper; without it the search was cut short.
    """

    command: Raise
    cost: int
    net: int
    vp: int
    markers: int
    proven: bool

    @property
    def monuments(self) -> tuple[Square, ...]:
        """The monuments that it raises."""
        return tuple(ritual.monument for ritual in self.command.rituals)


class Planner:
    """Plans for one player in one position; what is known of one set of monuments serves the next.

    With a limit nothing that costs more cattle is looked at.
    """

    def __init__(self, state: State, seat: Seat, limit: int | None = None) -> None:
        self.state = state
        self.seat = seat
        self.proven = True
        """Whether every search so far went to its end."""
        self.market = Market(state, seat, up_to(limit))
        """What can be bought."""
        self.markers = Markers(self.market.capacity)
        """Where used markers can go."""
        self._wishes: dict[Square, Wish] = {}
        self._choices: dict[tuple[Square, ...], GoodsChoice | None] = {(): GoodsChoice((), FREE, proven=True)}

    def own(self) -> list[Square]:
        """The player's monuments that can still grow."""
        return growing(self.state, self.seat)

    def wish(self, monument: Square) -> Wish:
        """What it takes to raise a monument by one level (R-RAI-02, R-RAI-03)."""
        wish = self._wishes.get(monument)
        if wish is None:
            level = self.state.monuments[monument].level
            may_repeat = self.state.blessing(self.seat).goods_may_repeat
            wish = self._wishes[monument] = Wish(monument, level, may_repeat, self.market, self.markers)
        return wish

    def plan(self, monuments: Sequence[Square]) -> Plan | None:
        """The cheapest plan for all these monuments together; None where there is none within the limit."""
        choice = self.choice(tuple(monuments))
        if choice is None or not choice.goods:
            return None
        cost, net, markers = parts(choice.price)
        vp = sum([self._vp(monument) for monument in monuments])
        return Plan(self.command(monuments, choice), cost, net, vp, markers, choice.proven)

    def choice(self, monuments: tuple[Square, ...]) -> GoodsChoice | None:
        """The cheapest goods for all these monuments, the last one's first; remembered.

        Where patience ended before anything was found, it has no goods, and its price is the least that can be said.
        """
        if monuments not in self._choices:
            wishes = self._wishes_for(monuments)
            self._choices[monuments] = (self._at_once(wishes) or self._search(monuments, wishes)) if wishes else None
        return self._choices[monuments]

    def _wishes_for(self, monuments: tuple[Square, ...]) -> list[Wish]:
        """The wishes of these monuments, the last one's first; none of them where one can't be fulfilled even alone."""
        if self._hopeless([self.state.monuments[each].level for each in monuments]):
            return []
        # The last is served first: what those before it take together is often known already, from a smaller set.
        wishes = [self.wish(monument) for monument in reversed(monuments)]
        possible = all(wish.cheapest for wish in wishes) and sum([wish.least for wish in wishes]) < self.market.bound
        return wishes if possible else []

    def _at_once(self, wishes: Sequence[Wish]) -> GoodsChoice | None:
        """The cheapest goods for each wish, if no two wishes conflict, which is the usual case."""
        goods = tuple([wish.cheapest or () for wish in wishes])
        if apart(goods) or self.markers[sum([wish.usage for wish in wishes])]:
            return GoodsChoice(goods, sum([wish.least for wish in wishes]), proven=True)
        return None

    def _hopeless(self, goods: Sequence[int]) -> bool:
        """Whether so many goods for each monument are impossible whatever the map: a quick test."""
        if sum(goods) * LEAST >= self.market.bound:
            return True
        types = self.market.types
        return not types or (max(goods) > types and not self.state.blessing(self.seat).goods_may_repeat)

    def _search(self, monuments: tuple[Square, ...], wishes: Sequence[Wish]) -> GoodsChoice | None:
        smaller = [self.choice(monuments[:place]) for place in reversed(range(len(monuments)))]
        later = [choice.price if choice.proven else FREE for choice in smaller if choice]
        if len(later) < len(wishes):
            return None
        search = Search(wishes, later, self.markers, self.market.bound)
        choice = search.solve()
        self.proven = self.proven and search.is_optimal
        return choice if choice or search.is_optimal else GoodsChoice((), FREE, proven=False)

    def _vp(self, monument: Square) -> int:
        level, vp = self.state.monuments[monument].level, CONSTANTS.level_vp
        return vp[level + 1] - vp[level]

    def command(self, monuments: Sequence[Square], choice: GoodsChoice) -> Raise:
        """The command that raises monuments by goods that were chosen for them."""
        goods, name = choice.goods[::-1], self.state.board.name
        demands = [source.free for wares in goods for ware in wares for source in ware.sources]
        resources = iter(assign(demands, self.market.capacity) or ())

        def good(ware: Ware) -> Good:
            makers = [source.maker for source in ware.sources]
            return Good(*[Supply(maker.type, maker.at, name[next(resources)]) for maker in makers])

        pairs = zip(monuments, goods, strict=True)
        return Raise(tuple([Ritual(monument, tuple(map(good, wares))) for monument, wares in pairs]))

    def plans(self) -> Iterator[Plan]:
        """The cheapest plan of every set of the player's monuments within the limit, smaller sets first.

        A set with a part that can't be raised, or not be paid, can't be either: such sets are not looked at.
        """
        own = self.own()
        possible: set[tuple[Square, ...]] = {()}
        frontier: list[tuple[Square, ...]] = [()]
        for smaller in frontier:
            for square in own[own.index(smaller[-1]) + 1 if smaller else 0 :]:
                larger = (*smaller, square)
                if all((*larger[:place], *larger[place + 1 :]) in possible for place in range(len(larger))):
                    plan = self.plan(larger)
                    if plan:
                        possible.add(larger)
                        frontier.append(larger)
                        yield plan


def cheapest(state: State, seat: Seat, monuments: Sequence[Square]) -> Plan | None:
    """The cheapest plan to raise all these monuments of a player, or None where there is none."""
    return Planner(state, seat).plan(monuments) if monuments else None


def plans(state: State, seat: Seat) -> Iterator[Plan]:
    """The cheapest plan of every set of a player's monuments that can be raised and paid now."""
    return Planner(state, seat, state.cattle[seat]).plans()


def why_not(state: State, seat: Seat, monuments: Sequence[Square]) -> str | None:
    """Why a player can't raise all these monuments now, in one sentence; None where it can be done."""
    planner = Planner(state, seat)
    for monument in monuments:
        if reason := _alone(planner, monument):
            return reason
    plan = planner.plan(monuments)
    if plan is None:
        return f"the resources do not suffice for {', '.join(monuments)} together: {_short(planner, monuments)}"
    had = state.cattle[seat]
    return f"the cheapest plan costs {plan.cost} cattle and {seat} has {had}" if plan.cost > had else None


def _alone(planner: Planner, monument: Square) -> str | None:
    """Why a monument can't be raised even alone, whatever the cattle at hand."""
    wish = planner.wish(monument)
    if planner.plan([monument]):
        return None
    types = sorted({ware.sources[0].maker.type for _, ware in wish.offers})
    there = f"of {', '.join(types)} only" if types else "but none is available"
    if len(types) >= wish.goods:
        there = f"and there are resources for fewer of {', '.join(types)}"
    different = "" if wish.may_repeat else "different "
    goods = f"{wish.goods} {different}goods" if wish.goods > 1 else "1 good"
    return f"{monument} needs {goods}, {there}"


def _short(planner: Planner, monuments: Sequence[Square]) -> str:
    needed = sum(planner.wish(monument).goods for monument in monuments)
    left = planner.market.remaining_markers()
    return f"{needed} goods are needed, and {left} used markers can still be placed within reach of the craftsmen"
