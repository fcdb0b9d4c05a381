"""What is done in a league: open it, enter, pair rounds, record results, and show it.

A round and its games are stored in one transaction, so no round is half begun. Results are taken from the games: a
league never says how a game ended, except by a correction.

In other words: use cases, process manager.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from event_store import ConflictError, Entry
from zimcore.documents.leagues import (
    LeagueAnswer,
    LeagueChange,
    LeagueEventText,
    LeagueInfo,
    LeagueRound,
    LeagueStanding,
    LeagueTable,
    NewLeague,
)
from zimcore.game import Game, GameError, OptionError, Outcome, Seat, UnknownError
from zimcore.service import line_projections, listing
from zimcore.service.clocks import clocks_on
from zimcore.service.deciding import PendingCommit, set_up
from zimcore.service.league import (
    League,
    LeagueClosed,
    LeagueEvent,
    LeagueOpened,
    PairedTable,
    PlayerEntered,
    PlayerWithdrew,
    ResultCorrected,
    ResultRecorded,
    RoundClosed,
    RoundPaired,
    Season,
    sizes_text,
)
from zimcore.service.line_repository import LineRepository
from zimcore.service.memberships import GameHosted, MemberEvent, TermsSet
from zimcore.service.names import CATALOGUE, BotSeated, GameNamed, LeagueNamed, Names, check_free
from zimcore.service.naming import first_entries
from zimcore.service.pairings import pair_round
from zimcore.service.places import check_name
from zimcore.service.terms import change_terms, term_texts
from zimcore.service.visibility import SPECTATOR, TABLE, state_for
from zimcore.service.writer import Writer, WriteRequest
from zimcore.toolkit.ratings import Ranks, rate


def open_league(writer: Writer, lines: LineRepository, given: NewLeague, host: str, request: WriteRequest) -> None:
    """Opens a league; with a `host` its games are served. Raises `OptionError` for options that fit no table."""
    terms = change_terms(TermsSet(), {key: text for key, text in (("pace", given.pace), ("bank", given.bank)) if text})
    least, most = sizes_in(given.seats)
    opened = LeagueOpened(
        given.name,
        given.kind,
        given.options,
        given.pairing,
        least,
        most,
        given.rounds,
        host,
        given.public,
        terms.pace,
        terms.bank,
    )
    check_name(given.name)
    Season().check(opened)
    game = lines.load(given.kind)
    for players in range(least, most + 1):
        check_table(game, opened, players)
    store, stream = writer.store, writer.ids()
    while True:
        catalogue = lines.catalogue()
        if catalogue.earlier_entry(request.by, request.key):
            return
        check_free(given.name, catalogue.leagues, "league")
        named = writer.draft([LeagueNamed(given.name, stream)], request.by, key=request.key)
        try:
            listed = store.seal_entry(CATALOGUE, catalogue.revision, named)
            store.adopt([writer.first(stream, [opened], request.by), listed])
            return
        except ConflictError:
            continue  # another game or league has begun


def sizes_in(text: str) -> tuple[int, int]:
    """The least and the most players at a table: `2`, `3..4`. Raises `OptionError`.

    >>> sizes_in("3..4"), sizes_in("2")
    ((3, 4), (2, 2))
    """
    least, dots, most = text.partition("..")
    numbers = [least, most] if dots else [least]
    if not all(each.isascii() and each.isdigit() and len(each) < 3 for each in numbers):
        raise OptionError(f"seats={text}", "these are the players at a table", ["seats=2", "seats=3..4"])
    return int(least), int(numbers[-1])


def options_for(game: Game, opened: LeagueOpened, players: int) -> dict[str, str]:
    """The options of a game of the league at a table of so many players."""
    return {**opened.options, **({"players": str(players)} if "players" in game.rules.OPTIONS else {})}


def check_table(game: Game, opened: LeagueOpened, players: int) -> None:
    """Raises `OptionError` for options that the game does not take, or that give it another number of players."""
    if (seed := opened.options.get("seed")) is not None:
        raise OptionError(f"seed={seed}", "each game of a league is dealt anew", [f"league open {opened.name}"])
    if (count := opened.options.get("players")) is not None:
        try_ = f"league open {opened.name} seats={count}"
        raise OptionError(f"players={count}", "the players at a table of a league are its seats", [try_])
    if "components" in opened.options and opened.host:
        raise OptionError("a file can't be named here", "the server would read its own file of that name")
    seated = len(game.evolution.seats(set_up(game, options_for(game, opened, players)).state))
    if seated != players:
        raise OptionError(f"seats={players}", f"{game.title} is played by {seated} here", [f"seats={seated}"])


def change(
    writer: Writer, lines: LineRepository, name: str, league_change: LeagueChange, request: WriteRequest
) -> None:
    """Changes a league. Raises `GameError` for a change that can't follow."""
    if league_change.what == "pair":
        pair(writer, lines, name, league_change.seed, request)
        return

    def choose(league: League) -> Sequence[LeagueEvent]:
        events = _events_of(lines, league.season, league_change, request.by)
        league.season.after_all(events)
        return events

    writer.append_chosen(lambda: lines.league(name), choose, request.by, request.key)


