"""Handlers of lines: the match and its forks, the moves on them, and their heads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from msgspec.structs import replace

from event_store import ConflictError, TakenError
from zimcore.documents import endpoints
from zimcore.documents.endpoint import Nothing
from zimcore.documents.history import LogAnswer
from zimcore.documents.listings import Operation
from zimcore.documents.look import ShowAnswer, show_answer
from zimcore.documents.play import PlayAnswer
from zimcore.documents.positions import (
    CommitDocument,
    PositionAnswer,
    commit_document,
    commit_documents,
    position_document,
)
from zimcore.documents.query_parameters import AtPlace, LogQuery, PageQuery
from zimcore.documents.seats import HeadMove, LineName, Move, NewLine, NewTag
from zimcore.documents.storage import LinesAnswer, TagsAnswer
from zimcore.game import Refused, Seat
from zimcore.server.endpoints.bot_players import check_bots
from zimcore.server.endpoints.routing import Call, HandlerAnswer, handles, page_of, queried_place
from zimcore.server.people.access import Visitor, place_of, viewer_of, visible_tags
from zimcore.server.wire.problem_responses import ProblemError, conflict_problem, refusal_problem
from zimcore.service import GameService, Position, Viewer
from zimcore.service.lines.visibility import TABLE
from zimcore.service.records.discussion import notes_on
from zimcore.service.records.names import OWN_LINE_MARK

MAX_LINES = 200
"""The most private lines of one seat."""
MAX_MISSED_COMMITS = 50
"""The most commits listed for a client that is behind."""
NAMING_OPERATIONS = frozenset({"name", "switch", "rename", "forget"})
"""Operations on the names of lines."""
PUBLIC_OPERATIONS = frozenset(
    (
        *("play", "move", "fork", "as recorded", "request", "accept", "decline", "withdraw", "grant"),
        *("open", "share", "deal", "host", "take", "leave", "seat", "bot", "terms", "wait", "end"),
        *("tag", "untag"),
        *("archive", "delete", "restore"),
    )
)
"""Operations for everybody who sees the line. Those not listed are about links and tokens, and only for the host."""


@handles(endpoints.LINES)
def lines(call: Call, query: PageQuery) -> HandlerAnswer[LinesAnswer]:
    """The lines of a game: the public ones, and your own."""
    visible_lines = call.visitor.visible_lines
    line_infos = call.service.lines(call.game, Viewer(call.seat))
    readable_line_infos = (
        replace(info, parent=info.parent if info.parent in visible_lines else "") for info in line_infos
    )
    page, headers = page_of(
        endpoints.LINES, call.path_values, [info for info in readable_line_infos if info.name in visible_lines], query
    )
    return HandlerAnswer(LinesAnswer(tuple(page)), headers=headers)


@handles(endpoints.FORK)
def fork(call: Call, body: NewLine) -> PositionAnswer:
    """Begins a private line at a position: only its seat sees it until it is shared."""
    visitor = call.visitor
    bots = bots_for_other_seats(call, body.bot) if body.bot else {}
    place, viewer = place_of(visitor, body.line, body.at), viewer_of(call.service, visitor, body.line)
    position = call.service.fork(
        place,
        new_line_name(visitor, body.name),
        redeal=body.redeal,
        expected=call.expected_head,
        viewer=Viewer(visitor.seat) if viewer.own else viewer,
        **call.write_arguments,
    )
    for seat, bot in bots.items():
        call.service.seat_bot(
            position.place, seat, bot, by=visitor.name, command_id=f"{call.command_id}/{seat}", viewer=TABLE
        )
    return position_reply(position)


def bots_for_other_seats(call: Call, bot: str) -> Mapping[Seat, str]:
    """A program for each seat but the visitor's own. Raises `ProblemError` before the match is over: it would help."""
    match_position = call.service.position(f"{call.game}/{call.service.names(call.game).first_line}")
    if not (match_position.outcome.over or call.visitor.members.ended):
        why = "it would help a player"
        raise ProblemError(409, "a program plays your lines when the match is over", why, kind="not-possible")
    return check_bots({seat: bot for seat in match_position.seats if seat != call.visitor.seat}, match_position.game)


