"""A league: players, rounds of games, results and standings. Its events are in a stream of its own.

The stream is never edited: a wrong result is corrected by `ResultCorrected`, which counts instead of the recorded one
and says why. A league knows no rules: it counts who ended ahead of whom.

In other words: aggregate, tournament, season.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, assert_never, get_args

import msgspec
from msgspec.structs import replace

from event_store import Entry, Forms
from zimcore.documents.leagues import PairingSystem
from zimcore.game import Event, GameError, Seat, UnknownError
from zimcore.service.records.folds import Fold
from zimcore.service.records.person_names import check_name
from zimcore.service.records.places import suggest_names
from zimcore.toolkit.words import numbered

# Each command of Zim imports this module with the other events, and few need more of it.
if TYPE_CHECKING:
    from fractions import Fraction

    from zimcore.service.records.pairings import Pairing

MAX_PLAYERS = 128
"""The most players of a league."""
BYE_POINTS: Mapping[PairingSystem, float] = {"swiss": 1, "round-robin": 0.5}
"""The points of a bye: those of a won game in Swiss, and in a round robin half of them."""


class LeagueOpened(Event, frozen=True, tag="league_opened.1"):
    """A league opened: its game (`kind`) and options, how its rounds are paired, and the players at a table.

    `rounds` are those of the season, 0 for as many as the pairing needs. With a `host` its games are served: by that
    person, `public` or not, each turn with `pace` and `bank` (seconds).
    """

    name: str
    kind: str
    options: Mapping[str, str]
    system: PairingSystem
    least: int
    most: int
    rounds: int = 0
    host: str = ""
    public: bool = False
    pace: int = 0
    bank: int = 0


class PlayerEntered(Event, frozen=True, tag="player_entered.1"):
    """A player entered, or came back: a person, or the program `bot` under this name."""

    player: str
    bot: str = ""


class PlayerWithdrew(Event, frozen=True, tag="player_withdrew.1"):
    """A player gets no more games. Their results stay."""

    player: str


class PairedTable(msgspec.Struct, frozen=True):
    """A table of a round: its game, the stream of that game's names, its seats in order, and the player at each."""

    game: str
    stream: str
    seats: tuple[Seat, ...]
    players: tuple[str, ...]

    @property
    def by_seat(self) -> dict[Seat, str]:
        """The player at each seat."""
        return dict(zip(self.seats, self.players, strict=True))


class RoundPaired(Event, frozen=True, tag="round_paired.1"):
    """A round was paired, with this seed. Its games began in the same transaction."""

    number: int
    seed: int
    tables: tuple[PairedTable, ...]
    byes: tuple[str, ...] = ()


class ResultRecorded(Event, frozen=True, tag="result_recorded.1"):
    """The game at a table is over, as the game itself says: the rank and the score of each player (1 is first).

    `commit` is the digest of its last commit. `ended` says that its players ended it early.
    """

    game: str
    ranks: Mapping[str, int]
    scores: Mapping[str, int | None]
    commit: bytes
    ended: bool = False


class ResultCorrected(Event, frozen=True, tag="result_corrected.1"):
    """These ranks count for a game, instead of those recorded or of a game that is not over; `why` has the reason."""

    game: str
    ranks: Mapping[str, int]
    why: str


class RoundClosed(Event, frozen=True, tag="round_closed.1"):
    """All tables of a round have results."""

    number: int


class LeagueClosed(Event, frozen=True, tag="league_closed.1"):
    """The season is over: the standings are final."""


LeagueEvent: TypeAlias = (
    LeagueOpened
    | PlayerEntered
    | PlayerWithdrew
    | RoundPaired
    | ResultRecorded
    | ResultCorrected
    | RoundClosed
    | LeagueClosed
)
"""An event of a league. When you add one, mypy shows each `match` that needs a case for it."""


def forms() -> Forms:
    """The events of leagues, for the store."""
    return Forms(get_args(LeagueEvent))


