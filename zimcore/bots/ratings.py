"""Ratings of bots from their matches, with the uncertainty, by `openskill` (Weng and Lin)."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

from zimcore.bots.arena import Result


class Rating(NamedTuple):
    """The strength of a bot, 25 at first, and half the width of its 95 % interval (two sigma)."""

    strength: float
    doubt: float


def ratings(results: Sequence[Result]) -> dict[str, Rating]:
    """The rating of each bot, from matches in their order. Empty for a single bot, or without the extra `bots`.

    Winners rank ahead of all others, who are equal. A bot at several seats gets the mean of their new ratings.
    """
    try:
        from openskill.models import PlackettLuce
    except ImportError:
        return {}
    bots = dict.fromkeys(bot for result in results for bot in result.seating.bots)
    if len(bots) < 2:
        return {}
    model = PlackettLuce()
    current = {bot: model.rating(name=bot) for bot in bots}
    for result in results:
        bots_by_seat = result.seating.bots
        teams = [[model.create_rating([current[bot].mu, current[bot].sigma], bot)] for bot in bots_by_seat]
        after = model.rate(teams, ranks=[float(bot not in result.winners) for bot in bots_by_seat])
        for bot in dict.fromkeys(bots_by_seat):
            ratings_after = [team[0] for team, name in zip(after, bots_by_seat, strict=True) if name == bot]
            mu, sigma = fmean(each.mu for each in ratings_after), fmean(each.sigma for each in ratings_after)
            current[bot] = model.create_rating([mu, sigma], bot)
    return {bot: Rating(rating.mu, 2 * rating.sigma) for bot, rating in current.items()}
