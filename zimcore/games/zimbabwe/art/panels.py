"""The panels below the board: VP and VR in the order of play, plaques, cards, and what is available."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from zimcore.game import Panel, Seat
from zimcore.games.zimbabwe.art import icons
from zimcore.games.zimbabwe.components import CONSTANTS, CRAFTSMEN, SPECIALISTS
from zimcore.games.zimbabwe.state import State
from zimcore.toolkit.player_names import with_name
from zimcore.toolkit.svg import EDGED, INK, RULED, SOFT, WRITTEN, tag, text, translate
from zimcore.toolkit.words import spaced

Styles = Mapping[Seat, tuple[str, str]]
"""Ink and paper of each seat."""

ROW, NAME, RIGHT = 34, 172, 176
"""The height of a player's row, where its track begins, and the room to the right of it, in units."""
CARD, CARD_GAP = (96, 62), 8
PLAQUE = (92, 60)
GOLD = ("#3c2a08", "#e7c66f")
"""Ink and paper of gods' cards and plaques."""


def panels(state: State, styles: Styles, width: float) -> Sequence[Panel]:
    """All panels with something to show; none before the set-up."""
    if not state.seats:
        return ()
    drawings = [track(state, styles, width)]
    if state.phase == "bidding":
        drawings.append(plaques(state, styles, width))
    if state.technologies or state.adores or any(state.specialists.values()):
        drawings.append(cards(state, styles, width))
    return (*drawings, offers(state, width))


def track(state: State, styles: Styles, width: float) -> Panel:
    """A row for each player in the order of play: VP as a bar, VR as a flag, cattle and income."""
    seats = state.order or state.queue
    most = max(CONSTANTS.max_vr, *state.vp.values())
    unit = (width - NAME - RIGHT) / most
    foot = ROW * len(seats)
    scale = [translate(NAME + unit * n, 0, tag("path", d=f"M0 2V{foot}", **RULED)) for n in range(0, most + 1, 5)]
    scale += [text(NAME + unit * n, foot + 15, str(n), 12, **SOFT) for n in range(0, most + 1, 10)]
    rows = [translate(0, ROW * at, *row(state, seat, at + 1, styles, unit, width)) for at, seat in enumerate(seats)]
    return Panel("Victory points, and the requirement", foot + 22, "".join((*scale, *rows)))


def row(state: State, seat: Seat, place: int, styles: Styles, unit: float, width: float) -> Iterator[str]:
    """The row of one player."""
    ink, paper = styles[seat]
    vp, vr = state.vp[seat], state.vr[seat]
    bar, flag = NAME + unit * vp, NAME + unit * vr
    yield text(10, 23, f"{place}.", 15, **SOFT)
    yield translate(36, 17, icons.tower(3, ink, paper), scale=0.66)
    name = with_name(seat, state.setup.names)
    yield text(56, 23, name, fitting(name, 16, NAME - 62), text_anchor="start", font_weight="bold", **WRITTEN)
    yield tag("rect", x=NAME, y=7, width=max(unit * vp, 1), height=20, rx=3, fill=paper, **EDGED)
    covered = flag - 2 < bar < flag + 60  # the flag would cover the number at the end of the bar
    if unit * vp > 24:
        bar = min(bar, flag) if covered else bar
        yield text(bar - 5, 23, str(vp), 16, fill=ink, text_anchor="end", font_weight="bold")
    else:
        yield text(bar + 5, 23, str(vp), 16, text_anchor="start", font_weight="bold", **WRITTEN)
    shape = f"M{flag:.1f} 3h30v18h-27v10h-3Z"
    yield tag("path", d=shape, fill="#fff6dc", stroke="#b3261e", stroke_width=1.4, stroke_linejoin="round")
    yield text(flag + 16, 17.5, str(vr), 15, fill="#8f1d17", font_weight="bold")
    held = sum(state.cattle[card] for card in state.cards_of(seat))
    income = state.income(seat) + state.god_modifiers(seat).income
    left = width - RIGHT + 52
    yield translate(left, 17, icons.cow())
    yield text(left + 14, 23, f"{state.cattle[seat]}", 17, text_anchor="start", font_weight="bold", **WRITTEN)
    yield text(left + 40, 23, f"+{income}" + (f", {held} on cards" if held else ""), 12, text_anchor="start", **SOFT)


