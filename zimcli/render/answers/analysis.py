"""Chances, hints, and what was given away."""

from __future__ import annotations

from collections.abc import Iterator

from zimcli.render.answers import Renderers
from zimcli.render.moves import place_line
from zimcli.render.spans import Block, Screen
from zimcore.documents.analysis import HintAnswer


def hints(answer: HintAnswer, _: Screen) -> Iterator[Block]:
    """Turns with the chance after each, and what each changes."""
    yield place_line(answer.position)
    names = " · ".join(f"{seat} {per_cent(each.chance)}" for seat, each in answer.now.items())
    yield [("chances: ", "dim"), (names, "")]
    for each in answer.hints:
        error = f" ±{100 * each.error:.0f}" if each.error >= 0.005 else ""
        chance, turn = (f"{per_cent(each.chance):>5}", "bold"), ("; ".join(each.commands), "bold")
        yield [chance, (f"{error:<4}  ", "dim"), turn]
        if each.why:
            yield [(f"           {each.why}", "dim")]
    yield [(f"best of {answer.tried} turns, {answer.nodes} positions (nothing was played)", "dim")]


def per_cent(chance: float) -> str:
    """A chance as people say it.

    >>> per_cent(0.256)
    '26 %'
    """
    return f"{100 * chance:.0f} %"


RENDERERS: Renderers = {HintAnswer: hints}
