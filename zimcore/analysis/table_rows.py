"""Matches as rows of tables, for queries over many matches; docs/tables.md explains each column.

Rows come from commits alone, as they are read. They hold no hidden information.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from zimcore.chances import chances
from zimcore.commits import Commit
from zimcore.game import Event, Game, HiddenError, Played, Seat
from zimcore.history.rounds import rounds


class TableRow(msgspec.Struct, frozen=True):
    """A row of a table; its fields are the columns. Every table has `game` and `line`."""

    game: str
    line: str


class GameRow(TableRow, frozen=True):
    """A match: its game, players, dates, and winners (with blanks between them, "" if there is none yet)."""

    kind: str
    players: int
    rounds: int
    commits: int
    begun: datetime
    last: datetime
    over: bool
    winner: str
    digest: str


class CommitRow(TableRow, frozen=True):
    """A move. `round` is 0 before the first round; `marks` are separated by blanks."""

    number: int
    round: int
    seat: Seat
    player: str
    by: str
    at: datetime
    text: str
    summary: str
    marks: str
    digest: str


class EventRow(TableRow, frozen=True):
    """An event of a move. `nth` counts from 0, the command itself; `facts` are the event's fields as JSON."""

    number: int
    nth: int
    round: int
    event: str
    seat: Seat
    facts: str
    text: str


class PaymentRow(TableRow, frozen=True):
    """A payment: an event with a payer, a payee and an amount. `seat` is the seat that played the move."""

    number: int
    nth: int
    round: int
    seat: Seat
    payer: str
    payee: str
    amount: int
    reason: str


class StandingRow(TableRow, frozen=True):
    """A seat's standing at the end of a round. `place` is 1 for the best; `figures` are all its figures as JSON."""

    round: int
    number: int
    seat: Seat
    player: str
    place: int | None
    score: int | None
    money: int | None
    figures: str


class ChanceRow(TableRow, frozen=True):
    """A seat's chance to win at the end of a round, from 0 to 1, by the model alone; `error` is its standard error."""

    number: int
    round: int
    seat: Seat
    chance: float
    error: float


TABLES: Mapping[str, type[TableRow]] = {
    "games": GameRow,
    "commits": CommitRow,
    "events": EventRow,
    "payments": PaymentRow,
    "standings": StandingRow,
    "chances": ChanceRow,
}
"""All tables, by the names of their files."""


class MatchRows(msgspec.Struct, frozen=True):
    """A match to make rows from."""

    name: str
    line: str
    game: Game

    def rows(self, commits: Sequence[Commit]) -> Iterator[TableRow]:
        """The rows of all tables, from all commits of a match, in the order of play."""
        game, state, round_number = self.game, self.game.evolution.initial(), 0
        for round_number, played_round in enumerate(rounds(commits)):
            for commit in played_round.commits:
                for event in commit.events:
                    game.evolution.evolve(state, event)
                yield from self._commit_rows(state, commit, round_number)
            yield from self._standing_rows(state, commit, round_number)
            if ends_round(commit) or game.evolution.outcome(state).over:
                yield from self._chance_rows(state, commit, round_number)
        outcome, first_commit, last_commit = game.evolution.outcome(state), commits[0], commits[-1]
        yield GameRow(
            game=self.name,
            line=self.line,
            kind=game.name,
            players=len(game.evolution.seats(state)),
            rounds=round_number,
            commits=len(commits),
            begun=first_commit.at,
            last=last_commit.at,
            over=outcome.over,
            winner=" ".join(outcome.winners),
            digest=last_commit.digest,
        )

    def _commit_rows(self, state: Any, commit: Commit, round_number: int) -> Iterator[TableRow]:
        """The rows of a move: the commit, its events and its payments."""
        yield CommitRow(
            game=self.name,
            line=self.line,
            number=commit.number,
            round=round_number,
            seat=commit.seat,
            player=self.game.display.names(state).get(commit.seat, ""),
            by=commit.by,
            at=commit.at,
            text=commit.text,
            summary=commit.summary,
            marks=" ".join(commit.marks),
            digest=commit.digest,
        )
        for index, event in enumerate(commit.events):
            fields = msgspec.to_builtins(event)
            event_name = str(fields.pop("event")).partition(".")[0]
            yield EventRow(
                game=self.name,
                line=self.line,
                number=commit.number,
                nth=index,
                round=round_number,
                event=event_name,
                seat=str(fields.get("seat", "")),
                facts=msgspec.json.encode(fields).decode(),
                text=self.game.notation.describe(event),
            )
            if is_payment(event):
                yield PaymentRow(
                    game=self.name,
                    line=self.line,
                    number=commit.number,
                    nth=index,
                    round=round_number,
                    seat=commit.seat,
                    payer=fields["payer"],
                    payee=fields["payee"],
                    amount=fields["amount"],
                    reason=str(fields.get("reason", "")),
                )

    def _standing_rows(self, state: Any, commit: Commit, round_number: int) -> Iterator[TableRow]:
        """A row for each seat."""
        game, outcome = self.game, self.game.evolution.outcome(state)
        places = {seat: place for place, tied_seats in shared_places(outcome.ranking) for seat in tied_seats}
        player_names = game.display.names(state)
        for seat in game.evolution.seats(state):
            figures = game.display.figures(state, seat)
            money_figures = [figures.get(name) for name in game.display.MONEY]
            amounts = [figure for figure in money_figures if isinstance(figure, int)]
            yield StandingRow(
                game=self.name,
                line=self.line,
                round=round_number,
                number=commit.number,
                seat=seat,
                player=player_names.get(seat, ""),
                place=places.get(seat),
                score=outcome.scores.get(seat),
                money=sum(amounts) if money_figures and len(amounts) == len(money_figures) else None,
                figures=msgspec.json.encode(figures).decode(),
            )

    def _chance_rows(self, state: Any, commit: Commit, round_number: int) -> Iterator[TableRow]:
        """A row for each seat; none for a game without a model, or where the model lacks hidden cards."""
        if self.game.chances is None or not self.game.evolution.seats(state):
            return
        try:
            chances_by_seat = chances(self.game, state)
        except HiddenError:
            return
        for seat, chance in chances_by_seat.items():
            yield ChanceRow(
                self.name,
                self.line,
                commit.number,
                round_number,
                seat,
                round_chance(chance.mean),
                round_chance(chance.error),
            )


def ends_round(commit: Commit) -> bool:
    """Whether a commit ends a round: it then carries the mark of the next one."""
    return any("." not in mark for mark in commit.marks)


def round_chance(chance: float) -> float:
    """A chance, rounded to four places."""
    return round(chance, 4)


def is_payment(event: Event) -> bool:
    """Whether an event moves money, in any game."""
    return not isinstance(event, Played) and {"payer", "payee", "amount"} <= {*event.__struct_fields__}


def shared_places(ranking: Sequence[Sequence[Seat]]) -> Iterator[tuple[int, Sequence[Seat]]]:
    """Places with their seats. Two seats that share the first place leave no second.

    >>> list(shared_places([("kilwa", "zulu"), ("lozi",)]))
    [(1, ('kilwa', 'zulu')), (3, ('lozi',))]
    """
    place = 1
    for tied_seats in ranking:
        yield place, tied_seats
        place += len(tied_seats)
