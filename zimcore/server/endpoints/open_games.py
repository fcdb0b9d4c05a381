"""Games against programs for people without an account, from a position of a public game. Off by default.

They are bounded: by the games that an address begins in a day, by the games that are open at once, and by their life,
after which they are deleted and their player's token has ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from hashlib import sha256

from msgspec.structs import replace

from zimcore.bots.registry import levels, parse_bot
from zimcore.commits import Position
from zimcore.documents import endpoints
from zimcore.documents.seats import NewOpenGame, TokenAnswer
from zimcore.game import Game, OptionError
from zimcore.server.endpoints.bot_players import check_bots
from zimcore.server.endpoints.routing import Call, HandlerAnswer, handles
from zimcore.server.people.access import authenticate, place_of, service_seen_by
from zimcore.server.people.member_documents import token_info
from zimcore.server.wire import tokens
from zimcore.server.wire.problem_responses import ProblemError, limit_error
from zimcore.service import GameService
from zimcore.service.lines.visibility import SPECTATOR
from zimcore.service.records.memberships import GameHosted, MemberEvent, Members, SeatOffered, SeatTaken

MAX_GAMES_PER_DAY = 10
"""The most games that an address begins in a day; a server process counts for itself."""
MAX_OPEN_GAMES = 200
"""The most open games of a store at once."""
GAME_LIFETIME = timedelta(days=1)
SLOW_LEVEL = "deep"
"""Not offered: one program thinks at a time on a server, and this one takes ten seconds a turn."""
OPEN_PLAY_HOST = "(open play)"
"""The host of all open games: not a name that an account can have."""
OPEN_PLAY_AUTHOR = "open play"


@handles(endpoints.OPEN_GAME)
def begin_open_game(call: Call, body: NewOpenGame) -> HandlerAnswer[TokenAnswer]:
    """Begins a game against programs at a position of a public game. No token is needed, where the server allows it."""
    if call.count_open_game is None:
        why, hints = "its operator has not allowed it", ["POST /v1/games with an account"]
        raise ProblemError(403, "this server begins no games without an account", why, hints)
    service, game = call.service, f"open-{sha256(call.key.encode()).hexdigest()[:16]}"
    if not service.has_game(game):  # else it is a retry
        (begin_new_game if body.kind else copy_position)(call, body, game)
    position = service.head(game)
    body = replace(body, seat=body.seat or position.seats[0])
    if body.seat not in position.seats:
        raise ProblemError(404, f"there is no seat {body.seat!r}", "", position.seats)
    bots = bots_for_other_seats(body, position.game, position.seats)
    link_token, seat_token = (
        tokens.derive_token(kind, service.stream_of(game), call.key, body.seat) for kind in (tokens.LINK_KIND, "seat")
    )
    _, members = service.change_members(
        game,
        lambda _: seat_events(body, link_token, seat_token, service.clock() + GAME_LIFETIME),
        *("open", body),  # another request with the same key is refused before it seats a program
        by=OPEN_PLAY_AUTHOR,
        command_id=call.command_id,
    )
    for seat, bot in bots.items():
        service.seat_bot(game, seat, bot, by=OPEN_PLAY_AUTHOR, command_id=f"{call.command_id}/{seat}")
    return HandlerAnswer(
        TokenAnswer(seat_token, game, token_info(members.grants[tokens.id_of(seat_token)])), changed_game=game
    )


def begin_new_game(call: Call, body: NewOpenGame, new_game: str) -> None:
    """Begins a game of a kind. Raises `ProblemError`, `GameError`."""
    options = {"players": body.players} if body.players else {}
    bots_for_other_seats(body, call.service.game_of(body.kind), ())
    make_room(call)
    call.service.new(body.kind, options, name=new_game, by=OPEN_PLAY_AUTHOR)


def make_room(call: Call) -> None:
    """Deletes expired games, and counts one more of the client's address. Raises `ProblemError` at a limit."""
    delete_expired_games(call.service)
    if wait_seconds := call.count_open_game and call.count_open_game():
        title = f"you have begun {MAX_GAMES_PER_DAY} open games in a day"
        raise limit_error(title, hints=["wait, then try again"], seconds=wait_seconds)


def copy_position(call: Call, body: NewOpenGame, new_game: str) -> None:
    """Stores the moves up to a position as a game of its own. Raises `ProblemError`, `GameError`."""
    if not (body.game and body.seat):
        raise ProblemError(400, "no game to go on from", "name a public `game` and your `seat`, or a `kind` of game")
    service = call.service
    visitor = authenticate(service, body.game, "")
    place, visible_service = place_of(visitor, body.line, body.at), service_seen_by(service, visitor)
    position = visible_service.position(place, SPECTATOR)
    check_position(position, body)
    make_room(call)
    service.adopt(visible_service.certificate(place_by_digest(position), SPECTATOR), new_game, by=OPEN_PLAY_AUTHOR)


def place_by_digest(position: Position) -> str:
    """The place of a position, by its digest."""
    return f"{position.place}@{position.commit.digest}"


def check_position(position: Position, body: NewOpenGame) -> None:
    """Raises `ProblemError` for a position from which nothing can be played, or a seat that it does not have."""
    if position.outcome.over:
        raise ProblemError(409, "the game is over there", "", ["name a position before its end"], kind="not-possible")
    if body.seat not in position.seats:
        raise ProblemError(404, f"there is no seat {body.seat!r}", "", position.seats)
    bots_for_other_seats(body, position.game, position.seats)


def bots_for_other_seats(body: NewOpenGame, game: Game, seats: Sequence[str]) -> dict[str, str]:
    """The program of each seat but the player's own. Raises `GameError`."""
    if parse_bot(body.bot).level not in (allowed_levels := open_levels()):
        raise OptionError(body.bot, "with open play, these programs play", allowed_levels)
    return check_bots({seat: body.bot for seat in seats if seat != body.seat}, game)


def open_levels() -> list[str]:
    """The levels of the programs that play open games."""
    return [level for level in levels() if level != SLOW_LEVEL]


def seat_events(body: NewOpenGame, link_token: str, seat_token: str, expiry: datetime) -> Sequence[MemberEvent]:
    """The events by which the player with a token has a seat, offered by a link, until their time is over."""
    offer = SeatOffered(body.seat, tokens.id_of(link_token), tokens.digest(link_token), expiry)
    seat_event = SeatTaken(body.seat, offer.id, body.by, tokens.id_of(seat_token), tokens.digest(seat_token), expiry)
    return [GameHosted(OPEN_PLAY_HOST), offer, seat_event]


def delete_expired_games(service: GameService) -> None:
    """Deletes the open games whose life is over. Raises `ProblemError` if there are still as many as there may be."""
    now, end_times = service.clock(), list[datetime]()
    for game in service.games_hosted_by(OPEN_PLAY_HOST):
        end_time = end_time_of(service.members(game))
        if end_time and end_time > now:
            end_times.append(end_time)
        else:
            service.delete(game, by=OPEN_PLAY_AUTHOR)
    if len(end_times) >= MAX_OPEN_GAMES:
        wait_seconds = (min(end_times) - now).total_seconds()
        raise limit_error(
            f"{MAX_OPEN_GAMES} open games are played here now", hints=["wait, then try again"], seconds=wait_seconds
        )


def end_time_of(members: Members) -> datetime | None:
    """When the life of an open game ends; None for one that nobody can play."""
    return max((grant.until for grant in members.grants.values() if grant.until), default=None)
