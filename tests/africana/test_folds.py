"""Recorded games, folded event by event: a forgotten reset need not change what is legal, but it changes digests."""

from pathlib import Path

from tests.folds import fold
from zimcore.games import africana
from zimcore.games.africana import GAME

HOUSE = Path(__file__).with_name("house.zim").read_text("utf-8")
DEMO = Path(africana.__file__).with_name("demo.zim").read_text("utf-8")


def test_each_event_makes_of_a_position_what_it_always_has() -> None:
    house, some = fold(GAME, HOUSE)
    whole, others = fold(GAME, DEMO.partition("\ngoto ")[0])
    assert (house, whole) == ("5b308feede3cbd4d", "76ccc001d0ae7be3")
    missing = {"Played", "UnknownRedealt", "AdventuresDiscarded"}
    assert {each.__name__ for each in GAME.evolution.EVENTS} - some - others == missing