def plaques(state: State, styles: Styles, width: float) -> Panel:
    """The plaques in their queue, their cattle (R-BID-01), and who has passed."""
    across = PLAQUE[0] + CARD_GAP
    row_of = max(1, int((width + CARD_GAP) // across))
    drawn = []
    for at, plaque in enumerate(state.plaques):
        ink, paper = styles.get(plaque, GOLD)
        there = ((at % row_of) * across, at // row_of * (PLAQUE[1] + CARD_GAP))
        words = "passed" if plaque in state.passed else "to bid" if plaque == state.actor else ""
        drawn.append(translate(*there, *plaque_of(plaque, state.cattle.get(f"plaque/{plaque}", 0), ink, paper, words)))
    lines = -(-len(state.plaques) // row_of)
    gift = f": {state.gift} are given" if state.gift else ""
    return Panel(f"Generosity of kings{gift}", lines * (PLAQUE[1] + CARD_GAP), "".join(drawn))


def plaque_of(name: str, cattle: int, ink: str, paper: str, words: str) -> Iterator[str]:
    """A plaque with its name, cattle and words."""
    wide, high = PLAQUE
    yield tag("rect", width=wide, height=high, rx=9, fill=paper, **EDGED)
    yield text(wide / 2, 17, name, fitting(name, 14, wide - 10), fill=ink, font_weight="bold")
    yield translate(wide / 2 - 13, 34, icons.cow())
    yield text(wide / 2 + 3, 40, str(cattle), 18, fill=ink, text_anchor="start", font_weight="bold")
    yield text(wide / 2, 55, words, 11, fill=ink, font_style="italic")


def cards(state: State, styles: Styles, width: float) -> Panel:
    """Each player's god, specialists and technologies: VR, price, and the cattle on them."""
    drawn, y, left = [], 0.0, 116
    row_of = max(1, int((width - left + CARD_GAP) // (CARD[0] + CARD_GAP)))
    for seat in state.order or state.queue:
        ink, paper = styles[seat]
        rest = list(cards_of(state, seat, ink, paper))
        if not rest:
            continue
        drawn.append(translate(14, y + 18, icons.tower(3, ink, paper), scale=0.66))
        drawn.append(text(30, y + 24, seat, fitting(seat, 15, left - 36), text_anchor="start", **WRITTEN))
        for at, card in enumerate(rest):
            x = left + at % row_of * (CARD[0] + CARD_GAP)
            drawn.append(translate(x, y + at // row_of * (CARD[1] + CARD_GAP), card))
        y += -(-len(rest) // row_of) * (CARD[1] + CARD_GAP) + 4
    return Panel("Cards", y, "".join(drawn))


def cards_of(state: State, seat: Seat, ink: str, paper: str) -> Iterator[str]:
    """The cards of a player: gods and specialists in gold, technologies in the player's colour."""
    god = state.adores.get(seat)
    if god:
        yield card(god, f"{state.setup.gods[god]:+} VR", "", state.cattle.get(f"{seat}/{god}", 0), *GOLD)
    for name in state.specialists_of(seat):
        vr, costs = state.setup.specialists[name], SPECIALISTS[name].costs
        yield card(
            name, f"{vr:+} VR", str(costs[0]) if len(costs) == 1 else "", state.cattle.get(f"{seat}/{name}", 0), *GOLD
        )
    for type_, t in state.technologies_of(seat).items():
        cattle = state.cattle.get(f"{seat}/{type_}", 0)
        sign = translate(17, 40, icons.tool(type_, ink), scale=0.95)
        yield card(type_, f"{t.vr:+} VR", str(t.price or ""), cattle, ink, paper, sign)


def card(name: str, vr: str, price: str, cattle: int, ink: str, paper: str, sign: str = "") -> str:
    """A card with its name, VR, price and cattle."""
    wide, high = CARD
    words = spaced(name)
    parts = [
        tag("rect", width=wide, height=high, rx=7, fill=paper, **EDGED),
        text(wide / 2, 17, words, fitting(words, 14, wide - 10), fill=ink, font_weight="bold"),
        sign,
        text(29 if sign else 9, 39, vr, 11 if sign else 12, fill=ink, text_anchor="start"),
    ]
    if price:
        ring = tag("circle", r=11, fill="#fff6dc", stroke=INK, stroke_width=1.2)
        letters = text(0, 5.5, price, 16, fill=INK, font_weight="bold")
        parts.append(translate(wide - 17, 41, ring, letters))
    if cattle:
        parts.append(translate(wide / 2 - 9, 51, icons.cow(), scale=0.62))
        parts.append(text(wide / 2 + 2, 55.5, str(cattle), 13, fill=ink, text_anchor="start", font_weight="bold"))
    return "".join(parts)


def offers(state: State, width: float) -> Panel:
    """The gods and specialists available with their VR, and the VR of each technology's next card."""
    waiting = {god: state.cattle.get(f"card/{god}", 0) for god in state.setup.gods}
    gods = [
        f"{god} {vr:+}" + (f" ({waiting[god]} cattle on it)" if waiting[god] else "")
        for god, vr in state.setup.gods.items()
        if not state.adorer_of(god)
    ]
    hired = [f"{name} {state.setup.specialists[name]:+}" for name, owner in state.specialists.items() if not owner]
    kinds = (("gods", gods), ("specialists", hired), ("technologies", list(technologies(state))))
    drawn, y = [], 0.0
    for title, names in kinds:
        if names:
            drawn.append(text(0, y + 16, title, 13, text_anchor="start", font_style="italic", **SOFT))
            parts, y = chips(names, width, y)
            drawn += parts
    return Panel("Available, with its VR", y, "".join(drawn))


def technologies(state: State) -> Iterator[str]:
    """The types of craftsmen with the VR of their next card, and how many can still be placed."""
    for type_, craftsman in CRAFTSMEN.items():
        taken, left = len(state.owners(type_)), CONSTANTS.craftsmen_per_type - len(state.of_type(type_))
        if left:
            next_ = f" {craftsman.vr[taken]:+}" if taken < len(craftsman.vr) else ""
            yield f"{type_}{next_}, {left} left"


def chips(names: Iterable[str], width: float, top: float) -> tuple[list[str], float]:
    """Names on small plates side by side in as many rows as needed, and the height where they end."""
    left, y, drawn = 116.0, top, []
    x = left
    for name in names:
        words = spaced(name)
        wide = 7.1 * len(words) + 14
        if x + wide > width and x > left:
            x, y = left, y + 26
        plate = tag("rect", width=wide, height=21, rx=10.5, fill=GOLD[1], stroke="#8a6a34", stroke_width=1)
        drawn.append(translate(x, y, plate, text(wide / 2, 15, words, 13, fill=GOLD[0])))
        x += wide + 7
    return drawn, y + 30


def fitting(words: str, size: float, room: float) -> float:
    """The font size, at most `size`, at which bold words fit into `room` units."""
    return round(min(size, room / (0.72 * max(len(words), 1))), 1)