def _events_of(lines: LineRepository, season: Season, league_change: LeagueChange, by: str) -> Sequence[LeagueEvent]:
    match league_change.what:
        case "enter":
            return [PlayerEntered(league_change.player or by, league_change.bot)]
        case "withdraw":
            return [PlayerWithdrew(league_change.player or by)]
        case "correct":
            return closing(season, [ResultCorrected(league_change.game, league_change.ranks, league_change.why)])
        case "close":
            return [*closing(season, results(lines, season)), LeagueClosed()]
        case _:
            outcomes = results(lines, season)
            if not outcomes:
                if season.open_tables:
                    raise season.unfinished_error()
                why, name = "every game of the league has a result", season.terms.name
                raise GameError("there is nothing to record", why, [f"league pair {name}", f"league close {name}"])
            return closing(season, outcomes)


def closing(season: Season, events: Sequence[LeagueEvent]) -> list[LeagueEvent]:
    """The events, and the one that closes the round if they bring the last of its results."""
    after = season.after_all(events)
    number = len(after.rounds)
    is_done = number > after.closed_rounds and not after.open_tables
    return [*events, *([RoundClosed(number)] if is_done else [])]


def results(lines: LineRepository, season: Season) -> list[LeagueEvent]:
    """The results of the games that are over and have none, as the games say themselves."""
    outcomes = (result_of(lines, table) for table in season.open_tables)
    return [result for result in outcomes if result]


def result_of(lines: LineRepository, table: PairedTable) -> ResultRecorded | None:
    """The result of a game, at the head of the line that all play; None while it goes on, or if it is gone."""
    if not is_there(lines.catalogue(), table):
        return None
    names = lines.names(table.game)
    if not names.lines:
        return None
    line = lines.line(table.game)
    state = line.states.state_at(line.line.head)
    outcome, ended = line.game.evolution.outcome(state), names.members.ended
    if not outcome.over:
        if not ended:
            return None
        # Cards stay hidden in a game that its players ended, so it counts as all players see it.
        outcome = line.game.evolution.outcome(state_for(line.game, state, SPECTATOR))
    ranks = {table.by_seat[seat]: rank for seat, rank in ranks_in(outcome, table.seats).items()}
    scores = {player: outcome.scores.get(seat) for seat, player in table.by_seat.items()}
    return ResultRecorded(table.game, ranks, scores, line.line.head, not line.game.evolution.outcome(state).over)


def ranks_in(outcome: Outcome, seats: Sequence[Seat]) -> dict[Seat, int]:
    """The rank of each seat: 1 is first, and after two firsts comes 3. Seats that are not ranked share the last one.

    >>> ranks_in(Outcome(True, (("ann", "ben"), ("cem",))), ["ann", "ben", "cem", "dia"])
    {'ann': 1, 'ben': 1, 'cem': 3, 'dia': 4}
    """
    ranked = {seat for tied in outcome.ranking for seat in tied}
    groups = [*outcome.ranking, tuple(seat for seat in seats if seat not in ranked)]
    ranks, behind = dict[Seat, int](), 1
    for tied in groups:
        ranks |= dict.fromkeys(tied, behind)
        behind += len(tied)
    return {seat: ranks[seat] for seat in seats}


