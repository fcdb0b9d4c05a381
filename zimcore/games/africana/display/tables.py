"""Tables: the standings, and all visible cards."""

from __future__ import annotations

from collections import Counter

from zimcore.game import Seat, Table
from zimcore.games.africana.cards import UNKNOWN, Card
from zimcore.games.africana.display.status import visible_vp
from zimcore.games.africana.state import SIDES, State
from zimcore.toolkit.player_names import with_name

NO_VALUE = "-"


def tables(state: State) -> tuple[Table, ...]:
    """All tables, the standings first, then the expeditions."""
    return (
        standings_table(state),
        expeditions_table(state),
        hands_table(state),
        adventures_table(state),
        finished_table(state),
        piles_table(state),
    )


def standings_table(state: State) -> Table:
    """A row for each player, in the order of play; VP are counted as if the game ended now."""
    headings = ("player", "VP", "silver", "at", "cards", "markers", "unfinished", "finished")
    rows = tuple(_standing_row(state, seat) for seat in state.seats)
    return Table("Standings", headings, rows, state.seats, numbers=("VP", "silver", *headings[4:]))


def _standing_row(state: State, seat: Seat) -> tuple[str, ...]:
    counts = (len(state.hands[seat]), state.markers_left(seat), len(state.unfinished[seat]), len(state.finished[seat]))
    place = state.map.title(state.places[seat])
    return (with_name(seat, state.names), visible_vp(state, seat), str(state.silver[seat]), place, *map(str, counts))


def expeditions_table(state: State) -> Table:
    """The face-up expeditions by the number of their space, who has joined, and the bonus for joining.

    Narrow screens drop the last columns. The card comes before them: it is what you type to join.
    """
    headings = ("no.", "from", "to", "card", "VP", "pays", "by", "bonus")
    rows = []
    for space, (card, bonus) in enumerate(zip(state.spaces, state.box.bonuses, strict=False), 1):
        bonus_text = f"{bonus.silver} silver" if bonus.silver else f"{bonus.travel_cards} card"
        joined_text = ", ".join(state.markers.get(card, ())) or NO_VALUE
        start, target, *vp_and_silver = _expedition_cells(state, card)
        rows.append((str(space), start, target, card or NO_VALUE, *vp_and_silver, joined_text, bonus_text))
    return Table("Expeditions", headings, tuple(rows), numbers=("no.", "VP", "pays"))


def _expedition_cells(state: State, card: str) -> tuple[str, str, str, str]:
    expedition = state.map.expeditions.get(card)
    if expedition is None:
        return NO_VALUE, NO_VALUE, NO_VALUE, NO_VALUE
    return (
        state.map.title(expedition.start),
        state.map.title(expedition.target),
        str(expedition.vp),
        str(expedition.silver),
    )


def hands_table(state: State) -> Table:
    """The cards in each hand, and those on the table."""
    rows = [(seat, card_counts_text(state.hands[seat])) for seat in state.seats]
    rows += [("on the table", card_counts_text(state.table))] if state.table else []
    return Table("Hands", ("player", "cards"), tuple(rows), state.seats)


def card_counts_text(cards: tuple[Card, ...]) -> str:
    """Cards in words: `2 gray, joker, 3 face down`."""
    counts = Counter("face down" if card == UNKNOWN else card for card in sorted(cards, key=(UNKNOWN).__eq__))
    return (
        ", ".join(f"{count} {card}" if count > 1 or card == "face down" else card for card, count in counts.items())
        or NO_VALUE
    )


def adventures_table(state: State) -> Table:
    """The unfinished adventures, and the top adventures of the books."""
    rows = [(seat, *_adventure_cells(state, card)) for seat in state.seats for card in state.unfinished[seat]]
    for half, book in state.books.items():
        rows += [(f"{half} {side}", *_adventure_cells(state, book.half(side)[-1])) for side in SIDES if book.half(side)]
    seats = tuple(row[0] if row[0] in state.seats else "" for row in rows)
    headings = ("where", "card", "what", "to", "silver", "VP")
    return Table("Adventures", headings, tuple(rows), seats, numbers=headings[4:])


def _adventure_cells(state: State, card: str) -> tuple[str, str, str, str, str]:
    adventure = state.map.adventures.get(card)
    if adventure is None:
        return card, "face down", NO_VALUE, NO_VALUE, NO_VALUE
    reward = adventure.artifact or f"{adventure.assistant} assistant"
    return (
        card,
        reward,
        state.map.title(adventure.target),
        str(adventure.silver or NO_VALUE),
        str(adventure.vp or NO_VALUE),
    )


def finished_table(state: State) -> Table:
    """The visible cards under company cards (AMB-13)."""
    rows = []
    for seat in filter(state.sees_finished, state.seats):
        cards = [_expedition_or_adventure(state, card) for card in state.finished[seat]]
        rows += [(seat, ", ".join(cards))] if cards else []
    return Table("Under the company cards", ("player", "cards"), tuple(rows), tuple(row[0] for row in rows))


def _expedition_or_adventure(state: State, card: str) -> str:
    return f"{card} ({_adventure_cells(state, card)[1]})" if card in state.map.adventures else card


def piles_table(state: State) -> Table:
    """The cards left in the pile, the books, the stack and the supply."""
    book_rows = [
        (f"{half} book", f"left {len(book.left)}, right {len(book.right)}") for half, book in state.books.items()
    ]
    back_counts = Counter(_back_of(state, card) for card in reversed(state.stack))
    supply_text = ", ".join(f"{colour} {supply_left}" for colour, supply_left in state.supply.items())
    rows = (
        ("travel cards", f"{len(state.pile)} in the pile, {len(state.discards)} discarded"),
        *book_rows,
        ("expeditions", ", ".join(f"{count} {back}" for back, count in back_counts.items()) or NO_VALUE),
        ("assistants", supply_text or NO_VALUE),
    )
    return Table("Piles", ("what", "left"), rows)


def _back_of(state: State, card: str) -> str:
    return state.map.expeditions[card].back if card in state.map.expeditions else card.removesuffix(UNKNOWN)
