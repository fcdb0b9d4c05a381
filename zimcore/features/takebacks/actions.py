"""Asking for a takeback, answering, and reading the requests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from event_store import ConflictError, Draft, Entry, HeadMoved
from event_store.line_history import is_on_path, path_to
from zimcore.commits import Commit
from zimcore.documents.positions import commit_documents
from zimcore.documents.query_parameters import PageQuery
from zimcore.features.takebacks.documents import (
    ANSWER,
    ASK,
    REQUESTS,
    NewRequest,
    RequestInfo,
    RequestReply,
    RequestsAnswer,
    RequestStatus,
)
from zimcore.features.takebacks.events import (
    RequestAnswered,
    RequestEvent,
    RequestGranted,
    Requests,
    RequestWithdrawn,
    TakebackRequest,
    TakebackRequested,
)
from zimcore.game import GameError, Refused, RefusedError, Seat, UnknownError
from zimcore.service.actions import ActionCall, action
from zimcore.service.lines.line_repository import LineRepository, LoadedLine
from zimcore.service.lines.visibility import Viewer, check_no_peeking, check_not_over, commit_for, reveals_more
from zimcore.service.records.deciding import try_command
from zimcore.service.records.discussion import Discussion
from zimcore.service.records.places import parse_place
from zimcore.service.records.results import Replay
from zimcore.service.records.signed_commands import check_unbound
from zimcore.service.writing import rewriting
from zimcore.service.writing.writer import (
    Writer,
    check_head,
    commit_after_moves,
    no_more_moves_error,
)


@action(REQUESTS, items="requests", folded=True)
def requests(call: ActionCall, _: PageQuery) -> RequestsAnswer:
    """The takeback requests, first to last; open ones with what they would undo."""
    return RequestsAnswer(call.match, tuple(request_infos(call.repository, call.match, call.viewer)))


@action(ASK)
def ask(call: ActionCall, body: NewRequest) -> RequestsAnswer:
    """Asks the other players for a takeback, on a public line; if no consent is needed it is done at once."""
    writer, repository, place, steps, move = call.writer, call.repository, call.place, body.steps, body.move
    parsed_place = parse_place(place)
    request = call.request_about_line("ask", parsed_place.line, parsed_place.position, steps, move)
    viewer, author = request.viewer, request.by
    discussion = repository.discussion(parsed_place.match)
    if earlier_entry := discussion.earlier_entry(author, request.key):
        return about(call, discussion.of(Requests).of_revision(earlier_entry.revision))
    loaded_line = repository.line(parsed_place.match, parsed_place.line)
    seat = _check_may_ask(loaded_line, discussion, viewer)
    check_head(loaded_line, request)
    line, programs = loaded_line.line, repository.known_names(loaded_line.match).bots_on(loaded_line.name)
    target = (
        _parent_of_amended(repository, loaded_line, place, move, viewer)
        if move
        else commit_after_moves(loaded_line, -steps, programs)
    )
    if not steps:
        raise no_more_moves_error(loaded_line, -1, programs)
    event = TakebackRequested(seat, line.stream, line.revision, line.head, target, move)
    while True:
        discussion = repository.discussion(parsed_place.match)
        discussion.of(Requests).check_follows(event)
        takeback = discussion.of(Requests).from_event(event, author, writer.clock())
        number = takeback.number
        granting_events = [] if _missing_consents(repository, loaded_line, takeback) else [RequestGranted(number)]
        draft = writer.draft([event, *granting_events], author, key=request.key)
        if _store_answer(writer, repository, loaded_line, discussion, draft, takeback if granting_events else None):
            break
    return about(call, repository.discussion(parsed_place.match).of(Requests).by_number[number])


def about(call: ActionCall, takeback: TakebackRequest | None) -> RequestsAnswer:
    """A list of one request, as the viewer may see it."""
    assert takeback, "an entry with the id of a request is about one"
    return RequestsAnswer(call.match, (request_info(call.repository, call.match, takeback, call.viewer),))


def _check_may_ask(loaded_line: LoadedLine, discussion: Discussion, viewer: Viewer) -> Seat:
    if discussion.takebacks == "never":
        raise GameError("takebacks are off in this game", "it was started with takebacks=never")
    check_not_over(loaded_line, f"fork {loaded_line.place} NAME")
    if not viewer.seat:
        raise GameError("no seat given", "a takeback is asked for by a seat", ["takeback --as SEAT"])
    return viewer.seat


def _parent_of_amended(
    repository: LineRepository, loaded_line: LoadedLine, place: str, move: str, viewer: Viewer
) -> bytes:
    """The commit before the one to replace. Raises `GameError` if that can't be replaced."""
    check_no_peeking(loaded_line.game, viewer, "amend")
    position_name = parse_place(place).position
    if not position_name:
        raise GameError("no move given", "name one by its position", [f"amend {loaded_line.place}@12 MOVE --ask"])
    digest = repository.locate(loaded_line, position_name)
    if not loaded_line.line.commits[digest].parent:
        raise GameError(f"{loaded_line.place}@start is the set-up", "only moves can be amended", ["new"])
    if not is_on_path(loaded_line.line, digest, loaded_line.line.head):
        raise GameError(
            f"{place} was taken back already", "you can only replace a move of the line", [f"log {loaded_line.place}"]
        )
    parent_digest = loaded_line.line.commits[digest].parent
    if loaded_line.commit(digest).seat != viewer.seat:
        raise GameError(f"{loaded_line.commit(digest).text} is not yours", "you can only replace your own moves")
    replay_result = _replay_with(repository, loaded_line, parent_digest, move, digest)
    check_unbound(repository.bindings_on(loaded_line), replay_result.commits)
    return parent_digest


