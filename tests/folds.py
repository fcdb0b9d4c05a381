"""The positions after each event of a game. Digests in stored games depend on them, so they must never change."""

from __future__ import annotations

from hashlib import blake2b
from itertools import chain

from zimcli.study.disputes import moves_of_log
from zimcore.game import Game


def digest_and_event_names(game: Game, script: str) -> tuple[str, set[str]]:
    """A digest of the positions after each event of a recorded game, and the kinds of the events."""
    match = moves_of_log(game, "recorded", script)
    state, digest, event_names = game.evolution.initial(), blake2b(digest_size=8), set[str]()
    for event in chain(match.setup_events[1:], *(events for _, events in match.moves)):
        game.evolution.evolve(state, event)
        digest.update(game.evolution.canonical(state))
        event_names.add(type(event).__name__)
    return digest.hexdigest(), event_names