def event_text(event: LeagueEvent) -> str:
    """An event in words."""
    match event:
        case LeagueOpened(kind=kind, system=system):
            return f"opened for {kind}, {system}, tables of {sizes_text(event)}"
        case PlayerEntered(player=player, bot=bot):
            return f"{player} entered" + (f", played by {bot}" if bot else "")
        case PlayerWithdrew(player=player):
            return f"{player} withdrew"
        case RoundPaired(number=number, seed=seed, tables=tables, byes=byes):
            byes_text = f", without {', '.join(byes)}" if byes else ""
            return f"round {number} paired with seed {seed}: {', '.join(each.game for each in tables)}{byes_text}"
        case ResultRecorded(game=game, ranks=ranks, ended=ended):
            return f"{game}{' ended early' * ended}: {ranks_text(ranks)}"
        case ResultCorrected(game=game, ranks=ranks, why=why):
            return f"{game} corrected: {ranks_text(ranks)}: {why}"
        case RoundClosed(number=number):
            return f"round {number} closed"
        case LeagueClosed():
            return "closed"
        case _:
            assert_never(event)


def sizes_text(opening: LeagueOpened) -> str:
    """The players at a table, as typed: `2`, `3..4`."""
    least, most = opening.least, opening.most
    return str(most) if least == most else f"{least}..{most}"


def ranks_text(ranks: Mapping[str, int]) -> str:
    """Ranks as typed, first player first: `anna=1 ben=2`."""
    return " ".join(f"{player}={rank}" for player, rank in sorted(ranks.items(), key=lambda each: each[::-1]))


class Entrant(NamedTuple):
    """A player: the program that plays under the name ("" for none), and how many rounds had been paired before."""

    bot: str
    rounds_before: int
    withdrawn: bool = False


class Standing(NamedTuple):
    """A player's place, and what decides it: points, then wins, then the points of all opponents (`opposition`).

    A table gives its players the share of the opponents behind them, ties counted half: from 1 to 0. A shared first
    place is a win.
    """

    player: str
    place: int
    points: Fraction
    wins: int
    opposition: Fraction
    games: int


