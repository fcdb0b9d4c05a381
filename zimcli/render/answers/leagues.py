"""Renders leagues: standings, rounds and lists."""

from __future__ import annotations

from collections.abc import Iterator

from zimcli.render.answers import Renderers
from zimcli.render.spans import Block, Note, Screen, Sheet
from zimcore.documents.leagues import LeagueAnswer, LeaguesAnswer, LeagueStanding, LeagueTable
from zimcore.game import Table
from zimcore.toolkit.words import numbered


def league(answer: LeagueAnswer, _: Screen) -> Iterator[Block]:
    """The standings, and the rounds with their games."""
    terms = "".join(f", {key}={text}" for key, text in answer.terms.items())
    yield [
        (answer.name, "bold"),
        (f"  {answer.kind}, {answer.pairing}, tables of {answer.seats}{terms}, {progress(answer)}", ""),
    ]
    has_ratings = any(each.rating is not None for each in answer.standings)
    heads = ("place", "player", "points", "wins", "opposition", "games", "rating")
    rows = tuple(
        (
            *(str(each.place), entrant(each), f"{each.points:.4g}", str(each.wins)),
            *(f"{each.opposition:.4g}", str(each.games)),
            "" if each.rating is None else f"{each.rating:.1f} ± {each.doubt or 0:.1f}",
        )
        for each in answer.standings
    )
    if rows:
        yield Sheet(
            Table("", heads if has_ratings else heads[:-1], rows if has_ratings else tuple(row[:-1] for row in rows))
        )
    for each in answer.rounds:
        yield [(f"round {each.number}", "bold"), (f"  bye: {', '.join(each.byes)}" if each.byes else "", "dim")]
        for table in each.tables:
            yield [(f"  {table.game}  ", ""), (", ".join(player_at_seat(table, seat) for seat in table.seats), "")]
            yield from ([(f"    {remark}", "dim")] for remark in table.remarks)


def progress(answer: LeagueAnswer) -> str:
    """How far the season is."""
    return "closed" if answer.closed else f"{answer.paired} of {numbered(answer.planned, 'round')} paired"


def entrant(standing: LeagueStanding) -> str:
    """A player as the standings list them, with the program that plays."""
    bot = f" ({standing.bot})" if standing.bot else ""
    return standing.player + bot + ", withdrawn" * standing.withdrawn


def player_at_seat(table: LeagueTable, seat: str) -> str:
    """A player at a seat, with their rank if there is a result: `1. anna (kilwa)`."""
    player = table.seats[seat]
    return (f"{table.ranks[player]}. " if table.ranks else "") + f"{player} ({seat})"


def leagues(answer: LeaguesAnswer, _: Screen) -> Iterator[Block]:
    """The leagues, one per line."""
    rows = tuple(
        (
            each.name,
            each.kind,
            each.pairing,
            str(each.players),
            f"{each.paired} of {each.planned}",
            "closed" * each.closed,
        )
        for each in answer.leagues
    )
    if rows:
        yield Sheet(Table("", ("league", "game", "pairing", "players", "rounds", ""), rows))
    else:
        yield Note("there are no leagues yet; try: zim league open cup")


RENDERERS: Renderers = {LeagueAnswer: league, LeaguesAnswer: leagues}
