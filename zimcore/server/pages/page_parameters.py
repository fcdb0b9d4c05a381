"""The parameters of pages, and the line that all players play."""

from __future__ import annotations

from typing import Annotated

from litestar.params import HeaderParameter, QueryParameter

from zimcore.server.people.access import Visitor, check_dealt

SeatOrRole = Annotated[str, QueryParameter(name="as", max_length=64, description="As whom: a seat, or a role.")]
ShownLine = Annotated[
    str, QueryParameter(name="line", max_length=130, description="A line; by default the common one.")
]
ShownPosition = Annotated[str, QueryParameter(max_length=64, description="A position: 12, -3, r4, start, a digest.")]
TypedText = Annotated[str, QueryParameter(max_length=500, description="What was typed so far.")]
SelectedSquares = Annotated[
    str, QueryParameter(max_length=64, description="Squares that were pointed at, in this order.")
]
ValueToExplain = Annotated[str, QueryParameter(max_length=500, description="Why something is so: d7, zulu.vr.")]
GameQuestion = Annotated[str, QueryParameter(max_length=300, description="A question of the game: plan, reach d7.")]
TakebackNumber = Annotated[
    str, QueryParameter(max_length=9, description="Ask the others to go back to before this move.")
]
NewMove = Annotated[str, QueryParameter(max_length=500, description="What to play instead there.")]
PagePart = Annotated[str, HeaderParameter(name="Zim-Part", max_length=20, description="Only that part of the page.")]


def common_line(visitor: Visitor) -> str:
    """The line that all players play. Raises `ProblemError` for a game that is not dealt yet."""
    check_dealt(visitor)
    return visitor.lines[0]
