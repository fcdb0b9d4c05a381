"""Test kit for deciders: given, when, then.

A rule's test has three parts. *Given* are a map, drawn as on the board, and facts that have happened on it; they need
not have been legal, so a test says only what matters. *When* is a line as a player types it. *Then* are the facts that
follow, or the rules that it breaks:

    def test_r_cra_10_a_craftsman_scores_at_once() -> None:
        position = given("..C../S...S", cattle(kilwa=2), turn_of("kilwa"))
        position.when("craft potter a1-b1 price 1").then_among(VPScored("kilwa", 1, "potter"))

Facts that tests often start from are in `facts.py`. Squares are named from the top left: the clay above is on c1. `/`
or white space ends a row, `_` is no square at all.
"""

from __future__ import annotations

from collections.abc import Iterable

from tests.decider_kit import Facts
from tests.decider_kit import Position as AnyPosition
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe.components import GODS, SPECIALISTS
from zimcore.games.zimbabwe.events import GameSetUp
from zimcore.games.zimbabwe.state import State


def given(
    map_: str,
    *facts: Facts,
    seats: str = "kilwa zulu",
    gods: Iterable[str] = GODS,
    xango: str = "overshoot",
    dziva: str = "immediate",
    max_rounds: int | None = None,
    qamata: str = "adored",
    shadipinyi: str = "adored",
) -> Position:
    """The position after some facts: all cards are in play, no player has cattle yet, the first seat's marker lies on
    top.

    A line of a script among the facts is played, and has to be legal.
    """
    order = tuple(seats.split())
    set_up = GameSetUp(
        seats=order,
        rows=map_rows(map_),
        order=order,
        gods={god: GODS[god].vr for god in gods},
        specialists={name: specialist.vr for name, specialist in SPECIALISTS.items()},
        seed=0,
        xango=xango,
        dziva=dziva,
        max_rounds=max_rounds,
        qamata=qamata,
        shadipinyi=shadipinyi,
    )
    return Position(GAME.evolution.initial()).after((set_up, facts))


def map_rows(map_: str) -> tuple[str, ...]:
    """The rows of a drawn map."""
    return tuple(row.replace("_", " ") for row in map_.replace("/", " ").split())


class Position(AnyPosition[State]):
    """A position of this game to try commands on."""

    game = GAME
