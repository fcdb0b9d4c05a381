"""The page of a game: spectators watch it live, and players play on it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from hashlib import sha256
from typing import Any
from urllib.parse import quote, urlencode

import msgspec
from litestar import Response, get
from litestar.response import Stream
from markupsafe import Markup
from msgspec.structs import replace

from zimcore.bots.registry import is_installed
from zimcore.commits import Commit, Position
from zimcore.documents.problems import ProblemDetails
from zimcore.game import Seat
from zimcore.picture.pieces import art_of
from zimcore.picture.replay import figures_of, replay_page, view_box
from zimcore.server.endpoints import question_handlers
from zimcore.server.endpoints.dispatcher import dispatcher_of
from zimcore.server.endpoints.question_handlers import visible_position
from zimcore.server.news.feeds import PAGE, SSE
from zimcore.server.news.notice_kinds import WEB_PUSH_KIND
from zimcore.server.pages import browser
from zimcore.server.pages.begin_again import form_again
from zimcore.server.pages.board_pictures import image_address, overlays_from_squares
from zimcore.server.pages.choices import command_menu, verb_buttons
from zimcore.server.pages.discussion_panel import discussion_values
from zimcore.server.pages.form_parsing import new_form_key
from zimcore.server.pages.log_entries import render_entries
from zimcore.server.pages.page_parameters import (
    GameQuestion,
    NewMove,
    PagePart,
    SeatOrRole,
    SelectedSquares,
    ShownLine,
    ShownPosition,
    TakebackNumber,
    TypedText,
    ValueToExplain,
    common_line,
)
from zimcore.server.pages.panels import Shown, asking_events, panel_values
from zimcore.server.pages.rendering import (
    HTML_TYPE,
    PAGE_HEADERS,
    accepted_encodings,
    html_reply,
    json_reply,
    with_names,
)
from zimcore.server.pages.rules_page import rules_address, rules_of_match
from zimcore.server.pages.seat_bar import people_at, seat_bar
from zimcore.server.pages.steps import facts, news_squares, parts_of, positions_to, questions_by_seat, steps_of
from zimcore.server.pages.study import study_values
from zimcore.server.people.access import Visitor, place_of, viewer_of
from zimcore.server.people.member_documents import seats_answer
from zimcore.server.wire.parameters import GameName, LastEventId
from zimcore.server.wire.problem_responses import ProblemError
from zimcore.server.wire.replies import AnyRequest, Reply, make_response
from zimcore.service import GameService, Viewer
from zimcore.service.lines.visibility import has_revealed
from zimcore.service.records.discussion import notes_on

TEMPLATE_BY_PART = {"act": "act.html", "around": "around.html", "study": "study.html"}


class PageView(msgspec.Struct, frozen=True):
    """The query of a game page: line and position, typed text, selected squares, questions; or only a `part` of it."""

    line: str = ""
    at: str = ""
    typed: str = ""
    squares: str = ""
    why: str = ""
    ask: str = ""
    takeback: str = ""
    new_move: str = ""
    part: str = ""


@get("/games/{game:str}")
async def show(
    request: AnyRequest,
    game: GameName,
    as_: SeatOrRole = "",
    line: ShownLine = "",
    at: ShownPosition = "",
    say: TypedText = "",
    square: SelectedSquares = "",
    why: ValueToExplain = "",
    ask: GameQuestion = "",
    back: TakebackNumber = "",
    instead: NewMove = "",
    part: PagePart = "",
) -> Response[Any]:
    """The page of a game, or only a part of it, such as the command menu."""
    if browser.came_from_elsewhere(request):
        return reload_page(request)
    tokens = await browser.act_in_game(request, game, as_)
    view = PageView(line, at, say, square, why.strip(), ask.strip(), back, instead.strip(), part)

    make_reply = partial(
        page_or_common_line, page_request=browser.page_request(request, game), tokens=tokens, view=view
    )
    dispatcher = dispatcher_of(request)
    if view.at or view.why or view.ask or not view.part:  # a whole page takes tens of milliseconds
        return await dispatcher.answer_long(request, game, make_reply)
    return await dispatcher.answer_read(request, game, make_reply)


def page_or_common_line(
    service: GameService,
    visitor: Visitor,
    *,
    page_request: browser.PageRequest,
    tokens: Mapping[str, str],
    view: PageView,
) -> Reply:
    """The page of a line. If the visitor can't see the line, the page of the common line, with the problem."""
    try:
        return make_page(page_request, service, visitor, tokens, view)
    except ProblemError as error:
        if error.details.status != 404 or not view.line or view.part:
            raise
        # A private line of another seat looks like one that does not exist: show the common line, and the problem.
        return make_page(page_request, service, visitor, tokens, replace(view, line="", at=""), error.details)


