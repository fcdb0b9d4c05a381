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
    named, viewer, by = parse_place(place), request.viewer, request.by
    discussion = lines.discussion(named.match)
    if made := discussion.earlier_entry(by, request.key):
        return info(lines, named.match, discussion.request_of(made.revision), viewer)
    found = lines.line(named.match, named.line)
    seat = _check_may_ask(found, discussion, viewer)
    check_head(found, request)
    line = found.line
    target = _parent_of_amended(lines, found, place, move, viewer) if move else step_target(line, -steps)
    if target is None or not steps:
        raise no_more_moves(found, -steps)
    event = TakebackRequested(seat, line.stream, line.revision, line.head, target, move)
    while True:
        discussion = lines.discussion(named.match)
        number = len(discussion.requests) + 1
        discussion.check(event)
        takeback = discussion.open_request(event, number, by, writer.clock())
        granted = [] if _missing_consents(lines, found, takeback) else [RequestGranted(number)]
        draft = writer.draft([event, *granted], by, key=request.key)
        if _store_answer(writer, lines, found, discussion, draft, takeback if granted else None):
            break
    discussion = lines.discussion(named.match)
    return info(lines, named.match, discussion.requests[number], viewer)


def _check_may_ask(loaded: LoadedLine, discussion: Discussion, viewer: Viewer) -> Seat:
    if not viewer.seat:
        raise GameError("no seat given", "a takeback is asked for by a seat", ["takeback --as SEAT"])
    if discussion.takebacks == "never":
        raise GameError("takebacks are off in this game", "it was started with takebacks=never")
    if loaded.game.evolution.outcome(loaded.states.state_at(loaded.line.head)).over:
        raise GameError("a finished game can't be changed", "its end has shown the hidden cards", ["fork PLACE NAME"])
    return viewer.seat


def _parent_of_amended(lines: LineRepository, loaded: LoadedLine, place: str, move: str, viewer: Viewer) -> bytes:
    """The commit before the one to replace. Raises `GameError` if that can't be replaced."""
    check_no_peeking(loaded.game, viewer, "amend")
    at = parse_place(place).at
    if not at:
        raise GameError("no move given", "name one by its position", [f"amend {loaded.place}@12 MOVE --ask"])
    digest = lines.locate(loaded, at)
    if not loaded.line.commits[digest].parent:
        raise GameError(f"{loaded.place}@start is the set-up", "only moves can be amended", ["new"])
    if not is_on_path(loaded.line, digest, loaded.line.head):
        raise GameError(
            f"{place} was taken back already", "you can only replace a move of the line", [f"log {loaded.place}"]
        )
    before = loaded.line.commits[digest].parent
    if loaded.commit(digest).seat != viewer.seat:
        raise GameError(f"{loaded.commit(digest).text} is not yours", "you can only replace your own moves")
    whole = _replay_with(lines, loaded, before, move, digest)
    check_unbound(lines.bindings_on(loaded), whole.commits)
    return before


def _replay_with(lines: LineRepository, loaded: LoadedLine, before: bytes, move: str, digest: bytes) -> Replay:
    """The line with the move `digest` replaced and the later moves played again. Raises `RefusedError`."""
    commit = loaded.commit(digest)
    changed = try_command(loaded.position(before), move, commit.at, commit.seat)
    if isinstance(changed, Refused):
        raise RefusedError(move, changed)
    later = [loaded.commit(each) for each in path_to(loaded.line, loaded.line.head)[loaded.line.numbers[digest] + 1 :]]
    after = rewriting.replay(changed, later, "skip", commit.at)
    return replace(after, commits=(changed.commit, *after.commits))


def answer(
    writer: Writer, lines: LineRepository, match: str, number: int, what: RequestStatus, request: WriteRequest
) -> RequestInfo:
    """Accepts or declines a request, or withdraws your own; without a number the only one that you can answer.

    When the last seat agrees, its answer and the takeback are stored together.
    """
    viewer, by = request.viewer, request.by
    while True:
        discussion = lines.discussion(match)
        if made := discussion.earlier_entry(by, request.key):
            return info(lines, match, discussion.request_of(made.revision), viewer)
        takeback = _find_request(lines, match, discussion, number, what, viewer)
        found = _line_of(lines, match, takeback)
        events = list[DiscussionEvent]()
        if what == "withdrawn":
            events = [RequestWithdrawn(takeback.number)]
        else:
            events = [RequestAnswered(takeback.number, viewer.seat or "", what == "granted")]
        for event in events:
            discussion.check(event)
        agreed = replace(takeback, accepted=(*takeback.accepted, viewer.seat or ""))
        done = what == "granted" and not _missing_consents(lines, found, agreed)
        if done:
            events.append(RequestGranted(takeback.number))
        draft = writer.draft(events, by, key=request.key)
        if _store_answer(writer, lines, found, discussion, draft, agreed if done else None):
            return info(lines, match, lines.discussion(match).requests[takeback.number], viewer)


