"""Explorers, and the signs of colours, which also differ by shape and letter."""

from __future__ import annotations

from functools import cache

from zimcore.games.africana.cards import JOKER, UNKNOWN, Card, colour_of, is_assistant
from zimcore.games.africana.components import Colour
from zimcore.toolkit.svg import INK, PAPER, tag, text, translate

SYMBOL_COLOURS = {
    "magenta": "#c2267e",
    "turquoise": "#0e7f86",
    "gray": "#6a665f",
    "orange": "#c65f0c",
    "violet": "#6d3f9c",
}
"""The colours of symbols, by their names on the cards."""
SYMBOL_PATHS = {
    "magenta": "M0 -11A11 11 0 1 1 -0.1 -11Z",
    "turquoise": "M-10 -10H10V10H-10Z",
    "gray": "M-6 -11H6L12 0L6 11H-6L-12 0Z",
    "orange": "M0 -14L13.5 10H-13.5Z",
    "violet": "M0 -14L13 0L0 14L-13 0Z",
}
"""The shapes of symbols as paths, about 22 units across; an unknown colour has a disc."""
VERB_PATHS = {
    "draw": "M-9 -10H4V8H-9ZM4 -6L9 -5L6 10L-4 8M-2.5 -5V3M-6.5 -1H1.5",
    "turn": "M0 -7Q-5 -10 -10 -8V8Q-5 6 0 9Q5 6 10 8V-8Q5 -10 0 -7V9",
    "buy": "M-10 0A10 10 0 1 1 -10 .1M4 -4Q0 -7 -3 -4Q-4 -1 0 0Q4 1 3 4Q0 7 -4 4M0 -8V8",
    "move": "M-10 7Q-6 -7 8 -3M8 -3L3 -9M8 -3L2 2",
    "join": "M-6 10V-10L7 -6L-6 -2",
    "end": "M-9 0L-3 7L9 -7",
    "discard": "M-8 -10H5V2M-8 -10V8H1M6 3V11M2 7L6 11L10 7",
}
"""The lines of the icon of each command, 24 units across."""
UNKNOWN_COLOUR = "#4a4a4a"


@cache
def symbol(colour: Colour) -> str:
    """The sign of a colour, with its first letter."""
    shape = SYMBOL_PATHS.get(colour, SYMBOL_PATHS["magenta"])
    fill, baseline = SYMBOL_COLOURS.get(colour, UNKNOWN_COLOUR), 7 if colour == "orange" else 4.5
    return "".join(
        (
            tag("path", d=shape, fill=PAPER, stroke=PAPER, stroke_width=4, stroke_linejoin="round"),
            tag("path", d=shape, fill=fill, stroke_linejoin="round"),
            text(0, baseline, colour[:1], 13, fill="#fff", font_weight="bold"),
        )
    )


def explorer(ink: str, paper: str) -> str:
    """A figure with head and shoulders, filled with `paper`. `ink` is not used: callers pass both colours of a seat."""
    body = "M-11 15Q-10 -1 -4 -3A8.5 8.5 0 1 1 4 -3Q10 -1 11 15Z"
    return tag("path", d=body, fill=paper, stroke=INK, stroke_width=1.4, stroke_linejoin="round", class_="edge")


@cache
def small_card(card: Card) -> str:
    """A card of a hand, 26 by 34 units around (0, 0): a sign (assistants have a mark), a joker's star, or a back."""
    frame = {
        "x": -13,
        "y": -17,
        "width": 26,
        "height": 34,
        "rx": 4,
        "stroke": INK,
        "stroke_width": 1,
        "class_": "edge",
    }
    if card == UNKNOWN:
        back = tag("path", d="M-7 -11L7 11M7 -11L-7 11", stroke="#e7c66f", stroke_width=2)
        return tag("rect", fill="#7a4a22", **frame) + back
    if card == JOKER:
        star = tag("path", d="M0 -10L3 -3L10 -3L4.5 2L6.5 9.5L0 5L-6.5 9.5L-4.5 2L-10 -3L-3 -3Z", fill="#b3261e")
        return tag("rect", fill="#fff8e6", **frame) + star
    sign = translate(0, 0, symbol(colour_of(card)), scale=0.82)
    return tag("rect", fill="#f1dca0" if is_assistant(card) else "#fff8e6", **frame) + sign + assistant_mark(card)


def assistant_mark(card: Card) -> str:
    """The mark of an assistant: a cap over its sign."""
    return tag("path", d="M-7 -12Q0 -18 7 -12Z", fill=INK) if is_assistant(card) else ""