def reload_page(request: AnyRequest) -> Response[Any]:
    """A page that loads the requested one again: this time from our own site, so the browser sends all its cookies."""
    query = urlencode([*request.query_params.multi_items(), ("here", "1")])
    return make_response(html_reply(request, "reload.html", url=f"{request.url.path}?{query}"))


def make_page(
    page_request: browser.PageRequest,
    service: GameService,
    visitor: Visitor,
    tokens: Mapping[str, str],
    view: PageView,
    problem: ProblemDetails | None = None,
) -> Reply:
    """The page of a game, or a part of it; before the deal, the waiting page with the seats."""
    if not (visitor.lines or view.part):
        return waiting_page(page_request.encodings, service, visitor)
    line = view.line or common_line(visitor)
    head = visible_position(service, visitor, line, "")
    position = visible_position(service, visitor, line, view.at) if view.at else head
    as_ = next((name for name, token_text in tokens.items() if token_text == page_request.token), "")
    query = {"as": as_, "line": "" if line == visitor.lines[0] else line}
    values: dict[str, Any] = {
        "game": visitor.game,
        "line": line,
        "is_common_line": line == visitor.lines[0],
        "own": visitor.owns(line),
        "head": head,
        "position": position,
        "visitor": visitor,
        "as": as_,
        "query_prefix": "".join(f"{name}={quote(value, safe='')}&" for name, value in query.items() if value),
        "seats_and_roles": list(tokens),
        "key": new_form_key(),
        "problem": problem,
        "colours": head.colours,
        "part": view.part,
        "view": view,
        "push_key": page_request.push_key,
    }
    values["menu_address"] = page_address(visitor.game, as_, query["line"]) + ("" if as_ else "?as=")
    status = problem.status if problem else 200
    seats = seats_answer(service, visitor.game, visitor.members).seats
    seat_entries = seat_bar(
        position if not view.part else head,
        visitor,
        seats,
        page_request.listening_tokens.__contains__,
        {seat: bot for seat, bot in service.bots(head.place).items() if values["own"] or not is_installed(bot)},
    )
    # If nobody listens, count this spectator, whose page is being opened. After a reload, the old page may still count.
    watchers = page_request.watcher_count or int(not visitor.seat and not view.part)
    people = people_at(seats, head)
    values |= {"seatbar": seat_entries, "watchers": watchers, "people": people}
    is_served_match = values["is_common_line"] and bool(visitor.members.host)
    values["free_movers"] = [
        entry.seat for entry in seat_entries if is_served_match and not entry.by and entry.seat in head.to_move
    ]
    values["status_text"] = with_names(position.status, people)
    if view.part not in ("around", "study"):
        values |= action_values(service, visitor, head, view, people)
        is_over = values["is_common_line"] and (head.outcome.over or visitor.members.ended)
        values["again"] = form_again(service, visitor, head, tokens, page_request.tokens) if is_over else None
    if view.part != "act":
        viewer = viewer_of(service, visitor, line)
        log = service.log(f"{head.place}@{head.commit.digest}", viewer=viewer)
        if view.part != "study":
            values |= discussion_values(service, visitor, head, log)
            values |= panel_values("around", Shown(service, visitor, head, log, msgspec.structs.asdict(view)))
            values |= seating_values(service, visitor, line)
        if view.part != "around":
            values |= study_values(service, visitor, position, view.why, view.ask)
            values["can_go_on"] = page_request.open_play and may_go_on(service, visitor, position)
        if not view.part:
            values |= board_values(position, log, visitor.seat)
            values["asking_events"] = asking_events()
            entries = render_entries(log, values["people"], values["query_prefix"], colours=position.colours)
            values["entries"] = Markup(entries)  # noqa: S704 (their template escapes all text)
            values["image"] = (
                image_address(page_request.origin, position, page_address(position.match))
                if visitor.members.public
                else ""
            )
    return html_reply(page_request.encodings, TEMPLATE_BY_PART.get(view.part, "game.html"), status, **values)


def may_go_on(service: GameService, visitor: Visitor, position: Position) -> bool:
    """Whether a spectator may go on from a position against programs, in a game of their own."""
    is_public_spectator = visitor.members.public and visitor.role == "spectator"
    return is_public_spectator and not service.hides(position.place)


def waiting_page(encodings: str, service: GameService, visitor: Visitor) -> Reply:
    """The page of a game before the deal, with its seats."""
    seats = seats_answer(service, visitor.game, visitor.members).seats
    values = {"visitor": visitor, "seats": seats, "people": people_at(seats, None), "key": new_form_key()}
    return html_reply(encodings, "waiting.html", 200, game=visitor.game, **values)


