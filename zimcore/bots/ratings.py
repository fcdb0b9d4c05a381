"""Ratings of bots from their matches."""

from __future__ import annotations

from collections.abc import Sequence

from zimcore.bots.arena import MatchResult
from zimcore.toolkit.ratings import RankedGame, Rating, rate_players


def ratings(results: Sequence[MatchResult]) -> dict[str, Rating]:
    """The rating of each bot, from matches in their order; {} for a single bot, or without the extra `bots`.

    Winners rank ahead of all others, who are equal.
    """
    return rate_players(
        RankedGame(bots, [float(bot not in result.winners) for bot in bots])
        for result in results
        for bots in (result.seating.bots,)
    )
