"""The statistics of a game: sums over its events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from zimcore.game import Event, Table
from zimcore.games.africana import events as e
from zimcore.games.africana.notation.descriptions import points_by_source

Sums: TypeAlias = Counter[tuple[str, str]]
"""Amounts by row and column of a table."""

COLUMN_OF_EVENT: dict[type[Event], str] = {
    e.ExplorerMoved: "steps",
    e.ExpeditionJoined: "joined",
    e.ExpeditionEnded: "expeditions",
    e.AdventureBought: "bought",
    e.AdventureEnded: "adventures",
    e.PageTurned: "pages",
}
"""The column that counts each kind of event."""


def statistics(events: Sequence[Event]) -> Sequence[Table]:
    """The tables of statistics for all events of a game."""
    seats = next((event.seats for event in events if isinstance(event, e.GameSetUp)), ())
    return (
        _cross_table("What was done", Counter(_count_actions(events)), seats),
        _cross_table("Silver by reason", _silver_by_reason(events, set(seats)), seats),
        _cross_table("VP by source", _vp_by_source(events), seats),
    )


def _cross_table(title: str, sums: Sums, seats: Sequence[str]) -> Table:
    """A table with a row for each player."""
    columns = tuple(dict.fromkeys(column for _, column in sums))
    rows = tuple((seat, *(str(sums[seat, column]) for column in columns)) for seat in seats) if columns else ()
    return Table(title, ("player", *columns), rows, tuple(seats), numbers=columns)


def _count_actions(events: Sequence[Event]) -> Iterator[tuple[str, str]]:
    for event in events:
        if isinstance(event, e.ActionChosen):
            yield event.seat, f"{event.action} actions"
        elif isinstance(event, e.CardsDrawn):
            yield from [(event.seat, "cards drawn")] * len(event.cards)
        elif type(event) in COLUMN_OF_EVENT:
            yield getattr(event, "seat"), COLUMN_OF_EVENT[type(event)]  # noqa: B009


def _silver_by_reason(events: Sequence[Event], seats: set[str]) -> Sums:
    """Each player's income and costs by reason: rewards of cards are one sum, and bought adventures count as books."""
    sums = Sums()
    for event in events:
        if isinstance(event, e.SilverPaid):
            is_for_card = event.reason[:1].isupper()
            if event.payee in seats:
                sums[event.payee, "rewards" if is_for_card else event.reason] += event.amount
            else:
                sums[event.payer, "books" if is_for_card else event.reason] -= event.amount
    return sums


def _vp_by_source(events: Sequence[Event]) -> Sums:
    sums = Sums()
    for event in events:
        if isinstance(event, e.PlayerScored):
            sums.update({(event.seat, source): vp for source, vp in points_by_source(event).items()})
    return sums
