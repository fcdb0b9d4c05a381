"""A position as data: the board, the standings, the cards, and the figures that expressions speak of."""

from __future__ import annotations

from typing import Any

from zimcore.game import Board, Cell, Seat, Table, View
from zimcore.games.zimbabwe.board import square_name
from zimcore.games.zimbabwe.components import BOX, CONSTANTS, CRAFTSMEN, RESOURCES, SPECIALISTS
from zimcore.games.zimbabwe.state import State

LETTERS = {
    "wood_carver": "WC",
    "potter": "PO",
    "ivory_carver": "IC",
    "diamond_cutter": "DC",
    "sculptor": "SC",
    "vessel_maker": "VM",
    "throne_maker": "TM",
}
COLOURS = {empire.name: empire.colour for empire in BOX.empires}
NONE = "-"


def view(state: State) -> View:
    """All there is to see: nothing in this game is hidden."""
    return View(
        status=status(state),
        actor=state.actor,
        over=state.phase == "over",
        board=board(state),
        tables=(standings(state), cards(state), supplies(state)),
        colours={seat: COLOURS[seat] for seat in state.seats},
        toolbar=toolbar(state),
    )


def status(state: State) -> str:
    """One line: the round, and what is to be done by whom."""
    actor = (state.actor or "").title()
    match state.phase:
        case "setup":
            return f"set-up · {actor} to place the first monument"
        case "bidding":
            return f"round {state.round} · {actor} to bid {state.gift + 1} or more"
        case "actions":
            return f"round {state.round} · {actor}{_what_is_left(state)}"
        case "over":
            return f"round {state.round} · {(state.winner or '').title()} has won"
    return "not set up"


def _what_is_left(state: State) -> str:
    done = {"build": "has built", "craft": "is placing craftsmen", "raise": "has raised monuments"}
    if state.turn.action == "craft" and state.turn.window not in ("craftsmen", "raising"):
        return " has placed craftsmen"
    return f" {done[state.turn.action]}" if state.turn.action else " to act"


def toolbar(state: State) -> str:
    """Everybody's VP, VR and cattle in a few words."""
    return "  ".join(f"{seat} {state.vp[seat]}/{state.vr[seat]} {state.cattle[seat]}c" for seat in state.seats)


def board(state: State) -> Board:
    """The squares, row by row."""
    width, height = range(state.board.width), range(state.board.height)
    pieces = _pieces(state)
    rows = [[square_name(x, y) for x in width] for y in height]
    return Board(
        columns=tuple(square_name(x, 0)[0] for x in width),
        rows=tuple(str(y + 1) for y in height),
        cells=tuple(tuple(pieces.get(square) or _ground(state, square) for square in row) for row in rows),
        legend=_legend(state),
    )


def _ground(state: State, square: str) -> Cell:
    place = state.board.square.get(square, 0)
    if not place:
        return Cell(square, "", "void")
    if place & state.board.water:
        return Cell(square, "~", "water")
    if place & state.starts:
        return Cell(square, "o", "start")
    return Cell(square, ".", "land")


def _pieces(state: State) -> dict[str, Cell]:
    """Everything that stands or lies on the ground."""
    cells = {}
    for resource, squares in state.resources.items():
        for square in state.board.names(squares):
            used = state.used.get(square, 0)
            cells[square] = Cell(square, resource[0] + "*" * used, "resource", resource, marks=used)
    for craftsman in state.craftsmen:
        texts = (LETTERS[craftsman.type], _initials(craftsman.owner), "", "")
        for square, text in zip(craftsman.squares, texts, strict=False):
            cells[square] = Cell(square, text, "craftsman", craftsman.type, craftsman.owner, piece=craftsman.at)
    for square, monument in state.monuments.items():
        text = f"{_initials(monument.owner)}{monument.level}"
        cells[square] = Cell(square, text, "monument", str(monument.level), monument.owner, marks=monument.level)
    return cells


def _initials(seat: Seat) -> str:
    return seat[:2].title()


def _legend(state: State) -> tuple[tuple[str, str], ...]:
    ground = ((".", "land"), ("~", "water"), ("o", "start area"))
    resources = tuple((resource[0], resource) for resource in RESOURCES)
    marks = (("w*", "used"), (f"{_initials(state.seats[0])}3" if state.seats else "", "a monument of level 3"))
    return (*ground, *resources, *marks, *((LETTERS[t], t.replace("_", " ")) for t in CRAFTSMEN))


