"""Evaluates expressions after each of many legal commands, without storing anything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Any

import msgspec

from zimcore.commits import Position
from zimcore.game import Game, HiddenError, Seat
from zimcore.history.bisect import ReadValues
from zimcore.history.evaluation import Values
from zimcore.history.expression import Expression, parse
from zimcore.history.position_values import PositionValues

WILDCARDS = frozenset("*?[")


class CommandOutlook(msgspec.Struct, frozen=True):
    """A command, and the value of each expression after it; if it depends on hidden cards, None and the reason."""

    text: str
    values: tuple[Any, ...]
    hidden: str = ""


def sweep(
    position: Position,
    expressions: Sequence[Expression | str],
    beginning: str = "",
    read_values: ReadValues = PositionValues,
) -> list[CommandOutlook]:
    """Tries every legal command that begins with `beginning`, or matches it as a pattern (`build *4`).

    Best first, by the first expression, then by the next. `read_values` returns the values of a position. As all
    commands are legal, they are applied without checks.
    """
    game, state, seat = position.game, position.state, position.mover
    parsed = [parse(each) if isinstance(each, str) else each for each in expressions]
    texts = matching_texts(position, beginning) if is_pattern(beginning) else position.legal().texts(beginning)
    outlooks = [command_outlook(game, state, seat, text, parsed, read_values) for text in texts]
    return sorted(outlooks, key=lambda outlook: [value_sort_key(value) for value in outlook.values], reverse=True)


def is_pattern(text: str) -> bool:
    """Whether a text has a wildcard: `*`, `?` or `[`.

    >>> is_pattern("adore *"), is_pattern("adore eshu")
    (True, False)
    """
    return not WILDCARDS.isdisjoint(text)


def matching_texts(position: Position, pattern: str) -> Iterator[str]:
    """The legal commands that match a pattern, in notation."""
    pattern = pattern.lower()
    verb = pattern.partition(" ")[0]
    texts = position.legal().texts("" if is_pattern(verb) else verb)
    return (text for text in texts if fnmatchcase(text, pattern))


def command_outlook(
    game: Game,
    state: Any,
    seat: Seat,
    text: str,
    expressions: Sequence[Expression],
    read_values: ReadValues = PositionValues,
) -> CommandOutlook:
    """The values after one legal command."""
    _, command = game.notation.parse(text, state)
    try:
        values_after = read_values(game, game.rules.apply(state, seat, command).state)
    except HiddenError as error:
        return CommandOutlook(text, (None,) * len(expressions), str(error))
    return CommandOutlook(text, tuple(expression.value(values_after) for expression in expressions))


def value_sort_key(value: Any) -> tuple[bool, float, str]:
    """A sort key for values of any type: None lowest, then words, then numbers by size.

    >>> sorted([3, None, "eshu", -1, True], key=value_sort_key)
    [None, 'eshu', -1, True, 3]
    """
    return value is not None, value if isinstance(value, (int, float)) else -1 << 63, str(value)


def default_expressions(values: Values, seat: Seat, money: Sequence[str]) -> list[Expression]:
    """The default expressions for a seat: the figure that decides the game, and its money."""
    from zimcore.history.differences import main_figure

    names = [main_figure(values), *money]
    return [parse(f"{seat}.{name}") for name in dict.fromkeys(names) if name in values.get(seat, {})]