def _replay_with(
    repository: LineRepository, loaded_line: LoadedLine, parent_digest: bytes, move: str, digest: bytes
) -> Replay:
    """The line with the move `digest` replaced and the later moves played again. Raises `RefusedError`."""
    commit = loaded_line.commit(digest)
    first_position = try_command(loaded_line.position(parent_digest), move, commit.at, commit.seat)
    if isinstance(first_position, Refused):
        raise RefusedError(move, first_position)
    later_commits = [
        loaded_line.commit(later_digest)
        for later_digest in path_to(loaded_line.line, loaded_line.line.head)[
            loaded_line.line.commit_numbers[digest] + 1 :
        ]
    ]
    later_replay = rewriting.replay(first_position, later_commits, "skip", commit.at)
    return replace(later_replay, commits=(first_position.commit, *later_replay.commits))


def only_request(call: ActionCall, body: RequestReply) -> int:
    """The number of the request that an answer without a number is about."""
    return _find_request(call, 0, body.status).number


@action(ANSWER, implied_number=only_request)
def answer(call: ActionCall, body: RequestReply) -> RequestsAnswer:
    """Accepts or declines a request, or withdraws your own. When the last player accepts, the takeback is done.

    Without a number it is about the only one that you can answer so.
    """
    writer, repository, match, status = call.writer, call.repository, call.match, body.status
    number = int(call.path.get("number", 0))
    request = call.request("answer", status, number)
    viewer, author = request.viewer, request.by
    while True:
        discussion = repository.discussion(match)
        if earlier_entry := discussion.earlier_entry(author, request.key):
            return about(call, discussion.of(Requests).of_revision(earlier_entry.revision))
        takeback = _find_request(call, number, status)
        loaded_line = _line_of(repository, match, takeback)
        events = list[RequestEvent]()
        if status == "withdrawn":
            events = [RequestWithdrawn(takeback.number)]
        else:
            events = [RequestAnswered(takeback.number, viewer.seat or "", status == "granted")]
        for event in events:
            discussion.of(Requests).check_follows(event)
        agreed_takeback = replace(takeback, accepted_by=(*takeback.accepted_by, viewer.seat or ""))
        is_granted = status == "granted" and not _missing_consents(repository, loaded_line, agreed_takeback)
        if is_granted:
            events.append(RequestGranted(takeback.number))
        draft = writer.draft(events, author, key=request.key)
        if _store_answer(writer, repository, loaded_line, discussion, draft, agreed_takeback if is_granted else None):
            return about(call, repository.discussion(match).of(Requests).by_number[takeback.number])


