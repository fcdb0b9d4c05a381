"""Explains gods, specialists and craftsmen from the components: what they cost, and what they do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from zimcore.game import Table
from zimcore.games.zimbabwe.components import CRAFTSMEN, GODS, NO_GOD, SPECIALISTS, Craftsman, God, Specialist
from zimcore.games.zimbabwe.state import State

MODIFIER_TEXTS: dict[str, Callable[[Any], str]] = {
    "range": lambda steps: f"everything within {steps} steps is in range in your turn",
    "plaque": lambda _: "a second plaque, in front of all others",
    "gift_subsidy": lambda cattle: f"the stock pays up to {cattle} cattle of your own first gift in each round",
    "any_price": lambda _: "prices may go down as well as up, at the start of the turn",
    "technology_vr": lambda vr: f"every technology counts {vr} VR",
    "monuments": lambda count: f"builds up to {count} monuments in one action",
    "markers": lambda count: f"a resource can be used {count} times",
    "goods_may_repeat": lambda _: "the goods of a raise may be of the same type",
    "good_price": lambda cattle: f"pays {cattle} cattle for any good",
    "collects_hubs": lambda _: "all payments for hubs go to this card",
    "income": lambda cattle: f"{cattle} cattle more in each revenue phase",
    "wins_ties": lambda _: "wins when the victory is tied",
}
"""The meaning of each modifier of a god, in words."""
OPTION_TEXTS: Mapping[tuple[str, str, str], str] = {
    ("any_price", "dziva", "immediate"): "prices may go down as well as up: at the start of a turn, right after"
    " choosing too",
    ("plaque", "shadipinyi", "always"): "a second plaque, in front of all others; it lies there from the first round",
    ("collects_hubs", "qamata", "always"): "all payments for hubs go to this card, even before a player has it",
    ("wins_ties", "xango", "absolute"): "wins against all others who have reached their VR",
    ("monuments", "obatala", "together"): "builds up to 2 monuments in one action, which may be neighbours",
    ("markers", "atete", "own-markers"): "a resource can be used 2 times, however often others have used it",
}
"""Other meanings, by modifier, option and the option's value."""


KIND_BY_VERB = {"adore": "gods", "hire": "specialists", "use": "specialists", "craft": "craftsmen"}
"""The kinds of cards, by the commands that take them."""


def cards(state: State, words: Sequence[str]) -> Sequence[Table]:
    """Gods, specialists and craftsmen: all of them, or those whose name, kind or command is among the words.

    VR and the effects of gods follow the options of the match; before the set-up they are as printed.
    """
    words = [KIND_BY_VERB.get(word, word) for word in words]
    tables = (
        Table("gods", ("god", "VR", "what it does"), tuple(_god_row(state, name) for name in GODS), numbers=("VR",)),
        Table(
            "specialists",
            ("specialist", "VR", "cattle", "what it does"),
            tuple(_specialist_row(state, *name_and_specialist) for name_and_specialist in SPECIALISTS.items()),
            numbers=("VR",),
        ),
        Table(
            "craftsmen",
            ("craftsman", "uses", "works on", "squares", "cattle", "VP", "VR of the cards"),
            tuple(map(_craftsman_row, CRAFTSMEN.items())),
            numbers=("cattle", "VP"),
        ),
    )
    return [table for table in (_filter_rows(table, words) for table in tables) if table.rows]


def _filter_rows(table: Table, words: Sequence[str]) -> Table:
    if not words or table.title in words:
        return table
    return msgspec.structs.replace(table, rows=tuple(row for row in table.rows if row[0] in words))


def _god_row(state: State, name: str) -> tuple[str, ...]:
    return name, f"{state.setup.gods.get(name, GODS[name].vr):+}", describe_god(state, name) + _adorer_note(state, name)


def _adorer_note(state: State, name: str) -> str:
    """The adorer of a god, or that it is not in play."""
    adorer = state.adorer_of(name)
    if adorer:
        return f" ({adorer} has it)"
    return " (not in play)" if state.setup.gods and name not in state.setup.gods else ""


def describe_god(state: State, name: str) -> str:
    """The effects of a god in this match, in words."""
    god = GODS[name]
    return "; ".join(
        _modifier_text(state, god, modifier_name)
        for modifier_name in MODIFIER_TEXTS
        if getattr(god, modifier_name) != getattr(NO_GOD, modifier_name)
    )


def _modifier_text(state: State, god: God, modifier_name: str) -> str:
    option_texts = (
        text
        for (modifier, *option), text in OPTION_TEXTS.items()
        if modifier == modifier_name and _is_chosen(state, *option)
    )
    return next(option_texts, None) or MODIFIER_TEXTS[modifier_name](getattr(god, modifier_name))


def _is_chosen(state: State, option: str, value: str) -> bool:
    return (getattr(state.setup, option, None) or state.house.get(option)) == value


def _specialist_row(state: State, name: str, specialist: Specialist) -> tuple[str, ...]:
    vr = state.setup.specialists.get(name, specialist.vr)
    return name, f"{vr:+}", "/".join(map(str, specialist.costs)), describe_specialist(state, specialist)


def describe_specialist(state: State, specialist: Specialist) -> str:
    """The effects of using a specialist in this match, in words."""
    return "; ".join(_effects(state, specialist))


def _effects(state: State, specialist: Specialist) -> Iterator[str]:
    if specialist.places_resource:
        yield "places a resource on an empty square"
    if specialist.places_water:
        yield "places water on two empty squares"
    if specialist.herd:
        step_note = ", in one or more uses a turn" if state.has_house_rule("herd") else ""
        yield f"the stock adds {'/'.join(map(str, specialist.herd))} cattle, by what was paid{step_note}"
    if specialist.lifts_zoning:
        yield "in this turn, monuments may be built next to monuments"
    if specialist.keeps_of_cost:
        placed_when = "in this turn" if state.has_house_rule("builder") else "in the rest of this turn"
        yield f"keeps {specialist.keeps_of_cost} cattle of the cost of each craftsman placed {placed_when}"


def _craftsman_row(name_and_craftsman: tuple[str, Craftsman]) -> tuple[str, ...]:
    name, craftsman = name_and_craftsman
    size_text, vr_text = "x".join(map(str, craftsman.size)), ", ".join(f"{vr:+}" for vr in craftsman.vr)
    return name, craftsman.resource, craftsman.needs or "-", size_text, str(craftsman.cost), str(craftsman.vp), vr_text
