"""Bots that play on a line: each plays its own seat, and the log names the bot as the author of its moves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from zimcli.allowed_programs import recorded_bot
from zimcli.session import Session
from zimcore.game import GameError
from zimcore.service.visibility import Viewer

if TYPE_CHECKING:
    from zimcore.bots.registry import ConfiguredBot
    from zimcore.commits import Position
    from zimcore.game import Game, Seat


class BotMove(NamedTuple):
    """The position after a bot's command, and the bot's reason for it."""

    position: Position
    why: str


def play_turn(session: Session, place: str, bot: ConfiguredBot, seed: str = "") -> Iterator[BotMove]:
    """Lets a bot play for the seat that is to move: one bid, or the commands of a whole turn.

    The turn ends with the phase or the round, even if the same seat moves first in the next one. The moves depend only
    on the position and the seed; the bot sees what its seat may see. Raises `GameError` if the game is over or a move
    fails.
    """
    from zimcore.analysis.turns import is_same_turn

    first_position = position = session.head(place)
    seat = first_position.mover
    if not seat:
        raise GameError("the game is over", first_position.status, ["story", "undo", "new"])
    viewer = viewer_for_bot(session, place, seat)
    while is_same_turn(first_position.game, first_position.state, position.state):
        move = play_bot(session, place, bot, seat, position, viewer, seed)
        yield move
        position = move.position


def viewer_for_bot(session: Session, place: str, seat: Seat) -> Viewer:
    """With whose rights a bot plays a seat: the user's own, or for players those of a seat that a program has already.

    Otherwise a program that fails would stop the game of a user who has another seat.
    """
    program_seats = session.local_service.bots(place) if session.local_service else {}
    return Viewer(seat) if seat in program_seats and session.viewer.plays else session.viewer


def play_to_end(session: Session, place: str, bot: ConfiguredBot, seed: str = "") -> Iterator[BotMove]:
    """Lets a bot play every seat until the game is over. Raises `GameError`."""
    yield from play_turn(session, place, bot, seed)
    while session.head(place).to_move:
        yield from play_turn(session, place, bot, seed)


def play_bot_seats(session: Session, place: str) -> Iterator[BotMove]:
    """Lets the bots with seats in a game play until it is no bot's turn. A server runs its bots itself.

    At the turn of a bot that the user has not allowed, a note says what to type.
    """
    bots = session.local_service.bots(place) if session.local_service else {}
    if not bots:
        return
    position = session.head(place)
    while seat := next((mover for mover in position.to_move if mover in bots), ""):
        try:
            bot = recorded_bot(session, place, seat, bots[seat])
        except GameError as error:
            return note_waiting_seat(session, place, error)
        move = play_bot(session, place, bot, seat, position, Viewer(seat))
        yield move
        position = move.position


def bot_to_move(session: Session, place: str) -> ConfiguredBot | None:
    """The bot that is to move; None if people are. Raises `GameError` if the user has not allowed it."""
    bots = session.local_service.bots(place) if session.local_service else {}
    seat = next((mover for mover in session.head(place).to_move if mover in bots), "") if bots else ""
    return recorded_bot(session, place, seat, bots[seat]) if seat else None


def note_waiting_seat(session: Session, place: str, error: GameError) -> None:
    """Says why the program that is to move does not play, and what to type."""
    from zimcli.errors import shell_hint

    hints = error.hints if session.is_careful else [shell_hint(hint, place) for hint in error.hints]
    session.show_note(f"{error}; type: {' | '.join(hints)}")


def play_bot(
    session: Session, place: str, bot: ConfiguredBot, seat: Seat, head: Position, viewer: Viewer, seed: str = ""
) -> BotMove:
    """Plays one command of a bot at `head`, the head of a line, with the rights of `viewer`.

    The write fails with a conflict if the head has moved since.
    """
    from zimcore.bots.bot import View
    from zimcore.bots.bot_match import think
    from zimcore.reasons import reason_for_turn

    digest = head.commit.digest
    visible_position = session.service.position(f"{place}@{digest}", Viewer(seat))
    bot_view, move_seed = View(visible_position.game, visible_position.state, seat), f"{seed} {head.commit.number}"
    with session.output.progress(f"{bot} is thinking for {seat}") as report:
        report(0, 0)
        choice = think(bot.bot, bot_view, bot.nodes, move_seed, report)
    position_after = session.service.play_or_raise(
        place, choice.command, by=log_author(bot, head.game, seed), seat=seat, expected=digest, viewer=viewer
    )
    if viewer != session.viewer:  # the session must not show what only the bot's seat may see
        position_after = session.service.position(f"{place}@{position_after.commit.digest}", session.viewer)
    session.after_move(position_after)
    effect_text = reason_for_turn(visible_position.game, visible_position.state, seat, [choice.command])
    return BotMove(position_after, ": ".join(filter(None, (choice.why, effect_text))))


def log_author(bot: ConfiguredBot, game: Game, seed: str = "") -> str:
    """The author of a bot's commands, as the log names it."""
    from zimcore.bots import registry

    return registry.log_author(bot, game, seed)
