"""The programs that people are offered as opponents."""

from __future__ import annotations

from zimcore.game import Game

OPPONENTS = {
    "strong": "plans its turn, and punishes a lost one",
    "deep": "searches the turns of all, for seconds",
    "quick": "plays at once, and is weaker",
}
"""The levels to play against, the default first. `quick` alone is no good start: it hoards cattle."""
STRONGER = {"random": "quick", "quick": "strong", "strong": "deep"}
"""The level to play next after a victory."""


def default_opponent(game: Game) -> str:
    """The level that a newcomer meets in a game."""
    return next(iter(OPPONENTS)) if game.strategy else "random"


def stronger_level(bot: str) -> str:
    """The program to play after a victory over this one: the same level without its limit, or the next level.

    >>> [stronger_level(bot) for bot in ("quick", "strong:elo=1500", "strong", "deep", "my_bot:Greedy")]
    ['strong', 'strong', 'deep', 'deep', 'my_bot:Greedy']
    """
    level, _, limit = bot.partition(":")
    if level not in STRONGER:
        return bot
    return level if limit else STRONGER[level]
