"""Plots, a third whole game: sealed bids for the plots of a board, by secret plans of which column counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from random import Random

import msgspec

from zimcore.game import Board, Cell, Command, Deal, Event, Outcome, Seat
from zimcore.toolkit.bundle import Bundle
from zimcore.toolkit.rules import Draft, number, outcome_by_score
from zimcore.toolkit.secrets import NOBODY, OWNER

SEATS = ("ann", "ben", "cid", "dot")
COLUMNS, ROWS = "abcd", "321"
SQUARES = [column + row for row in ROWS for column in COLUMNS]
OPTIONS = {
    "players": "how many bid, 2 to 4 (3)",
    "plots": "how many plots are sold, 4 to 12 (8)",
}


class SetUp(Deal, frozen=True, tag="set_up.1"):
    """The seats, the plans, and the order in which plots are sold."""

    seats: tuple[Seat, ...]
    plans: dict[Seat, str]
    deck: tuple[str, ...]


class Bid(Command, frozen=True, tag="bid.1"):
    """A number of coins for the plot on sale."""

    coins: int


class Begun(Event, frozen=True, tag="begun.1"):
    """Plans are dealt, and the deck is face down."""

    seats: tuple[Seat, ...]
    plans: dict[Seat, str]
    deck: tuple[str, ...]


class Offered(Event, frozen=True, tag="offered.1"):
    """A plot is for sale."""

    round: int
    plot: str


class BidSealed(Event, frozen=True, tag="bid_sealed.1"):
    """A seat has made its bid."""

    seat: Seat
    coins: int


class BidsRevealed(Event, frozen=True, tag="bids_revealed.1"):
    """All bids are shown."""

    bids: dict[Seat, int]


class Sold(Event, frozen=True, tag="sold.1"):
    """The highest bid that only one seat has made."""

    seat: Seat
    plot: str
    coins: int


class PlansRevealed(Event, frozen=True, tag="plans_revealed.1"):
    """The game is over, and all plans are shown."""

    plans: dict[Seat, str]


class State(msgspec.Struct):
    """A position."""

    seats: tuple[Seat, ...] = ()
    deck: tuple[str, ...] = ()
    plans: dict[Seat, str] = {}
    shown: dict[Seat, str] = {}
    round: int = 0
    plot: str = ""
    bids: dict[Seat, int] = {}
    coins: dict[Seat, int] = {}
    owners: dict[str, Seat] = {}


SECRETS = {
    State: {"deck": NOBODY, "plans": OWNER, "bids": OWNER},
    SetUp: {"deck": NOBODY, "plans": OWNER},
    Begun: {"deck": NOBODY, "plans": OWNER},
    Bid: {"coins": OWNER},
    BidSealed: {"coins": OWNER},
}


def set_up(options: Mapping[str, str], chance: Random) -> SetUp:
    """Deals the plans and the deck."""
    seats = SEATS[: number(options, "players", 3, least=2, most=4)]
    plans = dict(zip(seats, chance.sample(COLUMNS, len(seats)), strict=True))
    return SetUp(seats, plans, tuple(chance.sample(SQUARES, number(options, "plots", 8, least=4, most=12))))


def to_move(state: State) -> list[Seat]:
    """All seats that have not bid yet."""
    return [seat for seat in state.seats if state.plot and seat not in state.bids]


def moves(state: State, seat: Seat) -> Iterator[Bid]:
    """Any number of your coins."""
    return map(Bid, range(state.coins[seat] + 1))


def why_not(state: State, seat: Seat, command: Bid) -> str:
    """Too many coins."""
    return f"{seat} has {state.coins[seat]} coins, not {command.coins}"


def follow(draft: Draft, seat: Seat, command: SetUp | Bid) -> None:
    """The last bid reveals all, and sells the plot."""
    if isinstance(command, SetUp):
        draft.happen(Begun(command.seats, command.plans, command.deck))
        draft.happen(Offered(1, command.deck[0]))
        return
    draft.happen(BidSealed(seat, command.coins))
    if not to_move(draft.state):
        sell(draft)


def sell(draft: Draft) -> None:
    """Sells the plot, then offers the next one or ends the game."""
    state, bids = draft.state, draft.state.bids
    draft.happen(BidsRevealed(bids))
    bidders_by_amount = Counter(bids.values())
    winning_bid = max((coins for coins, bidders in bidders_by_amount.items() if bidders == 1 and coins), default=0)
    for seat, coins in bids.items():
        if winning_bid and coins == winning_bid:
            draft.happen(Sold(seat, state.plot, coins))
    draft.happen(Offered(state.round + 1, state.deck[0]) if state.deck else PlansRevealed(state.plans))


def outcome(state: State) -> Outcome:
    """A plot counts 2, in the column of your plan 5; three coins left count 1. Plans count once they are shown."""
    scores = {seat: state.coins[seat] // 3 for seat in state.seats}
    for plot, seat in state.owners.items():
        scores[seat] += 5 if plot[0] == state.shown.get(seat) else 2
    return outcome_by_score(bool(state.shown), scores)


def on_begun(state: State, event: Begun) -> None:
    """`Begun`."""
    state.seats, state.plans, state.deck = event.seats, dict(event.plans), event.deck
    state.coins = dict.fromkeys(event.seats, 15)


def on_offered(state: State, event: Offered) -> None:
    """`Offered`."""
    state.round, state.plot, state.deck, state.bids = event.round, event.plot, state.deck[1:], {}


def on_bid_sealed(state: State, event: BidSealed) -> None:
    """`BidSealed`."""
    state.bids[event.seat] = event.coins


def on_bids_revealed(state: State, event: BidsRevealed) -> None:
    """`BidsRevealed`."""


def on_sold(state: State, event: Sold) -> None:
    """`Sold`."""
    state.coins[event.seat] -= event.coins
    state.owners[event.plot] = event.seat


def on_plans_revealed(state: State, event: PlansRevealed) -> None:
    """`PlansRevealed`."""
    state.shown, state.plot = dict(event.plans), ""


DESCRIPTIONS = {
    Begun: "{seats} have secret plans",
    Offered: "{plot} is for sale",
    BidSealed: "{seat} bids {coins}",
    BidsRevealed: "all bids: {bids}",
    Sold: "{seat} pays {coins} for {plot}",
    PlansRevealed: "the plans were {plans}",
}
MONEY = ("coins",)


def board(state: State) -> Board:
    """Owned plots, and the one that is for sale."""
    cells = {
        square: Cell(square, square[0], "piece", "plot", state.owners[square])
        if square in state.owners
        else Cell(square, "$" if square == state.plot else ".", "start" if square == state.plot else "land")
        for square in SQUARES
    }
    rows = tuple(tuple(cells[column + row] for column in COLUMNS) for row in ROWS)
    return Board(tuple(COLUMNS), tuple(ROWS), rows, (("$", "for sale"),))


GAME = Bundle(__name__, "plots", "Plots", version="1")
