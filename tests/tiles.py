"""A game with hands, a bag and a peek, for the kit of authors: seats lay tiles from their hands, and draw from the bag.

Sums of laid tiles win. A seat may peek at the tile on top of the bag once, or keep a secret wager on who wins.
"""

from collections.abc import Iterator, Mapping
from random import Random

import msgspec

from zimcore.game import Command, Deal, Event, Outcome, Seat
from zimcore.toolkit.bundle import Bundle
from zimcore.toolkit.rules import Draft, number
from zimcore.toolkit.secrets import NOBODY, OWNER
from zimcore.toolkit.unknown import is_unknown

SEATS = ("ann", "ben", "cid")
ROUNDS, HAND_SIZE = 4, 3
OPTIONS = {"players": "how many lay tiles, 2 or 3 (3)"}


class SetUp(Deal, frozen=True, tag="set_up.1"):
    seats: tuple[Seat, ...]
    bag: tuple[int, ...]


class Lay(Command, frozen=True, tag="lay.1"):
    tile: int


class Peek(Command, frozen=True, tag="peek.1"):
    pass


class Wager(Command, frozen=True, tag="wager.1"):
    on: Seat


class HandsDealt(Event, frozen=True, tag="hands_dealt.1"):
    hands: dict[Seat, tuple[int, ...]]
    bag: tuple[int, ...]


class TileLaid(Event, frozen=True, tag="tile_laid.1"):
    seat: Seat
    tile: int


class TileDrawn(Event, frozen=True, tag="tile_drawn.1"):
    seat: Seat
    tile: int


class Peeked(Event, frozen=True, tag="peeked.1"):
    seat: Seat
    tile: int


class Wagered(Event, frozen=True, tag="wagered.1"):
    seat: Seat
    on: Seat


class TurnEnded(Event, frozen=True, tag="turn_ended.1"):
    seat: Seat


class State(msgspec.Struct):
    seats: tuple[Seat, ...] = ()
    bag: tuple[int, ...] = ()
    hands: dict[Seat, tuple[int, ...]] = {}
    laid: dict[Seat, tuple[int, ...]] = {}
    peeked: dict[Seat, int] = {}
    wagers: dict[Seat, Seat] = {}
    turn: int = 0


SECRETS = {
    State: {"bag": NOBODY, "hands": OWNER, "peeked": OWNER, "wagers": OWNER},
    SetUp: {"bag": NOBODY},
    HandsDealt: {"hands": OWNER, "bag": NOBODY},
    TileDrawn: {"tile": OWNER},
    Peeked: {"tile": OWNER},
    Wager: {"on": OWNER},
    Wagered: {"on": OWNER},
}


def set_up(options: Mapping[str, str], chance: Random) -> SetUp:
    seats = SEATS[: number(options, "players", 3, least=2, most=3)]
    return SetUp(seats, tuple(chance.sample(range(1, 31), 30)))


def to_move(state: State) -> list[Seat]:
    is_over = state.turn >= ROUNDS * len(state.seats)
    return [] if is_over else [state.seats[state.turn % len(state.seats)]]


def moves(state: State, seat: Seat) -> Iterator[Lay | Peek | Wager]:
    yield from map(Lay, state.hands[seat])
    if seat not in state.peeked:
        yield Peek()
    if seat not in state.wagers:
        yield from map(Wager, state.seats)


def why_not(state: State, seat: Seat, command: Lay | Peek | Wager) -> str:
    if isinstance(command, Lay):
        return f"{seat} does not have {command.tile}, out of {len(state.hands[seat])} tiles"
    return "that can be done once"


def follow(draft: Draft, seat: Seat, command: SetUp | Lay | Peek | Wager) -> None:
    state = draft.state
    if isinstance(command, SetUp):
        hands = {
            hand_owner: command.bag[index * HAND_SIZE :][:HAND_SIZE] for index, hand_owner in enumerate(command.seats)
        }
        draft.happen(HandsDealt(hands, command.bag[HAND_SIZE * len(hands) :]))
    elif isinstance(command, Lay):
        draft.happen(TileLaid(seat, command.tile))
        draft.happen(TileDrawn(seat, state.bag[0]))
        draft.happen(TurnEnded(seat))
    elif isinstance(command, Peek):
        draft.happen(Peeked(seat, state.bag[0]))
    else:
        draft.happen(Wagered(seat, command.on))


def on_hands_dealt(state: State, event: HandsDealt) -> None:
    state.seats, state.hands, state.bag = tuple(event.hands), dict(event.hands), event.bag
    state.laid = dict.fromkeys(event.hands, ())


def on_tile_laid(state: State, event: TileLaid) -> None:
    hand = list(state.hands[event.seat])
    hand.pop() if is_unknown(hand) else hand.remove(event.tile)
    state.hands[event.seat] = tuple(hand)
    state.laid[event.seat] += (event.tile,)


def on_tile_drawn(state: State, event: TileDrawn) -> None:
    state.hands[event.seat] += (event.tile,)
    state.bag = state.bag[1:]


def on_peeked(state: State, event: Peeked) -> None:
    state.peeked[event.seat] = event.tile


def on_wagered(state: State, event: Wagered) -> None:
    state.wagers[event.seat] = event.on


def on_turn_ended(state: State, event: TurnEnded) -> None:
    state.turn += 1


def status(state: State) -> str:
    return f"turn {state.turn + 1}: {' '.join(to_move(state)) if state.seats else 'not set up'}"


def invariant(state: State) -> str:
    return "a hand has more tiles than it may" if any(len(hand) > HAND_SIZE for hand in state.hands.values()) else ""


def outcome(state: State) -> Outcome:
    scores = {seat: sum(tiles) for seat, tiles in state.laid.items()}
    totals = sorted(set(scores.values()), reverse=True)
    ranking = tuple(tuple(seat for seat in state.seats if scores[seat] == total) for total in totals)
    return Outcome(bool(state.seats) and not to_move(state), ranking, scores)


GAME = Bundle(__name__, "tiles", "Tiles", version="1")
