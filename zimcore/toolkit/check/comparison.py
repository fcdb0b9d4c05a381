"""Compares what a viewer is shown of two deals that look alike to it: the first difference is a leak."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from random import Random
from typing import Any, NamedTuple

import msgspec

from zimcore.game import Event, Game, HiddenError, NotationError, Refused, Seat, figures
from zimcore.toolkit.check.finding import Finding, TrialCounts
from zimcore.toolkit.check.tags import difference
from zimcore.toolkit.check.tracing import (
    trace_run,
    where_hidden,
    where_mentioned,
    where_raised,
    where_runs_part,
    where_type,
    where_values_part,
)

MAX_LISTED = 200
"""How many legal commands are compared."""
MAX_TRIED = 6
"""How many commands are tried that may be illegal."""
Question = tuple[str, Callable[[], Any]]
"""Something that a viewer may ask for: the member that answers, and the question."""


class Turn(NamedTuple):
    """A command in a match: its seat, the events, with `Played`, and the positions before and after it.

    `status` is what the display said of the position at that time.
    """

    seat: Seat
    command: Any
    events: tuple[Event, ...]
    state_before: Any
    state: Any
    status: str


class Error(msgspec.Struct, frozen=True):
    """An error as an answer: its type and text."""

    name: str
    text: str


class Comparison:
    """What viewers of a game are shown, compared; `counts` has the number of pairs of positions."""

    def __init__(self, game: Game, rng: Random, counts: TrialCounts) -> None:
        assert game.secrets
        self.game, self.secrets, self.rng = game, game.secrets, rng
        self.counts = counts

    def conceal(self, state: Any, viewer: Seat) -> Any:
        """A position as a viewer knows it."""
        return self.secrets.conceal(state, viewer)

    def command_text(self, command: Any) -> str:
        """A command in notation."""
        return self.game.notation.format(command)

    def compare_pair(
        self, move_number: int, turn_of_match: Turn, turn_of_twin: Turn, viewer: Seat, line: Sequence[Turn]
    ) -> Finding | None:
        """The first difference after a command in what a viewer is told, sees and may ask; None if there is none."""
        return (
            self.compare_events(move_number, turn_of_match, turn_of_twin, viewer)
            or self._compare_positions(move_number, turn_of_match, turn_of_twin, viewer)
            or self.compare_questions(move_number, turn_of_match, turn_of_twin, viewer, line)
        )

    def compare_events(self, move_number: int, turn_of_match: Turn, turn_of_twin: Turn, viewer: Seat) -> Finding | None:
        """The first event that differs, or its text."""
        notation = self.game.notation
        events_of_match, events_of_twin = (
            [self.secrets.redact(event, viewer) for event in turn.events] for turn in (turn_of_match, turn_of_twin)
        )
        for index in range(max(len(events_of_match), len(events_of_twin))):
            first_event, second_event = (
                events[index] if index < len(events) else None for events in (events_of_match, events_of_twin)
            )
            if type(first_event) is not type(second_event):
                event = first_event or second_event
                assert event is not None
                problem = f"{type(event).__name__} happens or not by what is hidden from {viewer or 'a spectator'}"
                decide_calls = (
                    partial(self.game.rules.decide, turn.state_before, turn.seat, turn.command)
                    for turn in (turn_of_match, turn_of_twin)
                )
                location = where_runs_part(self.game, *decide_calls) or where_type(self.game, event)
                advice = f"decide it by what all know, or name {type(event).__name__} in DISCLOSES if it may tell that"
                return self._finding("rules.decide", move_number, turn_of_match, viewer, problem, location, advice)
            if (
                first_event is not None
                and second_event is not None
                and (difference_found := difference(first_event, second_event))
            ):
                location = self._where_event(turn_of_match, index) or where_type(self.game, first_event)
                field_name = self._field_name(difference_found[0])
                advice = f"mark {field_name} in SECRETS, or name it in DISCLOSES if it may be known"
                return self._finding(
                    "secrets.redact",
                    move_number,
                    turn_of_match,
                    viewer,
                    _difference_text(difference_found),
                    location,
                    advice,
                )
        texts: Sequence[tuple[str, Callable[[Any], Any]]] = (
            ("notation.describe", lambda events: [*map(notation.describe, events)]),
            ("notation.summary", notation.summary),
            ("notation.describe_turn", notation.describe_turn),
        )
        for member, make_text in texts:
            if finding := self._compare_answers(
                move_number,
                turn_of_match,
                viewer,
                member,
                partial(make_text, events_of_match),
                partial(make_text, events_of_twin),
            ):
                return finding
        return None

    def _field_name(self, path: str) -> str:
        """The type and field in a path: `BidSealed.coins` of `BidSealed.coins[0]`."""
        return path.partition("[")[0].replace("Played.command.", "")

    def _where_event(self, turn: Turn, index: int) -> str:
        """The author's line at which an event of a command happens."""
        run_trace = trace_run(self.game, partial(self.game.rules.decide, turn.state_before, turn.seat, turn.command))
        return run_trace.events[index - 1] if 0 < index <= len(run_trace.events) else ""

    def _compare_positions(
        self, move_number: int, turn_of_match: Turn, turn_of_twin: Turn, viewer: Seat
    ) -> Finding | None:
        """The first field of the position, as a viewer knows it, that differs."""
        difference_found = difference(
            self.conceal(turn_of_match.state, viewer), self.conceal(turn_of_twin.state, viewer)
        )
        if difference_found is None:
            return None
        field = difference_found[0].partition(".")[2].partition("[")[0]
        location = self._where_field(turn_of_match, turn_of_twin, viewer, field)
        location = location or where_mentioned(self.game, "", type(turn_of_match.state).__name__)
        advice = (
            f"mark {type(turn_of_match.state).__name__}.{field} in SECRETS, or name it in DISCLOSES if it may be known"
        )
        return self._finding(
            "secrets.conceal", move_number, turn_of_match, viewer, _difference_text(difference_found), location, advice
        )

    def _where_field(self, turn_of_match: Turn, turn_of_twin: Turn, viewer: Seat, field: str) -> str:
        """The author's line after which a field, as a viewer knows it, differs."""
        evolution = self.game.evolution
        states = [evolution.copy(turn.state_before) for turn in (turn_of_match, turn_of_twin)]
        for event_pair in zip(turn_of_match.events, turn_of_twin.events, strict=False):
            copies_before = [*map(evolution.copy, states)]
            for state, event in zip(states, event_pair, strict=True):
                evolution.evolve(state, event)
            if difference(*(getattr(self.conceal(state, viewer), field) for state in states)):
                watched_calls = (
                    (partial(evolution.evolve, state, event), partial(self._field_text, state, viewer, field))
                    for state, event in zip(copies_before, event_pair, strict=True)
                )
                return where_values_part(self.game, *watched_calls)
        return ""

    def _field_text(self, state: Any, viewer: Seat, field: str) -> str:
        return repr(getattr(self.conceal(state, viewer), field))

    def compare_questions(
        self, move_number: int, turn_of_match: Turn, turn_of_twin: Turn, viewer: Seat, line: Sequence[Turn]
    ) -> Finding | None:
        """The first question that is answered in two ways, or that can't be answered as a viewer."""
        self.counts.pairs += 1
        positions = [(turn.state, self.conceal(turn.state, viewer)) for turn in (turn_of_match, turn_of_twin)]
        questions_by_deal = [[*self._questions_of(*position, viewer)] for position in positions]
        for (member, answer), (_, other_answer) in zip(*questions_by_deal, strict=True):
            if finding := self._compare_answers(move_number, turn_of_match, viewer, member, answer, other_answer):
                return finding
        return self._compare_legal(move_number, turn_of_match, turn_of_twin, viewer) or self._compare_refusals(
            move_number, turn_of_match, turn_of_twin, viewer, line
        )

    def _questions_of(self, whole_state: Any, visible_state: Any, viewer: Seat) -> Iterator[Question]:
        """All that a viewer may ask for at a position."""
        evolution, display, questions = self.game.evolution, self.game.display, self.game.questions
        yield "evolution.to_move", lambda: [evolution.to_move(whole_state), evolution.to_move(visible_state)]
        yield "evolution.outcome", lambda: [evolution.outcome(whole_state).over, evolution.outcome(visible_state)]
        yield "display.status", lambda: display.status(visible_state)
        yield "display.toolbar", lambda: display.toolbar(visible_state)
        yield "display.turn", lambda: [*display.turn(visible_state)]
        yield "display.figures", lambda: figures(self.game, visible_state)
        yield "display.tables", lambda: [*display.tables(visible_state)]
        yield "display.board", lambda: display.board(visible_state)
        yield "display.colours", lambda: [display.colours(visible_state), display.names(visible_state)]
        for name in questions.QUESTIONS:
            yield "questions.ask", partial(self._ask_question, visible_state, name)
        if viewer in evolution.to_move(whole_state):
            yield "rules.legal", lambda: [*islice(self.game.rules.legal(visible_state, viewer).texts(), MAX_LISTED)]
            yield (
                "rules.legal",
                lambda: [*map(self.command_text, islice(self.game.rules.legal(whole_state, viewer), MAX_LISTED))],
            )
            yield "rules.legal", lambda: self.game.rules.legal(whole_state, viewer).count()
            yield "questions.advice", lambda: [*questions.advice(visible_state, viewer)]
            yield "questions.describe_effects", lambda: self._describe_effects(visible_state, viewer)

    def _ask_question(self, visible_state: Any, name: str) -> Any:
        try:
            return [*self.game.questions.ask(visible_state, name, ())]
        except (NotationError, HiddenError) as error:
            return str(error)

    def _describe_effects(self, visible_state: Any, viewer: Seat) -> Any:
        questions = self.game.questions
        commands = [*islice(self.game.rules.legal(visible_state, viewer), MAX_TRIED)]
        return [
            (
                questions.describe_effects(visible_state, viewer, command),
                questions.waste(visible_state, viewer, command),
            )
            for command in commands
        ]

    def _compare_answers(
        self,
        move_number: int,
        turn: Turn,
        viewer: Seat,
        member: str,
        ask: Callable[[], Any],
        ask_twin: Callable[[], Any],
    ) -> Finding | None:
        try:
            answer = ask()
        except Exception as error:  # any exception of the author's code is a finding
            is_hidden = isinstance(error, HiddenError)
            problem = "needs what is hidden from" if is_hidden else f"raises {type(error).__name__}: {error}, asked as"
            location = where_raised(error, self.game) or where_mentioned(self.game, member, str(error))
            advice = "use only what that seat can see" if is_hidden else "make it work on what a seat can see"
            return self._finding(
                member, move_number, turn, "", f"{problem} {viewer or 'a spectator'}", location, advice
            )
        try:
            difference_found = difference(answer, ask_twin(), member)
        except Exception as error:  # the same in the twin alone
            difference_found = member, answer, Error(type(error).__name__, str(error))
        if difference_found is None:
            return None
        location = where_runs_part(self.game, ask, ask_twin) or where_mentioned(self.game, member, "")
        advice = "make it from what that seat can see"
        return self._finding(member, move_number, turn, viewer, _difference_text(difference_found), location, advice)

    def _compare_legal(self, move_number: int, turn_of_match: Turn, turn_of_twin: Turn, viewer: Seat) -> Finding | None:
        """What is legal as a viewer sees it must be what is legal."""
        legal_commands, visible_state = self.game.rules.legal, self.conceal(turn_of_match.state, viewer)
        if viewer not in self.game.evolution.to_move(turn_of_match.state):
            return None
        commands_listed = [
            sorted(map(self.command_text, islice(legal_commands(state, viewer), MAX_LISTED)))
            for state in (turn_of_match.state, visible_state)
        ]
        if commands_listed[0] == commands_listed[1] or MAX_LISTED in map(len, commands_listed):
            return None
        problem = f"lists other commands on what {viewer} can see than on the whole position"
        location = where_runs_part(
            self.game,
            lambda: [*legal_commands(turn_of_match.state, viewer)],
            lambda: [*legal_commands(visible_state, viewer)],
        ) or where_mentioned(self.game, "rules.legal", "")
        return self._finding(
            "rules.legal", move_number, turn_of_match, "", problem, location, "use only what that seat can see"
        )

    def _compare_refusals(
        self, move_number: int, turn_of_match: Turn, turn_of_twin: Turn, viewer: Seat, line: Sequence[Turn]
    ) -> Finding | None:
        """Commands that may be illegal: the answers of both deals, and how long it takes to refuse."""
        decide = self.game.rules.decide
        for command in self._commands_to_try(turn_of_match.state, viewer, line) if viewer else ():
            calls = [partial(decide, turn.state, viewer, command) for turn in (turn_of_match, turn_of_twin)]
            answers = [self._decide_or_error(call) for call in calls]
            command_text = self.command_text(command)
            if type(answers[0]) is not type(answers[1]):
                problem = f"accepts {command_text} of {viewer} or refuses it by what is hidden from {viewer}"
                location = self.locate(
                    calls[0], calls[1], partial(decide, self.conceal(turn_of_match.state, viewer), viewer, command)
                )
                return self._finding(
                    "rules.decide",
                    move_number,
                    turn_of_match,
                    "",
                    problem,
                    location,
                    f"decide it by what {viewer} sees",
                )
            if isinstance(answers[0], Error):
                continue
            if isinstance(answers[0], Refused) and (difference_found := difference(*answers)):
                location = self.locate(
                    calls[0], calls[1], partial(decide, self.conceal(turn_of_match.state, viewer), viewer, command)
                )
                problem = f"refuses {command_text}: {_difference_text(difference_found)}"
                advice = "give reasons and hints by what that seat can see"
                return self._finding("rules.decide", move_number, turn_of_match, viewer, problem, location, advice)
            if isinstance(answers[0], Refused) and (location := self._takes_longer(*calls)):
                problem = f"takes longer to refuse {command_text} by what is hidden from {viewer}"
                advice = f"check what {viewer} can see before anything hidden"
                return self._finding("rules.decide", move_number, turn_of_match, "", problem, location, advice)
        return None

    def _takes_longer(self, refuse: Callable[[], Any], refuse_in_twin: Callable[[], Any]) -> str:
        """Where one of two refusals takes more of the author's lines; "" if both take as many."""
        step_counts = [len(trace_run(self.game, call).steps) for call in (refuse, refuse_in_twin)]
        return where_runs_part(self.game, refuse, refuse_in_twin) if step_counts[0] != step_counts[1] else ""

    def _decide_or_error(self, decide: Callable[[], Any]) -> Any:
        try:
            return decide()
        except Exception as error:  # commands that are out of place may be more than an author thought of
            return Error(type(error).__name__, str(error))

    def _commands_to_try(self, state: Any, viewer: Seat, line: Sequence[Turn]) -> list[Any]:
        """Commands of this match and variations of them, for a seat to try."""
        played_commands = [turn.command for turn in line if turn.seat]
        legal_commands = [*islice(self.game.rules.legal(state, viewer), MAX_TRIED)]
        variations = [
            variation
            for command in (*legal_commands, *played_commands[:MAX_TRIED])
            for variation in _vary_numbers(command)
        ]
        distinct_commands = list(
            {msgspec.json.encode(command): command for command in (*played_commands, *variations)}.values()
        )
        return self.rng.sample(distinct_commands, min(MAX_TRIED, len(distinct_commands)))

    def locate(
        self, decide: Callable[[], Any], decide_in_twin: Callable[[], Any], decide_visible: Callable[[], Any]
    ) -> str:
        """The author's line at which something hidden is used, or at which the answers of two deals part."""
        location = where_hidden(self.game, decide_visible)
        return (
            location
            or where_runs_part(self.game, decide, decide_in_twin)
            or where_mentioned(self.game, "rules.decide", "")
        )

    def _finding(
        self, member: str, move_number: int, turn: Turn, viewer: Seat, problem: str, location: str, advice: str
    ) -> Finding:
        command = self.command_text(turn.command) if turn.seat else "the set-up"
        viewer_note = f" for {viewer}, to whom both deals look alike" if viewer else ""
        return Finding(member, f"{problem}{viewer_note}, after {command} (move {move_number}): {advice}", location)


def _difference_text(difference_found: tuple[str, Any, Any]) -> str:
    path, *values = difference_found
    value_text, twin_text = (repr(value)[:60] for value in values)
    return f"{path} is {value_text} or {twin_text}"


def _vary_numbers(command: Any) -> Iterator[Any]:
    """Commands with one number changed by one, or doubled."""
    for name in command.__struct_fields__:
        value = getattr(command, name)
        if type(value) is int:
            for varied_value in (value - 1, value + 1, 2 * value + 7):
                yield msgspec.structs.replace(command, **{name: varied_value})