def _find_request(call: ActionCall, number: int, status: RequestStatus) -> TakebackRequest:
    """The request to answer. Raises `GameError` or `UnknownError` if the viewer can't answer it so."""
    verb = {"granted": "accept", "declined": "decline", "withdrawn": "withdraw"}.get(status, "answer")
    viewer = call.viewer
    if not viewer.seat:
        raise GameError(f"{verb}: no seat given", "a request is answered by a seat", [f"{verb} --as SEAT"])
    by_number = call.repository.discussion(call.match).of(Requests).by_number
    all_infos = request_infos(call.repository, call.match, viewer)
    answerable_requests = [
        info for info in all_infos if info.status == "open" and (info.seat == viewer.seat) == (status == "withdrawn")
    ]
    if not number and len(answerable_requests) != 1:
        what = "no request given" if answerable_requests else f"there is nothing to {verb}"
        raise UnknownError(what, "", [f"{verb} {each.number}" for each in answerable_requests] or ["requests"])
    request = next((each for each in all_infos if each.number == number), None) if number else answerable_requests[0]
    if request is None:
        raise UnknownError(f"there is no request {number}", "", ["requests"])
    if request.status != "open":
        why = (
            f"{request.line or 'its line'} has moved on since"
            if request.status == "lapsed"
            else "nothing is left of it"
        )
        raise GameError(f"request {request.number} is {request.status}", why, ["requests"])
    if status == "withdrawn" and request.seat != viewer.seat:
        raise GameError(f"request {request.number} is {request.seat}'s", "only they can withdraw it", ["decline"])
    if status != "withdrawn" and viewer.seat not in request.waiting:
        why = "you have asked for it" if request.seat == viewer.seat else "you have answered already"
        raise GameError(f"request {request.number} does not wait for {viewer.seat}", why, ["requests"])
    return by_number[request.number]


def _line_of(repository: LineRepository, match: str, takeback: TakebackRequest) -> LoadedLine:
    return repository.line(match, repository.names(match).name_of(takeback.line))


def _missing_consents(repository: LineRepository, loaded_line: LoadedLine, takeback: TakebackRequest) -> Sequence[Seat]:
    """The seats that still have to agree. With takebacks=free none, unless the asking seat saw hidden cards since."""
    if repository.discussion(loaded_line.match).takebacks == "free" and not _revealing_moves(loaded_line, takeback):
        return []
    seats = loaded_line.game.evolution.seats(loaded_line.states.state_at(loaded_line.line.head))
    return [
        seat
        for seat in repository.human_seats(loaded_line.match, seats)
        if seat not in (takeback.seat, *takeback.accepted_by)
    ]


def _revealing_moves(loaded_line: LoadedLine, takeback: TakebackRequest) -> tuple[int, ...]:
    """The numbers of the moves to take back that showed the asking seat something hidden."""
    secrets, line = loaded_line.game.secrets, loaded_line.line
    if secrets is None:
        return ()
    digests_since = path_to(line, takeback.head)[line.commit_numbers[takeback.to] + 1 :]
    return tuple(
        line.commit_numbers[digest]
        for digest in digests_since
        if reveals_more(loaded_line, secrets, digest, takeback.seat)
    )


