"""The panels below the board: VP and VR in the order of play, plaques, cards, and what is available."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from zimcore.game import Panel, Seat
from zimcore.games.zimbabwe.art import icons
from zimcore.games.zimbabwe.components import CONSTANTS, CRAFTSMEN, SPECIALISTS
from zimcore.games.zimbabwe.state import State
from zimcore.toolkit.player_names import with_name
from zimcore.toolkit.svg import EDGE_STYLE, FAINT_STYLE, INK, LINE_STYLE, TEXT_STYLE, tag, text, translate
from zimcore.toolkit.words import spaced

Styles = Mapping[Seat, tuple[str, str]]
"""Ink and paper of each seat."""

ROW_HEIGHT, TRACK_X, RIGHT_WIDTH = 34, 172, 176
"""The height of a player's row, where its track begins, and the room to the right of it, in units."""
CARD_SIZE, CARD_GAP = (96, 62), 8
PLAQUE_SIZE = (92, 60)
GOLD_COLOURS = ("#3c2a08", "#e7c66f")
"""Ink and paper of gods' cards and plaques."""


def panels(state: State, styles: Styles, width: float) -> Sequence[Panel]:
    """All panels with something to show; none before the set-up."""
    if not state.seats:
        return ()
    drawings = [track_panel(state, styles, width)]
    if state.phase == "bidding":
        drawings.append(plaques_panel(state, styles, width))
    if state.technologies or state.adores or any(state.specialists.values()):
        drawings.append(cards_panel(state, styles, width))
    return (*drawings, available_panel(state, width))


def track_panel(state: State, styles: Styles, width: float) -> Panel:
    """A row for each player in the order of play: VP as a bar, VR as a flag, cattle and income."""
    seats = state.order or state.queue
    scale_end = max(CONSTANTS.max_vr, *state.vp.values())
    units_per_point = (width - TRACK_X - RIGHT_WIDTH) / scale_end
    rows_height = ROW_HEIGHT * len(seats)
    scale_drawings = [
        translate(TRACK_X + units_per_point * points, 0, tag("path", d=f"M0 2V{rows_height}", **LINE_STYLE))
        for points in range(0, scale_end + 1, 5)
    ]
    scale_drawings += [
        text(TRACK_X + units_per_point * points, rows_height + 15, str(points), 12, **FAINT_STYLE)
        for points in range(0, scale_end + 1, 10)
    ]
    rows = [
        translate(0, ROW_HEIGHT * index, *player_row(state, seat, index + 1, styles, units_per_point, width))
        for index, seat in enumerate(seats)
    ]
    return Panel("Victory points, and the requirement", rows_height + 22, "".join((*scale_drawings, *rows)))


def player_row(
    state: State, seat: Seat, place: int, styles: Styles, units_per_point: float, width: float
) -> Iterator[str]:
    """The row of one player."""
    ink, paper = styles[seat]
    vp, vr = state.vp[seat], state.vr[seat]
    bar_end, flag_x = TRACK_X + units_per_point * vp, TRACK_X + units_per_point * vr
    yield text(10, 23, f"{place}.", 15, **FAINT_STYLE)
    yield translate(36, 17, icons.tower(3, ink, paper), scale=0.66)
    name = with_name(seat, state.setup.names)
    yield text(
        56, 23, name, fitting_font_size(name, 16, TRACK_X - 62), text_anchor="start", font_weight="bold", **TEXT_STYLE
    )
    yield tag("rect", x=TRACK_X, y=7, width=max(units_per_point * vp, 1), height=20, rx=3, fill=paper, **EDGE_STYLE)
    is_covered = flag_x - 2 < bar_end < flag_x + 60  # the flag would cover the number at the end of the bar
    if units_per_point * vp > 24:
        bar_end = min(bar_end, flag_x) if is_covered else bar_end
        yield text(bar_end - 5, 23, str(vp), 16, fill=ink, text_anchor="end", font_weight="bold")
    else:
        yield text(bar_end + 5, 23, str(vp), 16, text_anchor="start", font_weight="bold", **TEXT_STYLE)
    flag_shape = f"M{flag_x:.1f} 3h30v18h-27v10h-3Z"
    yield tag("path", d=flag_shape, fill="#fff6dc", stroke="#b3261e", stroke_width=1.4, stroke_linejoin="round")
    yield text(flag_x + 16, 17.5, str(vr), 15, fill="#8f1d17", font_weight="bold")
    cattle_on_cards = sum(state.cattle[card] for card in state.card_accounts_of(seat))
    income = state.income(seat) + state.god_modifiers(seat).income
    cattle_x = width - RIGHT_WIDTH + 52
    yield translate(cattle_x, 17, icons.cow())
    yield text(cattle_x + 14, 23, f"{state.cattle[seat]}", 17, text_anchor="start", font_weight="bold", **TEXT_STYLE)
    yield text(
        cattle_x + 40,
        23,
        f"+{income}" + (f", {cattle_on_cards} on cards" if cattle_on_cards else ""),
        12,
        text_anchor="start",
        **FAINT_STYLE,
    )


