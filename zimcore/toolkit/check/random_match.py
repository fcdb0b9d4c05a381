"""Plays a random match and checks each position on the way."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Generator, Iterator, Mapping
from itertools import islice
from random import Random
from typing import Any

import msgspec

from zimcore.game import Accepted, Event, Game, GameError, HiddenError, Played, Seat
from zimcore.toolkit.check.position import (
    LISTED,
    Finding,
    check_advice,
    check_art,
    check_display,
    check_evolution,
    check_legal,
    check_questions,
    check_transfers,
)

MATCHES, MOVES = 3, 60
"""The number of matches, and of moves in each."""


def check(
    game: Game,
    *,
    matches: int = MATCHES,
    moves: int = MOVES,
    options: Mapping[str, str] | None = None,
    report: Callable[[int], None] = lambda played: None,
) -> Iterator[Finding]:
    """Yields each finding once; calls `report` with the number of matches played."""
    seen: set[tuple[str, str]] = set()
    for seed in range(matches):
        for finding in RandomMatch(game, Random(seed)).play(seed, moves, options or {}):
            if (finding.member, finding.what) not in seen:
                seen.add((finding.member, finding.what))
                yield finding
        report(seed + 1)


def play_digest(game: Game, seed: int, moves: int) -> bytes:
    """The canonical bytes at the end of a random match: they must be the same in any process."""
    match = RandomMatch(game, Random(seed))
    state = match.set_up(seed, {})
    for _ in range(moves):
        seat = next(iter(game.evolution.to_move(state)), "")
        found = list(islice(game.rules.legal(state, seat), LISTED)) if seat else []
        answer = game.rules.decide(state, seat, match.rng.choice(found)) if found else None
        if not isinstance(answer, Accepted):
            break
        state = answer.state
    return game.evolution.canonical(state)


class RandomMatch:
    """A random match, with the position as each viewer knows it."""

    def __init__(self, game: Game, rng: Random) -> None:
        self.game = game
        self.rng = rng
        self.known: dict[Seat, Any] = {}

    def play(self, seed: int, moves: int, options: Mapping[str, str]) -> Iterator[Finding]:
        """Plays a match and checks every position."""
        try:
            yield from check_display(self.game, self.game.evolution.initial(), "before set-up")
            state = self.set_up(seed, options)
            yield from self._check_texts((), state)
            for _ in range(moves):
                yield from self._check_position(state)
                answer = yield from self._check_move(state)
                if answer is None:
                    return
                state = answer
        except HiddenError as error:
            yield Finding(
                "rules.decide",
                f"raises HiddenError where nothing is hidden: {error}",
                where_of(error, self.game),
            )
        except Exception as error:  # any exception of the author's code is a finding
            yield Finding("the game", f"{type(error).__name__}: {error}", where_of(error, self.game))

    def set_up(self, seed: int, options: Mapping[str, str]) -> Any:
        """The position after the set-up. Also fills `known`, each viewer's position."""
        evolution = self.game.evolution
        self.known = {seat: evolution.initial() for seat in self._viewers(())}
        command = self.game.rules.set_up(options, seed)
        answer = self.game.rules.decide(evolution.initial(), "", command)
        if not isinstance(answer, Accepted):
            raise GameError("the game can't be set up", "; ".join(each.reason for each in answer.refusals))
        self.known = {seat: evolution.initial() for seat in self._viewers(evolution.seats(answer.state))}
        self._evolve_known((self._played_event("", command), *answer.events))
        return answer.state

    def _played_event(self, seat: Seat, command: Any) -> Event:
        form: Callable[..., Event] = self.game.evolution.EVENTS[0]
        return form(seat=seat, command=command)

    def _viewers(self, seats: tuple[Seat, ...]) -> tuple[Seat, ...]:
        return (*seats, "") if self.game.secrets else ()

    def _evolve_known(self, events: tuple[Event, ...]) -> None:
        for seat, known in self.known.items():
            assert self.game.secrets
            for event in events:
                self.game.evolution.evolve(known, self.game.secrets.redact(event, seat))

    def _check_position(self, state: Any) -> Iterator[Finding]:
        yield from check_evolution(self.game, state)
        yield from check_display(self.game, state, "in a match")
        yield from check_questions(self.game, state)
        yield from check_art(self.game, state)
        for seat in self.game.evolution.seats(state):
            yield from check_legal(self.game, state, seat, self.rng)
            yield from check_advice(self.game, state, seat, self.rng)
        yield from self._check_secrets(state)

    def _check_secrets(self, state: Any) -> Iterator[Finding]:
        secrets, evolution = self.game.secrets, self.game.evolution
        for seat, known in self.known.items():
            assert secrets
            concealed = secrets.conceal(state, seat)
            if evolution.canonical(known) != evolution.canonical(concealed):
                yield Finding(
                    "secrets.redact",
                    f"the redacted events of {seat or 'a spectator'} lead to another state than conceal",
                )
            if evolution.canonical(secrets.conceal(concealed, seat)) != evolution.canonical(concealed):
                yield Finding("secrets.conceal", "concealing twice is not the same as once")
            yield from check_display(self.game, concealed, "in a concealed position")

    def _check_move(self, state: Any) -> Generator[Finding, None, Any]:
        """Plays a random legal command and returns the position after it."""
        evolution, rules = self.game.evolution, self.game.rules
        to_move = evolution.to_move(state)
        if not to_move:
            return None
        seat = self.rng.choice(to_move)
        found = list(islice(rules.legal(state, seat), LISTED))
        if not found:
            return None
        command = self.rng.choice(found)
        before = evolution.canonical(state)
        answer = rules.decide(state, seat, command)
        if evolution.canonical(state) != before:
            yield Finding("rules.decide", "changes the state that it is given")
        assert isinstance(answer, Accepted)
        yield from self._check_answer(state, seat, command, answer)
        drawn = rules.legal(state, seat).sample(self.rng)
        if drawn not in rules.legal(state, seat):
            yield Finding("rules.legal", "sample() draws what is not legal")
        if rules.apply(state, seat, command).events != answer.events:
            yield Finding("rules.apply", "gives other events than decide")
        events = (self._played_event(seat, command), *answer.events)
        yield from self._check_leaks(events[0], answer.events)
        self._evolve_known(events)
        yield from self._check_texts(events, answer.state)
        return answer.state

    def _check_leaks(self, played: Any, facts: tuple[Event, ...]) -> Iterator[Finding]:
        """A value that an event hides must not be readable in a field of the same name in its command."""
        secrets = self.game.secrets
        for viewer in self.known if secrets else ():
            assert secrets
            redacted: Any = secrets.redact(played, viewer)
            for fact in facts:
                for name in _changed_fields(fact, secrets.redact(fact, viewer)) & {*played.command.__struct_fields__}:
                    if repr(getattr(redacted.command, name)) == repr(getattr(fact, name)):
                        what = f"hides {type(fact).__name__}.{name}, and shows it in {type(played.command).__name__}"
                        yield Finding("secrets.redact", what)

    def _check_answer(self, state: Any, seat: Seat, command: Any, answer: Accepted) -> Iterator[Finding]:
        evolution, repeated = self.game.evolution, self.game.rules.decide(state, seat, command)
        if not isinstance(repeated, Accepted) or repeated.events != answer.events:
            yield Finding("rules.decide", "gives other events when it is called again")
        after = evolution.copy(state)
        for event in answer.events:
            if isinstance(event, Played):
                yield Finding("rules.decide", "gives Played, which the service adds")
            if type(event) not in evolution.EVENTS:
                yield Finding("evolution.EVENTS", f"leaves out {type(event).__name__}")
            evolution.evolve(after, event)
            yield from check_display(self.game, after, "in the middle of a commit")
        if evolution.canonical(after) != evolution.canonical(answer.state):
            yield Finding("evolution.evolve", "the events lead to another state than that of the answer")
        played = self._played_event(seat, command)
        for event in (played, *answer.events):
            if not _can_be_stored(event):
                yield Finding("evolution.EVENTS", f"{type(event).__name__} differs after it was stored and read")
        evolution.evolve(after, played)
        if evolution.canonical(after) != evolution.canonical(answer.state):
            yield Finding("evolution.evolve", "Played changes the state: only the events after it may")

    def _check_texts(self, events: tuple[Event, ...], state: Any) -> Iterator[Finding]:
        notation, secrets = self.game.notation, self.game.secrets
        for seat in self._viewers(self.game.evolution.seats(state)) or (None,):
            redacted = [secrets.redact(event, seat) if secrets and seat is not None else event for event in events]
            texts = [*map(notation.describe, redacted), notation.summary(redacted), notation.describe_turn(redacted)]
            if not all(isinstance(text, str) for text in texts):
                yield Finding("notation.describe", "gives a value that is not text")
            yield from check_transfers(self.game, self.game.evolution.seats(state), redacted)
        for event in events:
            mark = self.game.evolution.MARKS.get(type(event))
            name = mark(event, state) if mark else None
            if name is not None and not name.replace(".", "").replace("_", "").isalnum():
                yield Finding("evolution.MARKS", f"{name!r} can't be typed as the name of a position")


def _changed_fields(one: Any, other: Any) -> set[str]:
    """The fields in which two events differ as text: hidden values can't be compared."""
    return {name for name in one.__struct_fields__ if repr(getattr(one, name)) != repr(getattr(other, name))}


def _can_be_stored(event: Event) -> bool:
    try:
        return bool(msgspec.msgpack.decode(msgspec.msgpack.encode(event), type=type(event)) == event)
    except (msgspec.MsgspecError, TypeError):
        return False


def where_of(error: BaseException, game: Game) -> str:
    """The line of the author's code that raised an error: `souk.py:112 in follow`; "" if there is none."""
    package = getattr(game, "package", type(game).__module__)
    found = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        module = str(frame.f_globals.get("__name__", ""))
        if module == package or module.startswith(f"{package}."):
            found = f"{frame.f_code.co_filename.rpartition('/')[2]}:{line} in {frame.f_code.co_name}"
    return found
