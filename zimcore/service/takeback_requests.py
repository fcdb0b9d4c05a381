"""Takeback requests: a player asks the others to take moves back, and when all of them agree it is done.

A request is for one revision of a line, and lapses when the line moves on. Players who have left and programs need not
agree.

In other words: undo request.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from event_store import ConflictError, Draft, Entry, HeadMoved
from event_store.line_history import is_on_path, path_to, step_target
from zimcore.commits import Commit
from zimcore.documents.discussion import RequestInfo, RequestStatus
from zimcore.documents.positions import commit_documents
from zimcore.game import GameError, Refused, RefusedError, Seat, UnknownError
from zimcore.service import rewriting
from zimcore.service.deciding import try_command
from zimcore.service.discussion import (
    Discussion,
    DiscussionEvent,
    RequestAnswered,
    RequestGranted,
    RequestWithdrawn,
    TakebackRequest,
    TakebackRequested,
)
from zimcore.service.line_repository import LineRepository, LoadedLine
from zimcore.service.places import parse_place
from zimcore.service.results import Replay
from zimcore.service.signed_commands import check_unbound
from zimcore.service.visibility import Viewer, check_no_peeking, commit_for, reveals_more
from zimcore.service.writer import Writer, WriteRequest, check_head, no_more_moves


def ask(writer: Writer, lines: LineRepository, place: str, steps: int, move: str, request: WriteRequest) -> RequestInfo:
    """Asks the others to take back `steps` moves, or to replace the move at a place by `move`.

    The request is granted at once if no consent is needed.
    """
    parsed_place, viewer, by = parse_place(place), request.viewer, request.by
    discussion = lines.discussion(parsed_place.match)
    if earlier := discussion.earlier_entry(by, request.key):
        return info(lines, parsed_place.match, discussion.request_of(earlier.revision), viewer)
    loaded_line = lines.line(parsed_place.match, parsed_place.line)
    seat = _check_may_ask(loaded_line, discussion, viewer)
    check_head(loaded_line, request)
    line = loaded_line.line
    target = _parent_of_amended(lines, loaded_line, place, move, viewer) if move else step_target(line, -steps)
    if target is None or not steps:
        raise no_more_moves(loaded_line, -steps)
    event = TakebackRequested(seat, line.stream, line.revision, line.head, target, move)
    while True:
        discussion = lines.discussion(parsed_place.match)
        number = len(discussion.requests) + 1
        discussion.check(event)
        takeback = discussion.open_request(event, number, by, writer.clock())
        approval_events = [] if _missing_consents(lines, loaded_line, takeback) else [RequestGranted(number)]
        draft = writer.draft([event, *approval_events], by, key=request.key)
        if _store_answer(writer, lines, loaded_line, discussion, draft, takeback if approval_events else None):
            break
    discussion = lines.discussion(parsed_place.match)
    return info(lines, parsed_place.match, discussion.requests[number], viewer)


def _check_may_ask(loaded_line: LoadedLine, discussion: Discussion, viewer: Viewer) -> Seat:
    if not viewer.seat:
        raise GameError("no seat given", "a takeback is asked for by a seat", ["takeback --as SEAT"])
    if discussion.takebacks == "never":
        raise GameError("takebacks are off in this game", "it was started with takebacks=never")
    if loaded_line.game.evolution.outcome(loaded_line.states.state_at(loaded_line.line.head)).over:
        raise GameError("a finished game can't be changed", "its end has shown the hidden cards", ["fork PLACE NAME"])
    return viewer.seat


def _parent_of_amended(lines: LineRepository, loaded_line: LoadedLine, place: str, move: str, viewer: Viewer) -> bytes:
    """The commit before the one to replace. Raises `GameError` if that can't be replaced."""
    check_no_peeking(loaded_line.game, viewer, "amend")
    at = parse_place(place).at
    if not at:
        raise GameError("no move given", "name one by its position", [f"amend {loaded_line.place}@12 MOVE --ask"])
    digest = lines.locate(loaded_line, at)
    if not loaded_line.line.commits[digest].parent:
        raise GameError(f"{loaded_line.place}@start is the set-up", "only moves can be amended", ["new"])
    if not is_on_path(loaded_line.line, digest, loaded_line.line.head):
        raise GameError(
            f"{place} was taken back already", "you can only replace a move of the line", [f"log {loaded_line.place}"]
        )
    before = loaded_line.line.commits[digest].parent
    if loaded_line.commit(digest).seat != viewer.seat:
        raise GameError(f"{loaded_line.commit(digest).text} is not yours", "you can only replace your own moves")
    replay_result = _replay_with(lines, loaded_line, before, move, digest)
    check_unbound(lines.bindings_on(loaded_line), replay_result.commits)
    return before


