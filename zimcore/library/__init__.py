"""The library: stores of games, and matches in memory. `import zimcore as zim` loads it lazily.

>>> import zimcore as zim
>>> store = zim.open("memory:")
>>> here = store.new("zimbabwe", name="kilwa-7", players=3, seed=7)
>>> here = store.play("kilwa-7", "start g7")
>>> store.log("kilwa-7")[-1].text
'start g7'
"""

from __future__ import annotations

from functools import partial
from os import PathLike, fspath
from typing import TYPE_CHECKING

from zimcore.commits import Position
from zimcore.documents.frames import Frame as Frame
from zimcore.game import Seat
from zimcore.games.registry import GAMES
from zimcore.library.match import LegalMoves as LegalMoves
from zimcore.library.match import Match as Match
from zimcore.library.store import Store as Store
from zimcore.picture.sheet import draw_picture
from zimcore.picture.squares import squares_of_last_move
from zimcore.remote import is_remote, remote_library
from zimcore.service import TABLE, GameService, Viewer, open_service
from zimcore.toolkit.characters import composed

if TYPE_CHECKING:
    from zimcore.bots.bot import Bot
    from zimcore.documents.play import ArenaAnswer
    from zimcore.remote.service import RemoteService


def open(url: str | PathLike[str] = "memory:", *, seat: Seat = "", by: str = "python") -> Store:  # noqa: A001 - zim.open
    """Opens a store: `memory:`, `sqlite:///games.db` or its path, `postgresql://ann@host/games`. Raises `StoreError`.

    The URL of a server opens the games for which `zim join` has saved a token; you see and play its seat.

    >>> open("memory:").games()
    []
    """
    by, url = composed(by), url if isinstance(url, str) else f"sqlite:///{fspath(url)}"
    return Store(_open_service(url, seat, by), Viewer(seat) if seat else TABLE, by)


def _open_service(url: str, seat: Seat, by: str) -> GameService | RemoteService:
    if not is_remote(url):
        return open_service(url)
    from zimcore.remote.client_files import Folders

    service: RemoteService = remote_library().open_remote(url, Folders.of_user())
    service.remote_lines.preferred_names = tuple(filter(None, (seat, by)))
    return service


def arena(
    *bots: str | type[Bot], games: int = 40, players: int = 4, game: str = "", seed: int = 1, workers: int = 0
) -> ArenaAnswer:
    """Lets bots play many games, as `zim arena`: the first against the others, each deal with it at each seat.

    A bot is a level, `"quick"`, or a class of your own, as docs/bots.md has it: `choose(view, nodes, rng)`.
    Without a `game` it is the first that is installed. A program that starts `workers` (0: none but this one) needs
    `if __name__ == "__main__":`.
    """
    from zimcore.analysis.arena_results import arena_answer, play_bundle
    from zimcore.bots.arena import iter_seatings
    from zimcore.bots.pools import make_pool
    from zimcore.bots.process_pool import match_results_in_order
    from zimcore.bots.registry import parse_bot
    from zimcore.service import game as load_game

    names = [str(parse_bot(bot).allowed()) for bot in bots]  # the person who calls this has named them
    seatings, kind = list(iter_seatings(names, players, games, seed)), load_game(game or next(iter(GAMES)))
    with make_pool(workers, None, partial(play_bundle, kind.name), len(seatings)) as pool:
        results = [*match_results_in_order(pool, seatings)]
    return arena_answer(kind.name, players, seed, results)


def draw(position: Position | Match) -> str:
    """The picture of a position as SVG, with the last move marked."""
    position = position.position if isinstance(position, Match) else position
    return draw_picture(position, None, squares_of_last_move(position, position.board))
