"""The form that begins a game: a row for each seat, and options in words. The host takes one seat, others get links."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from event_store import EventStore
from zimcore.documents.problems import ProblemDetails
from zimcore.documents.seats import NewToken, Redemption
from zimcore.game import Game as Kind
from zimcore.game import GameError, Seat
from zimcore.games.registry import game as load_game
from zimcore.history.disputed_readings import reading_options
from zimcore.server.endpoints import seat_handlers
from zimcore.server.endpoints.game_handlers import FORBIDDEN_OPTIONS
from zimcore.server.pages import browser
from zimcore.server.pages.form_parsing import Form
from zimcore.server.wire.problem_responses import ProblemError
from zimcore.server.wire.replies import AnyRequest
from zimcore.service import GameService
from zimcore.service.records.memberships import HouseRulesError

MAX_SEATS = 12
"""The most players that are tried to find the seats of a game."""
PLAY_YOURSELF, GET_LINK = "me", "link"
"""Values of a seat's row: the host plays it, or it gets a link. Any other text is a bot, "" leaves the seat out."""
OPTION_ALTERNATIVES = re.compile(
    r"(?P<usual_value>[\w-]+) \(default\): (?P<usual_meaning>.*?\.) (?P<other_value>[\w-]+): (?P<other_meaning>.*)"
)
"""Parses the help of an option with two values: `free (default): All may .... paid: Each costs 1 cattle more.`"""


class Choice(msgspec.Struct, frozen=True):
    """A value of an option, and what it means."""

    value: str
    means: str


class OptionField(msgspec.Struct, frozen=True):
    """An option of a game in a form: its help, or its two values as choices."""

    name: str
    help: str
    choices: Sequence[Choice] = ()


class BeginForm(msgspec.Struct, frozen=True):
    """The form to begin a game of one kind. `house` are the options that choose another reading of a disputed rule."""

    kind: str
    title: str
    seats: Sequence[Seat]
    min_players: int
    player_counts: Sequence[int]
    options: Sequence[OptionField]
    house: Sequence[OptionField]


_seats_by_kind_and_count: dict[str, Mapping[int, Sequence[Seat]]] = {}


def begin_forms(kinds: Mapping[str, str]) -> Iterator[BeginForm]:
    """A form for each kind of game, except those whose package can't be loaded."""
    for name in kinds:
        with suppress(GameError):
            yield begin_form(load_game(name, kinds), kinds)


def titles_of_kinds(kinds: Mapping[str, str]) -> Mapping[str, str]:
    """The title of each kind of game, except those whose package can't be loaded."""
    title_by_kind = {}
    for name in kinds:
        with suppress(GameError):
            title_by_kind[name] = load_game(name, kinds).title
    return title_by_kind


def begin_form(kind: Kind, kinds: Mapping[str, str]) -> BeginForm:
    """The form for a kind of game."""
    seats, house = seats_by_count(kind.name, kinds), reading_options(kind)
    fields = [
        option_field(name, help_text)
        for name, help_text in kind.rules.OPTIONS.items()
        if name not in (*FORBIDDEN_OPTIONS, "players")
    ]
    return BeginForm(
        kind=kind.name,
        title=kind.title,
        seats=seats[max(seats)] if seats else (),
        min_players=min(seats, default=0),
        player_counts=sorted(seats),
        options=[option for option in fields if option.name not in house],
        house=[option for option in fields if option.name in house],
    )


def option_field(name: str, help_text: str) -> OptionField:
    """The form field of an option, from its help text."""
    match = OPTION_ALTERNATIVES.fullmatch(help_text)
    if not match:
        return OptionField(name, help_text)
    choices = (
        Choice("", f"{match['usual_value']}: {match['usual_meaning']}"),
        Choice(match["other_value"], match["other_meaning"]),
    )
    return OptionField(name, "", choices)


def seats_by_count(kind: str, kinds: Mapping[str, str]) -> Mapping[int, Sequence[Seat]]:
    """The seats of a game by its number of players. Found by starting one game of each in memory; cached."""
    if kind not in _seats_by_kind_and_count:
        seats_found = {}
        for count in range(1, MAX_SEATS + 1):
            if seats := _seats_of_trial(kind, kinds, str(count)):
                seats_found[count] = seats
        _seats_by_kind_and_count[kind] = seats_found
    return _seats_by_kind_and_count[kind]


def _seats_of_trial(kind: str, kinds: Mapping[str, str], players_option: str) -> Sequence[Seat]:
    """The seats of a game that is started with these players; () if it can't be."""
    with EventStore.open("memory:") as store:
        try:
            return GameService(store, games=kinds).new(kind, {"players": players_option}, by="a form").seats
        except GameError:
            return ()


def row_values_in(form: Form) -> dict[Seat, str]:
    """The value of each seat's row in a form, by seat; empty rows are left out."""
    return {name[5:]: value.strip() for name, value in form.items() if name.startswith("seat.") and value.strip()}


def choose_players(kind: str, kinds: Mapping[str, str], chosen_rows: Mapping[Seat, str]) -> tuple[str, dict[Seat, str]]:
    """The option `players` for the chosen rows of a form, and the row value of each seat of the game.

    If the game can't be played with just those seats, its first seats are used instead, in the order of the rows.
    """
    seat_lists, seat_names = seats_by_count(kind, kinds), ",".join(chosen_rows)
    first_seats = seat_lists.get(len(chosen_rows), ())
    if tuple(chosen_rows) != tuple(first_seats) and tuple(_seats_of_trial(kind, kinds, seat_names)) == tuple(
        chosen_rows
    ):
        return seat_names, dict(chosen_rows)
    return str(len(chosen_rows)), dict(zip(first_seats, chosen_rows.values(), strict=False)) if first_seats else dict(
        chosen_rows
    )


def option_of_problem(problem: ProblemDetails) -> str:
    """The option that a problem is about, from its title (`gods=frob ...`); "" for none."""
    return problem.title.partition("=")[0] if "=" in problem.title else ""


async def create_seat_link(request: AnyRequest, game: str, seat: Seat, key: str) -> str:
    """Creates a link to a seat. Raises `ProblemError`."""
    link_answer = await seat_handlers.give_token.ask(
        request, NewToken(role="seat", seat=seat), f"{key}-{seat}", game=game
    )
    return link_answer.token


async def sit_down(request: AnyRequest, game: str, seat: Seat, by: str, key: str) -> str:
    """Lets the host take a seat; returns its token. Raises `ProblemError`."""
    check_token_limit(request)
    link, account = await create_seat_link(request, game, seat, key), browser.account_token(request)
    redemption: dict[str, Any] = {"link": link, "by": by, "account": account}
    try:
        token_answer = await seat_handlers.redeem.ask(request, Redemption(**redemption), f"{key}-sit")
    except HouseRulesError as error:  # the host has chosen the house rules, so agrees to them
        token_answer = await seat_handlers.redeem.ask(
            request, Redemption(**redemption, agreed=error.rules_text), f"{key}-agreed"
        )
    return token_answer.token


def check_token_limit(request: AnyRequest) -> None:
    """Raises `ProblemError` if the browser has `MAX_TOKENS` tokens already."""
    if len(browser.cookie_tokens(request)) >= browser.MAX_TOKENS:
        title, hints = f"this browser has {browser.MAX_TOKENS} games", ["one of them has to be left first"]
        raise ProblemError(409, title, "that is the most", hints, kind="not-possible")


def address_of_link(request: AnyRequest, link: str) -> str:
    """The address of a link, to give to a player."""
    return f"{browser.origin_of(request)}/join#{link}"
