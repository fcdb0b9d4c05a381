"""Finds leaks by twins: deals that differ only in what a seat can't see, played side by side.

One match is played at random. Each viewer gets a twin of it: another deal that `set_up` can make, and that agrees in
all that this viewer has been shown since the start. All players do the same in both, as far as the viewer can tell. So
the viewer must be shown the same in both: events and their texts, the position, what is legal and in which order,
refusals, answers. The first difference is a leak, unless it is in a field that the author marked for this viewer: then
the deals do not look alike any more, and the comparison ends.

Tags on the values of the deal tell which of them a viewer has been shown. A value counts as revealed if it is shown in
a field that is marked for its owner or that `DISCLOSES` names. In an open field it counts only if no field of the
position hides it any more. Without marks, a twin is the position with its hidden values dealt again, and one command is
played in both; the events of the set-up are not compared then.

In other words: non-interference, 2-safety, self-composition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import islice, pairwise
from random import Random
from typing import Any, NamedTuple

import msgspec

from zimcore.game import Event, Game, GameError, Refused, Seat
from zimcore.toolkit.chance import generator
from zimcore.toolkit.check.comparison import MAX_LISTED, Comparison, Turn
from zimcore.toolkit.check.finding import Finding, TrialCounts
from zimcore.toolkit.check.other_deals import OtherDeals
from zimcore.toolkit.check.phases import phase_of
from zimcore.toolkit.check.tags import (
    Deal,
    Tag,
    add_tag,
    difference,
    items_by_tag,
    map_items,
    map_tagged,
    same_but_for_order,
    single_values,
    tags_in,
)
from zimcore.toolkit.check.tracing import error_text, where_raised
from zimcore.toolkit.check.worlds import WorldTest
from zimcore.toolkit.monte_carlo import Playouts
from zimcore.toolkit.notation import name_of
from zimcore.toolkit.rules import Rules
from zimcore.toolkit.secrets import NOBODY, MarkedSecrets

ATTEMPTS = 24
"""How many deals are tried for a twin, as some don't agree with what was played."""
WORLDS_PER_VIEWER = 8
"""At how many positions of a match a world is imagined for each seat."""
WHOLE_ATTEMPTS = 4
"""How many of them change all that may be changed; the others change ever more of it."""


class Twin(NamedTuple):
    """A match on another deal, as far as it could be played; `is_refused`: it ends as the viewer is refused there."""

    turns: list[Turn]
    state: Any
    is_refused: bool = False


