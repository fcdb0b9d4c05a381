"""Finds the rules whose outcome an option changes: by flipping it in the engine, never from the table of options.

Random games are followed in two positions, one under each reading, with the same facts: in turn those of each reading.
Where a command has another answer under the other one, the rules concerned are those of the refusals that only one of
them has; if both accept, those that make the facts that only one of them has.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from random import Random
from typing import Any, NamedTuple

from zimcore.game import Accepted, Event, Game, GameError, Played, Refused, Seat

MAX_LEGAL = 12
"""Legal commands of each kind that are tried in a position, of those that each reading lists."""
MIN_MOVES = 10
"""Moves that are played although all is found, so that too much can be found."""
CodesOfFact = Callable[[Any, Any], set[str]]
"""The rules that decide a fact (given with the position before it)."""


class Scene(NamedTuple):
    """Random games in which an option matters: their options, what happens before them, their number and length."""

    options: Mapping[str, str]
    gifts: Callable[[Any], list[Event]] = lambda _: []
    games: int = 4
    moves: int = 120


def changed_rules(
    game: Game, option: str, scene: Scene, codes_of_fact: CodesOfFact, is_enough: Callable[[Collection[str]], bool]
) -> dict[str, str]:
    """The rules whose outcome the option changes in these games, each with a command that shows it.

    Stops when the rules found so far are enough.
    """
    found_rules, moves_played = dict[str, str](), 0
    for seed in range(scene.games):
        rng, earlier_texts = Random(seed), set[str]()
        set_up = game.rules.decide(game.evolution.initial(), "", game.rules.set_up(dict(scene.options), seed))
        assert isinstance(set_up, Accepted), set_up
        flipped_events = game.rules.flip_house_rule((Played("", None), *set_up.events), option)[1:]
        gifts = scene.gifts(set_up.state)
        states = [evolved(game, [*events, *gifts]) for events in (set_up.events, flipped_events)]
        if is_enough(found_rules) and moves_played >= MIN_MOVES:
            break
        for _ in range(scene.moves):
            seats = game.evolution.to_move(states[0])
            if not seats or tuple(seats) != tuple(game.evolution.to_move(states[1])):
                break
            playable = list[tuple[Any, Any]]()
            for command in tried_commands(game, states, seats[0], rng, earlier_texts):
                answers = [game.rules.decide(state, seats[0], command) for state in states]
                for code in differing_codes(states[0], answers, codes_of_fact):
                    found_rules.setdefault(code, f"seed {seed}: {game.notation.format(command)}")
                followed = answers[seed % 2]
                if isinstance(followed, Accepted):
                    playable.append((command, followed))
            if not playable or (is_enough(found_rules) and moves_played >= MIN_MOVES):
                break
            by_kind = dict[type, list[Any]]()
            for command, answer in playable:
                by_kind.setdefault(type(command), []).append(answer)
            moves_played += 1
            answer = rng.choice(rng.choice(list(by_kind.values())))
            for state in states:
                for event in answer.events:
                    game.evolution.evolve(state, event)
    return found_rules


def evolved(game: Game, events: Iterable[Event]) -> Any:
    """The position after these events."""
    state = game.evolution.initial()
    for event in events:
        game.evolution.evolve(state, event)
    return state


def tried_commands(game: Game, states: list[Any], seat: Seat, rng: Random, earlier_texts: set[str]) -> Iterator[Any]:
    """Some commands of each kind that are legal under a reading, their beginnings, and what was tried in the last turn.

    `earlier_texts` becomes what is tried now.
    """
    texts = dict.fromkeys(sorted(earlier_texts)[:MAX_LEGAL])
    earlier_texts.clear()
    for state in states:
        legal_commands = game.rules.legal(state, seat)
        for verb in game.notation.SYNTAX:
            legal_texts = list(islice(legal_commands.texts(verb), 120))
            sample = rng.sample(legal_texts, min(len(legal_texts), MAX_LEGAL))
            texts |= dict.fromkeys([*sample, *(text.rpartition(" price ")[0] for text in sample[:4])])
            earlier_texts.update(sample[:2])
    for text in filter(None, texts):
        with suppress(GameError):
            yield game.notation.parse(text, states[0])[1]


def differing_codes(state: Any, answers: list[Accepted | Refused], codes_of_fact: CodesOfFact) -> set[str]:
    """The rules by which these two answers differ."""
    codes = [{each.code for each in answer.refusals} if isinstance(answer, Refused) else set() for answer in answers]
    if codes[0] or codes[1]:
        return codes[0] ^ codes[1]
    facts, other_facts = ([*answer.events] for answer in answers if isinstance(answer, Accepted))
    differing_facts = [fact for fact in facts if fact not in other_facts or facts.count(fact) > other_facts.count(fact)]
    differing_facts += [
        fact for fact in other_facts if fact not in facts or other_facts.count(fact) > facts.count(fact)
    ]
    return set[str]().union(*(codes_of_fact(state, fact) for fact in differing_facts))
