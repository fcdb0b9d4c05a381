"""Plays a random match and checks each position on the way."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from random import Random
from typing import Any

import msgspec

from zimcore.game import Accepted, Event, Game, GameError, HiddenError, Played, Seat
from zimcore.toolkit.check.finding import Finding, TrialCounts
from zimcore.toolkit.check.own_view import check_every_verb, check_own_view, examples_of
from zimcore.toolkit.check.phases import phase_of
from zimcore.toolkit.check.position import (
    MAX_CHECKED_COMMANDS,
    check_advice,
    check_art,
    check_display,
    check_evolution,
    check_legal,
    check_questions,
    check_transfers,
)
from zimcore.toolkit.check.tags import difference
from zimcore.toolkit.check.tracing import (
    error_text,
    short_text,
    trace_run,
    where_changed,
    where_mentioned,
    where_raised,
    where_runs_part,
    where_type,
    where_used,
    where_written,
)
from zimcore.toolkit.check.twins import Twins
from zimcore.toolkit.notation import Notation, name_of
from zimcore.toolkit.redeal import broken_rule
from zimcore.toolkit.words import numbered

DEFAULT_MATCHES, DEFAULT_MOVES, MAX_TWIN_MOVES = 3, 60, 40
"""The number of matches, of moves in each, and of moves in matches with twins."""

MAX_PAIRS = 8
"""The most pairs of calls that are compared to locate luck."""
TRIED_COMMANDS = 3
"""How many commands, legal or not, each seat tries at a position; and how many of each kind in each phase."""
PHASE_STATES = 3
"""How many positions of each phase are kept, to try commands of all kinds in."""
LEAST_SHARE, LEAST_POSITIONS = 0.5, 20
"""The least share of positions that must have been compared with a twin, of a phase, a command or a seat that has as
many; and five times as many positions must have been seen before a kind of command that was never legal is reported."""
IMPURE_PROBLEM = "gives other events when it is called again: use nothing but the state and the command"
OTHER_STATE_PROBLEM = "the events lead to another state than that of the answer: change it in on_<event> alone"


def check(
    game: Game,
    *,
    matches: int = DEFAULT_MATCHES,
    moves: int = DEFAULT_MOVES,
    deals: int | None = None,
    options: Mapping[str, str] | None = None,
    report: Callable[[int], None] = lambda played: None,
    counts: TrialCounts | None = None,
) -> Iterator[Finding]:
    """Yields each finding once: first what random matches show, then leaks that more matches show, each with a twin.

    There are `deals` matches with twins, or as many as without. Calls `report` with the number of matches and deals
    played, and counts what was tried.
    """
    counts, examples = counts or TrialCounts(), Examples()
    seen_findings: set[tuple[str, str]] = set()
    deal_count = (matches if deals is None else deals) if _has_secrets(game) else 0
    for match_number in range(matches + deal_count + 1):
        seed = match_number if match_number < matches else match_number - matches
        if match_number == matches + deal_count:
            found = _last_findings(game, counts, examples)
        elif match_number < matches:
            match = RandomMatch(game, Random(seed), counts, examples)
            found = match.play_and_check(seed, moves, options or {})
        else:
            found = Twins(game, seed, min(moves, MAX_TWIN_MOVES), options or {}, counts).findings()
        for finding in found:
            if (finding.member, finding.what) in seen_findings or (finding.member, finding.where) in seen_findings:
                continue
            location = finding.where or where_mentioned(game, finding.member, finding.what)
            if match_number < matches or (finding.member, location) not in seen_findings:
                yield msgspec.structs.replace(finding, where=location)
            seen_findings |= {
                (finding.member, finding.what),
                *([(finding.member, location)] if match_number >= matches else []),
            }
        report(min(match_number + 1, matches + deal_count))


def _has_secrets(game: Game) -> bool:
    try:
        return game.evolution is not None and game.secrets is not None
    except GameError:  # the matches say what is wrong
        return False


def _last_findings(game: Game, counts: TrialCounts, examples: Examples) -> Iterator[Finding]:
    """What shows when all matches were played: commands in phases of others, and what was not checked."""
    if not counts.positions:
        return  # the matches have said why
    try:
        commands = examples_of(examples.commands, TRIED_COMMANDS)
        yield from check_every_verb(game, examples.states_by_phase, commands)
        yield from _unchecked(game, counts, {name_of(type(command)) for command in commands})
    except Exception as error:  # any exception of the author's code is a finding
        yield Finding("the game", error_text(error), where_raised(error, game))


def _unchecked(game: Game, counts: TrialCounts, played_verbs: set[str]) -> Iterator[Finding]:
    """What a promise can't be made for: too few positions had a twin, or a command was never legal."""
    for (kind, name), (compared, total) in counts.coverage.items():
        if total >= LEAST_POSITIONS and compared < LEAST_SHARE * total:
            where = {"phase": f"in the phase `{name}`", "command": f"after `{name}`", "seat": f"for {name}"}[kind]
            problem = f"not checked for leaks {where}: {compared} of {numbered(total, 'position')} had another deal"
            advice = "let set_up draw all that is hidden from `chance`, try more --deals, or define redeal(seat, seed)"
            yield Finding("check", f"{problem} that looks alike: {advice}")
    verbs = tuple(game.notation.SYNTAX) if isinstance(game.notation, Notation) else ()
    for verb in verbs if counts.positions >= 5 * LEAST_POSITIONS else ():
        if verb not in played_verbs:
            problem = f"not checked: `{verb}` was legal in none of {numbered(counts.positions, 'position')}"
            yield Finding("check", f"{problem}: try more --games or --moves")


