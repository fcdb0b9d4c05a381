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
from zimcore.server.access import authenticate, line_of, seen_by
from zimcore.server.bot_players import check_bots
from zimcore.server.member_documents import info
from zimcore.server.problem_responses import ProblemError
from zimcore.server.routing import Call, HandlerAnswer, handles
from zimcore.service import GameService
from zimcore.service.memberships import GameHosted, MemberEvent, Members, SeatOffered, SeatTaken
from zimcore.service.visibility import SPECTATOR

A_DAY = 10
"""The most games that an address begins in a day; a server process counts for itself."""
AT_ONCE = 200
"""The most open games of a store at once."""
LIFE = timedelta(days=1)
TOO_SLOW = "deep"
"""Not offered: one program thinks at a time on a server, and this one takes ten seconds a turn."""
HOST = "(open play)"
"""The host of all open games: not a name that an account can have."""
AUTHOR = "open play"


@handles(endpoints.OPEN_GAME)
def begin(call: Call, given: NewOpenGame) -> HandlerAnswer[TokenAnswer]:
    """Begins a game against programs at a position of a public game. No token is needed, where the server allows it."""
    if call.seconds_to_wait is None:
        why, hints = "its operator has not allowed it", ["POST /v1/games with an account"]
        raise ProblemError(403, "this server begins no games without an account", why, hints)
    service, name = call.service, f"open-{sha256(call.key.encode()).hexdigest()[:16]}"
    if not service.has_game(name):  # else it is a retry
        copy_position(call, given, name)
    head = service.head(name)
    if given.seat not in head.seats:
        raise ProblemError(404, f"there is no seat {given.seat!r}", "", head.seats)
    for seat, bot in programs(given, head.game, head.seats).items():
        service.seat_bot(name, seat, bot, by=AUTHOR, command_id=f"{call.command_id}/{seat}")
    link, text = (
        tokens.derive_token(kind, service.stream_of(name), call.key, given.seat) for kind in (tokens.LINK, "seat")
    )
    _, members = service.enrol(
        name,
        lambda _: seat_events(given, link, text, service.clock() + LIFE),
        *("open", tokens.digest(text), given.by),
        by=AUTHOR,
        command_id=call.command_id,
    )
    return HandlerAnswer(TokenAnswer(text, name, info(members.grants[tokens.id_of(text)])), changed=name)


def copy_position(call: Call, given: NewOpenGame, name: str) -> None:
    """Stores the moves up to a position as a game of its own. Raises `ProblemError`, `GameError`."""
    service = call.service
    visitor = authenticate(service, given.game, "")
    place, seen = line_of(visitor, given.line, given.at), seen_by(service, visitor)
    position = seen.position(place, SPECTATOR)
    check_position(position, given)
    check_room(service)
    if wait := call.seconds_to_wait and call.seconds_to_wait():
        raise too_many(f"you have begun {A_DAY} open games in a day", wait)
    service.adopt(seen.certificate(position_place(position), SPECTATOR), name, by=AUTHOR)


def position_place(position: Position) -> str:
    """The place of a position, by its digest."""
    return f"{position.place}@{position.commit.digest}"


def check_position(position: Position, given: NewOpenGame) -> None:
    """Raises `ProblemError` for a position from which nothing can be played, or a seat that it does not have."""
    if position.outcome.over:
        raise ProblemError(409, "the game is over there", "", ["name a position before its end"], kind="not-possible")
    if given.seat not in position.seats:
        raise ProblemError(404, f"there is no seat {given.seat!r}", "", position.seats)
    programs(given, position.game, position.seats)


def programs(given: NewOpenGame, game: Game, seats: Sequence[str]) -> dict[str, str]:
    """The program of each seat but the player's own. Raises `GameError`."""
    if parse_bot(given.bot).level not in (allowed := open_levels()):
        raise OptionError(given.bot, "with open play, these programs play", allowed)
    return check_bots({seat: given.bot for seat in seats if seat != given.seat}, game)


def open_levels() -> list[str]:
    """The levels of the programs that play open games."""
    return [level for level in levels() if level != TOO_SLOW]


def seat_events(given: NewOpenGame, link: str, text: str, until: datetime) -> Sequence[MemberEvent]:
    """The events by which the player with a token has a seat, offered by a link, until their time is over."""
    offer = SeatOffered(given.seat, tokens.id_of(link), tokens.digest(link), until)
    taken = SeatTaken(given.seat, offer.id, given.by, tokens.id_of(text), tokens.digest(text), until)
    return [GameHosted(HOST), offer, taken]


def check_room(service: GameService) -> None:
    """Deletes the open games whose life is over. Raises `ProblemError` if there are still as many as there may be."""
    now, ends = service.clock(), list[datetime]()
    for name in service.games_hosted_by(HOST):
        end = end_of(service.members(name))
        if end and end > now:
            ends.append(end)
        else:
            service.delete(name, by=AUTHOR)
    if len(ends) >= AT_ONCE:
        raise too_many(f"{AT_ONCE} open games are played here now", (min(ends) - now).total_seconds())


def end_of(members: Members) -> datetime | None:
    """When the life of an open game ends; None for one that nobody can play."""
    return max((each.until for each in members.grants.values() if each.until), default=None)


def too_many(what: str, seconds: float) -> ProblemError:
    """The problem 429, with the seconds to wait."""
    return ProblemError(
        429, what, "that is the limit", ["wait, then try again"], headers={"Retry-After": f"{seconds:.0f}"}
    )
