"""A game to try a server with: a bot plays one seat, and two seats are offered by links, for browsers or terminals."""

from __future__ import annotations

from zimcore.games.registry import GAMES
from zimcore.server import hosting
from zimcore.service import GameService
from zimcore.service.memberships import GameHosted

PLAYERS, LEVEL = 3, "quick"

PASTE = """
# {seat}: open {url}/join#{link} in a browser, or paste this in a terminal of its own:
export ZIM_BY={seat}-player ZIM_STORE={url}
zim join {url}/join#{link}
zim play {game}
"""


def begin(service: GameService) -> tuple[str, dict[str, str]]:
    """Begins a game with free seats; returns its name and the links by seat, the seat to move first."""
    kind = next(iter(GAMES))
    options = {"players": str(PLAYERS)} if "players" in service.game_of(kind).rules.OPTIONS else {}
    game = service.new(kind, options, by="demo", served=[GameHosted("demo", public=True)]).match
    *people, program = hosting.free_seats(service, game)
    service.seat_bot(game, program, LEVEL, by="demo")
    return game, hosting.links(service, game, people, by="demo")


def to_paste(game: str, links: dict[str, str], url: str) -> str:
    """What to type in a terminal for each seat."""
    return "".join(PASTE.format(seat=seat, game=game, url=url, link=link) for seat, link in links.items())
