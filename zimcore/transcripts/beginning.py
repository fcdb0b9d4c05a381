"""The starting position of a log, from its set-up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from zimcore.game import Accepted, Command, Game, GameError, OptionError
from zimcore.transcripts.records import Transcript

HINTS = (
    "new players=... seed=... as the first line of the log",
    "audit FILE --from PLACE",
    "log PLACE --json",
)


def start_state(game: Game, log: Transcript) -> Any:
    """The position after the set-up of a log. Raises `GameError` if it has none, or leaves something to chance."""
    if not isinstance(log.setup, tuple):
        return set_up_log(game, log)[1].state
    state = game.evolution.initial()
    for event in log.setup:
        game.evolution.evolve(state, event)
    return state


def set_up_log(game: Game, log: Transcript) -> tuple[Command, Accepted]:
    """The set-up command of a log, and its result. Raises `GameError` if it has none, or leaves something to chance.

    Whether something is left to chance is found by dealing with two seeds and comparing the events.
    """
    if log.setup is None:
        raise GameError("the log does not say how the game was set up", "without it moves can't be checked", HINTS)
    if isinstance(log.setup, tuple):
        raise GameError("the set-up of this log is hidden in part", "it can only be played by who knows all", HINTS)
    if isinstance(log.setup, Command):
        return log.setup, set_up(game, log.setup)
    setup_options = dict(log.setup)
    seed_text = setup_options.pop("seed", "")
    if seed_text:
        if not (seed_text.isascii() and seed_text.isdigit() and len(seed_text) < 20):
            raise OptionError(f"seed={seed_text}", "a seed is a whole number", ("seed=7",))
        command = game.rules.set_up(setup_options, int(seed_text))
        return command, set_up(game, command)
    command = game.rules.set_up(setup_options, 1)
    first_deal, second_deal = set_up(game, command), set_up(game, game.rules.set_up(setup_options, 2))
    if without_seed(first_deal) != without_seed(second_deal):
        raise GameError(
            "the log does not say completely how the game was dealt", "the rest would be left to chance", HINTS
        )
    return command, first_deal


def set_up(game: Game, command: Command) -> Accepted:
    """The result of a set-up command. Raises `OptionError` if the rules refuse it."""
    decision = game.rules.decide(game.evolution.initial(), "", command)
    if isinstance(decision, Accepted):
        return decision
    raise OptionError("the game can't be set up", "; ".join(refusal.reason for refusal in decision.refusals), HINTS)


def without_seed(accepted: Accepted) -> Any:
    """The events of a deal as plain values, without the seed."""

    def drop_seed(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {key: drop_seed(inner_value) for key, inner_value in value.items() if key != "seed"}
        return value

    return [drop_seed(msgspec.to_builtins(event)) for event in accepted.events]
