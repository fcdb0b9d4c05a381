"""The test kit for authors of games: plays a game at random, and checks all that the contract promises.

>>> from zimcore.games.zimbabwe import GAME
>>> list(check(GAME, matches=1, moves=5))
[]
"""

from zimcore.toolkit.check.finding import Finding, TrialCounts
from zimcore.toolkit.check.random_match import check, play_digest

__all__ = ["Finding", "TrialCounts", "check", "play_digest"]
