"""Play a game at the table, or at a prompt.

The table is a full screen with the board, the standings, this turn and the log. Type a command of the game, or one of
zim. Tab completes legal commands, F1 shows the keys. Ctrl-C clears the line, Ctrl-D leaves. Every command is stored
before you see its answer.

--lines asks line by line instead, for a screen reader or a recording. Zim also does so in a terminal that is smaller
than 80x24 or can't move its cursor, or if the setting `screen` says so. Without a terminal, lines are read as
`zim run -` reads them. At the table and at the prompt, `play` goes to another game or line.

Example::

    zim play kilwa-7
"""

from __future__ import annotations

import gc
import os
import shutil
import sys
import time
from typing import TYPE_CHECKING

import click

from zimcli.session.command import place_command
from zimcli.session.session import Session
from zimcore.documents.positions import PositionAnswer
from zimcore.game import GameError

if TYPE_CHECKING:
    from zimcore.commits import Position

MIN_TABLE_COLUMNS, MIN_TABLE_ROWS = 80, 24
"""The smallest terminal in which `screen = "auto"` opens the table."""


@place_command(__doc__)
@click.option("--lines", "asks_by_line", is_flag=True, help="Ask line by line, without the full screen.")
def command(session: Session, place: str, asks_by_line: bool) -> PositionAnswer | None:
    """Goes to the head of a line, and reads commands from the terminal or from stdin."""
    position = wait_for_deal(session, place) if sys.stdin.isatty() and not session.level else session.head(place)
    session.enter_position(position)
    if session.level:
        return session.position_answer(position)
    open_current_place(session, asks_by_line=asks_by_line)
    return None


def open_current_place(session: Session, *, asks_by_line: bool = False) -> None:
    """Reads commands at the current place, from the terminal or from stdin."""
    if sys.stdin.isatty() and sys.stdout.isatty() and not session.output.json:
        play_at_terminal(session, asks_by_line=asks_by_line)
    else:
        from zimcli.session.script import run_file

        run_file(session, "-")


def wait_for_deal(session: Session, place: str) -> Position:
    """Waits until the game is dealt, and returns the head of the line."""
    from zimcore.service.records.fair_deal import NotDealtError

    last_message = ""
    while True:
        try:
            return session.head(place)
        except NotDealtError as error:
            if str(error) != last_message:
                last_message = str(error)
                session.show_note(f"{last_message}; waiting (Ctrl-C stops)")
            time.sleep(1)


def play_at_terminal(session: Session, *, asks_by_line: bool) -> None:
    """Plays at the table; or line by line, if `asks_by_line`, or if the terminal or the settings ask for it."""
    gc.disable()  # until the first screen: nearly all that is imported for it stays
    from zimcli.output.errors import problem_of
    from zimcli.repl import loop
    from zimcli.session.bot_moves import bot_to_move, play_bot_seats

    (config, problem), session.is_careful = loop.load_settings(), True
    try:
        if bot_to_move(session, session.head(session.place)):
            for move in play_bot_seats(session, session.place):
                session.enter_position(move.position)
    except GameError as error:
        problem = problem or problem_of(error)
    if not asks_by_line and can_open_table(config.screen):
        from zimcli.table.app import run_table

        run_table(session, config, problem)
    else:
        if problem:
            session.output.show_problem(problem)
        gc.enable()
        loop.run_prompt(session, config)


def can_open_table(screen_setting: str) -> bool:
    """Whether the table can be opened in this terminal with this value of the setting `screen`."""
    columns, rows = shutil.get_terminal_size()
    can_move_cursor = os.environ.get("TERM", "dumb") not in ("dumb", "unknown", "")
    return can_move_cursor and (
        screen_setting == "table"
        or (screen_setting == "auto" and columns >= MIN_TABLE_COLUMNS and rows >= MIN_TABLE_ROWS)
    )
