"""The ritual planner: the cheapest way to raise monuments, the sets worth raising, or the reason why there is none."""

from zimcore.games.zimbabwe.planner.frontier import Raises, best_raises
from zimcore.games.zimbabwe.planner.raises import Plan, Planner, cheapest, plans, why_not

__all__ = ["Plan", "Planner", "Raises", "best_raises", "cheapest", "plans", "why_not"]