@handles(endpoints.SHOW, queried_place, is_long=lambda query: bool(query.at), has_notes=True)
def show(call: Call, query: AtPlace) -> ShowAnswer:
    """A position of a line, its head by default, with everything that the visitor may see there."""
    position = call.service.position(call.place(query.at), call.viewer)
    here = f"{position.place}@{position.commit.digest}"
    log = call.service.log(here, viewer=call.viewer) if call.notes_mark else ()
    notes = notes_on(call.service.discussion(call.game), log)
    return show_answer(position, call.service.recorded_deviation(here), notes)


@handles(endpoints.RENAME)
def rename(call: Call, body: LineName) -> PositionAnswer:
    """Renames a line of your own, or shares it: then all players in the game see it, for good."""
    name = own_line_name(call.visitor, body.name)
    if body.shared:
        name = body.name
        if name in call.visitor.visible_lines:
            raise ProblemError(409, f"there is a line called {name!r} already", kind="not-possible")
    # Not by `call.place()`: a retry finds the line under another name, and still gets the first answer.
    position = call.service.rename(
        f"{call.game}/{call.line}",
        name,
        expected=call.expected_head,
        viewer=viewer_of(call.service, call.visitor, name),
        **call.write_arguments,
    )
    return position_reply(position)


@handles(endpoints.TAGS)
def tags(call: Call, query: PageQuery) -> HandlerAnswer[TagsAnswer]:
    """The tags of a game: names that its players have given to positions."""
    page, headers = page_of(endpoints.TAGS, call.path_values, visible_tags(call.service, call.visitor), query)
    return HandlerAnswer(TagsAnswer(call.game, tuple(page)), headers=headers)


@handles(endpoints.TAG)
def tag(call: Call, body: NewTag) -> TagsAnswer:
    """Gives a position a name that everybody in the game sees. Not on a private line."""
    place = place_of(call.visitor, body.line, body.at)
    call.service.tag(place, str(call.path_values["tag"]), **call.write_arguments)
    return TagsAnswer(call.game, visible_tags(call.service, call.visitor))


@handles(endpoints.UNTAG)
def untag(call: Call, _: Nothing) -> TagsAnswer:
    """Removes a tag; its position stays."""
    call.service.untag(call.game, str(call.path_values["tag"]), **call.write_arguments)
    return TagsAnswer(call.game, visible_tags(call.service, call.visitor))


@handles(endpoints.LOG, queried_place, is_long=lambda query: query.facts or query.every, has_notes=True)
def moves(call: Call, query: LogQuery) -> HandlerAnswer[LogAnswer]:
    """The commits that lead to a position; with `every` also undone ones; with `facts` their events in words."""
    place, viewer = call.place(query.at), call.viewer
    position, log = call.service.position(place, viewer), call.service.log(place, all_=query.every, viewer=viewer)
    # The next page is one of the same log, even if the head has moved by then.
    page, headers = page_of(endpoints.LOG, call.path_values, log, replace(query, at=position.commit.digest))
    commits = commit_documents(page, position.game if query.facts else None)
    answer = LogAnswer(position_document(position), commits, notes=notes_on(call.service.discussion(call.game), page))
    return HandlerAnswer(answer, headers=headers)


@handles(endpoints.OPERATIONS)
def operations(call: Call, query: PageQuery) -> HandlerAnswer[LogAnswer]:
    """The operations on a line and on the names of its game, first to last, as far as the visitor may see them.

    They leave out lines that the visitor does not see, and the current lines of others. Links and tokens are only for
    the host.
    """
    position, all_operations = call.service.position(call.place(), call.viewer), call.service.operations(call.place())
    shown_operations = [*visible_operations(call.visitor, all_operations)]
    if call.visitor.is_delayed:  # a tag may be of a position that they may not see yet
        tag_names = {tag.name for tag in visible_tags(call.service, call.visitor)}
        shown_operations = [
            operation
            for operation in shown_operations
            if operation.what not in ("tag", "untag") or (operation.target or operation.source) in tag_names
        ]
    page, headers = page_of(endpoints.OPERATIONS, call.path_values, shown_operations, query)
    return HandlerAnswer(LogAnswer(position_document(position), operations=tuple(page)), headers=headers)


