"""The library: stores of games, and matches in memory. `import zimcore as zim` loads it lazily.

>>> import zimcore as zim
>>> store = zim.open("memory:")
>>> here = store.new("zimbabwe", name="kilwa-7", players=3, seed=7)
>>> here = store.play("kilwa-7", "start g7")
>>> store.log("kilwa-7")[-1].text
'start g7'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zimcore.commits import Position
from zimcore.game import Seat
from zimcore.library.frames import Frame as Frame
from zimcore.library.match import Match as Match
from zimcore.library.store import Store as Store
from zimcore.picture.sheet import draw_picture
from zimcore.picture.squares import squares_of_last_move
from zimcore.remote import is_remote, remote_library
from zimcore.service import TABLE, GameService, Viewer, open_service
from zimcore.toolkit.characters import composed

if TYPE_CHECKING:
    from zimcore.remote.service import RemoteService


def open(url: str = "memory:", *, seat: Seat = "", by: str = "python") -> Store:  # noqa: A001 - zim.open
    """Opens a store: `memory:`, `sqlite:///games.db`, `postgresql://ann@host/games`. Raises `StoreError`.

    The URL of a server opens the games for which `zim join` has saved a token; you see and play its seat.

    >>> open("memory:").games()
    []
    """
    by = composed(by)
    return Store(_open_service(url, seat, by), Viewer(seat) if seat else TABLE, by)


def _open_service(url: str, seat: Seat, by: str) -> GameService | RemoteService:
    if not is_remote(url):
        return open_service(url)
    from zimcore.remote.client_files import Folders

    service: RemoteService = remote_library().open_remote(url, Folders.of_user())
    service.remote_lines.preferred_names = tuple(filter(None, (seat, by)))
    return service


def draw(position: Position) -> str:
    """The picture of a position as SVG, with the last move marked."""
    return draw_picture(position, None, squares_of_last_move(position, position.board))
