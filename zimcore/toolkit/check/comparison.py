"""Compares what a viewer is shown of two deals that look alike to it: the first difference is a leak."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from random import Random
from typing import Any, NamedTuple

import msgspec

from zimcore.game import Event, Game, HiddenError, NotationError, Refused, Seat, figures
from zimcore.toolkit.check.finding import Finding, Tried
from zimcore.toolkit.check.tags import difference
from zimcore.toolkit.check.tracing import (
    run_traced,
    where_hidden,
    where_mentioned,
    where_of,
    where_runs_part,
    where_type,
    where_values_part,
)

LISTED = 200
"""How many legal commands are compared."""
REFUSED = 6
"""How many commands are tried that may be illegal."""
Shown = tuple[str, Callable[[], Any]]
"""Something that a viewer may ask for: the member that answers, and the question."""


class Turn(NamedTuple):
    """A command in a match: its seat, the events, with `Played`, and the positions before and after it.

    `status` is what the display said of the position at that time.
    """

    seat: Seat
    command: Any
    events: tuple[Event, ...]
    before: Any
    state: Any
    status: str


class Error(msgspec.Struct, frozen=True):
    """An error as an answer: its type and text."""

    name: str
    text: str


class Comparison:
    """What viewers of a game are shown, compared; `tried` counts the pairs of positions."""

    def __init__(self, game: Game, rng: Random, tried: Tried) -> None:
        assert game.secrets
        self.game, self.secrets, self.rng = game, game.secrets, rng
        self.tried = tried

    def conceal(self, state: Any, viewer: Seat) -> Any:
        """A position as a viewer knows it."""
        return self.secrets.conceal(state, viewer)

    def text(self, command: Any) -> str:
        """A command in notation."""
        return self.game.notation.format(command)

    def pair(self, number: int, one: Turn, other: Turn, viewer: Seat, line: Sequence[Turn]) -> Finding | None:
        """The first difference after a command in what a viewer is told, sees and may ask; None if there is none."""
        return (
            self.compare_events(number, one, other, viewer)
            or self._position(number, one, other, viewer)
            or self.compare_questions(number, one, other, viewer, line)
        )

    def compare_events(self, number: int, one: Turn, other: Turn, viewer: Seat) -> Finding | None:
        """The first event that differs, or its text."""
        notation = self.game.notation
        first, second = ([self.secrets.redact(event, viewer) for event in turn.events] for turn in (one, other))
        for at in range(max(len(first), len(second))):
            each, other_event = (finding[at] if at < len(finding) else None for finding in (first, second))
            if type(each) is not type(other_event):
                event = each or other_event
                assert event is not None
                what = f"{type(event).__name__} happens or not by what is hidden from {viewer or 'a spectator'}"
                decide = (partial(self.game.rules.decide, t.before, t.seat, t.command) for t in (one, other))
                location = where_runs_part(self.game, *decide) or where_type(self.game, event)
                return self._finding("rules.decide", number, one, viewer, what, location, "decide it by what all know")
            if each is not None and other_event is not None and (difference_found := difference(each, other_event)):
                location = self._where_event(one, at) or where_type(self.game, each)
                name = self._field(difference_found[0])
                advice = f"mark {name} in SECRETS, or name it in DISCLOSES if it may be known"
                return self._finding("secrets.redact", number, one, viewer, _differ(difference_found), location, advice)
        texts: Sequence[tuple[str, Callable[[Any], Any]]] = (
            ("notation.describe", lambda events: [*map(notation.describe, events)]),
            ("notation.summary", notation.summary),
            ("notation.describe_turn", notation.describe_turn),
        )
        for member, text in texts:
            if finding := self._ask(number, one, viewer, member, partial(text, first), partial(text, second)):
                return finding
        return None

    def _field(self, path: str) -> str:
        """The type and field in a path: `BidSealed.coins` of `BidSealed.coins[0]`."""
        return path.partition("[")[0].replace("Played.command.", "")

    def _where_event(self, turn: Turn, at: int) -> str:
        """The author's line at which an event of a command happens."""
        run_trace = run_traced(self.game, partial(self.game.rules.decide, turn.before, turn.seat, turn.command))
        return run_trace.events[at - 1] if 0 < at <= len(run_trace.events) else ""

    def _position(self, number: int, one: Turn, other: Turn, viewer: Seat) -> Finding | None:
        """The first field of the position, as a viewer knows it, that differs."""
        difference_found = difference(self.conceal(one.state, viewer), self.conceal(other.state, viewer))
        if difference_found is None:
            return None
        field = difference_found[0].partition(".")[2].partition("[")[0]
        location = self._where_field(one, other, viewer, field)
        location = location or where_mentioned(self.game, "", type(one.state).__name__)
        advice = f"mark {type(one.state).__name__}.{field} in SECRETS, or name it in DISCLOSES if it may be known"
        return self._finding("secrets.conceal", number, one, viewer, _differ(difference_found), location, advice)

    def _where_field(self, one: Turn, other: Turn, viewer: Seat, field: str) -> str:
        """The author's line after which a field, as a viewer knows it, differs."""
        evolution = self.game.evolution
        states = [evolution.copy(turn.before) for turn in (one, other)]
        for pair in zip(one.events, other.events, strict=False):
            before = [*map(evolution.copy, states)]
            for state, event in zip(states, pair, strict=True):
                evolution.evolve(state, event)
            if difference(*(getattr(self.conceal(each, viewer), field) for each in states)):
                watched_calls = (
                    (partial(evolution.evolve, state, event), partial(self._field_text, state, viewer, field))
                    for state, event in zip(before, pair, strict=True)
                )
                return where_values_part(self.game, *watched_calls)
        return ""

    def _field_text(self, state: Any, viewer: Seat, field: str) -> str:
        return repr(getattr(self.conceal(state, viewer), field))

    def compare_questions(
        self, number: int, one: Turn, other: Turn, viewer: Seat, line: Sequence[Turn]
    ) -> Finding | None:
        """The first question that is answered in two ways, or that can't be answered as a viewer."""
        self.tried.pairs += 1
        positions = [(turn.state, self.conceal(turn.state, viewer)) for turn in (one, other)]
        questions = [[*self._questions(*each, viewer)] for each in positions]
        for (member, answer), (_, other_answer) in zip(*questions, strict=True):
            if finding := self._ask(number, one, viewer, member, answer, other_answer):
                return finding
        return self._legal(number, one, other, viewer) or self._refusals(number, one, other, viewer, line)

    def _questions(self, raw: Any, seen: Any, viewer: Seat) -> Iterator[Shown]:
        """All that a viewer may ask for at a position."""
        evolution, display, questions = self.game.evolution, self.game.display, self.game.questions
        yield "evolution.to_move", lambda: [evolution.to_move(raw), evolution.to_move(seen)]
        yield "evolution.outcome", lambda: [evolution.outcome(raw).over, evolution.outcome(seen)]
        yield "display.status", lambda: display.status(seen)
        yield "display.toolbar", lambda: display.toolbar(seen)
        yield "display.turn", lambda: [*display.turn(seen)]
        yield "display.figures", lambda: figures(self.game, seen)
        yield "display.tables", lambda: [*display.tables(seen)]
        yield "display.board", lambda: display.board(seen)
        yield "display.colours", lambda: [display.colours(seen), display.names(seen)]
        for name in questions.QUESTIONS:
            yield "questions.ask", partial(self._answer, seen, name)
        if viewer in evolution.to_move(raw):
            yield "rules.legal", lambda: [*islice(self.game.rules.legal(seen, viewer).texts(), LISTED)]
            yield "rules.legal", lambda: [*map(self.text, islice(self.game.rules.legal(raw, viewer), LISTED))]
            yield "rules.legal", lambda: self.game.rules.legal(raw, viewer).count()
            yield "questions.advice", lambda: [*questions.advice(seen, viewer)]
            yield "questions.describe_effects", lambda: self._effects(seen, viewer)

    def _answer(self, seen: Any, name: str) -> Any:
        try:
            return [*self.game.questions.ask(seen, name, ())]
        except (NotationError, HiddenError) as error:
            return str(error)

    def _effects(self, seen: Any, viewer: Seat) -> Any:
        questions = self.game.questions
        commands = [*islice(self.game.rules.legal(seen, viewer), REFUSED)]
        return [
            (questions.describe_effects(seen, viewer, each), questions.waste(seen, viewer, each)) for each in commands
        ]

    def _ask(
        self, number: int, turn: Turn, viewer: Seat, member: str, mine: Callable[[], Any], its: Callable[[], Any]
    ) -> Finding | None:
        try:
            answer = mine()
        except Exception as error:  # any exception of the author's code is a finding
            hidden = isinstance(error, HiddenError)
            what = "needs what is hidden from" if hidden else f"raises {type(error).__name__}: {error}, asked as"
            location = where_of(error, self.game) or where_mentioned(self.game, member, str(error))
            advice = "use only what that seat can see" if hidden else "make it work on what a seat can see"
            return self._finding(member, number, turn, "", f"{what} {viewer or 'a spectator'}", location, advice)
        try:
            difference_found = difference(answer, its(), member)
        except Exception as error:  # the same in the twin alone
            difference_found = member, answer, Error(type(error).__name__, str(error))
        if difference_found is None:
            return None
        location = where_runs_part(self.game, mine, its) or where_mentioned(self.game, member, "")
        advice = "make it from what that seat can see"
        return self._finding(member, number, turn, viewer, _differ(difference_found), location, advice)

    def _legal(self, number: int, one: Turn, other: Turn, viewer: Seat) -> Finding | None:
        """What is legal as a viewer sees it must be what is legal."""
        legal, visible = self.game.rules.legal, self.conceal(one.state, viewer)
        if viewer not in self.game.evolution.to_move(one.state):
            return None
        commands_listed = [sorted(map(self.text, islice(legal(each, viewer), LISTED))) for each in (one.state, visible)]
        if commands_listed[0] == commands_listed[1] or LISTED in map(len, commands_listed):
            return None
        what = f"lists other commands on what {viewer} can see than on the whole position"
        location = where_runs_part(
            self.game, lambda: [*legal(one.state, viewer)], lambda: [*legal(visible, viewer)]
        ) or where_mentioned(self.game, "rules.legal", "")
        return self._finding("rules.legal", number, one, "", what, location, "use only what that seat can see")

    def _refusals(self, number: int, one: Turn, other: Turn, viewer: Seat, line: Sequence[Turn]) -> Finding | None:
        """Commands that may be illegal: the answers of both deals, and how long it takes to refuse."""
        decide = self.game.rules.decide
        for command in self._tries(one.state, viewer, line) if viewer else ():
            calls = [partial(decide, turn.state, viewer, command) for turn in (one, other)]
            answers = [self._answer_to(each) for each in calls]
            name = self.text(command)
            if type(answers[0]) is not type(answers[1]):
                what = f"accepts {name} of {viewer} or refuses it by what is hidden from {viewer}"
                location = self.where(
                    calls[0], calls[1], partial(decide, self.conceal(one.state, viewer), viewer, command)
                )
                return self._finding(
                    "rules.decide", number, one, "", what, location, f"decide it by what {viewer} sees"
                )
            if isinstance(answers[0], Error):
                continue
            if isinstance(answers[0], Refused) and (difference_found := difference(*answers)):
                location = self.where(
                    calls[0], calls[1], partial(decide, self.conceal(one.state, viewer), viewer, command)
                )
                what = f"refuses {name}: {_differ(difference_found)}"
                advice = "give reasons and hints by what that seat can see"
                return self._finding("rules.decide", number, one, viewer, what, location, advice)
            if isinstance(answers[0], Refused) and (location := self._takes_longer(*calls)):
                what = f"takes longer to refuse {name} by what is hidden from {viewer}"
                advice = f"check what {viewer} can see before anything hidden"
                return self._finding("rules.decide", number, one, "", what, location, advice)
        return None

    def _takes_longer(self, one: Callable[[], Any], other: Callable[[], Any]) -> str:
        """Where one of two refusals takes more of the author's lines; "" if both take as many."""
        lines = [len(run_traced(self.game, each).steps) for each in (one, other)]
        return where_runs_part(self.game, one, other) if lines[0] != lines[1] else ""

    def _answer_to(self, decide: Callable[[], Any]) -> Any:
        try:
            return decide()
        except Exception as error:  # commands that are out of place may be more than an author thought of
            return Error(type(error).__name__, str(error))

    def _tries(self, state: Any, viewer: Seat, line: Sequence[Turn]) -> list[Any]:
        """Commands of this match and variations of them, for a seat to try."""
        played_commands = [turn.command for turn in line if turn.seat]
        legal = [*islice(self.game.rules.legal(state, viewer), REFUSED)]
        variations = [each for command in (*legal, *played_commands[:REFUSED]) for each in _variations(command)]
        different = list({msgspec.json.encode(each): each for each in (*played_commands, *variations)}.values())
        return self.rng.sample(different, min(REFUSED, len(different)))

    def where(self, one: Callable[[], Any], other: Callable[[], Any], seen: Callable[[], Any]) -> str:
        """The author's line at which something hidden is used, or at which the answers of two deals part."""
        hidden = where_hidden(self.game, seen)
        return hidden or where_runs_part(self.game, one, other) or where_mentioned(self.game, "rules.decide", "")

    def _finding(
        self, member: str, number: int, turn: Turn, viewer: Seat, what: str, where: str, advice: str
    ) -> Finding:
        command = self.text(turn.command) if turn.seat else "the set-up"
        viewer_sees = f" for {viewer}, to whom both deals look alike" if viewer else ""
        return Finding(member, f"{what}{viewer_sees}, after {command} (move {number}): {advice}", where)


def _differ(parted: tuple[str, Any, Any]) -> str:
    path, first, second = parted
    first, second = (repr(each)[:60] for each in (first, second))
    return f"{path} is {first} or {second}"


def _variations(command: Any) -> Iterator[Any]:
    """Commands with one number changed by one, or doubled."""
    for name in command.__struct_fields__:
        value = getattr(command, name)
        if type(value) is int:
            for varied_value in (value - 1, value + 1, 2 * value + 7):
                yield msgspec.structs.replace(command, **{name: varied_value})
