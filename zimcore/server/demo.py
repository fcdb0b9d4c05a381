"""A game to try a server with: a bot plays one seat, and two seats are offered by links, for browsers or terminals."""

from __future__ import annotations

from zimcore.games.registry import GAMES
from zimcore.server import hosting
from zimcore.service import GameService
from zimcore.service.records.memberships import GameHosted

PLAYER_COUNT, BOT_LEVEL = 3, "quick"

PASTE_TEMPLATE = """
# {seat}: open {url}/join#{link} in a browser, or paste this in a terminal of its own:
export ZIM_BY={seat}-player ZIM_STORE={url}
zim join {url}/join#{link}
zim play {game}
"""


def begin_demo_game(service: GameService) -> tuple[str, dict[str, str]]:
    """Begins a game with free seats; returns its name and the links by seat, the seat to move first."""
    kind = next(iter(GAMES))
    options = {"players": str(PLAYER_COUNT)} if "players" in service.game_of(kind).rules.OPTIONS else {}
    game = service.new(kind, options, by="demo", served=[GameHosted("demo", public=True)]).match
    *people_seats, bot_seat = hosting.free_seats(service, game)
    service.seat_bot(game, bot_seat, BOT_LEVEL, by="demo")
    return game, hosting.offer_links(service, game, people_seats, by="demo")


def paste_text(game: str, links: dict[str, str], url: str) -> str:
    """What to type in a terminal for each seat."""
    return "".join(PASTE_TEMPLATE.format(seat=seat, game=game, url=url, link=link) for seat, link in links.items())
