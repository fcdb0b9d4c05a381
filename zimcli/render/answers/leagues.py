"""Renders leagues: standings, rounds and lists."""

from __future__ import annotations

from collections.abc import Iterator

from zimcli.render.answers import Renderers
from zimcli.render.spans import Block, Note, Screen, Sheet
from zimcore.documents.leagues import LeagueAnswer, LeaguesAnswer, LeagueStanding, LeagueTable
from zimcore.game import Table
from zimcore.toolkit.words import numbered


def league_blocks(answer: LeagueAnswer, _: Screen) -> Iterator[Block]:
    """The standings, and the rounds with their games."""
    terms_text = "".join(f", {key}={text}" for key, text in answer.terms.items())
    yield [
        (answer.name, "bold"),
        (f"  {answer.kind}, {answer.pairing}, tables of {answer.seats}{terms_text}, {progress_text(answer)}", ""),
    ]
    has_ratings = any(standing.rating is not None for standing in answer.standings)
    headings = ("place", "player", "points", "wins", "opposition", "games", "rating")
    rows = tuple(
        (
            *(
                str(standing.place),
                entrant_text(standing),
                f"{standing.points:.4g}",
                str(standing.wins),
            ),
            *(f"{standing.opposition:.4g}", str(standing.games)),
            "" if standing.rating is None else f"{standing.rating:.1f} ± {standing.doubt or 0:.1f}",
        )
        for standing in answer.standings
    )
    if rows:
        yield Sheet(
            Table(
                "", headings if has_ratings else headings[:-1], rows if has_ratings else tuple(row[:-1] for row in rows)
            )
        )
    for league_round in answer.rounds:
        yield [
            (f"round {league_round.number}", "bold"),
            (f"  bye: {', '.join(league_round.byes)}" if league_round.byes else "", "dim"),
        ]
        for table in league_round.tables:
            yield [(f"  {table.game}  ", ""), (", ".join(player_at_seat(table, seat) for seat in table.seats), "")]
            yield from ([(f"    {remark}", "dim")] for remark in table.remarks)


def progress_text(answer: LeagueAnswer) -> str:
    """How far the season is."""
    return "closed" if answer.closed else f"{answer.paired} of {numbered(answer.planned, 'round')} paired"


def entrant_text(standing: LeagueStanding) -> str:
    """A player as the standings list them, with the program that plays."""
    bot_note = f" ({standing.bot})" if standing.bot else ""
    return standing.player + bot_note + ", withdrawn" * standing.withdrawn


def player_at_seat(table: LeagueTable, seat: str) -> str:
    """A player at a seat, with their rank if there is a result: `1. anna (kilwa)`."""
    player = table.seats[seat]
    return (f"{table.ranks[player]}. " if table.ranks else "") + f"{player} ({seat})"


def leagues_blocks(answer: LeaguesAnswer, _: Screen) -> Iterator[Block]:
    """The leagues, one per line."""
    rows = tuple(
        (
            league.name,
            league.kind,
            league.pairing,
            str(league.players),
            f"{league.paired} of {league.planned}",
            "closed" * league.closed,
        )
        for league in answer.leagues
    )
    if rows:
        yield Sheet(Table("", ("league", "game", "pairing", "players", "rounds", ""), rows))
    else:
        yield Note("there are no leagues yet; try: zim league open cup")


RENDERERS: Renderers = {LeagueAnswer: league_blocks, LeaguesAnswer: leagues_blocks}
