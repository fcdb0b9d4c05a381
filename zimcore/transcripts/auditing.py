"""Reads what people hand in to be audited: the logs of a text, each with its game and its first position."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from zimcore.game import Game, NotationError, OptionError
from zimcore.transcripts.layouts import Layout, read_logs
from zimcore.transcripts.log_styles import PLAIN_STYLE, LogStyle

READING_COMMANDS = frozenset(
    (
        *("advice", "analyse", "ask", "board", "check", "compare", "completion", "config", "demo", "doctor", "events"),
        *("expect", "explain", "help", "hint", "learn", "legal", "log", "new-game", "plan", "practise", "preview"),
        *("reach", "replay", "requests", "rules", "say", "schema", "seats", "show", "stats", "story", "talk", "try"),
        *("tutorial", "verify", "whatif", "why", "witness", "bisect", "audit"),
    )
)
"""The commands of zim that a log may contain and that play nothing."""


def logs_in(
    text: str,
    file: str,
    game: Game,
    style: LogStyle = PLAIN_STYLE,
    first_state: Any = None,
    *,
    finds_layout: bool = True,
    skipped_words: Collection[str] = READING_COMMANDS,
) -> Iterator[Layout]:
    """The logs of a text from a `file`. Raises `GameError` if it has none, or if the style names an unknown seat."""
    words = {*skipped_words} - {*game.notation.SYNTAX}
    logs = read_logs(text, game, words, style, first_state, finds_layout=finds_layout)
    if all(each.log.setup is not None and all(line.is_expectation for line in each.log.lines) for each in logs):
        raise NotationError(file, "it has the set-up of a game, but no moves", ["help audit"])
    for layout in logs:
        seats = game.evolution.seats(layout.first_state)
        if unknown_seats := {*style.seats.values()}.difference(seats):
            reason = f"there is no such seat; the seats are {', '.join(seats)}"
            raise OptionError(f"--seats ...={min(unknown_seats)}", reason, ["help audit"])
        yield layout
