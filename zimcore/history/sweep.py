"""What each of many commands would come to: one figure or a few after each, without playing or storing any."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Any

import msgspec

from zimcore.commits import Position
from zimcore.game import Game, HiddenError, Seat
from zimcore.history.bisect import Look
from zimcore.history.evaluation import Values
from zimcore.history.expression import Expression, parse
from zimcore.history.position_values import PositionValues

WILD = frozenset("*?[")


class CommandOutlook(msgspec.Struct, frozen=True):
    """A command, and the figures after it, one for each expression; empty if that depends on hidden cards."""

    text: str
    values: tuple[Any, ...]
    hidden: str = ""


def sweep(
    position: Position, expressions: Sequence[Expression], beginning: str = "", look: Look = PositionValues
) -> list[CommandOutlook]:
    """Tries every legal command that begins so, or is like a pattern (`build *4`).

    The best comes first, by the first expression, then by the next. `look` says what of a position the expressions may
    speak of.

    Commands of the list are legal: no guard is asked, and no facts are put into words.
    """
    game, state, seat = position.game, position.state, position.mover
    texts = matching(position, beginning) if is_pattern(beginning) else position.legal().texts(beginning)
    found = [outlook(game, state, seat, text, expressions, look) for text in texts]
    return sorted(found, key=lambda each: [rank(value) for value in each.values], reverse=True)


def is_pattern(text: str) -> bool:
    """Whether a text has one of the signs that stand for any letters: `*`, `?` or `[`.

    >>> is_pattern("adore *"), is_pattern("adore eshu")
    (True, False)
    """
    return not WILD.isdisjoint(text)


def matching(position: Position, pattern: str) -> Iterator[str]:
    """The legal commands that are like a pattern, in notation."""
    pattern = pattern.lower()
    first = pattern.partition(" ")[0]
    texts = position.legal().texts("" if is_pattern(first) else first)
    return (text for text in texts if fnmatchcase(text, pattern))


def outlook(
    game: Game, state: Any, seat: Seat, text: str, expressions: Sequence[Expression], look: Look = PositionValues
) -> CommandOutlook:
    """What comes of one command."""
    _, command = game.notation.parse(text, state)
    try:
        after = look(game, game.rules.apply(state, seat, command).state)
    except HiddenError as error:
        return CommandOutlook(text, (None,) * len(expressions), str(error))
    return CommandOutlook(text, tuple(each.value(after) for each in expressions))


def rank(value: Any) -> tuple[bool, float, str]:
    """How values are ordered: what is nothing last, numbers by size, words by themselves.

    >>> sorted([3, None, "eshu", -1, True], key=rank)
    [None, 'eshu', -1, True, 3]
    """
    return value is not None, value if isinstance(value, (int, float)) else -1 << 63, str(value)


def what_counts(values: Values, seat: Seat, money: Sequence[str]) -> list[Expression]:
    """What a seat may want to know, where nothing else is asked for: what the game counts by, and its money."""
    from zimcore.history.differences import main_figure

    names = [main_figure(values), *money]
    return [parse(f"{seat}.{name}") for name in dict.fromkeys(names) if name in values.get(seat, {})]
