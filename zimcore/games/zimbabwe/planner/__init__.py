"""The ritual planner: the cheapest way to raise monuments, the sets worth raising, or the reason why there is none."""

from zimcore.games.zimbabwe.planner.frontier import BestRaises, best_raises
from zimcore.games.zimbabwe.planner.raises import Plan, Planner, cheapest_plan, explain_impossible, plans

__all__ = ["BestRaises", "Plan", "Planner", "best_raises", "cheapest_plan", "explain_impossible", "plans"]
