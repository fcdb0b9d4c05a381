"""Recorded games, folded event by event: a forgotten reset need not change what is legal, but it changes digests."""

from pathlib import Path

from tests.folds import folded
from zimcore.games.zimbabwe import GAME

GAMES = Path(__file__).parents[1] / "games"
DIGESTS = {
    "bot-2p-015": "17ac46daa4c3f876",
    "mixed-2p-10028": "19282d75d7427177",
    "mixed-4p-10178": "3cb58cc61a90b4df",
    "mixed-5p-20139": "032b9a345ce727e9",
}


def test_each_event_makes_of_a_position_what_it_always_has() -> None:
    found = {name: folded(GAME, (GAMES / f"{name}.zim").read_text("utf-8")) for name in DIGESTS}
    assert {name: digest for name, (digest, _) in found.items()} == DIGESTS
    kinds = set[str]().union(*(kinds for _, kinds in found.values()))
    assert {each.__name__ for each in GAME.evolution.EVENTS} - kinds == {"Played", "HouseRulesChosen"}
