"""Finds leaks by twins: deals that differ only in what a seat can't see, played side by side.

One match is played at random. Each viewer gets a twin of it: another deal that agrees in all that this viewer has been
shown so far. All players do the same in both, as far as the viewer can tell. So the viewer must be shown the same in
both: events and their texts, the position, what is legal and in which order, refusals, answers. The first difference is
a leak.

What was shown openly is followed by labels on the values of the deal. A value was revealed if a viewer is shown it in a
field that is marked for its owner, in a field that `DISCLOSES` names, or in an open field, and it is hidden nowhere any
more. Without marks, a twin is the position with its hidden values dealt again, and one command is played in both; the
events of the set-up are not compared then.

In other words: non-interference, 2-safety, self-composition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice, pairwise
from random import Random
from typing import Any

import msgspec

from zimcore.game import Event, Game, GameError, Refused, Seat
from zimcore.toolkit.check.comparison import LISTED, Comparison, Turn
from zimcore.toolkit.check.finding import Finding, Tried
from zimcore.toolkit.check.tags import Deal, Tag, add_tag, difference, items, singles, tags, with_items
from zimcore.toolkit.check.tracing import where_of
from zimcore.toolkit.secrets import OWNER, MarkedSecrets

ATTEMPTS = 12
"""How many deals are tried for a twin, as some don't agree with what was played."""


