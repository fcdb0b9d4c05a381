"""Offers commands for a square, each with what it costs and brings."""

from __future__ import annotations

from zimcli.repl.completion import Offered
from zimcore.candidates import WORD, advice, candidates
from zimcore.commits import Position
from zimcore.reasons import reason

MOST = 12
"""The most commands to offer."""


def offers(position: Position, square: str) -> list[Offered]:
    """The game's first choice among each kind of command that names the square. Other commands can be typed."""
    first = dict[str, tuple[str, str]]()
    for text in candidates(position).texts(""):
        words = text.split()
        at = next((at for at, word in enumerate(words) if square in WORD.findall(word)), None)
        if at and "@" not in words[at]:  # a resource that is used elsewhere is no command for this square
            first.setdefault(" ".join(words[: min(at, 2)]), (" ".join(words[: at + 1]), text))
    verbs = [each.text.split()[0] for each in advice(position)]
    order = {verb: at for at, verb in enumerate(dict.fromkeys(verbs))}
    entries = list[Offered]()
    for beginning, text in sorted(first.values(), key=lambda each: order.get(each[1].split()[0], len(order)))[:MOST]:
        promise = next((each.text for each in advice(position, beginning) if each.text.startswith(beginning)), text)
        chosen = promise if square in WORD.findall(promise) else text
        command = position.game.notation.parse(chosen, position.state)[1]
        entries.append((chosen, reason(position.game, position.state, position.mover, [command])))
    return entries