class TableToBegin(NamedTuple):
    """A table before its game has a name: the first commit of the game, and the player at each seat."""

    begun: PendingCommit
    seats: tuple[Seat, ...]
    players: tuple[str, ...]


def pair(writer: Writer, lines: LineRepository, name: str, seed: int | None, request: WriteRequest) -> None:
    """Records what is over, pairs the next round, and begins its games, in one transaction."""
    chosen = secrets.randbits(32) if seed is None else seed
    while True:
        league = lines.league(name)
        if league.earlier_entry(request.by, request.key):
            return
        before = closing(league.season, results(lines, league.season))
        season = league.season.after_all(before)
        game, opened = lines.load(season.terms.kind), season.terms
        if season.open_tables:
            raise season.unfinished_error()
        points = {each.player: float(each.points) for each in season.standings()}
        sizes = (opened.least, opened.most)
        paired = pair_round(
            opened.system, season.active, season.pairings, points, sizes, chosen, season.schedule or season.active
        )
        tables = [table_to_begin(game, opened, players) for players in paired.tables]
        try:
            entries, named = _games(writer, lines, season, tables, request.by)
            paired_round = RoundPaired(len(season.rounds) + 1, chosen, tuple(named), paired.byes)
            after = [*before, *closing(season, [paired_round])]
            drafted = writer.draft(after, request.by, key=request.key)
            writer.store.adopt([*entries, writer.store.seal_entry(league.stream, league.revision, drafted)])
            return
        except ConflictError:
            continue  # another game has begun, or another writer has changed the league


def table_to_begin(game: Game, opened: LeagueOpened, players: tuple[str, ...]) -> TableToBegin:
    """Sets a table up for its players, who sit in this order."""
    start = set_up(game, options_for(game, opened, len(players)))
    return TableToBegin(start, tuple(game.evolution.seats(start.state)), players)


def _games(
    writer: Writer, lines: LineRepository, season: Season, tables: Sequence[TableToBegin], by: str
) -> tuple[list[Entry], list[PairedTable]]:
    """The first entries of the games of a round, with their names in the catalogue; and the tables with those names."""
    opened, number, catalogue = season.terms, len(season.rounds) + 1, lines.catalogue()
    served: list[MemberEvent] = [GameHosted(opened.host, opened.public)] if opened.host else []
    served += [TermsSet(pace=opened.pace, bank=opened.bank)] if opened.pace else []
    entries, named, taken = list[Entry](), list[PairedTable](), {*catalogue.taken_names}
    for at, table in enumerate(tables, 1):
        sitting = zip(table.seats, table.players, strict=True)
        bots = [BotSeated(seat, bot) for seat, each in sitting if (bot := season.entrants[each].bot)]
        stream, first = first_entries(writer, table.begun, [*bots, *served], [], by)
        name = f"{opened.name}-r{number}-t{at}"
        if name in taken:
            why = "it is the name of a game of this round"
            raise UnknownError(f"there is a game called {name} already", why, [f"show {name}", "league open NAME"])
        entries += first
        named.append(PairedTable(name, stream, table.seats, table.players))
    names = [GameNamed(table.game, opened.kind, table.stream) for table in named]
    listed = writer.store.seal_entry(CATALOGUE, catalogue.revision, writer.draft(names, by))
    return [*entries, listed], named


def infos(lines: LineRepository) -> Sequence[LeagueInfo]:
    """The leagues, oldest first."""
    seasons = (league.season for league in lines.read_leagues(lines.catalogue().leagues))
    return [
        LeagueInfo(
            season.terms.name,
            season.terms.kind,
            season.terms.system,
            len(season.entrants),
            len(season.rounds),
            season.planned_rounds_count,
            season.terms.host,
            season.terms.public,
            season.closed,
        )
        for season in seasons
    ]


