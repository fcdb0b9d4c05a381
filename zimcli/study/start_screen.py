"""The start screen, which `zim` alone shows: your games with whose turn it is, what waits for you, what you can begin.

Each row is a command that works as printed. At a terminal a key runs it, and you come back when it ends.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from select import select
from typing import NamedTuple

import click

from zimcli.render.spans import Block
from zimcli.session.lesson import tutorial_game
from zimcli.session.seen_discussion import read_told, waiting_for
from zimcli.session.session import Session
from zimcli.session.who_plays import own_seats
from zimcli.shell.program_name import program_name
from zimcli.shell.typed_words import without_passwords
from zimcli.study.opponents import OPPONENTS, default_opponent
from zimcli.study.practice import current_date, due_exercises, find_exercises, load_progress
from zimcore.documents.listings import GameInfo
from zimcore.game import Game, GameError
from zimcore.service import DamagedError
from zimcore.toolkit.words import numbered

MAX_GAMES = 6
"""The most games to show, the last played: first those where it is your turn."""
MAX_SERVED = 3
"""The most games on servers to show."""
MAX_KINDS = 3
"""The most kinds of games to offer."""
LEAVE_KEYS = ("q", "\x1b", "\x03", "\x04")
"""q, Escape, Ctrl-C, Ctrl-D."""
ENTER_KEYS, DIGITS = ("\r", "\n"), "123456789"
OWN_TURN = "your turn"


class Row(NamedTuple):
    """A command (without `zim`) with what it is for, and the key that runs it. A `heading` begins a section.

    Without a key it is only for those who type. Without a command the key opens the list of opponents.
    """

    key: str
    command: str
    text: str
    heading: str = ""


def show_start_screen(
    session: Session, typed_options: Sequence[str], run_command: Callable[[list[str]], object], *, asks_keys: bool
) -> None:
    """Shows the start screen; with `asks_keys` runs what keys ask for until the user leaves.

    `typed_options` are those of `zim` itself: commands that are run or printed repeat them. Raises `StoreError` for a
    store or server that was named and can't be read.
    """
    prefix = " ".join([program_name(), shlex.join(without_passwords(typed_options))]).rstrip()
    if not asks_keys:
        session.show_blocks(*screen_blocks(start_rows(session), prefix, shows_keys=False))
        return
    while row := choose_row(session, prefix):
        session.close_local_store()  # the command opens it for itself, and may replace it
        run_command([*typed_options, *shlex.split(row.command)])
        with single_keys():
            session.show_blocks([("", "")], [("Any key goes back to the start, q leaves.", "dim")])
            if read_key() in LEAVE_KEYS:
                return


def choose_row(session: Session, prefix: str) -> Row | None:
    """The row that is chosen by keys; None to leave."""
    rows = start_rows(session)
    with single_keys():
        while True:
            session.show_blocks(*screen_blocks(rows, prefix, shows_keys=True))
            if (row := ask_row(rows)) is None or row.command:
                return row
            opponents = opponent_rows(session.all_games)
            session.show_blocks([("", "")], *screen_blocks(opponents, prefix, shows_keys=True))
            if row := ask_row(opponents):
                return row


def screen_blocks(rows: Sequence[Row], prefix: str, *, shows_keys: bool) -> Iterator[Block]:
    """The rows by section: those with keys, or else whole command lines."""
    shown = [row for row in rows if (row.key if shows_keys else row.command)]
    commands = [f"{prefix} {row.command}" for row in shown]
    width, heading = max(map(len, commands)), ""
    for row, command in zip(shown, commands, strict=True):
        if row.heading != heading:
            heading = row.heading
            yield [(heading, "bold")]
        text = row.text or row.command
        yield (
            [(f"  {row.key}  ", "bold cyan"), (text, "")]
            if shows_keys
            else [(f"  {command:<{width}}  ", "cyan"), (text, "dim")]
        )
    if shows_keys:
        yield [("  q  ", "bold cyan"), ("leave", ""), (f"  (Enter: {shown[0].key})", "dim")]


@contextmanager
def single_keys() -> Iterator[None]:
    """Within it keys need no Enter and are not echoed; what is typed before a screen is drawn still counts."""
    if sys.platform == "win32":  # `click.getchar` reads single keys there
        yield
        return
    from zimcli.output.terminal_pictures import unbuffered_terminal

    with unbuffered_terminal(sys.stdin.fileno()):
        yield


def read_key() -> str:
    """The key that is pressed; q at the end of the input. A key of several characters is returned whole."""
    try:
        if sys.platform == "win32":
            return click.getchar()
        descriptor = sys.stdin.fileno()
        key = os.read(descriptor, 1) or LEAVE_KEYS[0].encode()
        while key[:1] == b"\x1b" and select([descriptor], [], [], 0)[0]:
            key += os.read(descriptor, 1)
        return key.decode(errors="replace")
    except (EOFError, KeyboardInterrupt):
        return LEAVE_KEYS[0]


def ask_row(rows: Sequence[Row]) -> Row | None:
    """The row whose key is pressed, with Enter the first; None for a key that leaves."""
    rows_by_key = {row.key: row for row in rows if row.key}
    rows_by_key |= dict.fromkeys(ENTER_KEYS, next(iter(rows_by_key.values())))
    while (key := read_key()) not in LEAVE_KEYS:
        if key in rows_by_key:
            return rows_by_key[key]
    return None


def start_rows(session: Session) -> list[Row]:
    """The rows of the screen."""
    games, kinds = games_to_go_on_with(session), session.all_games[:MAX_KINDS]
    own_rows = sorted((game_row(session, each) for each in games[:MAX_GAMES]), key=lambda row: OWN_TURN not in row[1])
    rows = [Row(str(number), *row, "Your games") for number, row in enumerate(own_rows, 1)]
    rows += served_rows(session, len(rows))
    if len(games) > MAX_GAMES:
        rows.append(Row("g", "games", f"all {numbered(len(games), 'game')}", "Your games"))
    rows.append(Row("n", "", "a new game: choose it and your opponent", "New"))
    for kind in kinds:
        level = default_opponent(kind)
        others = " or ".join(each for each in OPPONENTS if each != level)
        rows.append(Row("", new_command(kind, level), f"{kind.title} against a program; or bots={others}", "New"))
    lessons = [each for each in kinds if each.texts.tutorial()]
    rows += [
        Row("t", f"tutorial {each.name}", f"learn {each.title} in its first rounds", "Learn") for each in lessons[:1]
    ]
    if games:
        rows.append(Row("p", "practise", practice_text(session, games[:MAX_GAMES]), "Learn"))
    return [
        *rows,
        Row("d", "demo", "watch a whole game", "Learn"),
        Row("f", "host", "play with friends: a link for each of them", "Friends"),
        Row("h", "help", "the commands", "Help"),
    ]


def new_command(game: Game, level: str) -> str:
    """The command that begins a game against programs of a level, and opens it."""
    players = ["players=2"] if "players" in game.rules.OPTIONS else []
    return " ".join(["new", "--game", game.name, *players, *([f"bots={level}"] if level else []), "--play"])


def opponent_rows(games: Sequence[Game]) -> list[Row]:
    """Each game against each level, and with people at this keyboard; the first row is the default."""
    rows = list[Row]()
    for game in games:
        for level, text in {**OPPONENTS, "": "people at this keyboard"}.items():
            if not level or game.strategy or level == default_opponent(game):
                rows.append(
                    Row(str(len(rows) + 1), new_command(game, level), f"{level}: {text}" if level else text, game.title)
                )
    return rows[: len(DIGITS)]


def games_to_go_on_with(session: Session) -> list[GameInfo]:
    """The games that are listed, the last played first; none before the first game in the user's own store."""
    is_default_store = not (session.store or os.environ.get("ZIM_STORE"))
    if is_default_store and session.local_service and not session.local_service.store.exists():
        return []
    games = [each for each in session.service.games(by=session.by) if not each.archived]
    return sorted(games, key=lambda each: each.played, reverse=True)