def _replay_with(lines: LineRepository, loaded_line: LoadedLine, before: bytes, move: str, digest: bytes) -> Replay:
    """The line with the move `digest` replaced and the later moves played again. Raises `RefusedError`."""
    commit = loaded_line.commit(digest)
    first_commit = try_command(loaded_line.position(before), move, commit.at, commit.seat)
    if isinstance(first_commit, Refused):
        raise RefusedError(move, first_commit)
    later_commits = [
        loaded_line.commit(each)
        for each in path_to(loaded_line.line, loaded_line.line.head)[loaded_line.line.numbers[digest] + 1 :]
    ]
    after = rewriting.replay(first_commit, later_commits, "skip", commit.at)
    return replace(after, commits=(first_commit.commit, *after.commits))


def answer(
    writer: Writer, lines: LineRepository, match: str, number: int, what: RequestStatus, request: WriteRequest
) -> RequestInfo:
    """Accepts or declines a request, or withdraws your own; without a number the only one that you can answer.

    When the last seat agrees, its answer and the takeback are stored together.
    """
    viewer, by = request.viewer, request.by
    while True:
        discussion = lines.discussion(match)
        if earlier := discussion.earlier_entry(by, request.key):
            return info(lines, match, discussion.request_of(earlier.revision), viewer)
        takeback = _find_request(lines, match, discussion, number, what, viewer)
        loaded_line = _line_of(lines, match, takeback)
        events = list[DiscussionEvent]()
        if what == "withdrawn":
            events = [RequestWithdrawn(takeback.number)]
        else:
            events = [RequestAnswered(takeback.number, viewer.seat or "", what == "granted")]
        for event in events:
            discussion.check(event)
        agreed_takeback = replace(takeback, accepted=(*takeback.accepted, viewer.seat or ""))
        is_granted = what == "granted" and not _missing_consents(lines, loaded_line, agreed_takeback)
        if is_granted:
            events.append(RequestGranted(takeback.number))
        draft = writer.draft(events, by, key=request.key)
        if _store_answer(writer, lines, loaded_line, discussion, draft, agreed_takeback if is_granted else None):
            return info(lines, match, lines.discussion(match).requests[takeback.number], viewer)


def _find_request(
    lines: LineRepository, match: str, discussion: Discussion, number: int, what: RequestStatus, viewer: Viewer
) -> TakebackRequest:
    """The request to answer. Raises `GameError` or `UnknownError` if the viewer can't answer it so."""
    verb = {"granted": "accept", "declined": "decline", "withdrawn": "withdraw"}.get(what, "answer")
    if not viewer.seat:
        raise GameError(f"{verb}: no seat given", "a request is answered by a seat", [f"{verb} --as SEAT"])
    open_requests = [info(lines, match, each, viewer) for each in discussion.requests.values()]
    for_me = [
        each for each in open_requests if each.status == "open" and (each.seat == viewer.seat) == (what == "withdrawn")
    ]
    if not number and len(for_me) != 1:
        title = "no request given" if for_me else f"there is nothing to {verb}"
        raise UnknownError(title, "", [f"{verb} {each.number}" for each in for_me] or ["requests"])
    request = next((each for each in open_requests if each.number == number), None) if number else for_me[0]
    if request is None:
        raise UnknownError(f"there is no request {number}", "", ["requests"])
    if request.status != "open":
        why = (
            f"{request.line or 'its line'} has moved on since"
            if request.status == "lapsed"
            else "nothing is left of it"
        )
        raise GameError(f"request {request.number} is {request.status}", why, ["requests"])
    if what == "withdrawn" and request.seat != viewer.seat:
        raise GameError(f"request {request.number} is {request.seat}'s", "only they can withdraw it", ["decline"])
    if what != "withdrawn" and viewer.seat not in request.waiting:
        why = "you have asked for it" if request.seat == viewer.seat else "you have answered already"
        raise GameError(f"request {request.number} does not wait for {viewer.seat}", why, ["requests"])
    return discussion.requests[request.number]


def _line_of(lines: LineRepository, match: str, takeback: TakebackRequest) -> LoadedLine:
    return lines.line(match, lines.names(match).name_of(takeback.line))