def visible_operations(visitor: Visitor, all_operations: Iterable[Operation]) -> Iterator[Operation]:
    """The operations that a visitor may see. Only a host sees others than `NAMING_OPERATIONS`, `PUBLIC_OPERATIONS`."""
    for operation in all_operations:
        if operation.what in NAMING_OPERATIONS:
            is_own_or_no_switch = operation.what != "switch" or operation.by == visitor.name
            if is_own_or_no_switch and visitor.sees(operation.target or operation.source):
                yield replace(operation, source=operation.source if visitor.sees(operation.source) else "")
        elif operation.what in PUBLIC_OPERATIONS or visitor.role == "host":
            yield operation


@handles(endpoints.PLAY)
def play(call: Call, body: Move) -> PlayAnswer:
    """Plays a command at the head of a line."""
    place, viewer = call.place(), call.viewer
    if viewer.seat and body.seat not in ("", viewer.seat):
        raise ProblemError(403, f"{body.seat} is not your seat", f"you are {viewer.seat}")
    with report_missed_commits(call):
        position_or_refusal = call.service.play(
            place,
            body.move,
            seat=viewer.seat or body.seat or None,
            expected=call.expected_head,
            signed=bytes.fromhex(body.signed),
            viewer=viewer,
            **call.write_arguments,
        )
    if isinstance(position_or_refusal, Refused):
        raise ProblemError.from_problem(refusal_problem(body.move, position_or_refusal))
    commits = (commit_document(position_or_refusal.commit, position_or_refusal.game),)
    return PlayAnswer(
        commits,
        position_document(position_or_refusal),
        tuple(position_or_refusal.game.display.turn(position_or_refusal.state)),
    )


@handles(endpoints.MOVE_HEAD)
def move_head(call: Call, body: HeadMove) -> HandlerAnswer[PositionAnswer]:
    """Moves the head of a line. On the match you can only go over your own last moves, until another seat plays."""
    if bool(body.steps) == bool(body.to):
        raise ProblemError(400, "no target for the head", "give either a number of steps or a position")
    service, place = call.service, call.place()
    write_options: Any = {**call.write_arguments, "expected": call.expected_head, "viewer": call.viewer}
    with report_missed_commits(call):
        if body.to:
            return HandlerAnswer(position_reply(service.goto(f"{place}@{body.to}", **write_options)), "goto")
        if body.steps < 0:
            return HandlerAnswer(position_reply(service.undo(place, -body.steps, **write_options)), "undo")
        return HandlerAnswer(position_reply(service.redo(place, body.steps, **write_options)), "redo")


def position_reply(position: Position) -> PositionAnswer:
    """The answer with the position of a line."""
    return PositionAnswer(position_document(position))


def own_line_name(visitor: Visitor, name: str) -> str:
    """The full name of a visitor's private line, `SEAT--NAME`. Raises `ProblemError`."""
    if OWN_LINE_MARK in name:
        raise ProblemError(
            400, f"not a name: {name!r}", f"{OWN_LINE_MARK} stands between a seat and the name of its own line"
        )
    return f"{visitor.seat}{OWN_LINE_MARK}{name}"


def new_line_name(visitor: Visitor, name: str) -> str:
    """The full name of a new private line. Raises `ProblemError` if the seat has `MAX_LINES` already."""
    full_name = own_line_name(visitor, name)
    if full_name not in visitor.lines and sum(map(visitor.owns, visitor.lines)) >= MAX_LINES:
        hint = f"forget {visitor.game}/LINE"
        raise ProblemError(409, f"you have {MAX_LINES} lines", "that is the limit", [hint], kind="not-possible")
    return full_name


@contextmanager
def report_missed_commits(call: Call) -> Iterator[None]:
    """Turns a `ConflictError` into a problem with the commits since the head that the client saw."""
    try:
        yield
    except TakenError:
        raise
    except ConflictError as error:
        commits = commits_after(call.service, call.place(), call.viewer, call.expected_head)
        raise ProblemError.from_problem(conflict_problem(error, commits)) from error


def commits_after(
    service: GameService, place: str, viewer: Viewer, seen_digest: str | None
) -> tuple[CommitDocument, ...]:
    """The first `MAX_MISSED_COMMITS` after a head that the client saw; () if that head is no longer on the line."""
    log = service.log(place, viewer=viewer)
    seen_index = next((seen_index for seen_index, commit in enumerate(log) if commit.digest == seen_digest), len(log))
    return commit_documents(log[seen_index + 1 :][:MAX_MISSED_COMMITS])
