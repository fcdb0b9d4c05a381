"""Whether a world can be: a whole position that a program imagines where it sees only a part of one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from itertools import islice
from typing import Any

from zimcore.game import Game, Seat
from zimcore.toolkit.cards import Pile
from zimcore.toolkit.redeal import broken_rule, leaves
from zimcore.toolkit.words import are

MAX_LISTED = 100
"""How many legal commands are compared."""


def world_fault(game: Game, visible_state: Any, world: Any, viewer: Seat, hidden_fields: Iterable[str]) -> str:
    """Why a world can't be what a seat sees a part of, as a clause; "" if nothing speaks against it.

    It must look the same to the seat, keep the author's `invariant`, list the same commands, and have nothing twice.
    """
    evolution, secrets = game.evolution, game.secrets
    assert secrets
    if evolution.to_move(world) != evolution.to_move(visible_state):
        return ""  # sealed choices are taken back, and have been made again once
    if evolution.canonical(secrets.conceal(world, viewer)) != evolution.canonical(visible_state):
        return f"{viewer or 'a spectator'} would see something else"
    if fault := broken_rule(game, world):
        return fault
    fields, pools = {*hidden_fields}, getattr(secrets, "pools", None)
    naming_fields = pools.naming_fields(visible_state) if pools else ()
    if found_twice := _found_twice(world, fields, naming_fields) - _found_twice(visible_state, fields, naming_fields):
        return f"{', '.join(sorted(map(str, found_twice)))} {are(len(found_twice))} there twice"
    if viewer in evolution.to_move(visible_state) and _legal(game, world, viewer) != _legal(
        game, visible_state, viewer
    ):
        return f"{viewer} has other legal commands there"
    return ""


def _legal(game: Game, state: Any, viewer: Seat) -> list[str]:
    return [*islice(game.rules.legal(state, viewer).texts(), MAX_LISTED)]


def _found_twice(state: Any, hidden_fields: set[str], naming_fields: Collection[str]) -> set[str]:
    """The texts that are in several hidden places, or in a hidden and an open one.

    Packs of later deals don't count, nor do fields that only name cards.
    """
    hidden, shown = Counter[str](), set[str]()
    for name in state.__struct_fields__:
        value = getattr(state, name)
        if name in naming_fields or (
            isinstance(value, tuple) and any(isinstance(each, (tuple, Pile)) for each in value)
        ):
            continue
        texts = [leaf for leaf in leaves(value) if isinstance(leaf, str)]
        if name in hidden_fields:
            hidden.update(texts)
        else:
            shown.update(texts)
    return {text for text, count in hidden.items() if count > 1 or text in shown}
