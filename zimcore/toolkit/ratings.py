"""Ratings of players from the ranks of their games, with the uncertainty, by `openskill` (Weng and Lin)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import NamedTuple


class Rating(NamedTuple):
    """The strength of a player, 25 at first, and half the width of its 95 % interval (two sigma)."""

    strength: float
    doubt: float


class RankedGame(NamedTuple):
    """A game that was played: its players, and the rank of each (less is better)."""

    players: Sequence[str]
    ranks: Sequence[float]


def rate_players(games: Iterable[RankedGame]) -> dict[str, Rating]:
    """The rating of each player, from games in their order. Empty for a single player, or without the extra `bots`.

    A player at several seats gets the mean of their new ratings.
    """
    try:
        from openskill.models import PlackettLuce
    except ImportError:
        return {}
    games = list(games)
    players = dict.fromkeys(player for game in games for player in game.players)
    if len(players) < 2:
        return {}
    model = PlackettLuce()
    ratings = {player: model.rating(name=player) for player in players}
    for game in games:
        teams = [[model.create_rating([ratings[name].mu, ratings[name].sigma], name)] for name in game.players]
        rated_teams = model.rate(teams, ranks=[*map(float, game.ranks)])
        for player in dict.fromkeys(game.players):
            new_ratings = [team[0] for team, name in zip(rated_teams, game.players, strict=True) if name == player]
            mu, sigma = (
                fmean(rating.mu for rating in new_ratings),
                fmean(rating.sigma for rating in new_ratings),
            )
            ratings[player] = model.create_rating([mu, sigma], player)
    return {player: Rating(rating.mu, 2 * rating.sigma) for player, rating in ratings.items()}
