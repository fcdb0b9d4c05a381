"""From a text to the facts of a commit: what was asked for, decided by the rules of its game. Nothing is stored."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from event_store import Sealed
from event_store.chain import short_digest
from zimcore.game import Command, Event, Game, GameError, OptionError, Refused, Seat
from zimcore.service.answers import Position
from zimcore.service.open_lines import shown
from zimcore.service.states import let_happen

MOST = 2**63 - 1
"""The largest seed that there is."""
SHORT_SEED_BYTES, SEED_BYTES = 4, 7
"""Of seeds that are drawn: where there are secrets, nobody may find one out by trying them all against a digest."""


def command_of(rules: Game, state: Any, asked: str | Command, seat: Seat | None = None) -> tuple[Seat, Command]:
    """The command asked for, and who plays it: the seat given or named in the text, or else whose turn it is.

    Raises `NotationError`, and `GameError` when the text names another seat than the one given.
    """
    named, command = rules.parse(asked, state) if isinstance(asked, str) else (None, asked)
    if named and seat and named != seat:
        raise GameError(f"{asked!r} is a command for {named}", f"you play {seat}")
    return seat or named or rules.actor(state) or "", command


def decided(rules: Game, state: Any, seat: Seat, command: Command) -> tuple[Event, ...] | Refused:
    """The events of a commit, `Played` first; they are let happen to the state given."""
    outcome = rules.decide(state, seat, command)
    if isinstance(outcome, Refused):
        return outcome
    played: Callable[..., Event] = rules.events[0]
    events = (played(seat=seat, command=command), *outcome.events)
    let_happen(rules, state, events)
    return events


def set_up(rules: Game, options: Mapping[str, str]) -> tuple[Any, tuple[Event, ...]]:
    """The first state and commit of a game. Raises `OptionError`."""
    rest = dict(options)
    seed = seed_of(rest.pop("seed", ""), SEED_BYTES if rules.secrets else SHORT_SEED_BYTES)
    state = rules.initial()
    events = decided(rules, state, "", rules.set_up(rest, seed))
    if isinstance(events, Refused):
        why = "; ".join(refusal.reason for refusal in events.refusals)
        raise OptionError("the game can't be set up", why, events.hints)
    return state, events


def seed_of(text: str, size: int) -> int:
    """The number in a text; without one so many bytes are drawn. Raises `OptionError`.

    >>> seed_of("7", 4)
    7
    """
    if not text:
        return int.from_bytes(os.urandom(size))
    if text.isascii() and text.isdigit() and len(text) <= len(str(MOST)) and int(text) <= MOST:
        return int(text)
    raise OptionError(f"seed={text}", f"a seed is a whole number from 0 to {MOST}", ["seed=7"])


def tried(before: Position, asked: str | Command, at: datetime, seat: Seat | None = None) -> Position | Refused:
    """The position that a command would lead to."""
    rules, state = before.rules, before.rules.copy(before.state)
    seat, command = command_of(rules, state, asked, seat)
    events = decided(rules, state, seat, command)
    if isinstance(events, Refused):
        return events
    marks = let_happen(rules, rules.copy(before.state), events)
    seal = Sealed(
        parent=bytes.fromhex(before.commit.digest), by="", at=at, id="", state=state_digest(rules, state), digest=b""
    )
    commit = shown(rules, events, seal, before.commit.number + 1, marks)
    return Position(before.game, before.line, commit, state, rules)


def state_digest(rules: Game, state: Any) -> bytes:
    """The 16 bytes that stand for a state."""
    return short_digest(rules.canonical(state))