def _store_answer(
    writer: Writer,
    repository: LineRepository,
    loaded_line: LoadedLine,
    discussion: Discussion,
    draft: Draft,
    granted_takeback: TakebackRequest | None,
) -> bool:
    """Stores a request or an answer, and the takeback if it is granted; false if another writer was faster."""
    store, line = writer.store, loaded_line.line
    try:
        takeback_entries = list[Entry]()
        if granted_takeback:
            takeback_entries = store.seal_entries(
                line.stream,
                granted_takeback.revision,
                _takeback_drafts(writer, repository, loaded_line, granted_takeback),
                granted_takeback.to,
            )
        store.adopt([*takeback_entries, store.seal_entry(discussion.stream, discussion.revision, draft)])
    except ConflictError:
        return False
    return True


def _takeback_drafts(
    writer: Writer, repository: LineRepository, loaded_line: LoadedLine, granted_takeback: TakebackRequest
) -> list[Draft]:
    """The entries of a takeback: the head moves back; a replacement is played, then the later moves that are legal."""
    head_draft = writer.draft([HeadMoved(granted_takeback.head, granted_takeback.to)], granted_takeback.by)
    if not granted_takeback.move:
        return [head_draft]
    digest = path_to(loaded_line.line, granted_takeback.head)[loaded_line.line.commit_numbers[granted_takeback.to] + 1]
    replay_result = _replay_with(repository, loaded_line, granted_takeback.to, granted_takeback.move, digest)
    check_unbound(repository.bindings_on(loaded_line), replay_result.commits)
    return [
        head_draft,
        *(
            writer.draft(commit.events, granted_takeback.by, state=bytes.fromhex(commit.state))
            for commit in replay_result.commits
        ),
    ]


def request_infos(repository: LineRepository, match: str, viewer: Viewer) -> Sequence[RequestInfo]:
    """All requests of a game, oldest first, as a viewer may see them."""
    by_number = repository.discussion(match).of(Requests).by_number
    return [request_info(repository, match, each, viewer) for each in by_number.values()]


def request_info(repository: LineRepository, match: str, takeback: TakebackRequest, viewer: Viewer) -> RequestInfo:
    """A request as a viewer may see it. While it is open, `gone` has the moves that would be lost."""
    line_name = repository.names(match).name_of(takeback.line)
    loaded_line = repository.line(match, line_name) if line_name else None
    status: RequestStatus = takeback.status
    if status == "open":
        status = "open" if loaded_line and loaded_line.line.revision == takeback.revision else "lapsed"
    lost_commits: Sequence[Commit] = ()
    if loaded_line and status == "open":
        digests_since = path_to(loaded_line.line, takeback.head)[loaded_line.line.commit_numbers[takeback.to] + 1 :]
        lost_commits = [loaded_line.commit(each) for each in digests_since]
        if takeback.move:
            replay_result = _replay_with(repository, loaded_line, takeback.to, takeback.move, digests_since[0])
            lost_commits = [lost_commits[0], *(conflict.commit for conflict in replay_result.conflicts)]
        lost_commits = [commit_for(loaded_line.game, each, viewer) for each in lost_commits]
    return RequestInfo(
        number=takeback.number,
        by=takeback.by,
        seat=takeback.seat,
        at=takeback.at,
        line=line_name,
        to=loaded_line.line.commit_numbers[takeback.to]
        if loaded_line and takeback.to in loaded_line.line.commit_numbers
        else 0,
        move=takeback.move,
        status=status,
        gone=commit_documents(lost_commits),
        accepted=takeback.accepted_by,
        declined=takeback.declined_by,
        waiting=tuple(_missing_consents(repository, loaded_line, takeback)) if loaded_line and status == "open" else (),
        seen=_revealing_moves(loaded_line, takeback) if loaded_line and status == "open" else (),
    )


def notice_texts(repository: LineRepository, match: str, seat: Seat) -> Mapping[str, str]:
    """What a seat is told while away: the requests that wait for it, by keys that are stored."""
    return {
        f"request {info.number}": f"{info.by} asks in {match} to take moves back: requests {match}"
        for info in request_infos(repository, match, Viewer(seat))
        if info.status == "open" and seat in info.waiting
    }
