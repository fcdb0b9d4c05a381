"""Positions as numbers, as a seat knows them: planes over the places of the map, and figures for everything else.

Seats are numbered from the viewer: 0 is its own seat, 1 the next in the order of seats.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from zimcore.game import Encoded, Seat
from zimcore.games.africana.components import HALVES, LocationName
from zimcore.games.africana.encoding.numbering import (
    ADVENTURES,
    BOX,
    CARDS,
    FIRST_ADVENTURE_DISCARD,
    FIRST_CARD_DISCARD,
    PLACES,
    SPACES,
)
from zimcore.games.africana.scoring import vp
from zimcore.games.africana.state import SIDES, State

BIT_BY_PLACE = {place: 1 << number for number, place in enumerate(PLACES)}
ACTIONS = ("draw", "books", "move")

COMMON_FIGURES = (
    *("round", "over", "last round", *(f"action {action}" for action in ACTIONS), "pages turned", "action over"),
    *("pile", *(f"{colour} discarded" for colour in BOX.colours), "stack", *(f"next is {back}" for back in BOX.backs)),
    *(f"{colour} assistants left" for colour in BOX.colours),
    *(f"{card} on the table" for card in CARDS),
    *(f"unseen in the {half}" for half in HALVES),
    *(f"{side} {card}" for side in SIDES for card in ADVENTURES),
    *(f"{prize} of space {space + 1}" for prize in ("silver", "VP") for space in SPACES),
    *(f"to discard {card}" for card in (*CARDS, *ADVENTURES)),
)
"""Figures of the game as a whole. An adventure in a half of its book is 1 on top, 2 below that, and 0 if not known to
be there. Only the seat that discards sees the cards that it has chosen so far."""
SEAT_FIGURES = (
    *("to move", "VP", "silver", "cards", "expeditions"),
    *CARDS,
    *(f"marker on space {space + 1}" for space in SPACES),
    *(f"unfinished {card}" for card in ADVENTURES),
    *(f"finished {card}" for card in ADVENTURES),
)
"""Figures of each seat: the known cards of its hand, and VP as if the game ended now, 0 if hidden."""


def shape(players: int) -> tuple[int]:
    """The number of places on the map, as the components list them."""
    return (len(PLACES),)


@cache
def planes(players: int) -> Sequence[str]:
    """The names of planes: ends of expeditions, explorers, and targets of adventures."""
    space_planes = [f"{end} of space {space + 1}" for end in ("start", "target") for space in SPACES]
    seat_planes = [
        f"{end} {seat}" for end in ("explorer of", "targets of the adventures of") for seat in range(players)
    ]
    return (*space_planes, *seat_planes)


@cache
def figures(players: int) -> Sequence[str]:
    """The names of figures."""
    return (*COMMON_FIGURES, *(f"{seat}: {name}" for seat in range(players) for name in SEAT_FIGURES))


def observe(state: State, seat: Seat, begun: Sequence[int] = ()) -> Encoded:
    """A position as a seat knows it; unknown things are 0."""
    viewer_index = state.seats.index(seat)
    seats = (*state.seats[viewer_index:], *state.seats[:viewer_index])
    figure_values = [*_common_figures(state, begun)]
    for other_seat in seats:
        figure_values += _seat_figures(state, other_seat)
    return Encoded([*_planes(state, seats)], figure_values)


def _planes(state: State, seats: Sequence[Seat]) -> Iterator[int]:
    expeditions = [state.map.expeditions[card] if card else None for card in state.spaces]
    yield from [BIT_BY_PLACE[card.start] if card else 0 for card in expeditions]
    yield from [BIT_BY_PLACE[card.target] if card else 0 for card in expeditions]
    yield from [BIT_BY_PLACE[state.places[seat]] for seat in seats]
    yield from [_place_bits(state.map.adventures[card].target for card in state.unfinished[seat]) for seat in seats]


def _place_bits(places: Iterable[LocationName]) -> int:
    place_bits = 0
    for place in places:
        place_bits |= BIT_BY_PLACE[place]
    return place_bits


def _common_figures(state: State, begun: Sequence[int]) -> Iterator[float]:
    turn, discards, table = state.turn, state.discards, state.table
    yield from (state.round, state.phase == "over", state.ending, *[turn.action == action for action in ACTIONS])
    yield from (turn.pages, turn.over, len(state.pile), *[discards.count(colour) for colour in BOX.colours])
    next_back = _next_back(state)
    yield from (len(state.stack), *[next_back == box_back for box_back in BOX.backs])
    yield from [state.supply[colour] for colour in BOX.colours]
    yield from [table.count(card) for card in CARDS]
    yield from [state.books[half].unseen for half in HALVES]
    for side in SIDES:
        depth_by_card: dict[str, int] = {}
        for book in state.books.values():
            depth_by_card |= {card: depth for depth, card in enumerate(reversed(book.half(side)), 1)}
        yield from [depth_by_card.get(card, 0) for card in ADVENTURES]
    expeditions = [state.map.expeditions[card] if card else None for card in state.spaces]
    yield from [card.silver if card else 0 for card in expeditions]
    yield from [card.vp if card else 0 for card in expeditions]
    yield from [begun.count(FIRST_CARD_DISCARD + number) for number in range(len(CARDS))]
    yield from [begun.count(FIRST_ADVENTURE_DISCARD + number) for number in range(len(ADVENTURES))]


def _next_back(state: State) -> str:
    """The back of the next expedition, which all players see; "" if there is none."""
    if not state.stack:
        return ""
    card = state.stack[-1]
    return state.map.expeditions[card].back if card in state.map.expeditions else card[0]


def _seat_figures(state: State, seat: Seat) -> list[float]:
    hand, unfinished, finished = state.hands[seat], state.unfinished[seat], state.finished[seat]
    has_markers = [seat in state.markers.get(card, ()) for card in state.spaces]
    return [
        seat == state.actor,
        vp(state, seat) or 0,
        state.silver[seat],
        len(hand),
        sum([card in state.map.expeditions for card in finished]),
        *[hand.count(card) for card in CARDS],
        *has_markers,
        *[card in unfinished for card in ADVENTURES],
        *[card in finished for card in ADVENTURES],
    ]