def _find_request(
    lines: LineRepository, match: str, discussion: Discussion, number: int, what: RequestStatus, viewer: Viewer
) -> TakebackRequest:
    """The request to answer. Raises `GameError` or `UnknownError` if the viewer can't answer it so."""
    verb = {"granted": "accept", "declined": "decline", "withdrawn": "withdraw"}.get(what, "answer")
    if not viewer.seat:
        raise GameError(f"{verb}: no seat given", "a request is answered by a seat", [f"{verb} --as SEAT"])
    known = [info(lines, match, each, viewer) for each in discussion.requests.values()]
    for_me = [each for each in known if each.status == "open" and (each.seat == viewer.seat) == (what == "withdrawn")]
    if not number and len(for_me) != 1:
        title = "no request given" if for_me else f"there is nothing to {verb}"
        raise UnknownError(title, "", [f"{verb} {each.number}" for each in for_me] or ["requests"])
    meant = next((each for each in known if each.number == number), None) if number else for_me[0]
    if meant is None:
        raise UnknownError(f"there is no request {number}", "", ["requests"])
    if meant.status != "open":
        why = f"{meant.line or 'its line'} has moved on since" if meant.status == "lapsed" else "nothing is left of it"
        raise GameError(f"request {meant.number} is {meant.status}", why, ["requests"])
    if what == "withdrawn" and meant.seat != viewer.seat:
        raise GameError(f"request {meant.number} is {meant.seat}'s", "only they can withdraw it", ["decline"])
    if what != "withdrawn" and viewer.seat not in meant.waiting:
        why = "you have asked for it" if meant.seat == viewer.seat else "you have answered already"
        raise GameError(f"request {meant.number} does not wait for {viewer.seat}", why, ["requests"])
    return discussion.requests[meant.number]


def _line_of(lines: LineRepository, match: str, takeback: TakebackRequest) -> LoadedLine:
    return lines.line(match, lines.names(match).name_of(takeback.line))


def _missing_consents(lines: LineRepository, loaded: LoadedLine, takeback: TakebackRequest) -> Sequence[Seat]:
    """The seats that still have to agree. With takebacks=free none, unless the asking seat saw hidden cards since."""
    if lines.discussion(loaded.match).takebacks == "free" and not _revealing_moves(loaded, takeback):
        return []
    seats = loaded.game.evolution.seats(loaded.states.state_at(loaded.line.head))
    return [seat for seat in lines.people(loaded.match, seats) if seat not in (takeback.seat, *takeback.accepted)]


def _revealing_moves(loaded: LoadedLine, takeback: TakebackRequest) -> tuple[int, ...]:
    """The numbers of the moves to take back that showed the asking seat something hidden."""
    secrets, line = loaded.game.secrets, loaded.line
    if secrets is None:
        return ()
    since = path_to(line, takeback.head)[line.numbers[takeback.to] + 1 :]
    return tuple(line.numbers[digest] for digest in since if reveals_more(loaded, secrets, digest, takeback.seat))


def _store_answer(
    writer: Writer,
    lines: LineRepository,
    loaded: LoadedLine,
    discussion: Discussion,
    draft: Draft,
    granted: TakebackRequest | None,
) -> bool:
    """Stores a request or an answer, and the takeback if it is `granted`; false if another writer was faster."""
    store, line = writer.store, loaded.line
    try:
        done = list[Entry]()
        if granted:
            done = store.seal_entries(
                line.stream, granted.revision, _takeback_drafts(writer, lines, loaded, granted), granted.to
            )
        store.adopt([*done, store.seal_entry(discussion.stream, discussion.revision, draft)])
    except ConflictError:
        return False
    return True


def _takeback_drafts(
    writer: Writer, lines: LineRepository, loaded: LoadedLine, granted: TakebackRequest
) -> list[Draft]:
    """The entries of a takeback: the head moves back; a replacement is played, then the later moves that are legal."""
    back = writer.draft([HeadMoved(granted.head, granted.to)], granted.by)
    if not granted.move:
        return [back]
    digest = path_to(loaded.line, granted.head)[loaded.line.numbers[granted.to] + 1]
    whole = _replay_with(lines, loaded, granted.to, granted.move, digest)
    check_unbound(lines.bindings_on(loaded), whole.commits)
    return [back, *(writer.draft(each.events, granted.by, state=bytes.fromhex(each.state)) for each in whole.commits)]


def infos(lines: LineRepository, match: str, viewer: Viewer) -> Sequence[RequestInfo]:
    """All requests of a game, oldest first, as a viewer may see them."""
    return [info(lines, match, each, viewer) for each in lines.discussion(match).requests.values()]


def info(lines: LineRepository, match: str, takeback: TakebackRequest, viewer: Viewer) -> RequestInfo:
    """A request as a viewer may see it. While it is open, `gone` has the moves that would be lost."""
    name = lines.names(match).name_of(takeback.line)
    found = lines.line(match, name) if name else None
    status: RequestStatus = takeback.ended
    if status == "open":
        status = "open" if found and found.line.revision == takeback.revision else "lapsed"
    gone: Sequence[Commit] = ()
    if found and status == "open":
        since = path_to(found.line, takeback.head)[found.line.numbers[takeback.to] + 1 :]
        gone = [found.commit(each) for each in since]
        if takeback.move:
            whole = _replay_with(lines, found, takeback.to, takeback.move, since[0])
            gone = [gone[0], *(conflict.commit for conflict in whole.conflicts)]
        gone = [commit_for(found.game, each, viewer) for each in gone]
    return RequestInfo(
        number=takeback.number,
        by=takeback.by,
        seat=takeback.seat,
        at=takeback.at,
        line=name,
        to=found.line.numbers[takeback.to] if found and takeback.to in found.line.numbers else 0,
        move=takeback.move,
        status=status,
        gone=commit_documents(gone),
        accepted=takeback.accepted,
        declined=takeback.declined,
        waiting=tuple(_missing_consents(lines, found, takeback)) if found and status == "open" else (),
        seen=_revealing_moves(found, takeback) if found and status == "open" else (),
    )
