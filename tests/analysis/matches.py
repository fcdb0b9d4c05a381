"""A match between quick bots to ask about, played once."""

from functools import cache

from zimcore.bots.bot_match import PlayedMatch, play_with
from zimcore.bots.levels import QuickBot
from zimcore.games.zimbabwe import GAME


@cache
def match(most: int = 600, players: int = 3) -> PlayedMatch:
    """Its first commands, and the position after them (not to be changed)."""
    return play_with(GAME, [(QuickBot(), 0)] * players, {"players": str(players)}, 7, most)
