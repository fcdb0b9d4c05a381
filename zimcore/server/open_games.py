"""Games against programs for people without an account, from a position of a public game. Off by default.

They are bounded: by the games that an address begins in a day, by the games that are open at once, and by their life,
after which their name is free and their player's token has ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from hashlib import sha256

from zimcore.bots.registry import levels, parse_bot
from zimcore.commits import Position
from zimcore.documents import endpoints
from zimcore.documents.seats import NewOpenGame, TokenAnswer
from zimcore.game import Game, OptionError
from zimcore.server import tokens
from zimcore.server.access import authenticate, place_of, service_seen_by
from zimcore.server.bot_players import check_bots
from zimcore.server.member_documents import info
from zimcore.server.problem_responses import ProblemError, limit_problem
from zimcore.server.routing import Call, HandlerAnswer, handles
from zimcore.service import GameService
from zimcore.service.memberships import GameHosted, MemberEvent, Members, SeatOffered, SeatTaken
from zimcore.service.visibility import SPECTATOR

MAX_A_DAY = 10
"""The most games that an address begins in a day; a server process counts for itself."""
MAX_OPEN_GAMES = 200
"""The most open games of a store at once."""
LIFE = timedelta(days=1)
TOO_SLOW = "deep"
"""Not offered: one program thinks at a time on a server, and this one takes ten seconds a turn."""
HOST = "(open play)"
"""The host of all open games: not a name that an account can have."""
AUTHOR = "open play"


@handles(endpoints.OPEN_GAME)
def begin(call: Call, body: NewOpenGame) -> HandlerAnswer[TokenAnswer]:
    """Begins a game against programs at a position of a public game. No token is needed, where the server allows it."""
    if call.seconds_to_wait is None:
        why, hints = "its operator has not allowed it", ["POST /v1/games with an account"]
        raise ProblemError(403, "this server begins no games without an account", why, hints)
    service, name = call.service, f"open-{sha256(call.key.encode()).hexdigest()[:16]}"
    if not service.has_game(name):  # else it is a retry
        copy_position(call, body, name)
    head = service.head(name)
    if body.seat not in head.seats:
        raise ProblemError(404, f"there is no seat {body.seat!r}", "", head.seats)
    for seat, bot in programs(body, head.game, head.seats).items():
        service.seat_bot(name, seat, bot, by=AUTHOR, command_id=f"{call.command_id}/{seat}")
    link_token, seat_token = (
        tokens.derive_token(kind, service.stream_of(name), call.key, body.seat) for kind in (tokens.LINK, "seat")
    )
    _, members = service.enrol(
        name,
        lambda _: seat_events(body, link_token, seat_token, service.clock() + LIFE),
        *("open", tokens.digest(seat_token), body.by),
        by=AUTHOR,
        command_id=call.command_id,
    )
    return HandlerAnswer(TokenAnswer(seat_token, name, info(members.grants[tokens.id_of(seat_token)])), changed=name)


def copy_position(call: Call, body: NewOpenGame, name: str) -> None:
    """Stores the moves up to a position as a game of its own. Raises `ProblemError`, `GameError`."""
    service = call.service
    visitor = authenticate(service, body.game, "")
    place, visible_service = place_of(visitor, body.line, body.at), service_seen_by(service, visitor)
    position = visible_service.position(place, SPECTATOR)
    check_position(position, body)
    make_room(service)
    if wait := call.seconds_to_wait and call.seconds_to_wait():
        raise limit_problem(
            f"you have begun {MAX_A_DAY} open games in a day", hints=["wait, then try again"], seconds=wait
        )
    service.adopt(visible_service.certificate(position_place(position), SPECTATOR), name, by=AUTHOR)


def position_place(position: Position) -> str:
    """The place of a position, by its digest."""
    return f"{position.place}@{position.commit.digest}"


def check_position(position: Position, body: NewOpenGame) -> None:
    """Raises `ProblemError` for a position from which nothing can be played, or a seat that it does not have."""
    if position.outcome.over:
        raise ProblemError(409, "the game is over there", "", ["name a position before its end"], kind="not-possible")
    if body.seat not in position.seats:
        raise ProblemError(404, f"there is no seat {body.seat!r}", "", position.seats)
    programs(body, position.game, position.seats)


def programs(body: NewOpenGame, game: Game, seats: Sequence[str]) -> dict[str, str]:
    """The program of each seat but the player's own. Raises `GameError`."""
    if parse_bot(body.bot).level not in (levels_allowed := open_levels()):
        raise OptionError(body.bot, "with open play, these programs play", levels_allowed)
    return check_bots({seat: body.bot for seat in seats if seat != body.seat}, game)


def open_levels() -> list[str]:
    """The levels of the programs that play open games."""
    return [level for level in levels() if level != TOO_SLOW]


def seat_events(body: NewOpenGame, link_token: str, seat_token: str, expiry: datetime) -> Sequence[MemberEvent]:
    """The events by which the player with a token has a seat, offered by a link, until their time is over."""
    offer = SeatOffered(body.seat, tokens.id_of(link_token), tokens.digest(link_token), expiry)
    seat_event = SeatTaken(body.seat, offer.id, body.by, tokens.id_of(seat_token), tokens.digest(seat_token), expiry)
    return [GameHosted(HOST), offer, seat_event]


def make_room(service: GameService) -> None:
    """Deletes the open games whose life is over. Raises `ProblemError` if there are still as many as there may be."""
    now, end_times = service.clock(), list[datetime]()
    for name in service.games_hosted_by(HOST):
        end = end_of(service.members(name))
        if end and end > now:
            end_times.append(end)
        else:
            service.delete(name, by=AUTHOR)
    if len(end_times) >= MAX_OPEN_GAMES:
        wait = (min(end_times) - now).total_seconds()
        raise limit_problem(
            f"{MAX_OPEN_GAMES} open games are played here now", hints=["wait, then try again"], seconds=wait
        )


def end_of(members: Members) -> datetime | None:
    """When the life of an open game ends; None for one that nobody can play."""
    return max((each.until for each in members.grants.values() if each.until), default=None)