def answer(lines: LineRepository, name: str) -> LeagueAnswer:
    """A league with its standings, rounds and history."""
    league = lines.league(name)
    season, opened = league.season, league.season.terms
    games = current_games(lines, season)
    due = deadlines(lines, league, games)
    return LeagueAnswer(
        name=name,
        kind=opened.kind,
        options=opened.options,
        pairing=opened.system,
        seats=sizes_text(opened),
        paired=len(season.rounds),
        planned=season.planned_rounds_count,
        host=opened.host,
        public=opened.public,
        closed=season.closed,
        standings=standings(season),
        rounds=tuple(
            LeagueRound(
                each.number,
                each.seed,
                tuple(
                    table_document(season, table, is_changed(season, table, games), due.get(table.game))
                    for table in each.tables
                ),
                each.byes,
                each.number <= season.closed_rounds,
            )
            for each in season.rounds
        ),
        history=tuple(LeagueEventText(note.at, note.by, note.text) for note in league.notes),
        terms=term_texts(TermsSet(pace=opened.pace, bank=opened.bank)),
    )


def standings(season: Season) -> tuple[LeagueStanding, ...]:
    """The standings with ratings, which count the games in the order of their rounds."""
    counted = [ranks for game in season.tables if (ranks := season.ranks_of(game))]
    rated = rate(Ranks([*ranks], [*ranks.values()]) for ranks in counted)
    return tuple(
        LeagueStanding(
            each.player,
            each.place,
            float(each.points),
            each.wins,
            float(each.opposition),
            each.games,
            rating.strength if rating else None,
            rating.doubt if rating else None,
            season.entrants[each.player].bot,
            season.entrants[each.player].withdrawn,
        )
        for each in season.standings()
        for rating in (rated.get(each.player),)
    )


def table_document(season: Season, table: PairedTable, changed: bool, due: datetime | None) -> LeagueTable:
    """A table of a round. While its game goes on it says only who plays: what is hidden there stays hidden."""
    recorded, corrected = season.results.get(table.game), season.corrections.get(table.game)
    return LeagueTable(
        table.game,
        table.by_seat,
        season.ranks_of(table.game),
        recorded.scores if recorded else {},
        recorded.commit.hex() if recorded else "",
        bool(recorded and recorded.ended),
        corrected.why if corrected else "",
        changed,
        due,
    )


class CurrentGame(NamedTuple):
    """A game of a league as it is now: the names of its lines, and the digest at the head of the line that all play."""

    names: Names
    head: bytes


def current_games(lines: LineRepository, season: Season) -> Mapping[str, CurrentGame]:
    """The games of a league that are in the store, by name. They are read from projections: none is replayed."""
    catalogue = lines.intact()[0]
    streams = {table.stream: name for name, table in season.tables.items() if is_there(catalogue, table)}
    names = line_projections.load_names(lines.store, streams).values()
    line_of = {each.match: each.lines.get(each.first, "") for each in names}
    listed = listing.begin(lines, dict.fromkeys(line_of.values(), season.terms.kind), TABLE)
    games = {
        each.match: CurrentGame(each, listed.summary(each.match, each.first, line_of[each.match]).head)
        for each in names
    }
    lines.store.project(listed.made)
    return games


def deadlines(lines: LineRepository, league: League, games: Mapping[str, CurrentGame]) -> Mapping[str, datetime | None]:
    """When the time of a player to move ends, by game, for games that go on. Only those that moved on are replayed."""
    if not league.season.terms.pace:
        return {}
    before, current = league.deadlines, [game for each in league.season.open_tables if (game := games.get(each.game))]
    league.deadlines = {
        (key := (game.names.stream, game.names.revision, game.head)): before[key]
        if key in before
        else deadline(lines, game.names)
        for game in current
    }
    return {game.names.match: due for game, due in zip(current, league.deadlines.values(), strict=True)}


def deadline(lines: LineRepository, names: Names) -> datetime | None:
    """When the time of a player to move in a game ends; None without a clock, or if the game is shown with a delay."""
    members = names.members
    if not members.paced or members.ended or members.terms.behind or members.terms.behind_moves:
        return None
    clocks = clocks_on(lines.line(names.match), members)
    return min((clock.due for clock in clocks.values()), default=None)


def is_there(catalogue: Names, table: PairedTable) -> bool:
    """Whether the game of a table is in the store under the name that it was paired with."""
    named = catalogue.games.get(table.game)
    return named is not None and named.game == table.stream


def is_changed(season: Season, table: PairedTable, games: Mapping[str, CurrentGame]) -> bool:
    """Whether the game of a table is gone, or not at the commit that was recorded."""
    game, result = games.get(table.game), season.results.get(table.game)
    return game is None or bool(result and game.head != result.commit)
