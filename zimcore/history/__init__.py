"""Questions about the past of a match, for any game: pure functions over its commits from the start."""

from zimcore.documents.differences import Balance, Difference
from zimcore.documents.history import Chapter
from zimcore.history.bisect import Bisection, bisect
from zimcore.history.compare import Comparison, compare
from zimcore.history.differences import balance, counted, differences
from zimcore.history.evaluation import ExpressionError
from zimcore.history.expression import Expression, parse
from zimcore.history.graph import Row, graph
from zimcore.history.story import story
from zimcore.history.sweep import Outlook, sweep, what_counts
from zimcore.history.why import Posting, Why, why

__all__ = [
    "Balance",
    "Bisection",
    "Chapter",
    "Comparison",
    "Difference",
    "Expression",
    "ExpressionError",
    "Outlook",
    "Posting",
    "Row",
    "Why",
    "balance",
    "bisect",
    "compare",
    "counted",
    "differences",
    "graph",
    "parse",
    "story",
    "sweep",
    "what_counts",
    "why",
]
