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
from zimcore.toolkit.svg import EDGE_STYLE, FAINT_STYLE, INK, LINE_STYLE, TEXT_STYLE, tag, text, translate
from zimcore.toolkit.words import numbered

Styles = Mapping[Seat, tuple[str, str]]
"""Ink and paper of each seat."""

ROW_HEIGHT, HAND_X = 52, 430
"""The height of a company's row, and where its cards begin, in units."""
CARD_GAP = 9
CARD_SIZE = (151, 84)
CARD_COLOUR, SILVER_COLOUR, VP_COLOUR = "#f3e3b5", "#cfd3d6", "#e7c66f"
"""The colours of cards, silver and VP."""


def panels(state: State, styles: Styles, width: float) -> Sequence[Panel]:
    """The three panels; none before the set-up."""
    if not state.setup:
        return ()
    return (
        companies_panel(state, styles, width),
        expeditions_panel(state, styles, width),
        adventures_panel(state, styles, width),
    )


def companies_panel(state: State, styles: Styles, width: float) -> Panel:
    """A row for each player: VP, silver, markers, the explorer's place, and the hand as far as it is visible."""
    rows = [
        translate(0, ROW_HEIGHT * index, *company_row(state, seat, styles, width))
        for index, seat in enumerate(state.seats)
    ]
    return Panel("Companies", ROW_HEIGHT * len(rows), "".join(rows))


def company_row(state: State, seat: Seat, styles: Styles, width: float) -> Iterator[str]:
    """The row of one player."""
    yield tag("path", d=f"M0 {ROW_HEIGHT}H{width:g}", **LINE_STYLE)
    yield translate(14, 26, explorer(*styles[seat]))
    name = with_name(seat, state.names)
    yield text(36, 32, name, min(16.0, 136 / len(name)), text_anchor="start", font_weight="bold", **TEXT_STYLE)
    yield translate(146, 26, coin(visible_vp(state, seat), VP_COLOUR))
    yield translate(180, 26, coin(str(state.silver[seat]), SILVER_COLOUR))
    yield text(204, 24, state.map.title(state.places[seat]), 14, text_anchor="start", **TEXT_STYLE)
    markers_left, finished_count = state.markers_left(seat), len(state.finished[seat])
    yield text(
        204,
        42,
        f"{numbered(markers_left, 'marker')} left, {finished_count} finished",
        12.5,
        text_anchor="start",
        **FAINT_STYLE,
    )
    hand = sorted(state.hands[seat], key=lambda card: (card == UNKNOWN, card))
    card_distance = min(30.0, (width - HAND_X - 26) / max(len(hand) - 1, 1))
    yield from (translate(HAND_X + 13 + card_distance * index, 26, small_card(card)) for index, card in enumerate(hand))


def coin(label: str, fill: str) -> str:
    """Text in a coloured disc."""
    ring = tag("circle", r=15, fill=fill, stroke=INK, stroke_width=1.2)
    return ring + text(0, 5.5, label, 15, fill=INK, font_weight="bold")


def expeditions_panel(state: State, styles: Styles, width: float) -> Panel:
    """The expeditions on their spaces, the bonus of each space, and who has joined."""
    drawings = []
    for space, (card, bonus) in enumerate(zip(state.spaces, state.box.bonuses, strict=False), 1):
        expedition = state.map.expeditions.get(card)
        if not expedition:
            drawings.append(empty_space(str(space)))
            continue
        explorer_drawings = [
            translate(19 * index, 0, explorer(*styles[joiner]), scale=0.68)
            for index, joiner in enumerate(state.markers.get(card, ()))
        ]
        lines = f"{state.map.title(expedition.start)} to", state.map.title(expedition.target)
        drawings.append(
            "".join(
                card_drawing(
                    f"{space}",
                    lines,
                    expedition.silver,
                    expedition.vp,
                    f"{card} · join: {bonus_text(bonus)}",
                    explorer_drawings,
                )
            )
        )
    return Panel("Expeditions", *lay_out(drawings, width))


