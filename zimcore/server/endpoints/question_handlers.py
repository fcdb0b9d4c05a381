"""Handlers of questions about lines and positions: legal moves, why a value is what it is, how lines differ."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from zimcore.analysis.help_permission import check_help_allowed
from zimcore.analysis.hint import hint_answer
from zimcore.commits import Commit
from zimcore.documents import endpoints
from zimcore.documents.analysis import HintAnswer
from zimcore.documents.endpoint import Nothing
from zimcore.documents.history import BisectAnswer, CompareAnswer, StoryAnswer, WhyAnswer
from zimcore.documents.look import ShowAnswer, show_answer
from zimcore.documents.play import LegalAnswer, PlanAnswer, legal_answer, plan_answer, sample_answer
from zimcore.documents.query_parameters import (
    AtPlace,
    BisectQuery,
    CompareQuery,
    HintQuery,
    LegalQuery,
    PlanQuery,
    WhyQuery,
)
from zimcore.documents.storage import VerifyAnswer
from zimcore.game import UnknownError
from zimcore.history.history_documents import bisect_answer, compare_answer, story_answer, why_answer
from zimcore.server.endpoints.routing import Call, HandlerAnswer, handles, is_always_long, queried_place
from zimcore.server.people.access import Visitor, place_of, viewer_of
from zimcore.server.wire.problem_responses import ProblemError
from zimcore.service import GameService, Position
from zimcore.service.proofs import certificates
from zimcore.service.records.discussion import notes_on

CACHED_FOREVER = "max-age=31536000, immutable"


@handles(endpoints.LEGAL, queried_place, is_long=lambda query: bool(query.at))
def legal(call: Call, query: LegalQuery) -> LegalAnswer:
    """The legal commands that begin with the given words."""
    position = visible_position(call.service, call.visitor, call.line, query.at)
    return (
        sample_answer(position, query.sample)
        if query.sample >= 0
        else legal_answer(position, query.beginning, query.most)
    )


@handles(endpoints.WHY, is_long=is_always_long)
def why(call: Call, query: WhyQuery) -> WhyAnswer:
    """The events that led to the value of a square, a figure or an expression, newest first."""
    return why_answer(*position_and_log(call, call.line, query.at), query.what)


@handles(endpoints.COMPARE, is_long=is_always_long)
def compare(call: Call, query: CompareQuery) -> CompareAnswer:
    """How two positions of the same game differ, round by round from where their lines part."""
    other_line, _, other_position = query.other.partition("@")
    first_position, log = position_and_log(call, call.line, query.at)
    second_position, other_log = position_and_log(call, other_line or call.line, other_position)
    return compare_answer(first_position, second_position, log, other_log)


@handles(endpoints.BISECT, is_long=is_always_long)
def bisect(call: Call, query: BisectQuery) -> BisectAnswer:
    """The moves at which an expression becomes true or false."""
    return bisect_answer(*position_and_log(call, call.line, query.at), query.expression)


@handles(endpoints.PLAN, queried_place, is_long=is_always_long)
def plan(call: Call, query: PlanQuery) -> PlanAnswer:
    """The cheapest way to the given goals; without goals, what is worth doing."""
    return plan_answer(visible_position(call.service, call.visitor, call.line, query.at), query.goals.split())


@handles(endpoints.HINT, is_long=is_always_long)
def hint(call: Call, query: HintQuery) -> HintAnswer:
    """The best turns of the seat to move, for its player; when a game is over, for everybody.

    A game that started without help gives hints only after its end.
    """
    position = visible_position(call.service, call.visitor, call.line, query.at)
    return best_turns(call.service, call.visitor, position, query.nodes)


def best_turns(service: GameService, visitor: Visitor, position: Position, nodes: int) -> HintAnswer:
    """The best turns at a position. Raises `GameError`, and `ProblemError` if this visitor may not get a hint."""
    game = visitor.game
    check_help_allowed(service, game)
    is_over = service.position(f"{game}/{service.names(game).first_line}").outcome.over
    may_ask_now = visitor.seat and (visitor.owns(position.line) or visitor.seat in position.to_move)
    if not (is_over or may_ask_now):
        raise ProblemError(403, "only the player to move gets a hint", "other players get one when the game is over")
    return hint_answer(position, nodes)


@handles(endpoints.STORY, is_long=is_always_long)
def story(call: Call, query: AtPlace) -> StoryAnswer:
    """A report of the game, round by round."""
    position, log = position_and_log(call, call.line, query.at)
    return story_answer(position, log, notes_on(call.service.discussion(call.game), log))


@handles(endpoints.VERIFY, is_long=is_always_long)
def verify(call: Call, _: Nothing) -> VerifyAnswer:
    """Checks the hash chain of a line, and decides every command again. For an auditor, or the host."""
    place = call.place()
    audit = call.service.verify(place)
    if audit.fault and call.service.hides(place):
        # The fault of a command could reveal the hand that it was played from.
        audit = replace(audit, fault=replace(audit.fault, what="it is shown when nothing is hidden", commits={}))
    return VerifyAnswer(audit)


@handles(endpoints.CERTIFICATE, is_long=is_always_long)
def certificate(call: Call, query: AtPlace) -> HandlerAnswer[str]:
    """The certificate of a line: a file that proves it without this server. Only when no card is hidden any more."""
    place = call.place(query.at)
    if call.service.hides(call.place()):
        raise ProblemError(409, "hidden cards are not shown before the end", "this would show them", kind="hidden")
    line_certificate = call.service.certificate(place, call.viewer)
    return HandlerAnswer(certificates.to_bytes(line_certificate), head=line_certificate.header.head)


@handles(endpoints.POSITION, is_long=is_always_long)
def position(call: Call, _: Nothing) -> HandlerAnswer[ShowAnswer]:
    """A position by its digest, on any line; or its picture. The answer never changes."""
    digest, _dot, suffix = str(call.path_values["digest"]).partition(".")
    shown_position = position_with_digest(call.service, call.visitor, digest)
    cache_scope = "public" if call.visitor.members.public and shown_position.game.secrets is None else "private"
    headers = {"Cache-Control": f"{cache_scope}, {CACHED_FOREVER}"}
    if not suffix:
        return HandlerAnswer(show_answer(shown_position), head=digest, headers=headers)
    from zimcore.picture.sheet import draw_picture

    return HandlerAnswer(
        draw_picture(shown_position).encode(), head=digest, headers=headers, media_type="image/svg+xml"
    )


def position_and_log(call: Call, line: str, position_text: str) -> tuple[Position, Sequence[Commit]]:
    """A position on a line and the commits that lead to it, as the visitor may see them."""
    place, viewer = place_of(call.visitor, line, position_text), viewer_of(call.service, call.visitor, line)
    return call.service.position(place, viewer), call.service.log(place, viewer=viewer)


def visible_position(service: GameService, visitor: Visitor, line: str, position_text: str) -> Position:
    """A position, as the visitor may see it."""
    return service.position(place_of(visitor, line, position_text), viewer_of(service, visitor, line))


def position_with_digest(service: GameService, visitor: Visitor, digest: str) -> Position:
    """The position with a digest, on the first visible line that has it. Raises `ProblemError` if none has."""
    for line in visitor.visible_lines:
        try:
            return visible_position(service, visitor, line, digest)
        except UnknownError:
            continue
    raise ProblemError(404, f"there is no position {digest}")
