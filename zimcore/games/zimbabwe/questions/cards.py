"""What the cards and craftsmen of the box are: what they cost, and what they do. From the components."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from zimcore.game import Table
from zimcore.games.zimbabwe.components import CRAFTSMEN, GODS, NO_GOD, SPECIALISTS, Craftsman, God, Specialist
from zimcore.games.zimbabwe.state import State

GOD_DOES: dict[str, Callable[[Any], str]] = {
    "range": lambda steps: f"everything within {steps} steps is in range in your turn",
    "plaque": lambda _: "a second plaque, in front of all others",
    "gift_subsidy": lambda cattle: f"the stock pays {cattle} cattle of the round's first gift",
    "any_price": lambda _: "prices may go down as well as up, at the start of the turn",
    "technology_vr": lambda vr: f"every technology counts {vr} VR",
    "monuments": lambda count: f"builds up to {count} monuments in one action",
    "markers": lambda count: f"a resource can be used {count} times",
    "goods_may_repeat": lambda _: "the goods of a raise may be of the same type",
    "good_price": lambda cattle: f"pays {cattle} cattle for any good",
    "collects_hubs": lambda _: "everybody's payments for hubs go to this card",
    "income": lambda cattle: f"{cattle} cattle more in each revenue phase",
    "wins_ties": lambda _: "wins when the victory is tied",
}
"""What each modifier of a god means, in words."""


TAKEN_BY = {"adore": "gods", "hire": "specialists", "use": "specialists", "craft": "craftsmen"}
"""The kinds of card by the commands that take them."""


def cards(_: State, words: Sequence[str]) -> Sequence[Table]:
    """Gods, specialists and craftsmen: all, or those of which a name, a kind or what one does with it is said."""
    words = [TAKEN_BY.get(word, word) for word in words]
    everything = (
        Table("gods", ("god", "VR", "what it does"), tuple(map(_god, GODS.items())), numbers=("VR",)),
        Table(
            "specialists",
            ("specialist", "VR", "cattle", "what it does"),
            tuple(map(_specialist, SPECIALISTS.items())),
            numbers=("VR",),
        ),
        Table(
            "craftsmen",
            ("craftsman", "uses", "works on", "squares", "cattle", "VP", "VR of the cards"),
            tuple(map(_craftsman, CRAFTSMEN.items())),
            numbers=("cattle", "VP"),
        ),
    )
    return [table for table in (_narrowed(table, words) for table in everything) if table.rows]


def _narrowed(table: Table, words: Sequence[str]) -> Table:
    if not words or table.title in words:
        return table
    return msgspec.structs.replace(table, rows=tuple(row for row in table.rows if row[0] in words))


def _god(named: tuple[str, God]) -> tuple[str, ...]:
    name, god = named
    return name, f"{god.vr:+}", god_does(name)


def god_does(name: str) -> str:
    """What a god's adorer does differently, in words."""
    god = GODS[name]
    does = (tell(getattr(god, key)) for key, tell in GOD_DOES.items() if getattr(god, key) != getattr(NO_GOD, key))
    return "; ".join(does)


def _specialist(named: tuple[str, Specialist]) -> tuple[str, ...]:
    name, specialist = named
    return name, f"{specialist.vr:+}", "/".join(map(str, specialist.costs)), specialist_does(specialist)


def specialist_does(specialist: Specialist) -> str:
    """What it does when it is used, in words."""
    return "; ".join(_uses(specialist))


def _uses(specialist: Specialist) -> Iterator[str]:
    if specialist.places_resource:
        yield "places a resource on an empty square"
    if specialist.places_water:
        yield "places water on two empty squares"
    if specialist.herd:
        yield f"the stock adds {'/'.join(map(str, specialist.herd))} cattle, by what was paid"
    if specialist.lifts_zoning:
        yield "monuments may be built next to monuments"
    if specialist.keeps_of_cost:
        yield f"keeps {specialist.keeps_of_cost} cattle of each craftsman's cost"


def _craftsman(named: tuple[str, Craftsman]) -> tuple[str, ...]:
    name, craftsman = named
    size, vr = "x".join(map(str, craftsman.size)), ", ".join(f"{vr:+}" for vr in craftsman.vr)
    return name, craftsman.resource, craftsman.needs or "-", size, str(craftsman.cost), str(craftsman.vp), vr