class Season(msgspec.Struct, frozen=True):
    """The state of a league: who is in it, its rounds, the results and corrections by game."""

    opened: LeagueOpened | None = None
    entrants: Mapping[str, Entrant] = {}
    rounds: tuple[RoundPaired, ...] = ()
    results: Mapping[str, ResultRecorded] = {}
    corrections: Mapping[str, ResultCorrected] = {}
    closed_rounds: int = 0
    closed: bool = False

    @property
    def opening(self) -> LeagueOpened:
        """What the league was opened with."""
        assert self.opened, "the first event opens it"
        return self.opened

    @property
    def active_players(self) -> list[str]:
        """The players who get games, in the order in which they entered."""
        return [player for player, each in self.entrants.items() if not each.withdrawn]

    @property
    def tables(self) -> Mapping[str, PairedTable]:
        """All tables so far, by game."""
        return {table.game: table for league_round in self.rounds for table in league_round.tables}

    @property
    def open_tables(self) -> list[PairedTable]:
        """The tables of the last round that have no result."""
        last_rounds = self.rounds[-1:]
        return [table for league_round in last_rounds for table in league_round.tables if not self.ranks_of(table.game)]

    @property
    def planned_round_count(self) -> int:
        """The number of rounds of the season."""
        from zimcore.service.records.pairings import planned_round_count

        player_count = len(self.scheduled_players) or len(self.active_players)
        return self.opening.rounds or planned_round_count(self.opening.system, player_count, self.opening.most)

    @property
    def scheduled_players(self) -> list[str]:
        """The players who entered before the first round; empty before that."""
        return [player for player, each in self.entrants.items() if not each.rounds_before] if self.rounds else []

    @property
    def pairings(self) -> list[Pairing]:
        """The rounds so far, as the pairing of the next one needs them."""
        from zimcore.service.records.pairings import Pairing

        return [
            Pairing(tuple(table.players for table in league_round.tables), league_round.byes)
            for league_round in self.rounds
        ]

    def ranks_of(self, game: str) -> Mapping[str, int]:
        """The ranks that count for a game, by player; empty while there are none."""
        counting_event = self.corrections.get(game) or self.results.get(game)
        return counting_event.ranks if counting_event else {}

    def standings(self) -> list[Standing]:
        """The standings, first player first; players who are equal in everything share a place."""
        from fractions import Fraction

        win_counts, game_counts = Counter[str](), Counter[str]()
        points = dict.fromkeys(self.entrants, Fraction(0))
        opponents: dict[str, list[str]] = {player: [] for player in self.entrants}
        for game in self.tables:
            ranks = self.ranks_of(game)
            for player, rank in ranks.items():
                points[player] += table_points(ranks, player)
                win_counts[player] += rank == min(ranks.values())
                game_counts[player] += 1
            for player, opponent in combinations(ranks, 2):
                opponents[player].append(opponent)
                opponents[opponent].append(player)
        for player in (player for league_round in self.rounds for player in league_round.byes):
            points[player] += Fraction(BYE_POINTS[self.opening.system])
        opposition = {
            player: sum((points[each] for each in met_players), Fraction(0))
            for player, met_players in opponents.items()
        }
        sort_keys = {player: (-points[player], -win_counts[player], -opposition[player]) for player in self.entrants}
        ordered_players = sorted(self.entrants, key=lambda player: (sort_keys[player], player.casefold()))
        places = {
            player: 1 + sum(other_key < sort_keys[player] for other_key in sort_keys.values())
            for player in ordered_players
        }
        return [
            Standing(
                player, places[player], points[player], win_counts[player], opposition[player], game_counts[player]
            )
            for player in ordered_players
        ]

    def check(self, event: LeagueEvent) -> None:
        """Raises `GameError` for an event that can't follow."""
        if isinstance(event, LeagueOpened) == bool(self.opened):
            raise GameError("a league is opened once", "this is its first event, and no other")
        if self.closed:
            raise GameError(
                f"{self.opening.name} is closed", "the season is over", [f"league standings {self.opening.name}"]
            )
        name = self.opened.name if self.opened else ""
        match event:
            case LeagueOpened():
                check_terms(event)
            case PlayerEntered(player=player):
                self._check_may_enter(player)
            case PlayerWithdrew(player=player):
                if player not in self.active_players:
                    hints = [f"league withdraw {name} {each}" for each in suggest_names(player, self.active_players)]
                    raise UnknownError(f"{player} is not in {name}", "", hints or [f"league show {name}"])
            case RoundPaired():
                self._check_may_pair(event)
            case ResultRecorded(game=game, ranks=ranks):
                self._check_ranks(game, ranks)
                if game not in (each.game for each in self.open_tables):
                    raise GameError(f"{game} has a result", "it counts until it is corrected", [f"league show {name}"])
            case ResultCorrected(game=game, ranks=ranks, why=why):
                self._check_ranks(game, ranks)
                if not why.strip():
                    raise GameError("no reason given", "a correction says why", ['--why "..."'])
            case RoundClosed(number=number):
                if number != self.closed_rounds + 1 or number != len(self.rounds) or self.open_tables:
                    raise GameError(f"round {number} can't be closed", "some games have no result", ["league show"])
            case LeagueClosed():
                if self.open_tables:
                    raise self.unfinished_error()

    def _check_may_enter(self, player: str) -> None:
        check_name(player)
        name, entrant = self.opening.name, self.entrants.get(player)
        if entrant and not entrant.withdrawn:
            why = "each player has a name of their own"
            raise GameError(f"{player} is in {name} already", why, [f"league show {name}"])
        if not entrant and player.casefold() in map(str.casefold, self.entrants):
            why = "names that differ only in case are mixed up"
            raise GameError(f"another player is called {player}", why, [f"league enter {name} {player}-2"])
        if not entrant and self.rounds and self.opening.system == "round-robin":
            why = "a round robin has a schedule in which all players meet, and it has begun"
            raise GameError(f"{player} is too late for {name}", why, ["league open NAME pairing=swiss"])
        if len(self.entrants) >= MAX_PLAYERS and not entrant:
            raise GameError(f"{name} is full", f"{MAX_PLAYERS} players are the limit", ["league open NAME"])

    def _check_may_pair(self, event: RoundPaired) -> None:
        name, number = self.opening.name, len(self.rounds) + 1
        if self.open_tables:
            raise self.unfinished_error()
        if number > self.planned_round_count:
            raise GameError(
                f"{name} has no round {number}",
                f"its season has {numbered(self.planned_round_count, 'round')}",
                [f"league close {name}"],
            )
        players = [player for table in event.tables for player in table.players] + [*event.byes]
        if event.number != number or sorted(players) != sorted(self.active_players):
            raise GameError(f"round {event.number} can't be paired so", "each player is at one table, or has a bye")

    def _check_ranks(self, game: str, ranks: Mapping[str, int]) -> None:
        table = self.tables.get(game)
        if table is None:
            hints = [f"league show {self.opening.name}"]
            raise UnknownError(
                f"{game} is no game of {self.opening.name}", "", suggest_names(game, self.tables) or hints
            )
        if {*ranks} != {*table.players}:
            hint = ranks_text({player: rank for rank, player in enumerate(table.players, 1)})
            raise GameError(f"these are not the players of {game}", "each of them has a rank", [hint])
        sorted_ranks = sorted(ranks.values())
        if any(rank != sorted_ranks.index(rank) + 1 for rank in sorted_ranks):
            raise GameError(
                f"no ranks: {ranks_text(ranks)}", "ranks are 1, 2, 3, and after two firsts comes 3", ["anna=1 ben=2"]
            )

    def unfinished_error(self) -> GameError:
        """The error for a round whose games are not all over."""
        games = [table.game for table in self.open_tables]
        what = f"round {len(self.rounds)} of {self.opening.name} is not over"
        are_programs = all(self.entrants[player].bot for player in self.open_tables[0].players)
        hints = [
            f"{'bot' if are_programs else 'play'} {games[0]}",
            f"league correct {self.opening.name} {games[0]} PLAYER=1 PLAYER=2 --why TEXT",
        ]
        return GameError(what, f"without a result: {', '.join(games)}", hints)

    def after(self, event: LeagueEvent) -> Season:
        """The season after an event."""
        match event:
            case LeagueOpened():
                return replace(self, opened=event)
            case PlayerEntered(player=player, bot=bot):
                entrant = self.entrants.get(player)
                rounds_before = entrant.rounds_before if entrant else len(self.rounds)
                return replace(self, entrants={**self.entrants, player: Entrant(bot, rounds_before)})
            case PlayerWithdrew(player=player):
                entrant = self.entrants[player]._replace(withdrawn=True)
                return replace(self, entrants={**self.entrants, player: entrant})
            case RoundPaired():
                return replace(self, rounds=(*self.rounds, event))
            case ResultRecorded(game=game):
                return replace(self, results={**self.results, game: event})
            case ResultCorrected(game=game):
                return replace(self, corrections={**self.corrections, game: event})
            case RoundClosed(number=number):
                return replace(self, closed_rounds=number)
            case LeagueClosed():
                return replace(self, closed=True)
            case _:
                assert_never(event)

    def after_all(self, events: Sequence[LeagueEvent]) -> Season:
        """The season after several events, each checked. Raises `GameError` for one that can't follow."""
        season = self
        for event in events:
            season.check(event)
            season = season.after(event)
        return season


