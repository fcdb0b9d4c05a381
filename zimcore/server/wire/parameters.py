"""The parameters of requests: name, bounds and description of each."""

from __future__ import annotations

from typing import Annotated

from litestar.params import HeaderParameter, PathParameter, QueryParameter

GameName = Annotated[str, PathParameter(max_length=64, description="A game, by its name.")]
LeagueName = Annotated[str, PathParameter(max_length=64, description="A league, by its name.")]
LineName = Annotated[str, PathParameter(max_length=130, description="A line: main, or one of your own.")]
TagName = Annotated[str, PathParameter(max_length=64, description="The name of a position.")]
SeatName = Annotated[str, PathParameter(max_length=64, description="A seat.")]
OrderNumber = Annotated[int, PathParameter(ge=0, le=2**62, description="An order, by its number.")]
TokenId = Annotated[str, PathParameter(max_length=64, description="A token or a link, by its id.")]
TakebackRequestNumber = Annotated[int, PathParameter(ge=1, le=2**62, description="A takeback request, by its number.")]
PositionDigest = Annotated[
    str,
    PathParameter(pattern=r"^[0-9a-f]{32}(\.svg)?$", description="The digest of a position; with .svg its picture."),
]

PATH_PARAMETERS = {
    "game": GameName,
    "league": LeagueName,
    "line": LineName,
    "tag": TagName,
    "seat": SeatName,
    "token": TokenId,
    "number": TakebackRequestNumber,
    "order": OrderNumber,
    "digest": PositionDigest,
}
"""The parameters that an address can have in its path."""

AfterMessageId = Annotated[str, QueryParameter(max_length=24, description="The id of the last message you received.")]

IdempotencyHeader = Annotated[
    str,
    HeaderParameter(
        name="Idempotency-Key",
        min_length=1,
        max_length=100,
        pattern=r"^[!-~]+$",
        description="A request that is repeated with the same key is done once.",
    ),
]
LongIdempotencyHeader = Annotated[
    str,
    HeaderParameter(
        name="Idempotency-Key",
        min_length=16,
        max_length=100,
        pattern=r"^[!-~]+$",
        description="A random value: with the link and this key you can get the token again.",
    ),
]
IfMatch = Annotated[
    str | None, HeaderParameter(name="If-Match", description="The ETag of the head that you saw, or *.")
]
LastEventId = Annotated[
    str,
    HeaderParameter(
        name="Last-Event-ID", max_length=24, description="The parameter `after` as a header, as browsers send it."
    ),
]
