"""Tables: the standings, the cards, and what is available."""

from __future__ import annotations

from zimcore.game import Seat, Table
from zimcore.games.zimbabwe.components import CONSTANTS, CRAFTSMEN, SPECIALISTS
from zimcore.games.zimbabwe.state import State
from zimcore.toolkit.player_names import with_name

NO_VALUE = "-"
PLACES = ("1st", "2nd", "3rd", "4th", "5th")


def tables(state: State) -> tuple[Table, ...]:
    """All tables, the standings first; the plaques during the bidding."""
    bidding_tables = (bidding_table(state),) if state.phase == "bidding" else ()
    return standings_table(state), *bidding_tables, cards_table(state), available_table(state)


def standings_table(state: State) -> Table:
    """A row for each player, in the order of play, or before that in the order of the VR markers."""
    seats = state.order or state.queue
    headings = ("player", "VP", "VR", "to go", "cattle", "on cards", "income", "god", "specialists")
    return Table(
        "Standings", headings, tuple(_standing_row(state, seat) for seat in seats), seats, numbers=headings[1:7]
    )


def _standing_row(state: State, seat: Seat) -> tuple[str, ...]:
    vp, vr = state.vp[seat], state.vr[seat]
    cattle_on_cards = sum(state.cattle[card] for card in state.card_accounts_of(seat))
    figures = (
        vp,
        vr,
        max(vr - vp, 0),
        state.cattle[seat],
        cattle_on_cards,
        state.income(seat) + state.god_modifiers(seat).income,
    )
    return (
        with_name(seat, state.setup.names),
        *map(str, figures),
        state.adores.get(seat, NO_VALUE),
        ", ".join(state.specialists_of(seat)) or NO_VALUE,
    )


def bidding_table(state: State) -> Table:
    """The plaques in their order, including one of a god (R-BID-01), the cattle on each, and who is still in.

    A player who passes takes the last open place in the order of play (R-BID-07).
    """
    rows = tuple(
        (plaque, str(state.cattle.get(f"plaque/{plaque}", 0)), _bid_status(state, plaque)) for plaque in state.plaques
    )
    owners = tuple(plaque if plaque in state.vp else "" for plaque in state.plaques)
    return Table("Bidding", ("plaque", "cattle", "bids"), rows, owners, numbers=("cattle",))


def _bid_status(state: State, plaque: str) -> str:
    if plaque not in state.vp:
        return NO_VALUE
    if plaque in state.passed_seats:
        return PLACES[len(state.seats) - state.passed_seats.index(plaque) - 1]
    return "next" if plaque == state.actor else "in"


def cards_table(state: State) -> Table:
    """Technology cards with their prices and cattle, and cards of gods and specialists that hold cattle."""
    rows = []
    for card, technology in state.technologies.items():
        seat, _, type_ = card.partition("/")
        rows.append(
            (
                seat,
                type_,
                str(technology.card),
                str(technology.vr),
                str(technology.price or NO_VALUE),
                str(state.cattle.get(card, 0)),
            )
        )
    for seat in state.seats:
        cards_with_cattle = [
            card for card in state.card_accounts_of(seat) if card not in state.technologies and state.cattle[card]
        ]
        rows += [
            (seat, card.partition("/")[2], NO_VALUE, NO_VALUE, NO_VALUE, str(state.cattle[card]))
            for card in cards_with_cattle
        ]
    rows.sort(key=lambda row: state.seats.index(row[0]))
    headings = ("player", "card", "no.", "VR", "price", "cattle")
    return Table("Cards", headings, tuple(rows), tuple(row[0] for row in rows), numbers=headings[2:])


def available_table(state: State) -> Table:
    """Gods, specialists, technologies, craftsmen and tiles that are left."""
    tiles_text = ", ".join(
        f"{resource} {tiles_left}" for resource, tiles_left in (*state.tiles.items(), ("water", state.water_tiles))
    )
    craftsmen_text = ", ".join(
        f"{type_} {CONSTANTS.craftsmen_per_type - len(state.craftsmen_of_type(type_))}" for type_ in CRAFTSMEN
    )
    technologies_text = ", ".join(_next_card_text(state, type_) for type_ in CRAFTSMEN)
    gods_text = ", ".join(_free_god_text(state, god) for god in state.setup.gods if not state.adorer_of(god))
    free_specialists = (name for name, owner in state.specialists.items() if not owner)
    specialists_text = ", ".join(
        f"{name} {state.setup.specialists[name]:+} ({_costs_text(name)} cattle)" for name in free_specialists
    )
    rows = (
        ("gods (VR)", gods_text or NO_VALUE),
        ("specialists (VR)", specialists_text or NO_VALUE),
        ("technologies (VR)", technologies_text),
        ("craftsmen", craftsmen_text),
        ("tiles", tiles_text),
    )
    return Table("Available", ("what", "left"), rows)


def _free_god_text(state: State, god: str) -> str:
    cattle = state.cattle.get(f"card/{god}", 0)
    return f"{god} {state.setup.gods[god]:+}" + (f" ({cattle} cattle on the card)" if cattle else "")


def _costs_text(specialist: str) -> str:
    return "/".join(map(str, SPECIALISTS[specialist].costs))


def _next_card_text(state: State, type_: str) -> str:
    vr_by_card, card_count = CRAFTSMEN[type_].vr, len(state.owners_of(type_))
    return f"{type_} {f'+{vr_by_card[card_count]}' if card_count < len(vr_by_card) else NO_VALUE}"
