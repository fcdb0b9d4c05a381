"""Copies: the stored entries of a line, for clients that replay it; without secrets that the client may not know."""

from __future__ import annotations

from hashlib import sha256

import msgspec
from msgspec.structs import replace

from zimcore.documents import endpoints
from zimcore.documents.copies import CopyAnswer
from zimcore.documents.query_parameters import CopyQuery
from zimcore.server.endpoints.routing import Call, HandlerAnswer, handles, next_page_header
from zimcore.server.people.access import Visitor, place_of, viewer_of, visible_tags
from zimcore.server.people.member_documents import seats_answer
from zimcore.service import GameService
from zimcore.service.lines.copies import bound_seats, deal_document, named_lines


def copy_etag(call: Call, query: CopyQuery) -> str:
    """The ETag of a copy: a hash of all that the copy depends on. It is known before the entries are read."""
    service, visitor = call.service, call.visitor
    revisions = [service.discussion(call.game, owner_id).revision for owner_id in ("", visitor.grant.id)]
    empty_copy = copy_without_entries(service, visitor, call.game, call.line)
    return sha256(msgspec.json.encode((query, revisions, empty_copy))).hexdigest()[:32]


@handles(endpoints.COPY, make_etag=copy_etag)
def copy(call: Call, query: CopyQuery) -> HandlerAnswer[CopyAnswer]:
    """The entries of a line after a revision: as stored if nothing is hidden, else without what you may not know.

    Also the discussion after the revision `heard`, and your own notes after the revision `noted`.
    """
    service, visitor = call.service, call.visitor
    answer = copy_answer(service, visitor, call.game, call.line, query.after, query.limit)
    own_notes = service.copy_discussion(call.game, visitor.grant.id, query.noted) if visitor.seat else None
    answer = replace(answer, heard=service.copy_discussion(call.game, "", query.heard), noted=own_notes)
    if not (answer.more and answer.entries):
        return HandlerAnswer(answer)
    last_entry = answer.entries[-1]
    next_query = replace(query, after=last_entry.first + len(last_entry.rows) - 1)
    return HandlerAnswer(answer, headers=next_page_header(endpoints.COPY, call.path_values, next_query))


def copy_answer(
    service: GameService, visitor: Visitor, game: str, line: str, after_revision: int, max_entries: int
) -> CopyAnswer:
    """The entries of a line after a revision. Raises `ProblemError` if the visitor does not see the line."""
    empty_copy = copy_without_entries(service, visitor, game, line)
    seat = None if empty_copy.whole else viewer_of(service, visitor, line).seat or ""
    line_copy = service.copy(place_of(visitor, line), after_revision, seat, max_entries)
    return replace(
        empty_copy,
        revision=line_copy.revision,
        before=line_copy.digest_before,
        more=line_copy.has_more,
        entries=line_copy.entries,
    )


def copy_without_entries(service: GameService, visitor: Visitor, game: str, line: str) -> CopyAnswer:
    """A copy without entries: where its line stands, and the game around it, as the visitor sees it."""
    place, visible_lines = place_of(visitor, line), visitor.visible_lines
    is_whole, version = not service.hides(place), service.version(place)
    names, game_definition = service.names(game), service.game(game)
    seats, named_commits = seats_answer(service, game, visitor.members), named_lines(names, visible_lines)
    commit_names = (
        {}
        if game_definition.secrets
        else {commit.hex(): commit_name for commit, commit_name in names.recorded_deviations.items()}
    )
    return CopyAnswer(
        game=game,
        kind=game_definition.name,
        begun=service.begin_time(game),
        role=visitor.role,
        seat=visitor.seat,
        by=visitor.name,
        host=seats.host,
        public=seats.public,
        seats=seats.seats,
        bound=bound_seats(names, named_commits),
        recorded=commit_names,
        deal=deal_document(names.table, shows_secret=is_whole),
        lines=named_commits,
        tags=visible_tags(service, visitor),
        line=line,
        stream=version.line_stream,
        revision=version.line_revision,
        whole=is_whole,
    )
