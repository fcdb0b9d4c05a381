"""Recorded games, event by event: if `evolve` forgets to reset a field, moves may stay legal, but digests change."""

from pathlib import Path

from tests.folds import digest_and_event_names
from zimcore.games import africana
from zimcore.games.africana import GAME

HOUSE_SCRIPT = Path(__file__).with_name("house.zim").read_text("utf-8")
DEMO_SCRIPT = Path(africana.__file__).with_name("demo.zim").read_text("utf-8")


def test_recorded_games_fold_to_the_same_digests() -> None:
    house_digest, house_event_names = digest_and_event_names(GAME, HOUSE_SCRIPT)
    demo_digest, demo_event_names = digest_and_event_names(GAME, DEMO_SCRIPT.partition("\ngoto ")[0])
    assert (house_digest, demo_digest) == ("5b308feede3cbd4d", "76ccc001d0ae7be3")
    unused_event_names = {"Played", "UnknownRedealt", "AdventuresDiscarded"}
    assert {
        event_type.__name__ for event_type in GAME.evolution.EVENTS
    } - house_event_names - demo_event_names == unused_event_names