def table_points(ranks: Mapping[str, int], player: str) -> Fraction:
    """The points of a player at a table: the share of the opponents behind them, ties counted half.

    >>> [str(table_points({"ann": 1, "ben": 2, "cem": 2, "dia": 4}, each)) for each in ("ann", "ben", "dia")]
    ['1', '1/2', '0']
    """
    from fractions import Fraction

    own_rank, other_ranks = ranks[player], [rank for other, rank in ranks.items() if other != player]
    return Fraction(sum(2 * (rank > own_rank) + (rank == own_rank) for rank in other_ranks), 2 * len(other_ranks))


def check_terms(event: LeagueOpened) -> None:
    """Raises `GameError` for a league with impossible terms."""
    if not 2 <= event.least <= event.most:
        raise GameError(
            f"no table: {event.least}..{event.most}", "a table has two players or more", ["seats=2", "seats=3..4"]
        )
    if event.bank and not event.pace:
        raise GameError("bank without pace", "a bank is the time beyond the pace: give both", ["pace=3d bank=7d"])


class LeagueNote(NamedTuple):
    """An event of a league in words, with author and time."""

    at: datetime
    by: str
    text: str


class League(Fold[LeagueEvent], msgspec.Struct, eq=False):
    """A stream of a league, folded.

    `deadlines` caches deadlines, by the stream and revision of the names of a game, and its head.
    """

    event_types = get_args(LeagueEvent)
    season: Season = Season()
    notes: list[LeagueNote] = []
    deadlines: dict[tuple[str, int, bytes], datetime | None] = {}

    def check_follows(self, event: LeagueEvent) -> None:
        """Raises `GameError` for an event that can't follow."""
        self.season.check(event)

    def apply(self, event: LeagueEvent, entry: Entry) -> None:
        """Applies an event of an entry."""
        self.season = self.season.after(event)
        self.notes.append(LeagueNote(entry.seal.at, entry.seal.by, event_text(event)))