class Twins:
    """One match and its twins."""

    def __init__(
        self, game: Game, seed: int, moves: int, options: Mapping[str, str], counts: TrialCounts | None = None
    ) -> None:
        assert game.secrets
        self.game, self.secrets = game, game.secrets
        self.seed, self.moves_left, self.options = seed, moves, options
        self.rng = Random(f"twins/{seed}")
        self.counts = counts or TrialCounts()
        self.comparison = Comparison(game, self.rng, self.counts)
        self.marks_by_type = game.secrets.marks if isinstance(game.secrets, MarkedSecrets) else {}
        author_module = getattr(game.evolution, "author_module", None)
        self.disclosed_fields: Mapping[type, set[str]] = getattr(author_module, "DISCLOSES", {})

    def findings(self) -> Iterator[Finding]:
        """The first difference of each stretch of the match in which no viewer learns anything new."""
        self.counts.deals += 1
        try:
            match_turns = self.match_turns
            yield from self._check_status(match_turns)
            for viewer in (*self.game.evolution.seats(match_turns[-1].state), ""):
                yield from (
                    self._compare_deals(match_turns, viewer)
                    if self.marks_by_type
                    else self._compare_redeals(match_turns, viewer)
                )
                if self.marks_by_type:
                    self.test_worlds(match_turns, viewer)
        except Exception as error:  # any exception of the author's code is a finding
            yield Finding("the game", error_text(error), where_raised(error, self.game))

    def _check_status(self, match_turns: Sequence[Turn]) -> Iterator[Finding]:
        """Compares each status with that of the same position after the match: they have to be equal."""
        if any(self.game.display.status(turn.state) != turn.status for turn in match_turns):
            yield Finding(
                "display.status", "says something else of the same position later: work it out from the state only"
            )

    @cached_property
    def match_turns(self) -> list[Turn]:
        """The match that is compared."""
        return [*self.play_match()]

    def play_match(self) -> Iterator[Turn]:
        """A match, played at random."""
        rules, rng = self.game.rules, self.rng
        turn = self.decide_turn(self.game.evolution.initial(), "", rules.set_up(self.options, self.seed))
        while isinstance(turn, Turn):
            yield turn
            to_move = self.game.evolution.to_move(turn.state)
            seat = rng.choice(to_move) if to_move else ""
            command = rules.legal(turn.state, seat).sample(rng) if seat else None
            self.moves_left -= 1
            turn = self.decide_turn(turn.state, seat, command) if command is not None and self.moves_left >= 0 else None

    def decide_turn(self, state: Any, seat: Seat, command: Any) -> Turn | Refused | None:
        """The turn that a command makes, or its refusal."""
        decision = self.game.rules.decide(state, seat, command)
        if isinstance(decision, Refused):
            return decision
        played_type: Callable[..., Event] = self.game.evolution.EVENTS[0]
        events = (played_type(seat=seat, command=command), *decision.events)
        return Turn(seat, command, events, state, decision.state, self.game.display.status(decision.state))

    # Twins of a deal

    def _compare_deals(self, match_turns: Sequence[Turn], viewer: Seat) -> Iterator[Finding]:
        known_tags_by_turn, start_turn_number = self._known_tags_by_turn(match_turns, viewer), 0
        if self._is_over(match_turns[-1]):
            match_turns = match_turns[:-1]  # what the last command reveals is of no use any more
        while start_turn_number < len(match_turns):
            end_turn_number = next(
                (
                    turn_number
                    for turn_number in range(start_turn_number, len(match_turns))
                    if known_tags_by_turn[turn_number] != known_tags_by_turn[start_turn_number]
                ),
                len(match_turns),
            )
            finding = self._compare_stretch(
                match_turns[:end_turn_number], known_tags_by_turn[start_turn_number], viewer, start_turn_number
            )
            if finding:
                yield finding
            start_turn_number = end_turn_number

    def _is_over(self, turn: Turn) -> bool:
        return self.game.evolution.outcome(turn.state).over

    @cached_property
    def _tagged_turns(self) -> list[Turn]:
        """The match with labels on what is hidden."""
        tagged_turns, state = list[Turn](), self.game.evolution.initial()
        for turn_number, turn in enumerate(self.match_turns):
            command = self._tag_command(turn.command, f"{turn_number}:")
            replayed_turn = self.decide_turn(
                state, turn.seat, self._with_tags_of_legal_command(state, turn.seat, command)
            )
            if not isinstance(replayed_turn, Turn):
                raise GameError("the same command is refused when it is played again", "deciding is not pure")
            tagged_turns.append(replayed_turn)
            state = replayed_turn.state
        return tagged_turns

    def _known_tags_by_turn(self, match_turns: Sequence[Turn], viewer: Seat) -> list[frozenset[Tag]]:
        """What was revealed to a viewer after each command, by tags."""
        known_tags, tags_by_turn = set[Tag](), list[frozenset[Tag]]()
        value_by_tag = self._dealt_values(match_turns[0].command)
        plain_values = {tag: value for tag, value in value_by_tag.items() if not tags_in(add_tag(value, tag))}
        for tagged_turn in self._tagged_turns:
            known_tags |= self._revealed_tags(tagged_turn, viewer) | self._guessable_tags(
                plain_values, tagged_turn, viewer
            )
            tags_by_turn.append(frozenset(known_tags))
        return tags_by_turn

    def _with_tags_of_legal_command(self, state: Any, seat: Seat, command: Any) -> Any:
        """A command with the tags of the equal legal command of a position; without one, the command as it is."""
        if not seat:
            return command
        legal_command = next(
            (
                listed_command
                for listed_command in islice(self.game.rules.legal(state, seat), MAX_LISTED)
                if listed_command == command
            ),
            command,
        )
        return legal_command if tags_in(legal_command) else command

    def _tag_command(self, command: Any, tag_prefix: str) -> Any:
        """A command with tags on its marked values."""
        marked_values = {name: getattr(command, name) for name in self.marks_by_type.get(type(command), {})}
        fields = {
            name: map_items(value, lambda tag, item: add_tag(item, tag), tag_prefix + name)
            for name, value in marked_values.items()
        }
        return msgspec.structs.replace(command, **fields)

    def _revealed_tags(self, turn: Turn, viewer: Seat) -> set[Tag]:
        """The tags of all values that a command reveals to a viewer."""
        visible_state = self.secrets.conceal(turn.state, viewer)
        if self._is_over(turn):
            return tags_in(turn.events) | tags_in(visible_state)
        hidden_tags, shown_tags, marked_tags = set[Tag](), set[Tag](), set[Tag]()
        for name in visible_state.__struct_fields__:
            all_tags, visible_tags = tags_in(getattr(turn.state, name)), tags_in(getattr(visible_state, name))
            hidden_tags |= all_tags - visible_tags
            (marked_tags if self._is_shown_on_purpose(type(visible_state), name) else shown_tags).update(visible_tags)
        for event in turn.events:
            redacted_event = self.secrets.redact(event, viewer)
            for struct in (redacted_event, getattr(redacted_event, "command", None)):
                for name in getattr(struct, "__struct_fields__", ()):
                    if name != "command":
                        (marked_tags if self._is_shown_on_purpose(type(struct), name) else shown_tags).update(
                            tags_in(getattr(struct, name))
                        )
        return marked_tags | (shown_tags - hidden_tags)

    def _guessable_tags(self, value_by_tag: Deal, turn: Turn, viewer: Seat) -> set[Tag]:
        """The tags of values that can't carry a tag, if a viewer is shown an equal value: the viewer may guess them."""
        if not value_by_tag:
            return set()
        redacted_events = [self.secrets.redact(event, viewer) for event in turn.events]
        shown_values = [*single_values([redacted_events, self.secrets.conceal(turn.state, viewer)])]
        return {tag for tag, value in value_by_tag.items() if value in shown_values}

    def _is_shown_on_purpose(self, struct_type: type, name: str) -> bool:
        """Whether the author marked a field for its owner, or named it in `DISCLOSES`."""
        is_known_to_some = self.marks_by_type.get(struct_type, {}).get(name, NOBODY) != NOBODY
        return is_known_to_some or name in self.disclosed_fields.get(struct_type, ())

    def _compare_stretch(
        self, match_turns: Sequence[Turn], known_tags: frozenset[Tag], viewer: Seat, start_turn_number: int
    ) -> Finding | None:
        """The first difference between the match and its twins, from the turn `start_turn_number` on."""
        compared_until = start_turn_number
        for twin in self._twins(match_turns, known_tags, viewer, start_turn_number):
            finding, end_turn_number = self._compare_twin(match_turns, twin, viewer, start_turn_number)
            compared_until = max(compared_until, end_turn_number)
            if finding:
                return finding
            if compared_until == len(match_turns):
                break
        for turn_number in range(start_turn_number, len(match_turns)):
            is_open = compared_until <= turn_number and not self._hides_anything(match_turns[turn_number], viewer)
            self._cover(match_turns[turn_number], viewer, is_compared=is_open or turn_number < compared_until)
        self.counts.untwinned += compared_until == start_turn_number
        return None

    def _hides_anything(self, turn: Turn, viewer: Seat) -> bool:
        return difference(turn.state, self.comparison.conceal(turn.state, viewer)) is not None

    def _cover(self, turn: Turn, viewer: Seat, *, is_compared: bool) -> None:
        """Counts a position for the reports by phase, by the command before it, and by seat."""
        command_name = name_of(type(turn.command)) if turn.seat else "set_up"
        for kind, name in (("phase", phase_of(self.game, turn.state)), ("command", command_name), ("seat", viewer)):
            self.counts.cover(kind, name or "a spectator", is_compared=is_compared)

    def _twins(
        self, match_turns: Sequence[Turn], known_tags: frozenset[Tag], viewer: Seat, start_turn_number: int
    ) -> Iterator[Twin]:
        """Twins that have looked alike to a viewer up to a turn."""
        rng = Random(f"{self.seed}/{viewer}/{start_turn_number}")
        for _ in range(WHOLE_ATTEMPTS):
            for command, deal in self._deals(known_tags, rng, is_whole=True):
                if twin := self._play_twin(match_turns, (command, deal), known_tags, viewer, start_turn_number, rng):
                    yield twin
        for attempt, (command, deal) in enumerate(self._deals(known_tags, rng, is_whole=False)):
            if twin := self._play_twin(match_turns, (command, deal), known_tags, viewer, start_turn_number, rng):
                yield twin
            if attempt >= ATTEMPTS:
                return

    def _deals(self, known_tags: frozenset[Tag], rng: Random, *, is_whole: bool) -> Iterator[tuple[Any, Deal]]:
        """Other deals with the known values, and their values by label; the same deal if the set-up hides nothing."""
        if not self._dealt_values(self.match_turns[0].command):
            yield self.match_turns[0].command, {}
        elif self._other_deals is not None:
            yield from self._other_deals.draw(known_tags, rng, is_whole=is_whole)
        else:
            for _ in range(ATTEMPTS):
                command = self.game.rules.set_up(self.options, rng.getrandbits(32))
                deal, first_deal = self._dealt_values(command), self._dealt_values(self.match_turns[0].command)
                if deal.keys() == first_deal.keys() and all(
                    deal[tag] == first_deal[tag] for tag in known_tags & deal.keys()
                ):
                    yield command, deal

    @cached_property
    def _other_deals(self) -> OtherDeals | None:
        """Other deals by the author's `set_up`; None where it is not called with `chance`."""
        if not isinstance(self.game.rules, Rules) or "set_up" in vars(self.game.rules):
            return None
        make_set_up = self.game.rules.author_module.set_up

        def make(chance: Random) -> tuple[Any, Deal]:
            command = make_set_up(self.options, chance)
            return command, self._dealt_values(command)

        other_deals = OtherDeals(make, generator(self.seed, "set-up"))
        return other_deals if other_deals.command == self.match_turns[0].command else None

    def _compare_twin(
        self, match_turns: Sequence[Turn], twin: Twin, viewer: Seat, start_turn_number: int
    ) -> tuple[Finding | None, int]:
        """The first difference, and up to which turn the match and its twin were compared."""
        for turn_number in range(start_turn_number, len(twin.turns)):
            turn, twin_turn = match_turns[turn_number], twin.turns[turn_number]
            if self._differ_on_purpose(turn, twin_turn, viewer):
                return None, turn_number
            if finding := self.comparison.compare_pair(turn_number, turn, twin_turn, viewer, match_turns):
                return finding, turn_number
        if twin.is_refused:
            turn_number = len(twin.turns)
            return self._acceptance_finding(turn_number, match_turns[turn_number], twin.state, viewer), turn_number
        return None, len(twin.turns)

    def _play_twin(
        self,
        match_turns: Sequence[Turn],
        other_deal: tuple[Any, Deal],
        known_tags: frozenset[Tag],
        viewer: Seat,
        start_turn_number: int,
        rng: Random,
    ) -> Twin | None:
        """The same match on another deal; None if it does not look alike to the viewer up to a turn."""
        state, twin_turns = self.game.evolution.initial(), list[Turn]()
        for turn_number, turn in enumerate(match_turns):
            command = (
                self._twin_command(turn_number, turn, state, (other_deal[1], known_tags), viewer, rng)
                if turn.seat
                else other_deal[0]
            )
            twin_turn = None if command is None else self.decide_turn(state, turn.seat, command)
            if not isinstance(twin_turn, Turn):
                if turn_number < start_turn_number or (
                    turn_number and self._positions_differ(turn.state_before, state, viewer)
                ):
                    return None
                return Twin(twin_turns, state, turn.seat == viewer and isinstance(twin_turn, Refused))
            if turn_number < start_turn_number and self._look_different(turn, twin_turn, viewer):
                return None
            twin_turns.append(twin_turn)
            state = twin_turn.state
        return Twin(twin_turns, state)

    def _look_different(self, turn: Turn, twin_turn: Turn, viewer: Seat) -> bool:
        return (
            self._differ_on_purpose(turn, twin_turn, viewer)
            or self._events_differ(turn, twin_turn, viewer)
            or self._positions_differ(turn.state, twin_turn.state, viewer)
        )

    def _positions_differ(self, state: Any, twin_state: Any, viewer: Seat) -> bool:
        return difference(*(self.comparison.conceal(each, viewer) for each in (state, twin_state))) is not None

    def _acceptance_finding(self, turn_number: int, turn: Turn, state: Any, viewer: Seat) -> Finding:
        decide = partial(self.game.rules.decide, seat=viewer, command=turn.command)
        command_text = self.comparison.command_text(turn.command)
        problem = (
            f"accepts {command_text} of {viewer} in one deal and refuses it in another, and both look alike to {viewer}"
        )
        location = self.comparison.locate(
            *(
                partial(decide, position)
                for position in (turn.state_before, state, self.comparison.conceal(turn.state_before, viewer))
            )
        )
        return Finding("rules.decide", f"{problem}: decide it by what {viewer} can see", location)

    def _twin_command(
        self,
        turn_number: int,
        turn: Turn,
        state: Any,
        deal_and_known_tags: tuple[Deal, frozenset[Tag]],
        viewer: Seat,
        rng: Random,
    ) -> Any:
        """The command in the twin: the same, or another one that looks alike, as that with the other deal's values.

        What a seat does with cards that the viewer knows is the same; what it does with others may be anything.
        """
        other_deal, known_tags = deal_and_known_tags
        redacted_event = self.secrets.redact(turn.events[0], viewer)
        if turn.seat == viewer or difference(turn.events[0], redacted_event) is None:
            return turn.command
        tagged_command = self._tagged_turns[turn_number].command
        legal_commands = [*islice(self.game.rules.legal(state, turn.seat), MAX_LISTED)]
        similar_commands = [
            command for command in legal_commands if self._looks_alike(command, turn, redacted_event, viewer)
        ]
        mapped_command = same_but_for_order(similar_commands, map_tagged(tagged_command, other_deal))
        if tags_in(tagged_command) & known_tags or (mapped_command is not None and rng.random() < 0.5):
            return mapped_command
        other_commands = [command for command in similar_commands if command != turn.command] or similar_commands
        return rng.choice(other_commands) if other_commands else None

    def _looks_alike(self, command: Any, turn: Turn, redacted_event: Event, viewer: Seat) -> bool:
        if type(command) is not type(turn.command):
            return False
        played_event: Any = msgspec.structs.replace(turn.events[0], command=command)
        return difference(self.secrets.redact(played_event, viewer), redacted_event) is None

    def _dealt_values(self, command: Any) -> Deal:
        """The hidden values of a set-up by label."""
        deal: Deal = {}
        for name in self.marks_by_type.get(type(command), {}):
            deal |= items_by_tag(getattr(command, name), f"0:{name}")
        return deal

    def _differ_on_purpose(self, turn: Turn, twin_turn: Turn, viewer: Seat) -> bool:
        """Whether a field differs that the author shows to the viewer: it is marked, or `DISCLOSES` names it."""
        redact = self._redactor_for(viewer)
        events, twin_events = ([*map(redact, each.events)] for each in (turn, twin_turn))
        for event, twin_event in zip(events, twin_events, strict=False):
            if type(event) is not type(twin_event):
                return type(event) in self.disclosed_fields or type(twin_event) in self.disclosed_fields
            commands = [getattr(each, "command", None) for each in (event, twin_event)]
            if self._shown_fields_differ(event, twin_event) or self._shown_fields_differ(*commands):
                return True
        unpaired_events = (*events[len(twin_events) :], *twin_events[len(events) :])
        if any(type(event) in self.disclosed_fields for event in unpaired_events):
            return True
        return self._shown_fields_differ(*(self.comparison.conceal(each.state, viewer) for each in (turn, twin_turn)))

    def _shown_fields_differ(self, struct: Any, twin_struct: Any) -> bool:
        return type(struct) is type(twin_struct) and any(
            _values_differ(getattr(struct, name), getattr(twin_struct, name))
            for name in getattr(struct, "__struct_fields__", ())
            if self._is_shown_on_purpose(type(struct), name)
        )

    def _redactor_for(self, viewer: Seat) -> Callable[[Event], Event]:
        return lambda event: self.secrets.redact(event, viewer)

    def _events_differ(self, turn: Turn, twin_turn: Turn, viewer: Seat) -> bool:
        redact = self._redactor_for(viewer)
        return difference([*map(redact, turn.events)], [*map(redact, twin_turn.events)]) is not None

    # Worlds

    def test_worlds(self, match_turns: Sequence[Turn], viewer: Seat) -> None:
        """Counts the worlds that a program would imagine for a viewer at some positions, and those that can't be."""
        playouts = Playouts(self.game)
        world_test = WorldTest(self.game, self._tagged_turns, self.marks_by_type)
        numbers = [number for number, turn in enumerate(match_turns) if not self._is_over(turn)]
        for turn_number in self.rng.sample(numbers, min(WORLDS_PER_VIEWER, len(numbers))) if viewer else ():
            state = match_turns[turn_number].state
            try:
                world = playouts.world(self.comparison.conceal(state, viewer), viewer, self.rng)
            except GameError as error:
                self.counts.count_world(str(error))
                continue
            self.counts.count_world(world_test.fault(turn_number, viewer, state, world, self.rng))

    # Twins of a position

    def _compare_redeals(self, match_turns: Sequence[Turn], viewer: Seat) -> Iterator[Finding]:
        """Compares each position with one whose hidden values are dealt again, and the next command in both."""
        for turn_number, (turn, next_turn) in enumerate(pairwise(match_turns)):
            world = self._similar_position(turn.state, viewer)
            self._cover(turn, viewer, is_compared=world is not None or not self._hides_anything(turn, viewer))
            if world is None:
                self.counts.untwinned += 1
                continue
            finding = self.comparison.compare_questions(
                turn_number, turn, turn._replace(state=world), viewer, match_turns
            )
            twin_turn = self.decide_turn(world, next_turn.seat, next_turn.command)
            if not finding and isinstance(twin_turn, Turn):
                looks_alike = not self._positions_differ(next_turn.state, twin_turn.state, viewer)
                finding = (
                    self.comparison.compare_events(turn_number + 1, next_turn, twin_turn, viewer)
                    if looks_alike and not self._is_reordered(next_turn, twin_turn)
                    else None
                )
            elif not finding and next_turn.seat == viewer:
                finding = self._acceptance_finding(turn_number + 1, next_turn, world, viewer)
            if finding:
                yield finding
                return

    def _is_reordered(self, turn_of_match: Turn, turn_of_twin: Turn) -> bool:
        """Whether a seat got the same in another order: it may know the order in which it drew its cards."""
        events, twin_events = (
            [self.secrets.redact(event, turn_of_match.seat) for event in turn.events]
            for turn in (turn_of_match, turn_of_twin)
        )
        return sorted(map(repr, single_values(events))) == sorted(map(repr, single_values(twin_events)))

    def _similar_position(self, state: Any, viewer: Seat) -> Any:
        """A position that looks alike to a viewer; None if it can't be dealt. A spectator knows less than any seat."""
        try:
            seat = viewer or self.game.evolution.seats(state)[0]
            command = self.secrets.redeal(seat, self.rng.getrandbits(32))
            world = self.game.rules.apply(self.comparison.conceal(state, seat), "", command).state
        except GameError:
            return None
        return None if self._positions_differ(state, world, viewer) else world


def _values_differ(value: Any, twin_value: Any) -> bool:
    """Whether two values differ; of dicts their entries, since an author shows entries, not which there are."""
    if isinstance(value, Mapping) and isinstance(twin_value, Mapping):
        return any(difference(value[key], twin_value[key]) for key in value.keys() & twin_value.keys())
    return difference(value, twin_value) is not None
