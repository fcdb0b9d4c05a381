"""Bots that have seats on a server: a thread lets them play, and each thinks in a process of its own.

Thinking takes a core for a second: in another process of low priority it delays nobody's request, and as one thread
asks, one of them thinks at a time. A game is looked at when somebody asks for it. Of two server processes that look at
the same game both may think, and one plays: a command is for the head that was seen, under an id that follows from it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import cache

from event_store import ConflictError, EventStoreError
from zimcore.bots.bot import Bot, View
from zimcore.bots.bot_match import think
from zimcore.bots.registry import ConfiguredBot, check_plays, levels, log_name, parse_bot
from zimcore.bots.subprocess_bot import SubprocessBot
from zimcore.game import Game, GameError, OptionError, Seat
from zimcore.server.background import Background
from zimcore.server.workers import Open
from zimcore.service import GameService, Viewer

log = logging.getLogger("zim.server")

NICE = 10
"""By how much programs give way to those who serve."""
SECONDS = 30.0
"""Seconds that a bot may think about a command."""
MAX_NODES = 20_000
"""The most positions a bot may search for a command, and the default of `deep` there."""


def check_bots(bots: Mapping[Seat, str], game: Game) -> dict[Seat, str]:
    """The programs that a host asks for: those that are installed here, within bounds. Raises `GameError`."""
    for seat, text in bots.items():
        found = parse_bot(text)
        check_plays(found, game)
        if found.level not in levels():
            raise OptionError(f"{seat}: {text}", "only programs that are installed here can play here", [*levels()])
        if found.nodes > MAX_NODES:
            raise OptionError(f"{seat}: {text}", f"{MAX_NODES:,} positions are the limit", [found.level])
    return {seat: str(limit_nodes(parse_bot(text))) for seat, text in bots.items()}


def limit_nodes(found: ConfiguredBot) -> ConfiguredBot:
    """The same, within bounds: by itself `deep` looks at more."""
    return ConfiguredBot(found.level, MAX_NODES) if found.level == "deep" and not found.nodes else found


def in_subprocess(found: ConfiguredBot) -> Bot:
    """A program in a process of its own, which gives way to others: one for each level, whatever the budget."""
    return _of_level(found.level)


@cache
def _of_level(level: str) -> Bot:
    return SubprocessBot(levels()[level], SECONDS, NICE)


class BotPlayers:
    """The thread that lets programs play; it calls `played` with each game in which one has."""

    def __init__(
        self, open_: Open, played: Callable[[str], None], bot: Callable[[ConfiguredBot], Bot] = in_subprocess
    ) -> None:
        self._played = played
        self._bot = bot
        self._without: set[str] = set()  # games that have no programs, as far as is known
        self._failed: dict[str, int] = {}  # by line, the revision at which one has failed
        self.background = Background("players", open_, self._look)

    def hint(self, game: str, *, changed: bool = False) -> None:
        """Says that a program may be to move in a game. Costs next to nothing."""
        if changed:
            self._without.discard(game)
        if game not in self._without:
            self.background.hint(game)

    def close(self) -> None:
        """Plays nothing more. What thinks still is not waited for: nothing of it is stored."""
        self.background.close()

    def _look(self, service: GameService, game: str) -> bool:
        try:
            return self._turn(service, game)
        except ConflictError:
            return True  # somebody else has played: look again
        except (GameError, EventStoreError) as error:
            log.warning("a program does not play: %s", error.what if isinstance(error, GameError) else error)
        except Exception as error:
            log.error("a bug in a program", exc_info=error)
        return False

    def _turn(self, service: GameService, game: str) -> bool:
        """One command, if a program is to move in a game; whether there may be more."""
        names = service.line_names(game) if service.has_game(game) else ()
        played = [place for name in names if service.bots(place := f"{game}/{name}")]
        if not played:
            self._without.add(game)
        return any(self._turn_on(service, game, place) for place in played)

    def _turn_on(self, service: GameService, game: str, place: str) -> bool:
        """The same on a line."""
        here, revision, bots = service.head(place), service.revision(place), service.bots(place)
        seat = next((each for each in here.to_move if each in bots), "")
        if not seat or self._failed.get(place) == revision:
            return False
        found, digest = parse_bot(bots[seat]), here.commit.digest
        shown = service.position(f"{place}@{digest}", Viewer(seat))
        try:
            # The same on every process, so that of two who play at once one repeats what the other has done.
            chance = f" {here.commit.number}"
            choice = think(self._bot(found), View(shown.game, shown.state, seat), found.nodes, chance)
            if self.background.closing:
                return False
            service.play_or_raise(
                place,
                choice.command,
                by=log_name(found),
                seat=seat,
                expected=digest,
                command_id=f"bot/{revision}",
                viewer=Viewer(seat),
            )
        except GameError:
            self._failed[place] = revision  # until somebody has moved
            raise
        self._played(game)
        return True
