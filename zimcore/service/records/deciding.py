"""Turns a text into the events of a commit: parses it and has the rules of the game decide. Stores nothing."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple

from msgspec.structs import replace

from event_store.chain import digest_of_parts
from event_store.codec import prepare_type
from zimcore.commits import Commit, Position
from zimcore.game import Command, Event, Game, GameError, NotationError, OptionError, Refused, Seat
from zimcore.service.records.snapshots import find_marks
from zimcore.toolkit.words import joined

MAX_SEED = 2**63 - 1
"""The largest seed: a signed 64-bit integer."""
SHORT_SEED_BYTES, SEED_BYTES = 4, 7
"""Bytes of a random seed. Games with secrets have longer seeds, as four bytes could be found by trying them all."""
MAX_COMMAND_CHARACTERS = 5000
"""The most characters of a command: the hints for one that can't be read take quadratic time."""
MAX_FURTHER_SLIPS = 2
"""Hints correct the first slip in a text, and at most so many more."""
MAX_EXAMPLES = 3
"""The most legal commands to suggest."""


class PendingCommit(NamedTuple):
    """A commit before it is stored: its events (`Played` first), the state after them, and the state's digest."""

    events: tuple[Event, ...]
    state: Any
    digest: bytes


def read_command(
    game: Game, state: Any, text_or_command: str | Command, seat: Seat | None = None
) -> tuple[Seat, Command]:
    """The seat and the command of a text. The seat is the one given, or named in the text, or the only one to move.

    Raises `NotationError`, and `GameError` if the text names another seat than `seat`, or if no seat is named and
    several may act.
    """
    if not isinstance(text_or_command, str | Command):
        raise NotationError(repr(text_or_command), "a command is a text, or a command of the game")
    parsed_seat, command = (
        parse_command(game, state, text_or_command, seat)
        if isinstance(text_or_command, str)
        else (None, text_or_command)
    )
    if parsed_seat and seat and parsed_seat != seat:
        raise GameError(f"{text_or_command!r} is a command for {parsed_seat}", f"you play {seat}")
    return seat or parsed_seat or _only_seat(game.evolution.to_move(state), text_or_command), command


def command_text(command: str | Command, game: Game) -> str:
    """The text of a command, as its game writes it."""
    return command if isinstance(command, str) else game.notation.format(command)


def parse_command(game: Game, state: Any, text: str, seat: Seat | None = None) -> tuple[Seat | None, Command]:
    """The seat that a text names, if any, and its command.

    Raises `NotationError`. Its hints can be typed. Each is the text with the wrong names replaced, or a hint of the
    rules where they refuse that. If none is left, the hints are legal commands that begin as the text does, or commands
    that list what is legal. `state` is what the viewer knows: hints reveal nothing hidden. `seat` is who types, if
    several may act.
    """
    if len(text) > MAX_COMMAND_CHARACTERS:
        raise NotationError(f"{text[:60]}...", f"it has more than {MAX_COMMAND_CHARACTERS:,} characters", ["legal"])
    try:
        return game.notation.parse(text, state)
    except NotationError as error:
        move_hints = (
            legal_hint
            for hint in _likely_moves(game, text, error)
            for legal_hint in _legal_hints(game, state, hint, seat)
        )
        other_hints = [hint for hint in error.hints if not error.in_place and not _is_move(game, hint)]
        error.hints = (*dict.fromkeys(move_hints), *other_hints) or legal_examples(game, state, text, seat)
        if not error.hints:
            verb, *other_words = text.lower().rpartition(":")[2].split() or [""]
            is_verb = verb in game.notation.SYNTAX
            if is_verb and not other_words:
                error.why = "no command with this beginning is legal now"
            error.hints = ("legal", f"help {verb}" if is_verb else "help")
        raise


def legal_examples(game: Game, state: Any, text: str, seat: Seat | None) -> tuple[str, ...]:
    """Legal commands that share as many of the first words of a text as possible; none if none has the first."""
    words = text.rpartition(":")[2].split()
    return next(
        filter(None, (_legal_with_beginning(game, state, words[:n], seat) for n in range(len(words), 0, -1))), ()
    )


def _legal_with_beginning(game: Game, state: Any, words: Sequence[str], seat: Seat | None) -> tuple[str, ...]:
    """Legal commands that begin with these words."""
    legal_commands = game.rules.legal(state, seat or next(iter(game.evolution.to_move(state)), ""))
    return tuple(islice(legal_commands.texts(" ".join(words).lower()), MAX_EXAMPLES))


def _is_move(game: Game, hint: str) -> bool:
    """Whether a hint is a move: it begins with a verb of the game."""
    return hint.rpartition(":")[2].split()[:1] in [[verb] for verb in game.notation.SYNTAX]