def action_values(
    service: GameService, visitor: Visitor, head: Position, view: PageView, people: Mapping[Seat, str]
) -> Mapping[str, Any]:
    """What a visitor can do now, by the names in the template."""
    line, is_player = head.line, visitor.role in ("seat", "bot")
    common_line_name = common_line(visitor)
    common_head = head if line == common_line_name else service.position(f"{visitor.game}/{common_line_name}")
    can_be_played = not visitor.members.ended or line != common_line_name
    bots = service.bots(head.place) if visitor.owns(line) else {}
    seat = seat_to_play(head, visitor, line, bots) if is_player and can_be_played else ""
    viewer = viewer_of(service, visitor, line)
    rules = rules_of_match(service, head, viewer)
    ranking_rule = rules.get(head.game.display.RANKING)
    menu = command_menu(service, head, viewer, seat, view.typed, view.squares) if seat and not view.at else None
    over = head.outcome.over or not can_be_played
    is_going_on = is_player and not over
    return {
        "seat": seat,
        "is_player": is_player,
        "choice": menu,
        "hand": hand_of(head, visitor.seat) if is_player else None,
        "verbs": verb_buttons(head, seat, menu) if is_going_on else (),
        "taken_back": move_to_take_back(service, head, visitor, viewer) if head.commit.seat not in bots else None,
        "plays_all": head.game.secrets is None,
        "bots": [people[seat_shown] for seat_shown in bots],
        "turn": head.game.display.turn(head.state),
        **panel_values("act", Shown(service, visitor, head)),
        "ended": visitor.members.ended,
        "over": over,
        "common_line_is_over": common_head.outcome.over,
        "waits_for": [people[seat_shown] for seat_shown in head.to_move],
        "ranking": ranking_of(head, people) if head.outcome.over else (),
        "ranked_by": ranking_rule.text if head.outcome.over and ranking_rule else "",
        "rules": rules,
        "rules_page": rules_address(head.game.name, rules),
        "winners": [people[seat_shown] for seat_shown in head.outcome.winners],
        "figures_of_winner": figures_of(head, head.outcome.winner) if head.outcome.winner else (),
    }


class HandCard(msgspec.Struct, frozen=True):
    """A card of the visitor's hand: the word for it in commands, and its drawing."""

    name: str
    drawing: Markup


def hand_of(position: Position, seat: Seat) -> Sequence[HandCard] | None:
    """The cards in a seat's hand; None in a game without hands."""
    display = position.game.display
    if not (seat and display.HAND):
        return None
    names = display.figures(position.state, seat).get(display.HAND) or ()
    return [HandCard(str(name), Markup(art_of(position.game).card(str(name)))) for name in names]  # noqa: S704


class Ranked(msgspec.Struct, frozen=True):
    """A player in the ranking; tied players have the same rank."""

    rank: int
    seat: Seat
    name: str
    figures: Sequence[str]


def ranking_of(position: Position, name_by_seat: Mapping[Seat, str]) -> Sequence[Ranked]:
    """All players from first to last."""
    ranking = list[Ranked]()
    for seats in position.outcome.ranking:
        rank = len(ranking) + 1
        ranking += (Ranked(rank, seat, name_by_seat[seat], figures_of(position, seat)) for seat in seats)
    return ranking


def seating_values(service: GameService, visitor: Visitor, line: str) -> Mapping[str, Any]:
    """The seats and terms of a game, and whether its certificate can be downloaded, by the names in the template."""
    seats_document = seats_answer(service, visitor.game, visitor.members)
    return {
        "seats": seats_document.seats,
        "terms": seats_document.terms,
        "host": seats_document.host,
        "can_leave": visitor.role in ("seat", "bot"),
        "notice_hash": browser_notice_hash(service, visitor),
        "has_certificate": not service.hides(f"{visitor.game}/{line}"),
    }


def browser_notice_hash(service: GameService, visitor: Visitor) -> str:
    """A hash of the address at which a browser gets notices of the visitor's turns; "" if none does."""
    notices = service.notices(visitor.game, visitor.grant.id)
    endpoint = notices.values.get("endpoint", "") if notices and notices.kind == WEB_PUSH_KIND else ""
    return sha256(endpoint.encode()).hexdigest() if endpoint else ""


def board_values(position: Position, log: Sequence[Commit], seat: Seat) -> Mapping[str, Any]:
    """The board, with frames around the squares played since a seat's last move, and the log."""
    board = position.board
    framed_squares = news_squares(log[: position.commit.number + 1], board, seat) if board else ()
    return {
        "box": view_box(board) if board else "",
        "overlays": overlays_from_squares(position.game.display),
        "drawing": [drawn_part.part for drawn_part in parts_of(position, board, framed_squares)] if board else [],
        "facts": facts(position),
        "figures": questions_by_seat(position),
    }


