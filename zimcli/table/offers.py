"""Offers commands for a square, each with what it costs and brings."""

from __future__ import annotations

from zimcli.repl.completion import Offer
from zimcore.candidates import WORD_PATTERN, advice, candidates
from zimcore.commits import Position
from zimcore.reasons import reason_for_turn

MAX_OFFERS = 12
"""The most commands to offer."""


def offers_for_square(position: Position, square: str) -> list[Offer]:
    """The game's first choice among each kind of command that names the square. Other commands can be typed."""
    commands_by_kind = dict[str, tuple[str, str]]()
    for text in candidates(position).texts(""):
        words = text.split()
        index = next((index for index, word in enumerate(words) if square in WORD_PATTERN.findall(word)), None)
        if index and "@" not in words[index]:  # a resource that is used elsewhere is no command for this square
            commands_by_kind.setdefault(" ".join(words[: min(index, 2)]), (" ".join(words[: index + 1]), text))
    advised_verbs = [each.text.split()[0] for each in advice(position)]
    rank_by_verb = {verb: index for index, verb in enumerate(dict.fromkeys(advised_verbs))}
    square_offers = list[Offer]()
    for beginning, text in sorted(
        commands_by_kind.values(), key=lambda each: rank_by_verb.get(each[1].split()[0], len(rank_by_verb))
    )[:MAX_OFFERS]:
        advised_text = next(
            (each.text for each in advice(position, beginning) if each.text.startswith(beginning)), text
        )
        offered_text = advised_text if square in WORD_PATTERN.findall(advised_text) else text
        command = position.game.notation.parse(offered_text, position.state)[1]
        square_offers.append((offered_text, reason_for_turn(position.game, position.state, position.mover, [command])))
    return square_offers
