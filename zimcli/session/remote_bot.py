"""A bot at a seat of a game on a server: it follows the feed, and plays when its turn comes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from random import Random
from typing import TYPE_CHECKING

from zimcore.documents.feed_messages import FeedEvent
from zimcore.game import GameError
from zimcore.service import ConflictError, StoreError, Viewer

if TYPE_CHECKING:
    from zimcore.bots.registry import ConfiguredBot
    from zimcore.commits import Position
    from zimcore.remote.client_files import Credential
    from zimcore.remote.service import RemoteService

FIRST_RETRY_SECONDS, MAX_RETRY_SECONDS = 0.5, 60.0
"""Seconds before the bot reconnects: the first delay, doubled up to the second. Each is shortened at random, so that
many bots do not all reconnect at once.
"""


def play_to_end(
    service: RemoteService,
    credential: Credential,
    bot: ConfiguredBot,
    show_note: Callable[[str], None],
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[Position]:
    """Plays a seat until its game is over, and yields the position after each command.

    It reconnects when the connection breaks. Raises `GameError` if the bot fails, or if the server does not let it
    play.
    """
    delay, rng = FIRST_RETRY_SECONDS, Random()
    while True:
        try:
            for _ in feed_messages(service, credential):
                if delay > FIRST_RETRY_SECONDS:
                    show_note(f"{service.connection.server} is there again")
                delay = FIRST_RETRY_SECONDS
                yield from play_turn(service, credential, bot)
                if not head_position(service, credential).to_move:
                    return
        except StoreError as error:  # the server can't be reached, or is busy
            show_note(f"{error}; it is tried again")
        sleep(delay * rng.uniform(0.5, 1))
        delay = min(2 * delay, MAX_RETRY_SECONDS)


def play_turn(service: RemoteService, credential: Credential, bot: ConfiguredBot) -> Iterator[Position]:
    """Plays as long as it is the seat's turn."""
    from zimcore.bots.bot import View
    from zimcore.bots.bot_match import think

    while credential.seat in (position := head_position(service, credential)).to_move:
        # The seed depends on the position alone: after a broken connection the bot chooses the same move.
        seed = f" {position.commit.number}"
        choice = think(bot.bot, View(position.game, position.state, credential.seat), bot.nodes, seed)
        with suppress(ConflictError):  # the command arrived but its response was lost, or another bot undid moves
            # `expected` is the head that the bot saw, so a command whose response was lost is not played twice.
            yield service.play_or_raise(
                position.place,
                choice.command,
                by=credential.by,
                seat=credential.seat,
                expected=position.commit.digest,
                viewer=Viewer(credential.seat),
            )


def head_position(service: RemoteService, credential: Credential) -> Position:
    """The head of the game on the server now. Raises `StoreError` if the server can't be reached."""
    service.remote_lines.refresh(credential.game, now=True)
    if service.offline_reason:
        raise StoreError(service.offline_reason)
    return service.head(credential.game, Viewer(credential.seat))


def feed_messages(service: RemoteService, credential: Credential) -> Iterator[FeedEvent]:
    """Yields the messages of the game's feed from now on, without its heartbeats, until the feed ends."""
    from zimcore.documents.endpoints import FEED

    line = service.remote_lines.known_names(credential.game).first_line
    for message in service.connection.listen(FEED.address(game=credential.game, line=line), credential.token):
        if message.event == "end":
            return
        if message.event != "beat":
            yield message


def require_seat(credential: Credential) -> None:
    """Raises `GameError` if the token is not for a seat."""
    if not credential.seat:
        raise GameError("this link is not for a seat", f"it is for a {credential.role}", ["invite PLACE SEAT --bot"])
