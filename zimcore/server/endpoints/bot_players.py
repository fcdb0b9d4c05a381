"""Bots that have seats on a server: a thread lets them play, and each level thinks in a process of its own.

Thinking takes a core for a second. In another process, with low priority, it delays no request; and as one thread asks,
one bot thinks at a time. Zim looks at a game when a request names it. If two server processes look at the same game,
both bots may think, but only one plays: a command is for the head it was chosen at, with an id made from that head.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import cache
from typing import TypeAlias

from event_store import ConflictError, EventStoreError
from zimcore.bots.bot import Bot, View
from zimcore.bots.bot_match import think
from zimcore.bots.registry import (
    ConfiguredBot,
    check_can_play,
    levels,
    log_author,
    not_installed_error,
    parse_bot,
)
from zimcore.bots.subprocess_bot import SubprocessBot
from zimcore.game import Game, GameError, OptionError, Seat
from zimcore.server.news.background import Background
from zimcore.server.work.workers import OpenService
from zimcore.service import GameService, Viewer

log = logging.getLogger("zim.server")

NICENESS = 10
"""The niceness of bot processes, so that requests come first."""
SECONDS_PER_COMMAND = 30.0
"""Seconds that a bot may think about a command."""
MAX_NODES = 20_000
"""The most positions a bot may search for a command, and the default of `deep` there."""


def check_bots(bots: Mapping[Seat, str], game: Game) -> dict[Seat, str]:
    """The bots that a host asks for, by seat, each with its budget. Raises `GameError` for a bot not allowed here."""
    for seat, bot_text in bots.items():
        configured_bot = parse_bot(bot_text)
        check_can_play(configured_bot, game)
        if configured_bot.level not in levels():
            raise OptionError(f"{seat}: {bot_text}", "only programs that are installed here can play here", [*levels()])
        if configured_bot.nodes > MAX_NODES:
            raise OptionError(f"{seat}: {bot_text}", f"{MAX_NODES:,} positions are the limit", [configured_bot.level])
    return {seat: str(limit_nodes(parse_bot(bot_text))) for seat, bot_text in bots.items()}


def limit_nodes(configured_bot: ConfiguredBot) -> ConfiguredBot:
    """The bot with the server's budget: `deep` without a number would search more positions."""
    return (
        ConfiguredBot(configured_bot.level, MAX_NODES)
        if configured_bot.level == "deep" and not configured_bot.nodes
        else configured_bot
    )


def subprocess_bot(configured_bot: ConfiguredBot) -> Bot:
    """A bot in a low-priority process of its own: one process for each level, for any budget."""
    if not configured_bot.is_installed:  # a game of elsewhere can record any name
        raise not_installed_error(str(configured_bot))
    return configured_bot.weaken(_bot_of_level(configured_bot.level))


@cache
def _bot_of_level(level: str) -> Bot:
    return SubprocessBot(levels()[level], SECONDS_PER_COMMAND, NICENESS)


NamesVersion: TypeAlias = tuple[str, int]
"""A version of a game's names: their stream and its revision."""


def names_version_of(service: GameService, game: str) -> NamesVersion:
    """The version of a game's names. Raises `UnknownError`, `DamagedError`."""
    names = service.names(game)
    return names.stream, names.revision


class BotPlayers:
    """The thread that lets bots play. It calls `on_played(game)` after each command of a bot."""

    def __init__(
        self,
        open_service: OpenService,
        on_played: Callable[[str], None],
        make_bot: Callable[[ConfiguredBot], Bot] = subprocess_bot,
    ) -> None:
        self._on_played = on_played
        self._make_bot = make_bot
        # Games known to have no bots, by the version of the names that say so.
        self._games_without_bots: dict[str, NamesVersion] = {}
        self._failed_revisions: dict[str, int] = {}  # by line, the revision at which a bot failed
        self.background = Background("players", open_service, self._play_or_log)

    def wake(self, game: str, *, changed: bool = False, names_version: NamesVersion | None = None) -> None:
        """Says that a bot may be to move in a game. Cheap: does no work in this thread.

        If the game has `changed`, say which version its names have now, if you know: only names seat a bot.
        """
        if changed and (names_version is None or self._games_without_bots.get(game) != names_version):
            self._games_without_bots.pop(game, None)
        if game not in self._games_without_bots:
            self.background.enqueue(game)

    def close(self) -> None:
        """Plays nothing more. Does not wait for a bot that is thinking: its command is not played."""
        self.background.close()

    def _play_or_log(self, service: GameService, game: str) -> bool:
        try:
            return self._play_turn(service, game)
        except ConflictError:
            return True  # another player was faster: look again
        except (GameError, EventStoreError) as error:
            log.warning("a program does not play: %s", error.what if isinstance(error, GameError) else error)
        except Exception as error:
            log.error("a bug in a program", exc_info=error)
        return False

    def _play_turn(self, service: GameService, game: str) -> bool:
        """Plays one command, if a bot is to move in a game; returns whether there may be more to play."""
        if not service.has_game(game):
            return False
        names_version, line_names = names_version_of(service, game), service.line_names(game)
        names = service.names(game)
        open_lines = [name for name in line_names if not names.is_ended(name)]
        bot_places = [place for name in open_lines if service.bots(place := f"{game}/{name}")]
        if not bot_places:
            self._games_without_bots[game] = names_version
        return any(self._play_on_line(service, game, place) for place in bot_places)

    def _play_on_line(self, service: GameService, game: str, place: str) -> bool:
        """Plays one command, if a bot is to move on a line; returns whether it did."""
        position, revision, bots = service.head(place), service.revision(place), service.bots(place)
        seat = next((seat_to_move for seat_to_move in position.to_move if seat_to_move in bots), "")
        if not seat or self._failed_revisions.get(place) == revision:
            return False
        configured_bot, head_digest = parse_bot(bots[seat]), position.commit.digest
        seat_position = service.position(f"{place}@{head_digest}", Viewer(seat))
        try:
            # The same chance in every process: of two that play at once, one then repeats the other's command.
            random_seed = f" {position.commit.number}"
            choice = think(
                self._make_bot(configured_bot),
                View(seat_position.game, seat_position.state, seat),
                configured_bot.nodes,
                random_seed,
            )
            if self.background.is_closing:
                return False
            service.play_or_raise(
                place,
                choice.command,
                by=log_author(configured_bot, position.game),
                seat=seat,
                expected=head_digest,
                command_id=f"bot/{revision}",
                viewer=Viewer(seat),
            )
        except GameError:
            self._failed_revisions[place] = revision  # no new try until the line changes
            raise
        self._on_played(game)
        return True