def seat_to_play(head: Position, visitor: Visitor, line: str, bots: Collection[Seat] = ()) -> Seat:
    """The seat that a visitor can play now; "" if others are to move.

    On your own line of a game without secrets, you play all seats that no programs play there.
    """
    if visitor.owns(line) and head.game.secrets is None:
        return head.mover if head.to_move and head.mover not in bots else ""
    return visitor.seat if visitor.seat in head.to_move else ""


def move_to_take_back(service: GameService, head: Position, visitor: Visitor, viewer: Viewer) -> Commit | None:
    """The move that a visitor could take back: the last one, if it is theirs and has shown them nothing; else None."""
    commit = head.commit
    if not commit.seat or head.outcome.over or not (commit.seat == visitor.seat or visitor.owns(head.line)):
        return None
    position_before = service.position(f"{head.place}@{commit.parent}", viewer)
    return None if has_revealed(position_before, commit) else commit


@get("/games/{game:str}/steps")
async def line_steps(request: AnyRequest, game: GameName, as_: SeatOrRole = "", line: ShownLine = "") -> Response[Any]:
    """All positions of a line, for the script that steps through them."""
    await browser.act_in_game(request, game, as_)
    make_reply = partial(steps_reply, line=line, encodings=accepted_encodings(request))
    return await dispatcher_of(request).answer_long(request, game, make_reply)


def steps_reply(service: GameService, visitor: Visitor, *, line: str, encodings: str) -> Reply:
    """All positions of a line."""
    line_name = line or common_line(visitor)
    head = visible_position(service, visitor, line_name, "")
    return json_reply(encodings, steps_of(service, head, viewer_of(service, visitor, line_name)))


@get("/games/{game:str}/feed")
async def feed(
    request: AnyRequest, game: GameName, as_: SeatOrRole = "", line: ShownLine = "", last_event_id: LastEventId = ""
) -> Stream:
    """The feed of a page: each move of a line as it happens, drawn."""
    await browser.act_in_game(request, game, as_)
    dispatcher = dispatcher_of(request)

    def read_common_line(service: GameService, visitor: Visitor) -> Reply:
        return Reply((line or common_line(visitor)).encode())

    line_name = line or (await dispatcher.answer_read(request, game, read_common_line)).content.decode()
    messages = await dispatcher.listen(request, game, line_name, PAGE, last_event_id)
    return Stream(
        messages, media_type=SSE, headers={**PAGE_HEADERS, "Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    )


async def find_common_line(request: AnyRequest, game: str) -> str:
    """The name of the line that all players play."""

    def read_common_line(_: GameService, visitor: Visitor) -> Reply:
        return Reply(common_line(visitor).encode())

    return str((await dispatcher_of(request).answer_read(request, game, read_common_line)).content.decode())


def page_address(game: str, as_: str = "", line: str = "") -> str:
    """The address of the page of a game."""
    query = urlencode({name: value for name, value in (("as", as_), ("line", line)) if value})
    return f"/games/{quote(game, safe='')}" + (f"?{query}" if query else "")


@get("/games/{game:str}/certificate")
async def certificate(request: AnyRequest, game: GameName, as_: SeatOrRole = "", line: ShownLine = "") -> Response[Any]:
    """The certificate of a line as a download: a file that proves it without this server."""
    await browser.act_in_game(request, game, as_)
    reply = await question_handlers.certificate.respond(
        request, game=game, line=line or await find_common_line(request, game)
    )
    reply.headers["Content-Disposition"] = f'attachment; filename="{file_name(game)}.jsonl"'
    return reply


@get("/games/{game:str}/replay")
async def replay(request: AnyRequest, game: GameName, as_: SeatOrRole = "", line: ShownLine = "") -> Response[Any]:
    """The replay of a line as a download: a page that needs no server."""
    await browser.act_in_game(request, game, as_)
    return await dispatcher_of(request).answer_long(request, game, partial(replay_reply, line=line))


def replay_reply(service: GameService, visitor: Visitor, *, line: str) -> Reply:
    """The replay of a line as a page."""
    line_name = line or common_line(visitor)
    place, viewer = place_of(visitor, line_name), viewer_of(service, visitor, line_name)
    position = service.position(place, viewer)
    log = service.log(place, viewer=viewer)
    notes = [(note.about, note.text) for note in notes_on(service.discussion(visitor.game), log)]
    page_text = replay_page(positions_to(position, log), notes=notes, links=service.site_links(place))
    headers = {**PAGE_HEADERS, "Content-Disposition": f'attachment; filename="{file_name(visitor.game)}.html"'}
    return Reply(page_text.encode(), headers=headers, media_type=HTML_TYPE)


def file_name(game: str) -> str:
    """A file name for a game, with only characters that are safe in a header."""
    return "".join(
        character if character.isascii() and (character.isalnum() or character in "-_") else "_" for character in game
    )
