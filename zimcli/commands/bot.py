"""Let a bot play the current turn, or take over a seat.

It plays a bid or a whole turn, and says why. LEVEL is random, peer (a simple rule), quick, strong or deep;
strong:nodes=2000 looks at about 2,000 positions per command, and strong:elo=1300 is weaker: it plays some commands at
random. Without LEVEL the bot of the seat plays, or else strong. A bot sees only what its seat may see. The same
position and --seed give the same play on any machine. The log names the bot and its level as the author.

With --for the bot plays that seat of the line from now on, whenever its turn comes. Name `people` instead of a level to
give the seat back.

With --to-end the bot plays for every seat until the game is over: how would this have ended? `whatif` does that many
times. With --until it plays for every seat until an expression is true (see `help expressions`), or the game is over.
Where the game is over already, it plays nothing and says so.

With --id you can retry safely, as in `do`: the same ID gives the moves that were played, without thinking again.

`zim bot serve LINK strong` plays a seat of a game on a server until the game is over, and reconnects when the
connection breaks. To go on with a seat that you joined before, type the game's name instead of the link.

Example::

    zim bot kilwa-7 strong
    zim bot kilwa-7 quick --for zulu
    zim bot kilwa-7/what-if quick --to-end
    zim bot kilwa-7/what-if quick --until "round == 4"
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

import click

from zimcli.session.allowed_programs import allow_in_game, forget_unseated, named_bot
from zimcli.session.bot_moves import bot_to_move, play_bot_seats, play_turn, viewer_for_bot
from zimcli.session.command import PlaceCommand, argument, id_option, place_command
from zimcli.session.session import Session, seat_of
from zimcli.shell.exit_codes import FailedError
from zimcore.analysis.seated_programs import ProgramMove, position_to_play
from zimcore.bots.registry import ConfiguredBot, check_can_play, load_level
from zimcore.commits import Position
from zimcore.documents.play import BotAnswer
from zimcore.documents.positions import PositionAnswer, commit_documents, position_document
from zimcore.game import GameError
from zimcore.history.expression import parse

DEFAULT_LEVEL, PEOPLE_LEVEL = "strong", "people"
"""The level that a bot has if none is named, and the word in its place that gives a seat back to people."""


SERVE_WORD = "serve"
"""The word that is typed instead of a place to play a seat on a server."""


class BotCommand(PlaceCommand):
    """A command about a place, unless its first word is `serve`."""

    def with_place(self, session: Session, args: list[str]) -> list[str]:
        """The arguments, with the line added to the place in front."""
        indexes = self.argument_indexes(args)
        return args if len(indexes) > 1 and args[indexes[0]] == SERVE_WORD else super().with_place(session, args)

    def line_place(self, session: Session, place: str) -> str:
        """The place with its line."""
        return place if place == SERVE_WORD else super().line_place(session, place)


@place_command(__doc__, BotCommand)
@argument("level", default="")
@argument("served", default="", required=False, metavar="")
@click.option("--seed", default="", metavar="TEXT", help="Changes the play of bots that use chance.")
@click.option("--to-end", "plays_to_end", is_flag=True, help="Play for every seat until the game is over.")
@click.option("--until", "goal_text", default="", metavar="EXPRESSION", help="Play for every seat until this is true.")
@click.option("--for", "seat", default="", metavar="SEAT", help="Let the bot play this seat from now on.")
@id_option
def command(
    session: Session,
    place: str,
    level: str,
    served: str,
    seed: str,
    plays_to_end: bool,
    goal_text: str,
    seat: str,
    command_id: str,
) -> BotAnswer | PositionAnswer:
    """Plays a bid, a turn, or a game to its end. Commands that were played stay, even if a later one fails."""
    if place == SERVE_WORD:
        options = {"--for": seat, "--seed": seed, "--to-end": plays_to_end, "--until": goal_text, "--id": command_id}
        for option, option_value in options.items():
            if option_value:
                raise click.UsageError(f"`bot serve` plays the seat of the link to the end: leave {option} out.")
        return serve_seat(session, level or "LINK", served or DEFAULT_LEVEL)
    if (plays_to_end or goal_text) and seat:
        raise click.UsageError(f"{'--to-end' if plays_to_end else '--until'} plays for every seat: leave --for out.")
    if served:
        raise extra_word_error(session, place, level, served)
    if seat and level == PEOPLE_LEVEL:
        return session.position_answer(give_seat_to_bot(session, place, seat, "", command_id))
    head = session.head(place) if seat else position_to_play(session.service, place, command_id, session.viewer)
    bot = named_bot(session, level, place) if level else bot_to_move(session, head) or ConfiguredBot(DEFAULT_LEVEL)
    bot_moves: list[ProgramMove] = []
    check_can_play(bot, head.game)
    is_reached = goal(session, place, goal_text) if goal_text else never
    if not seat and (not head.to_move or is_reached(head)):
        return bot_answer(bot, bot_moves, head)
    if seat:
        position = give_seat_to_bot(session, place, seat, str(bot), command_id)
        allow_in_game(session, place, [bot])
        if seat not in position.to_move:
            return session.position_answer(position)
    try:
        to_end = plays_to_end or bool(goal_text)
        requested_moves = () if seat else play_turn(session, place, bot, seed, command_id, to_end=to_end)
        for bot_move in chain(
            requested_moves, play_bot_seats(session, place)
        ):  # bots that have seats of their own go on
            if not bot_moves and level:
                allow_in_game(session, place, [bot])
            bot_moves += [bot_move]
            if is_reached(bot_move.position):
                break
    except BaseException as error:
        if bot_moves:
            raise FailedError(bot_answer(bot, bot_moves, bot_moves[-1].position), error) from error
        raise
    return bot_answer(bot, bot_moves, bot_moves[-1].position if bot_moves else head)


def goal(session: Session, place: str, text: str) -> Callable[[Position], bool]:
    """Whether an expression is true in a position. Raises `ExpressionError`, also for one that has no value here."""
    expression, read_values = parse(text), session.values_reader(text, place)
    return lambda position: expression.holds(read_values(position.game, position.state))


def never(_: Position) -> bool:
    """No position is the goal."""
    return False


def extra_word_error(session: Session, place: str, level: str, extra_word: str) -> GameError:
    """The error for a word after the level, which may be meant as a seat."""
    position = session.head(place)
    for seat, level_word in ((seat_of(position, extra_word), level), (seat_of(position, level), extra_word)):
        if seat in position.seats:
            return GameError(f"bot {level} {extra_word}", "name a seat with --for", [f"bot {level_word} --for {seat}"])
    return GameError(f"bot {level} {extra_word}", "a bot has only one level", [f"bot {level}", "help bot"])


def give_seat_to_bot(session: Session, place: str, seat: str, bot: str, command_id: str) -> Position:
    """Gives a seat to a bot, or with "" back to people."""
    service = session.maintenance_service("bot --for", "invite PLACE SEAT --bot")
    viewer = viewer_for_bot(session, place, seat)
    service.seat_bot(place, seat, bot, by=session.by, viewer=viewer, command_id=command_id)
    forget_unseated(session, place, service)
    return session.head(place)


def serve_seat(session: Session, link: str, level: str) -> PositionAnswer:
    """Plays a seat on a server until its game is over."""
    bot = named_bot(session, level)
    load_level(bot.level)  # what can't be loaded takes no seat
    from zimcli.session.locations import open_remote, store_url
    from zimcli.session.remote_bot import play_to_end
    from zimcli.session.remote_bot import require_seat as check_seat
    from zimcore.remote import is_remote, remote_library
    from zimcore.remote.client_files import Folders

    remote_library()
    from zimcore.remote.connection import Connection
    from zimcore.remote.invitations import join, parse_invitation, saved_credentials

    store = store_url(session.store)
    if "zim_" in link or not is_remote(store):
        invitation = parse_invitation(link, store)
        credential = join(Connection(invitation.server), Folders.of_user(), invitation, session.by)
    else:
        credentials = [saved for saved in saved_credentials(Folders.of_user()) if saved.game == link and saved.seat]
        if not credentials:
            raise GameError(f"you have no seat in {link}", "you need a link to join it", ["zim bot serve LINK strong"])
        credential = credentials[-1]
    check_seat(credential)
    service = open_remote(credential.server, (credential.seat, credential.by), session.show_note)
    check_can_play(bot, service.game(credential.game))
    session.show_note(f"{bot} plays {credential.seat} in {credential.game} on {credential.server} until Ctrl-C")
    for position in play_to_end(service, credential, bot, session.show_note):
        session.show_note(f"{position.commit.number} {credential.seat}: {position.commit.text}")
    return PositionAnswer(position_document(service.head(credential.game)))


def bot_answer(bot: ConfiguredBot, bot_moves: list[ProgramMove], last_position: Position) -> BotAnswer:
    """The commands that the bot played, and why."""
    return BotAnswer(
        played=commit_documents(each.position.commit for each in bot_moves),
        position=position_document(last_position),
        turn=tuple(last_position.game.display.turn(last_position.state)),
        bot=str(bot),
        why=tuple(each.why for each in bot_moves),
    )
