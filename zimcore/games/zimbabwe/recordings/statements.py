"""Compares what the site says with the moves: order, cattle, VP, VR, the winner, and the pieces at the end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from zimcore.game import Misstatement, Seat
from zimcore.games.zimbabwe.ranking import ranking
from zimcore.games.zimbabwe.recordings.conversion import Conversion
from zimcore.games.zimbabwe.recordings.entries import (
    CRAFTSMEN,
    SPECIALISTS,
    Kind,
    god_name,
    name_of,
    numbers_of,
    read_data,
    square_at,
)
from zimcore.games.zimbabwe.recordings.saved_games import Entry, Player
from zimcore.games.zimbabwe.state import State

GONE_VP, GONE_VR = 0, 41
"""What counts, at the comparison, of a player who has left."""
ORDERS = ("order", "next order of bids")
"""Statements after which a game can't be played on if they differ: other players would move."""


def misstatements(conversion: Conversion, index: int, entry: Entry) -> Iterator[Misstatement]:
    """What an entry states wrongly, in the position after it."""
    state = conversion.state
    match entry.kind:
        case Kind.BIDDING_OVER:
            order, _, cattle = read_data(entry, tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]])
            seats = _seats(conversion, order)
            yield from _differences(index, "order", " ".join(seats), " ".join(state.order))
            yield from _cattle(index, state, dict(zip(seats, cattle, strict=False)))
        case Kind.REVENUES:
            revenues = read_data(entry, tuple[tuple[int, int, int, int, int, int], ...])
            seats = _seats(conversion, [row[0] for row in revenues])
            yield from _differences(index, "next order of bids", " ".join(seats), " ".join(state.queue))
            yield from _cattle(index, state, {seat: row[5] for seat, row in zip(seats, revenues, strict=True)})
        case Kind.COMPARISON:
            rows = read_data(entry, tuple[tuple[int, int, int, int], ...])
            for seat, (_, _, vp, vr) in zip(_seats(conversion, [row[1] for row in rows]), rows, strict=True):
                is_gone = seat in conversion.gone
                yield from _differences(index, f"VP of {seat}", vp, GONE_VP if is_gone else state.vp[seat])
                yield from _differences(index, f"VR of {seat}", vr, GONE_VR if is_gone else state.vr[seat])
        case Kind.TURN:
            yield from _differences(index, "round", numbers_of(entry, 1)[0], state.round)
        case Kind.END:
            seats = _final_places(conversion, entry)
            if not is_decided_by_leaving(conversion, seats[:1]):
                yield from _differences(index, "winner", next(iter(seats), "nobody"), state.winner or "nobody")
            ranked = [seat for seat in ranking(state) if seat not in conversion.gone]
            stated = [seat for seat in seats if seat not in conversion.gone]
            yield from _differences(index, "places", " ".join(stated), " ".join(ranked))


def winner_of(conversion: Conversion, entry: Entry) -> Seat:
    """The winner that the last entry names; "" for none."""
    return next(iter(_final_places(conversion, entry)), "")


def _final_places(conversion: Conversion, entry: Entry) -> list[Seat]:
    return _seats(conversion, [row[1] for row in read_data(entry, tuple[tuple[int, int, int], ...])])


def is_decided_by_leaving(conversion: Conversion, winners: Sequence[Seat]) -> bool:
    """Whether another player has won here because some have left: the last one left wins, and nobody who is gone."""
    left = [seat for seat in conversion.seats if seat not in conversion.gone]
    is_gone_winner = conversion.state.winner in conversion.gone
    return bool(conversion.gone) and winners[0] in left and (len(left) == 1 or is_gone_winner)


def last_misstatements(conversion: Conversion) -> Iterator[Misstatement]:
    """What the state that the site stored beside the history says otherwise."""
    state, index = conversion.state, len(conversion.game.data.history) - 1
    for seat, player in zip(conversion.seats, conversion.game.data.players, strict=True):
        for what, stated, true in _holdings(state, seat, player):
            yield from _differences(index, f"{what} of {seat}", stated, true)


def _holdings(state: State, seat: Seat, player: Player) -> Iterator[tuple[str, str, str]]:
    """What a player has, each as the site states it, and as it is."""
    width = state.board.width
    if state.phase in ("over", "setup") or (state.phase == "bidding" and not state.cattle_given):
        yield "cattle", str(player.cattle), str(state.cattle[seat])
    stated_monuments = {square_at(index, width): level for index, level in player.monuments}
    monuments = {square: each.level for square, each in state.monuments.items() if each.owner == seat}
    yield "monuments", _pairs(stated_monuments), _pairs(monuments)
    stated_craftsmen = {
        square_at(index, width): name_of(CRAFTSMEN, tile, "tile") for index, tile, _ in player.craftsmen
    }
    craftsmen = {each.at: each.type for each in state.craftsmen if each.owner == seat}
    yield "craftsmen", _pairs(stated_craftsmen), _pairs(craftsmen)
    stated_prices = {type_: price for type_, price in zip(CRAFTSMEN, player.prices, strict=False) if price}
    yield "prices", _pairs(stated_prices), _pairs({type_: t.price for type_, t in state.technologies_of(seat).items()})
    stated_cards = {name_of(SPECIALISTS, number, "specialist") for number, _ in player.specialists}
    stated_cards |= {god_name(number) for number in player.gods}
    cards = {*state.specialists_of(seat), *filter(None, [state.adores.get(seat)])}
    yield "cards", " ".join(sorted(stated_cards)), " ".join(sorted(cards))


def _pairs(values: dict[str, int] | dict[str, str]) -> str:
    return ", ".join(f"{name} {value}" for name, value in sorted(values.items()))


def _seats(conversion: Conversion, players: list[int] | tuple[int, ...]) -> list[Seat]:
    return [name_of(tuple(conversion.seats), player, "player") for player in players]


def _cattle(index: int, state: State, stated_cattle: dict[Seat, int]) -> Iterator[Misstatement]:
    for seat, cattle in stated_cattle.items():
        yield from _differences(index, f"cattle of {seat}", cattle, state.cattle[seat])


def _differences(index: int, what: str, stated: object, true: object) -> Iterator[Misstatement]:
    if stated != true:
        yield Misstatement(index, what, str(stated), str(true))