class Twins:
    """One match and its twins."""

    def __init__(
        self, game: Game, seed: int, moves: int, options: Mapping[str, str], tried: Tried | None = None
    ) -> None:
        assert game.secrets
        self.game, self.secrets = game, game.secrets
        self.seed, self.moves, self.options = seed, moves, options
        self.rng = Random(f"twins/{seed}")
        self.tried = tried or Tried()
        self.compare = Comparison(game, self.rng, self.tried)
        self.marks = game.secrets.marks if isinstance(game.secrets, MarkedSecrets) else {}
        author = getattr(game.evolution, "author", None)
        self.discloses: Mapping[type, set[str]] = getattr(author, "DISCLOSES", {})

    def findings(self) -> Iterator[Finding]:
        """The first difference of each stretch of the match in which no viewer learns anything new."""
        self.tried.deals += 1
        try:
            line = [*self.match()]
            yield from self._memory(line)
            for viewer in (*self.game.evolution.seats(line[-1].state), ""):
                yield from self._by_deal(line, viewer) if self.marks else self._by_redeal(line, viewer)
        except Exception as error:  # any exception of the author's code is a finding
            yield Finding("the game", f"{type(error).__name__}: {error}", where_of(error, self.game))

    def _memory(self, line: Sequence[Turn]) -> Iterator[Finding]:
        """A position has the same status at any time."""
        if any(self.game.display.status(turn.state) != turn.status for turn in line):
            yield Finding("display.status", "says something else of the same position later: make it from the state")

    def match(self) -> Iterator[Turn]:
        """A match, played at random."""
        rules, rng = self.game.rules, self.rng
        turn = self.turn(self.game.evolution.initial(), "", rules.set_up(self.options, self.seed))
        while isinstance(turn, Turn):
            yield turn
            to_move = self.game.evolution.to_move(turn.state)
            seat = rng.choice(to_move) if to_move else ""
            command = rules.legal(turn.state, seat).sample(rng) if seat else None
            self.moves -= 1
            turn = self.turn(turn.state, seat, command) if command is not None and self.moves >= 0 else None

    def turn(self, state: Any, seat: Seat, command: Any) -> Turn | Refused | None:
        """A command as it is decided."""
        answer = self.game.rules.decide(state, seat, command)
        if isinstance(answer, Refused):
            return answer
        played_type: Callable[..., Event] = self.game.evolution.EVENTS[0]
        events = (played_type(seat=seat, command=command), *answer.events)
        return Turn(seat, command, events, state, answer.state, self.game.display.status(answer.state))

    # Twins of a deal

    def _by_deal(self, line: Sequence[Turn], viewer: Seat) -> Iterator[Finding]:
        known_tags, start = self._revealed_by_turn(line, viewer), 0
        if self._is_over(line[-1]):
            line = line[:-1]  # what the last command reveals is of no use any more
        while start < len(line):
            stop = next((at for at in range(start, len(line)) if known_tags[at] != known_tags[start]), len(line))
            findings = self._stretch(line[:stop], known_tags[start], viewer, start)
            if findings:
                yield findings
            start = stop

    def _is_over(self, turn: Turn) -> bool:
        return self.game.evolution.outcome(turn.state).over

    def _revealed_by_turn(self, line: Sequence[Turn], viewer: Seat) -> list[frozenset[Tag]]:
        """What was revealed to a viewer after each command, by labels."""
        known_tags, tags_by_turn, state = set[Tag](), list[frozenset[Tag]](), self.game.evolution.initial()
        deal = self._deal(line[0].command, [*self.marks.get(type(line[0].command), {})], "0:")
        plain_values = {tag: value for tag, value in deal.items() if not tags(add_tag(value, tag))}
        for number, turn in enumerate(line):
            command = self._tag_command(turn.command, f"{number}:")
            after = self.turn(state, turn.seat, self._same(state, turn.seat, command))
            if not isinstance(after, Turn):
                raise GameError("the same command is refused when it is played again", "deciding is not pure")
            state = after.state
            known_tags |= self._revealed_tags(after, viewer) | self._guessable(plain_values, after, viewer)
            tags_by_turn.append(frozenset(known_tags))
        return tags_by_turn

    def _same(self, state: Any, seat: Seat, command: Any) -> Any:
        """A command with the labels that its values have in a position: it is listed there."""
        if not seat:
            return command
        same_command = next(
            (each for each in islice(self.game.rules.legal(state, seat), LISTED) if each == command), command
        )
        return same_command if tags(same_command) else command

    def _tag_command(self, command: Any, label: str) -> Any:
        """A command with labels on its marked values."""
        marks = {name: getattr(command, name) for name in self.marks.get(type(command), {})}
        fields = {
            name: with_items(each, lambda tag, it: add_tag(it, tag), label + name) for name, each in marks.items()
        }
        return msgspec.structs.replace(command, **fields)

    def _revealed_tags(self, turn: Turn, viewer: Seat) -> set[Tag]:
        """The labels of all values that a command reveals to a viewer."""
        visible = self.secrets.conceal(turn.state, viewer)
        if self._is_over(turn):
            return tags(turn.events) | tags(visible)
        hidden, shown_tags, marked_tags = set[Tag](), set[Tag](), set[Tag]()
        for name in visible.__struct_fields__:
            all_tags, part = tags(getattr(turn.state, name)), tags(getattr(visible, name))
            hidden |= all_tags - part
            (marked_tags if self._is_meant(type(visible), name) else shown_tags).update(part)
        for event in turn.events:
            redacted_event = self.secrets.redact(event, viewer)
            for form in (redacted_event, getattr(redacted_event, "command", None)):
                for name in getattr(form, "__struct_fields__", ()):
                    if name != "command":
                        (marked_tags if self._is_meant(type(form), name) else shown_tags).update(
                            tags(getattr(form, name))
                        )
        return marked_tags | (shown_tags - hidden)

    def _guessable(self, values: Deal, turn: Turn, viewer: Seat) -> set[Tag]:
        """The labels of values that can't carry one, if a viewer is shown an equal value: maybe it is another one."""
        if not values:
            return set()
        redacted_events = [self.secrets.redact(event, viewer) for event in turn.events]
        shown_values = [*singles([redacted_events, self.secrets.conceal(turn.state, viewer)])]
        return {tag for tag, value in values.items() if value in shown_values}

    def _is_meant(self, form: type, name: str) -> bool:
        """Whether a field shows what it shows by the author's own words."""
        return self.marks.get(form, {}).get(name) == OWNER or name in self.discloses.get(form, ())

    def _stretch(self, line: Sequence[Turn], known_tags: frozenset[Tag], viewer: Seat, start: int) -> Finding | None:
        """The first difference to a twin in the positions from a number on."""
        for attempt in range(ATTEMPTS):
            rng = Random(f"{self.seed}/{viewer}/{start}/{attempt}")
            twin = self._twin(line, known_tags, viewer, start, rng)
            if isinstance(twin, Finding):
                return twin
            if twin is not None:
                pairs = zip(range(start, len(line)), line[start:], twin[start:], strict=True)
                findings = (self.compare.pair(number, one, other, viewer, line) for number, one, other in pairs)
                return next(filter(None, findings), None)
        self.tried.untwinned += 1
        return None

    def _twin(
        self, line: Sequence[Turn], known_tags: frozenset[Tag], viewer: Seat, start: int, rng: Random
    ) -> list[Turn] | Finding | None:
        """The same match on another deal. None if that deal does not fit; a finding if a viewer's command tells so."""
        state, twin_turns = self.game.evolution.initial(), list[Turn]()
        for number, turn in enumerate(line):
            command = self._other(number, turn, state, known_tags, viewer, rng)
            after = None if command is None else self.turn(state, turn.seat, command)
            if not isinstance(after, Turn):
                if turn.seat == viewer and number >= start and isinstance(after, Refused):
                    return self._acceptance_finding(number, turn, state, viewer)
                return None
            if self._is_disclosed(turn, after, viewer):
                return None
            if number < start and self._events_differ(turn, after, viewer):
                return None
            twin_turns.append(after)
            state = after.state
        return twin_turns

    def _acceptance_finding(self, number: int, turn: Turn, state: Any, viewer: Seat) -> Finding:
        decide, name = (
            partial(self.game.rules.decide, seat=viewer, command=turn.command),
            self.compare.text(turn.command),
        )
        what = f"accepts {name} of {viewer} in one deal and refuses it in another, and both look alike to {viewer}"
        location = self.compare.where(
            *(partial(decide, each) for each in (turn.before, state, self.compare.conceal(turn.before, viewer)))
        )
        return Finding("rules.decide", f"{what}: decide it by what {viewer} can see", location)

    def _other(self, number: int, turn: Turn, state: Any, known_tags: frozenset[Tag], viewer: Seat, rng: Random) -> Any:
        """The command in the twin: another deal, another hidden choice, or the same."""
        label = f"{number}:"
        if not turn.seat:
            return self._dealt_otherwise(turn.command, label, known_tags, rng)
        redacted_event = self.secrets.redact(turn.events[0], viewer)
        hidden = difference(turn.events[0], redacted_event)
        if turn.seat == viewer or hidden is None:
            return turn.command
        kept_tags = {each for each in known_tags if each.startswith(label)}
        legal = [*islice(self.game.rules.legal(state, turn.seat), LISTED)]
        similar_commands = [each for each in legal if self._looks_alike(each, turn, redacted_event, viewer)]
        if kept_tags:
            similar_commands = [each for each in similar_commands if each == turn.command]
        other_commands = [each for each in similar_commands if each != turn.command] or similar_commands
        return rng.choice(other_commands) if other_commands else None

    def _looks_alike(self, command: Any, turn: Turn, redacted: Event, viewer: Seat) -> bool:
        if type(command) is not type(turn.command):
            return False
        played_event: Any = msgspec.structs.replace(turn.events[0], command=command)
        return difference(self.secrets.redact(played_event, viewer), redacted) is None

    def _dealt_otherwise(self, command: Any, label: str, known_tags: frozenset[Tag], rng: Random) -> Any:
        """Another deal: that of another seed, with the values that are known put where they are known to be."""
        names = [*self.marks.get(type(command), {})]
        if not names:
            return command
        other_setup = self.game.rules.set_up(self.options, rng.getrandbits(32))
        deal = self._deal(command, names, label)
        new = self._deal(other_setup, names, label)
        if new.keys() != deal.keys():
            return None
        for tag in sorted(known_tags & deal.keys()):
            if new[tag] != deal[tag]:
                same_tags = (at for at, each in new.items() if each == deal[tag] and at not in known_tags)
                new[next(same_tags, tag)], new[tag] = new[tag], deal[tag]
        fields = {name: with_items(getattr(command, name), lambda tag, _: new[tag], label + name) for name in names}
        return msgspec.structs.replace(command, **fields)

    def _deal(self, command: Any, names: Sequence[str], label: str) -> Deal:
        deal: Deal = {}
        for name in names:
            deal |= items(getattr(command, name), label + name)
        return deal

    def _is_disclosed(self, turn: Turn, other: Turn, viewer: Seat) -> bool:
        """Whether what `DISCLOSES` names differs: the game tells that the deals are not the same."""
        events, twin_events = ([*map(self._redact_for(viewer), t.events)] for t in (turn, other))
        for each, twin_event in zip(events, twin_events, strict=False):
            if type(each) is not type(twin_event):
                return type(each) in self.discloses or type(twin_event) in self.discloses
            names = self.discloses.get(type(each), ())
            if any(difference(getattr(each, name), getattr(twin_event, name)) for name in names):
                return True
        return any(type(each) in self.discloses for each in (*events[len(twin_events) :], *twin_events[len(events) :]))

    def _redact_for(self, viewer: Seat) -> Callable[[Event], Event]:
        return lambda event: self.secrets.redact(event, viewer)

    def _events_differ(self, turn: Turn, other: Turn, viewer: Seat) -> bool:
        redact = self._redact_for(viewer)
        return difference([*map(redact, turn.events)], [*map(redact, other.events)]) is not None

    # Twins of a position

    def _by_redeal(self, line: Sequence[Turn], viewer: Seat) -> Iterator[Finding]:
        """Each position beside the same with its hidden values dealt again, and the next command in both."""
        for number, (turn, next_turn) in enumerate(pairwise(line)):
            world = self._world(turn.state, viewer)
            if world is None:
                self.tried.untwinned += 1
                continue
            first, second = turn, turn._replace(state=world)
            findings = self.compare.compare_questions(number, first, second, viewer, line)
            after = self.turn(world, next_turn.seat, next_turn.command)
            if not findings and isinstance(after, Turn):
                alike = (
                    difference(self.compare.conceal(next_turn.state, viewer), self.compare.conceal(after.state, viewer))
                    is None
                )
                findings = (
                    self.compare.compare_events(number + 1, next_turn, after, viewer)
                    if alike and not self._is_reordered(next_turn, after)
                    else None
                )
            elif not findings and next_turn.seat == viewer:
                findings = self._acceptance_finding(number + 1, next_turn, world, viewer)
            if findings:
                yield findings
                return

    def _is_reordered(self, then: Turn, after: Turn) -> bool:
        """Whether a seat got the same in another order: it may know the order in which it drew its cards."""
        events, twin_events = ([self.secrets.redact(each, then.seat) for each in turn.events] for turn in (then, after))
        return sorted(map(repr, singles(events))) == sorted(map(repr, singles(twin_events)))

    def _world(self, state: Any, viewer: Seat) -> Any:
        """A position that looks alike to a viewer; None if it can't be dealt. A spectator knows less than any seat."""
        try:
            seat = viewer or self.game.evolution.seats(state)[0]
            command = self.secrets.redeal(seat, self.rng.getrandbits(32))
            world = self.game.rules.apply(self.compare.conceal(state, seat), "", command).state
        except GameError:
            return None
        return None if difference(self.compare.conceal(state, viewer), self.compare.conceal(world, viewer)) else world
