"""The colours of the prompt: its menu, its suggestions, its toolbar."""

from __future__ import annotations

import os

from prompt_toolkit.output import ColorDepth
from prompt_toolkit.styles import BaseStyle, Style

from zimcli.settings.config import Config

DARK_STYLES = {
    "completion-menu": "bg:#2b2620 #eadfc8",
    "completion-menu.completion.current": "bg:#b98a45 #1d1a16",
    "completion-menu.meta.completion": "bg:#3a332a #c9ae72",
    "completion-menu.meta.completion.current": "bg:#d9a95b #1d1a16",
    "auto-suggestion": "#7d7463",
    "bottom-toolbar": "noreverse bg:#2b2620 #eadfc8",
    "prompt.where": "bold #e0b86a",
    "prompt.status": "#a89c86",
    "table.where": "bold #e0b86a",
    "table.title": "#a08a5c",
    "table.dim": "#a89c86",
    "table.news": "bold #1d1a16 bg:#e0b86a",
    "table.word": "#eadfc8",
    "table.chosen": "bold bg:#b98a45 #1d1a16",
    "table.meaning": "#c9ae72",
}
LIGHT_STYLES = {
    "completion-menu": "bg:#f1e6cc #1d1a16",
    "completion-menu.completion.current": "bg:#b98a45 #ffffff",
    "completion-menu.meta.completion": "bg:#e6d5ad #6f5325",
    "completion-menu.meta.completion.current": "bg:#9a7031 #ffffff",
    "auto-suggestion": "#a89c86",
    "bottom-toolbar": "noreverse bg:#f1e6cc #1d1a16",
    "prompt.where": "bold #7a5417",
    "prompt.status": "#6f6450",
    "table.where": "bold #7a5417",
    "table.title": "#8a6a2a",
    "table.dim": "#6f6450",
    "table.news": "bold #ffffff bg:#7a5417",
    "table.word": "#1d1a16",
    "table.chosen": "bold bg:#9a7031 #ffffff",
    "table.meaning": "#6f5325",
}
PLAIN_STYLES = {
    "completion-menu.completion.current": "reverse",
    "bottom-toolbar": "noreverse",
    "prompt.where": "bold",
    "table.where": "bold",
    "table.news": "reverse",
    "table.chosen": "reverse",
}
STYLES_BY_THEME = {"dark": DARK_STYLES, "light": LIGHT_STYLES, "colour-blind": DARK_STYLES, "plain": PLAIN_STYLES}


def terminal_color_depth() -> ColorDepth | None:
    """No colours with NO_COLOR, true colour if COLORTERM says so; None lets prompt-toolkit decide."""
    if os.environ.get("NO_COLOR"):
        return ColorDepth.DEPTH_1_BIT
    return ColorDepth.TRUE_COLOR if os.environ.get("COLORTERM") in ("truecolor", "24bit") else None


def shows_suggestions(config: Config) -> bool:
    """Whether to suggest the rest of a line. It is told from what was typed by its colour alone."""
    return config.suggest and config.theme != "plain" and terminal_color_depth() != ColorDepth.DEPTH_1_BIT


def theme_style(theme: str) -> BaseStyle:
    """The colours of a theme."""
    return Style.from_dict(STYLES_BY_THEME[theme])
