"""The statistics of a game: sums over its events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

from zimcore.game import Event, Seat, Table
from zimcore.games.zimbabwe.commands import Square
from zimcore.games.zimbabwe.components import CONSTANTS, CRAFTSMEN, GODS, SPECIALISTS
from zimcore.games.zimbabwe.events import (
    STOCK,
    CattlePaid,
    CraftsmanPlaced,
    GameSetUp,
    GodAdored,
    GoodMade,
    RoundBegun,
    SpecialistHired,
    TechnologyTaken,
    VPScored,
)

Sums: TypeAlias = Counter[tuple[str, str]]
"""Amounts by row and column of a table."""

SPENDING_COLUMNS = ("gifts", "specialists", "craftsmen", "goods of others", "own goods", "hubs")
GAIN_COLUMNS = ("plaques", "cards", "income", "gods")


def statistics(events: Sequence[Event]) -> Sequence[Table]:
    """The tables of statistics for all events of a game."""
    seats = next((event.seats for event in events if isinstance(event, GameSetUp)), ())
    rounds = [f"r{event.round}" for event in events if isinstance(event, RoundBegun)]
    return (
        cross_table("VP by round", vp_by_round(events), seats, ["start", *rounds]),
        cross_table("VP by source", vp_by_source(events), seats, ["monuments", "raising", *CRAFTSMEN]),
        cross_table("Cattle spent", sum_spending(events), seats, SPENDING_COLUMNS),
        cross_table("Cattle gained", sum_gains(events), seats, GAIN_COLUMNS),
        _craftsmen_table(events),
        _card_table(events),
    )


def cross_table(title: str, sums: Sums, seats: Sequence[Seat], columns: Sequence[str]) -> Table:
    """A table with a row for each player and their total; empty columns are left out."""
    used_columns = [column for column in columns if any(sums[seat, column] for seat in seats)]
    rows = []
    for seat in seats:
        figures = [sums[seat, column] for column in used_columns]
        rows.append((seat, *map(str, figures), str(sum(figures))))
    headings = ("player", *used_columns, "in all")
    return Table(title, headings, tuple(rows), tuple(seats), numbers=headings[1:])


def vp_by_round(events: Sequence[Event]) -> Sums:
    """VP by player and round (`r4`); VP of first monuments belong to `start`."""
    sums, round_name = Sums(), "start"
    for event in events:
        match event:
            case RoundBegun(round=round_number):
                round_name = f"r{round_number}"
            case VPScored(seat=seat, points=points):
                sums[seat, round_name] += points
    return sums


def vp_by_source(events: Sequence[Event]) -> Sums:
    """VP by player and source: new monuments, raising, or a type of craftsman."""
    sums = Sums()
    for event in events:
        if isinstance(event, VPScored):
            monument_source = "raising" if event.points > CONSTANTS.level_vp[1] else "monuments"
            sums[event.seat, event.reason if event.reason in CRAFTSMEN else monument_source] += event.points
    return sums


def payments(events: Sequence[Event]) -> Iterator[CattlePaid]:
    """Yields all payments."""
    return (event for event in events if isinstance(event, CattlePaid))


def sum_spending(events: Sequence[Event]) -> Sums:
    """Cattle that players paid, by purpose."""
    sums = Sums()
    for payment in payments(events):
        if payment.payer != STOCK and "/" not in payment.payer:
            sums[payment.payer, _purpose(payment)] += payment.amount
    return sums


def _purpose(payment: CattlePaid) -> str:
    owner, _, card = payment.payee.partition("/")
    if payment.reason in ("gift", "hubs"):
        return {"gift": "gifts"}.get(payment.reason, payment.reason)
    if payment.reason in SPECIALISTS:
        return "specialists"
    if card != payment.reason:
        return "craftsmen"
    return "own goods" if owner == payment.payer else "goods of others"


def sum_gains(events: Sequence[Event]) -> Sums:
    """Cattle that players gained, by origin; a god's plaque and gifts of the stock belong to `gods`."""
    sums = Sums()
    for payment in payments(events):
        if "/" not in payment.payee and payment.payee != STOCK and payment.reason != "set-up":
            sums[payment.payee, _origin(payment)] += payment.amount
    return sums


def _origin(payment: CattlePaid) -> str:
    if payment.reason in GODS or payment.payer.removeprefix("plaque/") in GODS:
        return "gods"
    return {"plaque": "plaques", "revenue": "cards"}.get(payment.reason, payment.reason)


def _craftsmen_table(events: Sequence[Event]) -> Table:
    """A table of the goods and earnings of each craftsman."""
    earnings = earnings_by_craftsman(events)
    goods_counts = Counter(event.craftsman for event in events if isinstance(event, GoodMade))
    placements = [event for event in events if isinstance(event, CraftsmanPlaced)]
    rows = tuple(
        (
            placement.seat,
            placement.type,
            first_square,
            str(goods_counts[first_square]),
            str(earnings["others", first_square]),
            str(earnings["own", first_square]),
        )
        for placement in placements
        for first_square in placement.squares[:1]
    )
    headings = ("owner", "craftsman", "at", "goods", "cattle of others", "own cattle")
    return Table("Craftsmen", headings, rows, tuple(placement.seat for placement in placements), numbers=headings[3:])


def earnings_by_craftsman(events: Sequence[Event]) -> Counter[tuple[str, Square]]:
    """Cattle paid for the goods of each craftsman, by `others` and by its `own` player."""
    sums: Counter[tuple[str, Square]] = Counter()
    for payment, next_event in pairwise(events):
        if isinstance(next_event, GoodMade) and isinstance(payment, CattlePaid):
            is_own = payment.payee.startswith(f"{next_event.seat}/")
            sums["own" if is_own else "others", next_event.craftsman] += payment.amount
    return sums


def _card_table(events: Sequence[Event]) -> Table:
    """A table of each card's cattle: paid onto it by its player, and gained from others, the stock or a plaque."""
    sums = earnings_by_card(events)
    cards = list(_card_takings(events))
    rows = tuple((*card, *(str(sums["/".join(card), column]) for column in ("own", "gained"))) for card in cards)
    headings = ("owner", "card", "own cattle", "gained")
    return Table("Cards", headings, rows, tuple(seat for seat, _ in cards), numbers=headings[2:])


def _card_takings(events: Sequence[Event]) -> Iterator[tuple[Seat, str]]:
    """Yields each card that a player took, with the player."""
    for event in events:
        match event:
            case TechnologyTaken(seat=seat, type=name) | GodAdored(seat=seat, god=name):
                yield seat, name
            case SpecialistHired(seat=seat, specialist=name):
                yield seat, name


def earnings_by_card(events: Sequence[Event]) -> Sums:
    """Cattle by card (`kilwa/potter`): its player's `own` payments onto it, and cattle `gained` by it."""
    sums = Sums()
    for payment in payments(events):
        owner, separator, _ = payment.payee.partition("/")
        god = payment.reason if payment.reason in GODS else payment.payer.removeprefix("plaque/")
        if separator and owner != "plaque":
            sums[payment.payee, "own" if owner == payment.payer else "gained"] += payment.amount
        elif not separator and god in GODS:
            sums[f"{payment.payee}/{god}", "gained"] += payment.amount
    return sums
