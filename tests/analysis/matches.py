"""A match between quick bots, played once for all tests."""

from functools import cache

from zimcore.bots.bot_match import PlayedMatch, play_bots
from zimcore.bots.levels import QuickBot
from zimcore.games.zimbabwe import GAME


@cache
def quick_match(max_commands: int = 600, players: int = 3) -> PlayedMatch:
    """Its first commands, and the position after them (not to be changed)."""
    return play_bots(GAME, [(QuickBot(), 0)] * players, {"players": str(players)}, 7, max_commands)
