"""The type of a service: a union type of the local and the remote one. For annotations only."""

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from zimcore.remote.service import RemoteService
    from zimcore.service import GameService

    AnyService: TypeAlias = GameService | RemoteService
