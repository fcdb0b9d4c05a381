"""A program at a seat of a game that is served elsewhere: it follows the feed, and plays when it is its turn."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from random import Random
from typing import TYPE_CHECKING

from zimcore.documents.seats import FeedMessage
from zimcore.game import GameError
from zimcore.service import ConflictError, StoreError, Viewer

if TYPE_CHECKING:
    from zimcore.bots.registry import ConfiguredBot
    from zimcore.commits import Position
    from zimcore.remote.client_files import Credential
    from zimcore.remote.service import RemoteService

FIRST_RETRY, MAX_RETRY = 0.5, 60.0
"""Seconds until it comes again after the connection broke, doubled each time; a part of them is chance, so that many
programs do not all come back at once."""


def play_to_end(
    service: RemoteService,
    mine: Credential,
    player: ConfiguredBot,
    tell: Callable[[str], None],
    pause: Callable[[float], None] = time.sleep,
) -> Iterator[Position]:
    """Plays a seat until its game is over: gives the position after each command.

    It goes on after drops. Raises `GameError` for a program that fails, and where the server does not let it play.
    """
    delay, jitter = FIRST_RETRY, Random()
    while True:
        try:
            for _ in news(service, mine):
                if delay > FIRST_RETRY:
                    tell(f"{service.connection.server} is there again")
                delay = FIRST_RETRY
                yield from play_turn(service, mine, player)
                if not at_head(service, mine).to_move:
                    return
        except StoreError as error:  # it can't be reached, or is busy
            tell(f"{error}; it is tried again")
        pause(delay * jitter.uniform(0.5, 1))
        delay = min(2 * delay, MAX_RETRY)


def play_turn(service: RemoteService, mine: Credential, player: ConfiguredBot) -> Iterator[Position]:
    """Plays as long as it is its turn."""
    from zimcore.bots.bot import View
    from zimcore.bots.bot_match import think

    while mine.seat in (here := at_head(service, mine)).to_move:
        # Chosen by the position alone: asked again after a drop it plays the same.
        chance = f" {here.commit.number}"
        choice = think(player.bot, View(here.game, here.state, mine.seat), player.nodes, chance)
        with suppress(ConflictError):  # what was sent has come though nobody answered, or somebody went back
            # The head that was seen goes along: a command whose answer was lost is not played twice.
            yield service.play_or_raise(
                here.place,
                choice.command,
                by=mine.by,
                seat=mine.seat,
                expected=here.commit.digest,
                viewer=Viewer(mine.seat),
            )


def at_head(service: RemoteService, mine: Credential) -> Position:
    """Where the game stands now. Raises `StoreError` where nobody can say."""
    service.remote.look(mine.game, now=True)
    if service.offline_reason:
        raise StoreError(service.offline_reason)
    return service.head(mine.game, Viewer(mine.seat))


def news(service: RemoteService, mine: Credential) -> Iterator[FeedMessage]:
    """What the feed of the game says, from where it stands on, until it ends."""
    from zimcore.documents.endpoints import FEED

    line = service.remote.known_names(mine.game).first
    for message in service.connection.listen(FEED.address(game=mine.game, line=line), mine.token):
        if message.event == "end":
            return
        if message.event != "beat":
            yield message


def check_plays(mine: Credential) -> None:
    """Raises `GameError` for a token that plays no seat."""
    if not mine.seat:
        raise GameError("this link is not for a seat", f"it is for a {mine.role}", ["invite PLACE SEAT --bot"])
