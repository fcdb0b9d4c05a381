"""Plays random games by the engine and by an oracle at once, and compares all that both say.

Compared are: at each position, whether commands of a wide generator are legal, near-misses among them, and now and
then the complete lists; after each command the whole position; at the end who has won. This module is all that the two
games share: what a game needs is a `Table`, in `zimbabwe_table.py` and `africana_table.py`, which know both sides.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields
from random import Random
from traceback import format_exception
from typing import Any, ClassVar, Protocol

from zimcore.game import Accepted

Command = tuple[Any, ...]
MAX_MOVES = 3000
"""Commands of one game at most: some do not end by themselves."""
DECIDE_SHARE = 0.1
"""How often an illegal command is also given to `decide`, which looks for all that it breaks; a legal one always is."""
OTHER_SEAT_SHARE = 0.05
"""How often the legal commands of a seat that may not be to move are compared."""
Move = tuple[str, Command]
"""Who commands what, in the oracle's form."""


@dataclass
class Recipe:
    """A game that can be dealt again: the options of `new`, the seed of its chance, the money that seats begin with."""

    options: dict[str, str]
    seed: int
    start_money: dict[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        options = " ".join(f"{name}={value}" for name, value in self.options.items())
        money = f"; given before the first command: {self.start_money}" if any(self.start_money.values()) else ""
        return f"new seed={self.seed} {options}{money}"


class Table(Protocol):
    """A game as the engine and as the oracle have it, side by side."""

    OPTIONS: ClassVar[Sequence[str]]
    """The options of `new` that its recipes draw, and that the oracle knows."""
    GAME: ClassVar[Any]
    """The game, as the engine has it."""
    oracle_game: Any
    engine_state: Any

    def __init__(self, recipe: Recipe) -> None: ...

    @staticmethod
    def to_engine(command: Command) -> Any:
        """The oracle's command as the engine's."""
        ...

    @staticmethod
    def random_recipe(rng: Random) -> Recipe:
        """A random game to deal."""
        ...

    def actor(self) -> str | None:
        """The seat to move, by the oracle."""
        actor: str | None = self.oracle_game.actor
        return actor

    def oracle_verdict(self, seat: str, command: Command) -> str | None:
        """The rule that the oracle finds broken, None where the command is legal."""
        rule: str | None = self.oracle_game.first_broken_rule(seat, command)
        return rule

    def engine_allows(self, seat: str, command: Command) -> bool:
        """Whether it is among the engine's legal commands."""
        return self.to_engine(command) in self.GAME.rules.legal(self.engine_state, seat)

    def engine_verdict(self, seat: str, command: Command) -> Accepted | str:
        """What the engine decides: what it accepts, or the rules that it finds broken."""
        answer = self.GAME.rules.decide(self.engine_state, seat, self.to_engine(command))
        if isinstance(answer, Accepted):
            return answer
        return " ".join(refusal.code or refusal.reason for refusal in answer.refusals)

    def play(self, seat: str, command: Command, accepted: Accepted) -> None:
        """Goes on after a command that both allow."""
        ...

    def draw_moves(self, rng: Random) -> list[Move]:
        """A legal command that the engine draws; empty if it has none."""
        ...

    def guess_moves(self, rng: Random) -> list[Move]:
        """Commands to ask both about: near-misses, legal ones, and nonsense."""
        ...

    def positions(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The whole position as the oracle has it, and as the engine has it."""
        ...

    def complete_lists(self) -> Iterable[tuple[str, Any, Any]]:
        """The complete lists to compare: a name, the oracle's list and the engine's."""
        ...

    def weight(self, command: Command) -> float:
        """How readily a legal command is played."""
        ...

    def text(self, command: Command) -> str:
        """The command as the engine writes it."""
        return str(self.GAME.notation.format(self.to_engine(command)))


class DifferenceError(Exception):
    """The engine and the oracle disagree: the subject, and the answer of each."""

    def __init__(self, subject: str, oracle_answer: object, engine_answer: object, move: Move | None = None) -> None:
        super().__init__(subject, oracle_answer, engine_answer, move)
        self.subject, self.move = subject, move
        self.oracle_answer, self.engine_answer = oracle_answer, engine_answer
        self.recipe: Recipe | None = None
        self.seed = 0
        self.moves: list[Move] = []
        self.texts: list[str] = []

    def __str__(self) -> str:
        move_lines = "".join(f"\n  {seat}: {text}" for (seat, _), text in zip(self.moves, self.texts, strict=True))
        return (
            f"{self.recipe}{move_lines}\n{self.subject}\n  oracle: {self.oracle_answer}\n  engine: {self.engine_answer}"
        )


@dataclass
class Tally:
    """What was compared: a decision is one command played, after the legality of all candidates was compared."""

    games: int = 0
    ended_games: int = 0
    decisions: int = 0
    candidates: int = 0
    legal_candidates: int = 0
    complete_lists: int = 0
    listed_commands: int = 0
    positions: int = 0
    decisions_by_kind: Counter[str] = field(default_factory=Counter)
    differences: list[DifferenceError] = field(default_factory=list)

    def __add__(self, other: Tally) -> Tally:
        sums = {field_.name: getattr(self, field_.name) + getattr(other, field_.name) for field_ in fields(Tally)}
        return Tally(**sums)

    def __str__(self) -> str:
        return (
            f"{self.games:,} games ({self.ended_games:,} to the end), {self.decisions:,} decisions, "
            f"{self.candidates:,} candidates ({self.legal_candidates:,} legal), {self.complete_lists:,} complete lists "
            f"({self.listed_commands:,} commands), {self.positions:,} positions, {len(self.differences)} differences"
        )


def check_equal(subject: str, oracle_answer: object, engine_answer: object, move: Move | None = None) -> None:
    """Raises `DifferenceError` if two answers differ; of two dictionaries or sets it names only what differs."""
    if oracle_answer == engine_answer:
        return
    if isinstance(oracle_answer, dict) and isinstance(engine_answer, dict):
        absent_value = "(nothing)"
        different_keys = [
            key
            for key in {**oracle_answer, **engine_answer}
            if oracle_answer.get(key, absent_value) != engine_answer.get(key, absent_value)
        ]
        oracle_answer = {key: oracle_answer.get(key, absent_value) for key in different_keys}
        engine_answer = {key: engine_answer.get(key, absent_value) for key in different_keys}
    elif isinstance(oracle_answer, (set, frozenset)) and isinstance(engine_answer, (set, frozenset)):
        oracle_answer, engine_answer = (
            f"only here: {sorted(map(str, own_items - other_items))[:5]}"
            for own_items, other_items in ((oracle_answer, engine_answer), (engine_answer, oracle_answer))
        )
    raise DifferenceError(subject, oracle_answer, engine_answer, move)


def is_legal_for_both(table: Table, seat: str, command: Command) -> bool:
    """Asks both whether a command is legal."""
    broken_rule, is_allowed = table.oracle_verdict(seat, command), table.engine_allows(seat, command)
    if is_allowed != (broken_rule is None):
        answer = table.engine_verdict(seat, command)
        check_equal(
            f"is it legal? {seat}: {table.text(command)}",
            f"broken: {broken_rule}" if broken_rule else "legal",
            f"broken: {answer}" if isinstance(answer, str) else "legal",
            (seat, command),
        )
        raise AssertionError("what is listed as legal is not what is decided", seat, command)
    return is_allowed


def engine_outcome(table: Table, seat: str, command: Command, is_legal: bool) -> Accepted | None:
    """The engine's outcome of a command; raises `DifferenceError` if it decides otherwise than `is_legal`."""
    answer = table.engine_verdict(seat, command)
    if isinstance(answer, Accepted) != is_legal:
        check_equal(f"is it legal? {seat}: {table.text(command)}", is_legal, answer, (seat, command))
    return answer if isinstance(answer, Accepted) else None


def play_and_compare(table: Table, move: Move) -> None:
    """Plays a legal command on both sides, and compares the whole position after it."""
    accepted = engine_outcome(table, *move, True)
    assert accepted
    table.play(*move, accepted)
    check_equal(f"the position after {move[0]}: {table.text(move[1])}", *table.positions(), move)


def play_random_game(table_class: type[Table], seed: int, tally: Tally, max_moves: int, listing_share: float) -> None:
    """Plays a random game, at most so many commands; `listing_share` is how often all lists are compared (0 to 1).

    Raises `DifferenceError`.
    """
    rng = Random(seed)
    recipe = table_class.random_recipe(rng)
    played_moves: list[tuple[Move, str]] = []
    try:
        table = table_class(recipe)
        tally.games += 1
        check_equal("the position after the deal", *table.positions())
        for _ in range(max_moves):
            if table.actor() is None:
                tally.ended_games += 1
                break
            if rng.random() < listing_share:
                for name, oracle_list, engine_list in table.complete_lists():
                    check_equal(f"all that is legal: {name}", oracle_list, engine_list)
                    tally.complete_lists += 1
                    tally.listed_commands += len(oracle_list)
            legal_moves = table.draw_moves(rng)
            for seat, command in legal_moves:
                if not is_legal_for_both(table, seat, command):
                    check_equal(
                        f"what is drawn: {seat}: {table.text(command)}", "illegal, says the engine itself", "drawn"
                    )
            guesses = table.guess_moves(rng)
            if legal_moves and rng.random() < OTHER_SEAT_SHARE:
                guesses.append((rng.choice(table.oracle_game.seats), legal_moves[0][1]))
            tally.candidates += len(legal_moves) + len(guesses)
            for seat, command in guesses:
                if is_legal_for_both(table, seat, command):
                    legal_moves.append((seat, command))
                elif rng.random() < DECIDE_SHARE:
                    engine_outcome(table, seat, command, False)
            tally.legal_candidates += len(legal_moves)
            check_equal("what is legal", "something always is", "something always is" if legal_moves else "nothing")
            (move,) = rng.choices(legal_moves, [table.weight(command) for _, command in legal_moves])
            text = table.text(move[1])
            play_and_compare(table, move)
            played_moves.append((move, text))
            tally.decisions += 1
            tally.positions += 1
            tally.decisions_by_kind[move[1][0]] += 1
    except Exception as error:
        difference = as_difference(error)
        difference.recipe, difference.seed = recipe, seed
        difference.moves = [move for move, _ in played_moves]
        if difference.move and difference.subject.startswith("the position after"):
            difference.moves.append(difference.move)
        difference.texts = [text for _, text in played_moves] + [""] * (len(difference.moves) - len(played_moves))
        raise difference from None


def as_difference(error: Exception) -> DifferenceError:
    """A difference unchanged; any other exception as a difference with the place where it was raised."""
    if isinstance(error, DifferenceError):
        return error
    return DifferenceError("an error, on one side or the other", "", "".join(format_exception(error, limit=-4)))


def replay(
    table_class: type[Table], recipe: Recipe, moves: list[Move], expected_difference: DifferenceError
) -> DifferenceError | None:
    """Replays a recipe and moves; returns the difference at the end, None if there is none."""
    texts: list[str] = []
    try:
        table = table_class(recipe)
        check_equal("the position after the deal", *table.positions())
        for seat, command in moves:
            texts.append(table.text(command))
            if not is_legal_for_both(table, seat, command):
                return None
            play_and_compare(table, (seat, command))
        if expected_difference.move and expected_difference.subject.startswith("is it legal"):
            is_legal_for_both(table, *expected_difference.move)
        if expected_difference.subject.startswith(("all that", "is it legal")) and table.actor() is None:
            return None
        if expected_difference.subject.startswith("all that is legal"):
            for name, oracle_list, engine_list in table.complete_lists():
                check_equal(f"all that is legal: {name}", oracle_list, engine_list)
    except Exception as error:
        difference = as_difference(error)
        difference.recipe, difference.moves, difference.texts = recipe, moves[: len(texts)], texts
        return difference if difference.subject.split()[0] == expected_difference.subject.split()[0] else None
    return None


def shrink(table_class: type[Table], difference: DifferenceError, seconds: float) -> DifferenceError:
    """The same difference after fewer commands, by leaving out what it does not need, as far as the time allows."""
    assert difference.recipe
    shortest_difference, deadline = (
        replay(table_class, difference.recipe, difference.moves, difference) or difference,
        time.monotonic() + seconds,
    )
    chunk_size = max(1, len(shortest_difference.moves) // 2)
    while chunk_size and time.monotonic() < deadline:
        index, has_shrunk = 0, False
        while index < len(shortest_difference.moves) and time.monotonic() < deadline:
            shorter_difference = replay(
                table_class,
                difference.recipe,
                shortest_difference.moves[:index] + shortest_difference.moves[index + chunk_size :],
                difference,
            )
            if shorter_difference and len(shorter_difference.moves) < len(shortest_difference.moves):
                shortest_difference, has_shrunk = shorter_difference, True
            else:
                index += chunk_size
        chunk_size = chunk_size if has_shrunk and chunk_size == 1 else chunk_size // 2
    shortest_difference.seed = difference.seed
    return shortest_difference


def run_campaign(
    table_class: type[Table],
    seed: int,
    *,
    is_enough: Callable[[Tally], bool],
    listing_share: float = 0.02,
    max_moves: int = MAX_MOVES,
    max_differences: int = 1,
    report: Callable[[Tally], None] = lambda tally: None,
) -> Tally:
    """Plays games with seeds that follow from one, until enough is played or `max_differences` are found."""
    tally, seeds = Tally(), Random(seed)
    while len(tally.differences) < max_differences and not is_enough(tally):
        try:
            play_random_game(table_class, seeds.getrandbits(48), tally, max_moves, listing_share)
        except DifferenceError as difference:
            tally.differences.append(difference)
        report(tally)
    return tally