def play_digest(game: Game, seed: int, moves: int) -> bytes:
    """The canonical bytes at the end of a random match: they must be the same in any process."""
    match = RandomMatch(game, Random(seed))
    state, _ = match.set_up(seed, {})
    for _ in range(moves):
        seat = next(iter(game.evolution.to_move(state)), "")
        commands = list(islice(game.rules.legal(state, seat), MAX_CHECKED_COMMANDS)) if seat else []
        decision = game.rules.decide(state, seat, match.rng.choice(commands)) if commands else None
        if not isinstance(decision, Accepted):
            break
        state = decision.state
    return game.evolution.canonical(state)


class Examples:
    """Commands that were legal in matches, and some positions of each phase."""

    def __init__(self) -> None:
        self.commands: list[Any] = []
        self.states_by_phase: dict[str, list[Any]] = {}

    def keep(self, phase: str, state: Any, commands: Sequence[Any], rng: Random) -> None:
        """Keeps a position, unless its phase has enough, and a command of each kind."""
        self.commands += examples_of(rng.sample(commands, len(commands)), 1)
        states = self.states_by_phase.setdefault(phase, [])
        if len(states) < PHASE_STATES and (not states or rng.random() < 0.3):
            states.append(state)


class RandomMatch:
    """A random match, with the position as each viewer knows it."""

    def __init__(
        self, game: Game, rng: Random, counts: TrialCounts | None = None, examples: Examples | None = None
    ) -> None:
        self.game = game
        self.rng = rng
        self.counts, self.examples = counts or TrialCounts(), examples or Examples()
        self.known_states: dict[Seat, Any] = {}
        self.last_commit: tuple[Any, dict[Seat, Any], tuple[Event, ...]] = None, {}, ()
        """The last commit: the state before it, whole and as each viewer knows it, and the events."""
        self.past_events: list[tuple[Event, str]] = []
        self.replayed_state: Any = None

    def play_and_check(self, seed: int, moves: int, options: Mapping[str, str]) -> Iterator[Finding]:
        """Plays a match and checks every position."""
        self.counts.matches += 1
        try:
            yield from check_display(self.game, self.game.evolution.initial(), "before set-up")
            state, set_up_events = self.set_up(seed, options)
            yield from self._evolve_known(self.game.evolution.initial(), set_up_events)
            yield from self._check_repeated_set_up(seed, options, state)
            yield from self._check_texts((), state)
            for _ in range(moves):
                yield from self._check_position(state)
                next_state = yield from self._check_move(state)
                if next_state is None:
                    break
                state = next_state
            yield from self._check_past_events()
        except HiddenError as error:
            yield Finding(
                "rules.decide",
                f"raises HiddenError where nothing is hidden: {error}",
                where_raised(error, self.game),
            )
        except Exception as error:  # any exception of the author's code is a finding
            yield Finding("the game", error_text(error), where_raised(error, self.game))

    def set_up(self, seed: int, options: Mapping[str, str]) -> tuple[Any, tuple[Event, ...]]:
        """The position after the set-up, and its events. Also fills `known_states`, each viewer's position."""
        evolution = self.game.evolution
        self.replayed_state = evolution.initial()
        self.known_states = {seat: evolution.initial() for seat in self._viewers(())}
        command = self.game.rules.set_up(options, seed)
        decision = self.game.rules.decide(evolution.initial(), "", command)
        if not isinstance(decision, Accepted):
            raise GameError("the game can't be set up", "; ".join(refusal.reason for refusal in decision.refusals))
        self.known_states = {seat: evolution.initial() for seat in self._viewers(evolution.seats(decision.state))}
        return decision.state, (self._played_event("", command), *decision.events)

    def _check_repeated_set_up(self, seed: int, options: Mapping[str, str], state: Any) -> Iterator[Finding]:
        """The same seed sets up the same match, and invariants hold in it."""
        rules, make_initial = self.game.rules, self.game.evolution.initial
        command = rules.set_up(options, seed)
        if command != rules.set_up(options, seed):
            yield Finding("rules.set_up", "gives another match for the same seed: draw from `chance` alone")
        decide = partial(rules.decide, make_initial(), "", command)
        decision = decide()
        if isinstance(decision, Accepted):
            if self.game.evolution.canonical(decision.state) != self.game.evolution.canonical(state):
                yield Finding("rules.decide", IMPURE_PROBLEM, self._where_impure(decide))
            yield from self._check_invariants(make_initial(), decision.events, decide)

    def _check_invariants(self, state: Any, events: tuple[Event, ...], decide: Callable[[], Any]) -> Iterator[Finding]:
        """The author's `invariant(state)` says "" after every event. `state` is changed."""
        for index, event in enumerate(events if hasattr(self.game.evolution, "invariant") else ()):
            self.game.evolution.evolve(state, event)
            if fault := broken_rule(self.game, state):
                event_locations = trace_run(self.game, decide).events
                location = event_locations[index] if index < len(event_locations) else where_type(self.game, event)
                yield Finding("evolution.invariant", f"{fault}, after {type(event).__name__}", location)
                return

    def _where_impure(self, decide: Callable[[], Any]) -> str:
        """The line at which two calls part. Luck may give the same twice, so a few pairs are compared."""
        locations = (where_runs_part(self.game, decide, decide) for _ in range(MAX_PAIRS))
        return next(filter(None, locations), "")

    def _played_event(self, seat: Seat, command: Any) -> Event:
        make_played: Callable[..., Event] = self.game.evolution.EVENTS[0]
        return make_played(seat=seat, command=command)

    def _viewers(self, seats: tuple[Seat, ...]) -> tuple[Seat, ...]:
        return (*seats, "") if self.game.secrets else ()

    def _evolve_known(self, state_before: Any, events: tuple[Event, ...]) -> Iterator[Finding]:
        """Applies redacted events to what each viewer knows, and whole ones in place, as Zim does with stored ones."""
        evolution, secrets = self.game.evolution, self.game.secrets
        known_before = {seat: evolution.copy(state) for seat, state in self.known_states.items()}
        self.last_commit = state_before, known_before, events
        for seat, known_state in [*self.known_states.items()]:
            assert secrets
            for event in events:
                try:
                    evolution.evolve(known_state, secrets.redact(event, seat))
                except Exception as error:  # any exception of the author's code is a finding
                    problem = (
                        f"raises {error_text(error)}, as {seat or 'a spectator'} may see it: keep a hidden value as ?"
                    )
                    location = where_raised(error, self.game) or where_type(self.game, event)
                    yield Finding("evolution.evolve", problem, location)
                    del self.known_states[seat]
                    break
        for event in events:
            self.past_events.append((event, short_text(event)))
            evolution.evolve(self.replayed_state, event)

    def _check_past_events(self) -> Iterator[Finding]:
        """No event of the match has changed since it happened."""
        for event, text in self.past_events:
            if short_text(event) != text:
                yield self._kept_finding(event, "")

    def _check_unchanged(self, state: Any) -> Iterator[Finding]:
        """Asking changes no state."""
        rules, evolution, display = self.game.rules, self.game.evolution, self.game.display
        questions: dict[str, Callable[[Any], Any]] = {
            "rules.legal": lambda state: [
                [*islice(rules.legal(state, seat), MAX_CHECKED_COMMANDS)] for seat in evolution.seats(state)
            ],
            "evolution.outcome": evolution.outcome,
            "display.status": display.status,
            "display.tables": lambda state: [*display.tables(state)],
            "display.figures": lambda state: [display.figures(state, seat) for seat in evolution.seats(state)],
        }
        bytes_before = evolution.canonical(state)
        for member, call in questions.items():
            copies = [evolution.copy(state) for _ in range(2)]
            call(copies[0])
            if evolution.canonical(copies[0]) != bytes_before:
                location = where_changed(self.game, partial(call, copies[1]), partial(evolution.canonical, copies[1]))
                yield Finding(member, "changes the state that it is given: change it by events alone", location)

    def _check_position(self, state: Any) -> Iterator[Finding]:
        self.counts.positions += 1
        yield from self._check_unchanged(state)
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
        tried = self.rng.sample(self.examples.commands, min(TRIED_COMMANDS, len(self.examples.commands)))
        for seat, known_state in self.known_states.items():
            assert secrets
            concealed_state = secrets.conceal(state, seat)
            if evolution.canonical(known_state) != evolution.canonical(concealed_state):
                yield self._redaction_finding(seat)
                self.known_states[seat] = evolution.copy(concealed_state)
            if evolution.canonical(secrets.conceal(concealed_state, seat)) != evolution.canonical(concealed_state):
                yield Finding("secrets.conceal", "concealing twice is not the same as once")
            yield from check_display(self.game, concealed_state, "in a concealed position")
            yield from check_own_view(self.game, state, seat, tried)

    def _redaction_finding(self, seat: Seat) -> Finding:
        """Names the event and the field where a viewer's redacted events first lead to another state than conceal."""
        secrets, evolution = self.game.secrets, self.game.evolution
        assert secrets
        state_before, known_before, events = self.last_commit
        state, known_state = evolution.copy(state_before), known_before[seat]
        problem = f"the redacted events of {seat or 'a spectator'} lead to another state than conceal"
        for event in events:
            copy_before, redacted_event = evolution.copy(known_state), secrets.redact(event, seat)
            evolution.evolve(state, event)
            evolution.evolve(known_state, redacted_event)
            if different := difference(known_state, secrets.conceal(state, seat)):
                path, known_value, concealed_value = different
                field = path.partition(".")[2].partition("[")[0]
                location = where_changed(
                    self.game,
                    partial(evolution.evolve, copy_before, redacted_event),
                    lambda: repr(getattr(copy_before, field, "")),  # noqa: B023 - called before the next event
                )
                problem += f": after {type(event).__name__} {path} is {known_value!r:.60}, not {concealed_value!r:.60}"
                return Finding("secrets.redact", problem, location or where_type(self.game, event))
        return Finding("secrets.redact", problem)

    def _check_move(self, state: Any) -> Generator[Finding, None, Any]:
        """Plays a random legal command and returns the position after it."""
        evolution, rules = self.game.evolution, self.game.rules
        to_move = evolution.to_move(state)
        if not to_move:
            return None
        seat = self.rng.choice(to_move)
        commands = list(islice(rules.legal(state, seat), MAX_CHECKED_COMMANDS))
        if not commands:
            return None
        command = self.rng.choice(commands)
        bytes_before = evolution.canonical(state)
        decide = partial(rules.decide, state, seat, command)
        decision = decide()
        if evolution.canonical(state) != bytes_before:
            location = where_changed(self.game, decide, partial(evolution.canonical, state))
            yield Finding("rules.decide", "changes the state that it is given: change it by events alone", location)
            return None
        if not isinstance(decision, Accepted):
            return None  # legal, and refused: `check_legal` says so
        yield from self._check_answer(state, seat, command, decision)
        sampled_command = rules.legal(state, seat).sample(self.rng)
        if sampled_command not in rules.legal(state, seat):
            yield Finding("rules.legal", "sample() draws what is not legal")
        if rules.apply(state, seat, command).events != decision.events:
            yield Finding("rules.apply", "gives other events than decide")
        events = (self._played_event(seat, command), *decision.events)
        self.examples.keep(phase_of(self.game, state), state, commands, self.rng)
        yield from self._check_leaks(events[0], decision.events)
        yield from self._check_kept_events(decide)
        yield from self._evolve_known(state, events)
        yield from self._check_texts(events, decision.state)
        return decision.state

    def _check_kept_events(self, decide: Callable[[], Any]) -> Iterator[Finding]:
        """An event says the same after its command as when it happened: nothing in it is kept and changed later."""
        run = trace_run(self.game, decide)
        for event, text, location in zip(getattr(run.result, "events", ()), run.event_texts, run.events, strict=False):
            if short_text(event) != text:
                yield self._kept_finding(event, location)

    def _kept_finding(self, event: Event, location: str) -> Finding:
        names = [name for name in event.__struct_fields__ if isinstance(getattr(event, name), (dict, list, set))]
        problem = f"{type(event).__name__} is changed after it has happened: copy {' and '.join(names) or 'it'}"
        used = where_used(self.game, f"on_{name_of(type(event))}", [f"event.{name}" for name in names])
        return Finding("evolution.evolve", f"{problem} before you keep or change it", used or location)

    def _check_leaks(self, played_event: Any, events: tuple[Event, ...]) -> Iterator[Finding]:
        """A value that an event hides must not be readable in a field of the same name in its command."""
        secrets = self.game.secrets
        for viewer in self.known_states if secrets else ():
            if viewer == played_event.seat:
                continue
            assert secrets
            redacted_event: Any = secrets.redact(played_event, viewer)
            for event in events:
                for name in _changed_fields(event, secrets.redact(event, viewer)) & {
                    *played_event.command.__struct_fields__
                }:
                    if repr(getattr(redacted_event.command, name)) == repr(getattr(event, name)):
                        command_name = type(played_event.command).__name__
                        problem = f"hides {type(event).__name__}.{name}, and shows it in {command_name}"
                        yield Finding("secrets.redact", problem)

    def _check_answer(self, state: Any, seat: Seat, command: Any, decision: Accepted) -> Iterator[Finding]:
        evolution, decide = self.game.evolution, partial(self.game.rules.decide, state, seat, command)
        second_decision = decide()
        if not isinstance(second_decision, Accepted) or second_decision.events != decision.events:
            yield Finding("rules.decide", IMPURE_PROBLEM, self._where_impure(decide))
        yield from self._check_invariants(evolution.copy(state), decision.events, decide)
        replayed_state = evolution.copy(state)
        for event in decision.events:
            if isinstance(event, Played):
                yield Finding("rules.decide", "gives Played, which the service adds")
            if type(event) not in evolution.EVENTS:
                yield Finding("evolution.EVENTS", f"leaves out {type(event).__name__}")
            evolution.evolve(replayed_state, event)
            yield from check_display(self.game, replayed_state, "in the middle of a commit")
        if evolution.canonical(replayed_state) != evolution.canonical(decision.state):
            location = where_written(self.game, decide, evolution.canonical)
            yield Finding("evolution.evolve", OTHER_STATE_PROBLEM, location)
        played_event = self._played_event(seat, command)
        for event in (played_event, *decision.events):
            if not _can_be_stored(event):
                yield Finding("evolution.EVENTS", f"{type(event).__name__} differs after it was stored and read")
        evolution.evolve(replayed_state, played_event)
        if evolution.canonical(replayed_state) != evolution.canonical(decision.state):
            yield Finding("evolution.evolve", "Played changes the state: only the events after it may")

    def _check_texts(self, events: tuple[Event, ...], state: Any) -> Iterator[Finding]:
        notation, secrets = self.game.notation, self.game.secrets
        for viewer in self._viewers(self.game.evolution.seats(state)) or (None,):
            redacted_events = [
                secrets.redact(event, viewer) if secrets and viewer is not None else event for event in events
            ]
            texts = [
                *map(notation.describe, redacted_events),
                notation.summary(redacted_events),
                notation.describe_turn(redacted_events),
            ]
            if not all(isinstance(text, str) for text in texts):
                yield Finding("notation.describe", "gives a value that is not text")
            yield from check_transfers(self.game, self.game.evolution.seats(state), redacted_events)
        for event in events:
            make_mark = self.game.evolution.MARKS.get(type(event))
            mark = make_mark(event, state) if make_mark else None
            if mark is not None and not mark.replace(".", "").replace("_", "").isalnum():
                yield Finding("evolution.MARKS", f"{mark!r} can't be typed as the name of a position")


def _changed_fields(event: Any, other_event: Any) -> set[str]:
    """The fields in which two events differ as text: hidden values can't be compared."""
    return {name for name in event.__struct_fields__ if repr(getattr(event, name)) != repr(getattr(other_event, name))}


def _can_be_stored(event: Event) -> bool:
    try:
        return bool(msgspec.msgpack.decode(msgspec.msgpack.encode(event), type=type(event)) == event)
    except (msgspec.MsgspecError, TypeError):
        return False
