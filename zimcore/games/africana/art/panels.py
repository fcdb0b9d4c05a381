"""The panels below the map: companies with their cards, expeditions, and visible adventures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from zimcore.game import Panel, Seat
from zimcore.games.africana.art.symbols import explorer, small_card, symbol
from zimcore.games.africana.cards import UNKNOWN
from zimcore.games.africana.components import Bonus
from zimcore.games.africana.display.status import visible_vp
from zimcore.games.africana.state import SIDES, State
from zimcore.toolkit.player_names import with_name
from zimcore.toolkit.svg import EDGED, INK, RULED, SOFT, WRITTEN, tag, text, translate
from zimcore.toolkit.words import numbered

Styles = Mapping[Seat, tuple[str, str]]
"""Ink and paper of each seat."""

ROW, HAND = 52, 430
"""The height of a company's row, and where its cards begin, in units."""
GAP = 9
CARD = (151, 84)
SHEET, COIN, LAUREL = "#f3e3b5", "#cfd3d6", "#e7c66f"
"""The colours of cards, silver and VP."""


def panels(state: State, styles: Styles, width: float) -> Sequence[Panel]:
    """The three panels; none before the set-up."""
    if not state.setup:
        return ()
    return companies(state, styles, width), expeditions(state, styles, width), adventures(state, styles, width)


def companies(state: State, styles: Styles, width: float) -> Panel:
    """A row for each player: VP, silver, markers, the explorer's place, and the hand as far as it is visible."""
    rows = [translate(0, ROW * at, *company(state, seat, styles, width)) for at, seat in enumerate(state.seats)]
    return Panel("Companies", ROW * len(rows), "".join(rows))


def company(state: State, seat: Seat, styles: Styles, width: float) -> Iterator[str]:
    """The row of one player."""
    yield tag("path", d=f"M0 {ROW}H{width:g}", **RULED)
    yield translate(14, 26, explorer(*styles[seat]))
    name = with_name(seat, state.names)
    yield text(36, 32, name, min(16.0, 136 / len(name)), text_anchor="start", font_weight="bold", **WRITTEN)
    yield translate(146, 26, coin(visible_vp(state, seat), LAUREL))
    yield translate(180, 26, coin(str(state.silver[seat]), COIN))
    yield text(204, 24, state.map.title(state.places[seat]), 14, text_anchor="start", **WRITTEN)
    left, finished = state.markers_left(seat), len(state.finished[seat])
    yield text(204, 42, f"{numbered(left, 'marker')} left, {finished} finished", 12.5, text_anchor="start", **SOFT)
    hand = sorted(state.hands[seat], key=lambda card: (card == UNKNOWN, card))
    step = min(30.0, (width - HAND - 26) / max(len(hand) - 1, 1))
    yield from (translate(HAND + 13 + step * at, 26, small_card(card)) for at, card in enumerate(hand))


def coin(words: str, fill: str) -> str:
    """Text in a coloured disc."""
    ring = tag("circle", r=15, fill=fill, stroke=INK, stroke_width=1.2)
    return ring + text(0, 5.5, words, 15, fill=INK, font_weight="bold")


def expeditions(state: State, styles: Styles, width: float) -> Panel:
    """The expeditions on their spaces, the bonus of each space, and who has joined."""
    drawn = []
    for space, (card, bonus) in enumerate(zip(state.spaces, state.box.bonuses, strict=False), 1):
        expedition = state.map.expeditions.get(card)
        if not expedition:
            drawn.append(empty(str(space)))
            continue
        joined = [
            translate(19 * at, 0, explorer(*styles[s]), scale=0.68) for at, s in enumerate(state.markers.get(card, ()))
        ]
        ways = f"{state.map.title(expedition.start)} to", state.map.title(expedition.target)
        drawn.append(
            "".join(
                sheet(f"{space}", ways, expedition.silver, expedition.vp, f"{card} · join: {bonus_of(bonus)}", joined)
            )
        )
    return Panel("Expeditions", *flowing(drawn, width))


def bonus_of(bonus: Bonus) -> str:
    """The bonus for joining, in words."""
    return f"{bonus.silver} silver" if bonus.silver else "a card" if bonus.travel_cards == 1 else "cards"


def empty(name: str) -> str:
    """An empty space."""
    wide, high = CARD
    frame = tag("rect", width=wide, height=high, rx=8, stroke_dasharray="5 5", **RULED)
    return frame + text(wide / 2, high / 2 + 5, f"space {name}: none", 13, **SOFT)


def sheet(name: str, ways: tuple[str, str], silver: int, vp: int, foot: str, more: Sequence[str] = ()) -> Iterator[str]:
    """A card: its name in a corner, its two lines of text, silver and VP, a line at the foot, and pieces on it."""
    wide, high = CARD
    yield tag("rect", width=wide, height=high, rx=8, fill=SHEET, **EDGED)
    left = 34 if name else 10
    if name:
        yield tag("circle", cx=17, cy=18, r=11, fill="#fff6dc", stroke="#8a4b12", stroke_width=1.6)
        yield text(17, 23, name, 14, fill=INK, font_weight="bold")
    yield from (text(left, 21 + 18 * at, way, 13.5, fill=INK, text_anchor="start") for at, way in enumerate(ways))
    prizes = [coin(str(n), fill) for n, fill in ((silver, COIN), (vp, LAUREL)) if n]
    yield from (translate(wide - 18 - 30 * at, 52, prize, scale=0.85) for at, prize in enumerate(reversed(prizes)))
    yield text(9, high - 7, foot, 11.5, fill="#6f5325", text_anchor="start")
    yield translate(16, 53, *more)


def adventures(state: State, styles: Styles, width: float) -> Panel:
    """The top adventures of the books, and each player's unfinished adventures."""
    tops = ((f"{half} book, {side}", book.half(side)) for half, book in state.books.items() for side in SIDES)
    open_: list[tuple[str, str, tuple[str, str] | None]]
    open_ = [(where, cards[-1], None) for where, cards in tops if cards]
    open_ += [(seat, card, styles[seat]) for seat in state.seats for card in state.unfinished[seat]]
    return Panel("Adventures", *flowing([adventure(state, *each) for each in open_], width))


def adventure(state: State, where: str, card: str, style: tuple[str, str] | None) -> str:
    """An adventure, with its book or player."""
    task = state.map.adventures.get(card)
    more = [translate(0, 2, explorer(*style), scale=0.68)] if style else []
    if not task:
        return "".join(sheet("?", ("face down", ""), 0, 0, where, more))
    what = task.artifact or "assistant"
    sign = [translate(26, 0, symbol(task.assistant), scale=0.9)] if task.assistant else []
    ways = f"{what} in", state.map.title(task.target)
    return "".join(sheet("", ways, task.silver, task.vp, f"{card} · {where}", [*more, *sign]))


def flowing(drawn: Sequence[str], width: float) -> tuple[float, str]:
    """Cards side by side in as many rows as needed: their height in units, and the drawing."""
    wide, high = CARD[0] + GAP, CARD[1] + GAP
    row_of = max(1, int((width + GAP) // wide))
    placed = (translate(at % row_of * wide, at // row_of * high, card) for at, card in enumerate(drawn))
    return -(-len(drawn) // row_of) * high, "".join(placed)
