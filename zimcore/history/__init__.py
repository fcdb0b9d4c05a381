"""Questions about the past of a match, for any game: pure functions over its commits from the start."""

from zimcore.documents.differences import Balance, Difference
from zimcore.documents.history import Chapter
from zimcore.history.bisect import Bisection, bisect
from zimcore.history.compare import Comparison, compare
from zimcore.history.differences import balance, differences, main_figure
from zimcore.history.evaluation import ExpressionError
from zimcore.history.expression import Expression, parse
from zimcore.history.graph import GraphRow, graph
from zimcore.history.story import story
from zimcore.history.sweep import CommandOutlook, default_expressions, sweep
from zimcore.history.why import ValueChange, Why, why

__all__ = [
    "Balance",
    "Bisection",
    "Chapter",
    "CommandOutlook",
    "Comparison",
    "Difference",
    "Expression",
    "ExpressionError",
    "GraphRow",
    "ValueChange",
    "Why",
    "balance",
    "bisect",
    "compare",
    "default_expressions",
    "differences",
    "graph",
    "main_figure",
    "parse",
    "story",
    "sweep",
    "why",
]
