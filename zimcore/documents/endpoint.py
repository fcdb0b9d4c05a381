"""What an endpoint is: an operation at an address. `zimcore.documents.endpoints` is the table of all."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Generic, Literal, TypeAlias, TypeVar

import msgspec

from zimcore.documents.seats import Role

RequestT = TypeVar("RequestT", bound=msgspec.Struct)
AnswerT = TypeVar("AnswerT")
Roles: TypeAlias = tuple[Role, ...]
Presence: TypeAlias = Literal["never", "may", "must"]

HOST: Roles = ("host",)
SEAT: Roles = ("seat",)
PLAYERS: Roles = ("seat", "bot")
EVERYBODY: Roles = ("host", "seat", "bot", "spectator", "auditor")
"""Every role with a token; in a public game also a spectator without one."""
NO_TOKEN: Roles = ()
"""For an endpoint that needs no token."""


class Nothing(msgspec.Struct, frozen=True):
    """The type of a request without a body or query."""


class Endpoint(msgspec.Struct, Generic[RequestT, AnswerT], frozen=True):
    """An operation at an address: its input (the body of a write, the query of a read) and its answer.

    `roles` lists those who may use it; there is no default. `must_own` says what the visitor must own, the line or the
    seat in the address; `exempt` lists roles for which this does not hold. `reserved` names fields of the body that
    only some roles may set; a visitor who sets one need not own the line or the seat.

    `if_match` says whether a request names the head that the client saw, `etag` whether an answer names its head.
    `location` is the address of a new resource, filled from the answer (or its position). `command` is the terminal
    command with the same answer, by default `name`. `status` is 201 for a POST and 200 otherwise, unless set.
    `command_id` identifies a write that is sent again: by the `{key}` that was sent, and the visitor's `{seat}`,
    `{seat_or_role}` or `{name}`. It is stored, so its form must never change.
    """

    name: str
    method: Literal["GET", "POST", "PUT", "DELETE"]
    path: str
    request: type[RequestT]
    answer: type[AnswerT]
    roles: Roles
    must_own: Literal["", "line", "seat"] = ""
    exempt: Roles = ()
    reserved: Mapping[str, Roles] = {}
    if_match: Presence = "never"
    etag: Presence = "never"
    location: str = ""
    command: str = ""
    command_id: str = "{seat}/{key}"
    status: int = 0
    media_type: str = "application/json"

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters in its path.

        >>> from zimcore.documents.endpoints import RENAME
        >>> RENAME.parameters
        ('game', 'line')
        """
        return tuple(re.findall(r"{(\w+)}", self.path))

    def address(self, **parts: str | int) -> str:
        """The path with its parameters filled in.

        >>> from zimcore.documents.endpoints import RENAME
        >>> RENAME.address(game="kilwa-7", line="what if")
        '/v1/games/kilwa-7/lines/what%20if/name'
        """
        from urllib.parse import quote  # takes 3 ms; most commands load endpoints with the events of features

        return self.path.format_map({name: quote(str(value), safe="") for name, value in parts.items()})

    @property
    def reads(self) -> bool:
        """Whether this endpoint only reads."""
        return self.method == "GET"

    @property
    def has_body(self) -> bool:
        """Whether a request has a body."""
        return not self.reads and bool(msgspec.structs.fields(self.request))

    @property
    def is_conditional(self) -> bool:
        """Whether a client that has the answer gets 304: it names the ETag of a read in If-None-Match.

        >>> from zimcore.documents.endpoints import PLAY, SHOW, WHY
        >>> SHOW.is_conditional, WHY.is_conditional, PLAY.is_conditional
        (True, False, False)
        """
        return self.reads and self.etag != "never"

    @property
    def is_paged(self) -> bool:
        """Whether an answer is a page of a list: its Link header has the address of the next one.

        >>> from zimcore.documents.endpoints import GAMES, LOG, SHOW
        >>> GAMES.is_paged, LOG.is_paged, SHOW.is_paged
        (True, True, False)
        """
        return self.reads and "limit" in self.request.__struct_fields__

    @property
    def success(self) -> int:
        """The status of an answer."""
        return self.status or (201 if self.method == "POST" else 200)


GAME_PATH = "/v1/games/{game}"
"""Where the address of what belongs to a game begins."""
