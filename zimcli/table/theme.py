"""Translates the styles of answers into prompt-toolkit's, in the user's theme.

Answers and boards always use the same styles (`bold #ffffff on #1f4e79`); a theme changes their colours.
"""

from __future__ import annotations

from functools import lru_cache

PLAIN = "plain"
COLOUR_BLIND = "colour-blind"
COLOUR_BLIND_PALETTE = {
    "#b3261e": "#d55e00",  # red
    "#227d2b": "#009e73",  # green
    "#f2c230": "#f0e442",  # yellow
    "#2456a6": "#0072b2",  # blue
    "#e8833a": "#e69f00",  # orange
    "#6d3f9c": "#cc79a7",  # purple
    "#ffd84d": "#ffffff",  # lit: the brightest colour, together with a mark
    "#a23b12": "#1d1a16",  # kinds of resource: their letters distinguish them
    "#0b6e8a": "#1d1a16",
    "#8a1f6b": "#1d1a16",
    "#2c5e1a": "#1d1a16",
}
"""Replacements for colours that some people can't tell apart (the palette of Okabe and Ito)."""
ANSI_NAME_BY_COLOUR = {"red": "ansired", "green": "ansigreen", "yellow": "ansiyellow", "cyan": "ansicyan"}
COLOUR_ON_LIGHT = {"red": "#a01818", "green": "#1d6b24", "yellow": "#7a5600", "cyan": "#0b5a75"}
KEPT_ATTRIBUTES = {"bold", "italic", "reverse", "underline"}


@lru_cache(4096)
def to_prompt_style(style: str, theme: str) -> str:
    """A style in prompt-toolkit's notation.

    >>> to_prompt_style("bold #1d1a16 on #b3261e", "dark"), to_prompt_style("bold #1d1a16 on #b3261e", "plain")
    ('bold #1d1a16 bg:#b3261e', 'bold')
    >>> to_prompt_style("dim", "dark")
    'class:table.dim'
    """
    style_words, is_background = list[str](), False
    for word in style.split():
        if word == "on":
            is_background = True
        elif word in KEPT_ATTRIBUTES or word.startswith("class:"):
            style_words.append(word)
        elif word == "dim":
            style_words.append("class:table.dim")
        elif theme != PLAIN:
            style_words.append(("bg:" if is_background else "") + _colour(word, theme))
    return " ".join(style_words)


def _colour(word: str, theme: str) -> str:
    names = COLOUR_ON_LIGHT if theme == "light" else ANSI_NAME_BY_COLOUR
    if theme == COLOUR_BLIND:
        names = names | COLOUR_BLIND_PALETTE
    return names.get(word, word)
