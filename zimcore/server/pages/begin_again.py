"""The form that begins a finished game once more: the same game, options, programs and terms, with a new deal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

import msgspec

from zimcore.commits import Position
from zimcore.game import Seat
from zimcore.server.endpoints.game_handlers import FORBIDDEN_OPTIONS
from zimcore.server.pages.beginning import GET_LINK, PLAY_YOURSELF
from zimcore.server.people.access import Visitor, authenticate_anywhere
from zimcore.server.people.member_documents import seats_answer
from zimcore.server.wire.problem_responses import ProblemError
from zimcore.service import GameService
from zimcore.service.records.memberships import WRITE
from zimcore.service.records.terms import TERM_KEYS

COMPONENTS = "components"
"""The option that names a file of components; a set-up may hold the file's content instead of its name."""
UNKNOWN_OPTIONS_TEXT = "The options are the usual ones: this game keeps no record of those that it was begun with."
USUAL_COMPONENTS_TEXT = "The new game has the usual components: you can give a file of your own only in the terminal."


class AgainForm(msgspec.Struct, frozen=True):
    """The fields of the form, and a sentence that says what will not be the same; "" if all but the deal will."""

    fields: Mapping[str, str]
    difference: str = ""


def form_again(
    service: GameService,
    visitor: Visitor,
    head: Position,
    game_tokens: Mapping[str, str],
    browser_tokens: Sequence[str],
) -> AgainForm | None:
    """The lobby's form, filled in for a game like this one; None if the visitor can't begin it.

    They can if one of the `browser_tokens` is that of an account. They keep their seat (by their `game_tokens`, which
    are by seat or role), programs keep theirs, and the other seats get links. The seed is a new one: a server lets no
    one choose it.
    """
    if not may_begin_games(service, browser_tokens):
        return None
    setup_command = service.position(f"{head.place}@0").commit.command
    options = getattr(setup_command, "options", None)
    discussion, seats_document = service.discussion(visitor.game), seats_answer(service, visitor.game, visitor.members)
    own_seat = visitor.seat or next((seat for seat in head.seats if seat in game_tokens), "")
    is_set_by_field = {
        "public": seats_document.public,
        "nohelp": not discussion.allows_help,
        "fair": service.names(visitor.game).table is not None,
        "sheet": bool(seats_document.house),
    }
    kept_options = {
        name: value for name, value in dict(options or {}).items() if name not in ("players", *FORBIDDEN_OPTIONS)
    }
    fields = {
        "kind": head.game.name,
        **{f"opt.{name}": value for name, value in kept_options.items()},
        **{
            f"seat.{seat}": row_value
            for seat, row_value in row_values_again(service, visitor.game, head.seats, own_seat).items()
        },
        "takebacks": discussion.takebacks,
        **{name: text for name, text in seats_document.terms.items() if name in TERM_KEYS},
        **{name: "on" for name, is_set in is_set_by_field.items() if is_set},
    }
    return AgainForm(fields, difference_text(head, setup_command))


def difference_text(head: Position, setup_command: object) -> str:
    """What of a game can't be the same when it begins once more, as a sentence; "" for nothing."""
    if not hasattr(setup_command, "options"):
        return UNKNOWN_OPTIONS_TEXT if {*head.game.rules.OPTIONS} - {"players", *FORBIDDEN_OPTIONS} else ""
    has_own_components = getattr(setup_command, COMPONENTS, None) is not None or COMPONENTS in dict(
        setup_command.options
    )
    return USUAL_COMPONENTS_TEXT if has_own_components else ""


def row_values_again(service: GameService, game: str, seats: Sequence[Seat], own_seat: Seat) -> Mapping[Seat, str]:
    """The value of each seat's row in the form: a program, yourself, or a link."""
    bots = service.bots(game)
    return {seat: bots.get(seat) or (PLAY_YOURSELF if seat == own_seat else GET_LINK) for seat in seats}


def may_begin_games(service: GameService, token_texts: Sequence[str]) -> bool:
    """Whether one of these tokens is of an account that may begin games."""
    for token_text in token_texts:
        with suppress(ProblemError):
            visitor = authenticate_anywhere(service, token_text)
            if visitor.has_account and WRITE in visitor.grant.scopes:
                return True
    return False
