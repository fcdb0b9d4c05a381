"""The form that begins a finished game once more: the same game, options, programs and terms, with a new deal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

from zimcore.commits import Position
from zimcore.game import Seat
from zimcore.server.access import Visitor, authenticate_anywhere
from zimcore.server.game_handlers import NOT_HERE
from zimcore.server.member_documents import seats_answer
from zimcore.server.pages.beginning import LINK, ME
from zimcore.server.problem_responses import ProblemError
from zimcore.service import GameService
from zimcore.service.memberships import WRITE
from zimcore.service.terms import KEYS


def form_again(
    service: GameService, visitor: Visitor, head: Position, tokens: Mapping[str, str], texts: Sequence[str]
) -> Mapping[str, str]:
    """The fields of the lobby's form that begins the game of a line once more; none if the visitor can't begin it.

    They can with an account, by one of the `texts` of their browser's tokens, if the game's options are known. They
    keep their seat, programs keep theirs, and the other seats get links. The seed is a new one: a server lets no one
    choose it.
    """
    begun = service.position(f"{head.place}@0").commit.command
    options = getattr(begun, "options", None)
    if options is None or not may_begin(service, texts) or {*dict(options)} & {*NOT_HERE} - {"seed"}:
        return {}
    agreed, found = service.discussion(visitor.game), seats_answer(service, visitor.game, visitor.members)
    mine = visitor.seat or next((seat for seat in head.seats if seat in tokens), "")
    flags = {
        "public": found.public,
        "nohelp": not agreed.helps,
        "fair": service.names(visitor.game).table is not None,
        "sheet": bool(found.house),
    }
    return {
        "kind": head.game.name,
        **{f"opt.{name}": text for name, text in dict(options).items() if name not in ("players", "seed")},
        **{f"seat.{seat}": row for seat, row in rows_again(service, visitor.game, head.seats, mine).items()},
        "takebacks": agreed.takebacks,
        **{name: text for name, text in found.terms.items() if name in KEYS},
        **{name: "on" for name, is_set in flags.items() if is_set},
    }


def rows_again(service: GameService, game: str, seats: Sequence[Seat], mine: Seat) -> Mapping[Seat, str]:
    """The value of each seat's row in the form: a program, yourself, or a link."""
    bots = service.bots(game)
    return {seat: bots.get(seat) or (ME if seat == mine else LINK) for seat in seats}


def may_begin(service: GameService, texts: Sequence[str]) -> bool:
    """Whether one of these tokens is of an account that may begin games."""
    for text in texts:
        with suppress(ProblemError):
            visitor = authenticate_anywhere(service, text)
            if visitor.role == "host" and WRITE in visitor.grant.scopes:
                return True
    return False
