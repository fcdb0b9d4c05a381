"""The figures that expressions can use."""

from __future__ import annotations

from typing import Any

from zimcore.game import Seat
from zimcore.games.zimbabwe.components import CRAFTSMEN
from zimcore.games.zimbabwe.state import State


def common(state: State) -> dict[str, Any]:
    """Figures of the game as a whole: `round`, `winner`, `order`.

    `order` is the order of play, `queue` that of the VR markers, `plaques` that of the bids; `left` has the gods,
    specialists and crafts that can still be taken.
    """
    return {
        "round": state.round,
        "phase": state.phase,
        "actor": state.actor,
        "winner": state.winner,
        "over": state.phase == "over",
        "order": list(state.order),
        "queue": list(state.queue),
        "plaques": list(state.plaques),
        "passed": list(state.passed_seats),
        "gift": state.gift,
        "left": [
            *(god for god in state.setup.gods if not state.adorer_of(god)),
            *(specialist for specialist, owner in state.specialists.items() if not owner),
            *(type_ for type_, craft in CRAFTSMEN.items() if len(state.owners_of(type_)) < len(craft.vr)),
        ],
    }


def figures(state: State, seat: Seat) -> dict[str, Any]:
    """Figures of a player: `vp`, `cattle`, `potter.price`."""
    levels = [monument.level for monument in state.monuments.values() if monument.owner == seat]
    return {
        "vp": state.vp[seat],
        "vr": state.vr[seat],
        "margin": state.vp[seat] - state.vr[seat],
        "cattle": state.cattle[seat],
        "on_cards": sum(state.cattle[card] for card in state.card_accounts_of(seat)),
        "income": state.income(seat) + state.god_modifiers(seat).income,
        "god": state.adores.get(seat),
        "specialists": list(state.specialists_of(seat)),
        "monuments": len(levels),
        "highest": max(levels, default=0),
        "craftsmen": sum(craftsman.owner == seat for craftsman in state.craftsmen),
        **{
            type_: {
                "price": technology.price,
                "card": technology.card,
                "vr": technology.vr,
                "cattle": state.cattle.get(f"{seat}/{type_}", 0),
            }
            for type_, technology in state.technologies_of(seat).items()
        },
    }
