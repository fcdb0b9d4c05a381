"""Which programs of other people may run here: only those that you have named yourself.

A game records who plays a seat, and a script or a request says what to do: all that is data, which may come from
others. A program outside Zim (`my_bot:Greedy`) runs only if you typed its name, for this game or this run. What you
have typed is kept in a file of the user's data, by store and by the digest of the game's first commit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import msgspec

from zimcli.session.output_files import typed_command
from zimcore.game import GameError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from zimcli.session.session import Session
    from zimcore.bots.registry import ConfiguredBot
    from zimcore.game import Game
    from zimcore.service import GameService

WHY_NOT = "a program of others can read and change your files, so it runs only after you have typed its name here"
"""Why a program that only data names does not run."""

WHY_YOURS = "it uses or changes keys, or does what can't be undone, so you type its name here first"
"""Why a command that no game can undo does not run for others."""


class AllowedPrograms(msgspec.Struct, frozen=True, omit_defaults=True):
    """The file: the programs that may run in a game, by its store and the digest of its first commit."""

    games: dict[str, tuple[str, ...]] = {}


def allowed_programs_file() -> Path:
    """The path of the file."""
    from platformdirs import user_data_path

    return user_data_path("zim", appauthor=False) / "allowed_programs.json"


def check_may_run(session: Session, allowed_name: str, command: str = "") -> None:
    """Raises `GameError` for a command that is for its user alone, unless they typed it, or allowed it for the run by
    this name.
    """
    check_may_name(session, allowed_name, WHY_YOURS, command)


def check_may_name(session: Session, program: str, why: str = WHY_NOT, command: str = "") -> None:
    """Raises `GameError` unless the user typed the running command, or allowed the program for the whole run."""
    if not session.is_typed and program not in session.allowed_programs:
        is_script = typed_command(click.get_current_context()) is not None
        door, hint = (
            ("script", f"zim run --allow {program} FILE") if is_script else ("pipe", f"zim pipe --allow {program}")
        )
        raise GameError(f"{command or program} does not run for a {door}", why, [hint])


def named_bot(session: Session, name: str, place: str = "") -> ConfiguredBot:
    """The bot that a line names. Raises `GameError` if the line is not the user's own and the bot is not Zim's.

    At a `place` the bot may be one that the user has allowed in this game before.
    """
    from zimcore.bots.registry import load_level, parse_bot

    bot = parse_bot(name)
    if bot.is_installed:
        return bot
    if place and bot.level in _allowed_in_game(session, place):
        return bot.allowed()
    check_may_name(session, bot.level)
    load_level(bot.level)  # now, before anything records the name of what is no bot
    return bot.allowed()


def named_game(session: Session, name: str) -> tuple[str, Game]:
    """The game that a line names, as MODULE:NAME or by its kind, and where it is.

    Raises `GameError` if it is not installed and the line is not the user's own.
    """
    from zimcore.games.registry import load_game

    address = session.kinds.get(name, name)
    if name not in session.kinds and ":" in name:
        check_may_name(session, name)
    elif ":" not in address:
        session.game(name)  # raises the error for an unknown game
    return address, load_game(address)


def recorded_bot(session: Session, place: str, seat: str, name: str) -> ConfiguredBot:
    """The bot that a game records at a seat. Raises `GameError` if it is not Zim's and the user has not allowed it."""
    from zimcore.bots.registry import parse_bot

    try:
        bot = parse_bot(name)
    except GameError as error:  # the game comes from another version, or from somebody who tries things out
        error.hints = other_player_hints(seat)
        raise
    if bot.is_installed:
        return bot
    if bot.level in session.allowed_programs or bot.level in _allowed_in_game(session, place):
        return bot.allowed()
    raise GameError(
        f"{bot.level} is to play {seat}, and you have not allowed it in this game",
        WHY_NOT,
        (f"bot {bot} --for {seat}", *other_player_hints(seat)),
    )


def other_player_hints(seat: str) -> tuple[str, ...]:
    """What to type so that another program, or a person, plays a seat."""
    return f"bot quick --for {seat}", f"bot people --for {seat}"


def allow_in_game(session: Session, place: str, bots: Sequence[ConfiguredBot]) -> None:
    """Records that the user has named these bots for the game of a place, if they typed it. Raises `OSError`."""
    if session.is_typed and (new_levels := {bot.level for bot in bots if not bot.is_installed}):
        _change(session, place, lambda levels: {*levels, *new_levels})


def allow_in_run(session: Session, programs: Sequence[str]) -> None:
    """Allows programs for the rest of a script or a pipe. Raises `GameError` unless the user typed the command."""
    for program in programs:
        check_may_name(session, program)
    session.allowed_programs |= {*programs}


def forget_unseated(session: Session, place: str, service: GameService) -> None:
    """Takes the permission of bots back that no line of the game seats any more. Raises `OSError`."""
    if _allowed_in_game(session, place):
        match = session.match_name(place)
        names = {name for line in service.line_names(match) for name in service.bots(f"{match}/{line}").values()}
        _change(
            session, place, lambda levels: {level for level in levels if any(_is_at(level, name) for name in names)}
        )


def _is_at(level: str, name: str) -> bool:
    """Whether a recorded name, maybe with a budget, is that of a level."""
    return name == level or name.startswith(f"{level}:")


def _change(session: Session, place: str, change: Callable[[tuple[str, ...]], set[str]]) -> None:
    from zimcore.remote.client_files import update_file

    key = _game_key(session, place)

    def with_change(content: AllowedPrograms) -> AllowedPrograms:
        games = {**content.games, key: tuple(sorted(change(content.games.get(key, ()))))}
        return AllowedPrograms({key: levels for key, levels in games.items() if levels})

    update_file(allowed_programs_file(), AllowedPrograms, with_change)


def _allowed_in_game(session: Session, place: str) -> tuple[str, ...]:
    from zimcore.remote.client_files import read_file

    return read_file(allowed_programs_file(), AllowedPrograms).games.get(_game_key(session, place), ())


def _game_key(session: Session, place: str) -> str:
    """The store and the first commit of a game; the digest is salted, so that no other game has it."""
    first_position = session.position(f"{session.match_name(place)}@0")
    service = session.local_service
    return f"{service.store.url if service else session.address} {first_position.commit.digest}"
