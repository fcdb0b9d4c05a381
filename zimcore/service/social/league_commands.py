"""Commands of a league: open it, enter, pair rounds, record results, and show it.

A round and its games are stored in one transaction, so no round is half begun. Results are taken from the games: a
league never says how a game ended, except by a correction.

In other words: use cases, process manager.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from msgspec.structs import replace

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
from zimcore.service.lines import line_projections
from zimcore.service.lines.clocks import clocks_of_line
from zimcore.service.lines.line_repository import LineRepository
from zimcore.service.lines.visibility import SPECTATOR, TABLE, state_for
from zimcore.service.records.deciding import PendingCommit, set_up
from zimcore.service.records.league import (
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
from zimcore.service.records.memberships import GameHosted, MemberEvent, TermsSet
from zimcore.service.records.names import CATALOGUE, BotSeated, GameNamed, LeagueNamed, Names, check_name_is_free
from zimcore.service.records.pairings import pair_round
from zimcore.service.records.places import check_name
from zimcore.service.records.terms import changed_terms, term_texts
from zimcore.service.writing import listing
from zimcore.service.writing.naming import first_entries
from zimcore.service.writing.writer import Writer, WriteRequest
from zimcore.toolkit.ratings import RankedGame, rate_players


def open_league(
    writer: Writer, repository: LineRepository, new_league: NewLeague, host: str, request: WriteRequest
) -> None:
    """Opens a league; with a `host` its games are served. Raises `OptionError` if the game refuses its options."""
    terms = changed_terms(
        TermsSet(), {key: text for key, text in (("pace", new_league.pace), ("bank", new_league.bank)) if text}
    )
    min_players, max_players = parse_player_range(new_league.seats)
    opening = LeagueOpened(
        new_league.name,
        new_league.kind,
        new_league.options,
        new_league.pairing,
        min_players,
        max_players,
        new_league.rounds,
        host,
        new_league.public,
        terms.pace,
        terms.bank,
    )
    check_name(new_league.name)
    Season().check(opening)
    game = repository.load_game(new_league.kind)
    for player_count in range(min_players, max_players + 1):
        check_table_options(game, opening, player_count)
    store, stream = writer.store, writer.ids()
    while True:
        catalogue = repository.catalogue()
        if catalogue.earlier_entry(request.by, request.key):
            return
        check_name_is_free(new_league.name, catalogue.leagues, "league")
        naming_draft = writer.draft([LeagueNamed(new_league.name, stream)], request.by, key=request.key)
        try:
            catalogue_entry = store.seal_entry(CATALOGUE, catalogue.revision, naming_draft)
            store.adopt([writer.first_entry(stream, [opening], request.by), catalogue_entry])
            return
        except ConflictError:
            continue  # another game or league has begun


def parse_player_range(text: str) -> tuple[int, int]:
    """The least and the most players at a table: `2`, `3..4`. Raises `OptionError`.

    >>> parse_player_range("3..4"), parse_player_range("2")
    ((3, 4), (2, 2))
    """
    min_players, dots, max_players = text.partition("..")
    size_texts = [min_players, max_players] if dots else [min_players]
    if not all(each.isascii() and each.isdigit() and len(each) < 3 for each in size_texts):
        raise OptionError(f"seats={text}", "give the number of players at a table", ["seats=2", "seats=3..4"])
    return int(min_players), int(size_texts[-1])


def options_for(game: Game, opening: LeagueOpened, player_count: int) -> dict[str, str]:
    """The options of a game of the league for this number of players."""
    return {**opening.options, **({"players": str(player_count)} if "players" in game.rules.OPTIONS else {})}


def check_table_options(game: Game, opening: LeagueOpened, player_count: int) -> None:
    """Raises `OptionError` for options that the game does not take, or that give it another number of players."""
    if (seed := opening.options.get("seed")) is not None:
        raise OptionError(f"seed={seed}", "each game of a league is dealt anew", [f"league open {opening.name}"])
    if (players_option := opening.options.get("players")) is not None:
        hint = f"league open {opening.name} seats={players_option}"
        raise OptionError(f"players={players_option}", "in a league this option is called seats", [hint])
    if "components" in opening.options and opening.host:
        raise OptionError("a file can't be named here", "the server would read its own file of that name")
    seat_count = len(game.evolution.seats(set_up(game, options_for(game, opening, player_count)).state))
    if seat_count != player_count:
        raise OptionError(
            f"seats={player_count}", f"{game.title} is played by {seat_count} here", [f"seats={seat_count}"]
        )


def change_league(
    writer: Writer, repository: LineRepository, name: str, league_change: LeagueChange, request: WriteRequest
) -> None:
    """Changes a league. Raises `GameError` for a change that is not possible now."""
    if league_change.what == "pair":
        pair_next_round(writer, repository, name, league_change.seed, request)
        return

    def make_events(league: League) -> Sequence[LeagueEvent]:
        events = _events_of_change(repository, league.season, league_change, request.by)
        league.season.after_all(events)
        return events

    writer.append_from_fold(lambda: repository.league(name), make_events, request.by, request.key)


def _events_of_change(
    repository: LineRepository, season: Season, league_change: LeagueChange, author: str
) -> Sequence[LeagueEvent]:
    match league_change.what:
        case "enter":
            return [PlayerEntered(league_change.player or author, league_change.bot)]
        case "withdraw":
            return [PlayerWithdrew(league_change.player or author)]
        case "correct":
            return with_closing_if_over(
                season, [ResultCorrected(league_change.game, league_change.ranks, league_change.why)]
            )
        case "close":
            return [*with_closing_if_over(season, new_results(repository, season)), LeagueClosed()]
        case _:  # record
            results = new_results(repository, season)
            if not results:
                if season.open_tables:
                    raise season.unfinished_error()
                why, name = "every game of the league has a result", season.opening.name
                raise GameError("there is nothing to record", why, [f"league pair {name}", f"league close {name}"])
            return with_closing_if_over(season, results)


def with_closing_if_over(season: Season, events: Sequence[LeagueEvent]) -> list[LeagueEvent]:
    """The events, and the one that closes the round if they bring the last of its results."""
    season_after = season.after_all(events)
    number = len(season_after.rounds)
    is_round_over = number > season_after.closed_rounds and not season_after.open_tables
    return [*events, *([RoundClosed(number)] if is_round_over else [])]


def new_results(repository: LineRepository, season: Season) -> list[LeagueEvent]:
    """The results of finished games that the league has not recorded yet, read from the games."""
    results_or_none = (result_of(repository, table) for table in season.open_tables)
    return [result for result in results_or_none if result]


def result_of(repository: LineRepository, table: PairedTable) -> ResultRecorded | None:
    """The result on the first line of a game; None if the game is not over or was removed."""
    if not has_game_of(repository.catalogue(), table):
        return None
    game_names = repository.names(table.game)
    if not game_names.lines:
        return None
    loaded_line = repository.line(table.game)
    state = loaded_line.states.state_at(loaded_line.line.head)
    outcome, was_ended = loaded_line.game.evolution.outcome(state), game_names.members.ended
    if not outcome.over:
        if not was_ended:
            return None
        # Cards stay hidden in a game that its players ended, so it counts as all players see it.
        outcome = loaded_line.game.evolution.outcome(state_for(loaded_line.game, state, SPECTATOR))
        if winner := game_names.members.decided_for:
            others = (tuple(seat for seat in rank if seat != winner) for rank in outcome.ranking)
            outcome = replace(outcome, ranking=((winner,), *filter(None, others)))
    ranks = {table.by_seat[seat]: rank for seat, rank in ranks_in(outcome, table.seats).items()}
    scores = {player: outcome.scores.get(seat) for seat, player in table.by_seat.items()}
    return ResultRecorded(
        table.game, ranks, scores, loaded_line.line.head, not loaded_line.game.evolution.outcome(state).over
    )


def ranks_in(outcome: Outcome, seats: Sequence[Seat]) -> dict[Seat, int]:
    """The rank of each seat: 1 is first, and after two firsts comes 3. Seats that are not ranked share the last one.

    >>> ranks_in(Outcome(True, (("ann", "ben"), ("cem",))), ["ann", "ben", "cem", "dia"])
    {'ann': 1, 'ben': 1, 'cem': 3, 'dia': 4}
    """
    ranked_seats = {seat for tied_seats in outcome.ranking for seat in tied_seats}
    groups = [*outcome.ranking, tuple(seat for seat in seats if seat not in ranked_seats)]
    ranks, next_rank = dict[Seat, int](), 1
    for tied_seats in groups:
        ranks |= dict.fromkeys(tied_seats, next_rank)
        next_rank += len(tied_seats)
    return {seat: ranks[seat] for seat in seats}


class TableToBegin(NamedTuple):
    """A table before its game has a name: the first commit of the game, and the player at each seat."""

    first_commit: PendingCommit
    seats: tuple[Seat, ...]
    players: tuple[str, ...]


def pair_next_round(
    writer: Writer, repository: LineRepository, name: str, seed: int | None, request: WriteRequest
) -> None:
    """Records what is over, pairs the next round, and begins its games, in one transaction."""
    chosen_seed = secrets.randbits(32) if seed is None else seed
    while True:
        league = repository.league(name)
        if league.earlier_entry(request.by, request.key):
            return
        result_events = with_closing_if_over(league.season, new_results(repository, league.season))
        season = league.season.after_all(result_events)
        game, opening = repository.load_game(season.opening.kind), season.opening
        if season.open_tables:
            raise season.unfinished_error()
        points = {each.player: float(each.points) for each in season.standings()}
        sizes = (opening.least, opening.most)
        pairing = pair_round(
            opening.system,
            season.active_players,
            season.pairings,
            points,
            sizes,
            chosen_seed,
            season.scheduled_players or season.active_players,
        )
        tables = [table_to_begin(game, opening, players) for players in pairing.tables]
        try:
            entries, named_tables = _first_entries_of_games(writer, repository, season, tables, request.by)
            round_paired = RoundPaired(len(season.rounds) + 1, chosen_seed, tuple(named_tables), pairing.byes)
            league_events = [*result_events, *with_closing_if_over(season, [round_paired])]
            draft = writer.draft(league_events, request.by, key=request.key)
            writer.store.adopt([*entries, writer.store.seal_entry(league.stream, league.revision, draft)])
            return
        except ConflictError:
            continue  # another game has begun, or another writer has changed the league


def table_to_begin(game: Game, opening: LeagueOpened, players: tuple[str, ...]) -> TableToBegin:
    """Sets a table up for its players, who sit in this order."""
    first_commit = set_up(game, options_for(game, opening, len(players)))
    return TableToBegin(first_commit, tuple(game.evolution.seats(first_commit.state)), players)


def _first_entries_of_games(
    writer: Writer, repository: LineRepository, season: Season, tables: Sequence[TableToBegin], author: str
) -> tuple[list[Entry], list[PairedTable]]:
    """The first entries of the games of a round, with their names in the catalogue; and the tables with those names."""
    opening, round_number, catalogue = season.opening, len(season.rounds) + 1, repository.catalogue()
    member_events: list[MemberEvent] = [GameHosted(opening.host, opening.public)] if opening.host else []
    member_events += [TermsSet(pace=opening.pace, bank=opening.bank)] if opening.pace else []
    entries, named_tables, taken_names = list[Entry](), list[PairedTable](), {*catalogue.taken_names}
    for table_number, table in enumerate(tables, 1):
        players_at_seats = zip(table.seats, table.players, strict=True)
        bot_events = [BotSeated(seat, bot) for seat, each in players_at_seats if (bot := season.entrants[each].bot)]
        stream, entries_of_game = first_entries(writer, table.first_commit, [*bot_events, *member_events], [], author)
        name = f"{opening.name}-r{round_number}-t{table_number}"
        if name in taken_names:
            why = "it is the name of a game of this round"
            raise UnknownError(f"there is a game called {name} already", why, [f"show {name}", "league open NAME"])
        entries += entries_of_game
        named_tables.append(PairedTable(name, stream, table.seats, table.players))
    name_events = [GameNamed(table.game, opening.kind, table.stream) for table in named_tables]
    catalogue_entry = writer.store.seal_entry(CATALOGUE, catalogue.revision, writer.draft(name_events, author))
    return [*entries, catalogue_entry], named_tables


def league_infos(repository: LineRepository) -> Sequence[LeagueInfo]:
    """The leagues, oldest first."""
    seasons = (league.season for league in repository.read_leagues(repository.catalogue().leagues))
    return [
        LeagueInfo(
            season.opening.name,
            season.opening.kind,
            season.opening.system,
            len(season.entrants),
            len(season.rounds),
            season.planned_round_count,
            season.opening.host,
            season.opening.public,
            season.closed,
        )
        for season in seasons
    ]


def league_answer(repository: LineRepository, name: str) -> LeagueAnswer:
    """A league with its standings, rounds and history."""
    league = repository.league(name)
    season, opening = league.season, league.season.opening
    games = current_games(repository, season)
    deadlines_by_game = game_deadlines(repository, league, games)
    return LeagueAnswer(
        name=name,
        kind=opening.kind,
        options=opening.options,
        pairing=opening.system,
        seats=sizes_text(opening),
        paired=len(season.rounds),
        planned=season.planned_round_count,
        host=opening.host,
        public=opening.public,
        closed=season.closed,
        standings=rated_standings(season),
        rounds=tuple(
            LeagueRound(
                league_round.number,
                league_round.seed,
                tuple(
                    table_document(
                        season, table, has_game_changed(season, table, games), deadlines_by_game.get(table.game)
                    )
                    for table in league_round.tables
                ),
                league_round.byes,
                league_round.number <= season.closed_rounds,
            )
            for league_round in season.rounds
        ),
        history=tuple(LeagueEventText(note.at, note.by, note.text) for note in league.notes),
        terms=term_texts(TermsSet(pace=opening.pace, bank=opening.bank)),
    )


def rated_standings(season: Season) -> tuple[LeagueStanding, ...]:
    """The standings with ratings, which count the games in the order of their rounds."""
    ranks_of_games = [ranks for game in season.tables if (ranks := season.ranks_of(game))]
    ratings = rate_players(RankedGame([*ranks], [*ranks.values()]) for ranks in ranks_of_games)
    return tuple(
        LeagueStanding(
            standing.player,
            standing.place,
            float(standing.points),
            standing.wins,
            float(standing.opposition),
            standing.games,
            rating.strength if rating else None,
            rating.doubt if rating else None,
            season.entrants[standing.player].bot,
            season.entrants[standing.player].withdrawn,
        )
        for standing in season.standings()
        for rating in (ratings.get(standing.player),)
    )


def table_document(season: Season, table: PairedTable, has_changed: bool, deadline: datetime | None) -> LeagueTable:
    """A table of a round. While its game goes on it says only who plays: what is hidden there stays hidden."""
    result, correction = season.results.get(table.game), season.corrections.get(table.game)
    return LeagueTable(
        table.game,
        table.by_seat,
        season.ranks_of(table.game),
        result.scores if result else {},
        result.commit.hex() if result else "",
        bool(result and result.ended),
        correction.why if correction else "",
        has_changed,
        deadline,
    )


class CurrentGame(NamedTuple):
    """A game of a league as it is now: the names of its lines, and the digest at the head of its first line."""

    names: Names
    head: bytes


def current_games(repository: LineRepository, season: Season) -> Mapping[str, CurrentGame]:
    """The games of a league that are in the store, by name. They are read from projections: none is replayed."""
    catalogue = repository.readable_catalogue()[0]
    match_by_stream = {table.stream: name for name, table in season.tables.items() if has_game_of(catalogue, table)}
    names_of_games = line_projections.load_names(repository.store, match_by_stream).values()
    streams_by_match = {each.match: each.lines.get(each.first_line, "") for each in names_of_games}
    game_listing = listing.begin_listing(
        repository, dict.fromkeys(streams_by_match.values(), season.opening.kind), TABLE
    )
    games = {
        game_names.match: CurrentGame(
            game_names,
            game_listing.line_projection(
                game_names.match, game_names.first_line, streams_by_match[game_names.match]
            ).head,
        )
        for game_names in names_of_games
    }
    repository.store.store_projections(game_listing.new_projections)
    return games


def game_deadlines(
    repository: LineRepository, league: League, games: Mapping[str, CurrentGame]
) -> Mapping[str, datetime | None]:
    """When the time of a player to move ends, by unfinished game. Replays only games with a new head."""
    if not league.season.opening.pace:
        return {}
    known_deadlines = league.deadlines
    open_games = [game for each in league.season.open_tables if (game := games.get(each.game))]
    league.deadlines = {
        (key := (game.names.stream, game.names.revision, game.head)): known_deadlines[key]
        if key in known_deadlines
        else next_deadline(repository, game.names)
        for game in open_games
    }
    return {game.names.match: deadline for game, deadline in zip(open_games, league.deadlines.values(), strict=True)}


def next_deadline(repository: LineRepository, game_names: Names) -> datetime | None:
    """When the time of a player to move in a game ends; None without a clock, or if the game is shown with a delay."""
    members = game_names.members
    if not members.pace_start or members.ended or members.terms.behind or members.terms.behind_moves:
        return None
    clocks = clocks_of_line(repository.line(game_names.match), members)
    return min((clock.due for clock in clocks.values()), default=None)


def has_game_of(catalogue: Names, table: PairedTable) -> bool:
    """Whether the game of a table is in the store under the name that it was paired with."""
    named_game = catalogue.games.get(table.game)
    return named_game is not None and named_game.game == table.stream


def has_game_changed(season: Season, table: PairedTable, games: Mapping[str, CurrentGame]) -> bool:
    """Whether the game of a table is gone, or not at the commit that was recorded."""
    game, result = games.get(table.game), season.results.get(table.game)
    return game is None or bool(result and game.head != result.commit)