def served_rows(session: Session, row_count: int) -> Iterator[Row]:
    """Rows for the newest games on servers in which the user has a seat, below those of their own store.

    No server is asked: a slow one must not hold up the screen.
    """
    if session.store or os.environ.get("ZIM_STORE"):
        return
    from zimcore.remote.client_files import Folders
    from zimcore.remote.invitations import saved_credentials

    credentials = [each for each in reversed(saved_credentials(Folders.of_user())) if each.seat]
    for key, each in zip(DIGITS[row_count:], credentials[:MAX_SERVED], strict=False):
        command = shlex.join(["--store", each.server, "play", each.game])
        yield Row(key, command, f"{each.game} · you play {each.seat} on {each.server}", "Your games")


def game_row(session: Session, game: GameInfo) -> tuple[str, str]:
    """The command that goes on with a game, and whose turn it is, with what waits for the user's answer."""
    try:
        position = session.head(f"{game.name}/{game.line}")
    except (GameError, DamagedError) as error:
        return f"show {game.name}", f"{game.name} · {game.status or error}"
    if game.name == tutorial_game(position.game) and not position.outcome.over:
        return f"tutorial {game.kind}", f"{game.name} · go on with the lesson"
    seat = session.service.seat_at(position.place)
    waiting_count = len(waiting_for(seat, read_told(session, position.match)))
    turn = OWN_TURN if own_seats(session, position) else "over" if position.outcome.over else "others' turn"
    answers = f" · {numbered(waiting_count, 'request')} for you (requests {game.name})" * bool(waiting_count)
    return f"play {game.name}", f"{game.name} · {turn} · {position.status}{answers}"


def practice_text(session: Session, games: Sequence[GameInfo]) -> str:
    """What practising is; with how many exercises of these games are due, if any."""
    service, text = session.local_service, "find better turns for your own mistakes"
    if service is None or not games:
        return text
    places = [f"{each.name}/{each.line}" for each in games if each.line]
    try:
        exercises = list(find_exercises(service, places, session.by, of_all_players=False))
        due_count = len(due_exercises(exercises, load_progress(), current_date()))
    except (GameError, DamagedError):  # `practise` says what is wrong
        return text
    return f"{text}: {numbered(due_count, 'exercise')} due" if due_count else text
