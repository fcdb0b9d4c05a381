"""The best turns in a position, and why, as the answer to whoever asks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from zimcore.analysis.turns import QUICK, Budget, Tell, Turn, known, turns
from zimcore.bots.bot import seen
from zimcore.bots.levels import Tried
from zimcore.chances import Chance, chances
from zimcore.commits import Position
from zimcore.documents.analysis import ChanceDocument, HintAnswer, HintDocument
from zimcore.documents.positions import position_document
from zimcore.game import Game, GameError, HiddenError, Seat

NODES = 2000
"""Positions that a hint looks at: about a second of one core."""


def hint_answer(position: Position, nodes: int = NODES, most: int = 3, tell: Tell = lambda _, __: None) -> HintAnswer:
    """The best turns for whose turn it is, so many at most, each of another kind as far as there are such; it sees what
    that seat may see. Raises `GameError`.
    """
    game, seat = position.game, position.mover
    if not seat:
        raise GameError("no hint", "nobody is to move", ["show", "undo", "new"])
    state, budget = seen(game, position.state, seat).state, Budget(nodes, tell)
    if not known(game, state, seat):
        raise HiddenError("a hint", f"it hangs on cards of {seat} that are hidden from you", [f"hint --as {seat}"])
    found = turns(game, state, seat, budget)
    return HintAnswer(
        position=position_document(position),
        seat=seat,
        now={each: chance_document(chance) for each, chance in chances(game, state).items()},
        hints=tuple(hint(game, state, seat, each) for each in of_kinds(found)[:most]),
        tried=len(found),
        nodes=budget.spent,
    )


def of_kinds(found: Sequence[Turn]) -> list[Turn]:
    """The best turn of each kind, and then the others: one who builds elsewhere has hardly another idea."""
    first: dict[tuple[type, ...], Turn] = {}
    for each in found:
        first.setdefault(tuple(map(type, each.commands)), each)
    kinds = [*first.values()]
    return [*kinds, *(each for each in found if each not in kinds)]


def hint(game: Game, state: Any, seat: Seat, turn: Turn) -> HintDocument:
    """A turn in words."""
    chance = chance_document(turn.chances[seat])
    return HintDocument(
        commands=tuple(map(game.notation.format, turn.commands)),
        chance=chance.chance,
        error=chance.error,
        why=why(game, state, seat, turn),
    )


def why(game: Game, state: Any, seat: Seat, turn: Turn) -> str:
    """What a turn changes, in the words of a bot."""
    return QUICK.changes(game, state, seat, Tried(0.0, turn.commands[0], turn.after))


def chance_document(chance: Chance) -> ChanceDocument:
    """A chance in thousandths: more is not known."""
    return ChanceDocument(round(chance.mean, 3), round(chance.error, 3))
