"""Documents about leagues: players, rounds, results, standings, and the requests that change them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Literal

import msgspec

from zimcore.documents.positions import Answer, Document
from zimcore.documents.seats import RequestBody, ShortText
from zimcore.game import Seat

PairingSystem = Literal["round-robin", "swiss"]
Rank = Annotated[int, msgspec.Meta(ge=1, le=128)]
Seed = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
ChangeWhat = Literal["enter", "withdraw", "pair", "record", "correct", "close"]


class NewLeague(RequestBody, frozen=True, omit_defaults=True):
    """A league to open: its name, its game (`kind`) with options as for `zim new`, and how rounds are paired.

    `seats` are the players at a table, `2` or `3..4`. `rounds` are those of the season, 0 for as many as the pairing
    needs. Anyone may watch the games of a `public` league. `pace` and `bank` are the clocks of each game.
    """

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=40)]
    kind: Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
    options: Mapping[ShortText, Annotated[str, msgspec.Meta(max_length=200)]] = {}
    pairing: PairingSystem = "round-robin"
    seats: Annotated[str, msgspec.Meta(min_length=1, max_length=8)] = "2"
    rounds: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 0
    public: bool = False
    pace: ShortText = ""
    bank: ShortText = ""


class LeagueChange(RequestBody, frozen=True, omit_defaults=True):
    """A change of a league: `enter` a player or `withdraw` one ("" is you), `pair` the next round, `record` the results
    of games that are over, `correct` the result of a game, or `close` the league.

    `bot` is the program that plays as the player. `seed` chooses among equal pairings. `game`, `ranks` (by player, 1 is
    first) and `why` are those of a correction.
    """

    what: ChangeWhat
    player: ShortText = ""
    bot: ShortText = ""
    seed: Seed | None = None
    game: ShortText = ""
    ranks: Mapping[ShortText, Rank] = {}
    why: Annotated[str, msgspec.Meta(max_length=500)] = ""


class LeagueSeat(RequestBody, frozen=True):
    """A game of a league in which you have a seat."""

    game: Annotated[str, msgspec.Meta(min_length=1, max_length=64)]


class LeagueStanding(Document, frozen=True):
    """A player's place, by points, then wins, then `opposition`: the points of all opponents met.

    A game gives the share of the opponents who ended behind, ties counted half: 1 for the first, 0 for the last.
    `rating` and `doubt` (half a 95 % interval) are those of openskill, if it is installed. `bot` is the program that
    plays as this player, if one does.
    """

    player: str
    place: int
    points: float
    wins: int
    opposition: float
    games: int
    rating: float | None = None
    doubt: float | None = None
    bot: str = ""
    withdrawn: bool = False


class LeagueTable(Document, frozen=True):
    """A game of a league: the player at each seat, and the rank of each once there is a result.

    `commit` is the digest of the game's last commit then. If the game was `ended` early, it counts as it stood. For a
    corrected result, `correction` says why. A game that has `changed` is at another position now, or is gone. Under a
    clock, `due` is when the time of a player to move ends: the first such time, if it is the turn of several.
    """

    game: str
    seats: Mapping[Seat, str]
    ranks: Mapping[str, int] = {}
    scores: Mapping[str, int | None] = {}
    commit: str = ""
    ended: bool = False
    correction: str = ""
    changed: bool = False
    due: datetime | None = None

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is unusual about its result, in words."""
        applies_by_remark = {
            "its players ended it early: it counts as it stood": self.ended,
            f"corrected: {self.correction}": self.correction,
            "changed since: the game is at another position now, or gone": self.changed,
        }
        return tuple(text for text, applies in applies_by_remark.items() if applies)


class LeagueRound(Document, frozen=True):
    """A round: its tables, the players without one, and the seed that it was paired with."""

    number: int
    seed: int
    tables: tuple[LeagueTable, ...]
    byes: tuple[str, ...] = ()
    closed: bool = False


class LeagueEventText(Document, frozen=True):
    """An event of a league in words, with its author."""

    at: datetime
    by: str
    text: str


class LeagueAnswer(Answer, frozen=True):
    """A league: how it was opened, its standings, its rounds and its history.

    `paired` is the number of rounds that are paired so far, and `planned` the number of all rounds. `host` is the
    person who runs the league, and `terms` are the terms of its games.
    """

    name: str
    kind: str
    options: Mapping[str, str]
    pairing: PairingSystem
    seats: str
    paired: int
    planned: int
    host: str
    public: bool
    closed: bool
    standings: tuple[LeagueStanding, ...]
    rounds: tuple[LeagueRound, ...]
    history: tuple[LeagueEventText, ...]
    terms: Mapping[str, str] = {}


class LeagueInfo(Document, frozen=True):
    """A league as it is listed: the rounds `paired` so far, of those that are `planned`."""

    name: str
    kind: str
    pairing: PairingSystem
    players: int
    paired: int
    planned: int
    host: str
    public: bool
    closed: bool


class LeaguesAnswer(Answer, frozen=True):
    """The leagues of a store, oldest first."""

    leagues: tuple[LeagueInfo, ...]
