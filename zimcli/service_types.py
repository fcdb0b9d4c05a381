"""The two doors to games: that of a store on this machine, and that of a server. For annotations alone."""

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from zimcore.remote.service import RemoteService
    from zimcore.service import GameService

    Door: TypeAlias = GameService | RemoteService
