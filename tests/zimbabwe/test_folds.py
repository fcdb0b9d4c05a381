"""Recorded games, event by event: if `evolve` forgets to reset a field, moves may stay legal, but digests change."""

from pathlib import Path

from tests.folds import digest_and_event_names
from zimcore.games.zimbabwe import GAME

GAMES_FOLDER = Path(__file__).parents[1] / "games"
DIGESTS = {
    GAMES_FOLDER / "bot-2p-015.zim": "17ac46daa4c3f876",
    GAMES_FOLDER / "mixed-2p-10028.zim": "19282d75d7427177",
    GAMES_FOLDER / "mixed-4p-10178.zim": "3cb58cc61a90b4df",
    GAMES_FOLDER / "mixed-5p-20139.zim": "032b9a345ce727e9",
    Path(__file__).with_name("house.zim"): "6e2f41137377ce80",
}


def test_recorded_games_fold_to_the_same_digests() -> None:
    results = {path: digest_and_event_names(GAME, path.read_text("utf-8")) for path in DIGESTS}
    assert {path: digest for path, (digest, _) in results.items()} == DIGESTS
    event_names = set[str]().union(*(event_names for _, event_names in results.values()))
    assert {event_type.__name__ for event_type in GAME.evolution.EVENTS} - event_names == {"Played"}
