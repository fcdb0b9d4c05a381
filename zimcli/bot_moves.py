"""Bots at a line of play: each plays as the seat that it has, and what it plays is in the log as anybody's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from zimcli.session import Session
from zimcore.game import GameError
from zimcore.service.visibility import Viewer

if TYPE_CHECKING:
    from zimcore.bots.registry import ConfiguredBot
    from zimcore.commits import Position
    from zimcore.game import Seat


class BotMove(NamedTuple):
    """The position after what a bot has played, and why it has played that."""

    position: Position
    why: str


def play_turn(session: Session, place: str, player: ConfiguredBot, seed: str = "") -> Iterator[BotMove]:
    """Lets a bot play for the seat to move: one bid, or the commands of a whole turn.

    It ends where an analysis ends a turn, even if the same seat is the first of the next round. What it plays follows
    from the position and the seed. It sees what its seat may see. Raises `GameError`.
    """
    from zimcore.analysis.turns import is_same_turn

    begin = before = session.head(place)
    seat = begin.mover
    if not seat:
        raise GameError(str(player), "no seat is to move: the game is over", ["show", "undo", "new"])
    while is_same_turn(begin.game, begin.state, before.state):
        found = play_bot(session, place, player, seat, before, session.viewer, seed)
        yield found
        before = found.position


def play_to_end(session: Session, place: str, player: ConfiguredBot, seed: str = "") -> Iterator[BotMove]:
    """Lets a bot play for every seat from here on, until the game is over. Raises `GameError`."""
    yield from play_turn(session, place, player, seed)
    while session.head(place).to_move:
        yield from play_turn(session, place, player, seed)


def follow(session: Session, place: str) -> Iterator[BotMove]:
    """Lets the bots that have seats in a game play, as long as it is the turn of one of them."""
    bots = session.local_service.bots(place) if session.local_service else {}  # a server lets them play by itself
    if not bots:
        return
    from zimcore.bots.registry import parse_bot

    here = session.head(place)
    while seat := next((each for each in here.to_move if each in bots), ""):
        found = play_bot(session, place, parse_bot(bots[seat]), seat, here, Viewer(seat))
        yield found
        here = found.position


def play_bot(
    session: Session, place: str, player: ConfiguredBot, seat: Seat, before: Position, viewer: Viewer, seed: str = ""
) -> BotMove:
    """One command of a bot on the head that was seen, played with the rights of a viewer."""
    from zimcore.bots.bot import View
    from zimcore.bots.bot_match import think
    from zimcore.reasons import reason

    digest = before.commit.digest
    seen = session.service.position(f"{place}@{digest}", Viewer(seat))
    view, chance = View(seen.game, seen.state, seat), f"{seed} {before.commit.number}"
    with session.out.progress(f"{player} is thinking for {seat}") as report:
        report(0, 0)
        choice = think(player.bot, view, player.nodes, chance, report)
    after = session.service.play_or_raise(
        place, choice.command, by=log_name(player, seed), seat=seat, expected=digest, viewer=viewer
    )
    if viewer != session.viewer:  # what its seat sees is not for everybody
        after = session.service.position(f"{place}@{after.commit.digest}", session.viewer)
    session.saw(after)
    brings = reason(seen.game, seen.state, seat, [choice.command])
    return BotMove(after, ": ".join(filter(None, (choice.why, brings))))


def log_name(player: ConfiguredBot, seed: str = "") -> str:
    """Who typed it, in the log."""
    from zimcore.bots import registry

    return registry.log_name(player, seed)