def bonus_text(bonus: Bonus) -> str:
    """The bonus for joining, in words."""
    return f"{bonus.silver} silver" if bonus.silver else "a card" if bonus.travel_cards == 1 else "cards"


def empty_space(name: str) -> str:
    """An empty space."""
    width, height = CARD_SIZE
    frame = tag("rect", width=width, height=height, rx=8, stroke_dasharray="5 5", **LINE_STYLE)
    return frame + text(width / 2, height / 2 + 5, f"space {name}: none", 13, **FAINT_STYLE)


def card_drawing(
    name: str, lines: tuple[str, str], silver: int, vp: int, footer: str, pieces: Sequence[str] = ()
) -> Iterator[str]:
    """A card: its name in a corner, its two lines of text, silver and VP, a line at the foot, and pieces on it."""
    width, height = CARD_SIZE
    yield tag("rect", width=width, height=height, rx=8, fill=CARD_COLOUR, **EDGE_STYLE)
    text_x = 34 if name else 10
    if name:
        yield tag("circle", cx=17, cy=18, r=11, fill="#fff6dc", stroke="#8a4b12", stroke_width=1.6)
        yield text(17, 23, name, 14, fill=INK, font_weight="bold")
    yield from (
        text(text_x, 21 + 18 * index, line, 13.5, fill=INK, text_anchor="start") for index, line in enumerate(lines)
    )
    prize_coins = [coin(str(amount), fill) for amount, fill in ((silver, SILVER_COLOUR), (vp, VP_COLOUR)) if amount]
    yield from (
        translate(width - 18 - 30 * index, 52, prize_coin, scale=0.85)
        for index, prize_coin in enumerate(reversed(prize_coins))
    )
    yield text(9, height - 7, footer, 11.5, fill="#6f5325", text_anchor="start")
    yield translate(16, 53, *pieces)


def adventures_panel(state: State, styles: Styles, width: float) -> Panel:
    """The top adventures of the books, and each player's unfinished adventures."""
    top_halves = ((f"{half} book, {side}", book.half(side)) for half, book in state.books.items() for side in SIDES)
    visible_adventures: list[tuple[str, str, tuple[str, str] | None]]
    visible_adventures = [(location, cards[-1], None) for location, cards in top_halves if cards]
    visible_adventures += [(seat, card, styles[seat]) for seat in state.seats for card in state.unfinished[seat]]
    return Panel(
        "Adventures",
        *lay_out([adventure_drawing(state, *visible_adventure) for visible_adventure in visible_adventures], width),
    )


def adventure_drawing(state: State, owner: str, card: str, owner_style: tuple[str, str] | None) -> str:
    """An adventure, with its book or player."""
    adventure = state.map.adventures.get(card)
    pieces = [translate(0, 2, explorer(*owner_style), scale=0.68)] if owner_style else []
    if not adventure:
        return "".join(card_drawing("?", ("face down", ""), 0, 0, owner, pieces))
    reward = adventure.artifact or "assistant"
    assistant_signs = [translate(26, 0, symbol(adventure.assistant), scale=0.9)] if adventure.assistant else []
    lines = f"{reward} in", state.map.title(adventure.target)
    return "".join(
        card_drawing("", lines, adventure.silver, adventure.vp, f"{card} · {owner}", [*pieces, *assistant_signs])
    )


def lay_out(drawings: Sequence[str], width: float) -> tuple[float, str]:
    """Cards side by side in as many rows as needed: their height in units, and the drawing."""
    column_width, row_height = CARD_SIZE[0] + CARD_GAP, CARD_SIZE[1] + CARD_GAP
    cards_per_row = max(1, int((width + CARD_GAP) // column_width))
    placed_drawings = (
        translate(index % cards_per_row * column_width, index // cards_per_row * row_height, drawing)
        for index, drawing in enumerate(drawings)
    )
    return -(-len(drawings) // cards_per_row) * row_height, "".join(placed_drawings)
