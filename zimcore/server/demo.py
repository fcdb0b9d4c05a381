"""A game to try a server with: a bot plays one seat, and two seats are offered by links, for browsers or terminals."""

from __future__ import annotations

from zimcore.server import hosting
from zimcore.server.bot_players import check_bots
from zimcore.service import GameService
from zimcore.service.memberships import GameHosted

KIND, OPTIONS = "zimbabwe", {"players": "kilwa,zulu,lozi", "order": "kilwa,zulu,lozi"}
PROGRAMS = {"lozi": "quick"}

PASTE = """
# {seat}: open {url}/join#{link} in a browser, or paste this in a terminal of its own:
export ZIM_BY={seat}-player ZIM_STORE={url}
zim join {url}/join#{link}
zim play {game}
"""


def begin(service: GameService) -> tuple[str, dict[str, str]]:
    """Begins a game with free seats; returns its name and the links by seat, the seat to move first."""
    member_events = [GameHosted("demo", public=True)]
    position = service.new(
        KIND, OPTIONS, by="demo", served=member_events, bots=check_bots(PROGRAMS, service.game_of(KIND))
    )
    game = position.match
    return game, hosting.links(service, game, hosting.free_seats(service, game), by="demo")


def to_paste(game: str, links: dict[str, str], url: str) -> str:
    """What to type in a terminal for each seat."""
    return "".join(PASTE.format(seat=seat, game=game, url=url, link=link) for seat, link in links.items())