def _likely_moves(game: Game, text: str, error: NotationError) -> list[str]:
    """The moves that a text may mean: it with its wrong name replaced by each hint, or the hints that are moves."""
    if not error.in_place:
        syntax_texts = game.notation.SYNTAX.values()  # examples of how a command is written, not moves of this position
        return [hint for hint in error.hints if _is_move(game, hint) and hint not in syntax_texts]
    wrong_word = re.compile(rf"(?<![\w-]){re.escape(error.what)}(?![\w-])", re.IGNORECASE)
    return [wrong_word.sub(hint, text, count=1) for hint in error.hints]


def _legal_hints(
    game: Game, state: Any, text: str, seat: Seat | None, slip_count: int = MAX_FURTHER_SLIPS
) -> Sequence[str]:
    """The text if it is legal, else corrections (of up to `slip_count` more names), completions or the rules' hints."""
    try:
        parsed_seat, command = game.notation.parse(text, state)
        acting_seat = parsed_seat or seat or _only_seat(game.evolution.to_move(state), text)
        decision = game.rules.decide(state, acting_seat, command)
    except NotationError as error:
        candidates = _likely_moves(game, text, error) if slip_count else []
        legal = [legal for hint in candidates for legal in _legal_hints(game, state, hint, seat, slip_count - 1)]
        return legal or _legal_with_beginning(game, state, text.rpartition(":")[2].split(), seat)
    except GameError:  # several seats may act, or the answer depends on hidden information
        return [text]
    return decision.hints if isinstance(decision, Refused) and not decision.all_hidden else [text]


def _only_seat(seats: tuple[Seat, ...], command: str | Command) -> Seat:
    if len(seats) > 1:
        hints = [f"{seat}: {command}" for seat in seats] if isinstance(command, str) else []
        raise GameError(f"no seat given: {command!r}", f"{joined(seats)} may act now", hints)
    return seats[0] if seats else ""


def decide_commit(game: Game, state: Any, seat: Seat, command: Command) -> PendingCommit | Refused:
    """The commit that a command leads to, or the rules' refusal; `state` is not changed.

    Events are applied once, by the rules: the answer of `decide` has the state after the events.
    """
    decision = game.rules.decide(state, seat, command)
    if isinstance(decision, Refused):
        return decision
    played_type: Callable[..., Event] = game.evolution.EVENTS[0]
    events = (played_type(seat=seat, command=command), *decision.events)
    return PendingCommit(events, decision.state, state_digest(game, decision.state))


def set_up(game: Game, options: Mapping[str, str]) -> PendingCommit:
    """The first commit of a match. Raises `OptionError`."""
    prepare_type(game.evolution.EVENTS[0])  # its commands are decoded next, by any thread
    remaining_options = dict(options)
    seed = seed_of(remaining_options.pop("seed", ""), SEED_BYTES if game.secrets else SHORT_SEED_BYTES)
    first_commit = decide_commit(game, game.evolution.initial(), "", game.rules.set_up(remaining_options, seed))
    if isinstance(first_commit, Refused):
        why = "; ".join(refusal.reason for refusal in first_commit.refusals)
        raise OptionError("the game can't be set up", why, first_commit.hints)
    return first_commit


def seed_of(text: str, byte_count: int) -> int:
    """The number in a text; for "" a random number of so many bytes. Raises `OptionError`.

    >>> seed_of("7", 4)
    7
    """
    if not text:
        return int.from_bytes(os.urandom(byte_count))
    if text.isascii() and text.isdigit() and len(text) <= len(str(MAX_SEED)) and int(text) <= MAX_SEED:
        return int(text)
    raise OptionError(f"seed={text}", f"a seed is a whole number from 0 to {MAX_SEED}", ["seed=7"])


def try_command(
    position: Position, text_or_command: str | Command, time: datetime, seat: Seat | None = None
) -> Position | Refused:
    """The position that a command would lead to. Raises `HiddenError` if that depends on hidden information."""
    game = position.game
    seat, command = read_command(game, position.state, text_or_command, seat)
    pending_commit = decide_commit(game, position.state, seat, command)
    if isinstance(pending_commit, Refused):
        return pending_commit
    commit = Commit(
        number=position.commit.number + 1,
        digest="",  # it is not stored
        parent=position.commit.digest,
        state=pending_commit.digest.hex(),
        by="",
        at=time,
        events=pending_commit.events,
        marks=find_marks(game.evolution, pending_commit.events, pending_commit.state),
        game=game,
    )
    return replace(position, commit=commit, state=pending_commit.state)


def state_digest(game: Game, state: Any) -> bytes:
    """The digest of a state (16 bytes), equal for equal positions."""
    return digest_of_parts(game.evolution.canonical(state))
