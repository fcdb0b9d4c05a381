"""Handlers of games: list your games, start one, open a table, deal it, change its terms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import asdict, replace

from zimcore.documents import endpoints
from zimcore.documents.endpoint import Nothing
from zimcore.documents.listings import GameInfo
from zimcore.documents.positions import PositionAnswer, position_document
from zimcore.documents.query_parameters import PageQuery
from zimcore.documents.seats import GameAnswer, NewGame, SeatsAnswer, Terms
from zimcore.documents.storage import GamesAnswer
from zimcore.game import UnknownError
from zimcore.history.disputed_readings import reading_options
from zimcore.server.endpoints.bot_players import check_bots
from zimcore.server.endpoints.routing import Call, HandlerAnswer, handles, page_of
from zimcore.server.people.access import Visitor
from zimcore.server.people.member_documents import seats_answer
from zimcore.server.wire.problem_responses import ProblemError, limit_error
from zimcore.service import GameService, Viewer
from zimcore.service.lines.visibility import TABLE
from zimcore.service.records.discussion import terms_events
from zimcore.service.records.memberships import GameHosted, HouseRulesSet, MemberEvent, Members, TermsSet
from zimcore.service.records.terms import changed_terms

MAX_GAMES = 1000
"""The most games of one host."""
SEED_OPTION = "seed"
FORBIDDEN_OPTIONS = {
    SEED_OPTION: ("a seed can't be chosen here", "with the seed you would know all cards"),
    "components": ("a file can't be named here", "the server would read its own file of that name"),
}
"""Options of games that are allowed only on the server's own machine, and why."""


@handles(endpoints.GAMES)
def games(call: Call, query: PageQuery) -> HandlerAnswer[GamesAnswer]:
    """The games that your token is valid for; for a host all games they started, except those that can't be read."""
    visitor = call.visitor
    game_names = [visitor.game] if visitor.game else call.service.games_hosted_by(visitor.name)
    page, headers = page_of(endpoints.GAMES, call.path_values, game_names, query)
    unlisted_games = () if visitor.game else tuple(call.service.reasons_unlisted())
    return HandlerAnswer(GamesAnswer(tuple(list_games(call.service, visitor, page)), unlisted_games), headers=headers)


@handles(endpoints.BEGIN)
def begin_game(call: Call, body: NewGame) -> HandlerAnswer[PositionAnswer]:
    """Begins a game, with the visitor as its host."""
    check_may_begin(call.service, call.visitor, body, may_choose_seed=call.service.game_of(body.kind).secrets is None)
    if body.house:
        raise ProblemError(
            409, "house rules are agreed before the deal", "open a table", ["POST /v1/tables"], kind="not-possible"
        )
    try:
        position = call.service.new(body.kind, body.options, **new_game_arguments(call, body), viewer=TABLE)
    except UnknownError as error:
        if body.name and call.service.has_game(body.name):
            raise ProblemError(409, error.what, "", error.hints, kind="name-taken") from error
        raise
    return HandlerAnswer(PositionAnswer(position_document(position)), changed_game=position.match)


@handles(endpoints.OPEN_TABLE)
def open_table(call: Call, body: NewGame) -> HandlerAnswer[SeatsAnswer]:
    """Opens a table: the game is dealt when all have sat down, from a seed to which each player adds a share."""
    check_may_begin(call.service, call.visitor, body)
    arguments = new_game_arguments(call, body)
    arguments["served"] = [*arguments["served"], *house_rule_events(call.service, body)]
    name = call.service.open_table(body.kind, body.options, **arguments)
    return HandlerAnswer(seats_answer(call.service, name, call.service.members(name)), changed_game=name)


def new_game_arguments(call: Call, body: NewGame) -> dict[str, Any]:
    """The service's arguments for a new game, besides its kind and options."""
    return {
        "name": body.name,
        "served": hosting_events(call.visitor, body),
        "agreed": terms_events(body.takebacks, helps=body.help),
        "bots": check_bots(body.bots, call.service.game_of(body.kind)) if body.bots else {},
        **call.write_arguments,
    }


@handles(endpoints.DEAL)
def deal(call: Call, _: Nothing) -> PositionAnswer:
    """Deals a game with those who have sat down by now. For the host."""
    # No idempotency key is needed: a game is dealt only once.
    call.service.deal(call.game, by=call.visitor.name)
    return PositionAnswer(position_document(call.service.position(f"{call.game}@start")))


@handles(endpoints.GAME)
def show_game(call: Call, _: Nothing) -> GameAnswer:
    """A game: its status, and who sits where."""
    (game_info,) = list_games(call.service, call.visitor, [call.game])
    seats = seats_answer(call.service, call.game, call.visitor.members)
    return GameAnswer(game_info, seats.host, seats.public, seats.seats)


def hosting_events(visitor: Visitor, body: NewGame) -> Sequence[MemberEvent]:
    """The events that set the host and the terms of a new game. Raises `OptionError`."""
    terms = changed_terms(TermsSet(), requested_terms(body.terms))
    member_events: list[MemberEvent] = [GameHosted(visitor.name, body.public)]
    return member_events if terms == TermsSet() else [*member_events, terms]


def house_rule_events(service: GameService, body: NewGame) -> Sequence[MemberEvent]:
    """The event with the house rules that each player has to agree to before they sit down; () if there are none."""
    game = service.game_of(body.kind)
    rules = {
        option: body.options[option]
        for option, value in reading_options(game).items()
        if body.options.get(option) == value
    }
    return [HouseRulesSet(rules)] if body.house and rules else []


def check_may_begin(service: GameService, visitor: Visitor, body: NewGame, *, may_choose_seed: bool = False) -> None:
    """Raises `ProblemError` if the visitor hosts too many games, or gives one of the `FORBIDDEN_OPTIONS`.

    Where nothing is hidden, all see from the options that the host chose the seed.
    """
    allowed_options = {SEED_OPTION} if may_choose_seed else set[str]()
    for option in (FORBIDDEN_OPTIONS.keys() & body.options) - allowed_options:
        raise ProblemError(403, *FORBIDDEN_OPTIONS[option])
    check_room_for_games(service, visitor.name, 1)


def check_room_for_games(service: GameService, host: str, new_game_count: int) -> None:
    """Raises `ProblemError` if a host can't have so many more games."""
    if len(service.games_hosted_by(host)) + new_game_count > MAX_GAMES:
        hint = "tell who runs the server to delete finished ones"
        raise limit_error(f"you have {MAX_GAMES} games", hints=[hint])


@handles(endpoints.TERMS)
def terms(call: Call, body: Terms) -> SeatsAnswer:
    """Changes the terms under which a game is played and watched. For the host."""

    def make_events(members: Members) -> Sequence[MemberEvent]:
        return [changed_terms(members.terms, requested_terms(body))]

    _, members = call.service.change_members(call.game, make_events, "terms", body, **call.write_arguments)
    return seats_answer(call.service, call.game, members)


def requested_terms(terms: Terms) -> dict[str, str]:
    """The terms that a request sets, by key: `none` for those that are "", without those left out (None)."""
    return {key: value or "none" for key, value in asdict(terms).items() if value is not None}


def list_games(service: GameService, visitor: Visitor, names: Sequence[str]) -> Sequence[GameInfo]:
    """The games of these names as a visitor's list shows them: each by its match, with the number of visible lines."""
    viewer = Viewer(visitor.seat) if visitor.seat else TABLE
    game_infos = service.games(viewer, only=names)
    return [
        info if info.damaged else replace(info, lines=len([*filter(visitor.sees, service.line_names(info.name))]))
        for info in game_infos
    ]
