"""Games of many players, for benchmarks of the server, and settings without limits."""

from __future__ import annotations

from typing import NamedTuple

from scripts.shared.measure import demo_moves
from zimcore.games.zimbabwe import GAME
from zimcore.server.app import Settings
from zimcore.server.wire.limits import RateLimits
from zimcore.server.wire.tokens import digest, id_of, new_token
from zimcore.service import open_service
from zimcore.service.records.memberships import GameHosted, MemberEvent, SeatOffered, SeatTaken

CONNECTIONS = 8
MOVES = 40
UNLIMITED = 10**9
LIMIT_NAMES = (
    "token_rate",
    "token_burst",
    "address_rate",
    "address_burst",
    "max_open_requests",
    "max_feeds_per_client",
)
WITHOUT_LIMITS = Settings(limits=RateLimits(**dict.fromkeys(LIMIT_NAMES, UNLIMITED)))
"""No limits: all clients share an address here."""


class Play(NamedTuple):
    """A move of a game: the token of its player, and the text."""

    token: str
    text: str
    game: str = ""


def begin_games(url: str, prefix: str) -> list[list[Play]]:
    """Begins one game for each connection."""
    return [begin_game(url, f"{prefix}{index}") for index in range(CONNECTIONS)]


def begin_game(url: str, name: str, host: str = "bench") -> list[Play]:
    """Begins the demo's game with all seats taken. Returns the moves to play, each with a token."""
    options, texts = demo_moves()
    service = open_service(url)
    position = service.new(GAME.name, options, name=name, by="bench", served=[GameHosted(host, public=True)])
    stream, tokens, events = service.stream_of(name), dict[str, str](), list[MemberEvent]()
    for seat in position.seats:
        link, tokens[seat] = new_token("link", stream), new_token("seat", stream)
        events.append(SeatOffered(seat, id_of(link), digest(link)))
        events.append(SeatTaken(seat, id_of(link), seat, id_of(tokens[seat]), digest(tokens[seat])))
    service.change_members(name, lambda _: events, by="bench")
    plays, current_position = list[Play](), position
    for text in texts:
        seat = current_position.to_move[0]
        answer = current_position.game.rules.decide(
            current_position.state, seat, current_position.game.notation.parse(text, current_position.state)[1]
        )
        plays.append(Play(tokens[seat], text, name))
        state = getattr(answer, "state", None)
        if state is None:
            break
        current_position = type(current_position)(
            current_position.match, current_position.line, current_position.commit, state, current_position.game
        )
    service.store.close()
    return plays
