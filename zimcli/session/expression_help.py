"""The text of `help expressions`: the forms, the functions, and examples for The Great Zimbabwe."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from zimcore.history.evaluation import FUNCTIONS

if TYPE_CHECKING:
    from zimcli.session.session import Session

EXPRESSIONS_TOPIC = "expressions"
COMMANDS_WITH_EXPRESSIONS = (
    "expect",
    "bisect",
    "why",
    "log --where",
    "games --where",
    "try --each --by",
    "whatif --by",
)
EXPRESSION_FORMS = {
    "zulu.vp": "a figure of a seat; `show` and `stats` have the names",
    "round": "a figure of the position",
    "zulu.chance": "the chance of a seat to win, from 0 to 1, by the model alone",
    "zulu.vp@r3": "the same at another position: @12, @r3, @r3.zulu, @start",
    "j7.owner": "a square: its role, kind, owner, and level (of a monument) or marks (how often it was used)",
    "== != < <= > >=": "compare; chains do: 3 < zulu.vp <= 7",
    "in, not in": "look into a list: potter in zulu.craftsmen, zulu.god in [eshu, gu]",
    "and, or, not": "combine; parentheses group",
    "+ - * // %": "calculate: // divides whole numbers, % is what is left",
}
"""Each form of an expression, with its meaning."""
EXPRESSION_EXAMPLES = (
    "zulu.vp > kilwa.vp and round >= 4",
    "leader() == zulu or rank(zulu, cattle) == 1",
    "max(vp) - min(vp) <= 5",
    "zulu.vp - zulu.vp@start >= 3",
    "abs(zulu.vr - zulu.vp) < 12",
    "zulu.god not in [eshu, gu]",
)


def expression_help(session: Session) -> str:
    """The help text. In a game it ends with the names that exist at its position."""
    return "\n".join(_help_lines(session))


def _help_lines(session: Session) -> Iterator[str]:
    yield f"Expressions ask about a position: {', '.join(COMMANDS_WITH_EXPRESSIONS)}."
    yield "A word that is no name stands for itself, so that zulu.god == eshu needs no quotes."
    yield "Capitals make no difference."
    width = max(map(len, (*EXPRESSION_FORMS, *FUNCTIONS)))
    for heading, rows in (("Forms", EXPRESSION_FORMS), ("Functions", FUNCTIONS)):
        yield f"\n{heading}"
        yield from (f"  {form:<{width}}  {meaning}" for form, meaning in rows.items())
    yield "\nExamples"
    yield from (f"  {example}" for example in EXPRESSION_EXAMPLES)
    position = session.current
    if position:
        figures = position.figures
        first_seat = next(iter(position.seats), "")
        yield f"\nNames at {position.place}"
        yield f"  {', '.join(name for name in figures if name not in position.seats)}"
        yield f"  of each seat ({', '.join(position.seats)}): {', '.join(figures[first_seat])}"
