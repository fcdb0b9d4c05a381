"""Let a program play for whose turn it is.

It plays a bid or a whole turn, and says why. LEVEL is random, peer, quick, strong or
deep; strong:nodes=2000 looks at about so many positions for a command. It sees what its seat may see. What it plays
follows from the position, and from --seed where it plays by chance: the same again anywhere. The log names it, with its
level, as who typed it.

`zim bot serve LINK strong` plays a seat of a game on a server, as whoever the link was given to: it goes on until that
is over, whenever it is its turn, and comes back when the connection breaks. The game's name instead of the link goes on
with a seat that was joined before.

With --to-end it plays for every seat until the game is over: how would this have ended? `whatif` does so many times.

With --for a program plays that seat of the line from here on: whenever somebody else has played, it goes on by itself.
LEVEL people gives the seat back.

Example::

    zim bot kilwa-7 strong
    zim bot kilwa-7 quick --for zulu
    zim bot kilwa-7/what-if quick --to-end
"""

from __future__ import annotations

from itertools import chain

import click

from zimcli.bot_moves import BotMove, follow, play_to_end, play_turn
from zimcli.command import PlaceCommand, argument, place_command
from zimcli.exit_codes import FailedError
from zimcli.session import Session, seat_of
from zimcore.bots.registry import ConfiguredBot, check_plays, parse_bot
from zimcore.commits import Position
from zimcore.documents.play import BotAnswer
from zimcore.documents.positions import PositionAnswer, commit_documents, position_document
from zimcore.game import GameError

PEOPLE = "people"
"""What is typed for a seat that people play again."""


SERVE = "serve"
"""What stands in the place of a game, where a program is to play elsewhere."""


class OrServe(PlaceCommand):
    """A command about a place, unless its first word is `serve`."""

    def with_place(self, session: Session, args: list[str]) -> list[str]:
        """The arguments with a whole place in front."""
        words = self.positions(args)
        return args if len(words) > 1 and args[words[0]] == SERVE else super().with_place(session, args)

    def line_place(self, session: Session, place: str) -> str:
        """The place with its line."""
        return place if place == SERVE else super().line_place(session, place)


@place_command(__doc__, OrServe)
@argument("level", default="strong")
@argument("served", default="", required=False, metavar="")
@click.option("--seed", default="", metavar="TEXT", help="Another one plays otherwise, where chance is played by.")
@click.option("--to-end", is_flag=True, help="Play for every seat until the game is over.")
@click.option("--for", "seat", default="", metavar="SEAT", help="From here on, whenever it is its turn.")
def command(
    session: Session, place: str, level: str, served: str, seed: str, to_end: bool, seat: str
) -> BotAnswer | PositionAnswer:
    """Plays a bid, a turn, or a game to its end; what was played stands, whatever comes in between."""
    if to_end and (seat or place == SERVE):
        raise click.UsageError("--to-end plays for every seat: leave --for out.")
    if place == SERVE:
        return serve(session, level, served or "strong")
    if served:
        raise too_many(session, place, level, served)
    if seat and level == PEOPLE:
        return session.position_answer(seat_bot(session, place, seat, ""))
    bot, thoughts = parse_bot(level), list[BotMove]()
    check_plays(bot, session.head(place).game)
    if seat:
        position = seat_bot(session, place, seat, str(bot))
        if seat not in position.to_move:
            return session.position_answer(position)
    try:
        play = play_to_end if to_end else play_turn
        mine = () if seat else play(session, place, bot, seed)
        for each in chain(mine, follow(session, place)):  # programs with seats of their own go on
            thoughts.append(each)
    except BaseException as error:
        if thoughts:
            raise FailedError(answer(bot, thoughts), error) from error
        raise
    return answer(bot, thoughts)


def too_many(session: Session, place: str, level: str, word: str) -> GameError:
    """The error for a word after the level, which may be meant as the seat."""
    position = session.head(place)
    for seat, other in ((seat_of(position, word), level), (seat_of(position, level), word)):
        if seat in position.seats:
            return GameError(f"bot {level} {word}", "a seat is named with --for", [f"bot {other} --for {seat}"])
    return GameError(f"bot {level} {word}", "a program has one level", [f"bot {level}", "help bot"])


def seat_bot(session: Session, place: str, seat: str, bot: str) -> Position:
    """Gives a seat to a program, or with "" back to people."""
    kept = session.keeper("bot --for", "invite PLACE SEAT --bot")
    return kept.seat_bot(place, seat, bot, by=session.by, viewer=session.viewer)


def serve(session: Session, link: str, level: str) -> PositionAnswer:
    """Plays a seat on a server until its game is over."""
    bot = parse_bot(level)
    assert bot.bot, "a program that can't be loaded takes nobody's seat"
    from zimcli.locations import folders, open_remote, remote_library, store_url
    from zimcli.remote_bot import check_plays as check_seat
    from zimcli.remote_bot import play_to_end

    remote_library()
    from zimcore.remote.connection import Connection, is_remote
    from zimcore.remote.invitations import join, kept_tokens, parse_invitation

    store = store_url(session.store)
    if "zim_" in link or not is_remote(store):
        invitation = parse_invitation(link, store)
        mine = join(Connection(invitation.server), folders(), invitation, session.by)
    else:
        found = [each for each in kept_tokens(folders()) if each.game == link and each.seat]
        if not found:
            raise GameError(f"you have no seat in {link}", "a link lets one in", ["zim bot serve LINK strong"])
        mine = found[-1]
    check_seat(mine)
    service = open_remote(mine.server, (mine.seat, mine.by), session.note)
    check_plays(bot, service.game(mine.game))
    session.note(f"{bot} plays {mine.seat} in {mine.game} on {mine.server} until Ctrl-C")
    for each in play_to_end(service, mine, bot, session.note):
        session.note(f"{each.commit.number} {mine.seat}: {each.commit.text}")
    return PositionAnswer(position_document(service.head(mine.game)))


def answer(bot: ConfiguredBot, thoughts: list[BotMove]) -> BotAnswer:
    """What was played, and why."""
    end = thoughts[-1].position
    return BotAnswer(
        played=commit_documents(each.position.commit for each in thoughts),
        position=position_document(end),
        turn=tuple(end.game.display.turn(end.state)),
        bot=str(bot),
        why=tuple(each.why for each in thoughts),
    )
