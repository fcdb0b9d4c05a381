"""Replays a match under the other reading of a disputed rule; each option is tried alone.

In other words: ambiguous rule, counterfactual replay.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from zimcore.commits import Commit
from zimcore.game import Accepted, Event, Game, HiddenError, Played, Refusal, Refused, Rule, Seat
from zimcore.rule_texts import rules_at_table


class MatchMoves(NamedTuple):
    """A match to replay: the events of its set-up, `Played` first; and each move with its events."""

    game: Game
    setup_events: Sequence[Event]
    moves: Sequence[tuple[Played, Sequence[Event]]]


class ReadingDifference(NamedTuple):
    """Where a reading first matters: the number of the move, and how its result would differ."""

    move: int
    how: str


def moves_of(game: Game, commits: Sequence[Commit]) -> MatchMoves:
    """The set-up and moves in the commits of a line from its start."""
    first_commit, *later_commits = commits
    return MatchMoves(game, first_commit.events, [(commit.played, commit.events[1:]) for commit in later_commits])


class ReadingVerdict(NamedTuple):
    """The answer to a command under another reading of a rule, with the option that chooses this reading."""

    rule: Rule
    option: str
    answer: Accepted | Refused


def verdicts(game: Game, commits: Sequence[Commit], seat: Seat, command: Any) -> Iterator[ReadingVerdict]:
    """The verdict on a command after these commits, under every other reading that has an option.

    If it depends on information hidden from the viewer, the answer is a refusal that says so.
    """
    chosen_options = dict(getattr(commits[0].command, "options", ()))
    for rule in rules_at_table(game):
        for other_reading, usual_reading in (
            zip(rule.reading.options, rule.reading.usual, strict=True) if rule.reading else ()
        ):
            option, _, value = other_reading.partition("=")
            state = head_state_with_other_reading(game, commits, option)
            try:
                decision = game.rules.decide(state, seat, command)
            except HiddenError as error:
                decision = Refused((Refusal("", str(error), hidden=True),))
            yield ReadingVerdict(
                rule, usual_reading if chosen_options.get(option) == value else other_reading, decision
            )


def reading_options(game: Game) -> dict[str, str]:
    """The options that choose readings, by name, each with the value for the other reading."""
    house_options = (option for rule in rules_at_table(game) if rule.reading for option in rule.reading.options)
    return {name: value for name, _, value in (option.partition("=") for option in house_options)}


def state_with_other_reading(game: Game, setup_events: Sequence[Event], option: str) -> Any:
    """The position after a set-up, with one reading chosen the other way."""
    state = game.evolution.initial()
    for event in game.rules.flip_house_rule(setup_events, option)[1:]:  # without `Played`, which changes nothing
        game.evolution.evolve(state, event)
    return state


def first_difference(match: MatchMoves, option: str) -> ReadingDifference | None:
    """The first move whose result differs under the other reading; None if all moves are legal with the same results.

    Replays only the moves that were played: it can't find moves that only the other reading allows. Raises
    `HiddenError` if the answer depends on information hidden from the viewer.
    """
    game = match.game
    state = state_with_other_reading(game, match.setup_events, option)
    for number, (played_event, facts) in enumerate(match.moves, 1):
        decision, text = (
            game.rules.decide(state, played_event.seat, played_event.command),
            game.notation.format(played_event.command),
        )
        if isinstance(decision, Refused):
            if decision.all_hidden:
                raise HiddenError("this depends on hidden information", "you can't see it")
            return ReadingDifference(number, f"{text}: {decision.refusals[0].reason}")
        if list(decision.events) != list(facts) and not _same_outcome(game, state, decision.state, facts):
            return ReadingDifference(number, f"{text}: {_difference(game, decision.events, facts)}")
        state = decision.state
    return None


def _same_outcome(game: Game, state_before: Any, state_after: Any, facts: Sequence[Event]) -> bool:
    """Whether these facts lead from `state_before` to the same position as `state_after`."""
    state = game.evolution.copy(state_before)
    for fact in facts:
        game.evolution.evolve(state, fact)
    return game.evolution.canonical(state) == game.evolution.canonical(state_after)


def _difference(game: Game, other_events: Sequence[Event], facts: Sequence[Event]) -> str:
    """The first fact that differs under the other reading, in words."""
    added_fact = next((fact for fact in other_events if fact not in facts), None)
    missing_fact = next((fact for fact in facts if fact not in other_events), None)
    if added_fact is None:
        return f"not so: {game.notation.describe(missing_fact)}" if missing_fact else "in another order"
    return game.notation.describe(added_fact)


def head_state_with_other_reading(game: Game, commits: Sequence[Commit], option: str) -> Any:
    """The position after the commits of a line, with one reading chosen the other way from here on.

    The events of the past stay as they are: the reading only affects later decisions.
    """
    first_commit, *later_commits = commits
    state = state_with_other_reading(game, first_commit.events, option)
    for commit in later_commits:
        for event in commit.events:
            game.evolution.evolve(state, event)
    return state