def _missing_consents(lines: LineRepository, loaded_line: LoadedLine, takeback: TakebackRequest) -> Sequence[Seat]:
    """The seats that still have to agree. With takebacks=free none, unless the asking seat saw hidden cards since."""
    if lines.discussion(loaded_line.match).takebacks == "free" and not _revealing_moves(loaded_line, takeback):
        return []
    seats = loaded_line.game.evolution.seats(loaded_line.states.state_at(loaded_line.line.head))
    return [seat for seat in lines.people(loaded_line.match, seats) if seat not in (takeback.seat, *takeback.accepted)]


def _revealing_moves(loaded_line: LoadedLine, takeback: TakebackRequest) -> tuple[int, ...]:
    """The numbers of the moves to take back that showed the asking seat something hidden."""
    secrets, line = loaded_line.game.secrets, loaded_line.line
    if secrets is None:
        return ()
    path_since = path_to(line, takeback.head)[line.numbers[takeback.to] + 1 :]
    return tuple(
        line.numbers[digest] for digest in path_since if reveals_more(loaded_line, secrets, digest, takeback.seat)
    )


def _store_answer(
    writer: Writer,
    lines: LineRepository,
    loaded_line: LoadedLine,
    discussion: Discussion,
    draft: Draft,
    granted: TakebackRequest | None,
) -> bool:
    """Stores a request or an answer, and the takeback if it is `granted`; false if another writer was faster."""
    store, line = writer.store, loaded_line.line
    try:
        entries_done = list[Entry]()
        if granted:
            entries_done = store.seal_entries(
                line.stream, granted.revision, _takeback_drafts(writer, lines, loaded_line, granted), granted.to
            )
        store.adopt([*entries_done, store.seal_entry(discussion.stream, discussion.revision, draft)])
    except ConflictError:
        return False
    return True


def _takeback_drafts(
    writer: Writer, lines: LineRepository, loaded_line: LoadedLine, granted: TakebackRequest
) -> list[Draft]:
    """The entries of a takeback: the head moves back; a replacement is played, then the later moves that are legal."""
    head_move = writer.draft([HeadMoved(granted.head, granted.to)], granted.by)
    if not granted.move:
        return [head_move]
    digest = path_to(loaded_line.line, granted.head)[loaded_line.line.numbers[granted.to] + 1]
    replay_result = _replay_with(lines, loaded_line, granted.to, granted.move, digest)
    check_unbound(lines.bindings_on(loaded_line), replay_result.commits)
    return [
        head_move,
        *(writer.draft(each.events, granted.by, state=bytes.fromhex(each.state)) for each in replay_result.commits),
    ]


def infos(lines: LineRepository, match: str, viewer: Viewer) -> Sequence[RequestInfo]:
    """All requests of a game, oldest first, as a viewer may see them."""
    return [info(lines, match, each, viewer) for each in lines.discussion(match).requests.values()]


def info(lines: LineRepository, match: str, takeback: TakebackRequest, viewer: Viewer) -> RequestInfo:
    """A request as a viewer may see it. While it is open, `gone` has the moves that would be lost."""
    name = lines.names(match).name_of(takeback.line)
    loaded_line = lines.line(match, name) if name else None
    status: RequestStatus = takeback.ended
    if status == "open":
        status = "open" if loaded_line and loaded_line.line.revision == takeback.revision else "lapsed"
    commits_gone: Sequence[Commit] = ()
    if loaded_line and status == "open":
        path_since = path_to(loaded_line.line, takeback.head)[loaded_line.line.numbers[takeback.to] + 1 :]
        commits_gone = [loaded_line.commit(each) for each in path_since]
        if takeback.move:
            replay_result = _replay_with(lines, loaded_line, takeback.to, takeback.move, path_since[0])
            commits_gone = [commits_gone[0], *(conflict.commit for conflict in replay_result.conflicts)]
        commits_gone = [commit_for(loaded_line.game, each, viewer) for each in commits_gone]
    return RequestInfo(
        number=takeback.number,
        by=takeback.by,
        seat=takeback.seat,
        at=takeback.at,
        line=name,
        to=loaded_line.line.numbers[takeback.to] if loaded_line and takeback.to in loaded_line.line.numbers else 0,
        move=takeback.move,
        status=status,
        gone=commit_documents(commits_gone),
        accepted=takeback.accepted,
        declined=takeback.declined,
        waiting=tuple(_missing_consents(lines, loaded_line, takeback)) if loaded_line and status == "open" else (),
        seen=_revealing_moves(loaded_line, takeback) if loaded_line and status == "open" else (),
    )