def standings(state: State) -> Table:
    """One row a player, in the order of play where there is one, else as the VR markers lie."""
    seats = state.order or state.queue
    heads = ("player", "VP", "VR", "to go", "cattle", "on cards", "income", "god", "specialists")
    return Table("Standings", heads, tuple(_standing(state, seat) for seat in seats), seats)


def _standing(state: State, seat: Seat) -> tuple[str, ...]:
    vp, vr = state.vp[seat], state.vr[seat]
    cards_ = sum(state.cattle[card] for card in state.cards_of(seat))
    figures = (vp, vr, max(vr - vp, 0), state.cattle[seat], cards_, state.income(seat) + state.blessing(seat).income)
    return (seat, *map(str, figures), state.adores.get(seat, NONE), ", ".join(state.specialists_of(seat)) or NONE)


def cards(state: State) -> Table:
    """Technology cards with their prices and cattle, and cards of gods and specialists that hold cattle."""
    rows = []
    for card, t in state.technologies.items():
        seat, _, type_ = card.partition("/")
        rows.append((seat, type_, str(t.card), str(t.vr), str(t.price), str(state.cattle.get(card, 0))))
    for seat in state.seats:
        others = [card for card in state.cards_of(seat) if card not in state.technologies and state.cattle[card]]
        rows += [(seat, card.partition("/")[2], NONE, NONE, NONE, str(state.cattle[card])) for card in others]
    rows.sort(key=lambda row: state.seats.index(row[0]))
    heads = ("player", "card", "no.", "VR", "price", "cattle")
    return Table("Cards", heads, tuple(rows), tuple(row[0] for row in rows))


def supplies(state: State) -> Table:
    """What is left to be had."""
    tiles = ", ".join(f"{resource} {left}" for resource, left in (*state.tiles.items(), ("water", state.water_tiles)))
    craftsmen = ", ".join(f"{t} {CONSTANTS.craftsmen_per_type - len(state.of_type(t))}" for t in CRAFTSMEN)
    technologies = ", ".join(_next_card(state, type_) for type_ in CRAFTSMEN)
    free_gods = ", ".join(f"{god} {vr:+}" for god, vr in state.setup.gods.items() if not state.adorer_of(god))
    specialists = (name for name, owner in state.specialists.items() if not owner)
    hire = ", ".join(f"{n} {state.setup.specialists[n]:+} ({_costs(n)} cattle)" for n in specialists)
    rows = (
        ("gods (VR)", free_gods or NONE),
        ("specialists (VR)", hire or NONE),
        ("technologies (VR)", technologies),
        ("craftsmen", craftsmen),
        ("tiles", tiles),
    )
    return Table("To be had", ("what", "left"), rows)


def _costs(specialist: str) -> str:
    return "/".join(map(str, SPECIALISTS[specialist].costs))


def _next_card(state: State, type_: str) -> str:
    vr, taken = CRAFTSMEN[type_].vr, len(state.owners(type_))
    return f"{type_} {f'+{vr[taken]}' if taken < len(vr) else NONE}"


def values(state: State) -> dict[str, Any]:
    """The names that expressions know: `round`, `winner`, `kilwa.vp`, `kilwa.potter.price`."""
    return {
        "round": state.round,
        "phase": state.phase,
        "actor": state.actor,
        "winner": state.winner,
        "over": state.phase == "over",
        **{seat: _values_of(state, seat) for seat in state.seats},
    }


def _values_of(state: State, seat: Seat) -> dict[str, Any]:
    levels = [monument.level for monument in state.monuments.values() if monument.owner == seat]
    return {
        "vp": state.vp[seat],
        "vr": state.vr[seat],
        "margin": state.vp[seat] - state.vr[seat],
        "cattle": state.cattle[seat],
        "on_cards": sum(state.cattle[card] for card in state.cards_of(seat)),
        "income": state.income(seat) + state.blessing(seat).income,
        "god": state.adores.get(seat),
        "specialists": list(state.specialists_of(seat)),
        "monuments": len(levels),
        "highest": max(levels, default=0),
        "craftsmen": sum(craftsman.owner == seat for craftsman in state.craftsmen),
        **{
            type_: {"price": t.price, "card": t.card, "vr": t.vr, "cattle": state.cattle.get(f"{seat}/{type_}", 0)}
            for type_, t in state.technologies_of(seat).items()
        },
    }
