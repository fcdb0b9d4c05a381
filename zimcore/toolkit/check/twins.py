"""Finds leaks by twins: deals that differ only in what a seat can't see, played side by side.

One match is played at random. Each viewer gets a twin of it: another deal that agrees in all that this viewer has been
shown so far. All players do the same in both, as far as the viewer can tell. So the viewer must be shown the same in
both: events and their texts, the position, what is legal and in which order, refusals, answers. The first difference is
a leak.

Tags on the values of the deal tell which of them a viewer has been shown. A value counts as revealed if it is shown in
a field that is marked for its owner or that `DISCLOSES` names. In an open field it counts only if no field of the
position hides it any more. Without marks, a twin is the position with its hidden values dealt again, and one command is
played in both; the events of the set-up are not compared then.

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
from zimcore.toolkit.check.comparison import MAX_LISTED, Comparison, Turn
from zimcore.toolkit.check.finding import Finding, TrialCounts
from zimcore.toolkit.check.tags import Deal, Tag, add_tag, difference, items_by_tag, map_items, single_values, tags_in
from zimcore.toolkit.check.tracing import where_raised
from zimcore.toolkit.secrets import OWNER, MarkedSecrets

ATTEMPTS = 12
"""How many deals are tried for a twin, as some don't agree with what was played."""


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
            match_turns = [*self.play_match()]
            yield from self._check_status(match_turns)
            for viewer in (*self.game.evolution.seats(match_turns[-1].state), ""):
                yield from (
                    self._compare_deals(match_turns, viewer)
                    if self.marks_by_type
                    else self._compare_redeals(match_turns, viewer)
                )
        except Exception as error:  # any exception of the author's code is a finding
            yield Finding("the game", f"{type(error).__name__}: {error}", where_raised(error, self.game))

    def _check_status(self, match_turns: Sequence[Turn]) -> Iterator[Finding]:
        """Compares each status with that of the same position after the match: they have to be equal."""
        if any(self.game.display.status(turn.state) != turn.status for turn in match_turns):
            yield Finding(
                "display.status", "says something else of the same position later: work it out from the state only"
            )

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

    def _known_tags_by_turn(self, match_turns: Sequence[Turn], viewer: Seat) -> list[frozenset[Tag]]:
        """What was revealed to a viewer after each command, by tags."""
        known_tags, tags_by_turn, state = set[Tag](), list[frozenset[Tag]](), self.game.evolution.initial()
        value_by_tag = self._dealt_values(
            match_turns[0].command, [*self.marks_by_type.get(type(match_turns[0].command), {})], "0:"
        )
        plain_values = {tag: value for tag, value in value_by_tag.items() if not tags_in(add_tag(value, tag))}
        for turn_number, turn in enumerate(match_turns):
            command = self._tag_command(turn.command, f"{turn_number}:")
            replayed_turn = self.decide_turn(
                state, turn.seat, self._with_tags_of_legal_command(state, turn.seat, command)
            )
            if not isinstance(replayed_turn, Turn):
                raise GameError("the same command is refused when it is played again", "deciding is not pure")
            state = replayed_turn.state
            known_tags |= self._revealed_tags(replayed_turn, viewer) | self._guessable_tags(
                plain_values, replayed_turn, viewer
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
        return self.marks_by_type.get(struct_type, {}).get(name) == OWNER or name in self.disclosed_fields.get(
            struct_type, ()
        )

    def _compare_stretch(
        self, match_turns: Sequence[Turn], known_tags: frozenset[Tag], viewer: Seat, start_turn_number: int
    ) -> Finding | None:
        """The first difference between the match and a twin, from the turn `start_turn_number` on."""
        for attempt in range(ATTEMPTS):
            rng = Random(f"{self.seed}/{viewer}/{start_turn_number}/{attempt}")
            twin = self._play_twin(match_turns, known_tags, viewer, start_turn_number, rng)
            if isinstance(twin, Finding):
                return twin
            if twin is not None:
                numbered_turns = zip(
                    range(start_turn_number, len(match_turns)),
                    match_turns[start_turn_number:],
                    twin[start_turn_number:],
                    strict=True,
                )
                findings = (
                    self.comparison.compare_pair(turn_number, turn_of_match, turn_of_twin, viewer, match_turns)
                    for turn_number, turn_of_match, turn_of_twin in numbered_turns
                )
                return next(filter(None, findings), None)
        self.counts.untwinned += 1
        return None

    def _play_twin(
        self, match_turns: Sequence[Turn], known_tags: frozenset[Tag], viewer: Seat, start_turn_number: int, rng: Random
    ) -> list[Turn] | Finding | None:
        """The same match on another deal; None if that deal does not fit.

        A finding if the viewer's own command is legal in only one of the deals.
        """
        state, twin_turns = self.game.evolution.initial(), list[Turn]()
        for turn_number, turn in enumerate(match_turns):
            command = self._twin_command(turn_number, turn, state, known_tags, viewer, rng)
            twin_turn = None if command is None else self.decide_turn(state, turn.seat, command)
            if not isinstance(twin_turn, Turn):
                if turn.seat == viewer and turn_number >= start_turn_number and isinstance(twin_turn, Refused):
                    return self._acceptance_finding(turn_number, turn, state, viewer)
                return None
            if self._disclosed_fields_differ(turn, twin_turn, viewer):
                return None
            if turn_number < start_turn_number and self._events_differ(turn, twin_turn, viewer):
                return None
            twin_turns.append(twin_turn)
            state = twin_turn.state
        return twin_turns

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
        self, turn_number: int, turn: Turn, state: Any, known_tags: frozenset[Tag], viewer: Seat, rng: Random
    ) -> Any:
        """The command in the twin: another deal, another hidden choice, or the same."""
        tag_prefix = f"{turn_number}:"
        if not turn.seat:
            return self._deal_otherwise(turn.command, tag_prefix, known_tags, rng)
        redacted_event = self.secrets.redact(turn.events[0], viewer)
        hidden_difference = difference(turn.events[0], redacted_event)
        if turn.seat == viewer or hidden_difference is None:
            return turn.command
        kept_tags = {tag for tag in known_tags if tag.startswith(tag_prefix)}
        legal_commands = [*islice(self.game.rules.legal(state, turn.seat), MAX_LISTED)]
        similar_commands = [
            command for command in legal_commands if self._looks_alike(command, turn, redacted_event, viewer)
        ]
        if kept_tags:
            similar_commands = [command for command in similar_commands if command == turn.command]
        other_commands = [command for command in similar_commands if command != turn.command] or similar_commands
        return rng.choice(other_commands) if other_commands else None

    def _looks_alike(self, command: Any, turn: Turn, redacted_event: Event, viewer: Seat) -> bool:
        if type(command) is not type(turn.command):
            return False
        played_event: Any = msgspec.structs.replace(turn.events[0], command=command)
        return difference(self.secrets.redact(played_event, viewer), redacted_event) is None

    def _deal_otherwise(self, command: Any, tag_prefix: str, known_tags: frozenset[Tag], rng: Random) -> Any:
        """The deal of another seed, in which the known values are put back in their places."""
        field_names = [*self.marks_by_type.get(type(command), {})]
        if not field_names:
            return command
        other_command = self.game.rules.set_up(self.options, rng.getrandbits(32))
        deal = self._dealt_values(command, field_names, tag_prefix)
        new_deal = self._dealt_values(other_command, field_names, tag_prefix)
        if new_deal.keys() != deal.keys():
            return None
        for tag in sorted(known_tags & deal.keys()):
            if new_deal[tag] != deal[tag]:
                tags_of_equal_value = (
                    other_tag
                    for other_tag, value in new_deal.items()
                    if value == deal[tag] and other_tag not in known_tags
                )
                new_deal[next(tags_of_equal_value, tag)], new_deal[tag] = new_deal[tag], deal[tag]
        fields = {
            name: map_items(getattr(command, name), lambda tag, _: new_deal[tag], tag_prefix + name)
            for name in field_names
        }
        return msgspec.structs.replace(command, **fields)

    def _dealt_values(self, command: Any, field_names: Sequence[str], tag_prefix: str) -> Deal:
        deal: Deal = {}
        for name in field_names:
            deal |= items_by_tag(getattr(command, name), tag_prefix + name)
        return deal

    def _disclosed_fields_differ(self, turn: Turn, twin_turn: Turn, viewer: Seat) -> bool:
        """Whether fields that `DISCLOSES` names differ, so that the game itself tells the deals apart."""
        events, twin_events = (
            [*map(self._redactor_for(viewer), either_turn.events)] for either_turn in (turn, twin_turn)
        )
        for event, twin_event in zip(events, twin_events, strict=False):
            if type(event) is not type(twin_event):
                return type(event) in self.disclosed_fields or type(twin_event) in self.disclosed_fields
            field_names = self.disclosed_fields.get(type(event), ())
            if any(difference(getattr(event, name), getattr(twin_event, name)) for name in field_names):
                return True
        return any(
            type(event) in self.disclosed_fields for event in (*events[len(twin_events) :], *twin_events[len(events) :])
        )

    def _redactor_for(self, viewer: Seat) -> Callable[[Event], Event]:
        return lambda event: self.secrets.redact(event, viewer)

    def _events_differ(self, turn: Turn, twin_turn: Turn, viewer: Seat) -> bool:
        redact = self._redactor_for(viewer)
        return difference([*map(redact, turn.events)], [*map(redact, twin_turn.events)]) is not None

    # Twins of a position

    def _compare_redeals(self, match_turns: Sequence[Turn], viewer: Seat) -> Iterator[Finding]:
        """Compares each position with one whose hidden values are dealt again, and the next command in both."""
        for turn_number, (turn, next_turn) in enumerate(pairwise(match_turns)):
            world = self._similar_position(turn.state, viewer)
            if world is None:
                self.counts.untwinned += 1
                continue
            finding = self.comparison.compare_questions(
                turn_number, turn, turn._replace(state=world), viewer, match_turns
            )
            twin_turn = self.decide_turn(world, next_turn.seat, next_turn.command)
            if not finding and isinstance(twin_turn, Turn):
                looks_alike = (
                    difference(
                        self.comparison.conceal(next_turn.state, viewer),
                        self.comparison.conceal(twin_turn.state, viewer),
                    )
                    is None
                )
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
        return (
            None
            if difference(self.comparison.conceal(state, viewer), self.comparison.conceal(world, viewer))
            else world
        )
