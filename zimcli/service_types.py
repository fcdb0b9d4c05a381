"""The type of a service: that of a store on this machine, or that of a server. For annotations only."""

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from zimcore.remote.service import RemoteService
    from zimcore.service import GameService

    Door: TypeAlias = GameService | RemoteService