def plaques_panel(state: State, styles: Styles, width: float) -> Panel:
    """The plaques in their queue, their cattle (R-BID-01), and who has passed."""
    plaque_width = PLAQUE_SIZE[0] + CARD_GAP
    plaques_per_row = max(1, int((width + CARD_GAP) // plaque_width))
    drawings = []
    for index, plaque in enumerate(state.plaques):
        ink, paper = styles.get(plaque, GOLD_COLOURS)
        position = ((index % plaques_per_row) * plaque_width, index // plaques_per_row * (PLAQUE_SIZE[1] + CARD_GAP))
        status = "passed" if plaque in state.passed_seats else "to bid" if plaque == state.actor else ""
        drawings.append(
            translate(*position, *plaque_drawing(plaque, state.cattle.get(f"plaque/{plaque}", 0), ink, paper, status))
        )
    row_count = -(-len(state.plaques) // plaques_per_row)
    gift_text = f": {state.gift} are given" if state.gift else ""
    return Panel(f"Generosity of kings{gift_text}", row_count * (PLAQUE_SIZE[1] + CARD_GAP), "".join(drawings))


def plaque_drawing(name: str, cattle: int, ink: str, paper: str, status: str) -> Iterator[str]:
    """A plaque with its name, cattle and words."""
    width, height = PLAQUE_SIZE
    yield tag("rect", width=width, height=height, rx=9, fill=paper, **EDGE_STYLE)
    yield text(width / 2, 17, name, fitting_font_size(name, 14, width - 10), fill=ink, font_weight="bold")
    yield translate(width / 2 - 13, 34, icons.cow())
    yield text(width / 2 + 3, 40, str(cattle), 18, fill=ink, text_anchor="start", font_weight="bold")
    yield text(width / 2, 55, status, 11, fill=ink, font_style="italic")


def cards_panel(state: State, styles: Styles, width: float) -> Panel:
    """Each player's god, specialists and technologies: VR, price, and the cattle on them."""
    drawings, y, left_edge = [], 0.0, 116
    cards_per_row = max(1, int((width - left_edge + CARD_GAP) // (CARD_SIZE[0] + CARD_GAP)))
    for seat in state.order or state.queue:
        ink, paper = styles[seat]
        cards_of_seat = list(card_drawings(state, seat, ink, paper))
        if not cards_of_seat:
            continue
        drawings.append(translate(14, y + 18, icons.tower(3, ink, paper), scale=0.66))
        drawings.append(
            text(30, y + 24, seat, fitting_font_size(seat, 15, left_edge - 36), text_anchor="start", **TEXT_STYLE)
        )
        for index, card in enumerate(cards_of_seat):
            x = left_edge + index % cards_per_row * (CARD_SIZE[0] + CARD_GAP)
            drawings.append(translate(x, y + index // cards_per_row * (CARD_SIZE[1] + CARD_GAP), card))
        y += -(-len(cards_of_seat) // cards_per_row) * (CARD_SIZE[1] + CARD_GAP) + 4
    return Panel("Cards", y, "".join(drawings))


def card_drawings(state: State, seat: Seat, ink: str, paper: str) -> Iterator[str]:
    """The cards of a player: gods and specialists in gold, technologies in the player's colour."""
    god = state.adores.get(seat)
    if god:
        yield card_drawing(
            god, f"{state.setup.gods[god]:+} VR", "", state.cattle.get(f"{seat}/{god}", 0), *GOLD_COLOURS
        )
    for name in state.specialists_of(seat):
        vr, costs = state.setup.specialists[name], SPECIALISTS[name].costs
        yield card_drawing(
            name,
            f"{vr:+} VR",
            str(costs[0]) if len(costs) == 1 else "",
            state.cattle.get(f"{seat}/{name}", 0),
            *GOLD_COLOURS,
        )
    for type_, technology in state.technologies_of(seat).items():
        cattle = state.cattle.get(f"{seat}/{type_}", 0)
        sign = translate(17, 40, icons.tool(type_, ink), scale=0.95)
        yield card_drawing(type_, f"{technology.vr:+} VR", str(technology.price or ""), cattle, ink, paper, sign)


def card_drawing(name: str, vr: str, price: str, cattle: int, ink: str, paper: str, sign: str = "") -> str:
    """A card with its name, VR, price and cattle."""
    width, height = CARD_SIZE
    name_text = spaced(name)
    drawings = [
        tag("rect", width=width, height=height, rx=7, fill=paper, **EDGE_STYLE),
        text(width / 2, 17, name_text, fitting_font_size(name_text, 14, width - 10), fill=ink, font_weight="bold"),
        sign,
        text(29 if sign else 9, 39, vr, 11 if sign else 12, fill=ink, text_anchor="start"),
    ]
    if price:
        ring = tag("circle", r=11, fill="#fff6dc", stroke=INK, stroke_width=1.2)
        price_text = text(0, 5.5, price, 16, fill=INK, font_weight="bold")
        drawings.append(translate(width - 17, 41, ring, price_text))
    if cattle:
        drawings.append(translate(width / 2 - 9, 51, icons.cow(), scale=0.62))
        drawings.append(text(width / 2 + 2, 55.5, str(cattle), 13, fill=ink, text_anchor="start", font_weight="bold"))
    return "".join(drawings)


def available_panel(state: State, width: float) -> Panel:
    """The gods and specialists available with their VR, and the VR of each technology's next card."""
    waiting_cattle = {god: state.cattle.get(f"card/{god}", 0) for god in state.setup.gods}
    god_texts = [
        f"{god} {vr:+}" + (f" ({waiting_cattle[god]} cattle on it)" if waiting_cattle[god] else "")
        for god, vr in state.setup.gods.items()
        if not state.adorer_of(god)
    ]
    specialist_texts = [
        f"{name} {state.setup.specialists[name]:+}" for name, owner in state.specialists.items() if not owner
    ]
    titled_names = (
        ("gods", god_texts),
        ("specialists", specialist_texts),
        ("technologies", list(available_technologies(state))),
    )
    drawings, y = [], 0.0
    for title, names in titled_names:
        if names:
            drawings.append(text(0, y + 16, title, 13, text_anchor="start", font_style="italic", **FAINT_STYLE))
            chip_drawings, y = chips(names, width, y)
            drawings += chip_drawings
    return Panel("Available, with its VR", y, "".join(drawings))


def available_technologies(state: State) -> Iterator[str]:
    """The types of craftsmen with the VR of their next card, and how many can still be placed."""
    for type_, craftsman in CRAFTSMEN.items():
        card_count, tiles_left = (
            len(state.owners_of(type_)),
            CONSTANTS.craftsmen_per_type - len(state.craftsmen_of_type(type_)),
        )
        if tiles_left:
            next_vr = f" {craftsman.vr[card_count]:+}" if card_count < len(craftsman.vr) else ""
            yield f"{type_}{next_vr}, {tiles_left} left"


def chips(names: Iterable[str], width: float, top: float) -> tuple[list[str], float]:
    """Names on small plates side by side in as many rows as needed, and the height where they end."""
    left_edge, y, drawings = 116.0, top, []
    x = left_edge
    for name in names:
        name_text = spaced(name)
        chip_width = 7.1 * len(name_text) + 14
        if x + chip_width > width and x > left_edge:
            x, y = left_edge, y + 26
        plate = tag(
            "rect", width=chip_width, height=21, rx=10.5, fill=GOLD_COLOURS[1], stroke="#8a6a34", stroke_width=1
        )
        drawings.append(translate(x, y, plate, text(chip_width / 2, 15, name_text, 13, fill=GOLD_COLOURS[0])))
        x += chip_width + 7
    return drawings, y + 30


def fitting_font_size(label: str, max_size: float, max_width: float) -> float:
    """The font size, at most `max_size`, at which a bold label fits into `max_width` units."""
    return round(min(max_size, max_width / (0.72 * max(len(label), 1))), 1)
